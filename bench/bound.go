package bench

import (
	"slices"

	"github.com/gram-machine/gram/bench/fit"
)

// The quantities of a run that the bound of Theorem 1 is about, as [Point.More] names them.
const (
	MName        = "m"   // steps to the graph
	GraphName    = "|G|" // its size
	StepsName    = "steps"
	OverheadName = "overhead"
)

// Bound is steps + overhead against c1·m + c2·|G| + c3, over the runs that have all four
// quantities: Theorem 1 with its constants.
type Bound struct {
	Runs int
	// Fit are the c1, c2, c3 of the least-squares fit, Residual the root mean square of its
	// relative deviations.
	Fit      [3]float64
	Residual float64
	// Least are constants such that no run takes more: those with the least mean excess,
	// a linear program.
	Least [3]float64
	// Tightest is the largest (steps + overhead) / (c1·m + c2·|G| + c3) by Least, 1 to within rounding; Loosest the least.
	Tightest, Loosest float64
}

// TheoremBound fits the bound to all measurements but those of series of contrast. ok is
// false if no measurement has the four quantities.
func TheoremBound(outcomes []Outcome) (b Bound, ok bool, err error) {
	var samples []fit.Sample
	for _, o := range outcomes {
		for _, f := range o.Findings {
			for _, p := range f.Points {
				s, ok := p.sample()
				same := func(t fit.Sample) bool { return t.Y == s.Y && slices.Equal(t.X, s.X) }
				// Several series may be quantities of one run.
				if ok && f.Series.Role == Evidence && !slices.ContainsFunc(samples, same) {
					samples = append(samples, s)
				}
			}
		}
	}
	b.Runs = len(samples)
	if b.Runs == 0 {
		return b, false, nil
	}
	c, residual, err := fit.LeastSquares(samples)
	if err != nil {
		return b, false, err
	}
	copy(b.Fit[:], c)
	b.Residual = residual
	if c, err = fit.Bound(samples); err != nil {
		return b, false, err
	}
	copy(b.Least[:], c)
	for i, s := range samples {
		ratio := s.Y / (c[0]*s.X[0] + c[1]*s.X[1] + c[2]*s.X[2])
		b.Tightest = max(b.Tightest, ratio)
		if i == 0 || ratio < b.Loosest {
			b.Loosest = ratio
		}
	}
	return b, true, nil
}

// sample is the point as one of the bound; ok is false if it lacks a quantity.
func (p *Point) sample() (s fit.Sample, ok bool) {
	q := map[string]float64{}
	for _, name := range []string{MName, GraphName, StepsName, OverheadName} {
		v, there := p.More[name]
		if !there {
			return s, false
		}
		q[name] = v
	}
	s = fit.Sample{X: []float64{q[MName], q[GraphName], 1}, Y: q[StepsName] + q[OverheadName]}
	return s, s.Y > 0
}
