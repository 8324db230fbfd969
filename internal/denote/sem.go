package denote

import (
	"fmt"

	"github.com/gram-machine/gram/term"
)

// clause is ⟦Γ ⊢ t : A⟧ of a node: a function from ⟦Γ⟧ to ⟦A⟧.
type clause func(g *Env) Value

// Sem is the denotation of a term. It belongs to one goroutine.
type Sem struct {
	model Model
	root  clause
	fuel  *uint64
}

// Fuel bounds how many recursive calls one [Sem.At] makes, which a term may do without end.
const Fuel = 1 << 16

// FuelError says that the fuel has run out: the term has no known value.
type FuelError struct{}

func (*FuelError) Error() string { return fmt.Sprintf("more than %d recursive calls", Fuel) }

// Denote is ⟦t⟧, by induction on t: a loop over the arena, which has children before parents. The term is well-typed.
func (m Model) Denote(t *term.Term) *Sem {
	d := &denoter{m: m, t: t, of: make([]clause, len(t.Nodes)), fuel: new(uint64)}
	for r := 1; r < len(t.Nodes); r++ {
		d.of[r] = d.clause(&t.Nodes[r])
	}
	*d.fuel = Fuel
	return &Sem{m, d.of[t.Root], d.fuel}
}

// At is ⟦t⟧(g). The error is an [*UndefinedError] or a [*FuelError].
func (s *Sem) At(g *Env) (v Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			switch p := p.(type) {
			case *UndefinedError:
				err = p
			case *FuelError:
				err = p
			default:
				panic(p)
			}
		}
	}()
	*s.fuel = Fuel
	return s.root(g), nil
}

// LinearIn is ⟦Γ ⊢_z t : R^d⟧(g) for one z: a linear map from ⟦R⟧ to ⟦R^d⟧.
func (s *Sem) LinearIn(z term.Var, g *Env) Linear {
	return func(a Number) Value { return s.root(g.With(z, a)) }
}

type denoter struct {
	m  Model
	t  *term.Term
	of []clause

	fuel *uint64 // the recursive calls that are left
}

func (d *denoter) clause(n *term.Node) clause {
	var kids []clause // of t and u, in the equations
	d.t.Kids(n, func(k term.Ref) { kids = append(kids, d.of[k]) })
	switch n.Op {
	// ⟦x⟧(g) = g_x, and ⟦⊢_z z⟧(g) = r ↦ r
	case term.VarOp:
		return func(g *Env) Value { return g.At(n.X) }
	// ⟦r⟧(g) = r
	case term.NumOp:
		r := d.m.Ground.Of(n.Val)
		return func(*Env) Value { return r }
	// ⟦0⃗⟧(g) = 0⃗
	case term.ZeroOp:
		return func(*Env) Value { return d.m.Zero(0) }
	// ⟦λx.t⟧(g) = d ↦ ⟦t⟧(g,d), and ⟦λz.t⟧(g) = ⟦⊢_z t⟧(g)
	case term.LamOp:
		if d.t.Info(n.X).Linear {
			return func(g *Env) Value { return Linear(func(a Number) Value { return kids[0](g.With(n.X, a)) }) }
		}
		return func(g *Env) Value { return Func(func(v Value) Value { return kids[0](g.With(n.X, v)) }) }
	// ⟦t u⟧(g) = ⟦t⟧(g)(⟦u⟧(g))
	case term.AppOp:
		return func(g *Env) Value { return apply(kids[0](g), kids[1](g)) }
	// ⟦⟨t,u⟩⟧(g) = (⟦t⟧(g), ⟦u⟧(g))
	case term.PairOp:
		return func(g *Env) Value { return Pair{kids[0](g), kids[1](g)} }
	// ⟦t[p:=u]⟧(g) = ⟦t⟧(g, ⟦u⟧(g))
	case term.LetOp:
		return func(g *Env) Value { return kids[0](g.With(n.X, kids[1](g))) }
	case term.UnvecOp, term.UntupleOp:
		xs := d.t.BoundVars(n)
		return func(g *Env) Value { return kids[0](open(g, xs, kids[1](g))) }
	// ⟦t+u⟧(g) = ⟦t⟧(g) + ⟦u⟧(g)
	case term.AddOp:
		return func(g *Env) Value { return d.m.Sum(kids[0](g), kids[1](g)) }
	}
	return d.many(n, kids)
}

