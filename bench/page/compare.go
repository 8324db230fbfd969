package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/measure"
	"github.com/gram-machine/gram/bench/peers"
	"github.com/gram-machine/gram/bench/plot"
)

// taskName names a task as people do: "W2, n = 10³, k = 16".
func taskName(t peers.Task) string {
	name := fmt.Sprintf("%s, n = %s", strings.ToUpper(t.Workload), size(t.N))
	if t.K > 0 {
		name += fmt.Sprintf(", k = %d", t.K)
	}
	return name
}

// size prints powers of ten from 1000 on as such.
func size(n int) string {
	if e := math.Log10(float64(n)); n >= 1000 && e == math.Trunc(e) {
		return "10" + string([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[int(e)])
	}
	return grouped(int64(n))
}

// compared are the peers that any task has and that take part for their times, in order.
func compared(all []measure.Comparison) []peers.Peer {
	return slices.DeleteFunc(peers.All(), func(p peers.Peer) bool {
		return p.Aside || !slices.ContainsFunc(all, func(c measure.Comparison) bool { return c.Of(p.Name) != nil })
	})
}

// unmeasured are the names of the peers that no task has.
func unmeasured(all []measure.Comparison) []string {
	var out []string
	for _, p := range peers.All() {
		if !p.Aside && !slices.ContainsFunc(all, func(c measure.Comparison) bool { return c.Of(p.Name) != nil }) {
			out = append(out, p.Name)
		}
	}
	return out
}

// grid is a table with a line for each peer and a column for each task.
func grid(all []measure.Comparison, of []peers.Peer, cell func(*measure.Entry) string) table.Writer {
	t := plain()
	header := table.Row{""}
	var configs []table.ColumnConfig
	for i := range all {
		header = append(header, taskName(all[i].Task))
		configs = append(configs, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(configs)
	for _, p := range of {
		row := table.Row{p.Name}
		for i := range all {
			text := "–"
			if e := all[i].Of(p.Name); e != nil {
				text = cell(e)
			}
			row = append(row, text)
		}
		t.AppendRow(row)
	}
	return t
}

// times prints nanoseconds for each primitive, and the ratio to the tape.
func times(e *measure.Entry) string { return fmt.Sprintf("%s (%s)", rough(e.Ns), rough(e.Tape)) }

// bytesOf prints bytes for each primitive.
func bytesOf(e *measure.Entry) string {
	if e.Bytes == 0 {
		return "–"
	}
	return rough(e.Bytes)
}

// rough prints a measured quantity with two digits, or three if it begins with 1; whole from 100 on.
func rough(x float64) string {
	if x >= 100 {
		return grouped(int64(math.Round(x)))
	}
	e := math.Floor(math.Log10(x))
	digits := 1
	if x/math.Pow(10, e) < 2 {
		digits = 2
	}
	return strconv.FormatFloat(x, 'f', max(0, digits-int(e)), 64)
}

// ComparisonText is the comparison for a terminal; "" if there is none.
func ComparisonText(r *measure.Report) string {
	if len(r.Comparisons) == 0 {
		return ""
	}
	t := grid(r.Comparisons, compared(r.Comparisons), times)
	return "Value and gradient, ns per primitive of the forward computation (over the plain Go tape's time)\n\n" + t.Render() + "\n"
}

// largest are the comparisons of each workload at its largest size.
func largest(all []measure.Comparison) []*measure.Comparison {
	var out []*measure.Comparison
	for i := range all {
		c := &all[i]
		at := slices.IndexFunc(out, func(o *measure.Comparison) bool { return o.Task.Workload == c.Task.Workload })
		switch {
		case at < 0:
			out = append(out, c)
		case out[at].Task.N < c.Task.N:
			out[at] = c
		}
	}
	return out
}

// atAGlance is the comparison in a few lines: the default form of the machine over C, Go and the tape.
func atAGlance(all []measure.Comparison) string {
	t := plain()
	t.AppendHeader(table.Row{"value and gradient", "ns per primitive", "over C by hand", "over Go by hand", "over a plain Go tape", "bytes per primitive", "the tape's"})
	var configs []table.ColumnConfig
	for i := range 6 {
		configs = append(configs, table.ColumnConfig{Number: i + 2, Align: text.AlignRight})
	}
	t.SetColumnConfigs(configs)
	for _, c := range largest(all) {
		e := c.Of(peers.Direct)
		if e == nil {
			continue
		}
		over := func(name string) string {
			if o := c.Of(name); o != nil {
				return rough(measure.Ratio(e, o))
			}
			return "–"
		}
		t.AppendRow(table.Row{taskName(c.Task), rough(e.Ns), over(peers.CHand), over(peers.GoHand), over(peers.Tape), bytesOf(e), bytesOf(c.Of(peers.Tape))})
	}
	return t.RenderMarkdown() + "\n"
}

//go:embed compare.md
var compareText string

// peersPage is the page of the comparison: times, bytes and steps of the peers.
func peersPage(r *measure.Report, opt Options) []byte {
	var out bytes.Buffer
	all := r.Comparisons
	of := compared(all)
	fmt.Fprintf(&out, "%s\n## Nanoseconds for each primitive\n\n", compareText)
	fmt.Fprintf(&out, "The median of the rounds; in parentheses over the plain Go tape, the median of the rounds' ratios.\n\n%s\n\n", grid(all, of, times).RenderMarkdown())
	if missing := unmeasured(all); len(missing) > 0 {
		fmt.Fprintf(&out, "Not measured: %s.\n\n", strings.Join(missing, "; "))
	}
	fmt.Fprintf(&out, "## Bytes for each primitive\n\n%s\n\n", grid(all, of, bytesOf).RenderMarkdown())
	for _, p := range charts(r) {
		fmt.Fprintf(&out, "![%s](%s/%s.svg)\n\n", p.Y, opt.plots(), p.Name)
	}
	speed(&out, all)
	if opt.Compare != "" {
		fmt.Fprintf(&out, "```sh\n%s\n```\n\n", opt.Compare)
	}
	out.WriteString("## All measurements\n\n")
	for i := range all {
		fmt.Fprintf(&out, "%s\n\n%s\n\n", taskName(all[i].Task), spreads(&all[i]))
	}
	return out.Bytes()
}

// rewriting are the peers whose steps are counted, in any of the comparisons.
func rewriting(all []measure.Comparison) []peers.Peer {
	return slices.DeleteFunc(peers.All(), func(p peers.Peer) bool {
		return !slices.ContainsFunc(all, func(c measure.Comparison) bool {
			e := c.Of(p.Name)
			return e != nil && e.Steps > 0
		})
	})
}

// speed is the section on how fast steps are counted.
func speed(out *bytes.Buffer, all []measure.Comparison) {
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
	fmt.Fprintf(out, `## Counted steps

Millions of steps that are counted in a second, forward and backward together, from the times above. The engine counts
the steps of the calculus for which its code stands. So this is a rate at which the calculus is worked off, not the speed
of a rewriting machine. Steps before the run (normalising for modular, making the graph for unfold) are in neither
number. Maude's are its own rewrites.

%s

The counted steps of a run, with or without blocks, which do not depend on the computer:

%s

`, perSecond.RenderMarkdown(), steps.RenderMarkdown())
}

// spreads is the table of a task's times: the best, the median and its interval.
func spreads(c *measure.Comparison) string {
	t := plain()
	t.AppendHeader(table.Row{"ns per primitive", "best", "median", "95 % interval"})
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 2, Align: text.AlignRight}, {Number: 3, Align: text.AlignRight}})
	for i := range c.Entries {
		e := &c.Entries[i]
		t.AppendRow(table.Row{e.Peer.Name, rough(e.Best), rough(e.Ns), rough(e.Row.Low/e.Row.X) + " … " + rough(e.Row.High/e.Row.X)})
	}
	return t.RenderMarkdown()
}

