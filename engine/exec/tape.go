package exec

import (
	"unsafe"

	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/term"
)

// tape is what a run of a taped program leaves for its backward phase. Statement i has the address i.
type tape struct {
	n, args, slopes int      // the statements, addresses and slopes that it has
	kinds           []uint16 // of each statement
	adr             []uint32 // of the operands that have an adjoint, statement by statement
	par             []float64
	where           []uint32 // of a placed program: the cells of each statement in the profile
	// The statements that stand for many, in their order, and what these keep.
	records []record
	words   []uint64
}

// An extension is code that runs many statements at once. In the backward phase it goes through them, from the last to
// the first: what has arrived at the addresses of its results, from r.base on, where reached says so, it adds to the
// adjoints of the operands and marks these as reached. It leaves its own addresses not reached, with adjoints of 0,
// and counts in fired how many cells of each kind are reached. It returns how many arrivals there were, at addresses
// other than 0, and how many cells were reached, its own and those of results.
type extension interface {
	backward(m *Machine, r *record) (arrivals, cells uint64, err error)
}

// record stands on the tape for many statements. It has n addresses from base on, at least one, and what its extension
// keeps from tape.words[words] on.
type record struct {
	by      extension
	base, n int
	words   int
}

const recordSize = uint64(unsafe.Sizeof(record{}))

// pushRecord appends a record with n addresses, of which the first is returned.
func (m *Machine) pushRecord(by extension, n int, pc int32) (base uint64, err error) {
	t := &m.tape
	n = max(1, n)
	if err := m.growTape(&block{statements: uint32(n)}, pc); err != nil {
		return 0, err
	}
	if len(t.records) == cap(t.records) {
		if err := m.reserve(int(2*recordSize)*len(t.records), pc); err != nil {
			return 0, err
		}
	}
	t.records = append(t.records, record{by, t.n, n, len(t.words)})
	base = uint64(t.n)
	t.n += n
	t.kinds[t.n-1] = recordKind
	return base, nil
}

// push appends the statement of an operation of at most two operands. Its address is the result. There is room.
func (t *tape) push(in *instr, a, b uint64, da, db float64) uint64 {
	kind := in.k
	if a != 0 {
		kind++
		t.adr[t.args] = uint32(a)
		t.args++
		if !in.plain {
			t.par[t.slopes] = da
			t.slopes++
		}
	}
	if b != 0 {
		kind += 2
		t.adr[t.args] = uint32(b)
		t.args++
		if !in.plain {
			t.par[t.slopes] = db
			t.slopes++
		}
	}
	n := t.n
	t.kinds[n] = uint16(kind)
	t.n = n + 1
	return uint64(n)
}

// firstTape is how many statements the tape has room for at first.
const firstTape = 1 << 10

// growth is by how much a tape grows that needs room for n: a short one by more, so that it is seldom copied.
func growth(n int) int {
	if n < 1<<16 {
		return 4
	}
	return 2
}

// growTape makes room for a block.
func (m *Machine) growTape(b *block, pc int32) error {
	t := &m.tape
	n, args := t.n+int(b.statements), t.args+int(b.operands)
	if n > len(t.kinds) {
		size := max(firstTape, n*growth(n))
		if err := m.reserve(2*size, pc); err != nil {
			return err
		}
		var err error
		if t.kinds, err = resized(m, m.places().layout.Kinds, kindsBytes, t.kinds, t.n, size); err != nil {
			return err
		}
		if m.profile != nil {
			t.where = append(make([]uint32, 0, size), t.where[:t.n]...)[:size]
		}
	}
	if args > len(t.adr) {
		size := max(firstTape, args*growth(args))
		if err := m.reserve(12*size, pc); err != nil {
			return err
		}
		var err error
		if t.adr, err = resized(m, m.places().addresses, addressesBytes, t.adr, t.args, size); err != nil {
			return err
		}
		if t.par, err = resized(m, m.places().slopes, slopesBytes, t.par, t.slopes, size); err != nil {
			return err
		}
	}
	return nil
}

// at is f(a,b), with its partial derivatives where the operands have adjoints.
func (f *fun2) at(a, b Slot) (v, da, db float64) {
	v = f.value(a.V, b.V)
	if a.A != 0 {
		da = f.slopes[0](a.V, b.V, v)
	}
	if b.A != 0 {
		db = f.slopes[1](a.V, b.V, v)
	}
	return v, da, db
}

