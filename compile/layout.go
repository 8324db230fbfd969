package compile

import "math"

// layout makes the images and the actions of a template.
//
// An operand stands in the image of its node if it is an occurrence of a variable that the body itself binds, or if it
// is known when the copy begins and the node waits for another one. Occurrences and λs wait for a variable in a list,
// the last first. The list of a variable that occurs in the place of the body itself is made by actions, in that order.
// A variable that the body does not bind has its value as a rule when the body is copied, so (3) is next: see Outer.
type layout struct {
	b       *building
	open    bool           // inputs are symbolic
	base    uint32         // the instruction that is the first of the template
	next    uint32         // the frame index of the next node that an instruction makes
	more    uint32         // of the next Captures node
	dynamic []bool         // by node: its occurrences are actions
	first   []Link         // by node: those that wait for it
	outer   map[uint32]int // by frame index, the number of an Outer
}

// moreNodes is how many Captures nodes something with so many captures has: a λ or a list holds four, or three and
// a node with the others.
func moreNodes(k Kind, captures int) uint32 {
	n := uint32(0)
	if (k == If || k == Case) && captures > 0 {
		n++
	}
	for ; captures > 4; captures -= 3 {
		n++
	}
	return n
}

func (l *layout) image(index uint32) *Image { return &l.b.Images[index-l.b.First] }

// isOwn reports whether the frame index is that of a node that the body makes.
func (l *layout) isOwn(index uint32) bool { return index >= l.b.First && index < l.b.Locals }

func (l *layout) make() {
	b := l.b
	n := b.Locals - b.First
	b.Images = make([]Image, n)
	l.dynamic, l.first = make([]bool, n), make([]Link, n)
	l.outer = map[uint32]int{}
	direct := uint64(0)
	for i := range b.code {
		in := &b.code[i]
		if in.Op != MakeVariable {
			continue
		}
		if in.Up == UpIndex && l.isOwn(in.X) {
			l.dynamic[in.X-b.First] = true
		}
		if in.X == ParamIndex {
			direct++
		}
	}
	b.Direct = b.Linear && direct == b.Param && (!l.open || direct == 0)
	for i := range b.code {
		l.instr(&b.code[i], l.base+uint32(i))
	}
	l.orderFirst()
	for i, w := range l.first {
		if w.Index != 0 {
			im := &b.Images[i]
			im.From[5] = w.Index
			im.Val[1] += uint64(w.Slot) << 32
		}
	}
}

// instr lays out an instruction.
func (l *layout) instr(in *Instr, code uint32) {
	if in.Op < MakeNode {
		l.operand(in, code)
		return
	}
	index := l.next
	l.next++
	im := l.image(index)
	im.Kind, im.Code, im.Up = in.Kind, code, uint32(in.Slot)
	im.From[0] = in.Up
	switch in.Op {
	case MakeNode:
		im.Bits = in.Arity
		if in.Kind == Con {
			im.Val[1] = in.N
		}
		if in.Named {
			im.Bits |= IsNamed
		}
		if in.Kind == App {
			l.order(in, index)
		}
	case MakeSub:
		im.Bits, im.C, im.Val[1] = 1, in.Y, in.N
		if in.Dual {
			im.Bits |= IsDual
		}
	case MakeOpen:
		im.Bits, im.From[4], im.From[5] = 1, in.X, in.Y
	case MakeLam:
		im.Bits = 1
		l.capture(index, index, in.Closure.Captures)
		if len(in.Closure.Captures) > 0 && l.isOwn(in.Up) && l.image(in.Up).Kind == Cell {
			l.order(in, index)
		} else {
			l.await(index, in.Closure.Captures, code)
		}
	case MakeIf:
		im.Bits = in.Arity
		l.order(in, index)
		if len(in.Closure.Captures) > 0 {
			im.From[1] = l.captures(code, index)
			l.capture(im.From[1], index, in.Closure.Captures)
		}
	case MakeNat, MakeData: // values: nothing waits for them
		im.Up, im.From[0] = 0, ZeroIndex
		im.C, im.Val[0] = 1, in.N
		if in.Kind == Con {
			im.Val = [2]uint64{1: in.N}
		}
		l.give(in, Value, Action{Op: MakeValue, X: index, Code: code}, [2]uint32{index}, 0)
	}
}

// order gives a node its turn in the order of evaluation. The application of a dual variable arrives when it has its
// argument.
func (l *layout) order(in *Instr, index uint32) {
	if in.Kind == App && in.Dual {
		l.image(index).Bits |= IsDue
		return
	}
	l.b.Ordered = append(l.b.Ordered, Turn{index, in.Op == MakeLam})
}

