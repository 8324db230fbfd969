package compile

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// close ends the template on top with the given result, and returns its number
// and the slots, in the enclosing template, of what it captures.
func (c *compiler) close(result operand) (id uint32, captured []slot) {
	s := c.slot(result)
	b := c.top()
	c.emitTally(&b.tallies, b.pos)
	c.stack = c.stack[:len(c.stack)-1]
	for _, x := range b.captured {
		captured = append(captured, x.from)
	}
	caps := uint32(len(captured))
	frame := func(s slot) uint32 {
		switch s & classMask {
		case captureClass:
			return frameBit | uint32(s&indexMask)
		case paramClass:
			return frameBit | (caps + uint32(s&indexMask))
		case localClass:
			return frameBit | (caps + b.params + b.extra + uint32(s&indexMask))
		}
		return uint32(s)
	}
	t := graph.Template{Name: b.name, Pos: b.pos, Params: b.params, Caps: caps, Extra: b.extra, Start: uint32(len(c.out.Code)),
		Counts: b.steps.counts, Steps: b.steps.counts.Total(), Places: b.steps.places, Instantiate: b.overhead, Result: frame(s), RootAt: graph.NoRoot,
		Vars: b.vars, Type: b.typ}
	if !c.opt.Open {
		t.Vars = nil
	}
	if len(b.loops.All) > 0 {
		t.Families, t.Inline = true, b.inline
		c.families[uint32(len(c.out.Templates))] = &b.loops.Families
	}
	if s&classMask == localClass {
		if l := b.locals.of(uint32(s & indexMask)); l.single {
			t.RootAt = t.Start + l.at
			b.code[l.at].Flags |= graph.Root
			if (b.code[l.at].Op == graph.OpIf || b.code[l.at].Op == graph.OpCase) && !b.mentions(s) {
				b.code[l.at].Flags |= graph.Tail
			}
		}
	}
	args := uint32(len(c.out.Args))
	for _, a := range b.args {
		c.out.Args = append(c.out.Args, frame(slot(a)))
	}
	for i, in := range b.code {
		if !c.check(i + 1) {
			break
		}
		in.A, in.B, in.D = frame(slot(in.A)), frame(slot(in.B)), frame(slot(in.D))
		in.Off += args
		if in.Op == graph.OpRun {
			in.Else = uint32(b.units)
		}
		c.out.Code = append(c.out.Code, in)
	}
	t.End = uint32(len(c.out.Code))
	if b.units > math.MaxUint32/2 || len(c.out.Templates) > graph.MaxIndex {
		c.fail(b.pos, "the program is too large")
	}
	t.Units = uint32(b.units)
	c.out.Frame = max(c.out.Frame, caps+b.params+b.extra+b.locals.size())
	c.out.Templates = append(c.out.Templates, t)
	c.slotTypes, c.nodes = append(c.slotTypes, c.typesOf(b)), append(c.nodes, b.node)
	return uint32(len(c.out.Templates) - 1), captured
}

// mentions reports whether an instruction has the slot s as an operand.
func (b *builder) mentions(s slot) bool {
	for i := range b.code {
		if in := &b.code[i]; in.A == uint32(s) || in.B == uint32(s) {
			return true
		}
	}
	return slices.Contains(b.args, uint32(s))
}

// typesOf returns the types of what the template captures and of its parameters.
func (c *compiler) typesOf(b *builder) []term.Type {
	out := make([]term.Type, 0, len(b.captured)+int(b.params))
	for _, x := range b.captured {
		if int(x.x) >= c.t.NumVars() { // an index
			out = append(out, term.R)
			continue
		}
		out = append(out, c.t.TypeOf(x.x))
	}
	for _, x := range b.vars {
		out = append(out, c.t.TypeOf(x))
	}
	if b.element != 0 {
		out = append(out, term.R)
	}
	return out
}

// readList adds the globals to which a list is applied to read it.
func (c *compiler) readList() {
	c.open("cons", 0, make([]term.Var, 2))
	id, _ := c.close(c.newPair(operand{slot: paramClass}, operand{slot: paramClass | 1}, 0))
	c.out.Cons = uint32(c.addGlobal(graph.Global{Kind: graph.Closure, Index: id}))
	c.out.Nil = uint32(c.addGlobal(graph.Global{Kind: graph.Nat}))
}

// link puts the frame behind the globals: all slots become absolute.
func (c *compiler) link() {
	out := c.out
	globals := uint32(out.NumGlobals())
	fix := func(s *uint32) {
		if *s&frameBit != 0 {
			*s = *s&^frameBit + globals
		}
	}
	for i := range out.Args {
		fix(&out.Args[i])
	}
	for i := range out.Code {
		if !c.check(i + 1) {
			return
		}
		in := &out.Code[i]
		fix(&in.A)
		fix(&in.B)
		fix(&in.D)
	}
	for i := range out.Templates {
		t := &out.Templates[i]
		fix(&t.Result)
		t.Cap0 = globals
		t.Param0 = globals + t.Caps
	}
	out.Frame += globals
}

// result says how the program's result is read back.
func (c *compiler) result() {
	tt, out := c.t.Types, c.out
	scalar := term.R
	if out.Reversed {
		scalar = tt.Reverse(term.R)
	}
	switch {
	case out.Type == scalar:
		out.Result, out.Outputs = graph.ScalarShape, 1
	case tt.Kind(out.Type) == term.VecKind && tt.Left(out.Type) == scalar:
		out.Result, out.Outputs = graph.VectorShape, tt.Len(out.Type)
	}
}
