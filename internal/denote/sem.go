package denote

import (
	"fmt"

	"github.com/gram-machine/gram/term"
)

// Sem is the denotation of a term. It belongs to one goroutine.
type Sem struct {
	Model
	t    *term.Term
	root term.Ref
	fuel uint64 // the recursive calls that are left
}

// Fuel bounds how many recursive calls one [Sem.At] makes, which a term may do without end.
const Fuel = 1 << 16

// FuelError says that the fuel has run out: the term has no known value.
type FuelError struct{}

func (*FuelError) Error() string { return fmt.Sprintf("more than %d recursive calls", Fuel) }

// Denote is ⟦t⟧. The term is well-typed.
func (m Model) Denote(t *term.Term) *Sem { return &Sem{m, t, t.Root, Fuel} }

// At is ⟦t⟧(g). The error is an [*UndefinedError] or a [*FuelError].
func (s *Sem) At(g *Env) (v Value, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *UndefinedError, *FuelError:
			err = p.(error)
		default:
			panic(p)
		}
	}()
	s.fuel = Fuel
	return s.of(s.root, g), nil
}

// LinearIn is ⟦Γ ⊢_z t : R^d⟧(g) for one z: a linear map from ⟦R⟧ to ⟦R^d⟧.
func (s *Sem) LinearIn(z term.Var, g *Env) Linear {
	return func(a Number) Value { return s.of(s.root, g.With(z, a)) }
}

// of is ⟦Γ ⊢ t : A⟧(g) of a node: a function from ⟦Γ⟧ to ⟦A⟧.
func (s *Sem) of(r term.Ref, g *Env) Value {
	n := &s.t.Nodes[r]
	switch n.Op {
	// ⟦x⟧(g) = g_x, and ⟦⊢_z z⟧(g) = r ↦ r
	case term.VarOp:
		return g.At(n.X)
	// ⟦r⟧(g) = r
	case term.NumOp:
		return s.Ground.Of(n.Val)
	// ⟦0⃗⟧(g) = 0⃗
	case term.ZeroOp:
		return s.Zero()
	// ⟦λx.t⟧(g) = d ↦ ⟦t⟧(g,d), and ⟦λz.t⟧(g) = ⟦⊢_z t⟧(g)
	case term.LamOp:
		if s.t.Info(n.X).Linear {
			return Linear(func(a Number) Value { return s.of(n.A, g.With(n.X, a)) })
		}
		return Func(func(v Value) Value { return s.of(n.A, g.With(n.X, v)) })
	// ⟦t u⟧(g) = ⟦t⟧(g)(⟦u⟧(g))
	case term.AppOp:
		return apply(s.of(n.A, g), s.of(n.B, g))
	// ⟦⟨t,u⟩⟧(g) = (⟦t⟧(g), ⟦u⟧(g))
	case term.PairOp:
		return Pair{s.of(n.A, g), s.of(n.B, g)}
	// ⟦t[p:=u]⟧(g) = ⟦t⟧(g, ⟦u⟧(g))
	case term.LetOp:
		return s.of(n.A, g.With(n.X, s.of(n.B, g)))
	case term.UnvecOp, term.UntupleOp:
		return s.of(n.A, open(g, s.t.BoundVars(n), s.of(n.B, g)))
	// ⟦t+u⟧(g) = ⟦t⟧(g) + ⟦u⟧(g)
	case term.AddOp:
		return s.Sum(s.of(n.A, g), s.of(n.B, g))
	}
	return s.many(n, s.t.Children(n), g)
}

