package exec

import (
	"github.com/gram-machine/gram/term"
)

// tapeAdd appends an addition to the tape, and returns its address.
func (m *Machine) tapeAdd(kind uint32, a, b uint64) uint64 {
	live := uint32(0)
	if a != 0 {
		live = 1
		m.adr = append(m.adr, uint32(a))
	}
	if b != 0 {
		live |= 2
		m.adr = append(m.adr, uint32(b))
	}
	m.kinds = append(m.kinds, uint16(kind+live))
	return uint64(len(m.kinds) - 1)
}

// tape2 appends an operation of two operands with its partial derivatives to the tape, and returns its address.
func (m *Machine) tape2(kind uint32, a, b uint64, da, db float64) uint64 {
	live := uint32(0)
	if a != 0 {
		live = 1
		m.adr, m.par = append(m.adr, uint32(a)), append(m.par, da)
	}
	if b != 0 {
		live |= 2
		m.adr, m.par = append(m.adr, uint32(b)), append(m.par, db)
	}
	m.kinds = append(m.kinds, uint16(kind+live))
	return uint64(len(m.kinds) - 1)
}

// tape1 appends f(a) to the tape, and returns its address.
func (m *Machine) tape1(kind uint32, f term.Symbol, a Slot) uint64 {
	if a.A != 0 {
		m.adr, m.par = append(m.adr, uint32(a.A)), append(m.par, f.Info().Partials[0].At(a.V))
		kind++
	}
	m.kinds = append(m.kinds, uint16(kind))
	return uint64(len(m.kinds) - 1)
}

// fun2 is f(a,b).
func (m *Machine) fun2(in *instr, a, b Slot) Slot {
	f := term.Symbol(in.n)
	s := Slot{f.Info().Eval2(a.V, b.V), 0}
	if in.taped {
		p := f.Info().Partials
		da, db := 0.0, 0.0
		if a.A != 0 {
			da = p[0].At(a.V, b.V)
		}
		if b.A != 0 {
			db = p[1].At(a.V, b.V)
		}
		s.A = m.tape2(in.k, a.A, b.A, da, db)
	}
	return s
}

// funK is f(args…).
func (m *Machine) funK(in *instr, fp []Slot) Slot {
	f := term.Symbol(in.n)
	var at [8]float64
	x := at[:len(in.args)]
	for i, r := range in.args {
		x[i] = fp[r].V
	}
	s := Slot{f.Eval(x...), 0}
	if !in.taped {
		return s
	}
	live := uint32(0)
	for i, r := range in.args {
		if a := fp[r].A; a != 0 {
			live |= 1 << i
			m.adr, m.par = append(m.adr, uint32(a)), append(m.par, f.Info().Partials[i].At(x...))
		}
	}
	m.kinds = append(m.kinds, uint16(in.k+live))
	s.A = uint64(len(m.kinds) - 1)
	return s
}

// Gradient reduces a reversed program at the point: values gets its k numbers, and jacobian, row by row, their partial derivatives by the
// inputs. It is Corollary gradient of section 5.2.
func (m *Machine) Gradient(point, values, jacobian []float64) error {
	if err := m.evaluate(point); err != nil {
		return err
	}
	outputs := m.result
	if m.p.src.Term.Types.Kind(m.p.src.Type) == term.VecKind {
		r := m.result[0].A
		outputs = m.heap[object(r)+1+off(r):][:len(values)]
	}
	n := len(m.kinds)
	if cap(m.adjoint) < n {
		if err := m.reserve(9*n, m.pc); err != nil {
			return err
		}
		m.adjoint, m.reached = make([]float64, n), make([]bool, n)
	}
	m.adjoint, m.reached = m.adjoint[:n], m.reached[:n]
	clear(jacobian)
	inputs := len(point)
	for i, out := range outputs {
		values[i] = out.V
		if err := m.backward(out.A, jacobian[i*inputs:(i+1)*inputs]); err != nil {
			return err
		}
		m.readback += uint64(1 + inputs)
	}
	return nil
}

// backward runs the backward phase of an output, and leaves the adjoints as they were: not reached.
func (m *Machine) backward(seed uint64, row []float64) error {
	kinds, adjoint, reached := m.kinds, m.adjoint, m.reached
	if seed == 0 { // z* is λa.0⃗
		m.fired[0]++
		return nil
	}
	adjoint[seed], reached[seed] = 1, true
	// The operands of the statements behind the seed are passed over.
	na, np := len(m.adr), len(m.par)
	table := m.p.kinds
	arrivals, cells := uint64(1), uint64(0)
	for i := len(kinds) - 1; i > len(row); i-- {
		k := &table[kinds[i]]
		n := int(k.args)
		na -= n
		if !k.plain {
			np -= n
		}
		if i%every == 0 {
			if err := m.look(m.pc); err != nil {
				return err
			}
		}
		if !reached[i] {
			continue
		}
		a := adjoint[i]
		adjoint[i], reached[i] = 0, false
		m.fired[kinds[i]]++
		cells++
		arrivals += uint64(n)
		if k.plain {
			for _, to := range m.adr[na : na+n] {
				adjoint[to] += a
				reached[to] = true
			}
			continue
		}
		switch n {
		case 1:
			to := m.adr[na]
			adjoint[to] += m.par[np] * a
			reached[to] = true
		case 2:
			to := m.adr[na]
			adjoint[to] += m.par[np] * a
			reached[to] = true
			to = m.adr[na+1]
			adjoint[to] += m.par[np+1] * a
			reached[to] = true
		default:
			for j, to := range m.adr[na : na+n] {
				adjoint[to] += m.par[np+j] * a
				reached[to] = true
			}
		}
	}
	for i := len(row); i > 0; i-- {
		if reached[i] {
			row[i-1] = adjoint[i]
			adjoint[i], reached[i] = 0, false
			m.fired[inputKind]++
			cells++
		}
	}
	m.factor += arrivals - cells
	return m.look(m.pc)
}
