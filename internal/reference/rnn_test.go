package reference_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
	"github.com/gram-machine/gram/term/elementary"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// network is the encoding recurrent network of section 6.2 over a sequence of vectors:
// h' = σ(E·a + R·h), folded from the right over it, with h = 0 at first.
type network struct {
	e [][]float64 // m rows of d numbers
	r [][]float64 // m rows of m numbers
	a [][]float64 // the sequence
}

func slope(x float64) float64 { return term.DSigmoid.Info().Eval1(x) }

// gradient is the value h and the Jacobian by the entries of E and R, row by row, by the
// recurrences of Prop. example-grad, in the form of note F1: the i-th step takes the
// i-th element from the end, and the derivative by an entry of R is σ'·(u_i + r·g_ρ),
// with the u of the step before. offset is 1 for the u_{i+1} that is printed.
func (n *network) gradient(offset int) (h, jacobian []float64) {
	m, d := len(n.e), len(n.a[0])
	h = make([]float64, m)
	parameters := m*d + m*m
	g := make([][]float64, m) // of each component of h
	for k := range g {
		g[k] = make([]float64, parameters)
	}
	for i := len(n.a) - 1; i >= 0; i-- {
		a := n.a[i]
		next, sigma := make([]float64, m), make([]float64, m)
		for k := range m {
			mu := dot(n.e[k], a) + dot(n.r[k], h)
			next[k], sigma[k] = elementary.Sigmoid(mu), slope(mu)
		}
		u := [][]float64{h, next}[offset]
		g2 := make([][]float64, m)
		for k := range m {
			g2[k] = make([]float64, parameters)
			for p := range parameters {
				own := 0.0 // ∂μ_k by the parameter, h fixed
				switch {
				case p < m*d && p/d == k:
					own = a[p%d]
				case p >= m*d && (p-m*d)/m == k:
					own = u[(p-m*d)%m]
				}
				for l := range m {
					own += n.r[k][l] * g[l][p]
				}
				g2[k][p] = sigma[k] * own
			}
		}
		h, g = next, g2
	}
	for _, row := range g {
		jacobian = append(jacobian, row...)
	}
	return h, jacobian
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// source is the network as a program: N of section 6.2, applied to the list.
func (n *network) source() string {
	m, d := len(n.e), len(n.a[0])
	var b strings.Builder
	if m == 1 && d == 1 { // the paper's, on numbers
		fmt.Fprintf(&b, "input e = %v\ninput r = %v\nfold (fun x h -> sigmoid (e * x + r * h)) 0 [", n.e[0][0], n.r[0][0])
		for i, a := range n.a {
			fmt.Fprintf(&b, "%s%v", map[bool]string{true: "; "}[i > 0], a[0])
		}
		b.WriteString("]\n")
		return b.String()
	}
	declare := func(name string, matrix [][]float64) {
		for k, row := range matrix {
			for l, x := range row {
				fmt.Fprintf(&b, "input %s%d_%d = %v\n", name, k, l, x)
			}
		}
	}
	declare("e", n.e)
	declare("r", n.r)
	sum := func(name, of string, k, size int) string {
		terms := make([]string, size)
		for l := range terms {
			terms[l] = fmt.Sprintf("%s%d_%d * %s.(%d)", name, k, l, of, l)
		}
		return strings.Join(terms, " + ")
	}
	rows, zeros := make([]string, m), make([]string, m)
	for k := range rows {
		rows[k] = fmt.Sprintf("sigmoid ((%s) + (%s))", sum("e", "x", k, d), sum("r", "h", k, m))
		zeros[k] = "0"
	}
	elements := make([]string, len(n.a))
	for i, a := range n.a {
		words := make([]string, d)
		for l, x := range a {
			words[l] = fmt.Sprint(x)
		}
		elements[i] = "[| " + strings.Join(words, ", ") + " |]"
	}
	fmt.Fprintf(&b, "fold (fun x h -> [| %s |]) [| %s |] [%s]\n", strings.Join(rows, ", "), strings.Join(zeros, ", "), strings.Join(elements, "; "))
	return b.String()
}

// drawNetwork draws a network: E is m×d, not d×m.
func drawNetwork(t *rapid.T, m, d int) *network {
	number := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(-16, 16).Draw(t, "number")) / 8 })
	matrix := func(label string, rows, columns int) [][]float64 {
		out := make([][]float64, rows)
		for i := range out {
			out[i] = rapid.SliceOfN(number, columns, columns).Draw(t, label)
		}
		return out
	}
	return &network{matrix("E", m, d), matrix("R", m, m), matrix("a", rapid.IntRange(1, 6).Draw(t, "n"), d)}
}

