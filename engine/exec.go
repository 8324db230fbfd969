package engine

import (
	"fmt"
	"math"

	"github.com/gram-machine/gram/graph"
)

// instantiate runs the template's code, with its captured references and arguments
// in the frame, and puts its result into the node into. It counts the run.
func (m *Machine) instantiate(id uint32, t *graph.Template, into graph.Ref) error {
	if t.Families { // only a block runs its code
		return graph.ErrFamilies
	}
	if m.record != nil {
		m.record.Enter(id, into)
	}
	m.runs[id]++
	m.steps += t.Steps
	if err := m.ensure(t.Units + spareUnits); err != nil {
		return err
	}
	before := m.top - m.block.inline
	waiters := m.nodes[into].A
	for pc := t.Start; pc < t.End; {
		end := min(t.End, pc+LookEvery/4)
		if err := m.exec(pc, end, into, 0); err != nil {
			return err
		}
		if pc = end; pc < t.End {
			m.pos = m.prog.Code[pc].Pos
			if err := m.Look(); err != nil {
				return err
			}
		}
	}
	if checking && m.top-m.block.inline-before > t.Units+spareUnits {
		panic(fmt.Sprintf("engine: template %d (%s) took %d nodes, more than %d", id, t.Name, m.top-before, t.Units+spareUnits))
	}
	if t.RootAt == graph.NoRoot {
		m.takeOver(into, m.slots[t.Result])
		return nil
	}
	if m.isValue(into) {
		m.resume(waiters)
	}
	return nil
}

// spareUnits is what the root of a template may need beside its instructions'
// nodes: a node that takes over a value that does not fit into it.
const spareUnits = 4

// exec runs the instructions [pc, end): each fires at once, if its operands are
// values, or becomes a waiting node. force is or-ed to each instruction's flags.
func (m *Machine) exec(pc, end uint32, into graph.Ref, force uint8) error {
	if m.prog.Open {
		return m.execOpen(pc, end, into, force)
	}
	nodes, slots, top := m.nodes, m.slots, m.top
	code := m.prog.Code[pc:end]
	for i := range code {
		in := &code[i]
		flags := in.Flags | force
		if flags&graph.Ready == 0 && !m.operandsReady(in) {
			m.top = top
			m.suspend(in, pc+uint32(i), into, flags)
			top = m.top
			continue
		}
		var v float64
		switch in.Op {
		case graph.OpMul:
			v = nodes[slots[in.A]].Number() * nodes[slots[in.B]].Number()
		case graph.OpAdd:
			v = nodes[slots[in.A]].Number() + nodes[slots[in.B]].Number()
		case graph.OpSub:
			v = nodes[slots[in.A]].Number() - nodes[slots[in.B]].Number()
		case graph.OpFun1:
			v = in.Sym.Info().Eval1(nodes[slots[in.A]].Number())
		case graph.OpFun2:
			v = in.Sym.Info().Eval2(nodes[slots[in.A]].Number(), nodes[slots[in.B]].Number())
		case graph.OpPair:
			r := top
			if flags&graph.Root != 0 {
				r = into
			} else {
				top++
			}
			nodes[r] = graph.Node{Head: uint32(graph.Pair), V: uint64(slots[in.A]) | uint64(slots[in.B])<<32}
			slots[in.D] = r
			continue
		case graph.OpUnpair:
			p := nodes[slots[in.A]].V
			slots[in.D], slots[in.D+1] = uint32(p), uint32(p>>32)
			continue
		case graph.OpCon:
			r := top
			if flags&graph.Root != 0 {
				r = into
			} else {
				top++
			}
			nodes[r] = graph.Node{Head: uint32(graph.Con) | in.Tmpl<<graph.KindShift, V: uint64(slots[in.A])}
			slots[in.D] = r
			continue
		case graph.OpRun:
			m.top = top
			if err := m.runInline(in, into, flags); err != nil {
				return err
			}
			top = m.top
			continue
		default:
			m.top = top
			m.execBlock(in, pc+uint32(i), into, flags)
			top = m.top
			continue
		}
		r := top
		if flags&graph.Root != 0 {
			r = into
		} else {
			top++
		}
		nodes[r] = graph.Node{Head: uint32(graph.Num), V: math.Float64bits(v)}
		slots[in.D] = r
		if m.opt.Finite && (math.IsNaN(v) || math.IsInf(v, 0)) && flags&graph.Inner == 0 {
			return in.NotFinite(v)
		}
	}
	m.top = top
	return nil
}

