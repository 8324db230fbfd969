package machine

import (
	"math"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
)

// The nodes of the arena, as the compiler lays them out.
type (
	node  = compile.Node
	Ref   = compile.Ref
	Place = compile.Place
	Tag   = compile.Tag
)

// NodeBytes is how many bytes a node has.
const NodeBytes = compile.NodeBytes

// nodeOf returns the place of the first operand of the same node.
func nodeOf(p Place) Place { return p &^ 3 }

func lo(v uint64) uint32       { return uint32(v) }
func hi(v uint64) uint32       { return uint32(v >> 32) }
func both(a, b uint32) uint64  { return uint64(a) | uint64(b)<<32 }
func number(v uint64) float64  { return math.Float64frombits(v) }
func numeral(x float64) uint64 { return math.Float64bits(x) }

// at returns the node r, which the move touches.
func (m run[M]) at(r Place) *node {
	var mode M
	if len(mode)&2 != 0 {
		m.log = append(m.log[:m.touched], r>>2)
	}
	if len(mode)&1 != 0 {
		m.touched++
	}
	return m.arena.Node(r)
}

// alloc returns a node that nothing else uses; its fields are to be set. Where there is no
// memory, the run fails, and the node is 0, which nobody reads.
func (m run[M]) alloc() (Place, *node) {
	r := [1]Place{}
	m.allocAll(r[:])
	if m.tells() {
		m.unused = append(m.unused, r[0]>>2)
	}
	return r[0], m.at(r[0])
}

// make returns a new node that has no operands and is waited for at up.
func (m run[M]) make(kind compile.Kind, code uint32, up Place, bits uint8) (Place, *node) {
	r, n := m.alloc()
	*n = node{Head: compile.Head{Kind: kind, Code: code, Bits: bits}, Up: up}
	return r, n
}

// allocAll is alloc of several nodes, which are not yet touched. It reports whether there was memory: those that have
// been freed last come first.
func (m *Machine) allocAll(out []Place) bool {
	m.nodes += uint64(len(out))
	for rest := m.arena.Take(out); len(rest) > 0; rest = m.arena.Take(rest) {
		if !m.grow() {
			clear(rest)
			return false
		}
	}
	return true
}

// lookEvery is how many steps, units or nodes may pass between two looks at the limits.
const lookEvery = 1 << 16

// grow commits the memory of more nodes.
func (m *Machine) grow() bool {
	most, used := m.opt.Limits.MaxNodes, m.arena.Peak()
	if most == 0 {
		most = math.MaxUint64
	}
	switch {
	case m.lookOutside() != nil:
	case used >= most:
		m.fail(m.limitError("nodes", most, nil))
	default:
		if err := m.arena.Commit(min(lookEvery, most-used)); err != nil {
			m.fail(m.limitError("memory", m.opt.Limits.MaxMemory, err))
		}
	}
	return m.err == nil
}

// look checks the limits before the move at p is made, and sets when to look again. The limit of
// steps stops rewrites alone.
func (m *Machine) look(move rule.Move, p Place) error {
	if m.err != nil {
		return m.err
	}
	if p != 0 {
		m.event.Code = m.arena.Node(nodeOf(p)).Code
	}
	if most := m.opt.Limits.MaxSteps; most != 0 && move < rule.Move(rule.Count) && m.Stats().Counts.Total() >= most {
		return m.limitError("steps", most, nil)
	}
	err := m.lookOutside()
	m.fuel-- // for the move at p
	return err
}

// lookOutside asks whether the run is to end for a reason outside the machine, and ends it.
func (m *Machine) lookOutside() error {
	if m.err != nil {
		return m.err
	}
	m.fuel = lookEvery
	if most := m.opt.Limits.MaxSteps; most != 0 {
		m.fuel = int(min(lookEvery, most-min(most, m.Stats().Counts.Total())))
	}
	if look := m.opt.Limits.Look; look != nil {
		if err := look(); err != nil {
			m.fail(m.limitError("", 0, err))
		}
	}
	return m.err
}

func (m *Machine) limitError(limit string, most uint64, err error) error {
	return &limits.ReachedError{Limit: limit, Max: most, Steps: m.Stats().Counts.Total(), Nodes: m.arena.Live(),
		Pos:      m.posOf(m.event.Code),
		Function: m.prog.Term.Info(m.unfolded).Name, Err: err}
}
