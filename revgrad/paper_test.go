package revgrad

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/term"
)

// asPrinted is bp(G) by Definition bp as it is printed, and a.
func asPrinted(q *term.Term, inputs []term.Var) (*term.Term, term.Var) {
	d := &definition{src: q, dst: newImage(q, 0, 0).dst, printed: true}
	a := d.define(inputs)
	return d.dst, a
}

func named(q *term.Term, n int) (xs []term.Var) {
	for i := range n {
		xs = append(xs, q.NewVar(term.VarInfo{Name: fmt.Sprintf("x%d", i+1), Type: term.R}))
	}
	return xs
}

// TestPaperSubsequence: the case f(y) of Definition bp is for a subsequence y of x, which
// has the operands in the order of x, and each once. Neither x·x of Figure 1 nor x2 − x1
// has such operands. Taken at its word for x·x, a component is ∂1 f(y)·a or ∂2 f(y)·a,
// which is half of the derivative.
func TestPaperSubsequence(t *testing.T) {
	for _, c := range []struct {
		operands []int
		is       bool
	}{{[]int{0, 1}, true}, {[]int{0, 0}, false}, {[]int{1, 0}, false}} {
		require.Equal(t, c.is, isSubsequence(c.operands, 2))
	}
	q := term.New(term.NewTypes())
	xs := named(q, 1)
	q.Root = q.Fun(0, term.Mul, q.Variable(0, xs[0]), q.Variable(0, xs[0]))
	bp, a := asPrinted(q, xs)
	at := func(bp *term.Term, a term.Var) float64 {
		return denote.Eval(bp, append([]term.Var{a}, xs...), []denote.Dual{{V: 1}, {V: 3}})[1].V
	}
	require.Equal(t, 3., at(bp, a))
	bp, a, err := BP(q, xs, nil)
	require.NoError(t, err)
	require.Equal(t, 6., at(bp, a))
	_, jacobian := denote.Jacobian(q, xs, []float64{3})
	require.Equal(t, []float64{6}, jacobian)
}

// isSubsequence reports whether the operands are a subsequence of 0, …, n − 1.
func isSubsequence(operands []int, n int) bool {
	for x := range n {
		if len(operands) > 0 && operands[0] == x {
			operands = operands[1:]
		}
	}
	return len(operands) == 0
}

// TestPaperPlus: ⊕ as it is printed is F_i if F_{i−1} = 0, which for i = 0 speaks of F_{−1}: it
// never drops the zero on the right. Then |bp(G)| is quadratic for x1 + … + xn nested to
// the left, against Lemma backprop_size; from n = 15 on it passes the bound that holds with
// F_{1−i}.
func TestPaperPlus(t *testing.T) {
	var sizes []int64
	first := 0
	for n := 2; n <= 64; n++ {
		q := term.New(term.NewTypes())
		xs := named(q, n)
		q.Root = q.Variable(0, xs[0])
		for _, x := range xs[1:] {
			q.Root = q.Add(0, q.Root, q.Variable(0, x))
		}
		bound := bpConstant*q.Size() + 2*int64(n) + 1
		bp, _ := asPrinted(q, xs)
		if sizes = append(sizes, bp.Size()); bp.Size() > bound && first == 0 {
			first = n
		}
		bp, _, err := BP(q, xs, nil)
		require.NoError(t, err)
		require.LessOrEqual(t, bp.Size(), bound)
	}
	require.Equal(t, 15, first)
	// The second differences are constant: a square.
	for i := 2; i < len(sizes); i++ {
		require.Equal(t, int64(2), sizes[i]-2*sizes[i-1]+sizes[i-2])
	}
}

// TestPaperFigureOfBP: the figure of bp(G) in section 2.5 has b and c, which depend on a, around the whole pair. The
// invariant of Definition bp has a neither in G0 nor in β: they belong around the second
// component, where BP has them.
func TestPaperFigureOfBP(t *testing.T) {
	q, inputs := figure1()
	bp, a, err := BP(q, inputs, nil)
	require.NoError(t, err)
	var inBeta []string
	root := bp.Root
	for bp.Nodes[root].Op == term.LetOp {
		inBeta = append(inBeta, bp.Info(bp.Nodes[root].X).Name)
		c := *bp
		c.Root = bp.Nodes[root].B
		require.NotContains(t, c.FreeVars(), a)
		root = bp.Nodes[root].A
	}
	require.Equal(t, []string{"z1", "z2"}, inBeta)
	require.Equal(t, term.PairOp, bp.Nodes[root].Op)
	c := *bp
	c.Root = bp.Nodes[root].B
	require.Contains(t, c.FreeVars(), a)

	// The figure's term, of the same size, with its substitutions around the pair.
	f := term.New(q.Types)
	x1, x2, z1, z2, b, cc := "x1", "x2", "z1", "z2", "b", "c"
	vars := map[string]term.Var{}
	for _, name := range []string{x1, x2, "a", z1, z2, b, cc} {
		vars[name] = f.NewVar(term.VarInfo{Name: name, Type: term.R})
	}
	x := func(name string) term.Ref { return f.Variable(0, vars[name]) }
	mul := func(u, v term.Ref) term.Ref { return f.Fun(0, term.Mul, u, v) }
	gradient := f.Vec(0, []term.Ref{mul(f.Num(0, 1), x(cc)), mul(f.Num(0, -1), x(cc))})
	f.Root = f.Pair(0, f.Fun(0, term.Sin, x(z2)), gradient)
	f.Root = f.Let(0, vars[cc], f.Add(0, mul(x(z1), x(b)), mul(x(z1), x(b))), f.Root)
	f.Root = f.Let(0, vars[b], mul(f.Fun(0, term.DSin, x(z2)), x("a")), f.Root)
	beta := f.Nodes[f.Root].B
	f.Root = f.Let(0, vars[z2], mul(x(z1), x(z1)), f.Root)
	f.Root = f.Let(0, vars[z1], f.Fun(0, term.Sub, x(x1), x(x2)), f.Root)
	require.Equal(t, bp.Size(), f.Size())
	c = *f
	c.Root = beta
	require.Contains(t, c.FreeVars(), vars["a"])
}

// TestPaperClosedLet: a let of a closed term leaves a substitution [b:=H] of which nothing
// reads b. The definition says so; ∇ is right, and the substitution is garbage.
func TestPaperClosedLet(t *testing.T) {
	q := term.New(term.NewTypes())
	xs := named(q, 1)
	z := q.NewVar(term.VarInfo{Name: "z", Type: term.R})
	q.Root = q.Let(0, z, q.Num(0, 2), q.Variable(0, z))
	bp, _, err := BP(q, xs, nil)
	require.NoError(t, err)
	require.Equal(t, "⟨z, ⟦0⟧[z':=a]⟩[z:=2]", bp.String())
}
