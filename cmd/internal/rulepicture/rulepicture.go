// Package rulepicture draws the rules of the calculus as the machine has them: what a
// drawing meets in the graph, and what it leaves there, side by side.
//
// A box is a term, with the occurrences of variables that matter inside it; a circle an
// operation; a box with corners a number. A solid arrow leads to an operand or a
// component. An explicit substitution is a dashed arrow, from the occurrence to what
// stands for it: α and β, stacks of them, are not seen. The arrow from above comes from
// whatever holds the term. The redex has a halo, and so has what is new. What is pale is
// no longer there.
//
// Pictures are 320 units wide, to be legible at as many pixels. They take their colours
// from where they stand: text and arrows currentColor, the rest the variables --primal,
// --dual (the backward part) and --redex (halos), each with a fallback. They have no
// style sheet, no script and no id, so that a page can hold several of them.
package rulepicture

import (
	"bytes"
	"fmt"
	"html"

	"github.com/gram-machine/gram/rule"
)

// Sizes in a picture.
const (
	width   = 320.0
	middle  = width / 2
	between = 40.0 // for the arrow from what was to what is
	margin  = 6.0
	pitch   = 40.0 // from one row to the next
	entry   = 14.0 // of the arrow from above
	space   = 22.0 // between two instances of a rule
)

// Colours, with what they are where a page does not say.
var (
	primal = colour{"--primal", "#2456a6"}
	dual   = colour{"--dual", "#b3263a"}
	redex  = colour{"--redex", "#f0a500"}
)

// colour is a variable of CSS and its fallback.
type colour struct{ name, fallback string }

func (c colour) String() string { return fmt.Sprintf("var(%s, %s)", c.name, c.fallback) }

// SVG returns the picture of a rule, before → after. It panics if there is no such rule.
func SVG(r rule.Rule) []byte {
	d := rules[r]
	height := margin
	for i, in := range d.instances {
		if i > 0 {
			height += space
		}
		height += in.height()
	}
	height += margin
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="rule" viewBox="0 0 %g %g" role="img" `, width, height)
	b.WriteString(`font-family="system-ui, sans-serif" font-size="14" text-anchor="middle" fill="currentColor">` + "\n")
	info := rule.Table[r]
	title := fmt.Sprintf("(%s) %s: %s", info.Number, info.Name, info.Text)
	if d.also != "" {
		title += "; " + d.also
	}
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(title))
	ink := primal
	if d.dual {
		ink = dual
	}
	top := margin
	for _, in := range d.instances {
		in.draw(&b, top, ink)
		top += in.height() + space
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// drawing is what there is to draw of a rule.
type drawing struct {
	dual      bool       // it belongs to the backward part
	instances []instance // one below the other
	also      string     // a rule that is counted with it
}

// instance is one way to apply a rule.
type instance struct {
	when          string // which, or where; "" if there is one
	before, after side
}

// side is the graph on one side of an instance. Its node root is the one that is held
// from above.
type side struct {
	nodes []node
	edges []edge
	root  int
}

// height is that of the rows, with the arrow from above.
func (in instance) height() float64 {
	last := 0.0
	for _, s := range []side{in.before, in.after} {
		for _, n := range s.nodes {
			last = max(last, n.row)
		}
	}
	return entry + nodeHeight + last*pitch
}

// draw draws an instance from top on. A side's place 0 is the middle of its half: what
// stays in the graph keeps its place there.
func (in instance) draw(b *bytes.Buffer, top float64, ink colour) {
	fmt.Fprintf(b, "<g transform=\"translate(0 %g)\">\n", top)
	half := (width - between) / 2
	in.before.draw(b, half/2, ink)
	in.after.draw(b, width-half/2, ink)
	y := entry + nodeHeight/2
	if in.when != "" {
		fmt.Fprintf(b, "<text x=\"%g\" y=\"%g\" font-size=\"12\">%s</text>\n", middle, y-9, html.EscapeString(in.when))
	}
	from, to := point{middle - 13, y}, point{middle + 13, y}
	fmt.Fprintf(b, `<g stroke="currentColor" stroke-width="2">%s</g>`, line(from, to.towards(from, headLength)))
	b.WriteString(head(from, to, "") + "\n</g>\n")
}