// funK is f(args…).
func (m *Machine) funK(in *instr, fp unsafe.Pointer) Slot {
	f, t := term.Symbol(in.n), &m.tape
	args := m.p.args[in.first : in.first+in.count]
	x := make([]float64, len(args))
	for i, r := range args {
		x[i] = at(fp, r).V
	}
	s := Slot{f.Eval(x...), 0}
	if !in.taped {
		return s
	}
	kind := in.k
	for i, r := range args {
		if a := at(fp, r).A; a != 0 {
			kind += 1 << i
			t.adr[t.args], t.par[t.slopes] = uint32(a), f.Info().Partials[i].At(x...)
			t.args, t.slopes = t.args+1, t.slopes+1
		}
	}
	t.kinds[t.n] = uint16(kind)
	s.A = uint64(t.n)
	t.n++
	return s
}

// Gradient reduces a reversed program at the point: values gets its k numbers, and jacobian, row by row, their
// partial derivatives by the inputs. It is Corollary gradient of section 5.2. Of a batch, point has several points, one
// behind the other, and so have values and jacobian.
func (m *Machine) Gradient(point, values, jacobian []float64) error {
	if err := m.evaluate(point); err != nil {
		return err
	}
	outputs, points := m.result, max(1, m.p.src.Points)
	if m.p.vector {
		outputs = make([]Slot, len(values))
		if err := m.slots(outputs, m.result[0].A, m.pc); err != nil {
			return err
		}
	}
	if n := m.tape.n; cap(m.adjoint) < n {
		if err := m.reserve(9*n, m.pc); err != nil {
			return err
		}
		m.adjoint, m.reached = make([]float64, n), make([]bool, n)
	}
	m.adjoint, m.reached = m.adjoint[:m.tape.n], m.reached[:m.tape.n]
	m.enterPhase(calls.Backward)
	clear(jacobian)
	for i, out := range outputs {
		values[i] = out.V
	}
	inputs, k := len(point)/points, len(outputs)/points
	for i := range k {
		if i > 0 {
			m.changeAgain()
		}
		if err := m.backward(outputs[i:], k, jacobian[i*inputs:], inputs); err != nil {
			return err
		}
		m.readback += uint64(points + len(point))
	}
	return nil
}

// backward runs the backward phase of an output, of every k, and leaves the adjoints as they were: not reached. The
// derivatives by n inputs are a row, of every k rows.
func (m *Machine) backward(outputs []Slot, k int, rows []float64, n int) error {
	arrivals, points := uint64(0), 0
	for i := 0; i < len(outputs); i += k {
		points++
		seed := outputs[i].A
		if seed == 0 { // z* is λa.0⃗
			m.fired[numeralKind]++
			continue
		}
		if m.profile != nil {
			m.profile.cells[m.tape.where[seed]].arrived++
		}
		m.adjoint[seed]++
		m.reached[seed] = true
		arrivals++
	}
	if arrivals == 0 {
		return m.refuel(m.pc)
	}
	more, cells, err := m.backThrough(1 + points*n)
	if err != nil {
		return m.failed(err)
	}
	m.flush()
	adjoint, reached := m.adjoint, m.reached
	for p := points - 1; p >= 0; p-- {
		row := rows[p*k*n:][:n]
		for c := n - 1; c >= 0; c-- {
			i := 1 + p*n + c
			if !reached[i] {
				continue
			}
			if m.profile != nil {
				if err := m.fire(i, &m.p.kinds[inputKind], adjoint[i], nil, nil); err != nil {
					return m.failed(err)
				}
			}
			row[c] = adjoint[i]
			adjoint[i], reached[i] = 0, false
			m.fired[inputKind]++
			cells++
		}
	}
	m.factor += arrivals + more - cells
	m.searched += uint64(m.tape.n)
	return m.refuel(m.pc)
}

