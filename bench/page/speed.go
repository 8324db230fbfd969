package page

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/measure"
	"github.com/gram-machine/gram/bench/peers"
	"github.com/gram-machine/gram/bench/plot"
)

// rewriting are the peers whose steps are counted, in any of the comparisons.
func rewriting(all []measure.Comparison) []peers.Peer {
	return slices.DeleteFunc(peers.All(), func(p peers.Peer) bool {
		return !slices.ContainsFunc(all, func(c measure.Comparison) bool {
			e := c.Of(p.Name)
			return e != nil && e.Steps > 0
		})
	})
}

// speed is the page's section on how fast steps are.
func speed(out *bytes.Buffer, r *measure.Report, opt Options) {
	all := r.Comparisons
	of := rewriting(all)
	if len(of) == 0 {
		return
	}
	perSecond := grid(all, of, func(e *measure.Entry) string {
		if e.Steps == 0 {
			return "–"
		}
		return rough(e.Steps / e.Row.Y * 1e3)
	})
	fused := slices.DeleteFunc(slices.Clone(of), func(p peers.Peer) bool { return p.Literal })
	steps := grid(all, fused, func(e *measure.Entry) string {
		if e.Steps == 0 {
			return "–"
		}
		return figure(e.Steps)
	})
	fmt.Fprintf(out, `
<a id="rewriting-speed"></a>

## Rewriting speed

Millions of counted steps a second, forward and backward together, from the times above. A fused run counts the steps of
the literal form that its blocks stand for; so its figure is a rate at which the calculus is worked off, not one at which
nodes are visited. Steps before the run (normalising for modular, making the graph for unfold) are in neither number.
Maude's are its own rewrites.

%s

The steps of a run, fused or literal, which do not depend on the computer:

%s
`, perSecond.RenderMarkdown(), steps.RenderMarkdown())
	out.WriteString(perSize(r, opt))
}

// timeClaim is the number of the claim that a step costs constant time.
const timeClaim = 18

// perSize tells how the time of a step changes with the number of nodes, which is claim 18; "" if it was
// not measured.
func perSize(r *measure.Report, opt Options) string {
	at := slices.IndexFunc(r.Outcomes, func(o bench.Outcome) bool { return o.Claim.Number == timeClaim })
	if at < 0 {
		return ""
	}
	o := &r.Outcomes[at]
	var lines []string
	least, most := math.Inf(1), 0.0
	for _, f := range o.Findings {
		if !f.Series.Timed || len(f.Points) < 2 {
			continue
		}
		first, last := f.Points[0], f.Points[len(f.Points)-1]
		least, most = min(least, first.X), max(most, last.X)
		lines = append(lines, fmt.Sprintf("%s %s → %s", f.Series.Name, rough(first.Y), rough(last.Y)))
	}
	if len(lines) == 0 {
		return ""
	}
	text := fmt.Sprintf("\nWith the size, in the literal form, from %s to %s nodes, a step takes, in nanoseconds: %s. [Claim %d](#%s) has the curve.\n",
		figure(least), figure(most), strings.Join(lines, "; "), timeClaim, anchor(o.Claim))
	if p := plot.Pictures(o); len(p) > 0 {
		text += fmt.Sprintf("\n![%s against %s](%s/%s.svg)\n", p[0].Y, p[0].X, opt.Plots, p[0].Name)
	}
	return text
}
