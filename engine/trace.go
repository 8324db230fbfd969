package engine

import (
	"errors"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// Rewrite is one step of a run.
type Rewrite struct {
	Number uint64 // from 1 on
	Rule   graph.Rule
	Phase  Phase    // Primal or Backward: what the others do is overhead, and no rewrite
	Pos    term.Pos // in the source, 0 for none: of what instantiates, the instruction, or the dual
	// Before and After are the nodes that are live. What the machine does at once may be
	// several rewrites, and the first of them makes the nodes of all.
	Before, After uint64
	// Event is the number of the first rewrite of those that the machine makes at once.
	Event uint64
	// At is the object that the rewrite makes, opens or fires, 0 for none; Instr the
	// instruction that it is of, or nil, and Operands the objects of that: of a run that is
	// watched, and valid during the call.
	At       graph.Ref
	Instr    *graph.Instr
	Operands []graph.Ref
}

// TraceValue is [Machine.Value], and TraceGradient [Machine.Gradient], and they call f
// for each rewrite. The literal form runs, and nothing in parallel: the rewrites of each
// rule are as many as [Machine.Stats] counts. A body that is instantiated is several
// rewrites: its instructions in order, each behind the (3) of its operands, and then (4); an
// instruction that waits for an operand fires later. Where they stand in the source is known
// exactly if the program was compiled with counts by place. While f is called the arena is as it
// is after all of its event. An error of f ends the run and is returned.
func (m *Machine) TraceValue(point []float64, f func(*Rewrite) error) error {
	return m.traced(&Watch{Rewrite: f}, false, func() error { return m.Value(point) })
}

// TraceGradient is [Machine.Gradient] with a trace: see [Machine.TraceValue].
func (m *Machine) TraceGradient(point, values, jacobian []float64, f func(*Rewrite) error) error {
	return m.traced(&Watch{Rewrite: f}, false, func() error { return m.Gradient(point, values, jacobian) })
}

var errTraced = errors.New("the runs that are traced are those of LIFO or Random, at a point, by the whole machine")

// traced runs with a trace. What is watched besides is told only of a run that is watched.
func (m *Machine) traced(w *Watch, watched bool, run func() error) error {
	if m.team != nil || m.prog.Open || m.opt.Ablation != Whole {
		return errTraced
	}
	literal := m.literal
	m.literal, m.trace = true, newTracer(m, w.Rewrite)
	if watched {
		m.trace.watch = w
	}
	defer func() { m.literal, m.trace = literal, nil }()
	if err := run(); err != nil {
		return err
	}
	m.trace.event(redex{})
	return m.trace.err
}

// tracer turns what the counters of a run have gained into rewrites.
type tracer struct {
	m     *Machine
	f     func(*Rewrite) error
	err   error // f's
	last  Rewrite
	phase Phase
	nodes uint64 // live ones, when the last event was over

	// The counters when the last event was over.
	counts  graph.Counts
	applied uint64
	runs    []uint64

	// What the next rewrites are about.
	at       graph.Ref
	instr    *graph.Instr
	operands []graph.Ref

	watch *Watch // what else is to be told, or nil

	steps   []uint32 // of each instruction: how many of its template's steps it takes
	plans   [][]planned
	arrived []uint64 // a bit for each cell of a job: an argument has arrived
}

func newTracer(m *Machine, f func(*Rewrite) error) *tracer {
	p := m.prog
	t := &tracer{m: m, f: f, runs: make([]uint64, len(p.Templates)), steps: make([]uint32, len(p.Code)),
		plans: make([][]planned, len(p.Templates))}
	for i := range p.Templates {
		t.plans[i] = t.plan(&p.Templates[i])
	}
	return t
}

// emit makes n rewrites of an event.
func (t *tracer) emit(rule graph.Rule, n uint64, pos term.Pos) {
	for range n {
		if t.err != nil {
			return
		}
		live := t.m.live()
		t.last = Rewrite{Number: t.last.Number + 1, Rule: rule, Phase: t.phase, Pos: pos, Before: t.nodes, After: live, Event: t.last.Event,
			At: t.at, Instr: t.instr, Operands: t.operands}
		t.nodes = live
		t.err = t.f(&t.last)
	}
}

// about says what the next rewrites are about: an object that is no instruction's.
func (t *tracer) about(r graph.Ref) { t.at, t.instr, t.operands = r, nil, t.operands[:0] }

// about0 says that the next rewrites make nothing themselves.
func (t *tracer) about0() { t.at, t.instr = 0, nil }

// aboutInstr says that the next rewrites are those of an instruction that has run in the
// frame.
func (t *tracer) aboutInstr(in *graph.Instr) {
	if t.watch == nil {
		return
	}
	m := t.m
	at := in.D
	if in.Opens() {
		at = in.A
	}
	t.about(m.resolve(m.slots[at]))
	t.instr = in
	for i := range operands(in) {
		t.operands = append(t.operands, m.resolve(m.slots[m.operandSlot(in, i)]))
	}
}

// redex is what is known of a redex before it fires.
type redex struct {
	at    graph.Ref
	instr *graph.Instr // that has waited and runs in the frame, or nil
	pos   term.Pos
	rule  graph.Rule // of an instruction that has waited
	n     uint64
	job   bool
}

// redex looks at a node that is about to fire.
func (t *tracer) redex(r graph.Ref) redex {
	m := t.m
	x := redex{at: r, pos: m.place(r)}
	n := &m.nodes[r]
	switch n.Kind() {
	case graph.Suspended:
		pc := m.words[4*uint64(r)+3]
		in := &m.prog.Code[pc]
		x.rule, _ = in.Steps()
		x.n = uint64(t.steps[pc])
		if in.Op != graph.OpIf && in.Op != graph.OpJob {
			x.instr = in
		}
	case graph.Project:
		pc := m.words[4*uint64(r)+3]
		x.rule = graph.PairRule
		if n.Head>>graph.KindShift < t.steps[pc] {
			x.n = 1
		}
	case graph.Job:
		x.job = true
	}
	return x
}

// event makes the rewrites of what the machine has done since the last event: of a redex
// x that has fired.
func (t *tracer) event(x redex) {
	m := t.m
	phase := t.phase
	if x.job {
		t.phase = Backward
	}
	t.last.Event = t.last.Number + 1
	applied := m.applied - t.applied
	t.about(m.resolve(x.at))
	if x.instr != nil {
		t.aboutInstr(x.instr)
	}
	t.emit(x.rule, x.n, x.pos)
	t.about(m.resolve(x.at))
	t.emit(graph.Lambda, applied, x.pos)
	for r, n := range m.counts {
		if rule := graph.Rule(r); rule != graph.GC {
			t.emit(rule, n-t.counts[r], x.pos)
		}
	}
	for i, n := range m.runs {
		for range n - t.runs[i] {
			t.body(uint32(i))
		}
	}
	t.about(0)
	t.emit(graph.GC, m.counts[graph.GC]-t.counts[graph.GC]+applied, x.pos)
	t.counts, t.applied = m.counts, m.applied
	copy(t.runs, m.runs)
	t.phase = phase
}

// body makes the rewrites of a template that has just been instantiated.
func (t *tracer) body(id uint32) {
	code := t.m.prog.Code
	for _, p := range t.plans[id] {
		switch {
		case p.instr < 0:
			t.about(0)
		case !p.own:
			t.aboutInstr(&code[p.instr])
			t.about0()
		case t.waits(uint32(p.instr)):
			continue
		default:
			t.aboutInstr(&code[p.instr])
		}
		t.emit(p.rule, p.n, p.pos)
	}
	t.about(0)
}

// waits tells whether an instruction of the template that has just been instantiated is
// to fire later.
func (t *tracer) waits(pc uint32) bool {
	m := t.m
	n := &m.nodes[m.slots[m.prog.Code[pc].D]]
	return (n.Kind() == graph.Suspended || n.Kind() == graph.Project) && uint32(n.V>>32) == pc
}

// reduceTraced is reduce with a trace.
func (m *Machine) reduceTraced() error {
	t := m.trace
	for t.event(redex{}); len(m.work) > 0; {
		if t.err != nil {
			return t.err
		}
		if m.top >= m.collect.at || m.steps+m.pops >= m.nextLook || m.top > m.nodeTop {
			m.pos = m.place(m.work[len(m.work)-1])
		}
		if m.top >= m.collect.at {
			if err := m.collectGarbage(); err != nil {
				return err
			}
		}
		if m.steps+m.pops >= m.nextLook || m.top > m.nodeTop {
			if err := m.look(); err != nil {
				return err
			}
		}
		r := m.take()
		x := t.redex(r)
		if err := m.fire(r); err != nil {
			return err
		}
		t.event(x)
	}
	return t.err
}
