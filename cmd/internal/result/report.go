package result

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
)

// Report prints a gradient and its cost for people.
type Report struct {
	Out   *bytes.Buffer
	Color bool // of a terminal: headings are bold
}

// NewReport returns a report that is printed as the answer of a command.
func NewReport(a *command.App) *Report { return &Report{Out: &a.Out, Color: a.Color} }

// Heading prints a title, without the end of its line.
func (r *Report) Heading(title string) {
	bold := color.New(color.Bold)
	if r.Color {
		bold.EnableColor()
	} else {
		bold.DisableColor()
	}
	r.Out.WriteString(bold.Sprint(title))
}

// Gradient prints the value and the derivative by each input.
func (r *Report) Gradient(p *gram.Program, res *gram.Result, ds []gram.Input) {
	r.Heading("value")
	fmt.Fprintf(r.Out, "  %s\n", entries("", p.Shape(), res.Values)[0].text) // R or R^k: one entry
	title := "gradient"
	if IsJacobian(p) {
		title = "Jacobian"
	}
	r.Out.WriteByte('\n')
	r.Heading(title)
	if len(ds) == 0 {
		r.Out.WriteString("  empty: the program has no inputs\n")
		return
	}
	r.Inputs(ds)
}

// Inputs prints numbers in the shapes of inputs, with their names, below a heading.
func (r *Report) Inputs(ds []gram.Input) {
	r.Out.WriteByte('\n')
	var lines []entry
	width := 0
	for _, d := range ds {
		if d.Names == nil {
			lines = append(lines, entries(d.Name, d.Shape, d.Values)...)
			continue
		}
		for i, name := range Components(d) {
			lines = append(lines, entry{name, string(load.AppendNumber(nil, d.Values[i]))})
		}
	}
	for _, e := range lines {
		width = max(width, utf8.RuneCountInString(e.label))
	}
	for _, e := range lines {
		indented := strings.ReplaceAll(e.text, "\n", "\n"+strings.Repeat(" ", width+4))
		fmt.Fprintf(r.Out, "  %-*s  %s\n", width, e.label, indented)
	}
}

// Table prints lines of cells: the first one is that of the names of the columns. One column is to the left, the others
// to the right.
func (r *Report) Table(lines [][]string, left int) {
	for _, line := range inColumns(lines, left) {
		fmt.Fprintln(r.Out, strings.TrimRight("  "+line, " "))
	}
}

// Cost prints the steps by rule, the overhead, nodes, memory and times, and the work if it was measured.
func (r *Report) Cost(c *gram.Cost, run Run) {
	r.Out.WriteByte('\n')
	if run.Mode == gram.Reverse {
		r.Heading("steps")
		r.Out.WriteByte('\n')
		r.steps(c.Steps)
		r.Out.WriteByte('\n')
	}
	for _, part := range CostFigures(c, run) {
		facts := syntax.Each(len(part.Facts), func(i int) string { return part.Facts[i].Name + " " + part.Facts[i].Text })
		if part.on != "" {
			facts = append(facts, "of "+part.on)
		}
		r.Heading(fmt.Sprintf("%-8s", part.name))
		fmt.Fprintf(r.Out, "  %s\n", strings.Join(facts, ", "))
	}
	r.Work(c.Work)
}

// steps prints the table of steps by rule.
func (r *Report) steps(s rule.Counts) {
	lines := [][]string{{"no.", "rule", "steps", "share"}}
	steps, total := newStepTable(&s), s.Total()
	for _, row := range steps.Rows {
		lines = append(lines, []string{row.Number, row.Name, row.Count, row.Share})
	}
	r.Table(append(lines, []string{"", "total", steps.Total, share(total, total)}), 1)
}

// Work prints the table of the words of the literal machine, 8 for each time that it has reached a node; w is nil if it
// was not measured.
func (r *Report) Work(w *cost.Work) {
	if w == nil {
		return
	}
	r.Out.WriteByte('\n')
	r.Heading("work")
	r.Out.WriteByte('\n')
	lines := [][]string{{"no.", "move", "fired", "words", "mean", "most"}}
	row := func(number, name string, w rule.Work) {
		if w.Fired > 0 {
			lines = append(lines, []string{number, name, load.Grouped(w.Fired), load.Grouped(w.Words),
				strconv.FormatFloat(float64(w.Words)/float64(w.Fired), 'f', 1, 64), load.Grouped(w.Most)})
		}
	}
	for _, info := range rule.Table {
		row(info.Number, info.Name, w.Rules[info.Name])
	}
	for u := rule.Instantiate; u < rule.NumMoves; u++ {
		row("", u.String(), w.Units[u.String()])
	}
	moves, words := w.Total()
	r.Table(append(lines, []string{"", "total", load.Grouped(moves), load.Grouped(words)}), 1)
}

func share(part, whole uint64) string {
	if whole == 0 {
		return "-"
	}
	return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 1, 64) + " %"
}

