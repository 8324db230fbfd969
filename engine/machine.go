package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/engine/collect"
	"github.com/gram-machine/gram/engine/invariant"
	"github.com/gram-machine/gram/engine/order"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Schedule is the order in which redexes fire.
type Schedule uint8

// The schedules.
const (
	LIFO   Schedule = iota // the redex that was found last
	Random                 // any redex, by a seeded generator
	// Parallel is LIFO on several workers: results and counts are those of LIFO, to the
	// last bit, and overhead may differ. Independent applications of the primal phase,
	// the runs of independent blocks of a job, and independent jobs run at once. Programs
	// with symbolic inputs or hand-written duals run as under LIFO.
	Parallel
)

// Options of a machine. The zero value is LIFO without limits.
type Options struct {
	Schedule Schedule
	Seed     uint64
	Workers  int  // of the schedule Parallel; 0: as many as GOMAXPROCS
	Finite   bool // a result that is NaN or infinite is an error; it excludes blocks
	NoFuse   bool // run the literal form: no blocks
	NoNative bool // interpret all blocks: no machine code
	Eager    bool // make machine code and bytecode at the first run, whether or not that pays: for tests
	Folded   bool // normal forms have lists, numerals and data that are applied as they are
	Hooks    *Hooks
	Limits   limits.Bounds
	// Phase, if not nil, is called when a phase begins.
	Phase func(calls.Phase)
	// Share, if not nil, is called at each look with the phase and the share of it that is done, from 0 to 1; a
	// negative one is not known.
	Share func(phase calls.Phase, share float64)
	// Record, if not nil, makes what records a profile. It is of LIFO and Random.
	Record func(*Machine) Recorder
}

// Machine runs one program, again and again, in one arena. It is not safe for
// concurrent use; any number of machines may run one program at once.
type Machine struct {
	prog  *graph.Program
	opt   Options
	arena *graph.Arena
	nodes []graph.Node // the arena's
	words []uint32     // the same memory
	state []graph.Node // where a job's cells keep what has arrived: the arena, or memory of the job's own
	base  uint32       // nodes below are the program's globals
	top   uint32       // the first free node
	slots []uint32     // globals, then the one frame
	work  []graph.Ref  // redexes
	rng   *rand.Rand
	root  graph.Ref
	args  []graph.Ref // scratch of apply

	// counters of this run
	steps    uint64 // all steps so far, by any rule
	pops     uint64
	waits    uint64
	occurs   uint64 // occurrences counted before a backward phase
	readback uint64
	applied  uint64 // arguments bound: a (1) and a (4) each
	copied   uint64 // by hooks: instructions and duals
	dropped  uint64 // nodes of rows that loops would have kept
	counts   rule.Counts
	runs     []uint64 // of each template
	fired    []uint64 // of each dual's body

	nextLook uint64 // in steps + pops
	limit    uint32 // top may go so far before the next look
	nodeTop  uint32 // base + MaxNodes
	looks    uint64
	stopped  bool // a limit has ended the run

	open     openState // of a run with symbolic inputs
	jobs     invariant.Jobs
	arrivals order.Arrivals
	block    blockState
	literal  bool // no blocks
	picks    bool // the redex that fires is not always the last
	collect  collector
	record   Recorder // nil where nothing is recorded

	team      *team        // of the schedule Parallel
	order     *order.Order // of the nodes, where workers have made some
	elsewhere int64        // nodes that workers have made, less those that are left out between base and top

	regs    []float64 // of a dual's body
	cells   []graph.Ref
	far     graph.Heap // of a backward phase: cells far below the top of its stack, by their keys
	grad    []float64
	firedIn uint64   // inputs that fired
	pos     term.Pos // of the redex that fires, for errors
	// unfolded is one more than the template of the recursive function that ran last, 0 if there is none.
	unfolded uint32
	done     done
}

// New returns a machine for the program.
func New(p *graph.Program, opt Options) (*Machine, error) {
	if err := checkHooks(p, opt); err != nil {
		return nil, err
	}
	if opt.Record != nil && (opt.Schedule == Parallel || opt.Hooks != nil) {
		return nil, errors.New("engine: a profile is of the schedules LIFO and Random, without hooks")
	}
	maxBytes := opt.Limits.MaxMemory
	if maxBytes == 0 {
		maxBytes = limits.DefaultArena
	}
	workers := 0
	if opt.Schedule == Parallel && !p.Open && !p.Late {
		workers = cmp.Or(opt.Workers, runtime.GOMAXPROCS(0)) - 1
	}
	arenas, err := graph.NewArenas(maxBytes, 1+workers)
	if err != nil {
		return nil, err
	}
	m := newMachine(p, opt, arenas[0])
	if err := m.Look(); err != nil { // at the memory of the arena, too
		m.Close()
		return nil, err
	}
	if err := m.makeGlobals(); err != nil {
		m.Close()
		return nil, err
	}
	if workers > 0 {
		m.team = m.newTeam(arenas[1:])
	}
	return m, nil
}

