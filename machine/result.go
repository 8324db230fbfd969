package machine

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gram-machine/gram/compile/literal"
)

// begin empties the arena, and makes the start term at the point.
func (m *core[M]) begin(point []float64) {
	m.point = point
	m.mark(0)
	m.build(&m.prog.Templates[m.prog.Start], literal.ParamIndex+1+m.prog.Free)
}

// reset makes the arena empty.
func (m *core[M]) reset() error {
	if m.nodes == nil {
		return fmt.Errorf("the machine is closed")
	}
	m.top, m.limit, m.free = 1, 0, 0
	m.work, m.seen, m.unused = m.work[:0], m.seen[:0], m.unused[:0]
	m.copy, m.row = copying{}, row{}
	m.result, m.job, m.running, m.newest, m.cursor, m.ranks = 0, 0, 0, 0, 0, 0
	m.fired, m.words, m.most = [moveMask + 1]uint64{}, [NumMoves]uint64{}, [NumMoves]uint64{}
	m.touched, m.steps, m.fuel, m.made, m.freed, m.pos, m.more, m.err = 0, 0, 0, 0, 0, 0, false, nil
	m.rng = nil
	if m.opt.Schedule == Random {
		m.rng = rand.New(rand.NewPCG(m.opt.Seed, 0))
	}
	if !m.grow() {
		return m.err
	}
	return nil
}

// value reduces the program at the point.
func (m *core[M]) value(point []float64) error {
	if err := m.reset(); err != nil {
		return err
	}
	r, n := m.alloc()
	*n = node{kind: literal.Result, code: literal.NoCode, bits: 1}
	m.result = r
	m.frame[0] = r << 1
	m.begin(point)
	return m.reduce()
}

// gradient reduces the program to the seeds z* 1, and then runs one backward phase for each.
func (m *core[M]) gradient(point, values, jacobian []float64) error {
	if err := m.reset(); err != nil {
		return err
	}
	for i := range m.prog.Free {
		r, n := m.alloc()
		*n = node{kind: literal.FreeDual, code: literal.NoCode}
		m.frame[literal.ParamIndex+1+i] = r << 1
	}
	m.begin(point)
	if err := m.reduce(); err != nil {
		return err
	}
	copy(values, m.answers)
	for i, app := range m.seeds {
		j, job := m.alloc()
		*job = node{kind: literal.Job, code: m.nodes[app].code, bits: 1}
		m.job, m.cursor = j, m.newest
		n := m.at(app)
		n.up = j<<1 | 1
		m.arrive(app, n)
		if err := m.reduce(); err != nil {
			return err
		}
		m.readRow(jacobian[i*m.prog.Inputs : (i+1)*m.prog.Inputs])
		m.job = 0
		m.release(j, m.at(j))
	}
	return m.err
}

// readRow reads the tagged sum x1* g1 + … + xn* gn: a unit of read-back for each number, and one for the value.
func (m *core[M]) readRow(row []float64) {
	m.mark(0)
	m.unit(ReadBack, 0)
	m.units(ReadBack, 1+len(row))
	for i := range row {
		star := Ref(1 + i) // the first nodes of the arena
		n := m.at(star)
		row[i] = 0
		if app := n.c; app != 0 {
			a := m.at(app)
			row[i] = number(a.val[1])
			n.c = 0
			m.release(app, a)
		}
		m.unit(ReadBack, star<<1)
	}
}

// read appends the numbers of the result. Lists are read by applying them.
func (m *core[M]) read(out []float64, lengths []int) ([]float64, []int, error) {
	type operand struct {
		t Tag
		v uint64
	}
	n := m.nodes[m.result]
	stack := []operand{{n.tag[0], n.val[0]}}
	for len(stack) > 0 {
		o := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case o.t == Zero:
		case o.t == Number:
			out = append(out, number(o.v))
			m.mark(0)
			m.unit(ReadBack, 0)
			m.units(ReadBack, 1)
		case m.nodes[lo(o.v)].kind == literal.Pair:
			p := &m.nodes[lo(o.v)]
			stack = append(stack, operand{p.tag[1], p.val[1]}, operand{p.tag[0], p.val[0]})
		default:
			list, err := m.readList(lo(o.v))
			if err != nil {
				return out, lengths, err
			}
			lengths = append(lengths, len(list))
			for _, n := range slices.Backward(list) {
				stack = append(stack, operand{n.tag[0], n.val[0]})
			}
		}
	}
	return out, lengths, nil
}

// readList applies a list to λa.λr.⟨a,r⟩ and 0⃗, and returns the pairs. What that takes is not counted.
func (m *core[M]) readList(list Ref) ([]node, error) {
	fired, words, most, steps, made, freed := m.fired, m.words, m.most, m.steps, m.made, m.freed
	events := m.opt.Events
	m.opt.Events = nil
	defer func() {
		m.fired, m.words, m.most, m.steps, m.made, m.freed, m.opt.Events = fired, words, most, steps, made, freed, events
	}()
	r, n := m.alloc()
	*n = node{kind: literal.Result, code: literal.NoCode, bits: 1}
	b, app2 := m.alloc()
	*app2 = node{kind: literal.App, code: literal.NoCode, up: r << 1, bits: 1, tag: [2]Tag{Empty, Zero}}
	a, app := m.alloc()
	*app = node{kind: literal.App, code: literal.NoCode, up: b << 1, bits: 2}
	m.nodes[list].c++
	m.deliver(a<<1, Value, uint64(list))
	m.frame[0] = a<<1 | 1
	m.build(&m.prog.Templates[m.prog.Cons], literal.ParamIndex+1)
	if err := m.reduce(); err != nil {
		return nil, err
	}
	var elems []node
	for n := m.nodes[r]; n.tag[0] == Value; {
		pair := m.nodes[lo(n.val[0])]
		elems = append(elems, pair)
		n = node{tag: [2]Tag{pair.tag[1]}, val: [2]uint64{pair.val[1]}}
	}
	return elems, nil
}
