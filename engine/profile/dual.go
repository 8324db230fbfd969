package profile

import "github.com/gram-machine/gram/graph"

// dualCount counts what the cells of one dual λ have done. Beyond the first arrival at each
// cell every one is (11), and the (6) of the sum that it makes. Nulls are those of its applications that are of λa.0⃗.
type dualCount struct{ fired, arrived, nulls uint64 }

// dualLayout says where the counts of the duals that its template makes stand in those of a context.
type dualLayout struct {
	of [][]uint32 // by template: its duals
	at []int      // by dual: where its counts are
}

func layDuals(prog *graph.Program) dualLayout {
	l := dualLayout{of: make([][]uint32, len(prog.Templates)), at: make([]int, len(prog.Duals))}
	for i := range prog.Templates {
		t := &prog.Templates[i]
		for pc := t.Start; pc < t.End; pc++ {
			in := &prog.Code[pc]
			dual := in.Tmpl
			switch {
			case in.Op == graph.OpTotal && prog.Reversed:
				dual = in.Else
			case in.Op != graph.OpDual || prog.IsNull(dual):
				continue
			}
			l.at[dual] = len(l.of[i])
			l.of[i] = append(l.of[i], dual)
		}
	}
	return l
}

// dualAt returns the counts of a dual in a context.
func (p *Recorder) dualAt(context, dual uint32) *dualCount {
	return &p.duals[p.contexts[context].duals+p.layout.at[dual]]
}

// Arrive books arrivals at the cell h.
func (p *Recorder) Arrive(h graph.Ref, n uint64) {
	node := &p.nodes[h]
	index := node.Head >> graph.KindShift
	switch node.Kind() {
	case graph.Input:
		p.inputs[index].arrived += n
	case graph.BlockDual:
		p.blocks.arrived[h] += n
	default:
		p.dualAt(p.made.of(h), index).arrived += n
	}
}

// FireInput books that the cell of an input fires.
func (p *Recorder) FireInput(input uint32) { p.inputs[input].fired++ }

// Fire books that the cell d fires, and that its body's applications arrive.
func (p *Recorder) Fire(d graph.Ref, heads []graph.Ref) {
	c := p.dualAt(p.made.of(d), p.nodes[d].Head>>graph.KindShift)
	c.fired++
	for _, h := range heads {
		if h == graph.NullDual {
			c.nulls++
		} else {
			p.Arrive(h, 1)
		}
	}
	if p.timing {
		p.context, p.pos = p.made.of(d), p.prog.Duals[p.nodes[d].Head>>graph.KindShift].Pos
		p.tick()
	}
}

// Under says that what comes is done under the λ, the elements or the branches of r.
func (p *Recorder) Under(r graph.Ref) {
	p.Done()
	index := p.nodes[r].Head >> graph.KindShift
	pos := p.prog.Templates[p.contexts[p.made.of(r)].Template].Pos
	switch p.nodes[r].Kind() {
	case graph.Closure, graph.List:
		pos = p.prog.Templates[index].Pos
	case graph.DualCell:
		pos = p.prog.Duals[index].Pos
	}
	p.context, p.pos = p.made.of(r), pos
}

// Moved says that the collector has moved n nodes.
func (p *Recorder) Moved(to, from graph.Ref, n uint32) {
	for i := range n {
		p.made.set(to+i, p.made.of(from+i))
	}
}