// many are the clauses of the other nodes.
func (d *denoter) many(n *term.Node, kids []clause) clause {
	switch n.Op {
	// ⟦f(t1,…,tk)⟧(g) = ⟦f⟧(⟦t1⟧(g),…,⟦tk⟧(g))
	case term.FunOp:
		return func(g *Env) Value {
			args := make([]Number, len(kids))
			for i, k := range kids {
				args[i] = k(g)
			}
			r, err := d.m.Ground.Apply(n.Sym, args...)
			if err != nil {
				panic(err)
			}
			return r
		}
	// ⟦⟦t0,…⟧⟧(g) = (⟦t0⟧(g), …)
	case term.VecOp:
		return func(g *Env) Value { return Tuple(d.all(kids, g)...) }
	// ⟦if s c s' then t else u⟧(g) = ⟦t⟧(g) or ⟦u⟧(g)
	case term.IfOp:
		return func(g *Env) Value {
			if d.m.Ground.Holds(n.Cmp, kids[0](g), kids[1](g)) {
				return kids[2](g)
			}
			return kids[3](g)
		}
	// ⟦C t⟧(g) = (C, ⟦t⟧(g))
	case term.ConOp:
		if len(kids) == 0 {
			return func(*Env) Value { return Con{Number: n.Count} }
		}
		return func(g *Env) Value { return Con{n.Count, kids[0](g)} }
	// ⟦match t with … C p → u …⟧(g) = ⟦u⟧(g, v) where ⟦t⟧(g) = (C, v)
	case term.CaseOp:
		branches := d.t.Children(n)[1:]
		return func(g *Env) Value {
			c := kids[0](g).(Con)
			if xs := d.t.BoundVars(&d.t.Nodes[branches[c.Number]]); len(xs) > 0 {
				g = open(g, xs, c.Arg)
			}
			return kids[1+c.Number](g)
		}
	case term.BranchOp:
		return kids[0]
	case term.FixOp:
		return d.fix(n, kids)
	// ⟦[t1;…;tn]⟧(g) = f ↦ x ↦ f(⟦t1⟧(g))(… f(⟦tn⟧(g))(x))
	case term.ListOp:
		return func(g *Env) Value { return church(len(kids), func(i int) Value { return kids[i](g) }) }
	// ⟦#n⟧(g) = f ↦ x ↦ f(… f(x))
	case term.NatOp:
		return func(*Env) Value { return church(int(n.Count), nil) }
	case term.DataOp:
		return d.data(n)
	}
	panic(fmt.Sprintf("denote: constructor %d", n.Op))
}

// fix is ⟦fix ⟨f1,…⟩.⟨v1,…⟩⟧(g), the least solution of h_i = ⟦v_i⟧(g,h1,…): each call unfolds it once more, as long as
// there is fuel.
func (d *denoter) fix(n *term.Node, lams []clause) clause {
	fs := d.t.BoundVars(n)
	return func(g *Env) Value {
		h := make([]Value, len(lams))
		for i := range lams {
			h[i] = Func(func(v Value) Value {
				if *d.fuel == 0 {
					panic(&FuelError{})
				}
				*d.fuel--
				all := g
				for k, f := range fs {
					all = all.With(f, h[k])
				}
				return apply(lams[i](all), v)
			})
		}
		return h[n.Count]
	}
}

func (d *denoter) all(kids []clause, g *Env) []Value {
	out := make([]Value, len(kids))
	for i, k := range kids {
		out[i] = k(g)
	}
	return out
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
func (d *denoter) data(n *term.Node) clause {
	tt, data := d.t.Types, &d.t.Data[n.A]
	scalar := n.Elem
	if tt.Kind(scalar) == term.VecKind {
		scalar = tt.Left(scalar)
	}
	number := func(r float64) Value {
		if scalar == term.R {
			return d.m.Ground.Of(r)
		}
		return Pair{d.m.Ground.Of(r), Linear(func(Number) Value { return d.m.Zero(0) })}
	}
	row := func(i int) Value {
		var vs []Value
		for _, r := range data.Values[i*data.Width : (i+1)*data.Width] {
			vs = append(vs, number(r))
		}
		return Tuple(vs...)
	}
	if !data.List {
		return func(*Env) Value { return row(0) }
	}
	return func(*Env) Value { return church(data.Rows, row) }
}
