package engine

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// openState is what a machine keeps of a run with symbolic inputs.
type openState struct {
	made  []graph.Ref // inert operations and neutral objects, in the order in which they were made
	under bool        // a λ: recursive functions stay folded
	// Of tuples of neutral components: what they stand for, and of that, the components.
	reflected map[graph.Ref]graph.Ref
	parts     map[graph.Ref][]graph.Ref
}

func (o *openState) reset() {
	o.made, o.under = o.made[:0], false
	o.reflected, o.parts = map[graph.Ref]graph.Ref{}, map[graph.Ref][]graph.Ref{}
}

// execOpen is exec where inputs are symbolic. Arithmetic on numbers fires and is
// counted; on an inert operand it becomes an inert node, which carries its value at
// the point.
func (m *Machine) execOpen(pc, end uint32, into graph.Ref, force uint8) error {
	for ; pc < end; pc++ {
		in := &m.prog.Code[pc]
		flags := in.Flags | force
		if flags&graph.Ready == 0 && !m.operandsReady(in) {
			m.suspend(in, pc, into, flags)
			continue
		}
		a, b := m.slots[in.A], m.slots[in.B]
		switch in.Op {
		case graph.OpMul, graph.OpAdd, graph.OpSub, graph.OpFun2:
			if err := m.operate(in, pc, []graph.Ref{a, b}, into, flags); err != nil {
				return err
			}
		case graph.OpFun1:
			if err := m.operate(in, pc, []graph.Ref{a}, into, flags); err != nil {
				return err
			}
		case graph.OpFunN:
			args := make([]graph.Ref, in.N)
			for i, s := range m.prog.Args[in.Off : in.Off+in.N] {
				args[i] = m.slots[s]
			}
			if err := m.operate(in, pc, args, into, flags); err != nil {
				return err
			}
		case graph.OpRun:
			if err := m.runInline(in, into, flags); err != nil {
				return err
			}
		case graph.OpPair:
			r := m.resultNode(1, into, flags)
			node := graph.Node{Head: uint32(graph.Pair), V: uint64(a) | uint64(b)<<32}
			if m.isOpen(a) || m.isOpen(b) {
				node.A = unnamed
			}
			m.nodes[r] = node
			m.slots[in.D] = r
		case graph.OpCon:
			r := m.resultNode(1, into, flags)
			m.nodes[r] = graph.Node{Head: uint32(graph.Con) | in.Tmpl<<graph.KindShift, A: in.Else, V: uint64(a)}
			m.slots[in.D] = r
		case graph.OpUnpair:
			p := m.nodes[a].V
			m.slots[in.D], m.slots[in.D+1] = uint32(p), uint32(p>>32)
		case graph.OpVec:
			m.execBlock(in, pc, into, flags)
			v := m.slots[in.D]
			for _, s := range m.prog.Args[in.Off : in.Off+in.N] {
				if m.isOpen(m.slots[s]) {
					m.nodes[v].A = unnamed
				}
			}
		case graph.OpTally:
			for i, s := range m.prog.Args[in.Off : in.Off+in.N] {
				m.tally(m.slots[s], m.prog.Weights[in.Tmpl+uint32(i)])
			}
		default:
			m.execBlock(in, pc, into, flags)
		}
	}
	return nil
}

// resultNode returns the node for a result of at most two nodes: the template's
// own, or a fresh one.
func (m *Machine) resultNode(units uint32, into graph.Ref, flags uint8) graph.Ref {
	if flags&graph.Root != 0 {
		return into
	}
	r := m.top
	m.top += units
	return r
}

// States of a pair or vector with an inert or late component, in w1.
const (
	unnamed = 1 // rule (10) has not named its components
	named   = 2
	late    = 3 // a component is a sum that no job has run; never where inputs are symbolic
)

func (m *Machine) isInert(r graph.Ref) bool {
	k := m.nodes[r].Kind()
	return k == graph.Inert || k == graph.SymInput || k == graph.Neutral
}

// isOpen reports whether v is inert, or a pair or vector with an inert part.
func (m *Machine) isOpen(v graph.Ref) bool {
	switch n := &m.nodes[v]; n.Kind() {
	case graph.Inert, graph.SymInput, graph.Neutral:
		return true
	case graph.Pair, graph.Vec:
		return n.A != 0
	}
	return false
}

