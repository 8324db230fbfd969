package page

import (
	"encoding/json"
	"math"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/measure"
)

// The document that [JSON] writes.
type (
	document struct {
		Builds    []string           `json:"builds"`
		Computers []measure.Computer `json:"computers,omitempty"`
		Bounds    []boundJSON        `json:"bounds,omitempty"`
		Claims    []claimJSON        `json:"claims"`
		Peers     []taskJSON         `json:"peers,omitempty"`
	}
	taskJSON struct {
		Workload   string     `json:"workload"`
		N          int        `json:"n"`
		K          int        `json:"k,omitempty"`
		Primitives float64    `json:"primitives"`
		Peers      []peerJSON `json:"peers"`
	}
	// Times are nanoseconds for each primitive, samples those of a run.
	peerJSON struct {
		Name    string    `json:"name"`
		Ns      float64   `json:"nsPerPrimitive"` // the median
		Best    float64   `json:"best"`
		Low     float64   `json:"low"`
		High    float64   `json:"high"`
		Tape    float64   `json:"overTape"`
		Bytes   float64   `json:"bytesPerPrimitive,omitempty"`
		Steps   float64   `json:"steps,omitempty"`
		Samples []float64 `json:"samples"`
	}
	// Wide says that the bound has the factor w, the widest capture.
	boundJSON struct {
		Quantity string     `json:"quantity"`
		Wide     bool       `json:"wide"`
		Runs     int        `json:"runs"`
		Least    [3]float64 `json:"least"` // of m, of |G|, and alone
		Fit      [3]float64 `json:"fit"`
		Residual float64    `json:"residual"`
	}
	claimJSON struct {
		Number     int           `json:"number,omitempty"`
		Title      string        `json:"title"`
		Source     string        `json:"source,omitempty"`
		Verdict    bench.Verdict `json:"verdict"`
		Correction string        `json:"correction,omitempty"`
		Series     []seriesJSON  `json:"series"`
	}
	seriesJSON struct {
		Name     string             `json:"name"`
		Role     bench.Role         `json:"role"`
		Without  string             `json:"without,omitempty"`
		Law      string             `json:"law"`
		X        string             `json:"x"`
		Y        string             `json:"y"`
		Verdict  bench.Verdict      `json:"verdict"`
		Why      string             `json:"why"`
		Exponent *float64           `json:"exponent,omitempty"`
		Half     *float64           `json:"half,omitempty"` // of the 95 % interval
		Constant float64            `json:"constant"`
		Forms    map[string]float64 `json:"residuals,omitempty"`
		Points   []pointJSON        `json:"points"`
	}
	pointJSON struct {
		Size    int                `json:"size"`
		X       float64            `json:"x"`
		Y       float64            `json:"y"`
		More    map[string]float64 `json:"more,omitempty"`
		Low     *float64           `json:"low,omitempty"`
		High    *float64           `json:"high,omitempty"`
		Samples []float64          `json:"samples,omitempty"`
	}
)

// JSON is the report as one JSON object.
func JSON(r *measure.Report) ([]byte, error) {
	doc := document{Builds: r.Builds, Computers: r.Computers, Claims: []claimJSON{}}
	bounds, err := bench.TheoremBounds(r.Outcomes)
	if err != nil {
		return nil, err
	}
	for _, b := range bounds {
		doc.Bounds = append(doc.Bounds, boundJSON{b.Quantity, b.Wide, b.Runs, b.Least, b.Fit, b.Residual})
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		c := claimJSON{Number: o.Claim.Number, Title: o.Claim.Title, Source: o.Claim.Source, Verdict: o.Verdict, Correction: o.Claim.Correction}
		for j := range o.Findings {
			c.Series = append(c.Series, seriesOf(&o.Findings[j]))
		}
		doc.Claims = append(doc.Claims, c)
	}
	for _, c := range r.Comparisons {
		t := taskJSON{Workload: c.Task.Workload, N: c.Task.N, K: c.Task.K, Primitives: c.Task.Primitives()}
		for i := range c.Entries {
			e := &c.Entries[i]
			t.Peers = append(t.Peers, peerJSON{Name: e.Peer.Name, Ns: e.Ns, Best: e.Best, Low: e.Row.Low / e.Row.X, High: e.Row.High / e.Row.X,
				Tape: e.Tape, Bytes: e.Bytes, Steps: e.Steps, Samples: e.Row.Samples})
		}
		doc.Peers = append(doc.Peers, t)
	}
	out, err := json.MarshalIndent(doc, "", "  ")
	return append(out, '\n'), err
}

func seriesOf(f *bench.Finding) seriesJSON {
	s := seriesJSON{Name: f.Series.Name, Role: f.Series.Role, Without: f.Series.Without, Law: law(f.Series), X: f.Series.X, Y: f.Series.Y,
		Verdict: f.Verdict, Why: f.Why, Constant: f.Constant, Points: []pointJSON{}}
	if f.Fitted {
		s.Exponent = &f.Exponent
		if !math.IsInf(f.Half, 0) {
			s.Half = &f.Half
		}
		s.Forms = map[string]float64{}
		for _, r := range f.Forms {
			s.Forms[r.Model.String()] = r.Residual
		}
	}
	for _, m := range f.Points {
		p := pointJSON{Size: m.Size, X: m.X, Y: m.Y, More: m.More, Samples: m.Samples}
		if len(m.Samples) > 0 {
			p.Low, p.High = &m.Low, &m.High
		}
		s.Points = append(s.Points, p)
	}
	return s
}
