package machine

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/rule"
)

// primal makes the start term at the point, and reduces it: to the value of the program, or to the seeds.
func (m run[M]) primal(point []float64) error {
	if err := m.reset(); err != nil {
		return err
	}
	if m.prog.Outputs == 0 {
		m.result, _ = m.start(compile.Result, 1)
	}
	for i := range m.prog.Free {
		m.frame[compile.FirstIndex+i], _ = m.start(compile.FreeDual, 0)
	}
	for i := range m.prog.Symbols {
		r, n := m.start(compile.Symbol, 0)
		n.C, n.Val[0] = uint32(i), numeral(1)
		if i < len(point) {
			n.Val[0] = numeral(point[i])
		}
		m.frame[compile.FirstIndex+m.prog.Free+i] = r
	}
	m.point = point
	m.copy = copying{body: &m.prog.Templates[m.prog.Start], up: m.result}
	m.push(moveAt(copyNext, 0))
	return m.reduce()
}

// start makes a node that no code makes: a unit.
func (m run[M]) start(kind compile.Kind, bits uint8) (Place, *node) {
	m.mark(0)
	m.event.Code = compile.NoCode
	r, n := m.make(kind, compile.NoCode, 0, bits)
	m.unit(rule.Instantiate, r)
	return r, n
}

// reset makes the arena empty.
func (m *Machine) reset() error {
	if m.arena.Closed() {
		return fmt.Errorf("the machine is closed")
	}
	m.arena.Reset()
	m.reached.reset()
	m.work, m.unused, m.made, m.ties, m.state = m.work[:0], m.unused[:0], m.made[:0], m.ties[:0], state{event: Fired{m: m}}
	if m.opt.Random {
		m.rng = rand.New(rand.NewPCG(m.opt.Seed, 0))
	}
	m.grow()
	return m.err
}

// Value reduces the program of a value at the point, and leaves the value to be read.
func (m *Machine) Value(point []float64) error { return m.runner().primal(point) }

// Gradient reduces the program of a gradient at the point, to the seeds z* 1, and then runs one backward phase for
// each. values has a number for each output, jacobian, row by row, one for each output and input.
func (m *Machine) Gradient(point, values, jacobian []float64) error {
	return m.runner().gradient(point, values, jacobian)
}

func (m run[M]) gradient(point, values, jacobian []float64) error {
	if err := m.primal(point); err != nil {
		return err
	}
	copy(values, m.answers)
	for i, app := range m.seeds[:m.prog.Outputs] {
		m.row = i
		if err := m.backward(app); err != nil {
			return err
		}
		m.readRow(jacobian[i*m.prog.Inputs : (i+1)*m.prog.Inputs])
		m.arena.Release(m.job, m.arena.Node(m.job))
		m.job = 0
	}
	return m.err
}

// backward runs the backward phase of a seed, the application app. What it leaves are the applications of the free
// duals.
func (m run[M]) backward(app Place) error {
	m.job, _ = m.start(compile.Job, 1)
	m.mark(app)
	n := m.at(app)
	n.Up = m.job | 1
	m.push(m.arrive(app, n))
	m.unit(rule.Wake, app)
	return m.reduce()
}

// readRow reads the tagged sum x1* g1 + … + xn* gn: a unit of read-back for each number, and one for the value.
func (m run[M]) readRow(row []float64) {
	m.mark(0)
	m.unit(rule.ReadBack, 0)
	for i := range row {
		star := Place(1+i) << 2 // the first nodes of the arena
		n := m.at(star)
		row[i] = 0
		if app := n.C; app != 0 {
			a := m.at(app)
			row[i] = number(a.Val[1])
			n.C = 0
			m.arena.Release(app, a)
			if m.tells() {
				m.readings = append(m.readings, Reading{m.row, i, row[i]})
			}
		}
		m.unit(rule.ReadBack, star)
	}
}

