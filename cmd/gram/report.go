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
	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/internal/notation"
	"github.com/gram-machine/gram/rule"
)

// report prints a gradient and its cost for people.
type report struct {
	out   *bytes.Buffer
	paint painter
}

func (r *report) heading(title string) { r.out.WriteString(r.paint.heading.Sprint(title)) }

// gradient prints the value and the derivative by each input.
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
	r.inputs(ds)
}

// inputs prints numbers in the shapes of inputs, with their names, below a heading.
func (r *report) inputs(ds []gram.Input) {
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

// indented indents all lines of a text but the first.
func indented(text, by string) string { return strings.ReplaceAll(text, "\n", "\n"+by) }

// cost prints the steps by rule, the overhead, nodes, memory and times, and the work if it was measured.
func (r *report) cost(c *gram.Cost, f *runFlags) {
	r.out.WriteByte('\n')
	if f.mode.Is == gram.Reverse {
		r.heading("steps")
		r.out.WriteByte('\n')
		r.steps(c.Steps)
		r.out.WriteByte('\n')
	}
	for _, part := range costFigures(c, f) {
		facts := make([]string, len(part.facts))
		for i, fact := range part.facts {
			facts[i] = fact.Name + " " + fact.Text
		}
		r.heading(fmt.Sprintf("%-8s", part.name))
		fmt.Fprintf(r.out, "  %s\n", strings.Join(facts, ", "))
	}
	r.work(c.Work)
}

// newTable makes a table whose columns are a number, a name and further numbers.
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

// steps prints the table of steps by rule.
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

// work prints the table of the words that the literal machine has read and written; w is nil if it was not measured.
func (r *report) work(w *cost.Work) {
	if w == nil {
		return
	}
	r.out.WriteByte('\n')
	r.heading("work")
	r.out.WriteByte('\n')
	t := newTable("no.", "move", "fired", "words", "mean", "most")
	row := func(number, name string, w rule.Work) {
		if w.Fired > 0 {
			t.AppendRow(table.Row{number, name, notation.Grouped(w.Fired), notation.Grouped(w.Words),
				strconv.FormatFloat(float64(w.Words)/float64(w.Fired), 'f', 1, 64), notation.Grouped(w.Most)})
		}
	}
	for _, info := range rule.Table {
		row(info.Number, info.Name, w.Rules[info.Name])
	}
	for u := rule.Instantiate; u < rule.NumMoves; u++ {
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

// seconds prints a time with three or four digits: 1.234ms.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	unit := time.Duration(1)
	for d/unit >= 10000 {
		unit *= 10
	}
	return d.Round(unit).String()
}