// newMachine makes a machine without globals.
func newMachine(p *graph.Program, opt Options, arena *graph.Arena) *Machine {
	m := &Machine{prog: p, opt: opt, arena: arena, nodes: arena.Nodes(), words: arena.Words(), state: arena.Nodes(), arrivals: order.Arrivals{Nodes: arena.Nodes(), Words: arena.Words()},
		slots: make([]uint32, p.Frame), runs: make([]uint64, len(p.Templates)), fired: make([]uint64, len(p.Bodies)),
		block:   blockState{runs: make([]uint64, len(p.Templates)), fired: make([]uint64, len(p.Bodies))},
		nodeTop: math.MaxUint32, regs: block.Scratch(int(max(1, p.LinRegs))), rng: rand.New(rand.NewPCG(opt.Seed, 0))}
	m.block.Runner = block.NewRunner(p, arena, m.slots, (*host)(m), opt.block())
	m.block.look = m.lookNow
	m.done.share = unknown
	m.collect = collector{Collector: collect.New(p, arena), least: collectNodes}
	m.picks = opt.Schedule == Random || opt.Hooks != nil
	m.literal = opt.NoFuse || opt.Finite || p.Open || opt.Hooks != nil
	if opt.Record != nil {
		m.record = opt.Record(m)
	}
	return m
}

// Close returns the machine's memory to the system.
func (m *Machine) Close() error { return m.arena.Close() }

// makeGlobals makes the program's constants at the bottom of the arena.
func (m *Machine) makeGlobals() error {
	m.top = 1
	m.limit = m.arena.Len()
	if m.prog.Reversed {
		m.nodes[graph.NullDual] = graph.Node{Head: uint32(graph.DualCell) | m.prog.ZeroDual<<graph.KindShift}
		m.top++
	}
	for i := uint32(1); int(i) < m.prog.NumGlobals(); i++ {
		g := m.prog.Global(i)
		if g.Kind == graph.DualCell {
			m.slots[i] = graph.NullDual
			continue
		}
		n := 1
		if g.Kind == graph.Vec {
			n = int(graph.Units(graph.ValueWords, len(g.Comps)))
		}
		if err := m.ensure(uint32(n)); err != nil {
			return err
		}
		r := m.top
		m.top += uint32(n)
		m.slots[i] = r
		node := graph.Node{Head: uint32(g.Kind) | g.Index<<graph.KindShift}
		switch g.Kind {
		case graph.Num:
			node.V = math.Float64bits(g.Val)
		case graph.Con:
			node.A = uint32(g.Type)
		case graph.Nat:
			node.A = i // the global, for its type
			node.V = g.Count
		case graph.DataList:
			node.Head = uint32(g.Kind)
			node.A = g.Index
			node.V = uint64(i) // the global, for its shape
		case graph.Pair:
			node.V = uint64(m.slots[g.Comps[0]]) | uint64(m.slots[g.Comps[1]])<<32
			if m.prog.Open && (m.isOpen(m.slots[g.Comps[0]]) || m.isOpen(m.slots[g.Comps[1]])) {
				node.A = unnamed
			}
		}
		m.nodes[r] = node
	}
	m.base = m.top
	return nil
}

// reset forgets the last run.
func (m *Machine) reset() {
	m.top = m.base
	if m.stopped { // it may have been by memory, which is not kept then
		m.arena.Shrink(m.base)
		m.stopped = false
	}
	m.work = m.work[:0]
	m.cells = m.cells[:0]
	m.steps, m.pops, m.waits, m.occurs, m.readback, m.applied, m.copied = 0, 0, 0, 0, 0, 0, 0
	m.arrivals.Compared = 0
	m.dropped, m.block.Recomputed = 0, 0
	m.firedIn, m.nextLook, m.looks, m.pos, m.unfolded = 0, 0, 0, 0, 0
	m.counts = rule.Counts{}
	clear(m.runs)
	clear(m.fired)
	if checking {
		m.jobs.Reset()
	}
	clear(m.block.runs)
	clear(m.block.fired)
	m.block.heap = m.block.heap[:0]
	if m.opt.Schedule == Random {
		m.rng = rand.New(rand.NewPCG(m.opt.Seed, 0))
	}
	m.limit = min(m.arena.Len(), m.top+LookEvery)
	m.elsewhere, m.order = 0, nil
	if m.team != nil {
		m.team.reset()
	}
	m.setNodeTop()
	m.collectFrom()
	if m.record != nil {
		m.record.Begin()
	}
}

var errNotOpen = errors.New("the program was not compiled with symbolic inputs")

var errPoint = errors.New("the point does not have as many numbers as the program has scalar inputs")

