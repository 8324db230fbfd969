package engine

import (
	"cmp"
	"math"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// underDual runs the job of the dual s.owner on a symbolic argument: the backward
// phase of Lemma main. Its cells' arguments are inert sums of products. What is left
// are applications of free dual variables, in the order in which these were made.
func (m *Machine) underDual(s *scope) error {
	a, err := m.freshVariable(s, 0, term.R)
	if err != nil {
		return err
	}
	n := &m.normal
	grow := int(m.top) - len(n.due)
	n.due = append(n.due, make([]graph.Ref, max(0, grow))...)
	n.arg = append(n.arg, make([]graph.Ref, max(0, grow))...)
	if err := m.discoverSymbolic(s.owner); err != nil {
		return err
	}
	n.arg[s.owner] = a
	n.due[s.owner] = 0
	stack := []graph.Ref{s.owner}
	for len(stack) > 0 {
		d := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := m.lookNormal(); err != nil {
			return err
		}
		arg := n.arg[d]
		n.arg[d] = 0
		if m.nodes[d].Kind() != graph.DualCell {
			s.summands = append(s.summands, summand{d, arg})
			continue
		}
		if stack, err = m.fireSymbolic(d, arg, stack); err != nil {
			return err
		}
	}
	slices.SortFunc(s.summands, func(x, y summand) int { return cmp.Compare(x.head, y.head) })
	return nil
}

func (m *Machine) lookNormal() error {
	m.pops++
	if m.steps+m.pops < m.nextLook && m.top <= m.nodeTop {
		return nil
	}
	return m.look()
}

// discoverSymbolic counts the arrivals due at each dual that the seed reaches.
func (m *Machine) discoverSymbolic(seed graph.Ref) error {
	m.normal.due[seed]++
	for stack := []graph.Ref{seed}; len(stack) > 0; {
		d := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := m.lookNormal(); err != nil {
			return err
		}
		if m.nodes[d].Kind() != graph.DualCell {
			continue
		}
		_, heads, _ := m.dualParts(d)
		for _, h := range heads {
			m.occurs++
			if m.normal.due[h]++; m.normal.due[h] == 1 {
				stack = append(stack, h)
			}
		}
	}
	return nil
}

// dualParts returns the body of a dual, its heads, and the numbers that it captured.
func (m *Machine) dualParts(d graph.Ref) (body *graph.DualBody, heads, nums []graph.Ref) {
	body = &m.prog.Bodies[m.prog.Duals[m.nodes[d].Head>>graph.KindShift].Body]
	w := 4*uint64(d) + graph.DualWords
	heads = m.words[w : w+uint64(body.Heads)]
	w += uint64(body.Heads)
	return body, heads, m.words[w : w+uint64(body.Nums)]
}

// fireSymbolic fires a dual on an inert argument, (3), (1) and (5), and pushes the
// cells whose last arrival has come.
func (m *Machine) fireSymbolic(d, arg graph.Ref, stack []graph.Ref) ([]graph.Ref, error) {
	body, heads, nums := m.dualParts(d)
	if m.record != nil {
		m.record.under(d)
	}
	m.addSteps(rule.Subst, 1)
	m.addSteps(rule.Lambda, 1)
	m.addSteps(rule.Lin, 1)
	regs := make([]graph.Ref, body.Regs)
	regs[0] = arg
	copy(regs[1:], nums)
	at := uint32(len(m.prog.Code)) + m.nodes[d].Head>>graph.KindShift
	for i := range body.Code {
		in := &body.Code[i]
		var v graph.Ref
		var err error
		switch in.Op {
		case graph.LinConst:
			regs[in.D], err = m.number(in.Val)
		case graph.LinMul, graph.LinScale:
			v, err = m.symbolic(term.Mul, []graph.Ref{regs[in.A], regs[in.B]}, at)
		case graph.LinAdd:
			regs[in.D], err = m.symbolic(term.NoSymbol, []graph.Ref{regs[in.A], regs[in.B]}, at)
		case graph.LinFun1:
			regs[in.D], err = m.symbolic(in.Sym, []graph.Ref{regs[in.A]}, at)
		case graph.LinFun2:
			regs[in.D], err = m.symbolic(in.Sym, []graph.Ref{regs[in.A], regs[in.B]}, at)
		case graph.LinArrive:
			v = regs[in.A]
		}
		if err != nil {
			return nil, err
		}
		switch in.Op {
		case graph.LinMul:
			regs[in.D] = v
		case graph.LinScale, graph.LinArrive:
			if stack, err = m.arriveSymbolic(heads[in.D], v, at, stack); err != nil {
				return nil, err
			}
		}
	}
	return stack, nil
}

// arriveSymbolic adds v to the argument of the dual h, by (11) if it has one.
func (m *Machine) arriveSymbolic(h, v graph.Ref, at uint32, stack []graph.Ref) ([]graph.Ref, error) {
	n := &m.normal
	if n.arg[h] != 0 {
		var err error
		if v, err = m.symbolic(term.NoSymbol, []graph.Ref{n.arg[h], v}, at); err != nil {
			return nil, err
		}
		m.addSteps(rule.Factor, 1)
	}
	n.arg[h] = v
	if n.due[h]--; n.due[h] == 0 {
		stack = append(stack, h)
	}
	return stack, nil
}

// number makes a numeral.
func (m *Machine) number(x float64) (graph.Ref, error) {
	if err := m.ensure(1); err != nil {
		return 0, err
	}
	r := m.top
	m.top++
	m.nodes[r] = graph.Node{Head: uint32(graph.Num), V: math.Float64bits(x)}
	return r, nil
}

// symbolic computes an operation, + where sym is [term.NoSymbol]: it fires on numbers
// and is inert otherwise.
func (m *Machine) symbolic(sym term.Symbol, args []graph.Ref, at uint32) (graph.Ref, error) {
	v, rule := operation(sym, m.nodes[args[0]].Number(), m.nodes[args[len(args)-1]].Number())
	if !slices.ContainsFunc(args, m.isInert) {
		m.addSteps(rule, 1)
		return m.number(v)
	}
	if err := m.ensure(2); err != nil {
		return 0, err
	}
	r := m.top
	m.top += 2
	m.makeInert(r, sym, v, args, at)
	return r, nil
}