// execBlock runs the instructions that make objects of several nodes, open
// vectors, or leave a redex.
func (m *Machine) execBlock(in *graph.Instr, pc uint32, into graph.Ref, flags uint8) {
	switch in.Op {
	case graph.OpUntuple:
		t := m.slots[in.A]
		d := in.D
		for k := in.N; k > 1; k-- {
			p := m.nodes[t].V
			m.slots[d] = uint32(p)
			t = uint32(p >> 32)
			d++
		}
		m.slots[d] = t
	case graph.OpUnvec:
		w := 4*uint64(m.slots[in.A]) + graph.ValueWords
		copy(m.slots[in.D:in.D+in.N], m.words[w:w+uint64(in.N)])
	case graph.OpVec:
		m.makeBlock(in, uint32(graph.Vec)|in.N<<graph.KindShift, graph.ValueWords, into, flags)
		if flags&graph.Late != 0 {
			m.markLate(m.slots[in.D])
		}
	case graph.OpSelect:
		if m.slots[in.D] = m.slots[in.A+in.Split*uint32(m.nodes[m.slots[in.B]].Number())]; flags&graph.Root != 0 {
			m.become(into, m.slots[in.D])
		}
	case graph.OpClosure:
		m.makeBlock(in, uint32(graph.Closure)|in.Tmpl<<graph.KindShift, graph.ValueWords, into, flags)
	case graph.OpList:
		m.makeBlock(in, uint32(graph.List)|in.Tmpl<<graph.KindShift, graph.ValueWords, into, flags)
	case graph.OpDual:
		if m.prog.IsNull(in.Tmpl) {
			if m.slots[in.D] = graph.NullDual; flags&graph.Root != 0 {
				m.become(into, graph.NullDual)
			}
			return
		}
		m.makeBlock(in, uint32(graph.DualCell)|in.Tmpl<<graph.KindShift, graph.DualWords, into, flags)
	case graph.OpLin:
		m.makeBlock(in, uint32(graph.LinDual)|in.Tmpl<<graph.KindShift, graph.ValueWords, into, flags)
	case graph.OpArrive:
		m.makeArrival(in, into, flags)
	case graph.OpSum:
		m.makeBag(in, into, flags)
	case graph.OpJob:
		m.runSum(in, pc, into, flags)
	case graph.OpApply:
		m.push(m.makeApply(in, pc, into, flags))
	case graph.OpIf, graph.OpCase:
		m.push(m.makeSuspended(in, pc, into, flags))
	}
}

// makeBlock makes an object of the instruction's operands. As a root it stands
// beside the result's node, which forwards to it.
func (m *Machine) makeBlock(in *graph.Instr, head uint32, header int, into graph.Ref, flags uint8) {
	r := m.top
	m.top += graph.Units(header, int(in.N))
	m.nodes[r] = graph.Node{Head: head}
	w := 4*uint64(r) + uint64(header)
	words, slots := m.words[w:w+uint64(in.N)], m.slots
	for i, a := range m.prog.Args[in.Off : in.Off+in.N] {
		words[i] = slots[a]
	}
	m.slots[in.D] = r
	if flags&graph.Root != 0 {
		m.nodes[into] = graph.Node{Head: uint32(graph.Forward), V: uint64(r)}
	}
}

// operandsReady reports whether all operands of the instruction are values.
func (m *Machine) operandsReady(in *graph.Instr) bool {
	for i := range in.NumOperands() {
		if !m.isValue(m.slots[m.prog.Operand(in, i)]) {
			return false
		}
	}
	return true
}
