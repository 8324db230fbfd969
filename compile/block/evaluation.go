package block

import (
	"slices"

	"github.com/gram-machine/gram/graph"
)

// evaluation runs the body of a λ at compile time on wires, in the order in which the machine fires redexes under LIFO. So dual λs
// are made in the same order as by the machine.
type evaluation struct {
	prog  *graph.Program
	on    rules
	nodes []evaluated
	slots map[uint32]int // of the frame: the nodes
	work  []int          // redexes
	pc    uint32         // of the instruction that runs
	size  int            // instructions so far
}

// rules are what an evaluation leaves to those that make code of it. They report false where there is no code.
type rules interface {
	// operand returns the node in a slot, which may be a global.
	operand(slot uint32) (int, bool)
	// began is told of each template that is instantiated, and families runs one with families.
	began(id uint32) bool
	families(id uint32, values []int, into int) bool
	// component returns component k of what the instruction opens.
	component(in *graph.Instr, w wire, k int) (wire, bool)
	// compute returns the result of an instruction on values.
	compute(in *graph.Instr, ops []int) (wire, bool)
	// branch fires a conditional or a match, and apply an application.
	branch(r int) bool
	apply(r int) bool
}

// start forgets the last evaluation. Its size counts on.
func (e *evaluation) start() {
	e.nodes, e.work = e.nodes[:0], e.work[:0]
	e.slots = map[uint32]int{}
}

// finish fires all redexes, and returns the value of the root.
func (e *evaluation) finish(root int) (w wire, ok bool) {
	for len(e.work) > 0 {
		last := len(e.work) - 1
		r := e.work[last]
		e.work = e.work[:last]
		if !e.fire(r) {
			return w, false
		}
	}
	return e.nodes[root].wire, e.nodes[root].isValue
}

// wiresOf returns the wires of nodes that are values.
func (e *evaluation) wiresOf(ops []int) []wire {
	wires := make([]wire, len(ops))
	for i, r := range ops {
		wires[i] = e.nodes[r].wire
	}
	return wires
}

// evaluated is what stands for a node of the arena: a value, or a node that waits.
type evaluated struct {
	isValue bool
	wire    wire
	waiters []int // the last to come is resumed first
	// Of a node that waits: what it is, its operands, and the one that it waits for.
	kind graph.Kind // Apply, Suspended, Project or Copy
	in   *graph.Instr
	pc   uint32
	ops  []int
	k    int
}

func (e *evaluation) add(v evaluated) int {
	e.nodes = append(e.nodes, v)
	return len(e.nodes) - 1
}

func (e *evaluation) value(w wire) int { return e.add(evaluated{isValue: true, wire: w}) }

// instantiate runs a template, as the machine does.
func (e *evaluation) instantiate(id uint32, values []int, into int) bool {
	p := e.prog
	t := &p.Templates[id]
	if !e.on.began(id) {
		return false
	}
	if t.Families {
		return e.on.families(id, values, into)
	}
	for i, v := range values {
		e.slots[t.Cap0+uint32(i)] = v
	}
	for pc := t.Start; pc < t.End; pc++ {
		in := &p.Code[pc]
		e.pc = pc
		ops := make([]int, in.NumOperands())
		ready := true
		for i := range ops {
			var ok bool
			if ops[i], ok = e.on.operand(p.Operand(in, uint32(i))); !ok {
				return false
			}
			ready = ready && e.nodes[ops[i]].isValue
		}
		if e.size++; e.size > maxPathCode || !e.exec(in, ops, into, ready) {
			return false
		}
	}
	if t.RootAt == graph.NoRoot {
		v, ok := e.on.operand(t.Result)
		if ok {
			e.takeOver(into, v)
		}
		return ok
	}
	if e.nodes[into].isValue {
		e.resume(into)
	}
	return true
}