// Read appends the numbers of the value that the last run left to out, from left to right, and the length of each
// list in it and the number of each constructor to lengths, outer ones before inner ones. A list is read by applying
// it, which is not counted; each number is a unit of read-back, which counts the node that holds it. Then nothing
// holds the value any more, and (4) drops what its lists have held; so the numbers are kept for the next call.
func (m *Machine) Read(out []float64, lengths []int) ([]float64, []int, error) {
	if !m.isRead {
		var err error
		if m.numbers, m.lengths, err = m.runner().read(m.numbers[:0], m.lengths[:0]); err != nil {
			return out, lengths, err
		}
		m.isRead = true
	}
	return append(out, m.numbers...), append(lengths, m.lengths...), nil
}

func (m run[M]) read(out []float64, lengths []int) ([]float64, []int, error) {
	type operand struct {
		t  Tag
		v  uint64
		in Place // the node whose operand it is
	}
	n := m.arena.Node(m.result)
	stack := []operand{{n.Tag[0], n.Val[0], m.result}}
	var read []*node // the results of applications of lists
	for len(stack) > 0 {
		o := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case o.t == compile.Zero:
		case o.t == compile.Number:
			out = append(out, number(o.v))
			m.mark(0)
			m.at(o.in)
			m.unit(rule.ReadBack, 0)
		case m.arena.Node(lo(o.v)).Kind == compile.Pair:
			p := m.arena.Node(lo(o.v))
			stack = append(stack, operand{p.Tag[1], p.Val[1], lo(o.v)}, operand{p.Tag[0], p.Val[0], lo(o.v)})
		case m.arena.Node(lo(o.v)).Kind == compile.Con:
			p := m.arena.Node(lo(o.v))
			lengths = append(lengths, int(p.Val[1]))
			if p.Tag[0] != compile.Empty {
				stack = append(stack, operand{p.Tag[0], p.Val[0], lo(o.v)})
			}
		default:
			list, of, err := run[plain](m).readList(lo(o.v))
			if err != nil {
				return out, lengths, err
			}
			read = append(read, of)
			lengths = append(lengths, len(list))
			for _, r := range slices.Backward(list) {
				n := m.arena.Node(r)
				stack = append(stack, operand{n.Tag[0], n.Val[0], r})
			}
		}
	}
	if len(read) == 0 {
		return out, lengths, nil
	}
	err := run[plain](m).uncounted(func() error {
		for _, of := range slices.Backward(read) {
			m.push(m.dropValue(of.Tag[0], of.Val[0]))
		}
		return run[plain](m).reduce()
	})
	if err == nil {
		m.push(m.dropValue(n.Tag[0], n.Val[0]))
		err = m.reduce()
	}
	return out, lengths, err
}

// uncounted makes moves that are not counted.
func (m run[M]) uncounted(moves func() error) error {
	fired, nodes, live := m.fired, m.nodes, m.arena.Live()
	defer func() {
		m.fired, m.nodes = fired, nodes
		m.kept += m.arena.Live() - live
	}()
	return moves()
}

// readList applies a list to λa.λr.⟨a,r⟩ and 0⃗, and returns the pairs, and the node whose operand the first is.
// What that takes is not counted.
func (m run[M]) readList(list Place) (elems []Place, of *node, err error) {
	err = m.uncounted(func() error {
		var r Place
		r, of = m.make(compile.Result, compile.NoCode, 0, 1)
		b, second := m.make(compile.App, compile.NoCode, r, 1|compile.IsDue)
		second.Tag[1] = compile.Zero
		a, _ := m.make(compile.App, compile.NoCode, b, 2|compile.IsDue)
		m.arena.Node(list).C++
		m.push(m.deliver(a, compile.Value, uint64(list)))
		m.copy = copying{body: &m.prog.Templates[m.prog.Cons], up: a | 1}
		m.push(moveAt(copyNext, 0))
		return m.reduce()
	})
	for t, v := of.Tag[0], of.Val[0]; t == compile.Value && err == nil; {
		pair := m.arena.Node(lo(v))
		elems = append(elems, lo(v))
		t, v = pair.Tag[1], pair.Val[1]
	}
	return elems, of, err
}