// IsJacobian reports whether the derivative of a program is a Jacobian: its value is a vector.
func IsJacobian(p *gram.Program) bool { return p.Shape().Kind == load.Vector }

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
			counted("nodes of the graph", c.Nodes.Allocated), counted("scalar inputs", c.Inputs))
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
			counted("symbols reused", u.Reused), counted("rebuilt", u.Rebuilt),
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
	each := Fact{Name: "each step with its overhead", Text: strconv.FormatFloat(c.NsPerStep, 'f', 1, 64) + " ns"}
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

// entry is a labelled part of a value, for people. Its text may have several lines.
type entry struct{ label, text string }

// shownWhole is the most rows and columns that are shown. Of more, the first
// shownWhole-2 are shown, then an ellipsis, then the last one.
const shownWhole = 8

const ellipsis = "…"

// entries prints a value of shape s. A number, a vector or a matrix is one entry. A product with vectors in it, or an
// array of more than two dimensions, has an entry for each component.
func entries(label string, s *gram.Shape, values []float64) []entry {
	var dims []int // the sizes of the vectors around the leaf
	leaf := s
	for ; leaf.Kind == load.Vector; leaf = leaf.A {
		dims = append(dims, leaf.Size)
	}
	switch {
	case leaf.Kind != load.Real && len(dims) == 0:
		return tuple(label, s, values)
	case leaf.Kind != load.Real || len(dims) > 2:
		return components(label, s, values)
	case len(dims) == 2:
		return []entry{{label, matrix(s, dims[0], dims[1], values)}}
	case len(dims) == 1:
		return []entry{{label, vector(s, values)}}
	}
	return []entry{{label, string(load.AppendNumber(nil, values[0]))}}
}

// tuple prints a product, on one line if all its components are numbers.
func tuple(label string, s *gram.Shape, values []float64) []entry {
	if allReal(s) {
		return []entry{{label, string(load.Language.Append(nil, &load.Flat{Values: values}, s))}}
	}
	var out []entry
	for i, part := range factors(s) {
		w := part.Width()
		out = append(out, entries(label+", "+strconv.Itoa(i+1), part, values[:w])...)
		values = values[w:]
	}
	return out
}

func allReal(s *gram.Shape) bool {
	if s.Kind == load.Product {
		return allReal(s.A) && allReal(s.B)
	}
	return s.Kind == load.Real
}

// components prints the elements of a vector, each as one entry or more.
func components(label string, s *gram.Shape, values []float64) []entry {
	var out []entry
	for _, i := range places(s.Size) {
		if i < 0 {
			out = append(out, entry{label + ".(" + ellipsis + ")", summary(s, values)})
			continue
		}
		w := s.A.Width()
		out = append(out, entries(fmt.Sprintf("%s.(%d)", label, i), s.A, values[i*w:(i+1)*w])...)
	}
	return out
}

// places returns the indices that are shown out of n; -1 stands for those left out.
func places(n int) []int {
	var out []int
	for i := range n {
		switch {
		case n <= shownWhole || i < shownWhole-2 || i == n-1:
			out = append(out, i)
		case i == n-2:
			out = append(out, -1)
		}
	}
	return out
}

// vector prints a vector on one line.
func vector(s *gram.Shape, values []float64) string {
	shown := places(len(values))
	cells := syntax.Each(len(shown), func(i int) string { return cell(values, shown[i]) })
	line := "[| " + strings.Join(cells, ", ") + " |]"
	if len(values) > shownWhole {
		line += "  " + summary(s, values)
	}
	return line
}

// matrix prints a matrix, one row a line.
func matrix(s *gram.Shape, rows, columns int, values []float64) string {
	var grid [][]string
	for _, i := range places(rows) {
		var line []string
		for _, j := range places(columns) {
			text := ellipsis
			if i >= 0 && j >= 0 {
				text = cell(values[i*columns:(i+1)*columns], j)
			}
			line = append(line, text)
		}
		grid = append(grid, line)
	}
	lines := inColumns(grid, -1)
	if rows > shownWhole || columns > shownWhole {
		lines = slices.Insert(lines, 0, summary(s, values))
	}
	return strings.Join(lines, "\n")
}

// inColumns returns lines of cells that stand below each other: those of one column to the left, others to the right.
func inColumns(grid [][]string, left int) []string {
	widths := make([]int, len(grid[0]))
	for _, line := range grid {
		for j, text := range line {
			widths[j] = max(widths[j], utf8.RuneCountInString(text))
		}
	}
	out := make([]string, len(grid))
	for i, line := range grid {
		cells := slices.Clone(line)
		for j, text := range line {
			space := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(text))
			if cells[j] = space + text; j == left {
				cells[j] = text + space
			}
		}
		out[i] = strings.Join(cells, "  ")
	}
	return out
}

// cell prints number i, or an ellipsis if i is negative.
func cell(values []float64, i int) string {
	if i < 0 {
		return ellipsis
	}
	return string(load.AppendNumber(nil, values[i]))
}

// summary describes numbers that are not all shown: their shape and their norm.
func summary(s *gram.Shape, values []float64) string {
	return fmt.Sprintf("%s, norm %s", s, load.AppendNumber(nil, Norm(values)))
}
