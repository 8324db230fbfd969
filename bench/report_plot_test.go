package bench_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/report"
)

// outcome is a claim with a linear series, an exponential contrast, a time, a constant and
// one that is 0 at places.
func outcome() *bench.Outcome {
	counts := func(xs []float64, f func(x float64) float64) []bench.Measurement {
		var out []bench.Measurement
		for i, x := range xs {
			y := f(x)
			m := bench.Measurement{Size: int(x), Point: bench.Point{X: x, Y: y}, Low: y, High: y}
			if i%2 == 1 {
				m.Low, m.High = 0.8*y, 1.3*y
			}
			out = append(out, m)
		}
		return out
	}
	large, small := []float64{10, 100, 1e3, 1e4, 1e5, 1e6}, []float64{2, 4, 6, 8, 10, 12, 14, 16}
	c := bench.Claim{Number: 9, Series: []bench.Series{
		{Name: "fan-out", Role: bench.Evidence, Law: linear, X: "n", Y: "steps"},
		{Name: "without (11)", Role: bench.Contrast, Law: bench.Law{Kind: bench.Exponential}, X: "n", Y: "steps"},
		{Name: "diamonds", Role: bench.Evidence, Law: linear, X: "n", Y: "steps"},
		{Name: "fan-out, time", Role: bench.Evidence, Law: linear, X: "n", Y: "time (ns)", Timed: true},
		{Name: "search per step", Role: bench.Evidence, Law: bench.Law{Kind: bench.AtMost}, X: "n", Y: "search / steps"},
		{Name: "nothing", Role: bench.Evidence, Law: linear, X: "nothing", Y: "nothing"},
	}}
	data := [][]bench.Measurement{
		counts(large, func(x float64) float64 { return 83*x + 400 }),
		counts(small, math.Exp2),
		counts(large, func(x float64) float64 { return 31*x + 9 + 5*math.Sqrt(x)*math.Sin(x) }),
		counts(large, func(x float64) float64 { return 120*x + 3e4*(1+math.Sin(x)/3) }),
		counts(large, func(x float64) float64 { return max(0, 1.5-1e3/x/x) }),
		counts([]float64{0}, func(float64) float64 { return 0 }),
	}
	i := -1
	return c.Judge(func(*bench.Series) []bench.Measurement { i++; return data[i] })
}

func TestPictures(t *testing.T) {
	o := outcome()
	got := report.Pictures(o)
	require.Len(t, got, 3, "what can't be drawn has no picture")
	require.Equal(t, "claim-09", got[0].Name)
	require.Equal(t, "claim-09-2", got[1].Name)
	require.Equal(t, "claim-09-3", got[2].Name)
	require.Len(t, got[0].Findings, 3, "evidence and contrast in one picture")
	require.Equal(t, 1, got[2].Dropped, "0 has no place on a logarithmic axis")
	for _, p := range got {
		svg := p.SVG()
		require.Equal(t, svg, p.SVG(), "the same outcome gives the same bytes")
		text := characters(t, svg)
		require.Contains(t, text, p.X)
		require.Contains(t, text, p.Y)
		for _, f := range p.Findings {
			require.Contains(t, text, f.Series.Name)
		}
		if dir := os.Getenv("PICTURES"); dir != "" { // to look at them
			require.NoError(t, os.WriteFile(filepath.Join(dir, p.Name+".svg"), svg, 0o666))
		}
	}
}

// TestMany: many series have a panel each, with the same axes. The title has the verdict of each law.
func TestMany(t *testing.T) {
	c := bench.Claim{Number: 10, Title: "many"}
	for i := range 20 {
		c.Series = append(c.Series, bench.Series{Name: fmt.Sprintf("family %d", i), Role: bench.Evidence, Law: linear, X: "m", Y: "steps", Quick: []int{i}})
	}
	c.Series = append(c.Series, bench.Series{Name: "one alone", Without: "a rule", Role: bench.Contrast, Law: linear, X: "m", Y: "steps", Quick: []int{20}})
	o := c.Judge(func(s *bench.Series) []bench.Measurement {
		var out []bench.Measurement
		for x := 1000.0; x < 1e6; x *= 3 {
			y := math.Pow(x, 1+0.01*float64(s.Quick[0]))
			out = append(out, bench.Measurement{Point: bench.Point{X: x, Y: y}, Low: y, High: y})
		}
		return out
	})
	svg := report.Pictures(o)[0].SVG()
	text := characters(t, svg)
	for _, want := range []string{"steps = Θ(m): fails for 20 series", "Without a rule, steps = Θ(m): fails", "family 0", "~ x^1.00", "family 19", "~ x^1.19", "one alone", "~ x^1.20"} {
		require.Contains(t, text, want)
	}
	require.Equal(t, 7+3, strings.Count(text, "10⁴"), "the numbers of the upward axis stand in seven rows, those of the other in three columns")
}

// TestDark: every class that is drawn has a colour for readers who prefer dark pages.
func TestDark(t *testing.T) {
	o := outcome()
	for _, p := range report.Pictures(o) {
		sheet, drawing, ok := strings.Cut(string(p.SVG()), "</style>")
		require.True(t, ok)
		_, dark, ok := strings.Cut(sheet, "@media (prefers-color-scheme:dark)")
		require.True(t, ok)
		for _, used := range regexp.MustCompile(`<(?:g|text|rect|line) class="(\w+)`).FindAllStringSubmatch(drawing, -1) {
			require.Contains(t, dark, "."+used[1]+"{color:#")
		}
	}
}

// characters is the text of an XML document, which is read to its end.
func characters(t *testing.T, doc []byte) string {
	var out bytes.Buffer
	for d := xml.NewDecoder(bytes.NewReader(doc)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return out.String()
		}
		require.NoError(t, err)
		if c, ok := token.(xml.CharData); ok {
			out.Write(c)
		}
	}
}

// TestEqualSeries: series of one law that holds for each are one in a picture of many: a name, and a band.
func TestEqualSeries(t *testing.T) {
	c := bench.Claim{Number: 9}
	for i := range 31 {
		c.Series = append(c.Series, bench.Series{Name: fmt.Sprintf("family %d", i), Role: bench.Evidence, Law: linear, X: "n", Y: "steps"})
	}
	c.Series = append(c.Series, bench.Series{Name: "without (11)", Role: bench.Contrast, Law: bench.Law{Kind: bench.Power, Power: 2}, X: "n", Y: "steps"})
	i := -1
	o := c.Judge(func(*bench.Series) (out []bench.Measurement) {
		i++
		for _, x := range []float64{100, 200, 500, 1000, 2000, 5000, 10_000} {
			y := float64(10+i) * x
			if i == 31 {
				y = x * x
			}
			out = append(out, bench.Measurement{Size: int(x), Point: bench.Point{X: x, Y: y}, Low: y, High: y})
		}
		return out
	})
	pictures := report.Pictures(o)
	require.Len(t, pictures, 1)
	svg := pictures[0].SVG()
	text := characters(t, svg)
	require.Contains(t, text, "31 series")
	require.Contains(t, text, "~ x^1.00")
	require.Contains(t, text, "without (11)")
	require.NotContains(t, text, "family")
}
