// Package native makes machine code of loops of arithmetic on numbers, forward, and backward for gradients ([Loop]), of
// vector statements ([Nest]), and of functions ([Functions]).
//
// A loop is one of a function of package ir whose body has no calls, but may have conditionals and loops, and make
// vectors. It may fill vectors that are made in front of it. Its [Form] is that of a signature: which of the registers
// that it reads have an adjoint, and which of these share one. A form has its values in SSA form, in a tree of regions,
// one for each side of a conditional and for the body of each loop.
//
// # Forward
//
// The forward code of a taped program writes a row for each iteration: what the backward code can't cheaply compute
// again. The directions of conditionals are not in it, since their operands are, or can be computed. The rows of the
// loops inside are on a stack.
//
// # Backward
//
// The backward code goes through the iterations from the last to the first, and through the operations of each in
// reverse. An operation adds, for each of its operands, the adjoint of its result times a partial derivative. Adjoints
// are in locals, those of what all iterations share too. What is reached is known when the code is made, but for what
// depends on conditionals, or on an end of the loop that not all results reach: these have flags.
//
// # Vectors
//
// A vector that the body makes is on the stack too, and a reference to it is its address, a whole number as an index
// is. Behind each number of it stands its adjoint ([space]). A vector from outside to which the same registers refer is
// copied there first, and so is one that the body fills in another order than that of the index.
//
// # Functions
//
// Code of functions does what the interpreter of package exec does, instruction by instruction, with the same heap,
// stack and tape, which are in its memory ([Layout]): numbers have the same bits, and steps are counted where blocks
// begin. A register is two locals: a number, and the address of its adjoint or a reference. A call puts what may be a
// reference, and is read behind the call, on the stack, where a collection finds it.
//
// What is long or rare the interpreter does: vector statements, loops, objects that are not in this memory, closures
// without machine code. The code puts the registers in a frame on the stack then, and calls the host ([wasm.Host]) with
// the place of the instruction.
package native

import (
	"errors"
	"maps"
	"slices"

	"github.com/gram-machine/gram/engine/ir"
)

// Loop is a loop whose body is arithmetic.
type Loop struct {
	program *ir.Program
	body    []node
	Down    bool     // its index goes down to 0
	Index   ir.Reg   // the register of the index
	Size    ir.Reg   // of a loop that goes up: the bound of its index
	Inputs  []ir.Reg // registers that it reads and does not set
	States  []ir.Reg // registers that an iteration gets from the one before, or that are read behind the loop
	Carried []bool   // of the states: the first iteration, or what is behind the loop, reads what was there before it
	Objects []ir.Reg // registers with vectors that it reads
	Targets []Target // vectors that it fills in the order of its index
	// The inputs that are always the same.
	constants map[ir.Reg]float64
	// How many slots a vector has that is made in front of the loop, to which nothing else refers, 0: it is none.
	allocated func(r ir.Reg) int
	Instrs    int  // the instructions of its body
	Stacked   bool // it has loops inside, or makes or changes vectors: it has a stack
}

// Target is a vector of so many slots, made in front of a loop: iteration i sets the numbers from Width · i on. No
// other register refers to it.
type Target struct {
	Reg          ir.Reg
	Width, Slots int
}

// targets finds the vectors that the loop fills in the order of its index, whose head is instruction start of f. Others
// that it fills are in memory.
func (l *Loop) targets(f *ir.Func, start int, set map[ir.Reg]bool) {
	stored, not := map[ir.Reg]map[uint32]bool{}, map[ir.Reg]bool{}
	for _, n := range l.body {
		if in := n.in; in.Op == ir.StoreX && !set[in.D] && in.B == l.Index && in.N < in.M && !stored[in.D][in.N] {
			if stored[in.D] == nil {
				l.Targets = append(l.Targets, Target{Reg: in.D, Width: int(in.M), Slots: allocated(f, start, in.D)})
				stored[in.D] = map[uint32]bool{}
			}
			stored[in.D][in.N] = true
		}
	}
	stores := map[ir.Reg]int{}
	each(l.body, func(in *ir.Instr) {
		in.Uses(func(r *ir.Reg) {
			if r == &in.D && in.Op == ir.StoreX {
				stores[*r]++
			} else {
				not[*r] = true
			}
		})
	})
	l.Targets = slices.DeleteFunc(l.Targets, func(t Target) bool {
		return not[t.Reg] || t.Slots == 0 || stores[t.Reg] != t.Width || len(stored[t.Reg]) != t.Width ||
			t.Slots%t.Width != 0 || l.Down
	})
}