// exec runs an instruction, or makes the node that waits for its operands.
func (e *evaluation) exec(in *graph.Instr, ops []int, into int, ready bool) bool {
	root := in.Flags&graph.Root != 0
	switch in.Op {
	case graph.OpUnpair, graph.OpUntuple, graph.OpUnvec:
		for k := range int(in.N) {
			if ready {
				w, ok := e.on.component(in, e.nodes[ops[0]].wire, k)
				if !ok {
					return false
				}
				e.slots[in.D+uint32(k)] = e.value(w)
				continue
			}
			r := e.add(evaluated{kind: graph.Project, in: in, ops: ops, k: k})
			e.slots[in.D+uint32(k)] = r
			e.await(r, ops[0])
		}
		return true
	case graph.OpApply:
		r := into
		if !root {
			r = e.add(evaluated{})
		}
		e.wait(r, graph.Apply, in, ops)
		e.slots[in.D] = r
		e.advance(r, 0)
		return true
	}
	if ready && in.Op != graph.OpIf && in.Op != graph.OpCase {
		w, ok := e.on.compute(in, ops)
		if !ok {
			return false
		}
		r := into
		if !root {
			r = e.add(evaluated{})
		}
		e.nodes[r].isValue, e.nodes[r].wire = true, w
		e.slots[in.D] = r
		return true
	}
	r := into
	if !root || graph.Units(graph.WaitWords, len(ops)) > 2 {
		r = e.add(evaluated{})
	}
	e.wait(r, graph.Suspended, in, ops)
	e.slots[in.D] = r
	if root && r != into {
		e.copyFrom(into, r)
	}
	e.advance(r, 0)
	return true
}

// wait makes r a node that waits for its operands. It keeps its waiters.
func (e *evaluation) wait(r int, kind graph.Kind, in *graph.Instr, ops []int) {
	n := &e.nodes[r]
	n.kind, n.in, n.pc, n.ops, n.k = kind, in, e.pc, ops, 0
}

func (e *evaluation) await(w, v int) { e.nodes[v].waiters = append(e.nodes[v].waiters, w) }

func (e *evaluation) copyFrom(r, v int) {
	e.wait(r, graph.Copy, nil, []int{v})
	e.await(r, v)
}

func (e *evaluation) takeOver(r, v int) {
	if !e.nodes[v].isValue {
		e.copyFrom(r, v)
		return
	}
	e.settle(r, e.nodes[v].wire)
}

func (e *evaluation) settle(r int, w wire) {
	e.nodes[r].isValue, e.nodes[r].wire = true, w
	e.resume(r)
}

func (e *evaluation) resume(v int) {
	waiters := e.nodes[v].waiters
	e.nodes[v].waiters = nil
	for _, w := range slices.Backward(waiters) {
		switch e.nodes[w].kind {
		case graph.Apply, graph.Suspended:
			e.advance(w, e.nodes[w].k)
		default:
			e.work = append(e.work, w)
		}
	}
}

// advance waits for the first operand from number i on that is no value, or makes r a redex.
func (e *evaluation) advance(r, i int) {
	for n := &e.nodes[r]; i < len(n.ops); i++ {
		if !e.nodes[n.ops[i]].isValue {
			n.k = i
			e.await(r, n.ops[i])
			return
		}
	}
	e.work = append(e.work, r)
}

// fire fires the redex r.
func (e *evaluation) fire(r int) bool {
	n := e.nodes[r]
	switch n.kind {
	case graph.Apply:
		return e.on.apply(r)
	case graph.Project:
		w, ok := e.on.component(n.in, e.nodes[n.ops[0]].wire, n.k)
		if !ok {
			return false
		}
		e.settle(r, w)
	case graph.Copy:
		e.settle(r, e.nodes[n.ops[0]].wire)
	default:
		if n.in.Op == graph.OpIf || n.in.Op == graph.OpCase {
			return e.on.branch(r)
		}
		w, ok := e.on.compute(n.in, n.ops)
		if !ok {
			return false
		}
		e.settle(r, w)
	}
	return true
}
