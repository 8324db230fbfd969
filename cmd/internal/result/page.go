// Package result prints values, derivatives and costs: as text for people, as JSON, as files of numbers, and as a page.
//
// [Page.HTML] is the report of a gradient as one page of HTML: nothing is loaded from elsewhere, and there is no
// script.
//
// # Numbers
//
// Scalars and vectors are bars that start at zero, scalars all at one scale. Of more than [mostBars], those of largest
// magnitude are shown. Matrices are heat maps on a scale that is the same to both sides of zero; arrays of more
// dimensions are a series of them. Above [mostSquares] rows or columns, a square stands for several components, and
// shows the one of largest magnitude. A Jacobian of k outputs is a heat map of a row for each scalar input and a column
// for each output; by an array, a heat map for each output. What isn't shown is said.
//
// # Colours
//
// Colours are variables of the page's style, for light and dark. Those of a heat map are a hue laid over the colour of
// zero, which is white or black, in as many hundredths as the magnitude is of the largest one.
//
// # The page
//
// The page is well-formed XML too, which tests rely on. The template prints into text and quoted attributes, for which
// all is escaped but [Markup], and numbers into the attribute style. Control characters are replaced.
package result

import (
	"bytes"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"
	"time"
	"unicode/utf8"

	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/profile"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/rule"
)

// Page is what the page shows.
type Page struct {
	Program string // its name
	Version string // of gram
	Run     []Fact // how it was run
	// Value is a number, or a vector for a body of type R^k.
	Value    Array
	Outputs  int // k, for a Jacobian; else 0
	Gradient []Array
	Inputs   []Array // the point
	// Curves are those of a fit: then Value is the loss and Gradient the fitted inputs, and there are no lines and no
	// graph.
	Curves []Curve
	// Predictions are those of the rows for training, and of those that are held out.
	Predictions []Points
	Steps       rule.Counts // 0: the gradient has taken no steps of the calculus
	Costs       []Figures
	// Lines is the source with what was done at each line; without, LinesNote says why.
	Lines     []profile.Line
	LinesNote string
	Frames    []profile.Frame // each before those that it calls
	Graph     Graph
}

// NewPage returns a page for a command on the program at path, without results.
func NewPage(f *command.LoadFlags, name, path string) *Page {
	program, _ := command.ProgramName(path)
	return &Page{Program: filepath.Base(program), Version: command.BuildInfo().Version, Run: []Fact{
		{Name: "command", Text: f.CommandLine(name, path)},
		{Name: "date", Text: time.Now().Format("2006-01-02 15:04 -07:00")},
	}}
}

// Array are the derivatives by an input or a component of one.
type Array struct {
	Name string
	Type string // as the language writes it
	Dims []int  // of the input, outermost first; none: it is a scalar
	// Values are in row-major order; of a Jacobian, all of the first output come first.
	Values []float64
}

// Fact is a name with what goes by it.
type Fact struct{ Name, Text string }

// Graph is the drawing of the computational graph.
type Graph struct {
	SVG     Markup // an element svg, or nothing
	Text    string // what is said of it
	Command string // that draws it, or nothing
}

// Markup is what gram itself has made for the page, and is not escaped.
type Markup string

//go:embed page.html
var pageSource string

//go:embed style.css
var style Markup

// functions are those of the template.
var functions = template.FuncMap{"escaped": escaped, "style": func() Markup { return style }, "count": count,
	"percent": percent[uint64], "clipped": clipped, "number": newNumber, "gradient": gradient, "jacobian": jacobian,
	"plot": newPlot, "predictions": newPredictions, "table": newStepTable, "listing": newListing, "dearest": dearest,
	"flame": newFlame, "bars": func(x []float64) *bars { return newBars(x, outputName, scaleOf(x)) }}

var page = sync.OnceValue(func() *template.Template {
	t := template.Must(template.New("page").Funcs(functions).Parse(pageSource))
	for _, defined := range t.Templates() {
		escape(defined.Root)
	}
	return t
})

// escape lets each action of a template that prints, escape what it prints.
func escape(lists ...*parse.ListNode) {
	for _, list := range lists {
		for k := 0; list != nil && k < len(list.Nodes); k++ { // there may be no else
			switch n := list.Nodes[k].(type) {
			case *parse.ActionNode:
				if len(n.Pipe.Decl) == 0 {
					n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand,
						Args: []parse.Node{parse.NewIdentifier("escaped")}})
				}
			case *parse.IfNode:
				escape(n.List, n.ElseList)
			case *parse.RangeNode:
				escape(n.List, n.ElseList)
			case *parse.WithNode:
				escape(n.List, n.ElseList)
			}
		}
	}
}

// escaped is a value as the text of an element or a quoted attribute.
func escaped(value any) string {
	if m, ok := value.(Markup); ok {
		return string(m)
	}
	return template.HTMLEscaper(value)
}

// HTML is the text of the page.
func (r *Page) HTML() []byte {
	var b bytes.Buffer
	if err := page().Execute(&b, r); err != nil {
		panic(err) // the template is wrong
	}
	return bytes.Map(valid, b.Bytes())
}

// valid replaces what is no character of XML.
func valid(c rune) rune {
	if c < ' ' && c != '\n' && c != '\t' || c == 0xFFFE || c == 0xFFFF {
		return '\uFFFD'
	}
	return c
}

// stepTable is the table of steps by rule.
type stepTable struct {
	Rows  []stepRow
	Total string
}

type stepRow struct {
	Number, Name, Text  string
	Count, Share, Width string
}

