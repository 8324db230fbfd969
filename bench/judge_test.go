package bench_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
)

var (
	constant    = bench.Law{Kind: bench.AtMost}
	linear      = bench.Law{Kind: bench.Power, Power: 1}
	atMost      = bench.Law{Kind: bench.AtMost, Power: 1}
	quadratic   = bench.Law{Kind: bench.Power, Power: 2}
	nLogN       = bench.Law{Kind: bench.Power, Power: 1, Logs: 1}
	exponential = bench.Law{Kind: bench.Exponential}
	equal       = bench.Law{Kind: bench.Equal}
	below       = bench.Law{Kind: bench.Below}
)

// taken are measurements of f at xs, with a relative noise.
func taken(xs []float64, noise float64, f func(x float64) float64) []bench.Measurement {
	rng := rand.New(rand.NewPCG(9, uint64(len(xs))))
	var out []bench.Measurement
	for _, x := range xs {
		y := f(x) * math.Exp(noise*rng.NormFloat64())
		out = append(out, bench.Measurement{Size: int(x), Point: bench.Point{X: x, Y: y}, Low: y, High: y})
	}
	return out
}

// spaced are n sizes from a to b, at equal ratios.
func spaced(a, b float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Round(a * math.Pow(b/a, float64(i)/float64(n-1)))
	}
	return out
}

func upTo(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i + 1)
	}
	return out
}

// TestVerdicts feeds each law with series of each form of growth, exact and noisy, of few
// points and of many.
func TestVerdicts(t *testing.T) {
	const yes, no, open = bench.Holds, bench.Fails, bench.Open
	affine := func(x float64) float64 { return 83*x + 2300 }
	logs := func(x float64) float64 { return math.Round(3 * x * math.Log2(x)) }
	square := func(x float64) float64 { return 2*x*x + 30*x + 5 }
	powers := func(x float64) float64 { return 3*math.Exp2(x) - 2 }
	flat := func(float64) float64 { return 7 }
	many, few := spaced(1e3, 1e6, 40), spaced(1e3, 1e6, 5)
	for _, c := range []struct {
		name    string
		xs      []float64
		noise   float64
		f       func(x float64) float64
		verdict map[bench.Law]bench.Verdict
	}{
		{"affine", few, 0, affine, map[bench.Law]bench.Verdict{linear: yes, atMost: yes, nLogN: no, quadratic: no, exponential: no, constant: no}},
		{"affine, many points", many, 0, affine, map[bench.Law]bench.Verdict{linear: yes, atMost: yes, nLogN: no, quadratic: no}},
		{"affine, a little noise", many, 0.01, affine, map[bench.Law]bench.Verdict{linear: yes, atMost: yes, nLogN: no, quadratic: no, exponential: no}},
		{"affine, noise, few points", few, 0.3, affine, map[bench.Law]bench.Verdict{linear: open, atMost: open, quadratic: no}},
		{"affine, three points", few[:3], 0, affine, map[bench.Law]bench.Verdict{linear: open, quadratic: open}},
		{"affine, one decade", spaced(8, 80, 8), 0, affine, map[bench.Law]bench.Verdict{linear: yes, quadratic: no}},
		{"affine, no span", spaced(1000, 1100, 8), 0, affine, map[bench.Law]bench.Verdict{linear: yes, quadratic: open}},
		{"affine, no span, a little noise", spaced(1000, 1100, 8), 0.01, affine, map[bench.Law]bench.Verdict{linear: open, quadratic: open}},
		{"a square's root beside it", []float64{1600, 3600, 6400, 14400, 25600, 57600}, 0, func(x float64) float64 { return 2558*x - 1002*math.Sqrt(x) - 6 },
			map[bench.Law]bench.Verdict{linear: yes, nLogN: no, quadratic: no}},
		{"to a constant from below", []float64{10, 20, 50, 100, 200}, 0, func(x float64) float64 { return 6 - 9/x }, map[bench.Law]bench.Verdict{constant: yes, linear: no}},
		{"n log n", few, 0, logs, map[bench.Law]bench.Verdict{linear: no, atMost: no, nLogN: yes, quadratic: no, exponential: no}},
		{"n log n, many points", many, 0, logs, map[bench.Law]bench.Verdict{linear: no, nLogN: yes, quadratic: no}},
		{"n log n, a little noise", many, 0.01, logs, map[bench.Law]bench.Verdict{linear: no, nLogN: yes, quadratic: no}},
		{"n log n, noise, few points", few, 0.3, logs, map[bench.Law]bench.Verdict{linear: open, nLogN: open, quadratic: no}},
		{"quadratic", few, 0, square, map[bench.Law]bench.Verdict{linear: no, atMost: no, nLogN: no, quadratic: yes, exponential: no}},
		{"quadratic, small", spaced(4, 64, 5), 0, square, map[bench.Law]bench.Verdict{linear: no, atMost: no, quadratic: yes}},
		{"quadratic, a little noise", many, 0.01, square, map[bench.Law]bench.Verdict{linear: no, nLogN: no, quadratic: yes}},
		{"exponential", upTo(12), 0, powers, map[bench.Law]bench.Verdict{linear: no, atMost: no, nLogN: no, quadratic: no, exponential: yes}},
		{"exponential, a little noise", upTo(20), 0.1, powers, map[bench.Law]bench.Verdict{linear: no, quadratic: no, exponential: yes}},
		{"exponential, few points", upTo(3), 0, powers, map[bench.Law]bench.Verdict{linear: open, exponential: open}},
		{"constant", few, 0, flat, map[bench.Law]bench.Verdict{constant: yes, linear: no, atMost: yes, exponential: no}},
		{"constant, a little noise", many, 0.02, flat, map[bench.Law]bench.Verdict{constant: yes, linear: no, atMost: yes}},
		{"one more at the start", many, 0, func(x float64) float64 { return 5 - 900/x }, map[bench.Law]bench.Verdict{constant: yes}},
		{"a logarithm", many, 0, math.Log2, map[bench.Law]bench.Verdict{constant: no, atMost: yes}},
		{"zero", few, 0, func(float64) float64 { return 0 }, map[bench.Law]bench.Verdict{constant: yes, atMost: yes, linear: no}},
		{"the same", upTo(2), 0, func(x float64) float64 { return x }, map[bench.Law]bench.Verdict{equal: yes}},
		{"less", upTo(3), 0, func(x float64) float64 { return x / 2 }, map[bench.Law]bench.Verdict{below: yes, equal: no}},
		{"more once", upTo(9), 0, func(float64) float64 { return 8.5 }, map[bench.Law]bench.Verdict{below: no}},
		{"nearly the same", many, 0, func(x float64) float64 { return x + 1/x }, map[bench.Law]bench.Verdict{equal: no, linear: yes}},
	} {
		for law, want := range c.verdict {
			t.Run(fmt.Sprintf("%s/%v", c.name, law), func(t *testing.T) {
				s := bench.Series{X: "x", Y: "y", Law: law}
				got := s.Judge(taken(c.xs, c.noise, c.f))
				require.Equal(t, want, got.Verdict, "%s; %v", got.Why, got.Forms)
				require.NotEmpty(t, got.Why)
			})
		}
	}
}