// backThrough goes back through the tape to the statement at an address, and returns how many arrivals there were, and
// how many cells were reached.
func (m *Machine) backThrough(to int) (arrivals, cells uint64, err error) {
	t := &m.tape
	args, slopes := t.args, t.slopes // before those of the statement
	records := len(t.records)
	for i := t.n - 1; i >= to; {
		if i <= m.pendingTop {
			m.flush()
		}
		// The statements to there are operations, or there is a record.
		stop := max(to, i&^(every-1), m.pendingTop+1)
		var more, own uint64
		i, args, slopes, more, own, err = m.backOperations(i, stop, args, slopes)
		arrivals, cells = arrivals+more, cells+own
		if err != nil {
			return 0, 0, err
		}
		if i >= stop {
			records--
			r := &t.records[records]
			if m.pendingTop >= r.base {
				m.flush()
			}
			if more, own, err = r.by.backward(m, r); err != nil {
				return 0, 0, err
			}
			arrivals, cells = arrivals+more, cells+own
			i = r.base - 1
		} else if stop%every == 0 {
			if err := m.look(m.pc); err != nil {
				return 0, 0, err
			}
		}
	}
	return arrivals, cells, nil
}

// backOperations goes back through the statements from i to stop that are operations, and returns where it ends: where
// a record is, or below stop. There are no checks of bounds: the tape has been made with its addresses.
func (m *Machine) backOperations(i, stop, args, slopes int) (end, a, s int, arrivals, cells uint64, err error) {
	t := &m.tape
	kinds, adr := unsafe.Pointer(unsafe.SliceData(t.kinds)), unsafe.Pointer(unsafe.SliceData(t.adr))
	par := unsafe.Pointer(unsafe.SliceData(t.par))
	adjoints, flags := unsafe.Pointer(unsafe.SliceData(m.adjoint)), unsafe.Pointer(unsafe.SliceData(m.reached))
	widths, fired := unsafe.Pointer(unsafe.SliceData(m.p.widths)), unsafe.Pointer(unsafe.SliceData(m.fired))
	arrive := func(n int, x float64) {
		to := *(*uint32)(unsafe.Add(adr, 4*n))
		*(*float64)(unsafe.Add(adjoints, 8*uintptr(to))) += x
		*(*bool)(unsafe.Add(flags, to)) = true
	}
	slope := func(n int) float64 { return *(*float64)(unsafe.Add(par, 8*n)) }
	for ; i >= stop; i-- {
		kind := *(*uint16)(unsafe.Add(kinds, 2*i))
		if kind == recordKind {
			break
		}
		w := *(*width)(unsafe.Add(widths, uintptr(kind)*unsafe.Sizeof(width{})))
		n := int(w.args)
		args -= n
		slopes -= int(w.slopes)
		reached := (*bool)(unsafe.Add(flags, i))
		if !*reached {
			continue
		}
		at := (*float64)(unsafe.Add(adjoints, 8*i))
		a := *at
		if kind == heldKind {
			arrive(args, a)
			*at, *reached = 0, false
			continue
		}
		if m.profile != nil {
			if err := m.fire(i, &m.p.kinds[kind], a, t.adr[args:args+n], t.par[slopes:]); err != nil {
				return 0, 0, 0, 0, 0, err
			}
		}
		*at, *reached = 0, false
		*(*uint64)(unsafe.Add(fired, 8*uintptr(kind)))++
		cells++
		arrivals += uint64(n)
		switch {
		case w.slopes == 0:
			for k := range n {
				arrive(args+k, a)
			}
		case n == 2:
			arrive(args, slope(slopes)*a)
			arrive(args+1, slope(slopes+1)*a)
		default:
			for k := range n {
				arrive(args+k, slope(slopes+k)*a)
			}
		}
	}
	return i, args, slopes, arrivals, cells, nil
}

// arrive adds to the adjoint at an address.
func (m *Machine) arrive(to uint64, x float64) {
	m.adjoint[to] += x
	m.reached[to] = true
}

// handOn adds what has arrived at an address, which is not reached then, to the adjoint at another.
func (m *Machine) handOn(from int, to uint64) {
	if m.reached[from] {
		m.arrive(to, m.adjoint[from])
		m.adjoint[from], m.reached[from] = 0, false
	}
}

// failed leaves no adjoints behind, where a backward phase ends early.
func (m *Machine) failed(err error) error {
	clear(m.adjoint)
	clear(m.reached)
	for _, p := range m.pendings {
		p.count = 0
		clear(p.reached)
	}
	m.flush()
	return err
}
