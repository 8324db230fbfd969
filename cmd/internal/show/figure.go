package show

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/term"
)

// Format writes a figure in a format of pictures.
type Format func(f *figure, w io.Writer) error

// The formats.
var (
	DOT Format = (*figure).dot // the language of Graphviz
	SVG Format = (*figure).svg // laid out by [Place]
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

// Line is the colour of its lines.
func (p Part) Line() string { return colours[p].line }

// Fill is the colour of what is filled.
func (p Part) Fill() string { return colours[p].fill }

// figure is what is drawn: nodes, and links from a node to the one that reads it.
type figure struct {
	title string
	down  bool // links run down, in SVG only if the picture is too wide else
	nodes []node
	links []link
}

// kind is the shape of a node.
type kind string

const (
	circle    kind = ""          // a node of a computational graph
	hyperedge kind = "hyperedge" // the assignment of a symbol's result to its target
	box       kind = "box"       // lines of text
)

// node is a node of a figure.
type node struct {
	ID   string
	Kind kind
	Of   Part
	// Text is the name of a circle, which may be empty, the symbol of a hyperedge, or the lines of a box. Value is the
	// number below the name of a circle, or, if Numeral is set, in place of it.
	Text, Value                     string
	Numeral, Filled, Double, Dashed bool
	Ordered                         bool // links arrive in the order of operands
	Ports                           int  // of a box: how many links leave it, each by its number
}

// Letters counts the letters of the text.
func (n *node) Letters() int { return utf8.RuneCountInString(n.Text) }

// Long reports whether a symbol is too long for a triangle.
func (n *node) Long() bool { return n.Letters() > longSymbol }

// Name is the name of a circle.
func (n *node) Name() spelling { return spell(n.Text) }

// link is an arrow between two nodes.
type link struct {
	From, To string
	Of       Part
	Port     int // by which it leaves a box, from 1; 0: it has none
}

// Dashed reports whether the link is one from or to what is left out.
func (l link) Dashed() bool { return l.Of == leftOut }

func (f *figure) add(n node) { f.nodes = append(f.nodes, n) }

func (f *figure) join(from, to string, of Part) {
	f.links = append(f.links, link{From: from, To: to, Of: of})
}

// omission is the id of the node that stands for what is not drawn.
const omission = "left"

// omit adds the node that stands for n things that are not drawn, unless n is 0.
func (f *figure) omit(n int, what string) {
	if n > 0 {
		f.add(node{ID: omission, Kind: box, Of: leftOut, Dashed: true, Text: fmt.Sprintf("%d %s\nare left out", n, what)})
	}
}

// spelling is a variable's name as it is drawn: its numbers as subscripts, primes
// behind. x1 is x₁, z2' is z₂′, E.(0).(1) is E with 0,1 below.
type spelling struct{ Letters, Subscripts, Ticks string }

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
		return spelling{Letters: name}
	}
	ticks := strings.NewReplacer("'", "′", "*", "*").Replace(name[len(body):])
	return spelling{letters, strings.Join(numbers, ","), ticks}
}

// Number is a number for people, with four digits.
func Number(x float64) string {
	return strings.Replace(strconv.FormatFloat(x, 'g', 4, 64), "-", "−", 1)
}

var signs = map[term.Symbol]string{term.NoSymbol: "+", term.Mul: "·", term.Sub: "−", term.Neg: "−", term.Div: "/"}

// Symbol is the text of a hyperedge; + is [term.NoSymbol].
func Symbol(f term.Symbol) string {
	if sign, ok := signs[f]; ok {
		return sign
	}
	return strings.ReplaceAll(f.SourceName(), "'", "′")
}

// ordered tells the symbols whose operands can't be swapped.
func ordered(f term.Symbol) bool {
	swapped := []term.Symbol{term.NoSymbol, term.Mul, term.Min, term.Max, term.Same}
	return !slices.Contains(swapped, f) && f.Info().Arity > 1
}

// dot writes the figure in DOT.
func (f *figure) dot(w io.Writer) error {
	data := struct {
		Down            bool
		Sources, Others []*node // the inputs that are not of the backward phase, and the others
		Links           []link
	}{Down: f.down, Links: f.links}
	for i := range f.nodes {
		if n := &f.nodes[i]; n.Kind == circle && n.Filled && n.Of != Adjoint {
			data.Sources = append(data.Sources, n)
		} else {
			data.Others = append(data.Others, n)
		}
	}
	b := bufio.NewWriter(w)
	if err := templates().ExecuteTemplate(b, "dot.tmpl", data); err != nil {
		return err
	}
	return b.Flush()
}

// quote is a string of DOT, in which a backslash stands for itself.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
