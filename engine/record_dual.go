package engine

import "github.com/gram-machine/gram/graph"

// dualCount counts what the cells of one dual λ have done. Beyond the first arrival at each
// cell every one is (11), and the (6) of the sum that it makes.
type dualCount struct{ fired, arrived uint64 }

// dualLayout says where the counts of duals stand in those of a context: first those of the
// elements of data that its code has a list apply, then those of the duals that its template
// makes.
type dualLayout struct {
	of [][]uint32 // by template: its duals
	at []int      // by dual: where its counts are
}

func layDuals(prog *graph.Program) dualLayout {
	l := dualLayout{of: make([][]uint32, len(prog.Templates)), at: make([]int, len(prog.Duals))}
	for i := range prog.Templates {
		t := &prog.Templates[i]
		for pc := t.Start; pc < t.End; pc++ {
			if in := &prog.Code[pc]; in.Op == graph.OpDual {
				l.of[i] = append(l.of[i], in.Tmpl)
				l.at[in.Tmpl] = len(l.of[i])
			}
		}
	}
	return l
}

// dualAt returns the counts of a dual in a context.
func (p *recorder) dualAt(context, dual uint32) *dualCount {
	return &p.duals[p.contexts[context].duals+p.layout.at[dual]]
}

// arrive books arrivals at the cell h.
func (p *recorder) arrive(h graph.Ref, n uint64) {
	node := &p.m.nodes[h]
	index := node.Head &^ reachedBit >> graph.KindShift
	switch node.Kind() {
	case graph.Input:
		p.inputs[index].arrived += n
	case graph.BlockDual:
		p.blocks.arrived[h] += n
	default:
		p.dualAt(p.made.of(h), index).arrived += n
	}
}

// fire books that the cell d fires, and that its body's applications arrive.
func (p *recorder) fire(d graph.Ref, heads []graph.Ref) {
	p.dualAt(p.made.of(d), p.m.nodes[d].Head>>graph.KindShift).fired++
	for _, h := range heads {
		p.arrive(h, 1)
	}
	if p.timing {
		p.context, p.pos = p.made.of(d), p.m.prog.Duals[p.m.nodes[d].Head>>graph.KindShift].Pos
		p.tick()
	}
}

// under says that what comes is done under the λ, the elements or the branches of r.
func (p *recorder) under(r graph.Ref) {
	p.done()
	m := p.m
	index := m.nodes[r].Head >> graph.KindShift
	pos := m.prog.Templates[p.contexts[p.made.of(r)].Template].Pos
	switch m.nodes[r].Kind() {
	case graph.Closure, graph.List:
		pos = m.prog.Templates[index].Pos
	case graph.DualCell:
		pos = m.prog.Duals[index].Pos
	}
	p.context, p.pos = p.made.of(r), pos
}

// moved says that the collector has moved n nodes.
func (p *recorder) moved(to, from graph.Ref, n uint32) {
	for i := range n {
		p.made.set(to+i, p.made.of(from+i))
	}
}