// constantAt finds the number of a register in front of instruction i, if it is the same whichever way leads there.
func constantAt(f *ir.Func, i int, r ir.Reg, found map[ir.Reg]float64) {
	sets := func(k int) bool {
		n := ir.Reg(f.Code[k].Sets())
		return n > 0 && r >= f.Code[k].D && r < f.Code[k].D+n
	}
	s := i - 1
	for s >= 0 && !sets(s) {
		s--
	}
	if s < 0 || f.Code[s].Op != ir.Const {
		return
	}
	labels := map[uint32]bool{}
	for k := s; k < i; k++ {
		if f.Code[k].Op == ir.Label {
			labels[f.Code[k].N] = true
		}
	}
	for k := range f.Code {
		in := &f.Code[k]
		to := in.Labels
		switch in.Op {
		case ir.Jump, ir.Branch, ir.Empty, ir.Hot, ir.VectorLoop, ir.Next, ir.Prev:
			to = []uint32{in.N}
		}
		for _, label := range to {
			for q := i; labels[label] && q <= k; q++ { // a loop around
				if sets(q) {
					return
				}
			}
			if labels[label] && k < s {
				return
			}
		}
	}
	found[r] = f.Code[s].Val
}

// allocated is how many slots the vector in a register has that is made in front of instruction start and that nothing
// refers to before, 0 if there is none.
func allocated(f *ir.Func, start int, r ir.Reg) int {
	for i := start - 1; i >= 0; i-- {
		in := &f.Code[i]
		if in.Op == ir.Label { // only the Hot instruction of a loop of numbers leads here
			label := in.N
			i = slices.IndexFunc(f.Code, func(hot ir.Instr) bool { return hot.Op == ir.Hot && hot.N == label })
			if i < 0 || i >= start {
				return 0
			}
			in = &f.Code[i]
		}
		used := false
		in.Uses(func(q *ir.Reg) { used = used || *q == r })
		switch {
		case used || in.Op.Ends() || in.Sets() > 1:
			return 0
		case in.Sets() == 1 && in.D == r:
			if in.Op != ir.Alloc {
				return 0
			}
			return int(in.N)
		}
	}
	return 0
}

// node is an instruction: of a branch with its sides, of the end of a loop with its body.
type node struct {
	in        *ir.Instr
	then, els []node
	body      []node
	live      map[ir.Reg]bool // of a branch or a loop: what is read behind it
	head      map[ir.Reg]bool // of a loop: what its body reads, or what is behind, before it is set
}

// New returns the loop of f whose head has the label, nil if it is none for machine code.
func New(p *ir.Program, f *ir.Func, label uint32) *Loop {
	start, end := extent(f, label)
	last := &f.Code[end]
	l := &Loop{program: p, Down: last.Op == ir.Prev, Index: last.D, Size: last.A, Instrs: end - start - 1}
	l.constants = map[ir.Reg]float64{}
	l.Stacked = slices.ContainsFunc(f.Code[start:end], func(in ir.Instr) bool {
		return in.Op == ir.Next || in.Op == ir.Prev || in.Op == ir.Alloc || in.Op == ir.Own
	})
	var ok bool
	if l.body, ok = (&parser{next: ir.Reg(f.Regs)}).parse(f.Code[start+1 : end]); !ok {
		return nil
	}
	set, seen := setIn(l.body), map[ir.Reg]bool{}
	if set[l.Index] || !l.Down && set[l.Size] {
		return nil
	}
	l.targets(f, start, set)
	l.allocated = func(r ir.Reg) int { return allocated(f, start, r) }
	live := f.ReadFrom(end + 1)
	maps.Copy(live, liveAhead(l.body, live))
	head := liveAhead(l.body, live)
	objects := map[ir.Reg]bool{}
	note := func(r ir.Reg) {
		switch {
		case seen[r] || r == l.Index:
		case set[r]:
			l.States, l.Carried = append(l.States, r), append(l.Carried, head[r])
		case head[r] && !objects[r]:
			l.Inputs = append(l.Inputs, r)
			constantAt(f, start, r, l.constants)
		}
		seen[r] = true
	}
	each(l.body, func(in *ir.Instr) {
		switch in.Op {
		case ir.StoreX:
			objects[in.D] = slices.ContainsFunc(l.Targets, func(t Target) bool { return t.Reg == in.D })
		case ir.Load, ir.LoadX, ir.View, ir.ViewX:
			if !objects[in.A] && !set[in.A] {
				objects[in.A] = true
				l.Objects = append(l.Objects, in.A)
			}
		}
	})
	each(l.body, func(in *ir.Instr) {
		in.Uses(func(r *ir.Reg) {
			if !set[*r] || head[*r] {
				note(*r)
			}
		})
		for k := range in.Sets() {
			if r := in.D + ir.Reg(k); live[r] {
				note(r)
			}
		}
	})
	return l
}

