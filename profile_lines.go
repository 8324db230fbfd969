package gram

import (
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph/calls"
)

// LineCost is what a run did at one line of the source itself: what was done at the lines
// that this one calls is theirs.
type LineCost struct {
	Line int    // from 1; 0: no place in the source
	Text string // without its line break
	// The rewrites: of the source's own code, of what the reverse transformation has put
	// around it, and of normal forms in the making, of which that can't be told.
	Source, Generated, Normalised uint64
	// Nodes that the run made. Those that a strategy made before it are not among them, as
	// in [Cost].
	Nodes uint64
}

// Rewrites returns the number of all.
func (c *LineCost) Rewrites() uint64 { return c.Source + c.Generated + c.Normalised }

// Lines returns the cost of every line of the source, the first of them line 0. Over all,
// the rewrites are Result.Cost.Steps.Total(), and the nodes Result.Cost.Nodes.Allocated.
func (p *Profile) Lines() []LineCost {
	file := p.pprof.src.File
	lines := make([]LineCost, file.NumLines()+1)
	for i := range lines {
		lines[i].Line, lines[i].Text = i, file.Line(i)
	}
	for _, s := range p.pprof.out.Sample {
		at := &lines[s.Location[0].Line[0].Line]
		to := &at.Normalised
		if pass := s.Label["pass"]; pass != nil && pass[0] == passNames[calls.SourceCode] {
			to = &at.Source
		} else if pass != nil {
			to = &at.Generated
		}
		*to += uint64(s.Value[inRewrites])
		if s.Label["phase"][0] != engine.Normalise.String() {
			at.Nodes += uint64(s.Value[inNodes])
		}
	}
	return lines
}