// requireRecurrence holds the machine's gradient against the recurrences.
func requireRecurrence(t *rapid.T, n *network) {
	p := load(t, n.source())
	got, ok := onMachineWithin(t, p, true, 100_000)
	require.True(t, ok)
	h, jacobian := n.gradient(0)
	require.Len(t, got.values, len(h))
	require.Len(t, got.jacobian, len(jacobian))
	for i := range h {
		require.True(t, property.Close(h[i], got.values[i], 1e-12), "%v instead of %v", got.values, h)
	}
	for i := range jacobian {
		require.True(t, property.Close(jacobian[i], got.jacobian[i], 1e-11), "%v instead of %v", got.jacobian, jacobian)
	}
}

// TestPropertyExampleGrad is Prop. example-grad, in the form of note F1, for d = m = 1.
func TestPropertyExampleGrad(t *testing.T) {
	property.Check(t, func(t *rapid.T) { requireRecurrence(t, drawNetwork(t, 1, 1)) })
}

// TestPropertyExampleGradVectors is the generalisation to vectors that section 6.2 speaks
// of.
func TestPropertyExampleGradVectors(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		requireRecurrence(t, drawNetwork(t, rapid.IntRange(1, 3).Draw(t, "m"), rapid.IntRange(1, 3).Draw(t, "d")))
	})
}

// TestPaperExampleGrad: where Prop. example-grad fails as it is printed. With u_{i+1} in
// the recurrence of g_ρ the shortest list has one element; with a_{i+1} for the (i+1)-th
// element from the front it has two. And F of section 6.2, which lacks σ, is no layer.
func TestPaperExampleGrad(t *testing.T) {
	machine := func(n *network) outcome {
		out, ok := onMachine(t, load(t, n.source()), true)
		require.True(t, ok)
		return out
	}
	scalar := func(e, r float64, list ...float64) *network {
		n := &network{e: [][]float64{{e}}, r: [][]float64{{r}}}
		for _, a := range list {
			n.a = append(n.a, []float64{a})
		}
		return n
	}
	one := scalar(2, 3, 1)
	got := machine(one)
	_, right := one.gradient(0)
	_, printed := one.gradient(1)
	require.InDeltaSlice(t, right, got.jacobian, 1e-15)
	require.Zero(t, got.jacobian[1]) // h0 = 0
	require.Equal(t, right[0], printed[0])
	require.InDelta(t, slope(2)*elementary.Sigmoid(2), printed[1], 1e-15)

	two, front := scalar(2, 3, 1, -1), scalar(2, 3, -1, 1)
	h, right := two.gradient(0)
	hFront, fromFront := front.gradient(0)
	got = machine(two)
	require.InDeltaSlice(t, right, got.jacobian, 1e-15)
	require.InDeltaSlice(t, h, got.values, 1e-15)
	require.Greater(t, math.Abs(hFront[0]-h[0]), 0.01)
	require.Greater(t, math.Abs(fromFront[0]-right[0]), 0.01)

	require.Greater(t, math.Abs(2*1+3*0-machine(one).values[0]), 1.)
}