// orderFirst lets what is evaluated first go on as soon as it can: it waits for nothing else that has a turn.
func (l *layout) orderFirst() {
	last := len(l.b.Ordered) - 1
	if last < 0 {
		return
	}
	index := l.b.Ordered[last].Index
	l.b.Ordered = l.b.Ordered[:last]
	im := l.image(index)
	if im.Kind == Lam {
		l.await(index, l.b.code[im.Code-l.base].Closure.Captures, im.Code)
		return
	}
	im.Bits |= IsDue
}

// operand lays out an instruction that makes no node.
func (l *layout) operand(in *Instr, code uint32) {
	a := Action{Op: in.Op, X: in.X, Code: code}
	switch in.Op {
	case MakeNumber:
		a.Val = math.Float64bits(in.Val)
		l.give(in, Number, a, [2]uint32{}, a.Val)
	case MakeZero:
		l.give(in, Zero, a, [2]uint32{}, 0)
	case MakeVariable:
		switch {
		case in.X == ParamIndex && l.b.Direct:
			a.Op = MakeParam
			l.give(in, Number, a, [2]uint32{NumberIndex, NumberIndex + 1}, 0)
		case l.isOwn(in.X) && !l.dynamic[in.X-l.b.First]:
			l.occur(in, code, &l.first[in.X-l.b.First])
		case l.isOuter(in):
			o := l.outerOf(in.X)
			if o.First.Index == 0 {
				o.Last = Link{in.Up, uint32(in.Slot)}
			}
			l.occur(in, code, &o.First)
		default:
			l.act(in, a)
		}
	default: // the input, the datum or the argument is not known
		l.act(in, a)
	}
}

// give puts an operand that is known in the image of its node, if that waits for another one: else it is an action.
func (l *layout) give(in *Instr, t Tag, a Action, from [2]uint32, val uint64) {
	if l.isOwn(in.Up) {
		if im := l.image(in.Up); im.Bits&Missing == 2 {
			im.Bits--
			im.Tag[in.Slot], im.Val[in.Slot] = t, val
			im.From[2+2*in.Slot], im.From[3+2*in.Slot] = from[0], from[1]
			return
		}
	}
	l.act(in, a)
}

func (l *layout) act(in *Instr, a Action) {
	a.Up, a.Slot = in.Up, in.Slot
	l.b.Actions = append(l.b.Actions, a)
}

// occur puts an occurrence in the image of its node, and first in the list of what waits for its variable.
func (l *layout) occur(in *Instr, code uint32, first *Link) {
	im := l.image(in.Up)
	im.Tag[in.Slot] = Variable
	im.From[2+2*in.Slot], im.From[3+2*in.Slot] = in.X, first.Index
	im.Val[in.Slot] = uint64(first.Slot) << 32
	*first = Link{in.Up, uint32(in.Slot)}
	im.Occurs[in.Slot] = code
}

// isOuter reports whether an occurrence is of a variable that is to be an Outer.
func (l *layout) isOuter(in *Instr) bool {
	return l.isOwn(in.Up) && !in.Dual && !l.isOwn(in.X) && (in.X >= l.b.Locals || in.X == ParamIndex && !l.b.Linear)
}

// outerOf returns the Outer of a frame index.
func (l *layout) outerOf(x uint32) *Outer {
	i, ok := l.outer[x]
	if !ok {
		i = len(l.b.Outer)
		l.outer[x] = i
		l.b.Outer = append(l.b.Outer, Outer{Index: x})
	}
	return &l.b.Outer[i]
}

// captures returns the frame index of a new Captures node of the node owner.
func (l *layout) captures(code, owner uint32) uint32 {
	index := l.more
	l.more++
	im := l.image(index)
	im.Kind, im.Code = Captures, code
	im.From[0] = owner
	return index
}

// capture stores captured substitutions in the image of a node, up to four, or three and a node with the others.
func (l *layout) capture(index, owner uint32, list []uint32) {
	for len(list) > 4 {
		im := l.image(index)
		l.store(im, list[:3])
		im.Bits |= HasMore
		index = l.captures(im.Code, owner)
		im.From[5] = index
		list = list[3:]
	}
	l.store(l.image(index), list)
}

func (l *layout) store(im *Image, list []uint32) {
	copy(im.From[2:], list)
	im.Bits |= uint8(len(list)) << CapturesShift
}

// await lets a λ wait for the first of the substitutions in its node that the body itself makes.
func (l *layout) await(index uint32, captures []uint32, code uint32) {
	im := l.image(index)
	for _, x := range captures[:im.Bits>>CapturesShift&7] {
		if !l.isOwn(x) {
			continue
		}
		if l.dynamic[x-l.b.First] {
			break
		}
		first := &l.first[x-l.b.First]
		im.From[1], im.C = first.Index, first.Slot
		*first = Link{index, Waits}
		return
	}
	l.b.Actions = append(l.b.Actions, Action{Op: Await, X: index, Code: code})
}
