package symbolic

import (
	"cmp"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// underDual runs the job of the dual s.owner on a symbolic argument: the backward
// phase of Lemma main. Its cells' arguments are inert sums of products. What is left
// are applications of free dual variables, in the order in which these were made.
func (m *normaliser) underDual(s *scope) error {
	a, err := m.freshVariable(s, 0, term.R)
	if err != nil {
		return err
	}
	n := m
	grow := int(m.engine.Top()) - len(n.due)
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
		if err := m.engine.Charge(0, 1); err != nil {
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

// discoverSymbolic counts the arrivals due at each dual that the seed reaches.
func (m *normaliser) discoverSymbolic(seed graph.Ref) error {
	m.due[seed]++
	for stack := []graph.Ref{seed}; len(stack) > 0; {
		d := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := m.engine.Charge(0, 1); err != nil {
			return err
		}
		if m.nodes[d].Kind() != graph.DualCell {
			continue
		}
		_, heads, _ := m.dualParts(d)
		for _, h := range heads {
			if err := m.engine.Charge(0, 1); err != nil {
				return err
			}
			if h == graph.NullDual {
				continue
			}
			if m.due[h]++; m.due[h] == 1 {
				stack = append(stack, h)
			}
		}
	}
	return nil
}

// dualParts returns the body of a dual, its heads, and the numbers that it captured.
func (m *normaliser) dualParts(d graph.Ref) (body *graph.DualBody, heads, nums []graph.Ref) {
	body = &m.prog.Bodies[m.prog.Duals[m.nodes[d].Head>>graph.KindShift].Body]
	w := 4*uint64(d) + graph.DualWords
	heads = m.words[w : w+uint64(body.Heads)]
	w += uint64(body.Heads)
	return body, heads, m.words[w : w+uint64(body.Nums)]
}

// fireSymbolic fires a dual on an inert argument, (3), (1) and (5), and pushes the
// cells whose last arrival has come.
func (m *normaliser) fireSymbolic(d, arg graph.Ref, stack []graph.Ref) ([]graph.Ref, error) {
	body, heads, nums := m.dualParts(d)
	m.engine.Enter(d)
	m.countFiring()
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
			regs[in.D], err = m.engine.Number(in.Val)
		case graph.LinMul, graph.LinScale:
			v, err = m.engine.Operate(term.Mul, []graph.Ref{regs[in.A], regs[in.B]}, at)
		case graph.LinAdd:
			regs[in.D], err = m.engine.Operate(term.NoSymbol, []graph.Ref{regs[in.A], regs[in.B]}, at)
		case graph.LinFun1:
			regs[in.D], err = m.engine.Operate(in.Sym, []graph.Ref{regs[in.A]}, at)
		case graph.LinFun2:
			regs[in.D], err = m.engine.Operate(in.Sym, []graph.Ref{regs[in.A], regs[in.B]}, at)
		case graph.LinFunN:
			args := make([]graph.Ref, len(in.Args))
			for i, x := range in.Args {
				args[i] = regs[x]
			}
			regs[in.D], err = m.engine.Operate(in.Sym, args, at)
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

// countFiring counts (3), (1) and (5).
func (m *normaliser) countFiring() {
	m.engine.AddSteps(rule.Subst, 1)
	m.engine.AddSteps(rule.Lambda, 1)
	m.engine.AddSteps(rule.Lin, 1)
}

// arriveSymbolic adds v to the argument of the dual h, by (11) if it has one. At λa.0⃗ it fires.
func (m *normaliser) arriveSymbolic(h, v graph.Ref, at uint32, stack []graph.Ref) ([]graph.Ref, error) {
	n := m
	if h == graph.NullDual {
		m.countFiring()
		return stack, nil
	}
	if n.arg[h] != 0 {
		var err error
		if v, err = m.engine.Operate(term.NoSymbol, []graph.Ref{n.arg[h], v}, at); err != nil {
			return nil, err
		}
		m.engine.AddSteps(rule.Factor, 1)
	}
	n.arg[h] = v
	if n.due[h]--; n.due[h] == 0 {
		stack = append(stack, h)
	}
	return stack, nil
}
