package lang

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gram-machine/gram/lang/elaborate"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// CheckSymbols compares the partial derivatives of the symbols that the program declares with differences.
func (p *Program) CheckSymbols() error {
	var diags []syntax.Diagnostic
	for _, f := range p.Symbols {
		for i, span := range f.Partials {
			if headline, label := checkPartial(f, i); headline != "" {
				diags = append(diags, syntax.Diagnostic{Span: span, Headline: headline, Label: label})
			}
		}
	}
	if diags == nil {
		return nil
	}
	return syntax.NewErrors(p.File, diags)
}

// candidates are numbers of which each interval has one whose ends have one sign and a ratio above 1.5, from 10⁻⁶ to
// 10⁶.
var candidates = func() (out []float64) {
	for k := range 36 {
		large, small := 0.71*math.Pow(1.5, float64(k)), 0.71*math.Pow(1.5, -float64(k))
		out = append(out, large, -large, small, -small)
	}
	return out
}()

// enoughPoints is at how many points a partial derivative is compared, if there are so many.
const enoughPoints = 300

// checkPartial compares ∂i f with differences at points where f is smooth, and returns the error for the first one at
// which they differ.
func checkPartial(s elaborate.Symbol, i int) (headline, label string) {
	f := s.Symbol
	k, n, compared := f.Info().Arity, len(candidates), 0
	rounds := 1
	if k > 1 {
		rounds = n
	}
	at := make([]float64, k)
	for j := range rounds {
		for m := range candidates {
			at[0] = candidates[m]
			for l := 1; l < k; l++ {
				at[l] = candidates[(m+(11*j+3)*l*l)%n]
			}
			d, tolerance := difference(f, at, i, 0.05)
			again, other := difference(f, at, i, 0.037)
			if !(math.Abs(d-again) <= tolerance+other) {
				continue
			}
			compared++
			got := f.Slope(i).Eval(at...)
			if !(math.Abs(got-d) <= 1e-6*math.Abs(d)+tolerance) {
				point := syntax.Each(k, func(i int) string { return fmt.Sprintf("%s = %.6g", s.Params[i], at[i]) })
				return "wrong partial derivative", fmt.Sprintf("at %s this is %.6g, and by central differences %.6g",
					strings.Join(point, ", "), got, d)
			}
		}
		if compared >= enoughPoints {
			break
		}
	}
	if compared == 0 {
		return "partial derivative not compared", fmt.Sprintf("%s is smooth at none of the points that were tried", f)
	}
	return "", ""
}

// difference returns ∂i f at a point by central differences, from a step of share·|xi| on, which are extrapolated to
// the step 0 (Ridders, "Accurate computation of F′(x) and F′(x)F″(x)", 1982), and a bound of the error. Both are NaN
// where f is not smooth.
func difference(f term.Symbol, at []float64, i int, share float64) (slope, tolerance float64) {
	x := slices.Clone(at)
	var before []float64
	largest := 0.0 // rounding is in proportion to it
	eval := func(xi float64) float64 {
		x[i] = xi
		largest = max(largest, f.Info().Largest(x...))
		return f.Eval(x...)
	}
	tolerance = math.Inf(1)
	for h := share * min(math.Abs(at[i]), 1); len(before) < 8; h /= 2 {
		up, down := at[i]+h, at[i]-h
		fUp, fDown := eval(up), eval(down)
		row := []float64{(fUp - fDown) / (up - down)}
		for j, old := range before {
			factor := math.Exp2(float64(2 * (j + 1)))
			row = append(row, (factor*row[j]-old)/(factor-1))
			if t := max(math.Abs(row[j+1]-row[j]), math.Abs(row[j+1]-old)) + 0x1p-50*largest/h; t < tolerance {
				slope, tolerance = row[j+1], t
			}
		}
		before = row
	}
	if !(tolerance <= 1e-5*math.Abs(slope) || tolerance <= 1e-9*largest/math.Abs(at[i])) {
		return math.NaN(), math.NaN()
	}
	return slope, 10 * tolerance
}
