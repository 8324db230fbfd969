package report

import (
	"encoding/json"
	"math"

	"github.com/gram-machine/gram/bench"
)

// The document that [JSON] writes.
type (
	document struct {
		Builds    []string      `json:"builds"`
		Computers []Computer    `json:"computers,omitempty"`
		Bounds    []bench.Bound `json:"bounds,omitempty"`
		Claims    []claimJSON   `json:"claims"`
		Peers     []Comparison  `json:"peers,omitempty"`
	}
	claimJSON struct {
		*bench.Claim
		Verdict bench.Verdict `json:"verdict"`
		Series  []seriesJSON  `json:"series"`
	}
	seriesJSON struct {
		*bench.Series
		Law      string              `json:"law"`
		Verdict  bench.Verdict       `json:"verdict"`
		Why      string              `json:"why"`
		Exponent *float64            `json:"exponent,omitempty"`
		Half     *float64            `json:"half,omitempty"` // of the 95 % interval
		Constant float64             `json:"constant"`
		Forms    map[string]float64  `json:"residuals,omitempty"`
		Points   []bench.Measurement `json:"points"`
	}
)

// JSON is the report as one JSON object.
func JSON(r *Report) ([]byte, error) {
	bounds, err := bench.TheoremBounds(r.Outcomes)
	if err != nil {
		return nil, err
	}
	doc := document{Builds: r.Builds, Computers: r.Computers, Bounds: bounds, Claims: []claimJSON{}, Peers: r.Comparisons}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		c := claimJSON{Claim: o.Claim, Verdict: o.Verdict}
		for j := range o.Findings {
			c.Series = append(c.Series, seriesOf(&o.Findings[j]))
		}
		doc.Claims = append(doc.Claims, c)
	}
	out, err := json.MarshalIndent(doc, "", "  ")
	return append(out, '\n'), err
}

func seriesOf(f *bench.Finding) seriesJSON {
	s := seriesJSON{Series: f.Series, Law: law(f.Series), Verdict: f.Verdict, Why: f.Why, Constant: f.Constant,
		Points: append([]bench.Measurement{}, f.Points...)}
	if !f.Fitted {
		return s
	}
	s.Exponent, s.Forms = &f.Exponent, map[string]float64{}
	if !math.IsInf(f.Half, 0) {
		s.Half = &f.Half
	}
	for _, r := range f.Forms {
		s.Forms[r.Law.Form()] = r.Residual
	}
	return s
}
