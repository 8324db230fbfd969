package block

import (
	"slices"

	"github.com/gram-machine/gram/graph"
)

// An if in a family is code for both branches, of which each instance takes the results of one. Without blocks the machine fires
// conditionals when it has run the code of the template, the last one first. What waits for one is late; the backward phase fires late
// cells before the others.

// late says when something is made: 0 with the code, and 1 + n behind a conditional, in the reverse order in the n outermost of the
// loops around it. The order of unordered is not known.
type late int

const unordered late = -1

// and is when both are made.
func (l late) and(k late) late {
	switch {
	case l == 0 || l == k:
		return k
	case k == 0:
		return l
	}
	return unordered
}

// in is when something is made that waits for all instances in a loop, of which there are n around it.
func (l late) in(n int) late {
	if l == unordered && n == 0 {
		return 1
	}
	return min(l, late(n+1))
}

// when is when all of a wire is made.
func (w *arrayWire) when() late {
	l := w.late
	for i := range w.parts {
		l = l.and(w.parts[i].when())
	}
	return l
}

// waiting is the wire of something that is opened when it is there as a whole.
func (w arrayWire) waiting(l late) arrayWire {
	if l == 0 {
		return w
	}
	w.late = l
	parts := w.parts
	w.parts = nil
	for _, p := range parts {
		w.parts = append(w.parts, p.waiting(l))
	}
	return w
}

// opened is component e of a wire. The components are opened from the first to the last, and so is what waits for them.
func (w arrayWire) opened(e Affine) arrayWire {
	if w.when() != 0 && slices.ContainsFunc(e.Coef, func(k int) bool { return k < 0 }) {
		return w.waiting(unordered)
	}
	return w
}

// arraySide is a conditional whose branches are compiled.
type arraySide struct {
	late      late
	loops     int // around it
	mask, not int // of the branch that is compiled, and of the other one: 1 + their numbers
	run       int // that has the application
}

// begin begins a run of the application or conditional on top.
func (b *arrayBuilder) begin(first int) {
	b.runs = append(b.runs, graph.Run{Outer: b.sides[len(b.sides)-1].run, First: first})
	b.run = len(b.runs)
}

// waits returns the run that is compiled if one of the wires is the result of what it applies, and 0 otherwise.
func (b *arrayBuilder) waits(ws ...*arrayWire) int {
	for _, w := range ws {
		if b.run != 0 && w.resultIn(b.run) {
			return b.run
		}
	}
	return 0
}

// resultIn reports whether something in a wire is the result of what a run applies.
func (w *arrayWire) resultIn(run int) bool {
	return w.run == run || slices.ContainsFunc(w.parts, func(p arrayWire) bool { return p.resultIn(run) })
}

// resultOf is the wire as the result of what a run applies; 0 is none.
func (w arrayWire) resultOf(run int) arrayWire {
	if run == 0 {
		return w
	}
	w.run = run
	parts := w.parts
	w.parts = nil
	for _, p := range parts {
		w.parts = append(w.parts, p.resultOf(run))
	}
	return w
}

// when is when something is made of the wires.
func (b *arrayBuilder) when(ws ...*arrayWire) (l late) {
	if n := len(b.sides); n > 0 {
		return b.sides[n-1].late
	}
	for _, w := range ws {
		l = l.and(w.when())
	}
	return l
}

// mask is 1 + the number of the mask of what is compiled, 0 if all instances have it.
func (b *arrayBuilder) mask() int {
	if n := len(b.sides); n > 0 {
		return b.sides[n-1].mask
	}
	return 0
}

// test begins a conditional, or a fold, whose code is there in all instances.
func (b *arrayBuilder) test(in *graph.Instr) bool {
	x, okX := b.wire(in.A)
	y, okY := b.wire(in.B)
	fold := in.Split != 0
	if !okX || !okY || !fold && (x.kind != graph.NumLeaf || y.kind != graph.NumLeaf) {
		return false
	}
	s := arraySide{late: x.when().and(y.when()).and(b.captured()), loops: len(b.around), run: b.run}
	parent := 0
	if n := len(b.sides); n > 0 {
		outer := &b.sides[n-1]
		parent = outer.mask
		switch s.late = outer.late; {
		case outer.late == late(outer.loops+1):
			s.late = late(s.loops + 1)
		case s.loops > outer.loops:
			s.late = unordered
		}
	} else if s.late == 0 {
		s.late = late(s.loops + 1)
	}
	if fold {
		s.mask = parent
		b.sides = append(b.sides, s)
		b.begin(len(b.runs))
		return true
	}
	holds := b.each(graph.Array{Op: graph.BlockTest, Cmp: in.Cmp}, x.at, y.at)
	one := Affine{Base: int(b.out.Regs)}
	b.out.Regs++
	b.out.Consts = append(b.out.Consts, graph.Const{Reg: uint32(one.Base), Val: 1})
	fails := b.each(graph.Array{Op: graph.BlockSub}, one, holds)
	n := len(b.masks)
	for k, at := range []Affine{holds, fails} {
		if parent != 0 {
			outer := b.masks[parent-1].Address(b.dims())
			at = b.each(graph.Array{Op: graph.BlockMul}, at, b.affine(outer))
		}
		dims := b.dims()
		b.masks = append(b.masks, graph.Mask{At: address(at, dims), Dims: dims, In: len(b.out.Templates) - 1, Parent: parent, Other: n + 2 - k})
	}
	s.mask, s.not = n+1, n+2
	b.masks[n].Template = b.l.Sides[in.Tmpl]
	b.sides = append(b.sides, s)
	b.begin(len(b.runs))
	return true
}

