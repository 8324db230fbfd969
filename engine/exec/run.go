package exec

import (
	"math"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/term"
)

// run interprets code from pc on, until the frame returns that has been pushed with pc −1. The result is on the stack.
func (m *Machine) run(pc int32, results int) ([]Slot, error) {
	code, consts := m.p.code, m.p.consts
	heap := m.heap
	fp := m.stack[m.base : m.base+m.size]
	for {
		in := &code[pc]
		pc++
		switch in.op {
		case ir.Count:
			m.counters[in.n]++
			if m.fuel -= int64(m.p.src.Blocks[in.n].Total) + 1; m.fuel < 0 {
				if err := m.look(pc - 1); err != nil {
					return nil, err
				}
			}
		case ir.Const:
			fp[in.d] = Slot{consts[in.n], 0}
		case ir.Move:
			fp[in.d] = fp[in.a]
		case ir.IndexAdd:
			fp[in.d] = Slot{fp[in.a].V + fp[in.b].V, 0}
		case ir.IndexSub:
			fp[in.d] = Slot{fp[in.a].V - fp[in.b].V, 0}
		case ir.IndexMul:
			fp[in.d] = Slot{fp[in.a].V * fp[in.b].V, 0}
		case ir.IndexDiv:
			fp[in.d] = Slot{fp[in.a].V / fp[in.b].V, 0}
		case ir.IndexNeg:
			fp[in.d] = Slot{-fp[in.a].V, 0}
		case ir.Add:
			a, b := fp[in.a], fp[in.b]
			s := Slot{a.V + b.V, 0}
			if in.taped {
				s.A = m.tapeAdd(in.k, a.A, b.A)
			}
			fp[in.d] = s
		case ir.Mul:
			a, b := fp[in.a], fp[in.b]
			s := Slot{a.V * b.V, 0}
			if in.taped {
				s.A = m.tape2(in.k, a.A, b.A, b.V, a.V)
			}
			fp[in.d] = s
		case ir.Fun1:
			a := fp[in.a]
			f := term.Symbol(in.n)
			s := Slot{f.Info().Eval1(a.V), 0}
			if in.taped {
				s.A = m.tape1(in.k, f, a)
			}
			fp[in.d] = s
		case ir.Fun2:
			fp[in.d] = m.fun2(in, fp[in.a], fp[in.b])
		case ir.FunK:
			fp[in.d] = m.funK(in, fp)
		case ir.SumAdd:
			i := int(fp[in.b].V)
			d := &fp[int(in.d)+i%int(in.m)]
			switch x := fp[in.a]; {
			case i < int(in.m):
				*d = x
			case in.n != 0:
				if in.m == 1 {
					*d = m.fun2(in, x, *d)
				} else {
					*d = m.fun2(in, *d, x)
				}
			default:
				s := Slot{d.V + x.V, 0}
				if in.taped {
					s.A = m.tapeAdd(in.k, d.A, x.A)
				}
				*d = s
			}
		case ir.Load:
			r := fp[in.a].A
			fp[in.d] = heap[object(r)+1+off(r)+uint64(in.n)]
		case ir.LoadX:
			r := fp[in.a].A
			fp[in.d] = heap[object(r)+1+off(r)+uint64(in.n)+uint64(fp[in.b].V)*uint64(in.m)]
		case ir.Static:
			fp[in.d] = heap[in.n]
		case ir.StaticX:
			fp[in.d] = heap[uint64(in.n)+uint64(fp[in.b].V)*uint64(in.m)]
		case ir.View:
			fp[in.d] = Slot{A: fp[in.a].A + uint64(in.n)<<offset}
		case ir.ViewX:
			fp[in.d] = Slot{A: fp[in.a].A + (uint64(in.n)+uint64(fp[in.b].V)*uint64(in.m))<<offset}
		case ir.Object:
			fp[in.d] = Slot{A: ref(uint64(in.n)-1, 0)}
		case ir.ObjectX:
			fp[in.d] = Slot{A: ref(uint64(in.n)-1+uint64(fp[in.b].V)*uint64(in.m), 0)}
		case ir.Alloc:
			o, err := m.alloc(int(in.n), 0, pc-1)
			if err != nil {
				return nil, err
			}
			heap = m.heap
			clear(heap[o+1:])
			fp[in.d] = Slot{A: ref(o, 0)}
		case ir.Store:
			r := fp[in.d].A
			heap[object(r)+1+off(r)+uint64(in.n)] = fp[in.a]
		case ir.StoreX:
			r := fp[in.d].A
			heap[object(r)+1+off(r)+uint64(in.n)+uint64(fp[in.b].V)*uint64(in.m)] = fp[in.a]
		case ir.Copy, ir.CopyX:
			r, s := fp[in.d].A, fp[in.a].A
			to := object(r) + 1 + off(r) + uint64(in.n)
			if in.op == ir.CopyX {
				to += uint64(fp[in.b].V) * uint64(in.m)
			}
			from := object(s) + 1 + off(s)
			copy(heap[to:to+uint64(in.k)], heap[from:from+uint64(in.k)])
		case ir.MakeCon:
			o, err := m.alloc(len(in.args), uint64(in.n), pc-1)
			if err != nil {
				return nil, err
			}
			heap = m.heap
			for i, r := range in.args {
				heap[o+1+uint64(i)] = fp[r]
			}
			fp[in.d] = Slot{A: ref(o, 0)}
		case ir.MakeClosure:
			if len(in.args) == 0 {
				fp[in.d] = Slot{A: ref(uint64(m.staticClosures())+uint64(in.n), 0)}
				continue
			}
			o, err := m.alloc(len(in.args), uint64(in.n), pc-1)
			if err != nil {
				return nil, err
			}
			heap = m.heap
			for i, r := range in.args {
				heap[o+1+uint64(i)] = fp[r]
			}
			fp[in.d] = Slot{A: ref(o, 0)}
		case ir.Member:
			o := object(m.self)
			fp[in.d] = Slot{A: ref(o, uint64(in.n)-heap[o].A)}
		case ir.Sibling:
			o := object(fp[in.a].A)
			fp[in.d] = Slot{A: ref(o, uint64(in.n)-heap[o].A)}
		case ir.Capture:
			fp[in.d] = heap[object(m.self)+1+uint64(in.n)]
		case ir.Call:
			f := &m.p.funs[in.n]
			base := m.base + m.size
			if need := base + int(f.regs); need > len(m.stack) {
				m.ensure(need)
				fp = m.stack[m.base : m.base+m.size]
			}
			to := m.stack[base : base+int(f.regs)]
			for i, r := range in.args {
				to[i] = fp[r]
			}
			m.frames = append(m.frames, frame{pc: pc, base: int32(m.base), d: in.d, self: m.self})
			m.self = fp[in.a].A
			m.base, m.size = base, int(f.regs)
			fp = to
			pc = f.entry
		case ir.TailCall:
			f := &m.p.funs[in.n]
			self := fp[in.a].A
			m.pushArgs(in, fp)
			m.ensure(m.base + int(f.regs))
			copy(m.stack[m.base:], m.stack[m.base+m.size:m.base+m.size+len(in.args)])
			m.self, m.size = self, int(f.regs)
			fp = m.stack[m.base : m.base+m.size]
			pc = f.entry
		case ir.Apply, ir.TailApply:
			closure := fp[in.a].A
			m.pushArgs(in, fp)
			at := m.base + m.size
			if in.op == ir.TailApply {
				copy(m.stack[m.base:], m.stack[at:at+len(in.args)])
				at = m.base
			} else {
				m.frames = append(m.frames, frame{pc: pc, base: int32(m.base), d: in.d, self: m.self})
			}
			var err error
			if pc, err = m.apply(closure, at, m.p.src.Widths[in.k], pc-1); err != nil || pc < 0 {
				return m.stack[at:], err
			}
			heap = m.heap
			fp = m.stack[m.base : m.base+m.size]
		case ir.Return:
			f := m.frames[len(m.frames)-1]
			m.frames = m.frames[:len(m.frames)-1]
			if f.rest != nil {
				closure := fp[in.args[0]].A
				var err error
				if pc, err = m.applyRest(f, closure, pc-1); err != nil || pc < 0 {
					return nil, err
				}
				heap = m.heap
				fp = m.stack[m.base : m.base+m.size]
				continue
			}
			if f.pc < 0 {
				// The results may overlap what they are in.
				out := make([]Slot, len(in.args))
				for i, r := range in.args {
					out[i] = fp[r]
				}
				m.pc = pc - 1
				return out, nil
			}
			to := m.stack[int(f.base)+int(f.d):]
			if len(in.args) == 1 {
				to[0] = fp[in.args[0]]
			} else {
				for i, r := range in.args {
					to[i] = fp[r]
				}
			}
			m.size = m.base - int(f.base)
			m.base, m.self = int(f.base), f.self
			fp = m.stack[m.base : m.base+m.size]
			pc = f.pc
		case ir.Collect:
			m.collected = append(m.collected, fp[:in.n]...)
		case ir.Jump:
			pc = int32(in.n)
		case ir.Branch:
			if !in.cmp.Holds(fp[in.a].V, fp[in.b].V) {
				pc = int32(in.n)
			}
		case ir.Switch:
			tag := heap[object(fp[in.a].A)].A
			pc = int32(uint32(in.args[2*tag]) | uint32(in.args[2*tag+1])<<16)
		case ir.Empty:
			if fp[in.a].V >= fp[in.b].V {
				pc = int32(in.n)
			}
		case ir.Next:
			d := &fp[in.d]
			if d.V++; d.V < fp[in.a].V {
				pc = int32(in.n)
			}
		case ir.Prev:
			if d := &fp[in.d]; d.V > 0 {
				d.V--
				pc = int32(in.n)
			}
		}
	}
}

