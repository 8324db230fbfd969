package report

import (
	"cmp"
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
	Outcomes    []bench.Outcome // by the claims' numbers
	Comparisons []Comparison    // of the tasks that have been measured
	Builds      []string        // that measured the rows
	Computers   []Computer      // that times were taken on
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
			for i := range c.Entries {
				out.note(&c.Entries[i].Row)
			}
		}
	}
	slices.SortStableFunc(out.Outcomes, func(a, b bench.Outcome) int {
		return cmp.Compare(a.Claim.Number,
			b.Claim.Number)
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
