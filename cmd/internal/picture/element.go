package picture

import (
	"unicode/utf8"

	"github.com/gram-machine/gram/term"
)

// element is a part of a [figure].
type element interface {
	dot(d *dot) // writes it in DOT
}

// circle is a node of a computational graph.
type circle struct {
	id, name string // the name may be empty
	value    string // the number at the point, or empty
	// A numeral has its value for a name; an input and an output stand out.
	numeral, input, output bool
	of                     Part
}

// hyperedge is the assignment of a symbol's result, + for [term.NoSymbol], to a node.
type hyperedge struct {
	id     string
	symbol term.Symbol
	of     Part
}

// link joins a node and a hyperedge, or one of them and the omission.
type link struct {
	from, to string
	of       Part
	left     bool
}

// omission stands for the operations that are left out.
type omission struct{ operations int }

// label is a node's name, and its value below.
func (c circle) label() markup {
	switch {
	case c.numeral:
		return markup(c.value)
	case c.name == "" && c.value == "":
		return ""
	case c.value == "":
		return nameMarkup(c.name)
	}
	value := markup(`<FONT POINT-SIZE="10">` + c.value + "</FONT>")
	if c.name == "" {
		return value
	}
	return `<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1"><TR><TD>` + nameMarkup(c.name) + "</TD></TR><TR><TD>" + value + "</TD></TR></TABLE>"
}

func (c circle) dot(d *dot) {
	colour := hues[c.of].line
	as := attrs{"shape", "circle", "color", colour, "fontcolor", colour, "label", c.label(), "margin", 0.03}
	if c.label() == "" {
		as = append(as, "width", 0.15, "fixedsize", "true")
	} else {
		as = append(as, "width", 0.4)
	}
	if c.input {
		as = append(as, "style", "filled", "fillcolor", hues[c.of].fill)
	}
	if c.output {
		as = append(as, "peripheries", 2)
	}
	d.node(c.id, as)
}

func (h hyperedge) dot(d *dot) {
	text := Symbol(h.symbol)
	colour := hues[h.of].line
	as := attrs{"label", text, "color", colour, "fontcolor", colour}
	if utf8.RuneCountInString(text) > 3 {
		as = append(as, "shape", "cds", "margin", "0.12,0.06", "height", 0.3)
	} else {
		as = append(as, "shape", "triangle", "orientation", 270, "fixedsize", "true", "width", 0.62, "height", 0.62)
	}
	if utf8.RuneCountInString(text) == 1 {
		as = append(as, "fontsize", 18)
	}
	if ordered(h.symbol) {
		as = append(as, "ordering", "in")
	}
	d.node(h.id, as)
}

func (l link) dot(d *dot) {
	if l.left {
		d.edge(l.from, l.to, attrs{"color", leftColour, "style", "dashed"})
		return
	}
	d.edge(l.from, l.to, attrs{"color", hues[l.of].line})
}

func (o omission) dot(d *dot) { d.leftOut(o.operations, "operations") }
