package bench

import (
	"slices"

	"github.com/gram-machine/gram/bench/fit"
)

// The quantities of a run that the bounds of Theorem 1 are about, as [Point.More] names them.
const (
	MName        = "m"     // steps to the graph
	GraphName    = "|G|"   // its size
	WidthName    = "w"     // the most variables that a λ or a branch of the program captures, at least 1
	StepsName    = "steps" // of the gradient
	OverheadName = "overhead"
	WordsName    = "words" // of the arena that the literal machine reads and writes
)

// Bound is a cost of a gradient against c1·m + c2·|G| + c3, over the runs that have all quantities: Theorem 1 with its
// constants. If it is Wide, m and |G| have the factor w.
type Bound struct {
	Quantity string `json:"quantity"` // what is bounded: "steps + overhead"
	Wide     bool   `json:"wide"`
	Runs     int    `json:"runs"`
	// Least are constants such that no run takes more: those with the least mean excess, a linear program.
	Least [3]float64 `json:"least"`
	// Fit are the c1, c2, c3 of the least-squares fit, Residual the root mean square of its relative deviations.
	Fit      [3]float64 `json:"fit"`
	Residual float64    `json:"residual"`
	// Tightest is the largest cost over its bound by Least, 1 to within rounding; Loosest the least.
	Tightest float64 `json:"-"`
	Loosest  float64 `json:"-"`
}

// TheoremBounds fits the bounds to all measurements but those of ablations. A bound of which no measurement has the
// quantities is left out.
func TheoremBounds(outcomes []Outcome) ([]Bound, error) {
	var out []Bound
	for _, form := range []struct {
		bound Bound
		cost  []string // the quantities whose sum is bounded
	}{
		{Bound{Quantity: "steps"}, []string{StepsName}},
		{Bound{Quantity: "steps + overhead", Wide: true}, []string{StepsName, OverheadName}},
		{Bound{Quantity: "words", Wide: true}, []string{WordsName}},
	} {
		samples := form.bound.samples(outcomes, form.cost)
		if len(samples) == 0 {
			continue
		}
		if err := form.bound.fit(samples); err != nil {
			return nil, err
		}
		out = append(out, form.bound)
	}
	return out, nil
}

// samples are the runs that have the quantities of the bound. Several series may be quantities of one run, which is
// taken once.
func (b *Bound) samples(outcomes []Outcome, cost []string) []fit.Sample {
	var out []fit.Sample
	for _, o := range outcomes {
		for _, f := range o.Findings {
			if f.Series.Role == Contrast {
				continue
			}
			for _, p := range f.Points {
				s, ok := b.sample(p.More, cost)
				same := func(t fit.Sample) bool { return t.Y == s.Y && slices.Equal(t.X, s.X) }
				if ok && !slices.ContainsFunc(out, same) {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// sample is a run as a sample of the bound; ok is false if it lacks a quantity.
func (b *Bound) sample(run map[string]float64, cost []string) (s fit.Sample, ok bool) {
	for _, name := range append([]string{MName, GraphName, WidthName}, cost...) {
		if _, ok := run[name]; !ok {
			return s, false
		}
	}
	factor := 1.0
	if b.Wide {
		factor = run[WidthName]
	}
	s.X = []float64{factor * run[MName], factor * run[GraphName], 1}
	for _, name := range cost {
		s.Y += run[name]
	}
	return s, s.Y > 0
}

// fit sets the constants of the bound.
func (b *Bound) fit(samples []fit.Sample) error {
	b.Runs = len(samples)
	c, residual, err := fit.LeastSquares(samples)
	if err != nil {
		return err
	}
	copy(b.Fit[:], c)
	b.Residual = residual
	if c, err = fit.Bound(samples); err != nil {
		return err
	}
	copy(b.Least[:], c)
	for i, s := range samples {
		ratio := s.Y / (c[0]*s.X[0] + c[1]*s.X[1] + c[2]*s.X[2])
		b.Tightest = max(b.Tightest, ratio)
		if i == 0 || ratio < b.Loosest {
			b.Loosest = ratio
		}
	}
	return nil
}
