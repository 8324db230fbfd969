package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/gram-machine/gram/bench/peers"
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
		return "10" + string(superscripts[int(e)])
	}
	return grouped(int64(n))
}

// compared are the peers that take part for their times, in order: those that any task has, and the names of the
// others.
func compared(all []Comparison) (of []peers.Peer, missing []string) {
	for _, p := range peers.All() {
		switch {
		case p.Aside:
		case slices.ContainsFunc(all, func(c Comparison) bool { return c.Of(p.Name) != nil }):
			of = append(of, p)
		default:
			missing = append(missing, p.Name)
		}
	}
	return of, missing
}

// grid is a table with a line for each peer and a column for each task.
func grid(all []Comparison, of []peers.Peer, cell func(*Entry) string) table.Writer {
	header, right := table.Row{""}, []int(nil)
	for i := range all {
		header, right = append(header, taskName(all[i].Task)), append(right, i+2)
	}
	t := NewTable(header, right...)
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

// times prints nanoseconds for each primitive, and the ratio to the tape if there is one.
func times(e *Entry) string {
	if e.Tape == 0 {
		return rough(e.Ns)
	}
	return fmt.Sprintf("%s (%s)", rough(e.Ns), rough(e.Tape))
}

// bytesOf prints bytes for each primitive of the forward computation; of no entry a dash.
func bytesOf(e *Entry) string {
	if e == nil || e.Bytes == 0 {
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
func ComparisonText(r *Report) string {
	if len(r.Comparisons) == 0 {
		return ""
	}
	of, _ := compared(r.Comparisons)
	t := grid(r.Comparisons, of, times)
	return "Value and gradient, ns per primitive of the forward computation (over the plain Go tape's time)\n\n" +
		t.Render() + "\n"
}

// largest are the comparisons of the machine's default form in each workload at its largest size. They are in the order
// of workloads and sizes.
func largest(all []Comparison) []*Comparison {
	var out []*Comparison
	for i := range all {
		if (i+1 == len(all) || all[i+1].Workload != all[i].Workload) && all[i].Of(peers.Direct) != nil {
			out = append(out, &all[i])
		}
	}
	return out
}

// Over is the time of the machine's default form over that of a peer; a dash if one was not measured.
func (c *Comparison) Over(peer string) string {
	e, o := c.Of(peers.Direct), c.Of(peer)
	if e == nil || o == nil {
		return "–"
	}
	return rough(Ratio(e, o))
}

// peersPage is the page of the comparison: times, bytes and steps of the peers.
func peersPage(r *Report, opt *Pages) ([]byte, error) {
	all := r.Comparisons
	of, missing := compared(all)
	rewriting := slices.DeleteFunc(peers.All(), func(p peers.Peer) bool {
		return !slices.ContainsFunc(all, func(c Comparison) bool {
			e := c.Of(p.Name)
			return e != nil && e.Steps > 0
		})
	})
	fused := slices.DeleteFunc(slices.Clone(rewriting), func(p peers.Peer) bool { return p.Equal })
	counted := func(print func(*Entry) string) func(*Entry) string {
		return func(e *Entry) string {
			if e.Steps == 0 {
				return "–"
			}
			return print(e)
		}
	}
	return execute("peers.md.tmpl", map[string]any{
		"Times":     grid(all, of, times).RenderMarkdown(),
		"Bytes":     grid(all, of, bytesOf).RenderMarkdown(),
		"Missing":   missing,
		"Rewriting": len(rewriting) > 0,
		"Rates": grid(all, rewriting,
			counted(func(e *Entry) string { return rough(e.Steps / e.Row.Y * 1e3) })).RenderMarkdown(),
		"Steps":   grid(all, fused, counted(func(e *Entry) string { return figure(e.Steps) })).RenderMarkdown(),
		"Tasks":   all,
		"Compare": opt.Compare,
	})
}