// charts are the pictures of the comparison: of each workload the largest size, and of the first the least too, which
// peers take that are slow. There are none without a comparison.
func charts(r *measure.Report) []plot.Picture {
	if len(r.Comparisons) == 0 {
		return nil
	}
	drawn := largest(r.Comparisons)
	if first := &r.Comparisons[0]; first != drawn[0] {
		drawn = append([]*measure.Comparison{first}, drawn...)
	}
	var names []string
	for _, c := range drawn {
		names = append(names, strings.ToUpper(c.Task.Workload)+", "+size(c.Task.N))
	}
	return []plot.Picture{
		chart("peers-ns", "ns per primitive", r, drawn, names, func(e *measure.Entry) float64 { return e.Ns }),
		chart("peers-bytes", "bytes per primitive", r, drawn, names, func(e *measure.Entry) float64 { return e.Bytes }),
	}
}

// chart is a picture of one quantity of the peers, with a group for each of the comparisons that are drawn.
func chart(name, y string, r *measure.Report, drawn []*measure.Comparison, groups []string, of func(*measure.Entry) float64) plot.Picture {
	p := plot.Picture{Name: name, Y: y, Groups: groups}
	for _, peer := range compared(r.Comparisons) {
		f := &bench.Finding{Series: &bench.Series{Name: peer.Name, Role: bench.Evidence, Law: bench.Law{Power: float64(len(p.Findings))}}}
		for i, c := range drawn {
			if e := c.Of(peer.Name); e != nil {
				f.Points = append(f.Points, bench.Measurement{Point: bench.Point{X: float64(i + 1), Y: of(e)}})
			}
		}
		p.Findings = append(p.Findings, f)
	}
	return p
}
