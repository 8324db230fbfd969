package modular_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// TestPropertyTheorem1: the symbolic normal form of D(t), for t : R with the graph G, is
// ⟨G0, λa.Σ xj*(Gj)⟩ under G's substitutions, where bp(G) has G0 and the Gj: Theorem 1
// by way of Lemma main, up to α, ≡ without dup, and the order of sums. Both leave out
// what nothing uses: bp's [b:=H] of a closed graph.
func TestPropertyTheorem1(t *testing.T) { property.Check(t, theorem1Property) }

func theorem1Property(t *rapid.T) {
	p := property.Draw(t, property.Options{})
	if len(p.Inputs) == 0 {
		return
	}
	g := normalForm(t, p.Term, p)
	d, err := revgrad.Reverse(p.Term, nil)
	require.NoError(t, err)
	have := normalForm(t, d, p)
	if g == nil || have == nil {
		return
	}
	bp, a, err := revgrad.BP(g, p.Inputs, nil)
	require.NoError(t, err)
	want := backpropagation(bp, a, p.Inputs)
	require.True(t, reference.SameGraph(want, etaExpand(have), true), "bp(G):\n%v\nD(t):\n%v", want, have)
}

// TestPropertyTheorem1Literal: the literal machine comes to the same by rewrites that it makes.
func TestPropertyTheorem1Literal(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Draw(t, property.Options{Recursive: rapid.Bool().Draw(t, "recursive")})
		if len(p.Inputs) == 0 {
			return
		}
		d, err := revgrad.Reverse(p.Term, nil)
		require.NoError(t, err)
		g, want := normalForm(t, p.Term, p), normalForm(t, d, p)
		have := onLiteral(t, d, p, machine.Options{Random: rapid.Bool().Draw(t, "random"), Seed: rapid.Uint64().Draw(t, "seed")})
		if g == nil || want == nil || have == nil {
			return
		}
		typ, err := have.Check()
		require.NoError(t, err, have)
		require.Equal(t, p.Term.Types.Reverse(term.R), typ)
		bp, a, err := revgrad.BP(g, p.Inputs, nil)
		require.NoError(t, err)
		for _, want := range []*term.Term{etaExpand(want), backpropagation(bp, a, p.Inputs)} {
			require.True(t, reference.SameGraph(want, have, true), "%v\n%v", want, have)
		}
	})
}

// onLiteral is the normal form of D(t) by the literal machine, or nil if it takes too many steps.
func onLiteral(t require.TestingT, d *term.Term, p *property.Program, opt machine.Options) *term.Term {
	prog, err := compile.NewOpenGradient(d, p.Inputs, nil)
	require.NoError(t, err)
	opt.Limits = limits.Bounds{MaxSteps: maxSteps, MaxMemory: 64 << 20}
	m, err := machine.New(prog, opt)
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	err = m.Graph(p.Point)
	var limit *limits.ReachedError
	if errors.As(err, &limit) {
		property.Leave(t, "limit of "+limit.Limit)
		return nil
	}
	require.NoError(t, err)
	return m.Normal(d, p.Inputs)
}

// backpropagation is ⟨G0, λa.Σ xj*(Gj)α⟩β for bp = ⟨G0, ⟦G1,…,Gn⟧α⟩β: its free
// variables are the inputs, of type D(R), opened into x and x*.
func backpropagation(bp *term.Term, a term.Var, inputs []term.Var) *term.Term {
	t := bp
	beta, root := lets(t, t.Root)
	pair := t.Nodes[root]
	alpha, body := lets(t, pair.B)
	components := append([]term.Ref(nil), t.Children(&t.Nodes[body])...)
	t.ToChange(a).Linear = true
	for _, l := range alpha {
		t.ToChange(l.X).Linear = true
	}
	var sum term.Ref
	stars := make([]term.Var, len(inputs))
	for j, g := range components {
		stars[j] = t.NewVar(term.VarInfo{Name: t.Info(inputs[j]).Name + "*", Type: term.AbstractDual})
		if n := &t.Nodes[g]; n.Op == term.NumOp && n.Val == 0 {
			continue
		}
		if u := t.App(0, t.Variable(0, stars[j]), g); sum == 0 {
			sum = u
		} else {
			sum = t.Add(0, sum, u)
		}
	}
	if sum == 0 {
		sum = t.Zero(0)
	}
	t.Root = t.Pair(0, pair.A, t.Lam(0, a, under(t, alpha, sum)))
	t.Root = under(t, beta, t.Root)
	for j, x := range inputs {
		whole := t.NewVar(term.VarInfo{Name: t.Info(x).Name, Type: t.Types.Reverse(term.R)})
		t.Root = t.Unpair(0, x, stars[j], t.Variable(0, whole), t.Root)
	}
	return t
}

// lets returns the lets around r, outermost first, and what stands under them.
func lets(t *term.Term, r term.Ref) (out []term.Node, body term.Ref) {
	for t.Nodes[r].Op == term.LetOp {
		out = append(out, t.Nodes[r])
		r = t.Nodes[r].A
	}
	return out, r
}

// under puts body under lets.
func under(t *term.Term, lets []term.Node, body term.Ref) term.Ref {
	for i := len(lets) - 1; i >= 0; i-- {
		body = t.Let(0, lets[i].X, lets[i].B, body)
	}
	return body
}

// etaExpand writes ⟨x, λa.x* a⟩ for the normal forms ⟨x, x*⟩ and x of an input.
func etaExpand(t *term.Term) *term.Term {
	var opened []term.Node
	root := t.Root
	for n := t.Nodes[root]; n.Op == term.LetOp || n.Op == term.UntupleOp; n = t.Nodes[root] {
		opened = append(opened, n)
		root = n.A
	}
	n := t.Nodes[root]
	if n.Op == term.VarOp {
		x := t.NewVar(term.VarInfo{Name: "x", Type: term.R})
		star := t.NewVar(term.VarInfo{Name: "x*", Type: term.AbstractDual})
		root = t.Unpair(0, x, star, root, t.Pair(0, t.Variable(0, x), application(t, t.Variable(0, star))))
	} else if t.Nodes[n.B].Op == term.VarOp {
		root = t.Pair(0, n.A, application(t, n.B))
	}
	for i := len(opened) - 1; i >= 0; i-- {
		if n := opened[i]; n.Op == term.LetOp {
			root = t.Let(0, n.X, n.B, root)
		} else {
			root = t.Untuple(0, t.BoundVars(&n), n.B, root)
		}
	}
	t.Root = root
	return t
}

// application is λa.d a.
func application(t *term.Term, d term.Ref) term.Ref {
	a := t.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true})
	return t.Lam(0, a, t.App(0, d, t.Variable(0, a)))
}
