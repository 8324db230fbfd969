package machine

import (
	"math"
	"unsafe"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/limits"
)

// measuring says whether the core counts words: a constant for each of the two cores.
func (m *core[M]) measuring() bool {
	var meter M
	return unsafe.Sizeof(meter) != 0
}

// at returns the node r. It counts the node's words as touched.
func (m *core[M]) at(r Ref) *node {
	if m.measuring() {
		m.touched += NodeWords
		if m.opt.Events != nil {
			m.seen = append(m.seen, r)
		}
	}
	return &m.nodes[r]
}

// alloc returns a node that nothing else uses; its fields are to be set. Where there is no
// memory, it sets the core's error and returns node 0, which nobody reads.
func (m *core[M]) alloc() (Ref, *node) {
	m.made++
	m.live++
	if r := m.free; r != 0 {
		n := m.at(r)
		m.free = n.c
		return r, n
	}
	if m.top >= m.limit && !m.grow() {
		return 0, &m.nodes[0]
	}
	r := m.top
	m.top++
	return r, m.at(r)
}

// release puts a node on the free list.
func (m *core[M]) release(r Ref, n *node) {
	n.kind = Free
	n.c = m.free
	m.free = r
	if m.live > m.peak {
		m.peak = m.live
	}
	m.live--
}

// lookEvery is how many steps, units or nodes may pass between two looks at the limits.
const lookEvery = 1 << 16

// maxRef bounds the arena: a link to a waiter has two bits beside the Ref.
const maxRef = 1<<30 - 1

// grow commits the memory of more nodes.
func (m *core[M]) grow() bool {
	if m.err != nil {
		return false
	}
	if m.err = m.lookOutside(); m.err != nil {
		return false
	}
	want := uint64(m.top) + 1
	if want > maxRef {
		m.err = m.limitError("memory", m.arena.Bytes(), nil)
		return false
	}
	if err := m.arena.Grow(uint32(want * nodeBytes / arenaBytes)); err != nil {
		m.err = m.limitError("memory", m.opt.Limits.MaxMemory, err)
		return false
	}
	m.limit = uint32(min(uint64(m.arena.Len())*arenaBytes/nodeBytes, want+lookEvery))
	if most := m.opt.Limits.MaxNodes; most != 0 {
		m.limit = uint32(min(uint64(m.limit), most+1))
		if want > uint64(m.limit) {
			m.err = m.limitError("nodes", most, nil)
			return false
		}
	}
	return true
}

// look checks the limits before the move at p is made, and sets when to look again. The limit of
// steps stops rewrites alone.
func (m *core[M]) look(move Move, p Place) error {
	m.pos = m.nodes[p>>1].code
	if most := m.opt.Limits.MaxSteps; most != 0 && m.steps >= most && move < Move(graph.NumRules) {
		return m.limitError("steps", most, nil)
	}
	return m.lookOutside()
}

// lookOutside asks whether the run is to end for a reason outside the machine.
func (m *core[M]) lookOutside() error {
	next := uint64(lookEvery)
	if most := m.opt.Limits.MaxSteps; most > m.steps {
		next = min(next, most-m.steps)
	}
	if look := m.opt.Limits.Look; look != nil {
		if err := look(); err != nil {
			return m.limitError("", 0, err)
		}
	}
	m.moves = 0
	m.nextLook = m.steps + next
	return nil
}

func (m *core[M]) limitError(limit string, most uint64, err error) error {
	return &limits.ReachedError{Limit: limit, Max: most, Steps: m.steps, Nodes: m.live, Pos: m.posOf(m.pos), Err: err}
}

// isFinite reports whether x is finite, and sets the core's error where it must be and is not.
func (m *core[M]) isFinite(x float64, what string, code uint32) {
	if m.opt.Finite && (math.IsNaN(x) || math.IsInf(x, 0)) && m.err == nil {
		m.err = &limits.NotFiniteError{Value: x, What: what, Pos: m.posOf(code)}
	}
}
