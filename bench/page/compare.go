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

// comparison is the page's section on the peers.
func comparison(out *bytes.Buffer, r *measure.Report, opt Options) {
	all := r.Comparisons
	if len(all) == 0 {
		return
	}
	of := compared(all)
	fmt.Fprintf(out, "\n<a id=\"peers\"></a>\n\n%s\n### Nanoseconds for each primitive\n\n", compareText)
	fmt.Fprintf(out, "The median of the rounds; in parentheses over the plain Go tape, the median of the rounds' ratios.\n\n%s\n\n", grid(all, of, times).RenderMarkdown())
	if missing := unmeasured(all); len(missing) > 0 {
		fmt.Fprintf(out, "Not measured: %s.\n\n", strings.Join(missing, "; "))
	}
	fmt.Fprintf(out, "### Bytes for each primitive\n\n%s\n\n", grid(all, of, bytesOf).RenderMarkdown())
	for _, b := range charts(r) {
		fmt.Fprintf(out, "![%s](%s/%s.svg)\n\n", b.Y, opt.Plots, b.Name)
	}
	if opt.Compare != "" {
		fmt.Fprintf(out, "```sh\n%s\n```\n", opt.Compare)
	}
	out.WriteString("\n<details><summary>All measurements</summary>\n\n")
	for i := range all {
		fmt.Fprintf(out, "%s\n\n%s\n\n", taskName(all[i].Task), spreads(&all[i]))
	}
	out.WriteString("</details>\n")
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

// charts are the bars of the comparison: of each workload the largest size, and of the first the least
// too, which peers take that are slow. There are none without a comparison.
func charts(r *measure.Report) []plot.Bars {
	if len(r.Comparisons) == 0 {
		return nil
	}
	drawn := largest(r.Comparisons)
	if first := &r.Comparisons[0]; first != drawn[0] {
		drawn = append([]*measure.Comparison{first}, drawn...)
	}
	ns := plot.Bars{Name: "peers-ns", Y: "ns per primitive"}
	memory := plot.Bars{Name: "peers-bytes", Y: "bytes per primitive"}
	for _, c := range drawn {
		name := strings.ToUpper(c.Task.Workload) + ", " + size(c.Task.N)
		ns.Groups, memory.Groups = append(ns.Groups, name), append(memory.Groups, name)
	}
	for _, p := range compared(r.Comparisons) {
		times, bytes := make([]float64, len(drawn)), make([]float64, len(drawn))
		for i, c := range drawn {
			if e := c.Of(p.Name); e != nil {
				times[i], bytes[i] = e.Ns, e.Bytes
			}
		}
		ns.Series = append(ns.Series, plot.BarSeries{Name: p.Name, Values: times})
		memory.Series = append(memory.Series, plot.BarSeries{Name: p.Name, Values: bytes})
	}
	return []plot.Bars{ns, memory}
}
