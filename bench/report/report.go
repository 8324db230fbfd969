// Package report takes the measurements of claims, keeps them, and writes what they say.
//
// A [Row] is one point of one series. A [Store] is a file of rows, a line of JSON each: a row is written as
// soon as it is measured and synced to the disk, so that a crash loses at most the points under way, and an
// interrupted run continues where it was. A row is used again only by the same build: the same executable on the
// same release of Go, and for a family in a file of its own, the same file.
//
// [Run] measures what the store lacks. Counts are exact and are taken once, those of several claims at a time;
// times are taken after them, alone, several times each, and are kept with their interval and with a description
// of the computer. [Compare] measures the machine beside its peers on the workloads, and keeps rows of that in the
// same store.
//
// A [Report] is written as tables for a terminal, as Markdown with pictures ([Repository], [Folder]), and as JSON. The
// same report gives the same bytes. The text comes from the claims, the figures from the report alone. What has not
// been measured is left out.
package report

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/peers"
)

// Selection says which rows count.
type Selection struct {
	Sizes func(*bench.Series) []int // Quick, Full or AnySize
	Build string                    // "": whoever measured them
	Tasks []peers.Task              // of the comparison
}

// Quick, Full and AnySize are the sizes of a quick run, of a full one, and of both.
func Quick(s *bench.Series) []int { return s.Quick }
func Full(s *bench.Series) []int  { return s.Full }
func AnySize(s *bench.Series) []int {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.Quick, s.Full))))
}

// buildOf is the build in the rows of the claim.
func buildOf(build string, c *bench.Claim) string {
	if build == "" || c.Depends == "" {
		return build
	}
	return build + " " + c.Depends
}

// Report holds the outcomes of claims by the rows of a store.
type Report struct {
	Outcomes    []*bench.Outcome // by the claims' numbers
	Comparisons []*Comparison    // of the tasks that have been measured
	Builds      []string         // that measured the rows
	Computers   []Computer       // that times were taken on
}

// Report judges the claims by the rows of the selection, and compares peers.
func (s *Store) Report(claims []bench.Claim, sel Selection) *Report {
	out := &Report{}
	for i := range claims {
		c := &claims[i]
		out.Outcomes = append(out.Outcomes, c.Judge(func(series *bench.Series) []bench.Measurement {
			var points []bench.Measurement
			for _, n := range sel.Sizes(series) {
				if r, ok := s.find(key{c.Number, series.Name, n}, buildOf(sel.Build, c)); ok {
					points = append(points, r.Measurement)
					out.note(&r)
				}
			}
			return points
		}))
	}
	for _, t := range sel.Tasks {
		if c := s.comparison(t, sel.Build); len(c.Entries) > 0 {
			out.Comparisons = append(out.Comparisons, c)
			for _, e := range c.Entries {
				out.note(&e.Row)
			}
		}
	}
	slices.SortStableFunc(out.Outcomes, func(a, b *bench.Outcome) int {
		return cmp.Compare(a.Claim.Number, b.Claim.Number)
	})
	slices.Sort(out.Builds)
	slices.SortFunc(out.Computers, func(a, b Computer) int { return cmp.Compare(a.String(), b.String()) })
	return out
}

// note records the build and the computer of a row.
func (p *Report) note(r *Row) {
	if !slices.Contains(p.Builds, r.Build) {
		p.Builds = append(p.Builds, r.Build)
	}
	if r.Computer != nil && !slices.Contains(p.Computers, *r.Computer) {
		p.Computers = append(p.Computers, *r.Computer)
	}
}

// The document that [JSON] writes.
type (
	document struct {
		Builds    []string      `json:"builds"`
		Computers []Computer    `json:"computers,omitempty"`
		Bounds    []bench.Bound `json:"bounds,omitempty"`
		Claims    []claimJSON   `json:"claims"`
		Peers     []*Comparison `json:"peers,omitempty"`
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
	for _, o := range r.Outcomes {
		c := claimJSON{Claim: o.Claim, Verdict: o.Verdict}
		for _, f := range o.Findings {
			c.Series = append(c.Series, seriesOf(f))
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
