package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// TestPropertyBlocks: iterations of random straight-line arithmetic, whose operations are
// used again and again, as blocks and literally.
func TestPropertyBlocks(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := straight(t)
		d, err := revgrad.Reverse(p.Term, nil)
		require.NoError(t, err)
		values, jacobian := oracleValue(p)
		checkGradient(t, d, p, values, jacobian)
	})
}

// straight makes #n (λh.t) x or xs (λe.t′[λh.t]) x over the inputs x and w: t is let z1 = … in
// … let zk = … in zk, each z an operation on h, e, the inputs, numerals and the z before it;
// the first few, which don't mention h, may stand between the two λs.
func straight(t *rapid.T) *generate.Program {
	tt := term.NewTypes()
	q := term.New(tt)
	q.Data = []term.Data{{Name: "xs", List: true, Rows: 3, Width: 1, Values: []float64{0.5, -1, 2}}}
	g := &straightLine{t: t, q: q}
	x, w, e, h := g.real("x"), g.real("w"), g.real("e"), g.real("h")
	p := &generate.Program{Term: q, Inputs: []term.Var{x, w}, Point: []float64{0.5, -0.75}}
	g.names = []term.Var{x, w}
	data := rapid.Bool().Draw(t, "data")
	between := 0
	if data {
		g.names = append(g.names, e)
		between = g.operations(rapid.IntRange(0, 3).Draw(t, "between"))
	}
	g.names = append(g.names, h, h)
	g.operations(rapid.IntRange(1, 8).Draw(t, "operations"))
	body := g.lets(between, len(g.zs), q.Variable(0, g.zs[len(g.zs)-1]))
	step := q.Lam(0, h, body)
	var l term.Ref
	if data {
		step = q.Lam(0, e, g.lets(0, between, step))
		l = q.DataRef(0, 0, term.R, term.R)
	} else {
		l = q.Nat(0, uint64(rapid.IntRange(1, 3).Draw(t, "times")), term.R)
	}
	q.Root = q.App(0, q.App(0, l, step), q.Variable(0, x))
	return p
}

type straightLine struct {
	t      *rapid.T
	q      *term.Term
	names  []term.Var
	unused []term.Var // what is used just once goes into a block in place
	zs     []term.Var
	us     []term.Ref
}

func (g *straightLine) real(name string) term.Var {
	return g.q.NewVar(term.VarInfo{Name: name, Type: term.R})
}

func (g *straightLine) operand() term.Ref {
	if rapid.IntRange(0, 9).Draw(g.t, "a numeral") == 0 {
		return g.q.Num(0, 0.5)
	}
	if n := len(g.unused); n > 0 && rapid.IntRange(0, 2).Draw(g.t, "an unused one") > 0 {
		i := rapid.IntRange(0, n-1).Draw(g.t, "unused")
		z := g.unused[i]
		g.unused = append(g.unused[:i], g.unused[i+1:]...)
		return g.q.Variable(0, z)
	}
	return g.q.Variable(0, rapid.SampledFrom(g.names).Draw(g.t, "operand"))
}

// operations makes n operations, and returns how many there are.
func (g *straightLine) operations(n int) int {
	symbols := []term.Symbol{term.Mul, term.Mul, term.Sigmoid, term.Exp, term.Sin, term.Tanh, term.Sub, term.Cos}
	for range n {
		var u term.Ref
		if rapid.IntRange(0, 2).Draw(g.t, "a sum") == 0 {
			u = g.q.Add(0, g.operand(), g.operand())
		} else if f := rapid.SampledFrom(symbols).Draw(g.t, "symbol"); f.Info().Arity == 1 {
			u = g.q.Fun(0, f, g.operand())
		} else {
			u = g.q.Fun(0, f, g.operand(), g.operand())
		}
		z := g.real("z")
		g.zs, g.us, g.names, g.unused = append(g.zs, z), append(g.us, u), append(g.names, z), append(g.unused, z)
	}
	return len(g.zs)
}

// lets puts body under the operations [from, to).
func (g *straightLine) lets(from, to int, body term.Ref) term.Ref {
	for i := to - 1; i >= from; i-- {
		body = g.q.Let(0, g.zs[i], g.us[i], body)
	}
	return body
}