// TestLinearCounts: the exponent of counts that are affine is 1.00 ± 0.02, and the constant
// is the largest ratio.
func TestLinearCounts(t *testing.T) {
	s := bench.Series{X: "n", Y: "steps", Law: linear}
	got := s.Judge(taken(spaced(1e2, 1e6, 9), 0, func(x float64) float64 { return 83*x + 23 }))
	require.InDelta(t, 1, got.Exponent, 1e-9)
	require.Less(t, got.Half, 1e-6)
	require.InDelta(t, 83.23, got.Constant, 1e-9)
	require.True(t, got.Window.Exact)
	require.InDelta(t, 23, got.Window.Lower[0].C, 1e-3)
}

// TestWorst: of the series of one law, the table of claims shows the one that decided.
func TestWorst(t *testing.T) {
	xs := spaced(1e3, 1e6, 6)
	data := map[string][]bench.Measurement{
		"exact": taken(xs, 0, func(x float64) float64 { return 3 * x }), "slightly off": taken(xs, 0, func(x float64) float64 { return math.Pow(x, 1.015) }),
		"noisy": taken(xs, 0.4, func(x float64) float64 { return x }), "square": taken(xs, 0, func(x float64) float64 { return x * x }),
	}
	worst := func(names ...string) string {
		c := bench.Claim{Number: 1}
		for _, n := range names {
			c.Series = append(c.Series, bench.Series{Name: n, Role: bench.Evidence, Law: linear, X: "n", Y: "steps"})
		}
		o := c.Judge(func(s *bench.Series) []bench.Measurement { return data[s.Name] })
		found := o.Worst()
		require.Len(t, found, 1, "one law")
		return found[0].Series.Name
	}
	require.Equal(t, "slightly off", worst("exact", "slightly off"))
	require.Equal(t, "noisy", worst("exact", "noisy", "slightly off"))
	require.Equal(t, "square", worst("noisy", "square", "exact"))
}

