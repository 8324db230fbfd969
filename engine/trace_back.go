package engine

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/limits"
	"github.com/gram-machine/gram/term"
)

// backwardTraced is backward with a trace.
func (m *Machine) backwardTraced(seed graph.Ref) error {
	t := m.trace
	t.phase = Backward
	t.event(redex{})
	if err := m.discover(seed); err != nil {
		return err
	}
	t.arrived = slices.Grow(t.arrived[:0], int(m.top/64+1))[:m.top/64+1]
	clear(t.arrived)
	if t.watch != nil && t.watch.Backward != nil {
		t.watch.Backward()
	}
	return m.fireCellsTraced(seed)
}

// fireCellsTraced is fireCells with a trace: a cell fires by (3), (1) and (5), its body
// runs, and each argument that arrives is (11) and (6) but for a cell's first.
func (m *Machine) fireCellsTraced(seed graph.Ref) error {
	t := m.trace
	stack := m.cells[:0]
	if err := m.arriveTraced(&stack, 0, seed, 1, 0); err != nil {
		return err
	}
	for len(stack) > 0 && t.err == nil {
		if m.occurs+m.pops+m.steps >= m.nextLook {
			if err := m.lookBackward(); err != nil {
				return err
			}
		}
		last := len(stack) - 1
		if m.opt.Schedule == Random {
			i := m.rng.IntN(last + 1)
			stack[i], stack[last] = stack[last], stack[i]
		}
		d := stack[last]
		stack = stack[:last]
		m.pops++
		t.last.Event = t.last.Number + 1
		t.about(d)
		if n := &m.nodes[d]; n.Kind() == graph.Input {
			m.grad[n.Head>>graph.KindShift] = m.state[d].Number()
			m.firedIn++
			m.steps += 3
			t.fired(0)
			continue
		}
		if err := m.fireCellTraced(&stack, d); err != nil {
			return err
		}
	}
	m.cells = stack
	return t.err
}

// fired makes the three rewrites by which a dual is applied to its argument.
func (t *tracer) fired(pos term.Pos) {
	t.emit(graph.Subst, 1, pos)
	t.emit(graph.Lambda, 1, pos)
	t.emit(graph.Lin, 1, pos)
}

// fireCellTraced fires the cell of a dual.
func (m *Machine) fireCellTraced(stack *[]graph.Ref, d graph.Ref) error {
	t := m.trace
	dual := m.prog.Duals[m.nodes[d].Head>>graph.KindShift]
	body := &m.prog.Bodies[dual.Body]
	m.fired[dual.Body]++
	m.steps += body.Steps
	t.fired(dual.Pos)
	rest := body.Counts
	rest[graph.Subst]--
	rest[graph.Lambda]--
	rest[graph.Lin]--
	for i := range body.Code {
		rule, n := body.Code[i].Steps()
		rest[rule] -= n
	}
	for r, n := range rest {
		t.emit(graph.Rule(r), n, dual.Pos)
	}
	heads := m.loadBody(d, body, m.state[d].Number())
	for i := range body.Code {
		in := &body.Code[i]
		rule, n := in.Steps()
		t.emit(rule, n, dual.Pos)
		v := m.regs[in.A]
		switch in.Op {
		case graph.LinScale:
			v = float64(v * m.regs[in.B])
		case graph.LinArrive:
		default:
			m.regs[in.D] = linear(in, m.regs)
			continue
		}
		if err := m.arriveTraced(stack, d, heads[in.D], v, dual.Pos); err != nil {
			return err
		}
	}
	return nil
}

// arriveTraced lets v, from the dual d or, if that is 0, from outside, arrive at the cell h.
func (m *Machine) arriveTraced(stack *[]graph.Ref, d, h graph.Ref, v float64, pos term.Pos) error {
	t := m.trace
	if m.opt.Finite && (math.IsNaN(v) || math.IsInf(v, 0)) {
		return &limits.NotFiniteError{Value: v, What: "a derivative", Pos: pos}
	}
	c := &m.state[h]
	if bit := uint64(1) << (h % 64); t.arrived[h/64]&bit == 0 {
		t.arrived[h/64] |= bit
	} else {
		m.addSteps(graph.Factor, 1)
		m.addSteps(graph.Plus, 1)
		t.about(h)
		t.emit(graph.Factor, 1, pos)
		t.emit(graph.Plus, 1, pos)
		t.about(d)
		t.counts = m.counts
	}
	if t.watch != nil && t.watch.Arrive != nil {
		t.watch.Arrive(Arrival{Step: t.last.Number, From: d, To: h, Value: v})
	}
	c.V = math.Float64bits(c.Number() + v)
	if c.A--; c.A == 0 {
		*stack = m.arrived(*stack, h)
	}
	return nil
}
