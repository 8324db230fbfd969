package revgrad

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
)

// figure1 is let z1 = x1 − x2 in let z2 = z1·z1 in sin z2.
func figure1() (*term.Term, []term.Var) {
	q := term.New(term.NewTypes())
	var v []term.Var
	for _, name := range []string{"x1", "x2", "z1", "z2"} {
		v = append(v, q.NewVar(term.VarInfo{Name: name, Type: term.R}))
	}
	x := func(i int) term.Ref { return q.Variable(0, v[i]) }
	difference := q.Fun(0, term.Sub, x(0), x(1))
	square := q.Fun(0, term.Mul, x(2), x(2))
	q.Root = q.Let(0, v[2], difference, q.Let(0, v[3], square, q.Fun(0, term.Sin, x(3))))
	return q, v[:2]
}

// TestFigures: the examples of section 2, with their numbers. bp(G) of Figure 1 is
// the term of the figure in section 2.5, with the substitution context α where the invariant of
// Definition bp has it: around the second component instead of the pair.
func TestFigures(t *testing.T) {
	q, inputs := figure1()
	bp, a, err := BP(q, inputs, nil)
	require.NoError(t, err)
	require.Equal(t, "⟨sin(z2), ⟦1·z1', -1·z1'⟧[z1':=z1·z2' + z1·z2'][z2':=∂1 sin(z2)·a]⟩[z2:=z1·z1][z1:=sub(x1, x2)]", bp.String())
	require.EqualValues(t, 10, q.Size())
	require.EqualValues(t, 31, bp.Size())

	fwd, err := Forward(q, inputs, nil)
	require.NoError(t, err)
	require.Equal(t, "⟨sin(z#13), ∂1 sin(z#13)·a#14⟩[⟨z#13, a#14⟩:=z2]"+
		"[z2:=⟨z#9·z#11, z#11·a#10 + z#9·a#12⟩[⟨z#9, a#10⟩:=z1][⟨z#11, a#12⟩:=z1]]"+
		"[z1:=⟨sub(z#5, z#7), 1·a#6 + -1·a#8⟩[⟨z#5, a#6⟩:=x1][⟨z#7, a#8⟩:=x2]]", fwd.String())

	point := []float64{5, 2}
	m := hypergraph.NewMemory(graphOf(t, q, inputs...), nil)
	forward, err := m.ForwardMode(point)
	require.NoError(t, err)
	backward, err := m.Backpropagation(point)
	require.NoError(t, err)
	symbolic, err := hypergraph.NewMemory(graphOf(t, bp, inputs[0], inputs[1], a), nil).Values([]float64{5, 2, 1})
	require.NoError(t, err)
	for _, got := range [][]float64{
		append(forward.Values, forward.Jacobian...), append(backward.Values, backward.Jacobian...), symbolic.Values,
	} {
		require.InDeltaSlice(t, []float64{0.412, -5.467, 5.467}, got, 5e-4)
	}
	// Evaluation is 3 operations. A pass of forward mode adds 3 for each of − and ·,
	// and cos and its product; the backward phase 4 for each, and 3.
	require.EqualValues(t, 2*(3+3+3+2), forward.Operations)
	require.EqualValues(t, 3+4+4+3, backward.Operations)
}

