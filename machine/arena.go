package machine

import (
	"math"
	"unsafe"

	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
)

// measuring says whether the core counts words: a constant for each of the two cores.
func (m *core[M]) measuring() bool {
	var meter M
	return unsafe.Sizeof(meter) != 0
}

// at returns the node r. Where words are counted, it counts the node's as touched.
func (m *core[M]) at(r Ref) *node {
	if m.measuring() {
		m.touch(r)
	}
	return &m.nodes[r]
}

// touch counts the words of the node r.
func (m *core[M]) touch(r Ref) {
	m.touched += NodeWords
	if m.opt.Events != nil {
		m.seen = append(m.seen, r)
	}
}

// alloc returns a node that nothing else uses; its fields are to be set. Where there is no
// memory, the run fails, and the node is 0, which nobody reads.
func (m *core[M]) alloc() (Ref, *node) {
	m.made++
	r := m.free
	if r == 0 {
		return m.fresh()
	}
	n := m.at(r)
	m.free = n.c
	if m.measuring() {
		m.use(r)
	}
	return r, n
}

// use remembers that the node r was free, if events are told.
func (m *core[M]) use(r Ref) {
	if m.opt.Events != nil {
		m.unused = append(m.unused, r)
	}
}

// fresh returns a node that has never been used.
func (m *core[M]) fresh() (Ref, *node) {
	if m.top >= m.limit && !m.grow() {
		return 0, &m.nodes[0]
	}
	r := m.top
	m.top++
	if m.measuring() {
		m.use(r)
	}
	return r, m.at(r)
}

// release puts a node on the free list.
func (m *core[M]) release(r Ref, n *node) {
	n.kind = literal.Free
	n.c = m.free
	m.free = r
	m.freed++
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
	if err := m.lookOutside(); err != nil {
		m.fail(err)
		return false
	}
	want := uint64(m.top) + 1
	if want > maxRef {
		m.fail(m.limitError("memory", m.arena.Bytes(), nil))
		return false
	}
	if err := m.arena.Grow(uint32(want * nodeBytes / arenaBytes)); err != nil {
		m.fail(m.limitError("memory", m.opt.Limits.MaxMemory, err))
		return false
	}
	m.limit = uint32(min(uint64(m.arena.Len())*arenaBytes/nodeBytes, want+lookEvery))
	if most := m.opt.Limits.MaxNodes; most != 0 {
		m.limit = uint32(min(uint64(m.limit), most+1))
		if want > uint64(m.limit) {
			m.fail(m.limitError("nodes", most, nil))
			return false
		}
	}
	return true
}

// look checks the limits before the move at p is made, and sets when to look again. The limit of
// steps stops rewrites alone.
func (m *core[M]) look(move Move, p Place) error {
	m.pos = m.nodes[p>>1].code
	if most := m.opt.Limits.MaxSteps; most != 0 && move < Move(rule.Count) && m.counted() >= most {
		return m.limitError("steps", most, nil)
	}
	err := m.lookOutside()
	m.fuel-- // for the move at p
	return err
}

// lookOutside asks whether the run is to end for a reason outside the machine.
func (m *core[M]) lookOutside() error {
	m.fuel = lookEvery
	if most := m.opt.Limits.MaxSteps; most != 0 {
		m.fuel = int(min(lookEvery, most-min(most, m.counted())))
	}
	if look := m.opt.Limits.Look; look != nil {
		if err := look(); err != nil {
			return m.limitError("", 0, err)
		}
	}
	return nil
}

func (m *core[M]) limitError(limit string, most uint64, err error) error {
	return &limits.ReachedError{Limit: limit, Max: most, Steps: m.counted(), Nodes: m.made - m.freed, Pos: m.posOf(m.pos), Err: err}
}

// isFinite ends the run if x is not finite.
func (m *core[M]) isFinite(x float64, what string, code uint32) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		m.fail(&limits.NotFiniteError{Value: x, What: what, Pos: m.posOf(code)})
	}
}
