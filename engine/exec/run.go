package exec

import (
	"math"
	"unsafe"

	"github.com/gram-machine/gram/engine/ir"
)

// slotSize is the size of a slot in bytes: instructions have the offsets of their registers.
const slotSize = 16

// NodeBytes is the size of what is counted as a node: a slot of the heap.
const NodeBytes = slotSize

// at is a register of the frame fp. The verifier of package ir has checked that it is in the frame.
func at(fp unsafe.Pointer, r uint32) *Slot { return (*Slot)(unsafe.Add(fp, r)) }

// left and right are the operands of an operation.
func left(in *instr, fp unsafe.Pointer) Slot {
	if in.number == ir.NumberA {
		return Slot{in.val, 0}
	}
	return *at(fp, in.a)
}

func right(in *instr, fp unsafe.Pointer) Slot {
	if in.number == ir.NumberB {
		return Slot{in.val, 0}
	}
	return *at(fp, in.b)
}

// slotOf is the slot of the heap that is n slots behind what r refers to.
func slotOf(r uint64, n uint64) uint64 { return object(r) + 1 + off(r) + n }

// run interprets code from pc on, until the frame returns that has been pushed with pc −1, and returns the results of
// its function.
func (m *Machine) run(pc int32) ([]Slot, error) { return m.interpret(m.p.code, pc) }

