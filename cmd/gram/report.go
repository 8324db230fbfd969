package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/notation"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
)

// report prints a gradient and its cost for people.
type report struct {
	out   *bytes.Buffer
	paint painter
}

func (r *report) heading(title string) { r.out.WriteString(r.paint.heading.Sprint(title)) }

// gradient prints the value, and the derivative by each input.
func (r *report) gradient(p *gram.Program, res *gram.Result, ds []gram.Input) {
	r.heading("value")
	fmt.Fprintf(r.out, "  %s\n", entries("", p.Shape(), res.Values)[0].text) // R or R^k: one entry
	title := "gradient"
	if isJacobian(p) {
		title = "Jacobian"
	}
	r.out.WriteByte('\n')
	r.heading(title)
	if len(ds) == 0 {
		r.out.WriteString("  empty: the program has no inputs\n")
		return
	}
	r.out.WriteByte('\n')
	var lines []entry
	width := 0
	for _, d := range ds {
		lines = append(lines, entries(d.Name, d.Shape, d.Values)...)
	}
	for _, e := range lines {
		width = max(width, utf8.RuneCountInString(e.label))
	}
	for _, e := range lines {
		fmt.Fprintf(r.out, "  %-*s  %s\n", width, e.label, indented(e.text, strings.Repeat(" ", width+4)))
	}
}

// indented puts the lines of a text below one another.
func indented(text, by string) string { return strings.ReplaceAll(text, "\n", "\n"+by) }

// cost prints the steps by rule, the overhead, nodes, memory and times.
func (r *report) cost(c *gram.Cost, repeat int) {
	r.out.WriteByte('\n')
	r.heading("steps")
	r.out.WriteByte('\n')
	r.steps(c.Steps)
	r.out.WriteByte('\n')
	r.line("size", "|t| %s, |D(t)| %s, %s", notation.Grouped(uint64(c.Size.Term)), notation.Grouped(uint64(c.Size.Reverse)),
		plural(c.Inputs, "scalar input"))
	r.line("overhead", "%s: instantiate %s, search %s, read-back %s", notation.Grouped(c.Overhead.Total),
		notation.Grouped(c.Overhead.Instantiate), notation.Grouped(c.Overhead.Search), notation.Grouped(c.Overhead.Readback))
	if n := c.Normalised; n != nil {
		r.line("modular", "%s normalised in %s steps, %d kept past %d·|D(λ)| steps", plural(n.Lambdas, "function"),
			notation.Grouped(n.Steps), n.Kept, n.Budget)
	}
	if u := c.Cache; u != nil && u.MaxBytes > 0 {
		r.line("cache", "%s found, %d made; %s of %s symbols of D(t) rebuilt; %s of %s held, %d evicted", plural(u.Hits, "function"),
			u.Misses, notation.Grouped(uint64(u.Rebuilt)), notation.Grouped(uint64(u.Reused+u.Rebuilt)), limits.Size(u.Bytes), limits.Size(u.MaxBytes), u.Evictions)
	}
	if c.M != nil {
		r.line("bound", "m %s, |G| %s, (steps + overhead) / (m + |G|) %s", notation.Grouped(*c.M), notation.Grouped(*c.Graph),
			strconv.FormatFloat(*c.BoundRatio, 'f', 2, 64))
	}
	if s := c.Span; s != nil {
		text := "value " + notation.Grouped(s.Value)
		if s.Gradient > 0 {
			text += ", gradient " + notation.Grouped(s.Gradient)
		}
		r.line("span", "%s: the longest chain of steps that depend on each other", text)
	}
	r.line("nodes", "%s allocated, %s live at once, arena of %s", notation.Grouped(c.Nodes.Allocated), notation.Grouped(c.Nodes.Peak),
		limits.Size(c.ArenaBytes))
	r.times(&c.Seconds, "reduce", repeat)
	r.line("speed", "%s ns per step, overhead included", strconv.FormatFloat(c.NsPerStep, 'f', 1, 64))
}

// passes prints the cost of a gradient by passes over the graph of the program.
func (r *report) passes(c *gram.Cost, repeat int) {
	r.out.WriteByte('\n')
	r.line("passes", "%s operations", notation.Grouped(c.Operations))
	r.line("graph", "%s, %s", plural(int(c.Nodes.Allocated), "node"), plural(c.Inputs, "scalar input"))
	r.times(&c.Seconds, "run", repeat)
}

// times prints the times; what is repeated goes by the name of run.
func (r *report) times(s *gram.Seconds, run string, repeat int) {
	run += " " + seconds(s.Reduce)
	if repeat > 1 {
		run += fmt.Sprintf(" (best of %d, median %s)", repeat, seconds(s.ReduceMedian))
	}
	r.line("time", "load %s, compile %s, %s", seconds(s.Load), seconds(s.Compile), run)
}

func (r *report) line(name, format string, args ...any) {
	r.heading(fmt.Sprintf("%-8s", name))
	fmt.Fprintf(r.out, "  "+format+"\n", args...)
}

// newTable makes a table whose columns are a number, a name, and numbers.
func newTable(header ...any) table.Writer {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.Options{SeparateHeader: false}
	style.Format = table.FormatOptions{}
	style.Box.PaddingLeft, style.Box.PaddingRight = "  ", ""
	t.SetStyle(style)
	columns := []table.ColumnConfig{{Number: 1, Align: text.AlignRight}}
	for i := 3; i <= len(header); i++ {
		columns = append(columns, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight, AlignFooter: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	t.AppendHeader(header)
	return t
}

// steps prints the table of the rules that steps are of.
func (r *report) steps(s rule.Counts) {
	t := newTable("no.", "rule", "steps", "share")
	total := s.Total()
	for r, n := range s {
		if n > 0 {
			t.AppendRow(table.Row{rule.Table[r].Number, rule.Table[r].Name, notation.Grouped(n), share(n, total)})
		}
	}
	t.AppendFooter(table.Row{"", "total", notation.Grouped(total), share(total, total)})
	r.out.WriteString(t.Render())
	r.out.WriteByte('\n')
}

// work prints the table of the words that the literal machine has read and written.
func (r *report) work(w *gram.Work) {
	r.out.WriteByte('\n')
	r.heading("work")
	r.out.WriteByte('\n')
	t := newTable("no.", "move", "fired", "words", "mean", "most")
	row := func(number, name string, w machine.Work) {
		if w.Fired > 0 {
			t.AppendRow(table.Row{number, name, notation.Grouped(w.Fired), notation.Grouped(w.Words),
				strconv.FormatFloat(float64(w.Words)/float64(w.Fired), 'f', 1, 64), notation.Grouped(w.Most)})
		}
	}
	for _, info := range rule.Table {
		row(info.Number, info.Name, w.Rules[info.Name])
	}
	for u := range machine.NumUnits {
		row("", u.String(), w.Units[u.String()])
	}
	r.out.WriteString(t.Render())
	r.out.WriteByte('\n')
}

func share(part, whole uint64) string {
	if whole == 0 {
		return "-"
	}
	return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 1, 64) + " %"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return notation.Grouped(uint64(n)) + " " + what + "s"
}

// seconds prints a time with three or four digits: 1.234ms.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	unit := time.Duration(1)
	for d/unit >= 10000 {
		unit *= 10
	}
	return d.Round(unit).String()
}
