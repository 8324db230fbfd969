package machine_test

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

// straight makes #n (λh.let z1 = … in … let zk = … in zi) x over the inputs x and w, each
// z an operation on h, the inputs, numerals and the z before it.
func straight(t *rapid.T) *generate.Program {
	tt := term.NewTypes()
	q := term.New(tt)
	real := func(name string) term.Var { return q.NewVar(term.VarInfo{Name: name, Type: term.R}) }
	x, w, h := real("x"), real("w"), real("h")
	p := &generate.Program{Term: q, Inputs: []term.Var{x, w}, Point: []float64{0.5, -0.75}}
	names := []term.Var{h, x, w, h}
	var unused []term.Var // what has been used just once goes into a block in place
	operand := func() term.Ref {
		if rapid.IntRange(0, 9).Draw(t, "a numeral") == 0 {
			return q.Num(0, 0.5)
		}
		if n := len(unused); n > 0 && rapid.IntRange(0, 2).Draw(t, "an unused one") > 0 {
			i := rapid.IntRange(0, n-1).Draw(t, "unused")
			z := unused[i]
			unused = append(unused[:i], unused[i+1:]...)
			return q.Variable(0, z)
		}
		return q.Variable(0, rapid.SampledFrom(names).Draw(t, "operand"))
	}
	symbols := []term.Symbol{term.Mul, term.Mul, term.Sigmoid, term.Exp, term.Sin, term.Tanh, term.Sub, term.Cos}
	var zs []term.Var
	var us []term.Ref
	for range rapid.IntRange(1, 8).Draw(t, "operations") {
		var u term.Ref
		if rapid.IntRange(0, 2).Draw(t, "a sum") == 0 {
			u = q.Add(0, operand(), operand())
		} else if f := rapid.SampledFrom(symbols).Draw(t, "symbol"); f.Info().Arity == 1 {
			u = q.Fun(0, f, operand())
		} else {
			u = q.Fun(0, f, operand(), operand())
		}
		z := real("z")
		zs, us, names, unused = append(zs, z), append(us, u), append(names, z), append(unused, z)
	}
	body := q.Variable(0, zs[len(zs)-1])
	for i := len(zs) - 1; i >= 0; i-- {
		body = q.Let(0, zs[i], us[i], body)
	}
	n := q.Nat(0, uint64(rapid.IntRange(1, 3).Draw(t, "times")), term.R)
	q.Root = q.App(0, q.App(0, n, q.Lam(0, h, body)), q.Variable(0, x))
	return p
}
