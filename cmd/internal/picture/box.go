package picture

import (
	"fmt"
	"io"
	"strings"
)

// box is a node of an arena as it is drawn.
type box struct {
	at                uint32
	text              string
	refs              []uint32 // what it refers to, in order
	dual, waits, root bool
}

func (b *box) colour() string {
	if b.dual {
		return dualColour
	}
	return primalColour
}

// drawBoxes draws boxes, and a box for so many that are left out.
func drawBoxes(w io.Writer, boxes []box, left int, as Format) error {
	d := newDot(w, as)
	d.begin("TB")
	drawn := map[uint32]bool{}
	for i := range boxes {
		drawn[boxes[i].at] = true
	}
	for i := range boxes {
		if d.err != nil {
			return d.err
		}
		b := &boxes[i]
		d.box(b)
		for k, r := range b.refs {
			line := attrs{"color", b.colour()}
			if len(b.refs) > 1 {
				line = append(line, "tailport", fmt.Sprintf("r%d:s", k+1))
			}
			to := fmt.Sprintf("o%d", r)
			if !drawn[r] {
				to = ellipsisID
			}
			d.edge(fmt.Sprintf("o%d", b.at), to, line)
		}
	}
	d.leftOut(left, "nodes")
	return d.end()
}

func (d *dot) box(b *box) {
	colour := b.colour()
	label := b.label()
	if d.sheet != nil {
		label = b.title()
	}
	as := attrs{"shape", "box", "color", colour, "fontcolor", colour, "label", label, "height", 0.3}
	style := "rounded"
	if b.waits {
		style = "rounded,dashed"
	}
	as = append(as, "style", style)
	if b.root {
		as = append(as, "peripheries", 2)
	}
	d.node(fmt.Sprintf("o%d", b.at), as)
}

func (b *box) title() string { return fmt.Sprintf("%d: %s", b.at, b.text) }

// label is the text of a box and, if it refers to several, their numbers below: the
// edge to each begins there.
func (b *box) label() any {
	text := b.title()
	if len(b.refs) < 2 {
		return text
	}
	var numbers strings.Builder
	for k := range b.refs {
		fmt.Fprintf(&numbers, `<TD PORT="r%d"><FONT POINT-SIZE="9">%d</FONT></TD>`, k+1, k+1)
	}
	return markup(fmt.Sprintf(`<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1"><TR><TD COLSPAN="%d">%s</TD></TR><TR>%s</TR></TABLE>`,
		len(b.refs), escape(text), numbers.String()))
}

// leftOut draws the node that stands for what is not drawn.
func (d *dot) leftOut(n int, what string) {
	if n > 0 {
		d.node(ellipsisID, attrs{"shape", "box", "style", "dashed,rounded", "color", leftColour, "fontcolor", leftColour,
			"label", fmt.Sprintf("%d %s\nare left out", n, what)})
	}
}
