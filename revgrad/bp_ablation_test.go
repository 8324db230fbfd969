package revgrad

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
)

// TestAblatedCases prints what the ablations make of a leaf, a sum and lets.
func TestAblatedCases(t *testing.T) {
	for _, c := range []struct {
		name, plain, dense string
		build              func(q *term.Term, x, y, z term.Var) term.Ref
	}{
		{"a variable", "⟨y, ⟦0, a⟧⟩", "⟨y, ⟦0, a⟧⟩", func(q *term.Term, _, y, _ term.Var) term.Ref { return q.Variable(0, y) }},
		{"a sum", "⟨x + 2 + y, ⟦a + 0 + 0, 0 + 0 + a⟧⟩", "⟨x + 2 + y, ⟦a, 0⟧ + ⟦0, 0⟧ + ⟦0, a⟧⟩", func(q *term.Term, x, y, _ term.Var) term.Ref {
			return q.Add(0, q.Add(0, q.Variable(0, x), q.Num(0, 2)), q.Variable(0, y))
		}},
		{"a repeated variable", "⟨x·x, ⟦x·a + x·a, 0⟧⟩", "⟨x·x, ⟦x·a + x·a, 0⟧⟩", func(q *term.Term, x, _, _ term.Var) term.Ref {
			return q.Fun(0, term.Mul, q.Variable(0, x), q.Variable(0, x))
		}},
		{"a let", "⟨z + x, ⟦0 + a + z', 0 + 0 + 0⟧[z':=a + 0]⟩[z:=x]", "⟨z + x, (⟦0, 0⟧ + ⟦a, 0⟧ + ⟦z', 0⟧)[z':=a]⟩[z:=x]",
			func(q *term.Term, x, _, z term.Var) term.Ref {
				return q.Let(0, z, q.Variable(0, x), q.Add(0, q.Variable(0, z), q.Variable(0, x)))
			}},
		{"H = 0", "⟨x, ⟦a, 0⟧⟩[z:=sin(y)]", "⟨x, ⟦a, 0⟧⟩[z:=sin(y)]", func(q *term.Term, x, y, z term.Var) term.Ref {
			return q.Let(0, z, q.Fun(0, term.Sin, q.Variable(0, y)), q.Variable(0, x))
		}},
		{"H = 0 + 0", "⟨x + x, ⟦a + a + 0, 0 + 0 + ∂1 sin(y)·z'⟧[z':=0 + 0]⟩[z:=sin(y)]", "⟨x + x, ⟦a, 0⟧ + ⟦a, 0⟧⟩[z:=sin(y)]",
			func(q *term.Term, x, y, z term.Var) term.Ref {
				return q.Let(0, z, q.Fun(0, term.Sin, q.Variable(0, y)), q.Add(0, q.Variable(0, x), q.Variable(0, x)))
			}},
	} {
		for without, want := range map[Ablation]string{PlainPlus: c.plain, DenseTuples: c.dense} {
			q := term.New(term.NewTypes())
			var v []term.Var
			for _, name := range []string{"x", "y", "z"} {
				v = append(v, q.NewVar(term.VarInfo{Name: name, Type: term.R}))
			}
			q.Root = c.build(q, v[0], v[1], v[2])
			bp, _, err := AblatedBP(q, v[:2], without, nil)
			require.NoError(t, err, c.name)
			require.Equal(t, want, bp.String(), c.name)
		}
	}
}

// TestPropertyAblations: the ablations have the type, the value and the gradient of BP, but that
// PlainPlus multiplies its 0 + 0 by partial derivatives that may be infinite; and with plain sums it is the definition with + for ⊕, term by term.
func TestPropertyAblations(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		g := drawGround(t)
		bp, a, err := BP(g.t, g.inputs, nil)
		require.NoError(t, err)
		typ, err := bp.Check()
		require.NoError(t, err)
		want := numbersOf(t, bp, a, g)
		for _, without := range []Ablation{PlainPlus, DenseTuples} {
			ablated, a, err := AblatedBP(g.t, g.inputs, without, nil)
			require.NoError(t, err)
			got, err := ablated.Check()
			require.NoError(t, err)
			require.Equal(t, typ, got)
			numbers := numbersOf(t, ablated, a, g)
			require.Len(t, numbers, len(want))
			for i, r := range numbers {
				if without == PlainPlus && !g.exact && math.IsNaN(r) {
					continue // 0·∞ where G has no partial derivative
				}
				require.InDelta(t, want[i], r, 0, "%s", ablated)
			}
		}
		src, err := Ground(g.t, nil)
		require.NoError(t, err)
		d := &definition{src: src, dst: newImage(src, 0, 0).dst, plain: true}
		d.define(g.inputs)
		plain, _, err := AblatedBP(g.t, g.inputs, PlainPlus, nil)
		require.NoError(t, err)
		if !term.AlphaEqual(d.dst, plain) {
			require.Equal(t, d.dst.String(), plain.String())
		}
	})
}

// numbersOf is the value and the gradient of bp(G) at the point of G, for a = 1.
func numbersOf(t *rapid.T, bp *term.Term, a term.Var, g *groundTerm) []float64 {
	env := (*denote.Env)(nil).With(a, 1.)
	for i, x := range g.inputs {
		env = env.With(x, g.point[i])
	}
	v, err := denote.Model{Ground: denote.Floats{}}.Denote(bp).At(env)
	require.NoError(t, err)
	var out []float64
	for _, r := range denote.Flatten(v) {
		out = append(out, r.(float64))
	}
	return out
}

// TestAblatedSizes: of x1 + … + xn, in any bracketing, bp has 4n − 1 symbols; with plain sums each
// component has n − 1 sums and n leaves, and with dense tuples each leaf is a tuple.
func TestAblatedSizes(t *testing.T) {
	for _, n := range []int64{2, 3, 10, 100} {
		for _, shape := range []int{leftSum, rightSum, balancedSum} {
			g := nested(termSum(int(n), shape))
			primal := 2*n - 1
			size := func(bp *term.Term, _ term.Var, err error) int64 {
				require.NoError(t, err)
				return bp.Size()
			}
			require.Equal(t, 1+primal+(n-1)+n, size(BP(g.t, g.inputs, nil)))
			require.Equal(t, 1+primal+(n-1)+n*(2*n-1), size(AblatedBP(g.t, g.inputs, PlainPlus, nil)))
			require.Equal(t, 1+primal+(n-1)+n*(2*n-1), size(AblatedBP(g.t, g.inputs, DenseTuples, nil)))
		}
	}
}
