package revgrad

import (
	"fmt"
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
)

type family func(q *term.Term) []term.Var

// nested makes a ground term at the point 1,…,1.
func nested(f family) *groundTerm {
	q := term.New(term.NewTypes())
	g := &groundTerm{t: q, inputs: f(q)}
	for range g.inputs {
		g.point = append(g.point, 1)
	}
	return g
}

func input(q *term.Term, name string) term.Var {
	return q.NewVar(term.VarInfo{Name: name, Type: term.R})
}

// termSum is x1 + … + xn.
func termSum(n, shape int) family {
	return func(q *term.Term) (inputs []term.Var) {
		var leaves []term.Ref
		for i := range n {
			inputs = append(inputs, input(q, fmt.Sprintf("x%d", i)))
			leaves = append(leaves, q.Variable(0, inputs[i]))
		}
		q.Root = sum(q, leaves, shape)
		return inputs
	}
}

// oneSum is x + … + x.
func oneSum(n, shape int) family {
	return func(q *term.Term) []term.Var {
		x := input(q, "x")
		var leaves []term.Ref
		for range n {
			leaves = append(leaves, q.Variable(0, x))
		}
		q.Root = sum(q, leaves, shape)
		return []term.Var{x}
	}
}

// unary is tanh(…tanh(x)).
func unary(n int) family {
	return func(q *term.Term) []term.Var {
		x := input(q, "x")
		q.Root = q.Variable(0, x)
		for range n {
			q.Root = q.Fun(0, term.Tanh, q.Root)
		}
		return []term.Var{x}
	}
}

// chain is let z1 = x·y in let z2 = z1·y in … zn.
func chain(n int) family {
	return func(q *term.Term) []term.Var {
		x, y := input(q, "x"), input(q, "y")
		zs, us := []term.Var{x}, []term.Ref{0}
		for i := range n {
			us = append(us, q.Fun(0, term.Mul, q.Variable(0, zs[i]), q.Variable(0, y)))
			zs = append(zs, input(q, "z"))
		}
		q.Root = q.Variable(0, zs[n])
		for i := n; i > 0; i-- {
			q.Root = q.Let(0, zs[i], us[i], q.Root)
		}
		return []term.Var{x, y}
	}
}

// inwards is let z = (let z = (… x·y …) in z·y) in z·y: lets in what lets bind.
func inwards(n int) family {
	return func(q *term.Term) []term.Var {
		x, y := input(q, "x"), input(q, "y")
		q.Root = q.Fun(0, term.Mul, q.Variable(0, x), q.Variable(0, y))
		for range n {
			z := input(q, "z")
			q.Root = q.Let(0, z, q.Root, q.Fun(0, term.Mul, q.Variable(0, z), q.Variable(0, y)))
		}
		return []term.Var{x, y}
	}
}

// numerals is a balanced tree of divisions of numerals, with one x.
func numerals(n int) family {
	return func(q *term.Term) []term.Var {
		x := input(q, "x")
		level := []term.Ref{q.Variable(0, x)}
		for i := 1; i < n; i++ {
			level = append(level, q.Num(0, 1))
		}
		for len(level) > 1 {
			var up []term.Ref
			for i := 0; i+1 < len(level); i += 2 {
				up = append(up, q.Fun(0, term.Div, level[i], level[i+1]))
			}
			level = up
		}
		q.Root = level[0]
		return []term.Var{x}
	}
}