// setIn are the registers that code sets.
func setIn(nodes []node) map[ir.Reg]bool {
	set := map[ir.Reg]bool{}
	each(nodes, func(in *ir.Instr) {
		for k := range in.Sets() {
			set[in.D+ir.Reg(k)] = true
		}
	})
	return set
}

// parser finds the structure of code. A copy is a loop, whose registers are from next on.
type parser struct{ next ir.Reg }

// each calls do for all instructions.
func each(nodes []node, do func(in *ir.Instr)) {
	for i := range nodes {
		do(nodes[i].in)
		each(nodes[i].then, do)
		each(nodes[i].els, do)
		each(nodes[i].body, do)
	}
}

// parse finds the structure of code, in which conditionals are as package lower makes them: a branch to the label of
// the other side, before which a jump leads to the label behind both. Loops go back to their label, and around those
// that may have no iterations an [ir.Empty] leads. Vector statements, and loops of numbers that stand beside others,
// are left out. behind are labels that stand behind the code. ok says that it has no other jumps.
func (p *parser) parse(code []ir.Instr, behind ...uint32) (nodes []node, ok bool) {
	label := func(from int, n uint32) int {
		i := slices.IndexFunc(code[from:], func(in ir.Instr) bool { return in.Op == ir.Label && in.N == n })
		switch {
		case i >= 0:
			return from + i
		case slices.Contains(behind, n):
			return len(code)
		}
		return -1
	}
	for i := 0; i < len(code); i++ {
		in := &code[i]
		switch in.Op {
		case ir.Nop, ir.Enter, ir.VectorLoop:
		case ir.Hot:
			beside := label(i, in.N)
			if beside < 1 || code[beside-1].Op != ir.Jump {
				return nil, false
			}
			end := label(beside, code[beside-1].N)
			first, ok := p.parse(code[i+1 : beside-1])
			if !ok || end < 0 {
				return nil, false
			}
			nodes = append(nodes, first...)
			i = end
		case ir.Copy, ir.CopyX:
			nodes = append(nodes, p.copy(in)...)
		case ir.Label:
			end := slices.IndexFunc(code[i:], func(o ir.Instr) bool {
				return (o.Op == ir.Next || o.Op == ir.Prev) && o.N == in.N
			})
			if end < 0 {
				continue
			}
			n := node{in: &code[i+end]}
			if n.body, ok = p.parse(code[i+1 : i+end]); !ok {
				return nil, false
			}
			nodes = append(nodes, n)
			i += end
		case ir.Next, ir.Prev:
			return nil, false
		case ir.Branch, ir.Empty:
			no := label(i, in.N)
			if no < 0 {
				return nil, false
			}
			n := node{in: in}
			then, end, last := no, no, in.N
			if jump := &code[no-1]; jump.Op == ir.Jump {
				if then, end, last = no-1, label(no, jump.N), jump.N; end < 0 {
					return nil, false
				}
			}
			ends := []uint32{last}
			if end == len(code) {
				ends = append(ends, behind...)
			}
			var both bool
			if n.then, ok = p.parse(code[i+1:then], ends...); !ok {
				return nil, false
			}
			if n.els, both = p.parse(code[no:end], ends...); !both {
				return nil, false
			}
			nodes = append(nodes, n)
			i = end
		case ir.Jump:
			return nil, false
		default:
			nodes = append(nodes, node{in: in})
		}
	}
	return nodes, true
}