func (m *Machine) interpret(code []instr, pc int32) ([]Slot, error) {
	p := m.p
	blocks := p.blocks
	heap := m.heap
	fp := m.frame()
	t := &m.tape
	for {
		in := &code[pc]
		pc++
		var (
			v      float64
			a, b   Slot
			da, db float64
		)
		switch in.op {
		case ir.Count:
			m.counters[in.n]++
			k := &blocks[in.n]
			if m.fuel -= k.total; m.fuel < 0 {
				if err := m.look(pc - 1); err != nil {
					return nil, err
				}
			}
			if t.n+int(k.statements) > len(t.kinds) || t.args+int(k.operands) > len(t.adr) {
				if err := m.growTape(k, pc-1); err != nil {
					return nil, err
				}
			}
			continue
		case ir.Const:
			*at(fp, in.d) = Slot{in.val, 0}
			continue
		case ir.Move:
			*at(fp, in.d) = *at(fp, in.a)
			continue
		case ir.IndexAdd:
			v = left(in, fp).V + right(in, fp).V
		case ir.IndexSub:
			v = left(in, fp).V - right(in, fp).V
		case ir.IndexMul:
			v = left(in, fp).V * right(in, fp).V
		case ir.IndexDiv:
			v = left(in, fp).V / right(in, fp).V
		case ir.IndexNeg:
			v = -at(fp, in.a).V
		case ir.Add:
			a, b = left(in, fp), right(in, fp)
			v = a.V + b.V
		case ir.Mul:
			a, b = left(in, fp), right(in, fp)
			v, da, db = a.V*b.V, b.V, a.V
		case sub:
			a, b = left(in, fp), right(in, fp)
			v, da, db = a.V-b.V, 1, -1
		case div:
			a, b = left(in, fp), right(in, fp)
			v = a.V / b.V
			if in.taped {
				da = 1 / b.V
				db = v * -da
			}
		case ir.Fun1:
			a = *at(fp, in.a)
			v = in.fun1.value(a.V)
			if a.A != 0 {
				da = in.fun1.slope(a.V, 0, v)
			}
		case ir.Fun2:
			a, b = left(in, fp), right(in, fp)
			v, da, db = in.fun2.at(a, b)
		case ir.FunK:
			*at(fp, in.d) = m.funK(in, fp)
			continue
		case ir.SumAdd:
			i := uint32(at(fp, in.b).V)
			d, x := at(fp, in.d+i%in.m*slotSize), *at(fp, in.a)
			if i < in.m {
				*d = x
				continue
			}
			a, b = *d, x
			if in.m == 1 {
				a, b = x, *d
			}
			v = a.V + b.V
			if in.fun2 != nil {
				v, da, db = in.fun2.at(a, b)
			}
			if !in.taped {
				*d = Slot{v, 0}
			} else {
				*d = Slot{v, t.push(in, a.A, b.A, da, db)}
			}
			continue
		case ir.Load, ir.LoadX:
			r, n := at(fp, in.a).A, uint64(in.n)
			if in.op == ir.LoadX {
				n += uint64(at(fp, in.b).V) * uint64(in.m)
			}
			if r&isDense == 0 {
				*at(fp, in.d) = heap[slotOf(r, n)]
				continue
			}
			n += off(r)
			if v := &m.dense[object(r)]; n < uint64(len(v.data)) && !v.owned {
				*at(fp, in.d) = v.element(n)
				continue
			}
			s, err := m.element(object(r), n, false, pc-1)
			if err != nil {
				return nil, err
			}
			m.hold(&s, r)
			*at(fp, in.d) = s
			continue
		case ir.Static, ir.StaticX:
			n := uint64(in.n)
			if in.op == ir.StaticX {
				n += uint64(at(fp, in.b).V) * uint64(in.m)
			}
			if v := &m.dense[in.k]; n < uint64(len(v.data)) {
				*at(fp, in.d) = v.element(n)
				continue
			}
			s, err := m.element(uint64(in.k), n, true, pc-1)
			if err != nil {
				return nil, err
			}
			*at(fp, in.d) = s
			continue
		case ir.View:
			*at(fp, in.d) = Slot{A: at(fp, in.a).A + uint64(in.n)<<offset}
			continue
		case ir.ViewX:
			*at(fp, in.d) = Slot{A: at(fp, in.a).A + (uint64(in.n)+uint64(at(fp, in.b).V)*uint64(in.m))<<offset}
			continue
		case ir.Object:
			*at(fp, in.d) = Slot{A: isDense | ref(uint64(in.k), uint64(in.n))}
			continue
		case ir.ObjectX:
			n := uint64(in.n) + uint64(at(fp, in.b).V)*uint64(in.m)
			if n < m.far && n < uint64(len(m.dense[in.k].data)) {
				*at(fp, in.d) = Slot{A: isDense | ref(uint64(in.k), n)}
				continue
			}
			s, err := m.object(uint64(in.k), n, int(in.m), pc-1)
			if err != nil {
				return nil, err
			}
			heap = m.heap
			*at(fp, in.d) = s
			continue
		case ir.Alloc:
			o, err := m.alloc(int(in.n), 0, pc-1)
			if err != nil {
				return nil, err
			}
			heap = m.heap
			clear(heap[o+1:])
			*at(fp, in.d) = Slot{A: ref(o, 0)}
			continue
		case ir.Own:
			if err := m.own(in, fp, pc-1); err != nil {
				return nil, err
			}
			heap = m.heap
			continue
		case ir.Store, ir.StoreX:
			to := at(fp, in.d).A
			if to&isDense != 0 {
				if err := m.store(in, fp, pc-1); err != nil {
					return nil, err
				}
				continue
			}
			n := uint64(in.n)
			if in.op == ir.StoreX {
				n += uint64(at(fp, in.b).V) * uint64(in.m)
			}
			heap[slotOf(to, n)] = *at(fp, in.a)
			continue
		case ir.Copy, ir.CopyX:
			if at(fp, in.d).A&isDense != 0 {
				if err := m.store(in, fp, pc-1); err != nil {
					return nil, err
				}
				continue
			}
			to := slotOf(at(fp, in.d).A, uint64(in.n))
			if in.op == ir.CopyX {
				to += uint64(at(fp, in.b).V) * uint64(in.m)
			}
			slots, from := heap[to:to+uint64(in.k)], at(fp, in.a).A
			if err := m.slots(slots, from, pc-1); err != nil {
				return nil, err
			}
			for i := range slots {
				m.hold(&slots[i], from)
			}
			continue
		case ir.MakeCon, ir.MakeClosure:
			args := p.args[in.first : in.first+in.count]
			if in.op == ir.MakeClosure && len(args) == 0 {
				*at(fp, in.d) = Slot{A: ref(uint64(in.n), 0)}
				continue
			}
			o, err := m.alloc(len(args), uint64(in.n), pc-1)
			if err != nil {
				return nil, err
			}
			heap = m.heap
			to := heap[o+1:]
			for i, r := range args {
				to[i] = *at(fp, r)
			}
			*at(fp, in.d) = Slot{A: ref(o, 0)}
			continue
		case ir.Member:
			o := object(m.self)
			*at(fp, in.d) = Slot{A: ref(o, uint64(in.n)-heap[o].A)}
			continue
		case ir.Sibling:
			o := object(at(fp, in.a).A)
			*at(fp, in.d) = Slot{A: ref(o, uint64(in.n)-heap[o].A)}
			continue
		case ir.Capture:
			*at(fp, in.d) = heap[object(m.self)+1+uint64(in.n)]
			continue
		case ir.Call:
			f := &p.funs[in.n]
			if m.calls != nil && m.counters[f.block] >= m.calls[in.n] && m.compiled(in.n) {
				results, err := m.callNative(in, pc-1)
				if err != nil {
					return nil, err
				}
				heap, fp = m.heap, m.frame()
				copy(unsafe.Slice(at(fp, in.d), in.m), results)
				continue
			}
			base := m.base + m.size
			if need := base + int(f.regs); need > len(m.stack) {
				m.ensure(need)
				fp = m.frame()
			}
			to := m.stack[base:]
			for i, r := range p.args[in.first : in.first+in.count] {
				to[i] = *at(fp, r)
			}
			m.frames = append(m.frames, frame{pc: pc, base: int32(m.base), d: in.d, self: m.self})
			m.self = at(fp, in.a).A
			m.base, m.size = base, int(f.regs)
			fp = unsafe.Pointer(&to[0])
			pc = f.entry
			continue
		case ir.TailCall:
			if m.short {
				m.unmark()
			}
			f := &p.funs[in.n]
			if m.calls != nil && m.counters[f.block] >= m.calls[in.n] && m.compiled(in.n) {
				results, err := m.callNative(in, pc-1)
				if err != nil {
					return nil, err
				}
				copy(m.stack[m.base:], results)
				heap, fp = m.heap, m.frame()
				pc = f.done
				continue
			}
			self := at(fp, in.a).A
			m.pushArgs(in)
			m.ensure(m.base + int(f.regs))
			copy(m.stack[m.base:], m.stack[m.base+m.size:m.base+m.size+int(in.count)])
			m.self, m.size = self, int(f.regs)
			fp = m.frame()
			pc = f.entry
			continue
		case ir.Apply, ir.TailApply:
			closure := at(fp, in.a).A
			m.pushArgs(in)
			to := m.base + m.size
			if in.op == ir.TailApply {
				m.unmark()
				copy(m.stack[m.base:], m.stack[to:to+int(in.count)])
				to = m.base
			} else {
				m.frames = append(m.frames, frame{pc: pc, base: int32(m.base), d: in.d, self: m.self})
			}
			var err error
			if pc, err = m.apply(closure, to, p.src.Widths[in.k], pc-1); err != nil || pc < 0 {
				return m.returned, err
			}
			heap, fp = m.heap, m.frame()
			continue
		case ir.Return:
			if m.short {
				m.unmark()
			}
			f := m.frames[len(m.frames)-1]
			m.frames = m.frames[:len(m.frames)-1]
			args := p.args[in.first : in.first+in.count]
			if f.rest != nil {
				if m.profile != nil {
					m.profile.from = f.self
				}
				var err error
				if pc, err = m.apply(at(fp, args[0]).A, int(f.at), f.rest, pc-1); err != nil || pc < 0 {
					return m.returned, err
				}
				heap, fp = m.heap, m.frame()
				continue
			}
			if f.pc < 0 {
				m.returned = m.returned[:0]
				for _, r := range args {
					m.returned = append(m.returned, *at(fp, r))
				}
				m.pc = pc - 1
				return m.returned, nil
			}
			m.size = m.base - int(f.base)
			m.base, m.self = int(f.base), f.self
			caller := m.frame()
			for i, r := range args {
				*at(caller, f.d+uint32(i)*slotSize) = *at(fp, r)
			}
			fp = caller
			pc = f.pc
			continue
		case ir.Collect:
			m.collected = append(m.collected, unsafe.Slice((*Slot)(fp), in.n)...)
			continue
		case ir.Enter:
			if m.loops == nil {
				continue
			}
			next, err := m.tryNative(in, fp, pc-1)
			if err != nil {
				return nil, err
			}
			if heap = m.heap; next >= 0 {
				pc = next
			}
			continue
		case ir.Hot:
			if m.loops != nil && m.hot(in, fp) {
				pc = int32(in.n)
			}
			continue
		case halt:
			return nil, nil
		case enter:
			*at(fp, in.d) = Slot{A: m.profile.enter(in.n)}
			continue
		case tally:
			m.profile.tally(at(fp, in.a).A, in.n)
			continue
		case where:
			t.where[t.n] = m.profile.place(at(fp, in.a).A, in.n)
			continue
		case call:
			m.profile.from = at(fp, in.a).A<<32 | uint64(in.n+1)
			continue
		case finite:
			if err := m.isFinite(in, at(fp, in.d+uint32(at(fp, in.b).V)%in.m*slotSize).V, pc-1); err != nil {
				return nil, err
			}
			continue
		case ir.Jump:
			pc = int32(in.n)
			continue
		case ir.Branch:
			if !in.cmp.Holds(left(in, fp).V, right(in, fp).V) {
				pc = int32(in.n)
			}
			continue
		case ir.Switch:
			pc = int32(p.args[in.first+uint32(heap[object(at(fp, in.a).A)].A)])
			continue
		case ir.Empty:
			if left(in, fp).V >= right(in, fp).V {
				pc = int32(in.n)
			}
			continue
		case ir.Next, ir.Prev:
			d := at(fp, in.d)
			if in.op == ir.Next {
				if d.V++; d.V >= at(fp, in.a).V {
					continue
				}
			} else {
				if d.V <= 0 {
					continue
				}
				d.V--
			}
			pc = int32(in.n)
			if m.short {
				if err := m.goBack(p.backs[in.k], pc); err != nil {
					return nil, err
				}
			}
			continue
		case ir.VectorLoop:
			taken, err := m.runVector(in, fp, pc-1)
			if err != nil {
				return nil, err
			}
			if heap = m.heap; taken {
				pc = int32(in.n)
			}
			continue
		}
		// The result of an operation.
		if !in.taped {
			*at(fp, in.d) = Slot{v, 0}
			continue
		}
		*at(fp, in.d) = Slot{v, t.push(in, a.A, b.A, da, db)}
	}
}

