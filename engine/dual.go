package engine

import (
	"fmt"
	"math"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
)

// negativeZero is the unit of floating-point addition: −0 + x is x for every x.
var negativeZero = math.Float64bits(math.Copysign(0, -1))

// Backward runs the job of the seed d 1: the sum of dual applications that it
// unfolds to. Afterwards grad holds what has arrived at each input.
func (m *Machine) Backward(d graph.Ref, grad []float64) error {
	m.grad = grad
	if d == graph.NullDual {
		m.addSteps(rule.Lambda, 1)
		m.addSteps(rule.Lin, 1)
		return nil
	}
	m.enter(calls.Discovery)
	m.block.BeginJob()
	if err := m.discover(d); err != nil {
		return err
	}
	m.enter(calls.Backward)
	if m.team != nil {
		m.team.swept = 0
		m.team.front.Reset()
	}
	return m.fireCells(d)
}

// discover counts the arrivals due at each dual that the seed reaches: an
// occurrence of a dual variable in the body of a dual that is reached is one.
func (m *Machine) discover(seed graph.Ref) error {
	words := m.words
	stack := m.cells[:0]
	m.due(seed)
	stack = append(stack, seed)
	for len(stack) > 0 || len(m.block.heap) > 0 {
		if len(stack) == 0 {
			var err error
			if stack, err = m.discoverBlock(graph.Ref(m.block.heap.Pop()), stack); err != nil {
				return err
			}
			continue
		}
		if m.occurs+m.pops+m.steps >= m.nextLook {
			if err := m.lookBackward(); err != nil {
				return err
			}
		}
		d := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		head := m.nodes[d].Head
		switch graph.Kind(head & graph.KindMask) {
		case graph.Input:
			continue
		case graph.BlockDual:
			m.reachDual(d)
			continue
		}
		body := &m.prog.Bodies[m.prog.Duals[head>>graph.KindShift].Body]
		w := 4*uint64(d) + graph.DualWords
		heads := words[w : w+uint64(body.Heads)]
		m.occurs += uint64(len(heads))
		for _, h := range heads {
			if h != graph.NullDual && m.due(h) {
				stack = append(stack, h)
			}
		}
	}
	m.cells = stack
	return m.block.Settle(m.state)
}

// lookBackward is Look, where occurs counts too.
func (m *Machine) lookBackward() error { return m.lookFiring(LookEvery) }

// lookFiring is lookBackward, and the next look is after so many steps.
func (m *Machine) lookFiring(next uint64) error {
	err := m.look(next)
	m.nextLook += m.occurs
	return err
}

// due books an arrival at the cell h, and reports whether it is the first.
func (m *Machine) due(h graph.Ref) bool {
	n := &m.state[h]
	n.A++
	if n.A > 1 {
		return false
	}
	n.V = negativeZero
	return true
}

// fireCells lets 1 arrive at the seed, and fires each cell when its last arrival
// has come: the (3), (1) and (5) of its dual and its body. An arrival beyond a
// cell's first is rule (11), and the (6) of the sum that it makes.
func (m *Machine) fireCells(seed graph.Ref) error {
	nodes, state, words, regs, finite := m.nodes, m.state, m.words, m.regs, m.opt.Finite
	stack := m.cells[:0]
	state[seed].V = math.Float64bits(1)
	state[seed].A = 0
	stack = m.arrived(stack, seed)
	recording := m.record != nil
	if recording {
		m.record.Arrive(seed, 1)
	}
	m.far = m.far[:0]
	var cells, arrivals uint64 = 0, 1
	for len(stack) > 0 || len(m.far) > 0 {
		if m.occurs+m.pops+m.steps >= m.nextLook {
			if len(stack) > 0 {
				m.reached(stack[len(stack)-1])
			}
			if err := m.lookBackward(); err != nil {
				return err
			}
		}
		last := len(stack) - 1
		if len(m.far) > 0 && (last < 0 || m.far[0] > m.order.Key(stack[last])) {
			stack = append(stack, graph.Ref(m.far.Pop()))
			last++
		} else if m.opt.Schedule == Random {
			i := m.rng.IntN(last + 1)
			stack[i], stack[last] = stack[last], stack[i]
		}
		d := stack[last]
		stack = stack[:last]
		m.pops++
		n := &nodes[d]
		if n.Kind() == graph.BlockRun {
			var a, c uint64
			var err error
			if stack, a, c, err = m.fireBlock(d, stack); err != nil {
				return err
			}
			arrivals += a
			cells += c
			continue
		}
		cells++
		if checking && state[d].A != 0 {
			panic(fmt.Sprintf("engine: cell %d fires with %d arrivals outstanding", d, state[d].A))
		}
		index := n.Head >> graph.KindShift
		if n.Kind() == graph.Input {
			m.fireInput(d)
			if recording {
				m.record.FireInput(index)
			}
			continue
		}
		id := m.prog.Duals[index].Body
		body := &m.prog.Bodies[id]
		m.fired[id]++
		m.steps += body.Steps
		w := 4*uint64(d) + graph.DualWords
		heads := words[w : w+uint64(body.Heads)]
		nums := words[w+uint64(body.Heads) : w+uint64(body.Heads+body.Nums)]
		if recording {
			m.record.Fire(d, heads)
		}
		regs[0] = state[d].Number()
		for i, r := range nums {
			regs[1+i] = nodes[r].Number()
		}
		for i := range body.Code {
			in := &body.Code[i]
			var v float64
			switch in.Op {
			case graph.LinScale:
				v = float64(regs[in.A] * regs[in.B]) // rounded: no fused multiply-add
			case graph.LinArrive:
				v = regs[in.A]
			default:
				regs[in.D] = in.Coefficient(regs)
				continue
			}
			if h := heads[in.D]; h == graph.NullDual {
				m.fireNull()
				cells++
			} else {
				c := &state[h]
				if checking && c.A == 0 {
					panic(fmt.Sprintf("engine: an arrival at cell %d after it has fired", h))
				}
				c.V = math.Float64bits(c.Number() + v)
				c.A--
				if c.A == 0 {
					stack = m.arrived(stack, h)
				}
			}
			if finite && (math.IsNaN(v) || math.IsInf(v, 0)) {
				return &limits.NotFiniteError{Value: v, What: "a derivative", Pos: m.prog.Duals[index].Pos}
			}
		}
		arrivals += uint64(len(heads))
	}
	m.cells = stack
	m.addSteps(rule.Factor, arrivals-cells)
	m.addSteps(rule.Plus, arrivals-cells)
	if recording {
		m.record.Sync() // it has the firings and the arrivals
	}
	return nil
}

// fireNull fires λa.0⃗ for an arrival: (1) and (5), for the (3) is that of the head.
func (m *Machine) fireNull() {
	body := m.prog.NullBody()
	m.fired[body]++
	m.steps += m.prog.Bodies[body].Steps
}

// fireInput fires the cell of an input: (3), (1) and (5).
func (m *Machine) fireInput(d graph.Ref) {
	m.grad[m.nodes[d].Head>>graph.KindShift] = m.state[d].Number()
	m.firedIn++
	m.steps += 3
}
