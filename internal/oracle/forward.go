package oracle

import (
	"fmt"

	"github.com/gram-machine/gram/term"
)

// Dual is a number with its tangent.
type Dual struct {
	V, T    float64
	depends bool // on an input whose tangent isn't 0; T is 0 for others
}

// value is a Dual, a pair, a vec or a function.
type value any

type pair struct{ a, b value }

type vec []value

type function func(value) value

// env is a chain of bindings.
type env struct {
	x    term.Var
	v    value
	next *env
}

func (e *env) find(x term.Var) value {
	for ; e != nil; e = e.next {
		if e.x == x {
			return e.v
		}
	}
	panic(fmt.Sprintf("oracle: variable %d is not bound", x))
}

// Eval evaluates t, whose free variables are inputs, at a point with tangents. The
// result, which has a type built of R, products and vectors, is flat. What doesn't
// depend on an input whose tangent isn't 0 has the tangent 0, whatever the slopes are.
func Eval(t *term.Term, inputs []term.Var, point []Dual) []Dual {
	var e *env
	for i, x := range inputs {
		d := point[i]
		d.depends = d.T != 0
		e = &env{x, d, e}
	}
	ev := &evaluator{t}
	return flatten(nil, ev.eval(t.Root, e))
}

func flatten(out []Dual, v value) []Dual {
	switch v := v.(type) {
	case Dual:
		return append(out, v)
	case pair:
		return flatten(flatten(out, v.a), v.b)
	case vec:
		for _, c := range v {
			out = flatten(out, c)
		}
		return out
	}
	panic("oracle: the value is a function")
}

type evaluator struct{ t *term.Term }

func (ev *evaluator) eval(r term.Ref, e *env) value {
	t := ev.t
	n := &t.Nodes[r]
	switch n.Op {
	case term.VarOp:
		return e.find(n.X)
	case term.NumOp:
		return Dual{V: n.Val}
	case term.LamOp:
		return function(func(v value) value { return ev.eval(n.A, &env{n.X, v, e}) })
	case term.AppOp:
		return ev.eval(n.A, e).(function)(ev.eval(n.B, e))
	case term.PairOp:
		return pair{ev.eval(n.A, e), ev.eval(n.B, e)}
	case term.LetOp:
		return ev.eval(n.A, &env{n.X, ev.eval(n.B, e), e})
	case term.UnpairOp:
		p := ev.eval(n.B, e).(pair)
		return ev.eval(n.A, &env{n.Y, p.b, &env{n.X, p.a, e}})
	case term.UntupleOp:
		xs, v := t.Bound(n), ev.eval(n.B, e)
		for _, x := range xs[:len(xs)-1] {
			p := v.(pair)
			e, v = &env{term.Var(x), p.a, e}, p.b
		}
		return ev.eval(n.A, &env{term.Var(xs[len(xs)-1]), v, e})
	case term.UnvecOp:
		for i, c := range ev.eval(n.B, e).(vec) {
			e = &env{term.Var(t.Bound(n)[i]), c, e}
		}
		return ev.eval(n.A, e)
	case term.VecOp:
		var v vec
		for _, k := range t.Children(n) {
			v = append(v, ev.eval(k, e))
		}
		return v
	case term.AddOp:
		a, b := ev.eval(n.A, e).(Dual), ev.eval(n.B, e).(Dual)
		return Dual{a.V + b.V, a.T + b.T, a.depends || b.depends}
	case term.FunOp:
		var args []Dual
		for _, k := range t.Children(n) {
			args = append(args, ev.eval(k, e).(Dual))
		}
		return apply(n.Sym, args)
	case term.IfOp:
		k := t.Children(n)
		if n.Cmp.Holds(ev.eval(k[0], e).(Dual).V, ev.eval(k[1], e).(Dual).V) {
			return ev.eval(k[2], e)
		}
		return ev.eval(k[3], e)
	case term.ListOp:
		kids := t.Children(n)
		return church(len(kids), func(i int) value { return ev.eval(kids[i], e) })
	case term.DataOp:
		return ev.data(n)
	case term.NatOp:
		return function(func(f value) value {
			return function(func(x value) value {
				for range n.Count {
					x = f.(function)(x)
				}
				return x
			})
		})
	}
	panic(fmt.Sprintf("oracle: no such constructor: %d", n.Op))
}

// church is the list of n elements as a right fold.
func church(n int, elem func(i int) value) value {
	return function(func(f value) value {
		return function(func(x value) value {
			for i := n - 1; i >= 0; i-- {
				x = f.(function)(elem(i)).(function)(x)
			}
			return x
		})
	})
}

func (ev *evaluator) data(n *term.Node) value {
	d := &ev.t.Data[n.A]
	row := func(i int) value {
		if ev.t.Types.Kind(n.Elem) != term.VecKind {
			return Dual{V: d.Values[i*d.Width]}
		}
		var v vec
		for _, x := range d.Values[i*d.Width : (i+1)*d.Width] {
			v = append(v, Dual{V: x})
		}
		return v
	}
	if !d.List {
		return row(0)
	}
	return church(d.Rows, row)
}

// apply is f on dual numbers: ⟨f(s), Σ ∂i f(s)·ti⟩, equation (eq:FwdGrad).
func apply(f term.Symbol, args []Dual) Dual {
	at := func(f term.Symbol) float64 {
		if f.Info().Arity == 1 {
			return f.Info().Eval1(args[0].V)
		}
		return f.Info().Eval2(args[0].V, args[1].V)
	}
	out := Dual{V: at(f)}
	for i, p := range f.Info().Partials {
		if !args[i].depends {
			continue
		}
		out.depends = true
		switch p.Kind {
		case term.PartialConst:
			out.T += p.Const * args[i].T
		case term.PartialVar:
			out.T += args[p.Var].V * args[i].T
		default:
			out.T += at(p.Fun) * args[i].T
		}
	}
	return out
}

// Jacobian returns the value of t at the point and, row by row, the partial
// derivatives of each output by each input, by forward mode: one evaluation for
// each input.
func Jacobian(t *term.Term, inputs []term.Var, point []float64) (values, jacobian []float64) {
	duals := make([]Dual, len(point))
	for i, x := range point {
		duals[i].V = x
	}
	for _, d := range Eval(t, inputs, duals) {
		values = append(values, d.V)
	}
	jacobian = make([]float64, len(values)*len(point))
	for j := range point {
		duals[j].T = 1
		for i, d := range Eval(t, inputs, duals) {
			jacobian[i*len(point)+j] = d.T
		}
		duals[j].T = 0
	}
	return values, jacobian
}
