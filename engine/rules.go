package engine

import (
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// fire fires the redex r.
func (m *Machine) fire(r graph.Ref) error {
	switch m.nodes[r].Kind() {
	case graph.Apply:
		return m.fireApply(r)
	case graph.Suspended:
		return m.fireSuspended(r)
	case graph.Project:
		m.fireProject(r)
	case graph.Copy:
		m.settle(r, m.Resolve(m.words[4*uint64(r)+4]))
	case graph.IterNat, graph.IterData, graph.IterList:
		return m.iterate(r)
	case graph.Job:
		return m.fireJob(r)
	}
	return nil
}

// fireSuspended fires an instruction whose last operand has arrived: its operands
// go back into the frame, and it runs alone. A conditional (13) instantiates the
// branch.
func (m *Machine) fireSuspended(r graph.Ref) error {
	pc := m.words[4*uint64(r)+3]
	in := &m.prog.Code[pc]
	switch in.Op {
	case graph.OpIf:
		return m.fireBranch(r, in)
	case graph.OpCase:
		return m.fireCase(r, in)
	case graph.OpJob:
		m.startJob(r, in, pc)
		return nil
	}
	n := in.NumOperands()
	if err := m.ensure(graph.Units(graph.DualWords, int(n)) + spareUnits); err != nil {
		return err
	}
	w := 4*uint64(r) + graph.WaitWords
	for i := range n {
		m.slots[m.prog.Operand(in, i)] = m.words[w+uint64(i)]
	}
	waiters := m.nodes[r].A
	if err := m.exec(pc, pc+1, r, graph.Ready|graph.Root); err != nil {
		return err
	}
	m.resume(waiters)
	return nil
}

// fireBranch is rule (13).
func (m *Machine) fireBranch(r graph.Ref, in *graph.Instr) error {
	w := 4*uint64(r) + graph.WaitWords
	if m.prog.Open && (m.valueless(m.words[w]) || m.valueless(m.words[w+1])) {
		m.addSteps(rule.Branch, ^uint64(0)) // the template counts one (13), which does not fire
		return m.settleNeutral(r, graph.NeutralIf, m.prog.Templates[in.Tmpl].Type, m.words[4*uint64(r)+3], m.words[w:w+uint64(in.N)])
	}
	a, b := m.nodes[m.words[w]].Number(), m.nodes[m.words[w+1]].Number()
	id, from, to := in.Tmpl, uint64(2), uint64(in.Split)
	if !in.Cmp.Holds(a, b) {
		id, from, to = in.Else, uint64(in.Split), uint64(in.N)
	}
	t := &m.prog.Templates[id]
	copy(m.slots[t.Cap0:], m.words[w+from:w+to])
	return m.instantiate(id, t, m.target(r, in))
}

// fireCase is rule (14).
func (m *Machine) fireCase(r graph.Ref, in *graph.Instr) error {
	w := 4*uint64(r) + graph.WaitWords
	v := &m.nodes[m.words[w]]
	if v.Kind() == graph.Neutral {
		m.addSteps(rule.Case, ^uint64(0)) // the template counts one (14), which does not fire
		typ := m.prog.Templates[m.prog.Cases[in.Tmpl][0].Template].Type
		return m.settleNeutral(r, graph.NeutralCase, typ, m.words[4*uint64(r)+3], m.words[w:w+uint64(in.N)])
	}
	b := &m.prog.Cases[in.Tmpl][v.Head>>graph.KindShift]
	t := &m.prog.Templates[b.Template]
	copy(m.slots[t.Cap0:], m.words[w+uint64(b.From):w+uint64(b.To)])
	if t.Extra > 0 {
		m.slots[t.Param0] = graph.Ref(v.V)
	}
	return m.instantiate(b.Template, t, m.target(r, in))
}

// target returns where the result of the branch at r goes. Where nothing but one node takes it over, it is that node: so a
// tail call takes no memory. What has made that node must have no other use of r: an operand may be r that is not waited for yet.
func (m *Machine) target(r graph.Ref, in *graph.Instr) graph.Ref {
	w := m.nodes[r].A
	if in.Flags&graph.Tail == 0 || w == 0 || m.nodes[w].Kind() != graph.Copy {
		return r
	}
	if words := m.words[4*uint64(w):]; words[2] != 0 || m.prog.Code[words[3]].Flags&graph.Tail == 0 {
		return r
	}
	return w
}

// fireProject is rule (2) where the tuple was not there in time: what waits for
// the projection moves on to the component.
func (m *Machine) fireProject(r graph.Ref) {
	k := m.nodes[r].Head >> graph.KindShift
	in := &m.prog.Code[m.words[4*uint64(r)+3]]
	v := m.Resolve(m.words[4*uint64(r)+4])
	switch in.Op {
	case graph.OpUnvec:
		v = m.words[4*uint64(v)+graph.ValueWords+uint64(k)]
	default:
		for i := range k {
			_ = i
			v = uint32(m.nodes[v].V >> 32)
		}
		if k+1 < in.N {
			v = uint32(m.nodes[v].V)
		}
	}
	m.settle(r, v)
}

// fireApply is rule (1): an application whose function and arguments are values.
func (m *Machine) fireApply(r graph.Ref) error {
	n := m.nodes[r].Head >> graph.KindShift & 0xff
	w := 4*uint64(r) + graph.WaitWords
	f := m.words[w]
	args := m.words[w+1 : w+1+uint64(n)]
	head := m.nodes[f].Head
	if graph.Kind(head&graph.KindMask) == graph.Closure {
		id := head >> graph.KindShift
		t := &m.prog.Templates[id]
		if b := m.fusedBlock(f, int(n)); b != nil {
			return m.applyBlock(r, f, b, args)
		}
		if t.Params == n && !m.folded(f) {
			m.bound(args)
			m.unfoldFix(f)
			return m.invoke(r, f, id, args)
		}
	}
	if graph.Kind(head&graph.KindMask) == graph.Chain {
		return m.applyChain(r)
	}
	return m.applySpine(r, f, args)
}

// bound counts the arguments that are bound now: one (1) and one (4) each, where
// inputs are symbolic the (4) of those that are values.
func (m *Machine) bound(args []graph.Ref) {
	n := uint64(len(args))
	if !m.prog.Open {
		m.applied += n
		m.steps += 2 * n
		return
	}
	m.addSteps(rule.Lambda, n)
	for _, a := range args {
		m.tally(a, graph.Weight{Binders: 1})
	}
}

func (m *Machine) loadCaptures(t *graph.Template, f graph.Ref) {
	w := 4*uint64(f) + graph.ValueWords
	for i := range t.Caps {
		m.slots[t.Cap0+i] = m.words[w+uint64(i)]
	}
}

// loadFunction is loadCaptures of a function. A recursive one is unfolded, by (15): its name stands for the function itself, and the
// names of those that are defined together with it for closures over the same references.
func (m *Machine) loadFunction(t *graph.Template, id uint32, f graph.Ref) error {
	m.loadCaptures(t, f)
	if t.Group == nil {
		return nil
	}
	m.unfolded = id + 1
	for i, other := range t.Group {
		g := f
		if other != id {
			units := graph.Units(graph.ValueWords, int(t.Caps))
			if err := m.ensure(units); err != nil {
				return err
			}
			g = m.top
			m.top += units
			copy(m.nodes[g:g+units], m.nodes[f:f+units])
			m.nodes[g].Head = uint32(graph.Closure) | other<<graph.KindShift
		}
		m.slots[t.Param0+t.Params+uint32(i)] = g
	}
	return nil
}

// unfoldFix counts the (15) of a function whose first argument is bound, if it is recursive, and returns how many functions are
// defined together with it.
func (m *Machine) unfoldFix(f graph.Ref) int {
	group := m.group(f)
	if group > 0 {
		m.addSteps(rule.Unfold, 1)
	}
	return group
}

// group returns how many functions are defined together with a recursive one, itself included; 0 if it is none.
func (m *Machine) group(f graph.Ref) int {
	if n := &m.nodes[f]; n.Kind() == graph.Closure {
		return len(m.prog.Templates[n.Head>>graph.KindShift].Group)
	}
	return 0
}

// arity returns how many arguments the function takes at once.
func (m *Machine) arity(f graph.Ref) uint32 {
	if n := &m.nodes[f]; n.Kind() == graph.Closure {
		return m.prog.Templates[n.Head>>graph.KindShift].Params
	}
	return 2 // a list or a numeral
}

// applySpine applies f, which may be partial, to arguments that are too few or
// too many for it, and lists and numerals.
func (m *Machine) applySpine(r, f graph.Ref, args []uint32) error {
	switch m.nodes[f].Kind() {
	case graph.Neutral:
		return m.applyNeutral(r, f, term.Type(m.words[4*uint64(f)+graph.NeutralType]), args)
	case graph.List, graph.DataList, graph.Nat:
		if m.opt.Folded {
			return m.applyNeutral(r, f, m.IterationType(f), args)
		}
	}
	all := m.args[:0]
	partial := m.nodes[f].Kind() == graph.Partial
	if n := &m.nodes[f]; partial {
		k := uint64(n.Head >> graph.KindShift)
		w := 4*uint64(f) + graph.ValueWords
		all = append(all, m.words[w:w+k]...)
		f = n.A
	}
	arity := int(m.arity(f))
	if m.folded(f) {
		return m.applyFolded(r, f, append(all, args...))
	}
	m.bound(args[:min(len(args), arity-len(all))])
	all = append(all, args...)
	m.args = all
	if err := m.ensure(graph.Units(graph.ValueWords, len(all)) + spareUnits); err != nil {
		return err
	}
	if len(all) < arity {
		if !partial { // the names are bound now; the template counts their (4) each time that it runs
			m.addSteps(rule.GC, uint64(m.unfoldFix(f)))
		}
		m.makePartial(r, f, all)
		return nil
	}
	if partial {
		m.addSteps(rule.GC, -uint64(m.group(f)))
	} else {
		m.unfoldFix(f)
	}
	into := r
	if rest := all[arity:]; len(rest) > 0 {
		// The result for the first arguments is applied to the rest.
		into = m.placeholder()
		site := m.nodes[r].V >> 32 << 32
		m.nodes[r] = graph.Node{Head: uint32(graph.Apply) | uint32(len(rest))<<graph.KindShift, A: m.nodes[r].A, V: site}
		m.nodes[into].V = site
		w := 4*uint64(r) + graph.WaitWords
		m.words[w] = into
		copy(m.words[w+1:w+4], rest)
		m.await(r, into)
	}
	head := m.nodes[f].Head
	if graph.Kind(head&graph.KindMask) != graph.Closure {
		return m.startIteration(into, f, all[0], all[1], into != r)
	}
	return m.invoke(into, f, head>>graph.KindShift, all[:arity])
}

// invoke runs the template of a closure on arguments that are bound, and puts its result into the node r.
func (m *Machine) invoke(r, f graph.Ref, id uint32, args []graph.Ref) error {
	t := &m.prog.Templates[id]
	if err := m.loadFunction(t, id, f); err != nil {
		return err
	}
	copy(m.slots[t.Param0:], args)
	return m.instantiate(id, t, r)
}

func (m *Machine) makePartial(r, f graph.Ref, args []uint32) {
	v := m.top
	m.top += graph.Units(graph.ValueWords, len(args))
	m.nodes[v] = graph.Node{Head: uint32(graph.Partial) | uint32(len(args))<<graph.KindShift, A: f}
	copy(m.words[4*uint64(v)+graph.ValueWords:], args)
	m.settle(r, v)
}
