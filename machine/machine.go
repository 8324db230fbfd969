package machine

import (
	"math/rand/v2"

	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Unit is a piece of work beside the rewrites: what a rewrite leaves that is not bounded
// by nature, cut into pieces that are.
type Unit uint8

// The units.
const (
	Instantiate Unit = iota // a node of a body is made, or a captured variable loaded
	Wake                    // a value goes on to one that waits for it
	Search                  // the backward phase looks at one dual
	FreeUnit                // a node that nothing refers to goes to the free list
	ReadBack                // a number of the result is read
	NumUnits
)

// String returns the unit's name.
func (u Unit) String() string {
	return [NumUnits]string{"instantiate", "wake", "search", "free", "readback"}[u]
}

// Move is a rewrite, by its rule, or a unit: numbers from rule.Count on.
type Move uint8

// NumMoves is how many moves there are.
const NumMoves = Move(rule.Count) + Move(NumUnits)

const moveMask = 31 // as many moves as an index needs no check for

// Rule returns the rule of a rewrite; ok is false for a unit.
func (m Move) Rule() (by rule.Rule, ok bool) { return rule.Rule(m), m < Move(rule.Count) }

// Unit returns the unit of a move that is no rewrite.
func (m Move) Unit() Unit { return Unit(m - Move(rule.Count)) }

// String returns the name of the rule or the unit.
func (m Move) String() string {
	if r, ok := m.Rule(); ok {
		return r.String()
	}
	return m.Unit().String()
}

// Move returns the move that is the unit.
func (u Unit) Move() Move { return Move(rule.Count) + Move(u) }

// Fired is an event: a rewrite that has been made, or a unit of work. It is good until its receiver returns.
type Fired struct {
	N        uint64 // how many rewrites have been made, this one included
	Move     Move
	Backward bool // it is of a backward phase
	// Redex is where it began: the node that fired, operand 0, or the occurrence that (3) was of.
	Redex Place
	// Result is the operand to which a value went, or the redex.
	Result Place
	Pos    term.Pos // the place in the source of the redex, or of what D made it from
	Words  uint64   // the words of the arena that it read and wrote
	Live   uint64   // nodes that are in use after it
	// Touched are the nodes that have been read or written since the event before; a node may stand
	// there twice. Made are those among them that were free before.
	Touched, Made []Ref

	Code uint32            // the instruction of the redex, or of what was made
	Body *literal.Template // the template whose copy comes next, or nil
	Own  []Ref             // those of Touched that the move itself has touched
}

// Work is what the firings of a rule, or a unit, have cost.
type Work struct {
	Fired uint64 `json:"fired"` // how often
	Words uint64 `json:"words"` // of the arena read and written, in all
	Most  uint64 `json:"most"`  // by any single one
}

// Schedule is the order in which redexes fire.
type Schedule uint8

// The schedules.
const (
	LIFO Schedule = iota
	Random
)

// Options say how a machine runs. The zero value is LIFO without limits.
type Options struct {
	Schedule Schedule
	Seed     uint64 // of the random schedule
	Finite   bool   // a number that is NaN or infinite is an error
	Limits   limits.Bounds
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
	Work       [NumMoves]Work
	Nodes      uint64 // allocated
	Freed      uint64 // of these
	PeakNodes  uint64 // at once
	ArenaBytes uint64
}

// Machine runs one program again and again. It belongs to one goroutine.
type Machine struct{ run runner }

// runner is a core, with or without measuring.
type runner interface {
	value(point []float64) error
	gradient(point, values, jacobian []float64) error
	read(out []float64, lengths []int) ([]float64, []int, error)
	stats() Stats
	bytes() uint64
	close() error
	picture() *Heap
}

// New makes a machine for the program. The error is a [*limits.ReachedError].
func New(p *literal.Program, opt Options) (*Machine, error) {
	var err error
	m := &Machine{}
	if opt.Measure || opt.Events != nil {
		m.run, err = newCore[measured](p, opt)
	} else {
		m.run, err = newCore[unmeasured](p, opt)
	}
	return m, err
}

// Value reduces the program of a value at the point, and leaves the value to be read.
func (m *Machine) Value(point []float64) error { return m.run.value(point) }

// Gradient reduces the program of a gradient at the point. values has a number for each
// output, jacobian, row by row, one for each output and input.
func (m *Machine) Gradient(point, values, jacobian []float64) error {
	return m.run.gradient(point, values, jacobian)
}

// Read appends the numbers of the value that the last run left to out, from left to right, and the
// length of each list in it to lengths, outer lists before inner ones. What it takes to read a list
// is not counted; each number is a unit of read-back.
func (m *Machine) Read(out []float64, lengths []int) ([]float64, []int, error) {
	return m.run.read(out, lengths)
}

// Stats returns what the last run cost, or how far it got if it was stopped.
func (m *Machine) Stats() Stats { return m.run.stats() }

// ArenaBytes returns how much memory the arena holds.
func (m *Machine) ArenaBytes() uint64 { return m.run.bytes() }

// Heap returns what the arena holds. It is good until the next rewrite.
func (m *Machine) Heap() *Heap { return m.run.picture() }

// Close returns the memory of the arena.
func (m *Machine) Close() error { return m.run.close() }

// A meter says whether a core counts the words that it touches: a type, so that a core
// which doesn't has no code for it.
type meter interface{ measured | unmeasured }

type (
	measured   struct{ _ byte }
	unmeasured struct{}
)

// core is the machine: the arena, the worklist and the counters.
type core[M meter] struct {
	prog *literal.Program
	opt  Options

	nodes []node
	arena *graph.Arena
	top   Ref // nodes from here on have never been used
	limit Ref // they are committed below this
	free  Ref // the free list, linked by c

	// work is the worklist: a move in the low byte, and its place in the upper half.
	work []uint64
	rng  *rand.Rand

	frame []uint32 // of the body that is being copied
	copy  copying
	row   row
	point []float64

	result  Ref
	job     Ref       // the job that runs, above those that wait for it
	newest  Ref       // the cell that was made last
	ranks   uint32    // how many cells have been made
	cursor  Ref       // the cell from which the backward phase searches
	seeds   []Ref     // z* 1 of each output
	answers []float64 // of the outputs

	fired   [moveMask + 1]uint64
	words   [NumMoves]uint64
	most    [NumMoves]uint64
	touched uint64 // words, by the move that is being made
	seen    []Ref  // the nodes since the last event, if events are told
	unused  []Ref  // and those of them that were free
	begun   int    // how many of seen were there before the move
	to      Place  // where it has put a value
	pos     uint32 // the instruction of the redex
	steps   uint64 // rewrites that were reported
	fuel    int    // moves until the next look at the limits
	made    uint64 // nodes
	freed   uint64
	more    bool     // goOn has something to do
	places  []uint32 // the instruction of the occurrence at each Place, if events are told
	event   Fired
	running Ref // the job that ran when the worklist was empty last
	err     error
}

func newCore[M meter](p *literal.Program, opt Options) (*core[M], error) {
	most := opt.Limits.MaxMemory
	if most == 0 {
		most = limits.DefaultArena
	}
	arena, err := graph.NewArena(most)
	if err != nil {
		return nil, &limits.ReachedError{Limit: "memory", Max: most, Err: err}
	}
	m := &core[M]{prog: p, opt: opt, arena: arena, nodes: view(arena), frame: make([]uint32, max(p.Frame, 2)),
		seeds: make([]Ref, p.Outputs), answers: make([]float64, p.Outputs)}
	return m, nil
}

func (m *core[M]) bytes() uint64 { return m.arena.Bytes() }

func (m *core[M]) close() error {
	m.nodes = nil
	return m.arena.Close()
}

// push puts a redex on the worklist.
func (m *core[M]) push(move Move, p Place) {
	m.work = append(m.work, uint64(move)|uint64(p)<<32)
}

func (m *core[M]) pushRule(r rule.Rule, p Place) { m.push(Move(r), p) }
func (m *core[M]) pushUnit(u Unit, p Place)      { m.push(u.Move(), p) }

// reduce empties the worklist, and lets the jobs go on when it is empty.
func (m *core[M]) reduce() error {
	fire := fireTable[M]()
	for {
		last := len(m.work) - 1
		if last < 0 {
			if m.fuel < 0 && m.err == nil {
				m.err = m.lookOutside()
			}
			if m.err != nil || !m.idle() {
				return m.err
			}
			m.running = m.job
			continue
		}
		if m.rng != nil {
			i := m.rng.IntN(last + 1)
			m.work[i], m.work[last] = m.work[last], m.work[i]
		}
		e := m.work[last]
		move, p := Move(e), Place(e>>32)
		if m.fuel--; m.fuel < 0 {
			if err := m.look(move, p); err != nil {
				return err
			}
		}
		if m.measuring() && move < Move(rule.Count) && m.opt.Before != nil && m.opt.Events != nil {
			if err := m.opt.Before(m.steps + 1); err != nil {
				return err
			}
		}
		m.work = m.work[:last]
		m.mark(p)
		m.fired[move&moveMask]++
		fire[move&moveMask](m, p)
		m.report(move, p)
		if m.more {
			m.goOn()
			if m.err != nil {
				return m.err
			}
		}
	}
}

// goOn does what the last move has left to a loop: a body to be copied, or a row of data to be made.
func (m *core[M]) goOn() {
	m.more = false
	m.mark(0)
	if m.copy.body != nil {
		m.copyBody()
	}
	if m.row.next < m.row.end {
		m.makeRow()
	}
}

// fail ends the run.
func (m *core[M]) fail(err error) {
	if m.err == nil && err != nil {
		m.err, m.more = err, true
	}
}

// units counts units of work that have been made in a loop behind a rewrite, where words are not counted.
func (m *core[M]) units(u Unit, n int) {
	if !m.measuring() {
		m.fired[u.Move()] += uint64(n)
		m.fuel -= n
	}
}

// unit counts and reports such a unit, where words are counted.
func (m *core[M]) unit(u Unit, p Place) {
	if m.measuring() {
		m.bookUnit(u, p)
	}
}

func (m *core[M]) bookUnit(u Unit, p Place) {
	m.fired[u.Move()]++
	m.fuel--
	m.book(u.Move(), p)
	m.beginMove(0)
}

// mark begins a move at p, and report ends it, where words are counted: these are small, so that they cost nothing where
// they are not.
func (m *core[M]) mark(p Place) {
	if m.measuring() {
		m.beginMove(p)
	}
}

func (m *core[M]) report(move Move, p Place) {
	if m.measuring() {
		m.book(move, p)
	}
}

func (m *core[M]) beginMove(p Place) {
	m.touched, m.to, m.begun = 0, 0, len(m.seen)
	if p == 0 {
		return
	}
	n := &m.nodes[p>>1]
	m.pos = n.code
	if n.tag[p&1] == Variable && m.opt.Events != nil {
		m.pos = m.places[p]
	}
}

// book books the words that a move has touched, and tells of it.
func (m *core[M]) book(move Move, p Place) {
	m.words[move] += m.touched
	m.most[move] = max(m.most[move], m.touched)
	if move < Move(rule.Count) {
		m.steps++
	}
	if m.opt.Events != nil && m.err == nil {
		m.tell(move, p)
	}
}

func (m *core[M]) tell(move Move, p Place) {
	if m.to == 0 {
		m.to = p
	}
	e := &m.event
	e.N, e.Move, e.Backward = m.steps, move, m.job != 0 && (m.prog.Outputs > 0 || m.job == m.running)
	e.Redex, e.Result, e.Pos = p, m.to, m.posOf(m.pos)
	e.Words, e.Live, e.Touched, e.Made = m.touched, m.made-m.freed, m.seen, m.unused
	e.Code, e.Body, e.Own = m.pos, m.copy.body, m.seen[m.begun:]
	if err := m.opt.Events(e); err != nil {
		m.fail(err)
	}
	m.seen, m.unused, m.begun = m.seen[:0], m.unused[:0], 0
}

// counted is how many rewrites have been made.
func (m *core[M]) counted() uint64 {
	var n uint64
	for _, k := range m.fired[:rule.Count] {
		n += k
	}
	return n
}

func (m *core[M]) posOf(code uint32) term.Pos {
	if int(code) < len(m.prog.Code) {
		return m.prog.Code[code].Pos
	}
	return 0
}

func (m *core[M]) stats() Stats {
	s := Stats{Nodes: m.made, Freed: m.freed, PeakNodes: uint64(m.top) - 1, ArenaBytes: m.arena.Bytes()}
	for i, n := range m.fired[:NumMoves] {
		s.Work[i] = Work{Fired: n, Words: m.words[i], Most: m.most[i]}
		if i < int(rule.Count) {
			s.Counts[i] = n
		}
	}
	return s
}
