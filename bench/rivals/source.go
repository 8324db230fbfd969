package rivals

import (
	"fmt"

	"github.com/gram-machine/gram/term"
)

// reader reads a term as a program. Lists, data and numerals become the λ-terms that they stand for, so that no
// transformation has a case for them.
type reader struct {
	t    *term.Term
	vars []*variable
	of   []*code
}

// maxNesting bounds how deep a program nests: transformations recurse.
const maxNesting = 150_000

// read returns the term as a program, with the variables of its inputs. The error is a [*LimitError].
func read(t *term.Term, inputs []term.Var) (*code, []*variable, error) {
	r := &reader{t: t, vars: make([]*variable, t.NumVars()), of: make([]*code, len(t.Nodes))}
	depth := make([]uint64, len(t.Nodes))
	for i := 1; i < t.NumVars(); i++ {
		v := t.Info(term.Var(i))
		r.vars[i] = &variable{name: v.Name, zero: zeroOf(t.Types, v.Type)}
	}
	live, _ := t.Inside(nil, t.Root)
	for i := 1; i < len(t.Nodes); i++ {
		if !live[i] {
			continue
		}
		n := &t.Nodes[i]
		t.Kids(n, func(k term.Ref) { depth[i] = max(depth[i], depth[k]) })
		depth[i] += 1 + r.length(n)
		if depth[i] > maxNesting {
			return nil, nil, &LimitError{What: fmt.Sprintf("the program nests deeper than %d", maxNesting)}
		}
		r.of[i] = r.node(n)
	}
	var free []*variable
	for _, x := range inputs {
		free = append(free, r.vars[x])
	}
	return r.of[t.Root], free, nil
}

// length is how deep the λ-term of a literal nests.
func (r *reader) length(n *term.Node) uint64 {
	switch n.Op {
	case term.NatOp:
		return n.Count
	case term.ListOp, term.VecOp:
		return uint64(n.N)
	case term.DataOp:
		d := &r.t.Data[n.A]
		return uint64(d.Rows + d.Width)
	}
	return 0
}

func (r *reader) node(n *term.Node) *code {
	t := r.t
	switch n.Op {
	case term.VarOp:
		return use(r.vars[n.X])
	case term.NumOp:
		return number(n.Val)
	case term.LamOp:
		return lam(r.vars[n.X], r.of[n.A])
	case term.AppOp:
		return app(r.of[n.A], r.of[n.B])
	case term.PairOp:
		return tuple(r.of[n.A], r.of[n.B])
	case term.LetOp, term.UnpairOp, term.UnvecOp, term.UntupleOp:
		var xs []*variable
		t.Binders(n, func(x term.Var) { xs = append(xs, r.vars[x]) })
		return open(r.of[n.B], r.of[n.A], xs...)
	case term.AddOp:
		return add(r.of[n.A], r.of[n.B])
	case term.FunOp:
		return fun(n.Sym, r.kids(n)...)
	case term.VecOp:
		return tuples(r.kids(n))
	case term.IfOp:
		return &code{op: opIf, cmp: n.Cmp, kids: r.kids(n)}
	case term.ListOp:
		return r.iteration(n, int(n.N), func(i int) *code { return r.of[t.Children(n)[i]] })
	case term.NatOp:
		return r.iteration(n, int(n.Count), nil)
	case term.DataOp:
		d := &t.Data[n.A]
		row := func(i int) *code {
			var out []*code
			for _, v := range d.Values[i*d.Width : (i+1)*d.Width] {
				out = append(out, number(v))
			}
			return tuples(out)
		}
		if !d.List {
			return row(0)
		}
		return r.iteration(n, d.Rows, row)
	}
	panic(fmt.Sprintf("rivals: no program has the constructor %d", n.Op))
}

func (r *reader) kids(n *term.Node) []*code {
	var out []*code
	for _, k := range r.t.Children(n) {
		out = append(out, r.of[k])
	}
	return out
}

// iteration is λf.λx.f t1 (… (f tn x)), or λf.λx.f (… (f x)) if there are no elements.
func (r *reader) iteration(n *term.Node, count int, element func(i int) *code) *code {
	f, x := named("f"), named("x")
	f.zero, x.zero = value(noArguments), zeroOf(r.t.Types, n.Res)
	out := use(x)
	for i := count - 1; i >= 0; i-- {
		g := use(f)
		if element != nil {
			g = app(g, element(i))
		}
		out = app(g, out)
	}
	return lam(f, lam(x, out))
}

// zeroOf is the zero of the cotangents of a type in CHAD as it was published: of a function, no arguments.
func zeroOf(tt *term.Types, a term.Type) value {
	switch tt.Kind(a) {
	case term.ProdKind:
		return &pair{zeroOf(tt, tt.Left(a)), zeroOf(tt, tt.Right(a))}
	case term.VecKind:
		one := zeroOf(tt, tt.Left(a))
		out := one
		for range tt.Len(a) - 1 {
			out = &pair{one, out}
		}
		return out
	case term.ArrowKind:
		return noArguments
	}
	return 0.0
}
