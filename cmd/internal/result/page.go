// Package result prints values, derivatives and costs: as text for people, as JSON, as files of numbers, and as a page.
//
// [WritePage] writes the report of a gradient as one page of HTML: nothing is loaded from elsewhere, and there is no
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
// The page is well-formed XML too, which tests rely on. All texts are escaped by html/template, where control
// characters are replaced. Only the drawing of the graph is taken as it is.
package result

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"path/filepath"
	"time"

	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/profile"
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
	SVG     template.HTML // an element svg, or nothing
	Text    string        // what is said of it
	Command string        // that draws it, or nothing
}

//go:embed page.html
var pageSource string

//go:embed style.css
var style string

var page = template.Must(template.New("page").Funcs(template.FuncMap{"count": count, "percent": percent[uint64],
	"clipped": clipped}).Parse(pageSource))

// WritePage writes the page.
func WritePage(w io.Writer, r *Page) error {
	var b bytes.Buffer
	if err := page.Execute(&b, newView(r)); err != nil {
		return err
	}
	_, err := w.Write(bytes.Map(valid, b.Bytes()))
	return err
}

// valid replaces what is no character of XML.
func valid(c rune) rune {
	if c < ' ' && c != '\n' && c != '\t' || c == 0xFFFE || c == 0xFFFF {
		return '\uFFFD'
	}
	return c
}

// view is a report as the page has it.
type view struct {
	*Page
	Style   template.CSS
	Number  *number // the value, if it is one number
	Values  *bars   // the value, if it is a vector
	Figures []figure
	Points  []figure // the inputs
	Table   *stepTable
	Listing *listing
	Dearest []stepRow // lines
	Flame   *flame
	Plot    *plot   // of a fit
	Fits    []*plot // of its predictions
}

func newView(r *Page) *view {
	v := &view{Page: r, Style: template.CSS(style), Points: gradient(r.Inputs)}
	if len(r.Value.Dims) == 0 {
		v.Number = new(newNumber(r.Value.Values[0]))
	} else {
		v.Values = newBars(r.Value.Values, outputName, scaleOf(r.Value.Values))
	}
	if r.Outputs > 0 {
		v.Figures = jacobian(r.Gradient, r.Outputs)
	} else {
		v.Figures = gradient(r.Gradient)
	}
	if len(r.Curves) > 0 {
		v.Plot, v.Fits = newPlot(r.Curves), newPredictions(r.Predictions)
	}
	if r.Steps.Total() > 0 {
		v.Table = newStepTable(&r.Steps)
	}
	if len(r.Lines) > 0 {
		v.Listing, v.Dearest = newListing(r.Lines), dearest(r.Lines)
	}
	if len(r.Frames) > 1 {
		v.Flame = newFlame(r.Frames)
	}
	return v
}