func TestLawInWords(t *testing.T) {
	for want, law := range map[string]bench.Law{
		"Θ(n)": linear, "O(1)": constant, "O(n)": atMost, "Θ(n²)": quadratic, "Θ(n log n)": nLogN, "2^Θ(n)": exponential, "n": equal,
		"O(log n)": {Kind: bench.AtMost, Logs: 1}, "Θ(n³)": {Kind: bench.Power, Power: 3}, "Θ(n^1.5)": {Kind: bench.Power, Power: 1.5},
	} {
		require.Equal(t, want, law.Of("n"))
	}
	require.Equal(t, "Θ((m + |G|)²)", quadratic.Of("m + |G|"))
	require.Equal(t, "Θ((m + |G|) log (m + |G|))", nLogN.Of("m + |G|"))
	require.Equal(t, "Θ(x)", linear.String())
}

func TestClaimVerdict(t *testing.T) {
	good := taken(spaced(1e3, 1e6, 6), 0, func(x float64) float64 { return 2 * x })
	bad := taken(spaced(1e3, 1e6, 6), 0, func(x float64) float64 { return x * x })
	for _, c := range []struct {
		name       string
		correction string
		data       map[string][]bench.Measurement
		want       bench.Verdict
	}{
		{"all hold", "", map[string][]bench.Measurement{"a": good, "b": good, "c": bad}, bench.Holds},
		{"a correction", "m is …", map[string][]bench.Measurement{"a": good, "b": good, "printed": bad}, bench.HoldsCorrected},
		{"a correction of what holds", "m is …", map[string][]bench.Measurement{"a": good, "b": good, "printed": good}, bench.Open},
		{"one fails", "m is …", map[string][]bench.Measurement{"a": good, "b": bad}, bench.Fails},
		{"one is open", "", map[string][]bench.Measurement{"a": good, "b": good[:2]}, bench.Open},
		{"one is missing", "", map[string][]bench.Measurement{"a": good}, bench.Open},
		{"contrast alone", "", map[string][]bench.Measurement{"c": bad}, bench.Missing},
	} {
		t.Run(c.name, func(t *testing.T) {
			claim := bench.Claim{Number: 1, Correction: c.correction, Series: []bench.Series{
				{Name: "a", Role: bench.Evidence, Law: linear}, {Name: "b", Role: bench.Evidence, Law: linear},
				{Name: "c", Role: bench.Contrast, Law: linear}, {Name: "printed", Role: bench.Printed, Law: linear},
			}}
			got := claim.Judge(func(s *bench.Series) []bench.Measurement { return c.data[s.Name] })
			require.Equal(t, c.want, got.Verdict)
		})
	}
}

// squares is z ← z·z, n times: its gradient is linear in n with (11), and takes 2ⁿ without.
func squares(n int) string {
	var b strings.Builder
	b.WriteString("input x = 1\n")
	for i := range n {
		b.WriteString("let x = x * x in\n")
		_ = i
	}
	b.WriteString("x\n")
	return b.String()
}

// TestVerdictOfReference: a gradient by the reference rewriter, which reduces D(t) on terms
// one rule at a time, is linear; if it may not factor, exponential.
func TestVerdictOfReference(t *testing.T) {
	factorFree := func(s *reference.State) *reference.Redex {
		s.Redex = slices.DeleteFunc(s.Redex, func(r reference.Redex) bool { return r.Rule == rule.Factor })
		return reference.ByValue(s)
	}
	run := func(next reference.Strategy, sizes int) []bench.Measurement {
		var out []bench.Measurement
		for n := 1; n <= sizes; n++ {
			p, err := gram.Load(context.Background(), "squares.gram", []byte(squares(n)), gram.Options{})
			require.NoError(t, err)
			d, err := revgrad.Reverse(bridge.Of(p).Term(), nil)
			require.NoError(t, err)
			start := reference.Convert(d, denote.Floats{}).GradientStart(bridge.Of(p).ScalarInputs(), p.Point(), 0).Named()
			res, err := start.Run(next, 100_000, nil)
			require.NoError(t, err)
			require.NotEmpty(t, res.Values)
			y := float64(res.Counts.Total())
			out = append(out, bench.Measurement{Size: n, Point: bench.Point{X: float64(n), Y: y}})
		}
		return out
	}
	s := bench.Series{X: "n", Y: "steps", Law: linear}
	with := s.Judge(run(reference.Machine(nil), 8))
	require.Equal(t, bench.Holds, with.Verdict, with.Why)
	require.InDelta(t, 1, with.Exponent, 0.02)

	without := run(factorFree, 6)
	refuted := s.Judge(without)
	require.Equal(t, bench.Fails, refuted.Verdict, refuted.Why)
	s.Law = exponential
	contrast := s.Judge(without)
	require.Equal(t, bench.Holds, contrast.Verdict, contrast.Why)
	require.InDelta(t, 1, contrast.Exponent, 0.25, "it doubles with each square, and a linear term is in it too")
}
