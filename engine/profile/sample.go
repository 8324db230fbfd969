package profile

import (
	"cmp"
	"maps"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Samples calls f on the samples of the last run, in an order that depends on the run
// alone. The stack is overwritten by the next.
func (p *Recorder) Samples(f func(calls.Sample)) {
	s := sampler{p: p, f: f, branch: branches(p.prog)}
	p.Done()
	p.readClock()
	s.inputs()
	for c := range p.contexts {
		s.context(uint32(c))
	}
	s.extra()
}

type sampler struct {
	p      *Recorder
	f      func(calls.Sample)
	branch []bool // of templates: code that is no λ's, but stands in one
	stack  []calls.Frame
}

func branches(prog *graph.Program) []bool {
	out := make([]bool, len(prog.Templates))
	for i := range prog.Templates {
		out[i] = prog.Templates[i].Inline
	}
	for i := range prog.Code {
		switch in := &prog.Code[i]; in.Op {
		case graph.OpIf:
			out[in.Tmpl], out[in.Else] = true, true
		case graph.OpCase:
			for _, b := range prog.Cases[in.Tmpl] {
				out[b.Template] = true
			}
		case graph.OpList:
			out[in.Tmpl] = true
		}
	}
	for _, g := range prog.Globals {
		if g.Kind == graph.List {
			out[g.Index] = true
		}
	}
	for _, b := range prog.Blocks[1:] {
		if b.Arrays != nil {
			for i := range b.Arrays.Masks {
				out[b.Arrays.Masks[i].Template] = true
			}
		}
	}
	return out
}

// stackOf returns the stack of a place in a context, in an inlined call if that is not 0.
func (s *sampler) stackOf(c uint32, at term.Pos, inlined uint32) []calls.Frame {
	s.stack = s.stack[:0]
	for inlined != 0 {
		call := &s.p.prog.Inlined[inlined]
		s.stack = append(s.stack, calls.Frame{Func: call.Func, At: at})
		at, inlined = call.At, call.Parent
	}
	s.stack = s.p.calls.Stack(s.stack, c, at, func(id uint32) (term.Pos, bool) {
		return s.p.prog.Templates[id].Pos, !s.branch[id]
	})
	return s.stack
}

func (s *sampler) origin(generated bool) calls.Origin {
	switch {
	case s.p.prog.Open && s.p.prog.Reversed:
		return calls.NormalCode
	case generated:
		return calls.GeneratedCode
	}
	return calls.SourceCode
}

// runPhase is the phase in which templates run.
func (s *sampler) runPhase() calls.Phase {
	if s.p.prog.Open {
		return calls.Normalise
	}
	return calls.Primal
}

// factors adds the steps of arrivals beyond the first at each cell that has fired.
func (d *dualCount) factors(c *rule.Counts) {
	c[rule.Factor] += d.arrived - d.fired
	c[rule.Plus] += d.arrived - d.fired
}

// inputs tells of the inputs: what they count as lets around the program, see
// [engine.Machine], and their cells.
func (s *sampler) inputs() {
	prog := s.p.prog
	for i := range s.p.inputs {
		if !prog.Open {
			let := calls.Sample{Input: i, Phase: calls.Primal}
			let.Counts[rule.GC] = 1
			s.emit(let)
		}
		if !prog.Open && prog.Reversed {
			pair := calls.Sample{Input: i, Phase: calls.Primal, Origin: calls.GeneratedCode}
			pair.Counts[rule.GC], pair.Counts[rule.SubstNumeral] = 2, 1
			s.emit(pair)
		}
		cell := calls.Sample{Input: i, Phase: calls.Backward, Origin: calls.GeneratedCode}
		d := &s.p.inputs[i]
		cell.Counts[rule.Lambda], cell.Counts[rule.Subst], cell.Counts[rule.Lin] = d.fired, d.fired, d.fired
		d.factors(&cell.Counts)
		s.emit(cell)
	}
}

// emit passes a sample on, if there is anything in it.
func (s *sampler) emit(x calls.Sample) {
	x.Bytes = graph.NodeBytes * x.Nodes
	if x.Counts != (rule.Counts{}) || x.Nodes != 0 || x.Time != 0 {
		s.f(x)
	}
}

// place is a place in a template's code.
type place struct {
	pos       term.Pos
	inlined   uint32
	generated bool
}

// context tells of the runs of a template in a context, and of the duals that it made.
func (s *sampler) context(id uint32) {
	c := &s.p.contexts[id]
	prog := s.p.prog
	t := &prog.Templates[c.Template]
	at := map[place]*calls.Sample{}
	var order []place
	sample := func(k place) *calls.Sample {
		x := at[k]
		if x == nil {
			x = &calls.Sample{Input: -1, Phase: s.runPhase(), Origin: s.origin(k.generated)}
			at[k] = x
			order = append(order, k)
		}
		return x
	}
	head := sample(place{pos: t.Pos})
	head.Counts[rule.Lambda], head.Counts[rule.GC] = c.args, c.args
	for _, n := range t.Places {
		sample(place{n.Pos, n.Inlined, n.Generated}).Counts[n.Rule] += n.N * c.runs
	}
	head.Nodes = c.nodes
	if made, sum := s.nodesOf(t); sum*c.instances <= c.nodes { // unless a limit has ended a run
		head.Nodes -= sum * c.instances
		for _, n := range made {
			sample(n.place).Nodes += n.nodes * c.instances
		}
	}
	for _, k := range order {
		x := at[k]
		x.Stack = s.stackOf(id, k.pos, k.inlined)
		s.emit(*x)
	}
	for i, dual := range s.p.layout.of[c.Template] {
		if n := s.p.duals[c.duals+i]; n != (dualCount{}) {
			s.dual(id, dual, n)
		}
	}
}

// placeNodes are nodes that are made at a place.
type placeNodes struct {
	place
	nodes uint64
}

// nodesOf returns the nodes that one run of the template makes whatever its operands are, by
// place, and their number. In an open program that is not known.
func (s *sampler) nodesOf(t *graph.Template) (made []placeNodes, sum uint64) {
	prog := s.p.prog
	if prog.Open {
		return nil, 0
	}
	duals := map[uint32]bool{} // slots of duals: what is paired with one is ⟨e, λa.u⟩, which D makes
	for pc := t.Start; pc < t.End; pc++ {
		in := &prog.Code[pc]
		if in.Op == graph.OpDual {
			duals[in.D] = true
		}
		if n := uint64(certainNodes(prog, in)); n > 0 {
			generated := in.Op == graph.OpDual || in.Op == graph.OpPair && duals[in.B]
			made = append(made, placeNodes{place{pos: in.Pos, generated: generated}, n})
			sum += n
		}
	}
	return made, sum
}

// certainNodes is how many nodes a run of the instruction takes, if its operands are ready
// whenever it is reached and it does not end the template.
func certainNodes(prog *graph.Program, in *graph.Instr) uint32 {
	root := in.Flags&graph.Root != 0
	if in.Flags&graph.Ready == 0 {
		return 0
	}
	switch in.Op {
	case graph.OpMul, graph.OpAdd, graph.OpSub, graph.OpFun1, graph.OpFun2, graph.OpPair, graph.OpCon:
		if !root {
			return 1
		}
	case graph.OpVec, graph.OpClosure, graph.OpList, graph.OpLin:
		return graph.Units(graph.ValueWords, int(in.N))
	case graph.OpDual:
		if prog.IsNull(in.Tmpl) {
			return 0
		}
		return graph.Units(graph.DualWords, int(in.N))
	case graph.OpApply:
		if !root {
			return 2
		}
	}
	return 0
}

// dual tells of the cells of a dual that was made in a context.
func (s *sampler) dual(id, dual uint32, n dualCount) {
	prog := s.p.prog
	d := &prog.Duals[dual]
	at := d.Pos
	if at == 0 {
		at = prog.Templates[s.p.contexts[id].Template].Pos
	}
	x := calls.Sample{Input: -1, Phase: calls.Backward, Origin: calls.GeneratedCode, Stack: s.stackOf(id, at, d.Inlined)}
	x.Counts.AddTimes(&prog.Bodies[d.Body].Counts, n.fired)
	x.Counts.AddTimes(&prog.Bodies[prog.NullBody()].Counts, n.nulls)
	n.factors(&x.Counts)
	s.emit(x)
}

// extra tells of what no template counts.
func (s *sampler) extra() {
	at := slices.SortedFunc(maps.Keys(s.p.extra), func(a, b where) int {
		return cmp.Or(cmp.Compare(a.context, b.context), cmp.Compare(a.phase, b.phase), cmp.Compare(a.pos, b.pos))
	})
	for _, w := range at {
		x := s.p.extra[w]
		out := calls.Sample{Stack: s.stackOf(w.context, w.pos, 0), Input: -1, Phase: w.phase, Origin: s.origin(w.phase == calls.Backward), Counts: x.counts, Nodes: x.nodes, Time: x.time}
		s.emit(out)
	}
}
