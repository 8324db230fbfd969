package picture

import (
	"fmt"
	"io"
	"strings"

	"github.com/gram-machine/gram/graph"
)

// Objects draws objects of the arena, in the order of allocation, with edges to what
// they refer to. Duals are red, and what waits for an operand is dashed. left is how many
// there are besides, which are not drawn.
func Objects(w io.Writer, objects []graph.Object, left int) error {
	d := newDot(w)
	d.begin("TB")
	drawn := map[graph.Ref]bool{}
	for i := range objects {
		drawn[objects[i].At] = true
	}
	for i := range objects {
		if d.err != nil {
			return d.err
		}
		o := &objects[i]
		d.object(o)
		for k, r := range o.Refs {
			as := attrs{"color", colourOf(o.Kind)}
			if len(o.Refs) > 1 {
				as = append(as, "tailport", fmt.Sprintf("r%d:s", k+1))
			}
			to := fmt.Sprintf("o%d", r)
			if !drawn[r] {
				to = ellipsisID
			}
			d.edge(fmt.Sprintf("o%d", o.At), to, as)
		}
	}
	d.leftOut(left, "objects")
	return d.end()
}

// IsDual tells the kinds of objects of the backward phase.
func IsDual(k graph.Kind) bool {
	switch k {
	case graph.DualCell, graph.LinDual, graph.BlockDual, graph.Input, graph.Arrival, graph.Bag, graph.Job:
		return true
	}
	return false
}

func colourOf(k graph.Kind) string {
	if IsDual(k) {
		return dualColour
	}
	return primalColour
}

func (d *dot) object(o *graph.Object) {
	colour := colourOf(o.Kind)
	as := attrs{"shape", "box", "color", colour, "fontcolor", colour, "label", objectLabel(o), "height", 0.3}
	style := "rounded"
	if o.Kind >= graph.Wait {
		style = "rounded,dashed"
	}
	as = append(as, "style", style)
	if o.Root {
		as = append(as, "peripheries", 2)
	}
	d.node(fmt.Sprintf("o%d", o.At), as)
}

// objectLabel is the text of an object and, if it refers to several, their numbers below: the
// edge to each begins there.
func objectLabel(o *graph.Object) any {
	text := fmt.Sprintf("%d: %s", o.At, o.Text)
	if len(o.Refs) < 2 {
		return text
	}
	var numbers strings.Builder
	for k := range o.Refs {
		fmt.Fprintf(&numbers, `<TD PORT="r%d"><FONT POINT-SIZE="9">%d</FONT></TD>`, k+1, k+1)
	}
	return markup(fmt.Sprintf(`<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1"><TR><TD COLSPAN="%d">%s</TD></TR><TR>%s</TR></TABLE>`,
		len(o.Refs), escape(text), numbers.String()))
}

// ends returns where the first part that is drawn of n things ends, and where the last
// begins.
func ends(n, most int) (head, tail int) {
	if most == 0 || n <= most {
		return n, n
	}
	return (most + 1) / 2, n - most/2
}

// leftOut draws the node that stands for what is not drawn.
func (d *dot) leftOut(n int, what string) {
	if n > 0 {
		d.node(ellipsisID, attrs{"shape", "box", "style", "dashed,rounded", "color", leftColour, "fontcolor", leftColour,
			"label", fmt.Sprintf("%d %s\nare left out", n, what)})
	}
}