// copy returns the loop that copies some slots.
func (p *parser) copy(in *ir.Instr) []node {
	i, n, x, at := p.next, p.next+1, p.next+2, p.next+3
	p.next += 4
	code := func(in ...ir.Instr) (nodes []node) {
		for k := range in {
			nodes = append(nodes, node{in: &in[k]})
		}
		return nodes
	}
	body := code(ir.Instr{Op: ir.LoadX, D: x, A: in.A, B: i, M: 1})
	to := i
	if in.Op == ir.CopyX {
		to = at
		body = append(body, code(ir.Instr{Op: ir.IndexMul, D: at, A: in.B, Number: ir.NumberB, Val: float64(in.M)},
			ir.Instr{Op: ir.IndexAdd, D: at, A: i, B: at})...)
	}
	body = append(body, code(ir.Instr{Op: ir.StoreX, D: in.D, A: x, B: to, M: 1, N: in.N})...)
	return append(code(ir.Instr{Op: ir.Const, D: i}, ir.Instr{Op: ir.Const, D: n, Val: float64(in.K)}),
		node{in: &ir.Instr{Op: ir.Next, D: i, A: n}, body: body})
}

// liveAhead returns the registers that are read in the nodes or behind them before they are set, and notes them behind
// each branch.
func liveAhead(nodes []node, behind map[ir.Reg]bool) map[ir.Reg]bool {
	live := maps.Clone(behind)
	for i := range slices.Backward(nodes) {
		n := &nodes[i]
		switch {
		case n.in.Op == ir.Branch || n.in.Op == ir.Empty:
			n.live = live
			live = liveAhead(n.then, n.live)
			maps.Copy(live, liveAhead(n.els, n.live))
		case n.body != nil:
			n.live = maps.Clone(live)
			n.in.Uses(func(r *ir.Reg) { live[*r] = true })
			maps.Copy(live, liveAhead(n.body, live))
			live = liveAhead(n.body, live)
			n.head = maps.Clone(live)
		case n.in.Op == ir.SumAdd: // it sets one of its registers
			for k := range n.in.M {
				live[n.in.D+ir.Reg(k)] = true
			}
		case n.in.Sets() == 1:
			delete(live, n.in.D)
		}
		n.in.Uses(func(r *ir.Reg) { live[*r] = true })
	}
	return live
}

// extent returns where the loop of f whose head has the label begins, and where it ends.
func extent(f *ir.Func, label uint32) (start, end int) {
	for i := range f.Code {
		switch in := &f.Code[i]; {
		case in.Op == ir.Label && in.N == label:
			start = i
		case (in.Op == ir.Next || in.Op == ir.Prev) && in.N == label:
			end = i
		}
	}
	return start, end
}

// Head is what a loop does, of any kind, seen from its head.
type Head struct {
	Live []ir.Reg // the registers that are read from there on before they are set
	Set  []bool   // which of these the body sets
	// Again says that the body changes no object that it has not made: it can be run again with the registers of before.
	Again bool
}

// HeadOf returns the head of the loop of f with the label.
func HeadOf(p *ir.Program, f *ir.Func, label uint32) (h Head) {
	start, end := extent(f, label)
	body := f.Code[start : end+1]
	set := ir.NewRegSet(f.Regs)
	for i := range body {
		set.Put(&body[i], true)
	}
	read := f.ReadFrom(start)
	for r := range ir.Reg(f.Regs) {
		if read[r] {
			h.Live, h.Set = append(h.Live, r), append(h.Set, set.Has(r))
		}
	}
	h.Again = again(p, f, body)
	return h
}

var errChanges = errors.New("loop: the code changes an object that it has not made")

// again reports whether the code of f changes only objects that it has made: the store of each has a register that
// refers to one of these, whichever way leads there.
func again(p *ir.Program, f *ir.Func, code []ir.Instr) bool {
	return ir.Flow(code, 0, ir.NewRegSet(f.Regs), func(i int, made ir.RegSet) error {
		in := &code[i]
		is := false // what it sets refers to such an object
		switch in.Op {
		case ir.Store, ir.StoreX, ir.Copy, ir.CopyX:
			if !made.Has(in.D) {
				return errChanges
			}
		case ir.VectorLoop:
			if into := p.Vectors[in.M].Into; into >= 0 && !made.Has(in.Args[into]) {
				return errChanges
			}
		case ir.Alloc, ir.Own: // a run that makes iterations again copies what it owns
			is = true
		case ir.View, ir.ViewX, ir.Move:
			is = made.Has(in.A)
		}
		made.Put(in, is)
		return nil
	}) == nil
}