// TestCases prints bp of each case of the definition.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		name, want string
		build      func(q *term.Term, x, y, z term.Var) term.Ref
	}{
		{"a variable", "⟨y, ⟦0, a⟧⟩", func(q *term.Term, _, y, _ term.Var) term.Ref { return q.Variable(0, y) }},
		{"a numeral", "⟨2, ⟦0, 0⟧⟩", func(q *term.Term, _, _, _ term.Var) term.Ref { return q.Num(0, 2) }},
		{"a repeated variable", "⟨x·x, ⟦x·a + x·a, 0⟧⟩", func(q *term.Term, x, _, _ term.Var) term.Ref {
			return q.Fun(0, term.Mul, q.Variable(0, x), q.Variable(0, x))
		}},
		{"not in the order of the inputs", "⟨sub(y, x), ⟦-1·a, 1·a⟧⟩", func(q *term.Term, x, y, _ term.Var) term.Ref {
			return q.Fun(0, term.Sub, q.Variable(0, y), q.Variable(0, x))
		}},
		{"a numeral as an operand", "⟨x·3, ⟦3·a, 0⟧⟩", func(q *term.Term, x, _, _ term.Var) term.Ref {
			return q.Fun(0, term.Mul, q.Variable(0, x), q.Num(0, 3))
		}},
		{"a slope that is 0", "⟨step(x), ⟦0·a, 0⟧⟩", func(q *term.Term, x, _, _ term.Var) term.Ref {
			return q.Fun(0, term.Step, q.Variable(0, x))
		}},
		{"H = 0", "⟨x, ⟦a, 0⟧⟩[z:=sin(y)]", func(q *term.Term, x, y, z term.Var) term.Ref {
			return q.Let(0, z, q.Fun(0, term.Sin, q.Variable(0, y)), q.Variable(0, x))
		}},
		{"H = a", "⟨z + x, ⟦a + z', 0⟧[z':=a]⟩[z:=x]", func(q *term.Term, x, _, z term.Var) term.Ref {
			return q.Let(0, z, q.Variable(0, x), q.Add(0, q.Variable(0, z), q.Variable(0, x)))
		}},
		{"a closed let", "⟨z, ⟦0, 0⟧[z':=a]⟩[z:=2]", func(q *term.Term, _, _, z term.Var) term.Ref {
			return q.Let(0, z, q.Num(0, 2), q.Variable(0, z))
		}},
		{"sums nested to the right", "⟨x + (y + x), ⟦a + a, a⟧⟩", func(q *term.Term, x, y, _ term.Var) term.Ref {
			return q.Add(0, q.Variable(0, x), q.Add(0, q.Variable(0, y), q.Variable(0, x)))
		}},
		{"the shape of ⊕", "⟨x + x + (x + x), ⟦a + a + (a + a), 0⟧⟩", func(q *term.Term, x, _, _ term.Var) term.Ref {
			return q.Add(0, q.Add(0, q.Variable(0, x), q.Variable(0, x)), q.Add(0, q.Variable(0, x), q.Variable(0, x)))
		}},
		{"sugar", "⟨sin(y#4), ⟦y#2·y', x·y'⟧[y':=∂1 sin(y#4)·a]⟩[y#4:=x·y#2]", func(q *term.Term, x, y, _ term.Var) term.Ref {
			return q.Fun(0, term.Sin, q.Fun(0, term.Mul, q.Variable(0, x), q.Variable(0, y)))
		}},
	} {
		q := term.New(term.NewTypes())
		var v []term.Var
		for _, name := range []string{"x", "y", "z"} {
			v = append(v, q.NewVar(term.VarInfo{Name: name, Type: term.R}))
		}
		q.Root = c.build(q, v[0], v[1], v[2])
		bp, _, err := BP(q, v[:2], nil)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, bp.String(), c.name)
	}
}

// definition is Definition bp word by word, with dense tuples and recursion.
type definition struct {
	src, dst *term.Term
	printed  bool // ⊕ and the case f(y) as they are printed: see paper_test.go
	plain    bool // + for ⊕, as with PlainPlus
}

// defined is ⟨G0, ⟦G1,…,Gn⟧α⟩β; a component 0 is the numeral 0.
type defined struct {
	primal      term.Ref
	comps       []term.Ref
	alpha, beta []binding
}

func (d *definition) oplus(f, g term.Ref) term.Ref {
	if f == 0 {
		return g
	}
	if g == 0 && !d.printed {
		return f
	}
	if g == 0 {
		g = d.dst.Num(0, 0)
	}
	return d.dst.Add(0, f, g)
}

func (d *definition) sums(f, g []term.Ref) []term.Ref {
	out := make([]term.Ref, len(f))
	for i := range out {
		out[i] = d.oplus(f[i], g[i])
	}
	return out
}

func contexts(cs ...[]binding) []binding {
	var out []binding
	for _, c := range cs {
		out = append(out, c...)
	}
	return out
}

