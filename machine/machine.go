package machine

import (
	"math/rand/v2"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Fired is an event: a rewrite that has been made, or a unit of work. It is good until its receiver returns.
type Fired struct {
	N    uint64 // how many rewrites have been made, this one included
	Move rule.Move
	Code uint32 // the instruction of the redex, or of what was made
	// Redex is where it began: the node that fired, operand 0, or the occurrence that (3) was of.
	Redex Place
	// Result is the operand to which a value went, or the redex.
	Result Place
	Words  uint64 // compile.NodeWords for each call of at
	m      *Machine
}

// Pos returns the place in the source of the redex, or of what D made it from.
func (e *Fired) Pos() term.Pos { return e.m.posOf(e.Code) }

// Backward reports whether it is of a backward phase.
func (e *Fired) Backward() bool {
	return e.m.job != 0 && (e.m.prog.Outputs > 0 || e.m.job == e.m.running)
}

// Live returns how many nodes are in use after it.
func (e *Fired) Live() uint64 { return e.m.arena.Live() }

// Touched returns the nodes that have been read or written since the event before; a node may stand there twice.
func (e *Fired) Touched() []Ref { return e.m.log[:e.m.touched] }

// Own returns those of Touched that the move itself has touched.
func (e *Fired) Own() []Ref { return e.m.log[e.m.begun:e.m.touched] }

// Made returns those of Touched that were free before.
func (e *Fired) Made() []Ref { return e.m.unused }

// Body returns the template whose copy comes next, or nil.
func (e *Fired) Body() *compile.Template { return e.m.copy.body }

// Linear reports whether the redex of (1) was the application of a dual λ.
func (e *Fired) Linear() bool { return e.m.arena.Node(nodeOf(e.Redex)).Kind == compile.Linear }

// Heap returns what the arena holds. It is good until the next rewrite.
func (m *Machine) Heap() *graph.Heap { return graph.New(m.prog, m.arena.Nodes(), m.result>>2) }

// Options say how a machine runs. The zero value is LIFO without limits.
type Options struct {
	Random bool   // redexes fire in random order
	Seed   uint64 // of that order
	Finite bool   // a number that is NaN or infinite is an error
	Limits limits.Bounds
	// Measure says that words are counted. Events, if not nil, gets each event, and implies it.
	Measure bool
	Events  func(*Fired) error
	// Before, if neither it nor Events is nil, is called before rewrite n is made: the heap is as all
	// moves before have left it. Its error ends the run.
	Before func(n uint64) error
}

// Stats is what a run cost.
type Stats struct {
	Counts     rule.Counts // rewrites by rule
	Work       [rule.NumMoves]rule.Work
	Nodes      uint64 // allocated
	Freed      uint64 // of these
	PeakNodes  uint64 // at once
	ArenaBytes uint64
}

// Machine runs one program again and again: the arena, the worklist and the counters. It belongs to one goroutine.
type Machine struct {
	prog    *compile.Program
	opt     Options
	arena   graph.Arena
	work    []redex      // the worklist, below the redex that is next
	frame   []uint32     // of the body that is copied
	places  graph.Places // the instruction of the occurrence at each operand, if events are told
	seeds   []Place      // z* 1 of each output
	answers []float64    // of the outputs
	log     []Ref        // the nodes that have been touched since the last event, if events are told
	unused  []Ref        // those of them that were free
	reached reached      // of a gradient
	made    []Place      // the operations of G, in the order in which they were made
	ties    []term.Pos   // of conditionals that compared equal numbers, of which one is no numeral
	state
}

// state belongs to one run, which begins with its zero value.
type state struct {
	copy     copying
	point    []float64
	rng      *rand.Rand // of the random schedule
	result   Place
	job      Place  // the job that runs, above those that wait for it
	running  Place  // the job that ran when the worklist was empty last
	ranks    uint32 // how many cells have been made
	fired    [moveMask + 1]uint64
	words    [moveMask + 1]uint64
	most     [moveMask + 1]uint64
	nodes    uint64 // that have been made
	kept     uint64 // nodes that are in use because lists have been read
	isRead   bool   // the value has been read: the next two fields are it
	numbers  []float64
	lengths  []int
	fuel     int               // moves until the next look at the limits
	unfolded term.Var          // the recursive function that ran last
	touched  int               // how many nodes have been touched since the last event
	begun    int               // how many had been touched before the move
	event    Fired             // the next one; its fields are set as they become known
	begins   *compile.Template // the body whose copy has begun, if events are told
	copied   int               // how many events there have been since: a unit for each part of it
	readings []Reading         // if events are told
	row      int               // of the Jacobian, whose backward phase runs
	err      error
}

const moveMask = 31 // as many moves as an index needs no check for

// run is a machine that runs. The compiler makes the rewrites once for each mode.
type run[M mode] struct{ *Machine }

// mode says by the bits of its length what a run observes and does: it counts how many nodes each move touches, it
// tells which, if somebody asks, its inputs are symbolic.
type mode interface {
	plain | told | open | openTold
}

type (
	plain    [0]byte
	told     [1 | 2]byte
	open     [1 | 4]byte
	openTold [1 | 2 | 4]byte
)

// runner is implemented by run in each mode.
type runner interface {
	primal(point []float64) error
	gradient(point, values, jacobian []float64) error
	read(out []float64, lengths []int) ([]float64, []int, error)
	graph(point []float64) error
}

// runner returns a run of the machine, in the mode that the options need.
func (m *Machine) runner() runner {
	switch {
	case m.prog.Open && m.opt.Events != nil:
		return run[openTold]{m}
	case m.prog.Open:
		return run[open]{m}
	case m.opt.Events != nil || m.opt.Measure || m.opt.Random:
		return run[told]{m}
	}
	return run[plain]{m}
}

// measures reports whether words are counted.
func (m run[M]) measures() bool {
	var mode M
	return len(mode)&1 != 0
}

// tells reports whether events are told.
func (m run[M]) tells() bool {
	var mode M
	return len(mode)&2 != 0
}

// opens reports whether inputs are symbolic.
func (m run[M]) opens() bool {
	var mode M
	return len(mode)&4 != 0
}

// New makes a machine for the program. The error is a [*limits.ReachedError].
func New(p *compile.Program, opt Options) (*Machine, error) {
	most := opt.Limits.MaxMemory
	if most == 0 {
		most = limits.DefaultArena
	}
	arena, err := graph.NewArena(most)
	if err != nil {
		return nil, &limits.ReachedError{Limit: "memory", Max: most, Err: err}
	}
	return &Machine{prog: p, opt: opt, arena: arena, frame: make([]uint32, max(p.Frame, compile.FirstIndex)),
		seeds: make([]Place, 2*p.Outputs), answers: make([]float64, p.Outputs)}, nil
}

// Close returns the memory of the arena.
func (m *Machine) Close() error { return m.arena.Close() }

// redex is a move, in the low byte, and its place, in the upper half. 0 is none.
type redex uint64

// moveAt returns the redex of the move at p, and ruleAt that of the rule.
func moveAt(move rule.Move, p Place) redex { return redex(move) | redex(p)<<32 }
func ruleAt(r rule.Rule, p Place) redex    { return moveAt(rule.Move(r), p) }

// push puts a redex on the worklist, if there is one.
func (m *Machine) push(x redex) {
	if x != 0 {
		m.work = append(m.work, x)
	}
}

// fail ends the run before the next move.
func (m *Machine) fail(err error) {
	if m.err == nil && err != nil {
		m.err, m.fuel = err, -1
	}
}

// units counts units of copying that have been made in a loop behind a rewrite, where words are not counted.
func (m *Machine) units(n int) {
	m.fired[rule.Instantiate] += uint64(n)
	m.fuel -= n
}

// unit counts a unit of work behind a rewrite, and reports it where words are counted.
func (m run[M]) unit(u rule.Move, p Place) {
	m.fired[u]++
	m.fuel--
	if m.measures() {
		m.book(u, p)
	}
}

// mark begins a move at p, where words are counted.
func (m run[M]) mark(p Place) {
	if m.measures() {
		m.beginMove(p)
	}
}

// beginMove begins a move at p, where words are counted.
func (m run[M]) beginMove(p Place) {
	m.event.Result, m.begun = 0, m.touched
	if p == 0 {
		return
	}
	n := m.arena.Node(nodeOf(p))
	m.event.Code = n.Code
	if m.tells() && n.Tag[p&1] == compile.Variable {
		m.event.Code = *m.places.At(p)
	}
}

// book books the words that a move has touched, and tells of it.
func (m run[M]) book(move rule.Move, p Place) {
	words := uint64(m.touched-m.begun) * compile.NodeWords
	m.words[move&moveMask] += words
	m.most[move&moveMask] = max(m.most[move&moveMask], words)
	if move < rule.Instantiate {
		m.event.N++
	}
	if m.tells() {
		m.copied++
		e := &m.event
		e.Move, e.Redex, e.Words = move, p, words
		if e.Result == 0 {
			e.Result = p
		}
		if m.err == nil && m.opt.Events != nil {
			m.fail(m.opt.Events(e))
		}
		m.unused = m.unused[:0]
	}
	m.touched, m.begun, m.event.Result = 0, 0, 0
}

func (m *Machine) posOf(code uint32) term.Pos {
	if int(code) < len(m.prog.Code) {
		return m.prog.Code[code].Pos
	}
	return 0
}

// Stats returns what the last run cost, or how far it got if it was stopped.
func (m *Machine) Stats() Stats {
	s := Stats{Nodes: m.nodes, Freed: m.nodes + m.kept - m.arena.Live(), PeakNodes: m.arena.Peak(),
		ArenaBytes: m.arena.Bytes()}
	for i, n := range m.fired[:rule.NumMoves] {
		if rule.Move(i) == rule.Wake {
			n += m.fired[turn]
		}
		s.Work[i] = rule.Work{Fired: n, Words: m.words[i], Most: m.most[i]}
		if i < int(rule.Count) {
			s.Counts[i] = n
		}
	}
	return s
}
