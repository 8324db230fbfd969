package bench

import (
	"slices"

	"gonum.org/v1/gonum/floats"
)

// The quantities of a run that the bounds of Theorem 1 are about, as [Point.More] names them.
const (
	MName        = "m"   // steps to the graph
	GraphName    = "|G|" // its size
	BilinearName = "(|t| + n)·(steps + 1)"
	StepsName    = "steps" // of the gradient
	OverheadName = "overhead"
	MovesName    = "rewrites + units" // of the literal machine
)

// Bound is a cost of a gradient against a sum of quantities with constants, over the runs that have all of them: the
// steps against m, |G| and 1, which is Theorem 1 with its constants, and work against |t|·(steps + 1).
type Bound struct {
	Quantity string   `json:"quantity"` // what is bounded: "steps"
	Of       []string `json:"of"`       // the quantities that bound it; "" is 1
	FittedBound
}

// FittedBound has the constants of a bound y ≤ Σ c_j·x_j over some runs.
type FittedBound struct {
	Runs int `json:"runs"`
	// Least are constants such that no run takes more: those with the least mean excess, a linear program.
	Least []float64 `json:"least"`
	// Fit are the constants of the least-squares fit, Residual the root mean square of its relative deviations.
	Fit      []float64 `json:"fit"`
	Residual float64   `json:"residual"`
	// Loosest is the least cost over its bound by Least.
	Loosest float64 `json:"-"`
}

// TheoremBounds fits the bounds to all measurements but those of ablations. A bound of which no measurement has the
// quantities is left out.
func TheoremBounds(outcomes []*Outcome) ([]Bound, error) {
	var out []Bound
	for _, form := range []struct {
		bound Bound
		cost  []string // the quantities whose sum is bounded
	}{
		{Bound{Quantity: "steps", Of: []string{MName, GraphName, ""}}, []string{StepsName}},
		{Bound{Quantity: "steps + overhead of the compiler's code", Of: []string{BilinearName}},
			[]string{StepsName, OverheadName}},
		{Bound{Quantity: MovesName, Of: []string{BilinearName}}, []string{MovesName}},
	} {
		samples := form.bound.samples(outcomes, form.cost)
		if len(samples) == 0 {
			continue
		}
		c, err := FitBound(samples)
		if err != nil {
			return nil, err
		}
		form.bound.FittedBound = c
		out = append(out, form.bound)
	}
	return out, nil
}

// samples are the runs that have the quantities of the bound. Several series may be quantities of one run, which is
// taken once.
func (b *Bound) samples(outcomes []*Outcome, cost []string) []Sample {
	var out []Sample
	for _, o := range outcomes {
		for _, f := range o.Findings {
			if f.Series.Role == Contrast {
				continue
			}
			for _, p := range f.Points {
				x, bounded := p.values(b.Of)
				y, counted := p.values(cost)
				s := Sample{x, floats.Sum(y)}
				same := func(t Sample) bool { return t.Y == s.Y && slices.Equal(t.X, s.X) }
				if bounded && counted && s.Y > 0 && !slices.ContainsFunc(out, same) {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// values are further quantities of a point, 1 for the name ""; ok is false if it lacks one.
func (p *Point) values(names []string) (out []float64, ok bool) {
	for _, name := range names {
		v, there := p.More[name]
		switch {
		case name == "":
			v = 1
		case !there:
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// FitBound fits the constants of a bound.
func FitBound(samples []Sample) (c FittedBound, err error) {
	c.Runs = len(samples)
	if c.Fit, c.Residual, err = LeastSquaresFit(samples); err != nil {
		return c, err
	}
	c.Least, err = LeastBound(samples)
	for i, s := range samples {
		if ratio := s.Y / floats.Dot(c.Least, s.X); i == 0 || ratio < c.Loosest {
			c.Loosest = ratio
		}
	}
	return c, err
}