// many is of for the other nodes.
func (s *Sem) many(n *term.Node, kids []term.Ref, g *Env) Value {
	switch n.Op {
	// ⟦f(t1,…,tk)⟧(g) = ⟦f⟧(⟦t1⟧(g),…,⟦tk⟧(g))
	case term.FunOp:
		args := make([]Number, len(kids))
		for i, k := range kids {
			args[i] = s.of(k, g)
		}
		r, err := s.Ground.Apply(n.Sym, args...)
		if err != nil {
			panic(err)
		}
		return r
	// ⟦⟦t0,…⟧⟧(g) = (⟦t0⟧(g), …)
	case term.VecOp:
		vs := make([]Value, len(kids))
		for i, k := range kids {
			vs[i] = s.of(k, g)
		}
		return Tuple(vs...)
	// ⟦if s c s' then t else u⟧(g) = ⟦t⟧(g) or ⟦u⟧(g)
	case term.IfOp:
		if s.Ground.Holds(n.Cmp, s.of(kids[0], g), s.of(kids[1], g)) {
			return s.of(kids[2], g)
		}
		return s.of(kids[3], g)
	// ⟦C t⟧(g) = (C, ⟦t⟧(g))
	case term.ConOp:
		if n.A == 0 {
			return Con{Number: n.Count}
		}
		return Con{n.Count, s.of(n.A, g)}
	// ⟦match t with … C p → u …⟧(g) = ⟦u⟧(g, v) where ⟦t⟧(g) = (C, v)
	case term.CaseOp:
		c := s.of(kids[0], g).(Con)
		branch := &s.t.Nodes[kids[1+c.Number]]
		if xs := s.t.BoundVars(branch); len(xs) > 0 {
			g = open(g, xs, c.Arg)
		}
		return s.of(branch.A, g)
	case term.FixOp:
		return s.fix(n, g)
	// ⟦[t1;…;tn]⟧(g) = f ↦ x ↦ f(⟦t1⟧(g))(… f(⟦tn⟧(g))(x))
	case term.ListOp:
		return church(len(kids), func(i int) Value { return s.of(kids[i], g) })
	// ⟦#n⟧(g) = f ↦ x ↦ f(… f(x))
	case term.NatOp:
		return church(int(n.Count), nil)
	case term.DataOp:
		return s.data(n)
	}
	panic(fmt.Sprintf("denote: constructor %d", n.Op))
}

// fix is ⟦fix ⟨f1,…⟩.⟨v1,…⟩⟧(g), the least solution of h_i = ⟦v_i⟧(g,h1,…): each call unfolds it once more, as long as
// there is fuel.
func (s *Sem) fix(n *term.Node, g *Env) Value {
	lams := s.t.Children(n)
	h := make([]Value, len(lams))
	for i := range lams {
		h[i] = Func(func(v Value) Value {
			if s.fuel == 0 {
				panic(&FuelError{})
			}
			s.fuel--
			all := g
			for k, f := range s.t.BoundVars(n) {
				all = all.With(f, h[k])
			}
			return apply(s.of(lams[i], all), v)
		})
	}
	return h[n.Count]
}

func apply(f, v Value) Value {
	if l, ok := f.(Linear); ok {
		return l(v)
	}
	return f.(Func)(v)
}

// open binds xs to the components of a tuple; the last may be a tuple itself.
func open(g *Env, xs []term.Var, v Value) *Env {
	for _, x := range xs[:len(xs)-1] {
		p := v.(Pair)
		g, v = g.With(x, p.Left), p.Right
	}
	return g.With(xs[len(xs)-1], v)
}

// church is the list of n elements as a right fold, or without elements the numeral n.
func church(n int, elem func(i int) Value) Value {
	return Func(func(f Value) Value {
		return Func(func(x Value) Value {
			for i := n - 1; i >= 0; i-- {
				g := f
				if elem != nil {
					g = apply(f, elem(i))
				}
				x = apply(g, x)
			}
			return x
		})
	})
}

// data is a constant: a number, a vector of numbers, or a list of such. Where the
// term is D(t) each number r stands for ⟨r, λa.0⃗⟩.
func (s *Sem) data(n *term.Node) Value {
	data, scalar := &s.t.Data[n.A], s.t.Types.Scalar(n.Elem)
	number := func(r float64) Value {
		if scalar == term.R {
			return s.Ground.Of(r)
		}
		return Pair{s.Ground.Of(r), Linear(func(Number) Value { return s.Zero() })}
	}
	row := func(i int) Value {
		var vs []Value
		for _, r := range data.Values[i*data.Width : (i+1)*data.Width] {
			vs = append(vs, number(r))
		}
		return Tuple(vs...)
	}
	if !data.List {
		return row(0)
	}
	return church(data.Rows, row)
}