// TestLemmaSize: |Fwd G| and |bp G| are linear in |G|, with these constants, whatever
// the shape.
func TestLemmaSize(t *testing.T) {
	n, many := 1<<15, property.Size(100_000)
	for _, c := range []struct {
		name        string
		g           *groundTerm
		forward, bp float64 // |Fwd G|/|G|, (|bp G| − 2n − 1)/|G|
	}{
		{"x1 + … + xn to the left", nested(termSum(many, leftSum)), 5, 1},
		{"x1 + … + xn to the right", nested(termSum(many, rightSum)), 5, 1},
		{"x1 + … + xn balanced", nested(termSum(many, balancedSum)), 5, 1},
		{"x + … + x to the left", nested(oneSum(n, leftSum)), 5, 2},
		{"x + … + x to the right", nested(oneSum(n, rightSum)), 5, 2},
		{"x + … + x balanced", nested(oneSum(n, balancedSum)), 5, 2},
		{"unary symbols", nested(unary(n)), 8, 8},
		{"lets in bodies", nested(chain(n)), 16. / 4, 12. / 4},
		{"lets in lets", nested(inwards(n)), 16. / 4, 12. / 4},
		{"a tree of numerals", nested(numerals(n)), 5, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			fwd, err := Forward(c.g.t, c.g.inputs, nil)
			require.NoError(t, err)
			bp, _, err := BP(c.g.t, c.g.inputs, nil)
			require.NoError(t, err)
			size := float64(c.g.t.Size())
			require.InDelta(t, c.forward, float64(fwd.Size())/size, 1e-3)
			require.InDelta(t, c.bp, (float64(bp.Size())-float64(2*len(c.g.inputs)+1))/size, 1e-3)
		})
	}
}

// TestGroundDepth: the transformations and the algorithms use no Go stack.
func TestGroundDepth(t *testing.T) {
	old := debug.SetMaxStack(1 << 20)
	defer debug.SetMaxStack(old)
	n := property.Size(1_000_000)
	for _, c := range []struct {
		name            string
		f               family
		value, gradient float64
	}{
		{"sums to the left", oneSum(n, leftSum), float64(n), float64(n)},
		{"sums to the right", oneSum(n, rightSum), float64(n), float64(n)},
		{"unary symbols", unary(n), math.NaN(), math.NaN()},
		{"lets in bodies", chain(n / 4), 1, 1},
		{"lets in lets", inwards(n / 4), 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := nested(c.f)
			values, tangent := deepGraph(t, g)
			if !math.IsNaN(c.value) {
				require.Equal(t, []float64{c.value, c.gradient}, values)
			}
			require.InEpsilon(t, 1+values[1], 1+tangent, 1e-12)
			deepForward(t, g, []float64{values[0], tangent})
			deepBP(t, g, values)
		})
	}
}

// deepGraph returns the value and the derivative by the first input, and that by
// forward mode.
func deepGraph(t *testing.T, g *groundTerm) (values []float64, tangent float64) {
	_, err := groundNodes(g.t, false)
	require.NoError(t, err)
	h := graphOf(t, g.t, g.inputs...)
	m := hypergraph.NewMemory(h, nil)
	back, err := m.Backpropagation(g.point)
	require.NoError(t, err)
	require.NoError(t, m.Forward(g.point, 0))
	q, _ := graphTerm(h, g.t.Types)
	_, err = q.Check()
	require.NoError(t, err)
	return []float64{back.Values[0], back.Jacobian[0]}, m.Second(h.Outputs()[0])
}

func deepForward(t *testing.T, g *groundTerm, want []float64) {
	fwd, err := Forward(g.t, g.inputs[:1], nil)
	require.NoError(t, err)
	_, err = fwd.Check()
	require.NoError(t, err)
	point := []float64{1, 1}
	for range g.inputs[1:] {
		point = append(point, 1, 0)
	}
	res, err := hypergraph.NewMemory(graphOf(t, fwd, g.inputs...), nil).Values(point)
	require.NoError(t, err)
	require.Equal(t, want, res.Values)
}

func deepBP(t *testing.T, g *groundTerm, want []float64) {
	bp, a, err := BP(g.t, g.inputs, nil)
	require.NoError(t, err)
	_, err = bp.Check()
	require.NoError(t, err)
	res, err := hypergraph.NewMemory(graphOf(t, bp, append(g.inputs, a)...), nil).Values(append(g.point, 1))
	require.NoError(t, err)
	require.Equal(t, want[0], res.Values[0])
	require.InEpsilon(t, 1+want[1], 1+res.Values[1], 1e-12)
}
