package show

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/term"
)

// Format is a format of pictures.
type Format uint8

// The formats.
const (
	DOT Format = iota // the language of Graphviz
	SVG               // laid out by [Place]
)

// Formats are the formats by their names.
var Formats = map[string]Format{"dot": DOT, "svg": SVG}

// Part is a part of a picture, which has colours of its own.
type Part uint8

// The parts.
const (
	Primal  Part = iota // the values, in blue
	Tangent             // what forward mode adds, in green
	Adjoint             // the backward phase, in red
	leftOut             // what stands for nodes that are not drawn, in grey
)

// colours are those of the parts, of lines and of what is filled: the blue(pigment), britishracinggreen and burgundy of
// the paper. The names are those of the CSS variables of a page that sets others.
var colours = [...]struct{ name, line, fill string }{
	Primal: {"primal", "#333399", "#e4e4f4"}, Tangent: {"tangent", "#004225", "#dcece4"},
	Adjoint: {"dual", "#800020", "#f6e0e4"}, leftOut: {"left", "#777777", "#ffffff"},
}

// figure is what is drawn: nodes, and links from a node to the one that reads it.
type figure struct {
	title string
	down  bool // links run down, in SVG only if the picture is too wide else
	nodes []node
	links []link
}

// kind is the shape of a node.
type kind uint8

const (
	circle    kind = iota // a node of a computational graph
	hyperedge             // the assignment of a symbol's result to its target
	box                   // lines of text
)

// node is a node of a figure.
type node struct {
	id   string
	kind kind
	of   Part
	// text is the name of a circle, which may be empty, the symbol of a hyperedge, or the lines of a box. value is the
	// number below the name of a circle, or, if numeral is set, in place of it.
	text, value                     string
	numeral, filled, double, dashed bool
	ordered                         bool // links arrive in the order of operands
	ports                           int  // of a box: how many links leave it, each by its number
}

// link is an arrow between two nodes.
type link struct {
	from, to string
	of       Part
	port     int // by which it leaves a box, from 1; 0: it has none
}

func (f *figure) add(n node) { f.nodes = append(f.nodes, n) }

func (f *figure) join(from, to string, of Part) {
	f.links = append(f.links, link{from: from, to: to, of: of})
}

// omission is the id of the node that stands for what is not drawn.
const omission = "left"

// omit adds the node that stands for n things that are not drawn, unless n is 0.
func (f *figure) omit(n int, what string) {
	if n > 0 {
		f.add(node{id: omission, kind: box, of: leftOut, dashed: true, text: fmt.Sprintf("%d %s\nare left out", n, what)})
	}
}

// write writes the figure in a format.
func (f *figure) write(w io.Writer, as Format) error {
	if as == SVG {
		return f.svg(w)
	}
	return f.dot(w)
}

// spelling is a variable's name as it is drawn: its numbers as subscripts, primes
// behind. x1 is x₁, z2' is z₂′, E.(0).(1) is E with 0,1 below.
type spelling struct {
	letters    string
	subscripts string
	ticks      string
}

// spell takes a name apart; one that doesn't begin with letters is letters.
func spell(name string) spelling {
	body := strings.TrimRight(name, "'*")
	end := strings.IndexAny(body, ".:")
	if end < 0 {
		end = len(body)
	}
	letters := strings.TrimRight(body[:end], "0123456789")
	numbers := strings.FieldsFunc(body[len(letters):], func(c rune) bool { return c < '0' || c > '9' })
	letters = strings.TrimRight(letters, "_")
	if letters == "" {
		return spelling{letters: name}
	}
	ticks := strings.NewReplacer("'", "′", "*", "*").Replace(name[len(body):])
	return spelling{letters, strings.Join(numbers, ","), ticks}
}

// nameMarkup is a variable's name in Graphviz's mark-up.
func nameMarkup(name string) string {
	if name == "" {
		return ""
	}
	s := spell(name)
	out := "<I>" + html.EscapeString(s.letters) + "</I>"
	if s.subscripts != "" {
		out += "<SUB>" + s.subscripts + "</SUB>"
	}
	return out + s.ticks
}

// Number is a number for people, with four digits.
func Number(x float64) string {
	return strings.Replace(strconv.FormatFloat(x, 'g', 4, 64), "-", "−", 1)
}

// Symbol is the text of a hyperedge; + is [term.NoSymbol].
func Symbol(f term.Symbol) string {
	switch f {
	case term.NoSymbol:
		return "+"
	case term.Mul:
		return "·"
	case term.Sub, term.Neg:
		return "−"
	case term.Div:
		return "/"
	}
	return strings.ReplaceAll(f.SourceName(), "'", "′")
}