// operate fires (6), (8) or (12) on numbers, or makes an inert node.
func (m *Machine) operate(in *graph.Instr, pc uint32, args []graph.Ref, into graph.Ref, flags uint8) error {
	v, rule := m.operation(in.Sym, args)
	if m.opt.Finite && (math.IsNaN(v) || math.IsInf(v, 0)) && !slices.ContainsFunc(args, m.valueless) {
		return in.NotFinite(v)
	}
	if !slices.ContainsFunc(args, m.isInert) {
		if in.Flags&graph.Inner == 0 {
			m.addSteps(rule, 1)
		}
		r := m.resultNode(1, into, flags)
		m.nodes[r] = graph.Node{Head: uint32(graph.Num), V: math.Float64bits(v)}
		m.slots[in.D] = r
		return nil
	}
	r := m.top
	if units := graph.InertUnits(len(args)); units == 2 {
		r = m.resultNode(2, into, flags)
	} else if m.top += units; flags&graph.Root != 0 {
		m.nodes[into] = graph.Node{Head: uint32(graph.Forward), V: uint64(r)}
	}
	m.slots[in.D] = r
	m.makeInert(r, in.Sym, v, args, pc)
	return nil
}

// makeInert makes r an operation on args with the value v at the point, if it has
// one. at is that of the instruction, or of a dual behind all instructions.
func (m *Machine) makeInert(r graph.Ref, sym term.Symbol, v float64, args []graph.Ref, at uint32) {
	head := uint32(graph.Inert) | uint32(sym)<<graph.KindShift
	if slices.ContainsFunc(args, m.valueless) {
		head |= valuelessBit
	}
	m.nodes[r] = graph.Node{Head: head, V: math.Float64bits(v)}
	w := 4 * uint64(r)
	m.words[w+graph.InertAt] = at
	copy(m.words[w+graph.InertOperands:], args)
	m.open.made = append(m.open.made, r)
}

// operation computes a symbol, + where that is [term.NoSymbol], on numbers, and tells
// the rule that it fires by: (6), (8) or (12).
func (m *Machine) operation(sym term.Symbol, args []graph.Ref) (float64, rule.Rule) {
	by := rule.Function
	switch sym {
	case term.NoSymbol:
		by = rule.Plus
	case term.Mul:
		by = rule.Times
	}
	var room [4]float64
	x := room[:0]
	for _, a := range args {
		x = append(x, m.nodes[a].Number())
	}
	return sym.Eval(x...), by
}

// tally counts the binders and occurrences of variables that stand for v: (3) and
// (4) fire where v is a value. An inert node is none. A pair with an inert part
// becomes one when (10) has named its components.
func (m *Machine) tally(v graph.Ref, w graph.Weight) {
	v = m.sole(m.Resolve(v))
	switch n := &m.nodes[v]; n.Kind() {
	case graph.Inert, graph.SymInput, graph.Neutral:
		return
	case graph.Num:
		m.addSteps(rule.SubstNumeral, w.Occurrences)
	case graph.Pair, graph.Vec:
		if w.Binders > 0 && n.A == unnamed {
			m.nameComponents(v)
		}
		m.addSteps(rule.Subst, w.Occurrences)
	default:
		m.addSteps(rule.Subst, w.Occurrences)
	}
	m.addSteps(rule.GC, w.Binders)
}

// sole returns the component of a vector that has one, which is the same tuple of
// the calculus, and v otherwise.
func (m *Machine) sole(v graph.Ref) graph.Ref {
	for m.nodes[v].Head == uint32(graph.Vec)|1<<graph.KindShift {
		v = m.words[4*uint64(v)+graph.ValueWords]
	}
	return v
}

// nameComponents is rule (10), and the (2) that opens the pair it leaves: x :=
// ⟨u,u'⟩ becomes x := ⟨y,y'⟩ with y := u and y' := u'. A component that is a value
// is put back by (3) and its name collected by (4); one that is open in turn has
// its own components named.
func (m *Machine) nameComponents(v graph.Ref) {
	stack := []graph.Ref{v}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &m.nodes[v]
		if n.A != unnamed {
			continue
		}
		n.A = named
		comps := m.components(v)
		m.addSteps(rule.EtaPair, uint64(len(comps)-1))
		m.addSteps(rule.Pair, uint64(len(comps)-1))
		for _, c := range comps {
			switch c = m.sole(c); {
			case m.isInert(c):
			case m.isOpen(c):
				stack = append(stack, c)
				m.addSteps(rule.Subst, 1)
				m.addSteps(rule.GC, 1)
			case m.nodes[c].Kind() == graph.Num:
				m.addSteps(rule.SubstNumeral, 1)
				m.addSteps(rule.GC, 1)
			default:
				m.addSteps(rule.Subst, 1)
				m.addSteps(rule.GC, 1)
			}
		}
	}
}

func (m *Machine) components(v graph.Ref) []graph.Ref { return graph.Components(m.nodes, m.words, v) }