// start binds the inputs to the point and puts the program on the worklist. An
// input is a let around the program: it counts one (4); in a reversed program
// [x:=⟨x0,d⟩][d:=λa.x* a][x0:=r] counts three, and the occurrence of x0 a (3). A
// symbolic input counts none.
func (m *Machine) start(point []float64) error {
	m.reset()
	m.block.Kept.Reset()
	if len(point) != m.prog.Inputs {
		return errPoint
	}
	g, stride := m.prog.InputSlot(0)
	for _, x := range point {
		m.nodes[m.slots[g]].V = math.Float64bits(x)
		if m.prog.Reversed {
			m.nodes[m.slots[g+1]].A = 0 // arrivals due: a run that was stopped may have left some
		}
		g += stride
	}
	switch n := uint64(len(point)); {
	case m.prog.Open:
		m.open.reset()
	case m.prog.Reversed:
		m.addSteps(rule.GC, 3*n)
		m.addSteps(rule.SubstNumeral, n)
	default:
		m.addSteps(rule.GC, n)
	}
	if m.prog.Open {
		m.enter(calls.Normalise)
	} else {
		m.enter(calls.Primal)
	}
	if err := m.Look(); err != nil {
		return err
	}
	if err := m.ensure(2); err != nil {
		return err
	}
	m.root = m.placeholder()
	t := &m.prog.Templates[m.prog.Main]
	var err error
	if t.Block != 0 && !m.literal { // the whole program is a block
		err = m.applyBlock(m.root, 0, m.prog.Blocks[t.Block], nil)
	} else {
		err = m.instantiate(m.prog.Main, t, m.root)
	}
	if err != nil {
		return err
	}
	if m.record != nil {
		m.record.Done()
	}
	return nil
}

func (m *Machine) addSteps(r rule.Rule, n uint64) {
	m.counts[r] += n
	m.steps += n
}

// placeholder makes a waiting node for a result that is about to be computed. The
// caller has made room for its two nodes.
func (m *Machine) placeholder() graph.Ref {
	r := m.top
	m.top += 2
	m.nodes[r] = graph.Node{Head: uint32(graph.Copy)}
	m.nodes[r+1] = graph.Node{}
	return r
}

// reduce empties the worklist: the primal phase.
func (m *Machine) reduce() error {
	for len(m.work) > 0 {
		if m.top >= m.collect.at {
			m.pos = m.Place(m.work[len(m.work)-1])
			if err := m.collectGarbage(); err != nil {
				return err
			}
		}
		if m.steps+m.pops >= m.nextLook || m.top > m.nodeTop {
			m.pos = m.Place(m.work[len(m.work)-1])
			if err := m.Look(); err != nil {
				return err
			}
		}
		if m.picks {
			if err := m.pick(); err != nil {
				return err
			}
		}
		r := m.take()
		if m.team != nil && len(m.work) < len(m.team.lend.lent) {
			if err := m.fireLent(r, len(m.work)); err != nil {
				return err
			}
			continue
		}
		if m.record != nil {
			m.record.At(r)
		}
		if err := m.fire(r); err != nil {
			return err
		}
		if m.record != nil {
			m.record.Done()
		}
	}
	if m.steps+m.pops >= m.nextLook {
		if err := m.Look(); err != nil {
			return err
		}
	}
	if err := m.atEnd(); err != nil {
		return err
	}
	if m.nodes[m.root].Head&graph.KindMask >= uint32(graph.Wait) {
		return fmt.Errorf("no redex is left, but the result is a waiting %s", m.nodes[m.root].Kind())
	}
	m.root = m.Resolve(m.root)
	return nil
}

// pick puts the redex that the schedule chooses at the end of the worklist.
func (m *Machine) pick() error {
	last := len(m.work) - 1
	i := last
	switch {
	case m.opt.Schedule == Random:
		i = m.rng.IntN(last + 1)
	case m.opt.Hooks != nil && m.opt.Hooks.Pick != nil:
		var err error
		if i, err = m.opt.Hooks.Pick(m, m.work); err != nil {
			return err
		}
	}
	m.work[i], m.work[last] = m.work[last], m.work[i]
	return nil
}

// take pops the last redex of the worklist.
func (m *Machine) take() graph.Ref {
	m.pops++
	last := len(m.work) - 1
	r := m.work[last]
	m.work = m.work[:last]
	return r
}

// Place returns the source position of a waiting node.
func (m *Machine) Place(r graph.Ref) term.Pos {
	i := m.words[4*uint64(r)+3]
	if int(i) < len(m.prog.Code) {
		return m.prog.Code[i].Pos
	}
	return 0
}

// Resolve returns the value that r stands for: r itself, or what it forwards to.
func (m *Machine) Resolve(r graph.Ref) graph.Ref {
	if n := &m.nodes[r]; n.Head&graph.KindMask == uint32(graph.Forward) {
		return graph.Ref(n.V)
	}
	return r
}

func (m *Machine) push(r graph.Ref) { m.work = append(m.work, r) }

func (m *Machine) isValue(r graph.Ref) bool {
	return m.nodes[r].Head&graph.KindMask < uint32(graph.Wait)
}
