package picture

import (
	"fmt"
	"io"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// Templates draws the templates of a program: the slots and instructions of each, with links from what makes a value to
// what reads it, and its result, whose box has the name and the place of the template. A grey link leads from an
// instruction or a global to the template that it is a closure of or branches to. inputs
// are the names of the inputs, and place turns a position into text such as "5:22". most is how many instructions are
// drawn, from the first on, 0 for all; left is how many are not.
func Templates(w io.Writer, p *graph.Program, inputs []string, place func(term.Pos) string, most int,
	as Format) (left int, err error) {
	t := &templates{figure: figure{title: "gram"}, p: p, place: place, most: most, inputs: map[uint32]string{}}
	for i := range p.Inputs {
		g, _ := p.InputSlot(i)
		t.inputs[g] = inputs[i]
	}
	for i := range p.Templates {
		if t.fits(i) {
			t.template(i)
		}
	}
	for _, e := range t.closures {
		if t.done[e.to] {
			t.join(resultID(e.to), e.from, leftOut)
		}
	}
	t.omit(t.left, "instructions")
	return t.left, t.write(w, as)
}

// templates draws templates.
type templates struct {
	figure
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
	b := &body{templates: t, id: uint32(i), tm: tm, of: map[uint32]string{}}
	for k := range tm.Caps {
		b.slot(tm.Cap0+k, node{text: fmt.Sprintf("captured %d", k), dashed: true})
	}
	for k := range tm.Params {
		b.slot(tm.Param0+k, node{text: fmt.Sprintf("parameter %d", k), filled: true})
	}
	for pc := tm.Start; pc < tm.End; pc++ {
		b.instruction(pc)
	}
	result := resultID(b.id)
	t.add(node{id: result, kind: box, double: true,
		text: fmt.Sprintf("result of template %d:\n%s, %s", i, tm.Name, t.place(tm.Pos))})
	b.operand(tm.Result, result)
}

func resultID(template uint32) string { return fmt.Sprintf("t%d_result", template) }

// body draws one template.
type body struct {
	*templates
	id uint32
	tm *graph.Template
	of map[uint32]string // the node that makes the value of each slot
}

func (b *body) slot(s uint32, n node) {
	n.id, n.kind = fmt.Sprintf("t%d_s%d", b.id, s), box
	b.add(n)
	b.of[s] = n.id
}

// operand draws the edge from slot s to the node id. A global is drawn where it is read.
func (b *body) operand(s uint32, id string) {
	from, ok := b.of[s]
	if !ok {
		from = b.global(s)
	}
	b.join(from, id, Primal)
}

func (b *body) global(s uint32) (id string) {
	name, input := b.inputs[s]
	if !input {
		name = b.p.GlobalText(s)
	}
	b.slot(s, node{text: name})
	if g := b.p.Global(s); g.Kind == graph.Closure || g.Kind == graph.List {
		b.closures = append(b.closures, closure{b.of[s], g.Index})
	}
	return b.of[s]
}

func (b *body) instruction(pc uint32) {
	in := &b.p.Code[pc]
	id := fmt.Sprintf("i%d", pc)
	n := node{id: id, kind: box, text: instructionText(in)}
	switch in.Op {
	case graph.OpDual, graph.OpLin, graph.OpArrive, graph.OpSum, graph.OpJob:
		n.of = Adjoint
	}
	b.add(n)
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
