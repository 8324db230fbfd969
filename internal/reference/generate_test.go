package reference_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
)

// TestReach: a few thousand draws have all sizes up to the bound and none above it,
// every constructor of the calculus that is not linear, and every kind of type of
// their variables. All are well typed.
func TestReach(t *testing.T) {
	sizes := map[int64]bool{}
	ops := map[term.Op]bool{}
	kinds := map[term.Kind]bool{}
	symbols := map[term.Symbol]bool{}
	draw := rapid.Custom(func(t *rapid.T) *property.Program {
		return property.Draw(t, property.Options{Vector: rapid.Bool().Draw(t, "vector")})
	})
	for seed := range 3000 {
		p := draw.Example(seed)
		_, err := p.Term.Check()
		require.NoError(t, err)
		size := p.Term.Size()
		require.LessOrEqual(t, size, int64(property.MaxSize))
		sizes[size] = true
		for _, n := range p.Term.Nodes[1:] {
			ops[n.Op] = true
			symbols[n.Sym] = true
		}
		for x := range p.Term.EachVar() {
			kinds[p.Term.Types.Kind(x.Type)] = true
		}
	}
	for size := int64(1); size <= property.MaxSize; size++ {
		require.True(t, sizes[size], "no term has %d symbols", size)
	}
	for op := term.VarOp; op <= term.DataOp; op++ {
		require.Equal(t, op != term.ZeroOp, ops[op], "constructor %d", op)
	}
	for _, kind := range []term.Kind{term.RKind, term.ProdKind, term.ArrowKind, term.VecKind} {
		require.True(t, kinds[kind], "no variable has a type of kind %d", kind)
	}
	for _, f := range []term.Symbol{term.Mul, term.Sub, term.Neg, term.Sin, term.Sigmoid, term.Relu, term.Max} {
		require.True(t, symbols[f], "no term has the symbol %s", f)
	}
}

// TestReachLinear: a thousand draws have every constructor that can stand with linear
// variables, linear substitutions, dual λs and applications of named ones, and no more
// than 60 symbols.
func TestReachLinear(t *testing.T) {
	ops := map[term.Op]bool{}
	lets, duals, applied := 0, 0, 0
	draw := rapid.Custom(func(t *rapid.T) *term.Term {
		return property.Linear(t, rapid.IntRange(3, 100).Draw(t, "size"))
	})
	for seed := range 1000 {
		q := draw.Example(seed)
		_, err := q.Check()
		require.NoError(t, err)
		require.LessOrEqual(t, q.Size(), int64(property.MaxSize))
		for _, n := range q.Nodes[1:] {
			ops[n.Op] = true
			switch linear := q.Info(n.X).Linear; {
			case linear && n.Op == term.LetOp:
				lets++
			case linear && n.Op == term.LamOp:
				duals++
			case n.Op == term.AppOp && q.Types.Kind(q.Info(q.Nodes[n.A].X).Type) == term.DualKind:
				applied++
			}
		}
	}
	for op := term.VarOp; op <= term.DataOp; op++ {
		drawn := op != term.ZeroOp && op != term.DataOp
		require.Equal(t, drawn, ops[op], "constructor %d", op)
	}
	for _, n := range []int{lets, duals, applied} {
		require.Greater(t, n, 100)
	}
}