// frame is the frame that runs.
func (m *Machine) frame() unsafe.Pointer {
	return unsafe.Pointer(&m.stack[m.base : m.base+m.size+1][0])
}

// pushArgs copies the arguments of a call behind the frame.
func (m *Machine) pushArgs(in *instr) {
	top := m.base + m.size
	m.ensure(top + int(in.count))
	fp := m.frame()
	to := m.stack[top : top+int(in.count)]
	for i, r := range m.p.args[in.first : in.first+in.count] {
		to[i] = *at(fp, r)
	}
}

// apply applies a closure to arguments that stand on the stack from at on, in the frame that returns to the last of
// frames. It returns where the run goes on, and −1 if that has come to its end.
func (m *Machine) apply(closure uint64, at int, widths []int, pc int32) (int32, error) {
	n := 0
	for _, w := range widths {
		n += w
	}
	o := object(closure)
	header := m.heap[o].A
	bound := 0
	target := closure
	if header&partial != 0 {
		target = m.heap[o+1].A
		bound = int(header & math.MaxUint16)
		k := int(math.Float64bits(m.heap[o].V)) - 1
		m.ensure(at + k + n)
		copy(m.stack[at+k:at+k+n], m.stack[at:at+n])
		copy(m.stack[at:at+k], m.heap[o+2:o+2+uint64(k)])
		n += k
		o = object(target)
	}
	f := &m.p.funs[m.heap[o].A+off(target)]
	need := len(f.args) - bound
	if len(widths) < need {
		return m.partial(target, at, n, bound, len(widths), pc)
	}
	entry := f.entry
	if f.unfold && bound > 0 {
		entry = f.again // (15) has been counted
	}
	from := uint64(0)
	if m.profile != nil {
		m.profile.passed, from = uint64(need), m.profile.from
	}
	m.self, m.base, m.size = target, at, int(f.regs)
	if len(widths) > need {
		// The arguments that are left stand below the frame.
		k := int(f.params)
		m.ensure(at + n + k)
		copy(m.stack[at+n:], m.stack[at:at+k])
		copy(m.stack[at:], m.stack[at+k:at+n+k])
		m.base = at + n - k
		m.frames = append(m.frames, frame{rest: widths[need:], at: int32(at), self: from})
	}
	m.ensure(m.base + m.size)
	return entry, nil
}

