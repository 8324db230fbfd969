package block

import (
	"slices"

	"github.com/gram-machine/gram/graph"
)

// evaluation runs the body of a λ at compile time on wires, in the order in which the machine fires redexes under LIFO. So dual λs
// are made in the same order as by the machine.
type evaluation struct {
	prog  *graph.Program
	nodes []evaluated
	slots map[uint32]int // of the frame: the nodes
	work  []int          // redexes
	pc    uint32         // of the instruction that runs
	size  int            // instructions so far
}

// start forgets the last evaluation. Its size counts on.
func (b *pathBuilder) start() {
	b.nodes, b.work = b.nodes[:0], b.work[:0]
	b.slots = map[uint32]int{}
}

// reduce fires all redexes, and returns the value of the root.
func (b *pathBuilder) reduce(root int) (w wire, ok bool) {
	for len(b.work) > 0 {
		last := len(b.work) - 1
		r := b.work[last]
		b.work = b.work[:last]
		if !b.fire(r) {
			return w, false
		}
	}
	return b.nodes[root].wire, b.nodes[root].isValue
}

// wiresOf returns the wires of nodes that are values.
func (b *pathBuilder) wiresOf(ops []int) []wire {
	wires := make([]wire, len(ops))
	for i, r := range ops {
		wires[i] = b.nodes[r].wire
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

func (b *pathBuilder) add(v evaluated) int {
	b.nodes = append(b.nodes, v)
	return len(b.nodes) - 1
}

func (b *pathBuilder) value(w wire) int { return b.add(evaluated{isValue: true, wire: w}) }

// instantiate runs a template, as the machine does.
func (b *pathBuilder) instantiate(id uint32, values []int, into int) bool {
	p := b.prog
	t := &p.Templates[id]
	if !b.began(id) {
		return false
	}
	if t.Families {
		return b.families(id, values, into)
	}
	for i, v := range values {
		b.slots[t.Cap0+uint32(i)] = v
	}
	for pc := t.Start; pc < t.End; pc++ {
		in := &p.Code[pc]
		b.pc = pc
		ops := make([]int, in.NumOperands())
		ready := true
		for i := range ops {
			var ok bool
			if ops[i], ok = b.operand(p.Operand(in, uint32(i))); !ok {
				return false
			}
			ready = ready && b.nodes[ops[i]].isValue
		}
		if b.size++; b.size > maxPathCode || !b.exec(in, ops, into, ready) {
			return false
		}
	}
	if t.RootAt == graph.NoRoot {
		v, ok := b.operand(t.Result)
		if ok {
			b.takeOver(into, v)
		}
		return ok
	}
	if b.nodes[into].isValue {
		b.resume(into)
	}
	return true
}

// exec runs an instruction, or makes the node that waits for its operands.
func (b *pathBuilder) exec(in *graph.Instr, ops []int, into int, ready bool) bool {
	root := in.Flags&graph.Root != 0
	switch in.Op {
	case graph.OpUnpair, graph.OpUntuple, graph.OpUnvec:
		for k := range int(in.N) {
			if ready {
				w, ok := b.component(in, b.nodes[ops[0]].wire, k)
				if !ok {
					return false
				}
				b.slots[in.D+uint32(k)] = b.value(w)
				continue
			}
			r := b.add(evaluated{kind: graph.Project, in: in, ops: ops, k: k})
			b.slots[in.D+uint32(k)] = r
			b.await(r, ops[0])
		}
		return true
	case graph.OpApply:
		r := into
		if !root {
			r = b.add(evaluated{})
		}
		b.wait(r, graph.Apply, in, ops)
		b.slots[in.D] = r
		b.advance(r, 0)
		return true
	}
	if ready && in.Op != graph.OpIf && in.Op != graph.OpCase {
		w, ok := b.compute(in, ops)
		if !ok {
			return false
		}
		r := into
		if !root {
			r = b.add(evaluated{})
		}
		b.nodes[r].isValue, b.nodes[r].wire = true, w
		b.slots[in.D] = r
		return true
	}
	r := into
	if !root || graph.Units(graph.WaitWords, len(ops)) > 2 {
		r = b.add(evaluated{})
	}
	b.wait(r, graph.Suspended, in, ops)
	b.slots[in.D] = r
	if root && r != into {
		b.copyFrom(into, r)
	}
	b.advance(r, 0)
	return true
}

// wait makes r a node that waits for its operands. It keeps its waiters.
func (b *pathBuilder) wait(r int, kind graph.Kind, in *graph.Instr, ops []int) {
	n := &b.nodes[r]
	n.kind, n.in, n.pc, n.ops, n.k = kind, in, b.pc, ops, 0
}

func (b *pathBuilder) await(w, v int) { b.nodes[v].waiters = append(b.nodes[v].waiters, w) }

func (b *pathBuilder) copyFrom(r, v int) {
	b.wait(r, graph.Copy, nil, []int{v})
	b.await(r, v)
}

func (b *pathBuilder) takeOver(r, v int) {
	if !b.nodes[v].isValue {
		b.copyFrom(r, v)
		return
	}
	b.settle(r, b.nodes[v].wire)
}

func (b *pathBuilder) settle(r int, w wire) {
	b.nodes[r].isValue, b.nodes[r].wire = true, w
	b.resume(r)
}

func (b *pathBuilder) resume(v int) {
	waiters := b.nodes[v].waiters
	b.nodes[v].waiters = nil
	for _, w := range slices.Backward(waiters) {
		switch b.nodes[w].kind {
		case graph.Apply, graph.Suspended:
			b.advance(w, b.nodes[w].k)
		default:
			b.work = append(b.work, w)
		}
	}
}

// advance waits for the first operand from number i on that is no value, or makes r a redex.
func (b *pathBuilder) advance(r, i int) {
	for n := &b.nodes[r]; i < len(n.ops); i++ {
		if !b.nodes[n.ops[i]].isValue {
			n.k = i
			b.await(r, n.ops[i])
			return
		}
	}
	b.work = append(b.work, r)
}

// fire fires the redex r.
func (b *pathBuilder) fire(r int) bool {
	n := b.nodes[r]
	switch n.kind {
	case graph.Apply:
		return b.apply(r)
	case graph.Project:
		w, ok := b.component(n.in, b.nodes[n.ops[0]].wire, n.k)
		if !ok {
			return false
		}
		b.settle(r, w)
	case graph.Copy:
		b.settle(r, b.nodes[n.ops[0]].wire)
	default:
		if n.in.Op == graph.OpIf || n.in.Op == graph.OpCase {
			return b.branch(r)
		}
		w, ok := b.compute(n.in, n.ops)
		if !ok {
			return false
		}
		b.settle(r, w)
	}
	return true
}