func newStepTable(steps *rule.Counts) *stepTable {
	total := steps.Total()
	t := stepTable{Total: load.Grouped(total)}
	most := slices.Max(steps[:])
	for r, n := range steps {
		if n > 0 {
			info := &rule.Table[r]
			t.Rows = append(t.Rows, stepRow{info.Number, info.Name, info.Text, load.Grouped(n), share(n, total),
				percent(n, most)})
		}
	}
	return &t
}

// listing is the source with what each line cost.
type listing struct {
	Rows       []listingRow
	Total      listingRow
	Normalised bool // there are such rewrites
}

type listingRow struct {
	profile.Line
	Most uint64 // the rewrites of the most costly line; 0: there is no bar
	Told bool   // the table has a column for the normalised
	Gap  int    // instead of a line: so many, left out
}

const (
	mostLines  = 400 // of a source that is listed whole
	mostCostly = 200 // lines of a longer one that are listed
	mostRunes  = 300 // of a line
)

// newListing lists lines, in order. What has no place comes last.
func newListing(lines []profile.Line) *listing {
	total, most := sumOf(lines), uint64(0)
	for i := range lines {
		most = max(most, lines[i].Rewrites())
	}
	out := listing{Normalised: total.Normalised > 0}
	out.Total = listingRow{Line: total, Told: out.Normalised}
	var nowhere []profile.Line
	lines = slices.DeleteFunc(slices.Clone(lines), func(l profile.Line) bool {
		if l.Line == 0 && (l.Rewrites() > 0 || l.Nodes > 0) {
			nowhere = append(nowhere, l)
		}
		return l.Line == 0
	})
	for n := len(lines); n > 0 && lines[n-1].Text == "" && lines[n-1].Rewrites()+lines[n-1].Nodes == 0; n-- {
		lines = lines[:n-1]
	}
	listed := len(lines)
	if listed > mostLines {
		listed = mostCostly
	}
	last := 0
	for _, i := range foremost(len(lines), listed, func(i int) float64 { return float64(lines[i].Rewrites()) }) {
		out.gap(lines[last:i])
		out.Rows = append(out.Rows, listingRow{Line: lines[i], Most: most, Told: out.Normalised})
		last = i + 1
	}
	out.gap(lines[last:])
	for _, l := range nowhere {
		out.Rows = append(out.Rows, listingRow{Line: l, Most: most, Told: out.Normalised})
	}
	return &out
}

// gap adds a row for lines that are left out, with what they cost together.
func (l *listing) gap(lines []profile.Line) {
	if len(lines) > 0 {
		l.Rows = append(l.Rows, listingRow{Line: sumOf(lines), Told: l.Normalised, Gap: len(lines)})
	}
}

func sumOf(lines []profile.Line) profile.Line {
	var sum profile.Line
	for _, l := range lines {
		sum.Source += l.Source
		sum.Generated += l.Generated
		sum.Normalised += l.Normalised
		sum.Nodes += l.Nodes
	}
	return sum
}

// count is a number of a table, in which 0 is left open.
func count(n uint64) string {
	if n == 0 {
		return ""
	}
	return load.Grouped(n)
}

// clipped is a line with spaces for tabs, and cut if it is long.
func clipped(text string) string {
	text = strings.ReplaceAll(text, "\t", "    ")
	n := utf8.RuneCountInString(text)
	if n <= mostRunes {
		return text
	}
	return fmt.Sprintf("%s … (%s characters more)", string([]rune(text)[:mostRunes]), load.Grouped(uint64(n-mostRunes)))
}

// flame is a flame graph, the program at its top.
type flame struct {
	Depth  int // of the deepest frame
	Frames []flameFrame
}

type flameFrame struct {
	Name, Title      string
	Left, Width, Top string
}

// newFlame leaves out what is narrower than a thousandth of the graph.
func newFlame(frames []profile.Frame) *flame {
	var out flame
	whole := frames[0].Rewrites
	for _, f := range frames {
		if f.Rewrites*1000 < whole {
			continue
		}
		name := "all"
		if f.Line > 0 {
			name = fmt.Sprintf("%s:%d", f.Name, f.Line)
		}
		title := fmt.Sprintf("%s, %s of the rewrites: %s", name, share(f.Rewrites, whole), load.Grouped(f.Rewrites))
		if f.Rewrites*50 < whole {
			name = "" // there is no room for it
		}
		out.Depth = max(out.Depth, f.Depth)
		out.Frames = append(out.Frames, flameFrame{
			Name: name, Title: title, Left: percent(f.From, whole),
			Width: percent(f.Rewrites, whole), Top: fmt.Sprintf("%.1frem", 1.5*float64(f.Depth)),
		})
	}
	return &out
}

// Height is the height of the graph.
func (f *flame) Height() string { return fmt.Sprintf("%.1frem", 1.5*float64(f.Depth+1)) }

// mostDear is how many lines the list of the most costly ones has.
const mostDear = 10

// dearest returns the most costly lines, the first first, with their shares of all rewrites.
func dearest(lines []profile.Line) []stepRow {
	sum := sumOf(lines)
	lines = slices.DeleteFunc(slices.Clone(lines), func(l profile.Line) bool { return l.Line == 0 || l.Rewrites() == 0 })
	sort.SliceStable(lines, func(i, j int) bool { return lines[i].Rewrites() > lines[j].Rewrites() })
	var out []stepRow
	for _, l := range lines[:min(mostDear, len(lines))] {
		out = append(out, stepRow{Number: fmt.Sprint(l.Line), Text: clipped(l.Text), Count: load.Grouped(l.Rewrites()),
			Share: share(l.Rewrites(), sum.Rewrites()), Width: percent(l.Rewrites(), lines[0].Rewrites())})
	}
	return out
}
