package engine

import "github.com/gram-machine/gram/graph"

// suspend makes the waiting nodes of an instruction with a missing operand.
func (m *Machine) suspend(in *graph.Instr, pc uint32, into graph.Ref, flags uint8) {
	switch in.Op {
	case graph.OpUnpair, graph.OpUntuple, graph.OpUnvec:
		n := in.N
		for k := range n {
			r := m.top
			m.top += graph.Units(graph.WaitWords, 1)
			m.nodes[r] = graph.Node{Head: uint32(graph.Project) | k<<graph.KindShift, V: uint64(pc) << 32}
			m.words[4*uint64(r)+4] = m.slots[in.A]
			m.slots[in.D+k] = r
			m.await(r, m.slots[in.A])
		}
	case graph.OpApply:
		m.advance(m.makeApply(in, pc, into, flags), 0)
	default:
		m.advance(m.makeSuspended(in, pc, into, flags), 0)
	}
}

// makeApply makes an application node of the instruction. A node that is the
// template's result keeps its waiters.
func (m *Machine) makeApply(in *graph.Instr, pc uint32, into graph.Ref, flags uint8) graph.Ref {
	r, waiters := m.top, uint32(0)
	if flags&graph.Root != 0 {
		r, waiters = into, m.nodes[into].A
	} else {
		m.top += 2
	}
	m.nodes[r] = graph.Node{Head: uint32(graph.Apply) | (in.N-1)<<graph.KindShift, A: waiters, V: uint64(pc) << 32}
	m.copyOperands(r, in)
	m.slots[in.D] = r
	return r
}

func (m *Machine) copyOperands(r graph.Ref, in *graph.Instr) {
	w := 4*uint64(r) + graph.WaitWords
	for i := range in.NumOperands() {
		m.words[w+uint64(i)] = m.slots[m.prog.Operand(in, i)]
	}
}

// makeSuspended makes a node that waits with the instruction's operands. If it is
// the template's result and does not fit into the result's node, that node waits
// for it and takes its value over.
func (m *Machine) makeSuspended(in *graph.Instr, pc uint32, into graph.Ref, flags uint8) graph.Ref {
	units := max(2, graph.Units(graph.WaitWords, int(in.NumOperands())))
	r, waiters := m.top, uint32(0)
	root := flags&graph.Root != 0
	if root && units <= 2 {
		r, waiters = into, m.nodes[into].A
	} else {
		m.top += units
	}
	m.nodes[r] = graph.Node{Head: uint32(graph.Suspended), A: waiters, V: uint64(pc) << 32}
	m.copyOperands(r, in)
	m.slots[in.D] = r
	if root && r != into {
		m.copyFrom(into, r, pc)
	}
	return r
}

// copyFrom makes r wait for v and take its value over. r keeps its waiters.
func (m *Machine) copyFrom(r, v graph.Ref, pc uint32) {
	m.nodes[r].Head = uint32(graph.Copy)
	m.nodes[r].V = uint64(pc) << 32
	m.words[4*uint64(r)+4] = v
	m.await(r, v)
}

// await puts w into the list of nodes that wait for the operand v.
func (m *Machine) await(w, v graph.Ref) {
	m.waits++
	m.words[4*uint64(w)+2] = m.nodes[v].A
	m.nodes[v].A = w
}

// resume goes through a list of waiters whose operand has become a value. If the context is done, it leaves the rest of
// them, and the next look, which is at once, ends the run.
func (m *Machine) resume(w graph.Ref) {
	for n := 1; w != 0; n++ {
		if n%LookEvery == 0 && m.lookInside(n) != nil {
			m.nextLook = 0
			return
		}
		next := m.words[4*uint64(w)+2]
		switch head := m.nodes[w].Head; graph.Kind(head & graph.KindMask) {
		case graph.Apply:
			m.advance(w, head>>operandShift)
		case graph.Suspended:
			m.advance(w, head>>graph.KindShift)
		default:
			m.push(w)
		}
		w = next
	}
}

// operandShift is where the next operand of an application stands in its head.
const operandShift = 16

// advance looks at the operands of w from number i on: it waits for the first that
// is no value, or is a redex if there is none. Operands are resolved on the way.
func (m *Machine) advance(w graph.Ref, i uint32) {
	base := 4*uint64(w) + graph.WaitWords
	head := m.nodes[w].Head
	apply := graph.Kind(head&graph.KindMask) == graph.Apply
	n := head>>graph.KindShift&0xff + 1
	if !apply {
		n = m.prog.Code[m.words[4*uint64(w)+3]].NumOperands()
	}
	for ; i < n; i++ {
		v := m.words[base+uint64(i)]
		kind := m.nodes[v].Head & graph.KindMask
		if kind >= uint32(graph.Wait) {
			if apply {
				m.nodes[w].Head = head&0xffff | i<<operandShift
			} else {
				m.nodes[w].Head = head&graph.KindMask | i<<graph.KindShift
			}
			m.await(w, v)
			return
		}
		if kind == uint32(graph.Forward) {
			m.words[base+uint64(i)] = graph.Ref(m.nodes[v].V)
		}
	}
	m.push(w)
}

// takeOver gives r, a waiting node, the value of v, now or when v has one.
func (m *Machine) takeOver(r, v graph.Ref) {
	if !m.isValue(v) {
		m.copyFrom(r, v, uint32(m.nodes[r].V>>32))
		return
	}
	m.settle(r, m.Resolve(v))
}

// settle makes r the value v and resumes what waits for r. A value of one node
// without an identity is copied, any other is forwarded to: a pair that is open has
// one, for (10) names its components once.
func (m *Machine) settle(r, v graph.Ref) {
	waiters := m.nodes[r].A
	m.become(r, v)
	m.resume(waiters)
}

// become is settle, but resumes nothing.
func (m *Machine) become(r, v graph.Ref) {
	switch n := m.nodes[v]; {
	case n.Kind() == graph.Num, n.Kind() == graph.Pair && n.A == 0, n.Kind() == graph.Con, n.Kind() == graph.Nat, n.Kind() == graph.DataList:
		m.nodes[r] = n
	default:
		m.nodes[r] = graph.Node{Head: uint32(graph.Forward), V: uint64(v)}
	}
}
