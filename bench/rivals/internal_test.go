package rivals

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
)

// product is the term x * x.
func product() (*term.Term, term.Var) {
	t := term.New(term.NewTypes())
	x := t.NewVar(term.VarInfo{Name: "x", Type: term.R})
	t.Root = t.Fun(0, term.Mul, t.Variable(0, x), t.Variable(0, x))
	return t, x
}

// TestTransformations: what the transformations make of x * x, and CHAD of λy. y + x.
func TestTransformations(t *testing.T) {
	for name, want := range map[string]string{
		"dual":       "let ⟨x,x'⟩ = x in let ⟨x,x'⟩ = x in ⟨mul(x, x), (λa. x' (mul(x, a)) + x' (mul(x, a)))⟩",
		"dual-map":   "let ⟨x,x'⟩ = x in let ⟨x,x'⟩ = x in ⟨mul(x, x), ⟨fresh(), (λa. (λs. call(x', mul(x, a), call(x', mul(x, a), s))))⟩⟩",
		"dual-array": "let ⟨x,x'⟩ = x in let ⟨x,x'⟩ = x in ⟨mul(x, x), ⟨fresh(), (λa. (λs. call(x', mul(x, a), call(x', mul(x, a), s))))⟩⟩",
		"trace":      "let ⟨x,x'⟩ = x in let ⟨x,x'⟩ = x in ⟨mul(x, x), record(x', x', x, x)⟩",
		"chad": "let ⟨x,x'⟩ = ⟨x, (λv. tuple(v))⟩ in let ⟨x,x'⟩ = ⟨x, (λv. tuple(v))⟩ in " +
			"⟨mul(x, x), (λv. x' (mul(x, v)) + x' (mul(x, v)))⟩",
		"chad-efficient": "let ⟨x,x'⟩ = ⟨x, (λv. add[0](v))⟩ in let ⟨x,x'⟩ = ⟨x, (λv. add[0](v))⟩ in " +
			"⟨mul(x, x), (λv. then(x' (mul(x, v)), x' (mul(x, v))))⟩",
	} {
		for _, r := range All() {
			if r.Name != name {
				continue
			}
			p, x := product()
			c, vars := read(p, []term.Var{x})
			require.Equal(t, want, r.transform(c, vars).String(), name)
		}
	}
	p := term.New(term.NewTypes())
	x := p.NewVar(term.VarInfo{Name: "x", Type: term.R})
	y := p.NewVar(term.VarInfo{Name: "y", Type: term.R})
	p.Root = p.Lam(0, y, p.Variable(0, x))
	c, vars := read(p, []term.Var{x})
	require.Equal(t, "⟨(λy. let ⟨y,y'⟩ = ⟨x, (λv. add[0](v))⟩ in ⟨y, (λv. run[2](y' (v)))⟩), (λw. scatter[0](w))⟩",
		transform(true, c, vars).String())
	c, vars = read(p, []term.Var{x})
	require.Equal(t, "let b = (λy. ⟨x, (λv. tuple(v))⟩) in ⟨(λu. let ⟨y,y'⟩ = b (u) in ⟨y, (λv. let ⟨γ,x̄⟩ = y' (v) in x̄)⟩), "+
		"(λw. fold((λu. (λv. let ⟨y,y'⟩ = b (u) in let ⟨γ,x̄⟩ = y' (v) in γ)), w, tuple()))⟩",
		transform(false, c, vars).String())
}

// TestPropertyTree: the tree is a map, takes its largest key first, and stays balanced; an operation touches no more than
// twice its height and two.
func TestPropertyTree(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		var touched uint64
		tree, want := &tree{touched: &touched}, map[ident]float64{}
		for range rapid.IntRange(1, 200).Draw(t, "operations") {
			before, height := touched, tree.root.tall()
			if rapid.IntRange(0, 2).Draw(t, "take") == 0 {
				key, c, ok := tree.takeMax()
				require.Equal(t, len(want) > 0, ok)
				if ok {
					for other := range want {
						require.LessOrEqual(t, other, key)
					}
					require.Equal(t, want[key], c.sum)
					delete(want, key)
				}
			} else {
				key := ident(rapid.IntRange(0, 100).Draw(t, "key"))
				c := tree.at(key)
				require.Equal(t, want[key], c.sum)
				c.sum++
				want[key]++
			}
			require.LessOrEqual(t, touched-before, uint64(2*height+2))
			require.LessOrEqual(t, float64(tree.root.tall()), 1.45*math.Log2(float64(len(want)+2)))
		}
	})
}