// bp is bp_{xs,a} of the subterm r. With plain sums a leaf has the numeral 0 for each
// component that it would not have.
func (d *definition) bp(r term.Ref, xs []term.Var, a term.Var) defined {
	out := d.cases(r, xs, a)
	for i, c := range out.comps {
		if d.plain && c == 0 {
			out.comps[i] = d.dst.Num(0, 0)
		}
	}
	return out
}

func (d *definition) isZero(c term.Ref) bool {
	return c == 0 || d.plain && d.dst.Nodes[c].Op == term.NumOp
}

func (d *definition) cases(r term.Ref, xs []term.Var, a term.Var) defined {
	n := &d.src.Nodes[r]
	out := defined{comps: make([]term.Ref, len(xs))}
	switch n.Op {
	case term.VarOp:
		out.primal = d.dst.Variable(0, n.X)
		for i, x := range xs {
			if x == n.X {
				out.comps[i] = d.dst.Variable(0, a)
			}
		}
	case term.NumOp:
		out.primal = d.dst.Num(0, n.Val)
	case term.FunOp:
		kids := d.src.Children(n)
		operand := func(i int) term.Ref {
			if k := &d.src.Nodes[kids[i]]; k.Op == term.NumOp {
				return d.dst.Num(0, k.Val)
			}
			return d.dst.Variable(0, d.src.Nodes[kids[i]].X)
		}
		out.primal = d.dst.Fun(0, n.Sym, each(len(kids), operand)...)
		for i, x := range xs {
			for j, k := range kids {
				if c := &d.src.Nodes[k]; c.Op == term.VarOp && c.X == x {
					s := d.dst.Slope(0, &n.Sym.Info().Partials[j], len(kids), operand)
					summand := d.dst.Fun(0, term.Mul, s, d.dst.Variable(0, a))
					if d.printed {
						out.comps[i] = summand
					} else {
						out.comps[i] = d.oplus(out.comps[i], summand)
					}
				}
			}
		}
	case term.AddOp:
		f, g := d.bp(n.A, xs, a), d.bp(n.B, xs, a)
		return defined{d.dst.Add(0, f.primal, g.primal), d.sums(f.comps, g.comps), contexts(f.alpha, g.alpha), contexts(f.beta, g.beta)}
	case term.LetOp:
		f := d.bp(n.A, append(xs[:len(xs):len(xs)], n.X), a)
		b := d.dst.NewVar(term.VarInfo{Name: "b", Type: term.R})
		g := d.bp(n.B, xs, b)
		last := len(xs)
		h := f.comps[last]
		out := defined{primal: f.primal, comps: f.comps[:last], alpha: f.alpha,
			beta: contexts(f.beta, []binding{{x: n.X, u: g.primal}}, g.beta)}
		if !d.isZero(h) {
			out.comps = d.sums(f.comps[:last], g.comps)
			out.alpha = contexts(g.alpha, []binding{{x: b, u: h}}, f.alpha)
		}
		return out
	}
	return out
}

// define makes ⟨G0, ⟦G1,…,Gn⟧α⟩β of the source, and returns a.
func (d *definition) define(inputs []term.Var) (a term.Var) {
	a = d.dst.NewVar(term.VarInfo{Name: "a", Type: term.R})
	res := d.bp(d.src.Root, inputs, a)
	for i, c := range res.comps {
		if c == 0 {
			res.comps[i] = d.dst.Num(0, 0)
		}
	}
	gradient := d.dst.Vec(0, res.comps)
	for _, s := range res.alpha {
		gradient = d.dst.Let(0, s.x, s.u, gradient)
	}
	d.dst.Root = d.dst.Pair(0, res.primal, gradient)
	for _, s := range res.beta {
		d.dst.Root = d.dst.Let(0, s.x, s.u, d.dst.Root)
	}
	return a
}

// TestPropertyDefinition: BP is the definition, term by term, up to the names of bound
// variables.
func TestPropertyDefinition(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		g := drawGround(t)
		src, err := Ground(g.t, nil)
		require.NoError(t, err)
		d := &definition{src: src, dst: newImage(src, 0, 0).dst}
		d.define(g.inputs)
		bp, _, err := BP(g.t, g.inputs, nil)
		require.NoError(t, err)
		require.Equal(t, d.dst.Size(), bp.Size())
		if !term.AlphaEqual(d.dst, bp) {
			require.Equal(t, d.dst.String(), bp.String())
		}
	})
}

