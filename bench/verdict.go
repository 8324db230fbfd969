package bench

import (
	"cmp"
	"slices"
)

// Verdict is what measurements say of a claim or of a law. It is computed from them
// alone.
type Verdict string

// The verdicts.
const (
	Holds          Verdict = "holds"
	HoldsCorrected Verdict = "holds after correction"
	Fails          Verdict = "fails"
	Open           Verdict = "open"         // the data are too few, or too noisy
	Missing        Verdict = "not measured" // there are none
)

// Measurement is a point that has been taken.
type Measurement struct {
	Size int `json:"size"`
	Point
	// Low and High are the 95 % interval of the median of a time, Samples all that were
	// taken. A count has none of them.
	Low     float64   `json:"low,omitempty"`
	High    float64   `json:"high,omitempty"`
	Samples []float64 `json:"samples,omitempty"`
}

// Finding is what the measurements of one series say.
type Finding struct {
	*Series
	Points  []Measurement
	Verdict Verdict // of the series' law
	Why     string  // what decided, in one sentence

	// Exponent is that of the power law through the points of Window, Half half the width
	// of its 95 % interval. For an exponential law they are the r of 2^(r·x).
	Exponent, Half float64
	// Constant is the largest ratio of y to the law's own growth, over all points; for the
	// law Equal, of y to x. 0 for an exponential law.
	Constant float64
	// Fitted tells that there is an exponent: Window has points enough.
	Fitted bool
	Window Corrected // the points that the exponent is taken from
	Line   Line      // through their logarithms
	Forms  []Ranked  // the forms of growth on Window, the best first
}

// Outcome is what the measurements of a claim say.
type Outcome struct {
	Claim    *Claim
	Verdict  Verdict
	Findings []Finding // in the order of the series
}

// Judge decides the claim from the measurements of its series: it fails if the law of one series of evidence does, and
// holds if all of them hold. It holds after a correction only if the sentence as printed fails.
func (c *Claim) Judge(points func(*Series) []Measurement) Outcome {
	out := Outcome{Claim: c}
	verdicts, printed := map[Verdict]int{}, map[Verdict]int{}
	for i := range c.Series {
		s := &c.Series[i]
		f := s.Judge(points(s))
		out.Findings = append(out.Findings, f)
		switch s.Role {
		case Evidence:
			verdicts[f.Verdict]++
		case Printed:
			printed[f.Verdict]++
		}
	}
	switch {
	case verdicts[Fails] > 0:
		out.Verdict = Fails
	case verdicts[Open] > 0, verdicts[Missing] > 0 && verdicts[Holds] > 0:
		out.Verdict = Open
	case verdicts[Holds] == 0:
		out.Verdict = Missing
	case c.Correction != "" && printed[Fails] == 0:
		out.Verdict = Open
	case c.Correction != "":
		out.Verdict = HoldsCorrected
	default:
		out.Verdict = Holds
	}
	return out
}

// Worst returns, for each law and pair of quantities of the evidence, the finding that speaks most
// against it: by its verdict, and then by how far its exponent is beyond the law. They are in the order of the
// series, those without an exponent left out.
func (o *Outcome) Worst() []*Finding {
	var out []*Finding
	for i := range o.Findings {
		f := &o.Findings[i]
		if f.Series.Role != Evidence || !f.Fitted && !f.Series.Law.exact() || f.Verdict == Missing {
			continue
		}
		at := slices.IndexFunc(out, func(g *Finding) bool { return g.Series.alike(f.Series) })
		switch {
		case at < 0:
			out = append(out, f)
		case f.Compare(out[at]) > 0:
			out[at] = f
		}
	}
	return out
}

// Constant is the largest constant of the evidence that has the finding's law and quantities.
func (o *Outcome) Constant(of *Finding) float64 {
	most := 0.0
	for _, f := range o.Findings {
		if f.Series.Role == Evidence && f.Series.alike(of.Series) {
			most = max(most, f.Constant)
		}
	}
	return most
}

// alike reports whether the series have one law of the same quantities.
func (s *Series) alike(t *Series) bool { return s.Law == t.Law && s.X == t.X && s.Y == t.Y }

// Compare orders findings by how much they speak against their laws: by the verdict, and then
// by how far the exponent is beyond the law's.
func (f *Finding) Compare(g *Finding) int {
	severity := map[Verdict]int{Fails: 2, Open: 1}
	return cmp.Or(cmp.Compare(severity[f.Verdict], severity[g.Verdict]), cmp.Compare(f.distance(), g.distance()))
}