// ordered tells the symbols whose operands can't be swapped.
func ordered(f term.Symbol) bool {
	switch f {
	case term.NoSymbol, term.Mul, term.Min, term.Max, term.Same:
		return false
	}
	return f.Info().Arity > 1
}

// dot writes the figure in DOT.
func (f *figure) dot(w io.Writer) error {
	b := bufio.NewWriter(w) // keeps the first error
	direction := "LR"
	if f.down {
		direction = "TB"
	}
	fmt.Fprintf(b, "digraph gram {\n  graph [rankdir=%q, fontname=\"Helvetica\", fontsize=12, nodesep=0.3, ranksep=0.35, "+
		"nslimit=2, nslimit1=2, mclimit=0.5]\n", direction) // the limits bound the time that Graphviz takes
	fmt.Fprint(b, "  node [fontname=\"Helvetica\", fontsize=12]\n  edge [fontname=\"Helvetica\", fontsize=9, "+
		"arrowsize=0.6]\n")
	var sources, others strings.Builder // the inputs that are not of the backward phase stand side by side
	for i := range f.nodes {
		n, to := &f.nodes[i], &others
		if n.kind == circle && n.filled && n.of != Adjoint {
			to = &sources
		}
		fmt.Fprintf(to, "  %s [%s]\n", n.id, n.attributes())
	}
	if sources.Len() > 0 {
		fmt.Fprintf(b, "  { rank=source\n%s  }\n", sources.String())
	}
	b.WriteString(others.String())
	for _, l := range f.links {
		fmt.Fprintf(b, "  %s -> %s [color=%q", l.from, l.to, colours[l.of].line)
		if l.of == leftOut {
			b.WriteString(`, style="dashed"`)
		}
		if l.port > 0 {
			fmt.Fprintf(b, `, tailport="r%d:s"`, l.port)
		}
		b.WriteString("]\n")
	}
	b.WriteString("}\n")
	return b.Flush()
}

// attributes are those of a node in DOT.
func (n *node) attributes() string {
	var b strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	letters := utf8.RuneCountInString(n.text)
	add("label=%s, color=%q, fontcolor=%[2]q", n.label(), colours[n.of].line)
	switch n.kind {
	case box:
		style := "rounded"
		if n.dashed {
			style += ",dashed"
		}
		add(`, shape="box", height=0.3, style=%q`, style)
	case hyperedge:
		if letters > longSymbol {
			add(`, shape="cds", margin="0.12,0.06", height=0.3`)
		} else {
			add(`, shape="triangle", orientation=270, fixedsize="true", width=0.62, height=0.62`)
		}
		if letters == 1 {
			add(", fontsize=18")
		}
		if n.ordered {
			add(`, ordering="in"`)
		}
	case circle:
		add(`, shape="circle", margin=0.03`)
		if n.text == "" && n.value == "" {
			add(`, width=0.15, fixedsize="true"`)
		} else {
			add(", width=0.4")
		}
		if n.filled {
			add(`, style="filled", fillcolor=%q`, colours[n.of].fill)
		}
	}
	if n.double {
		add(", peripheries=2")
	}
	return b.String()
}

// label is the text of a node in DOT: of a circle its name, and its value below; of a box with several ports their
// numbers below.
func (n *node) label() string {
	const table = `<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1"><TR>`
	switch {
	case n.kind == box && n.ports > 1:
		var numbers strings.Builder
		for k := range n.ports {
			fmt.Fprintf(&numbers, `<TD PORT="r%d"><FONT POINT-SIZE="9">%d</FONT></TD>`, k+1, k+1)
		}
		return fmt.Sprintf(`%s<TD COLSPAN="%d">%s</TD></TR><TR>%s</TR></TABLE>>`, table, n.ports,
			html.EscapeString(n.text), numbers.String())
	case n.kind != circle:
		return quote(n.text)
	case n.numeral:
		return "<" + n.value + ">"
	case n.value == "":
		return "<" + nameMarkup(n.text) + ">"
	}
	value := `<FONT POINT-SIZE="10">` + n.value + "</FONT>"
	if n.text == "" {
		return "<" + value + ">"
	}
	return table + "<TD>" + nameMarkup(n.text) + "</TD></TR><TR><TD>" + value + "</TD></TR></TABLE>>"
}

// quote is a string of DOT, in which a backslash stands for itself.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