// TestForwardOfTuples: Fwd goes through pairs, vectors and the lets around them.
func TestForwardOfTuples(t *testing.T) {
	q := term.New(term.NewTypes())
	x := q.NewVar(term.VarInfo{Name: "x", Type: term.R})
	y := q.NewVar(term.VarInfo{Name: "y", Type: term.R})
	at := func(x term.Var) term.Ref { return q.Variable(0, x) }
	square := q.Fun(0, term.Mul, at(x), at(x))
	q.Root = q.Let(0, y, square, q.Pair(0, at(y), q.Vec(0, []term.Ref{at(x), q.Fun(0, term.Mul, at(y), at(x)), q.Num(0, 7)})))
	_, err := groundNodes(q, false)
	require.Error(t, err) // bp is for one output
	fwd, err := Forward(q, []term.Var{x}, nil)
	require.NoError(t, err)
	typ, err := fwd.Check()
	require.NoError(t, err)
	tt := q.Types
	number := tt.Prod(term.R, term.R)
	require.Equal(t, tt.Prod(number, tt.Vec(3, number)), typ)
	res, err := hypergraph.NewMemory(graphOf(t, fwd, x), nil).Values([]float64{3, 1})
	require.NoError(t, err)
	require.Equal(t, []float64{9, 6, 3, 1, 27, 27, 7, 0}, res.Values)
}

// TestNotGround: what is no ground term is told apart, with its place.
func TestNotGround(t *testing.T) {
	for _, c := range []struct {
		want  string
		build func(q *term.Term, x, f, l term.Var) term.Ref
	}{
		{"not a ground term: it has higher types, lists or conditionals (constructor 3)", func(q *term.Term, x, _, _ term.Var) term.Ref {
			return q.Lam(1, x, q.Variable(2, x))
		}},
		{"not a ground term: the variable f has type R -> R", func(q *term.Term, _, f, _ term.Var) term.Ref { return q.Variable(1, f) }},
		{"not a ground term: the variable l is linear", func(q *term.Term, _, _, l term.Var) term.Ref { return q.Variable(1, l) }},
		{"not a ground term: a tuple stands where a number is expected", func(q *term.Term, x, _, _ term.Var) term.Ref {
			return q.Fun(3, term.Sin, q.Vec(1, []term.Ref{q.Variable(2, x)}))
		}},
		{"not a ground term: sin takes 1 arguments, not 0", func(q *term.Term, _, _, _ term.Var) term.Ref { return q.Fun(1, term.Sin) }},
	} {
		q := term.New(term.NewTypes())
		x := q.NewVar(term.VarInfo{Name: "x", Type: term.R})
		f := q.NewVar(term.VarInfo{Name: "f", Type: q.Types.Arrow(term.R, term.R)})
		l := q.NewVar(term.VarInfo{Name: "l", Type: term.R, Linear: true})
		q.Root = c.build(q, x, f, l)
		_, err := Forward(q, []term.Var{x}, nil)
		var notGround *NotGroundError
		require.ErrorAs(t, err, &notGround)
		require.EqualError(t, err, c.want)
		require.Equal(t, term.Pos(1), notGround.Pos)
		_, _, err = BP(q, []term.Var{x}, nil)
		require.EqualError(t, err, c.want)
	}
	q, inputs := figure1()
	_, _, err := BP(q, inputs[:1], nil)
	require.EqualError(t, err, "not a ground term: the variable x2 is no input")
	_, _, err = BP(q, append(inputs, inputs[0]), nil)
	require.EqualError(t, err, "not a ground term: the input x1 stands twice")
	_, _, err = BP(q, nil, nil)
	require.ErrorIs(t, err, ErrNoInputs)
	stop := errors.New("stop")
	left := nested(termSum(checkEvery, leftSum))
	_, _, err = BP(left.t, left.inputs, func() error { return stop })
	require.ErrorIs(t, err, stop)
	_, err = Forward(left.t, left.inputs, func() error { return stop })
	require.ErrorIs(t, err, stop)
}
