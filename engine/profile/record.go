// Package profile records to which calling contexts the steps and nodes of a run of the
// engine belong. The samples add up to the machine's counters.
package profile

import (
	"time"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Recorder books what a run does to the contexts in which it does it: the calling
// contexts of the program's templates. Each node has the context that made it, so a redex
// fires in the context that its node was made in, and so does a dual.
//
// Of what a template counts only the runs are booked, of duals the firings and arrivals;
// they are multiplied out at the end, as for [Stats]. Everything else that the counters
// have gained is booked when the context changes.
type Recorder struct {
	m        *engine.Machine
	prog     *graph.Program
	nodes    []graph.Node
	open     bool   // the program is
	made     owners // of each node, the context that made it
	calls    *calls.Calls
	contexts []context // what is booked of them
	layout   dualLayout
	duals    []dualCount // of contexts, from context.duals on
	inputs   []dualCount
	extra    map[where]*extra
	// lastExtra is that of lastAt, the last place, unless it is nil.
	lastAt    where
	lastExtra *extra
	blocks    blockRecord

	// Where the machine is: the context and place of the redex, and since when.
	phase   calls.Phase
	context uint32
	pos     term.Pos
	inCode  bool // it runs a whole template or block of the context
	// What the counters were when something was booked last.
	counts  rule.Counts
	steps   uint64
	applied uint64
	top     graph.Ref
	dropped uint64 // of rows, nodes that are booked

	timing bool
	clock  time.Time
	ticks  int // until the clock is read again
}

// context is what is booked of a calling context.
type context struct {
	calls.Call
	runs  uint64
	args  uint64 // bound: a (1) and a (4) each
	nodes uint64 // made by its code, and by blocks
	// instances are the runs of its code, without those of blocks.
	instances uint64
	last      struct { // call from its code, and the context of that
		pos      term.Pos
		template uint32
		callee   uint32
	}
	duals int // where its counts in Recorder.duals begin
}

// where is a place of work that no template counts.
type where struct {
	context uint32
	pos     term.Pos
	phase   calls.Phase
}

type extra struct {
	counts rule.Counts
	nodes  uint64
	time   time.Duration
}

// New returns what records the runs of a machine: counts and nodes.
func New(m *engine.Machine) engine.Recorder { return newRecorder(m, false) }

// Timed is New, and also records time, by a look at the clock every 256 redexes or firings.
func Timed(m *engine.Machine) engine.Recorder { return newRecorder(m, true) }

func newRecorder(m *engine.Machine, timing bool) *Recorder {
	v := m.View()
	return &Recorder{m: m, prog: v.Program, nodes: v.Nodes, open: v.Program.Open, layout: layDuals(v.Program), timing: timing}
}

// Begin forgets the last run.
func (p *Recorder) Begin() {
	p.made.fill(0, p.m.View().Base, 0)
	p.lastExtra = nil
	p.contexts, p.duals = p.contexts[:0], p.duals[:0]
	p.extra = map[where]*extra{}
	p.inputs = make([]dualCount, p.prog.Inputs)
	p.blocks = blockRecord{sites: map[blockCall]uint32{}, arrived: map[graph.Ref]uint64{}, fired: map[*graph.Backward]*firedCells{}}
	main := p.prog.Main
	p.calls = calls.NewCalls(calls.Call{Template: main, Pos: p.prog.Templates[main].Pos})
	p.addContexts()
	p.context, p.pos, p.phase = 0, p.prog.Templates[main].Pos, calls.Primal
	p.clock, p.ticks = time.Now(), clockEvery
	p.Sync()
}

// Sync takes the counters as booked.
func (p *Recorder) Sync() {
	m := p.m
	p.counts, p.steps, p.applied, p.top, p.dropped = *m.Counts(), m.Steps(), m.Applied(), m.Top(), m.Dropped()
}

// At says that what comes is done for the node r, at its place in the code.
func (p *Recorder) At(r graph.Ref) {
	p.bookNodes()
	p.context, p.pos = p.made.of(r), p.m.Place(r)
}

// Enter books a run of a template, for the redex that fires, whose result goes into a node.
// What its code counts and makes from here on is its own.
func (p *Recorder) Enter(id uint32, into graph.Ref) {
	m := p.m
	if p.phase == calls.ReadBack { // a list that is read is applied, and nothing of that counts
		return
	}
	if id == p.prog.Main {
		p.contexts[0].runs++
		p.contexts[0].instances++
		p.bookNodes()
		p.inCode = true
		p.Sync() // what start has counted is of the inputs
		p.steps += p.prog.Templates[id].Steps
		return
	}
	p.bookNodes()
	callee := p.callee(p.context, p.pos, id)
	c := &p.contexts[callee]
	c.runs++
	c.instances++
	args := m.Applied() - p.applied
	c.args += args
	p.applied += args
	p.steps += 2 * args
	if p.prog.Open { // the arguments that are bound are among the counters
		p.context, p.pos = callee, p.prog.Templates[id].Pos
	}
	p.bookCounts()
	p.steps += p.prog.Templates[id].Steps
	p.context, p.pos, p.inCode = callee, p.prog.Templates[id].Pos, true
	p.made.set(into, callee)
}

// Done books what is left of a redex that has fired.
func (p *Recorder) Done() {
	p.bookCounts()
	if k := &p.blocks; k.ran {
		p.context = k.calls[k.now].contexts[0]
		p.pos, p.inCode = p.prog.Templates[p.contexts[p.context].Template].Pos, true
	}
	p.bookNodes()
	p.inCode = false
	if len(p.blocks.made) > 0 || p.blocks.ran {
		p.blocks.settle(p)
	}
	p.tick()
}

// bookNodes gives the nodes that were made since the last time to the present context, and
// those that no whole run of a template or a block has made to the present place.
func (p *Recorder) bookNodes() {
	if p.m.Top() != p.top {
		p.bookNew()
	}
}

func (p *Recorder) bookNew() {
	m := p.m
	n := uint64(m.Top()-p.top) + m.Dropped() - p.dropped
	p.made.fill(p.top, m.Top(), p.context)
	if p.inCode && p.phase != calls.ReadBack {
		p.contexts[p.context].nodes += n
	} else {
		p.extraAt().nodes += n
	}
	p.top, p.dropped = m.Top(), m.Dropped()
}

// bookCounts books what the counters have gained to the present place. Outside of open
// programs what is neither a template's nor an argument's is in steps too.
func (p *Recorder) bookCounts() {
	if p.m.Steps() != p.steps || p.open {
		p.bookGained()
	}
}

func (p *Recorder) bookGained() {
	m := p.m
	if p.phase == calls.ReadBack {
		p.counts, p.steps, p.applied = *m.Counts(), m.Steps(), m.Applied()
		return
	}
	if n := m.Counts()[rule.Subst] - p.counts[rule.Subst]; n == m.Steps()-p.steps && !p.open {
		p.extraAt().counts[rule.Subst] += n // the (3) of an iteration, as most often
		p.counts[rule.Subst] += n
		p.steps = m.Steps()
		return
	}
	var x *extra
	for r := range m.Counts() {
		n := m.Counts()[r] - p.counts[r]
		if n == 0 {
			continue
		}
		if x == nil {
			x = p.extraAt()
		}
		x.counts[r] += n
		p.counts[r] += n
	}
	if n := m.Applied() - p.applied; n != 0 {
		x = p.extraAt()
		x.counts[rule.Lambda] += n
		x.counts[rule.GC] += n
	}
	p.steps, p.applied = m.Steps(), m.Applied()
}

func (p *Recorder) extraAt() *extra {
	at := where{p.context, p.pos, p.phase}
	if at == p.lastAt && p.lastExtra != nil {
		return p.lastExtra
	}
	x := p.extra[at]
	if x == nil {
		x = &extra{}
		p.extra[at] = x
	}
	p.lastAt, p.lastExtra = at, x
	return x
}

// EnterPhase books what the last phase has left, to the program.
func (p *Recorder) EnterPhase(next calls.Phase) {
	if p.contexts[0].runs > 0 { // else the counters have what the inputs count
		p.Done()
		p.readClock()
	}
	p.phase = next
	p.context, p.pos = 0, p.prog.Templates[p.prog.Main].Pos
}

// clockEvery is how many events pass between two looks at the clock: it takes longer than
// most of them.
const clockEvery = 256

// tick counts an event, and charges the time since the clock was last read to the present
// place now and then.
func (p *Recorder) tick() {
	if !p.timing {
		return
	}
	if p.ticks--; p.ticks <= 0 {
		p.readClock()
	}
}

func (p *Recorder) readClock() {
	if !p.timing {
		return
	}
	now := time.Now()
	p.extraAt().time += now.Sub(p.clock)
	p.clock, p.ticks = now, clockEvery
}

// Collected says that the collector has moved all nodes.
func (p *Recorder) Collected() { p.top = p.m.Top() }

// callee returns the context of a call.
func (p *Recorder) callee(caller uint32, pos term.Pos, id uint32) uint32 {
	last := &p.contexts[caller].last
	if last.callee != 0 && last.pos == pos && last.template == id {
		return last.callee
	}
	c := p.calls.Callee(calls.Call{Caller: caller, Pos: pos, Template: id})
	p.addContexts()
	last = &p.contexts[caller].last
	last.pos, last.template, last.callee = pos, id, c
	return c
}

// addContexts makes room for what is booked of new contexts.
func (p *Recorder) addContexts() {
	for c := len(p.contexts); c < p.calls.Len(); c++ {
		k := p.calls.At(uint32(c))
		p.contexts = append(p.contexts, context{Call: k, duals: len(p.duals)})
		p.duals = append(p.duals, make([]dualCount, len(p.layout.of[k.Template]))...)
	}
}
