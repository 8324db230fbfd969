package picture

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strings"
)

// The colours of the paper: blue(pigment), burgundy and britishracinggreen.
const (
	primalColour  = "#333399"
	dualColour    = "#800020"
	tangentColour = "#004225"
	leftColour    = "#777777" // of what is left out
)

// markup is a label in Graphviz's own mark-up.
type markup string

// attrs are attributes of a node or an edge: names, each followed by its value, a
// string, a markup or a number.
type attrs []any

// dot writes a graph, in DOT or in SVG. Its first error is kept.
type dot struct {
	w     *bufio.Writer
	sheet *sheet // of a picture in SVG
	err   error
}

func newDot(w io.Writer, as Format) *dot {
	d := &dot{w: bufio.NewWriter(w)}
	if as == SVG {
		d.sheet = newSheet()
	}
	return d
}

func (d *dot) printf(format string, args ...any) {
	if d.err == nil && d.sheet == nil {
		_, d.err = fmt.Fprintf(d.w, format, args...)
	}
}

func (d *dot) attrs(as attrs) string {
	var b strings.Builder
	for i := 0; i < len(as); i += 2 {
		if i > 0 {
			b.WriteString(", ")
		}
		switch v := as[i+1].(type) {
		case string:
			fmt.Fprintf(&b, "%s=%s", as[i], quote(v))
		case markup:
			fmt.Fprintf(&b, "%s=<%s>", as[i], v)
		default:
			fmt.Fprintf(&b, "%s=%v", as[i], v)
		}
	}
	return b.String()
}

// quote is a string of DOT, in which a backslash stands for itself.
func quote(s string) string {
	s = strings.ReplaceAll(s, `\`, `\\`)
	s = strings.ReplaceAll(s, `"`, `\"`)
	return `"` + strings.ReplaceAll(s, "\n", `\n`) + `"`
}

func escape(s string) string { return html.EscapeString(s) }

// begin opens the graph, whose edges run in the direction rankdir.
func (d *dot) begin(rankdir string) {
	d.printf("digraph gram {\n")
	d.printf("  graph [%s]\n", d.attrs(attrs{"rankdir", rankdir, "fontname", "Helvetica", "fontsize", 12, "nodesep",
		0.3, "ranksep", 0.35,
		"nslimit", 2, "nslimit1", 2, "mclimit", 0.5})) // the time that Graphviz takes for its layout
	d.printf("  node [%s]\n", d.attrs(attrs{"fontname", "Helvetica", "fontsize", 12}))
	d.printf("  edge [%s]\n", d.attrs(attrs{"fontname", "Helvetica", "fontsize", 9, "arrowsize", 0.6}))
}

// end closes the graph and returns the first error.
func (d *dot) end() error {
	d.printf("}\n")
	if d.sheet != nil {
		d.sheet.write(d.w, "gram")
	}
	if d.err == nil {
		d.err = d.w.Flush()
	}
	return d.err
}

func (d *dot) node(id string, as attrs) {
	if d.sheet != nil {
		d.sheet.node(id, as)
	} else if d.err == nil {
		d.printf("  %s [%s]\n", id, d.attrs(as))
	}
}

func (d *dot) edge(from, to string, as attrs) {
	if d.sheet != nil {
		d.sheet.edge(from, to, as)
	} else if d.err == nil {
		d.printf("  %s -> %s [%s]\n", from, to, d.attrs(as))
	}
}

// frame begins a frame with a title; endFrame ends it.
func (d *dot) frame(id int, title string) {
	if d.sheet != nil {
		d.sheet.frames = append(d.sheet.frames, title)
		return
	}
	d.printf("  subgraph cluster_%d {\n", id)
	d.printf("  graph [%s]\n", d.attrs(attrs{"label", title, "style", "rounded", "color", leftColour, "labeljust", "l"}))
}

func (d *dot) endFrame() { d.printf("  }\n") }
