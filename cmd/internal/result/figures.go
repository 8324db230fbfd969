package result

import (
	"fmt"
	"strconv"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
)

// Run says how a cost was measured.
type Run struct {
	Mode   gram.Mode
	Repeat uint64 // how often it was run
}

// Figures are a part of a cost for people: one line of the text, or one table of the report. JSON
// has the fields of [gram.Cost] instead.
type Figures struct {
	name    string // in front of the line
	Caption string // of the table
	Facts   []Fact
	on      string // the machine whose they are, behind the line; or nothing
}

// machines are the names of [cost.Overhead].Machine.
var machines = map[string]string{"literal": "the literal machine", "code": "the compiler's code"}

// CostFigures returns the figures of a gradient, except its steps by rule.
func CostFigures(c *gram.Cost, run Run) []Figures {
	var out []Figures
	part := func(name, caption string, facts ...Fact) {
		out = append(out, Figures{name: name, Caption: caption, Facts: facts})
	}
	if run.Mode != gram.Reverse {
		part("passes", "Passes over the graph", counted("operations", c.Operations),
			counted("nodes of the graph", c.Nodes.Allocated),
			counted("scalar inputs", c.Inputs))
		part("time", "Time", times(c, run, "run")...)
		return out
	}
	part("size", "Size", counted("|t|", c.Size.Term), counted("|D(t)|", c.Size.Reverse),
		counted("scalar inputs", c.Inputs))
	overhead := []Fact{counted("instantiate", c.Overhead.Instantiate), counted("search", c.Overhead.Search),
		counted("read-back", c.Overhead.Readback), counted("total", c.Overhead.Total)}
	if n := c.Overhead.Recompute; n > 0 {
		overhead = append(overhead, counted("steps made again", n))
	}
	on := machines[c.Overhead.Machine]
	part("overhead", "Overhead of "+on+": work that is no step", overhead...)
	out[len(out)-1].on = on
	if n := c.Normalised; n != nil {
		part("modular", "Functions normalised", counted("functions", n.Lambdas), counted("steps", n.Steps),
			counted(fmt.Sprintf("kept past %d·|D(λ)| steps", n.Budget), n.Kept))
	}
	if u := c.Cache; u != nil && u.MaxBytes > 0 {
		part("cache", "Cache of normal forms", counted("found", u.Hits), counted("made", u.Misses),
			counted("symbols reused", u.Reused),
			counted("rebuilt", u.Rebuilt),
			Fact{Name: "held", Text: limits.Size(u.Bytes) + " of " + limits.Size(u.MaxBytes)},
			counted("evicted", u.Evictions))
	}
	if c.M != nil {
		part("bound", "Bound of Theorem 1", counted("m", *c.M), counted("|G|", *c.Graph),
			Fact{Name: "(steps + overhead of " + on + ") / (m + |G|)", Text: strconv.FormatFloat(*c.BoundRatio, 'f', 2, 64)})
	}
	if t := c.Theorem; t != nil {
		part("theorem", "D(t) with its inputs left open, under its λ", counted("steps", t.Steps.Total()),
			counted("units", t.Units), counted("words", t.Words))
	}
	if s := c.Span; s != nil {
		chains := []Fact{counted("value", s.Value)}
		if s.Gradient > 0 {
			chains = append(chains, counted("gradient", s.Gradient))
		}
		part("span", "Longest chains of steps that depend on each other", chains...)
	}
	bytes := exec.NodeBytes
	if c.Overhead.Machine == "literal" {
		bytes = machine.NodeBytes
	}
	part("nodes", fmt.Sprintf("Nodes of %d bytes", bytes), counted("allocated", c.Nodes.Allocated),
		counted("freed", c.Nodes.Freed),
		counted("at once", c.Nodes.Peak), Fact{Name: "arena", Text: limits.Size(c.ArenaBytes)})
	each := Fact{Name: "each step with its overhead", Text: strconv.FormatFloat(c.NsPerStep, 'f', 1, 64) +
		" ns"}
	part("time", "Time, of a run without a profile", append(times(c, run, "reduce"), each)...)
	return out
}

// counted returns a fact that is a number of things.
func counted[N int | int64 | uint64](name string, n N) Fact {
	return Fact{Name: name, Text: load.Grouped(uint64(n))}
}

// times are the times of a cost. part names what that is repeated.
func times(c *gram.Cost, run Run, part string) []Fact {
	text := load.Seconds(c.Seconds.Reduce)
	if run.Repeat > 1 {
		text += fmt.Sprintf(" (best of %d, median %s)", run.Repeat, load.Seconds(c.Seconds.ReduceMedian))
	}
	return []Fact{{Name: "load", Text: load.Seconds(c.Seconds.Load)},
		{Name: "compile", Text: load.Seconds(c.Seconds.Compile)}, {Name: part, Text: text}}
}
