package picture

import (
	"fmt"
	"io"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// Templates draws the templates of a program: a frame for each, with its slots and instructions, and edges from what
// makes a value to what reads it. Captured references, parameters and the globals that it reads are at the left; an
// edge with dashes leads from an instruction or a global to the template that it is a closure of or branches to. inputs
// are the names of the inputs, and place turns a position into text such as "5:22". most is how many instructions are
// drawn, from the first on, 0 for all; left is how many are not.
func Templates(w io.Writer, p *graph.Program, inputs []string, place func(term.Pos) string, most int,
	as Format) (left int, err error) {
	t := &templates{dot: newDot(w, as), p: p, place: place, most: most, inputs: map[uint32]string{}}
	for i := range p.Inputs {
		g, _ := p.InputSlot(i)
		t.inputs[g] = inputs[i]
	}
	t.begin("LR")
	t.printf("  compound=true\n")
	for i := range p.Templates {
		if t.fits(i) {
			t.template(i)
		}
	}
	for _, e := range t.closures {
		if t.done[e.to] {
			t.edge(e.from, resultID(e.to),
				attrs{"color", leftColour, "style", "dashed", "constraint", "false", "lhead",
					fmt.Sprintf("cluster_%d", e.to)})
		}
	}
	t.leftOut(t.left, "instructions")
	return t.left, t.end()
}

// templates draws templates.
type templates struct {
	*dot
	p           *graph.Program
	place       func(term.Pos) string
	inputs      map[uint32]string // by slot
	most, drawn int
	left        int
	done        map[uint32]bool
	closures    []closure
}

// closure is an instruction that refers to a template.
type closure struct {
	from string
	to   uint32
}

// fits tells whether template i is drawn; of the one that is too many, nothing is, nor of
// any after it.
func (t *templates) fits(i int) bool {
	if t.done == nil {
		t.done = map[uint32]bool{}
	}
	tm := &t.p.Templates[i]
	n := int(tm.End - tm.Start)
	if t.most > 0 && (t.left > 0 || t.drawn+n > t.most) {
		t.left += n
		return false
	}
	t.drawn += n
	t.done[uint32(i)] = true
	return true
}

func (t *templates) template(i int) {
	tm := &t.p.Templates[i]
	title := fmt.Sprintf("template %d: %s, %s", i, tm.Name, t.place(tm.Pos))
	t.frame(i, title)
	b := &body{templates: t, id: uint32(i), tm: tm, of: map[uint32]string{}}
	for k := range tm.Caps {
		b.slot(tm.Cap0+k, fmt.Sprintf("captured %d", k), "dashed,rounded")
	}
	for k := range tm.Params {
		b.slot(tm.Param0+k, fmt.Sprintf("parameter %d", k), "rounded,filled")
	}
	for pc := tm.Start; pc < tm.End; pc++ {
		b.instruction(pc)
	}
	result := resultID(b.id)
	t.node(result, attrs{"shape", "box", "style", "rounded", "peripheries", 2, "label", "result", "color", primalColour,
		"fontcolor", primalColour, "height", 0.3})
	b.operand(tm.Result, result)
	t.endFrame()
}

func resultID(template uint32) string { return fmt.Sprintf("t%d_result", template) }

// body draws one template.
type body struct {
	*templates
	id uint32
	tm *graph.Template
	of map[uint32]string // the node that makes the value of each slot
}

func (b *body) slot(s uint32, label, style string) {
	id := fmt.Sprintf("t%d_s%d", b.id, s)
	b.node(id, attrs{"shape", "box", "style", style, "fillcolor", "#e4e4f4", "label", label, "height", 0.3, "color",
		primalColour, "fontcolor", primalColour})
	b.of[s] = id
}

// operand draws the edge from slot s to the node id. A global is drawn where it is read.
func (b *body) operand(s uint32, id string) {
	from, ok := b.of[s]
	if !ok {
		from = b.global(s)
	}
	b.edge(from, id, attrs{"color", primalColour})
}

func (b *body) global(s uint32) (id string) {
	name, input := b.inputs[s]
	if !input {
		name = b.p.GlobalText(s)
	}
	b.slot(s, name, "rounded")
	if g := b.p.Global(s); g.Kind == graph.Closure || g.Kind == graph.List {
		b.closures = append(b.closures, closure{b.of[s], g.Index})
	}
	return b.of[s]
}

func (b *body) instruction(pc uint32) {
	in := &b.p.Code[pc]
	id := fmt.Sprintf("i%d", pc)
	colour := primalColour
	switch in.Op {
	case graph.OpDual, graph.OpLin, graph.OpArrive, graph.OpSum, graph.OpJob:
		colour = dualColour
	}
	b.node(id, attrs{"shape", "box", "label", instructionText(in), "color", colour, "fontcolor", colour, "height", 0.3})
	for _, s := range b.p.Operands(in) {
		b.operand(s, id)
	}
	for k := range in.Results() {
		b.of[in.D+k] = id
	}
	switch in.Op {
	case graph.OpClosure, graph.OpList, graph.OpLin:
		b.closures = append(b.closures, closure{id, in.Tmpl})
	case graph.OpIf:
		b.closures = append(b.closures, closure{id, in.Tmpl}, closure{id, in.Else})
	}
}

func instructionText(in *graph.Instr) string {
	switch in.Op {
	case graph.OpClosure, graph.OpList, graph.OpLin:
		return fmt.Sprintf("%s of %d", in.Name(), in.Tmpl)
	case graph.OpDual:
		return fmt.Sprintf("dual %d", in.Tmpl)
	case graph.OpFun1, graph.OpFun2:
		return Symbol(in.Sym)
	}
	return in.Name()
}