// affine is an address over the loops around as an expression.
func (b *arrayBuilder) affine(a graph.Address) Affine {
	e := Affine{Base: a.Base, Coef: make([]int, len(b.loops))}
	for k, d := range b.dims() {
		e.Coef[d.Loop] = a.Stride[k]
	}
	return e
}

// captured is when the operands are there that the branches of a conditional take from outside.
func (b *arrayBuilder) captured() (l late) {
	see := func(slot uint32) {
		if w, ok := b.at[slot]; ok {
			l = l.and(w.when())
		} else if o := b.openedAt(slot); o != nil {
			l = l.and(o.w.when())
		}
	}
	for i, depth := 0, 1; depth > 0; i++ {
		in := &b.rest[i]
		switch in.Op {
		case graph.OpLoop, graph.OpElse, graph.OpIndexNum:
			continue
		case graph.OpComponent:
			if o := b.openedAt(in.A); o != nil && in.A+in.N <= o.first+o.n {
				w := o.w.parts[0].opened(b.index(in))
				l = l.and(w.when())
				continue
			}
			for j := range in.N {
				see(in.A + j*in.Split)
			}
			continue
		case graph.OpTest:
			depth++
		case graph.OpJoin:
			depth--
		case graph.OpFamily, graph.OpTotal:
		default:
			for _, s := range b.c.out.Operands(in) {
				see(s)
			}
			continue
		}
		see(in.A)
		see(in.B)
	}
	return l
}

// orElse goes on with the second branch, or the next run of an application.
func (b *arrayBuilder) orElse(in *graph.Instr) bool {
	s := &b.sides[len(b.sides)-1]
	b.begin(b.runs[b.run-1].First)
	if in.Split != 0 {
		return true
	}
	s.mask, s.not = s.not, s.mask
	b.masks[s.mask-1].Template = b.l.Sides[in.Tmpl]
	return true
}

// join ends a conditional.
func (b *arrayBuilder) join(in *graph.Instr) bool {
	s := b.sides[len(b.sides)-1]
	b.sides = b.sides[:len(b.sides)-1]
	b.run = s.run
	x, okX := b.wire(in.A)
	y, okY := b.wire(in.B)
	if !okX || !okY {
		return false
	}
	if in.Split != 0 {
		b.at[in.D] = x.waiting(s.late).resultOf(b.run)
		return true
	}
	w, ok := b.either(&s, &x, &y)
	b.at[in.D] = w.resultOf(b.run)
	return ok
}

// either is x, where the test holds, or y.
func (b *arrayBuilder) either(s *arraySide, x, y *arrayWire) (w arrayWire, ok bool) {
	if x.kind != y.kind || x.loop != 0 || y.loop != 0 || len(x.parts) != len(y.parts) {
		return w, false
	}
	dims := b.dims()
	switch x.kind {
	case graph.NumLeaf:
		x := b.each(graph.Array{Op: graph.BlockWhere}, x.at, b.affine(b.masks[s.not-1].Address(dims)))
		y := b.each(graph.Array{Op: graph.BlockWhere}, y.at, b.affine(b.masks[s.mask-1].Address(dims)))
		return arrayWire{kind: graph.NumLeaf, at: b.each(graph.Array{Op: graph.BlockAdd}, x, y), late: s.late}, true
	case graph.DualLeaf:
		head := func(w *arrayWire, mask int) graph.ArrayHead {
			return graph.ArrayHead{External: w.external, At: address(w.at, dims), Mask: mask}
		}
		return b.cell(graph.ArrayCell{Heads: []graph.ArrayHead{head(x, s.not), head(y, s.mask)}, Either: true}, s.late, b.run), true
	case graph.PairLayout, graph.VecLayout:
	default:
		return w, false
	}
	w = arrayWire{kind: x.kind, late: s.late}
	for i := range x.parts {
		p, ok := b.either(s, &x.parts[i], &y.parts[i])
		if !ok {
			return w, false
		}
		w.parts = append(w.parts, p)
	}
	return w, true
}

// each makes registers for the results of an instruction.
func (b *arrayBuilder) each(in graph.Array, x, y Affine) Affine {
	dims, d := b.dims(), b.array()
	in.Kind, in.Dims, in.D, in.A, in.B = graph.ArrayEach, dims, address(d, dims), address(x, dims), address(y, dims)
	b.code = append(b.code, in)
	return d
}