// pushArgs copies the arguments of a call behind the frame.
func (m *Machine) pushArgs(in *instr, fp []Slot) {
	at := m.base + m.size
	m.ensure(at + len(in.args))
	to := m.stack[at : at+len(in.args)]
	for i, r := range in.args {
		to[i] = fp[r]
	}
}

// apply applies a closure to arguments that stand on the stack from at on, in the frame that returns to the last of frames. It returns where
// the run goes on, and −1 if that has come to its end.
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
		entry++ // (15) has been counted
	}
	m.self, m.base, m.size = target, at, int(f.regs)
	if len(widths) > need {
		// The arguments that are left stand below the frame.
		rest, k := n-int(f.params), int(f.params)
		m.ensure(at + n + k)
		copy(m.stack[at+n:], m.stack[at:at+k])
		copy(m.stack[at:], m.stack[at+k:at+n+k])
		m.base = at + rest
		m.frames = append(m.frames, frame{rest: widths[need:], at: int32(at)})
	}
	m.ensure(m.base + m.size)
	return entry, nil
}

// applyRest applies the result of an application to the arguments that are left.
func (m *Machine) applyRest(f frame, closure uint64, pc int32) (int32, error) {
	return m.apply(closure, int(f.at), f.rest, pc)
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
	if f := &m.p.funs[m.heap[object(target)].A+off(target)]; f.unfold && bound == 0 {
		k := m.p.code[f.entry].n
		m.counters[k]++
	}
	result := ref(o, 0)
	f := m.frames[len(m.frames)-1]
	m.frames = m.frames[:len(m.frames)-1]
	if f.rest != nil {
		return m.applyRest(f, result, pc)
	}
	if f.pc < 0 {
		return -1, nil
	}
	m.stack[int(f.base)+int(f.d)] = Slot{A: result}
	m.base, m.self, m.size = int(f.base), f.self, at-int(f.base)
	return f.pc, nil
}
