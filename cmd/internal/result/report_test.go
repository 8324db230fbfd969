package result

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/rule"
)

func numbers(n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = float64(i) / 2
	}
	return xs
}

func TestEntries(t *testing.T) {
	r := load.RealShape()
	vector := func(s *load.Shape, sizes ...int) *load.Shape {
		for _, n := range sizes {
			s = load.VectorShape(s, n)
		}
		return s
	}
	for name, c := range map[string]struct {
		shape *load.Shape
		want  []entry
	}{
		"number":       {r, []entry{{"x", "0"}}},
		"tuple":        {load.ProductShape(r, load.ProductShape(r, r)), []entry{{"x", "(0, 0.5, 1)"}}},
		"vector":       {vector(r, 3), []entry{{"x", "[| 0, 0.5, 1 |]"}}},
		"vector of 8":  {vector(r, 8), []entry{{"x", "[| 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5 |]"}}},
		"vector of 9":  {vector(r, 9), []entry{{"x", "[| 0, 0.5, 1, 1.5, 2, 2.5, …, 4 |]  R^9, norm 7.14142842854285"}}},
		"matrix":       {vector(r, 2, 3), []entry{{"x", "0  0.5\n1  1.5\n2  2.5"}}},
		"mixed tuple":  {load.ProductShape(r, load.ProductShape(vector(r, 2), r)), []entry{{"x, 1", "0"}, {"x, 2", "[| 0.5, 1 |]"}, {"x, 3", "1.5"}}},
		"three levels": {vector(r, 1, 2, 2), []entry{{"x.(0)", "  0\n0.5"}, {"x.(1)", "  1\n1.5"}}},
		"vector of pairs": {vector(load.ProductShape(r, r), 9), []entry{
			{"x.(0)", "(0, 0.5)"},
			{"x.(1)", "(1, 1.5)"},
			{"x.(2)", "(2, 2.5)"},
			{"x.(3)", "(3, 3.5)"},
			{"x.(4)", "(4, 4.5)"},
			{"x.(5)", "(5, 5.5)"},
			{"x.(…)", "(R * R)^9, norm 21.124630174277605"},
			{"x.(8)", "(8, 8.5)"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, entries("x", c.shape, numbers(c.shape.Width())))
		})
	}
}

func TestLargeMatrix(t *testing.T) {
	shape := load.VectorShape(load.VectorShape(load.RealShape(), 10), 12)
	got := entries("E", shape, numbers(120))
	require.Len(t, got, 1)
	lines := strings.Split(got[0].text, "\n")
	require.Equal(t, "R^(12, 10), norm 377.10078228505415", lines[0])
	require.Len(t, lines, 1+shownWhole)
	require.Equal(t, " 0   0.5   1   1.5   2   2.5  …   4.5", lines[1])
	require.Equal(t, " …     …   …     …   …     …  …     …", lines[7])
	require.Equal(t, "55  55.5  56  56.5  57  57.5  …  59.5", lines[8])
}

func TestNormDoesNotOverflow(t *testing.T) {
	require.InEpsilon(t, math.Sqrt2*1e200, Norm([]float64{1e200, -1e200}), 1e-12)
	require.True(t, math.IsNaN(Norm([]float64{1, math.NaN()})))
}

func TestStepsTable(t *testing.T) {
	var out bytes.Buffer
	r := Report{Out: &out}
	r.steps(rule.Counts{rule.Lambda: 5, rule.GC: 1234567, rule.Factor: 1})
	require.Equal(t, `  no.  rule        steps    share
    1  lambda          5    0.0 %
    4  gc      1 234 567  100.0 %
   11  factor          1    0.0 %
       total   1 234 573  100.0 %
`, out.String())
}