// partial makes a partial application, and returns it.
func (m *Machine) partial(target uint64, at, n, bound, more int, pc int32) (int32, error) {
	m.base, m.size, m.self = at, n, target // for a collection
	o, err := m.alloc(n+1, partial|uint64(bound+more), pc)
	if err != nil {
		return 0, err
	}
	target = m.self
	m.heap[o+1] = Slot{A: target}
	copy(m.heap[o+2:], m.stack[at:at+n])
	g := &m.p.funs[m.heap[object(target)].A+off(target)]
	unfold := g.unfold && bound == 0
	if unfold {
		m.counters[g.block]++
	}
	if m.profile != nil {
		m.profile.partial(g, more, n+2, unfold)
	}
	result := ref(o, 0)
	f := m.frames[len(m.frames)-1]
	m.frames = m.frames[:len(m.frames)-1]
	switch {
	case f.rest != nil:
		if m.profile != nil {
			m.profile.from = f.self
		}
		return m.apply(result, int(f.at), f.rest, pc)
	case f.pc < 0:
		m.returned = append(m.returned[:0], Slot{A: result})
		return -1, nil
	}
	m.stack[int(f.base)+int(f.d/slotSize)] = Slot{A: result}
	m.base, m.self, m.size = int(f.base), f.self, at-int(f.base)
	return f.pc, nil
}
