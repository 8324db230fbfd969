package machine

import (
	"math"
	"unsafe"

	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
)

// at returns the node r. Where words are counted, it counts the node's as touched.
func (m *Machine) at(r Place) *node {
	if m.measure {
		m.touch(r)
	}
	return m.node(r)
}

// node returns the node r.
func (m *Machine) node(r Place) *node {
	return (*node)(unsafe.Add(m.base, uintptr(r)*(NodeBytes/4)))
}

// value returns the operand at p.
func (m *Machine) value(p Place) *uint64 {
	return (*uint64)(unsafe.Add(m.base, uintptr(p)*(NodeBytes/4)+unsafe.Offsetof(node{}.val)))
}

// touch counts the words of the node r. Inlined, it would cost where it is not called.
//
//go:noinline
func (m *Machine) touch(r Place) {
	m.touched += NodeWords
	if m.opt.Events != nil {
		m.seen = append(m.seen, r>>2)
	}
}

// alloc returns a node that nothing else uses; its fields are to be set. Where there is no
// memory, the run fails, and the node is 0, which nobody reads.
func (m *Machine) alloc() (Place, *node) {
	m.made++
	if len(m.free) == 0 {
		m.refill()
	}
	last := len(m.free) - 1
	r := m.free[last]
	m.free = m.free[:last]
	m.use(r)
	return r, m.at(r)
}

// make returns a new node that has no operands and is waited for at up.
func (m *Machine) make(kind literal.Kind, code uint32, up Place, missing uint8) (Place, *node) {
	r, n := m.alloc()
	n.Head = literal.Head{Kind: kind, Code: code, Bits: missing}
	n.up, n.c = up, 0
	n.val[0], n.val[1] = 0, 0
	return r, n
}

// allocAll is alloc of several nodes, which are not yet touched. It reports whether there was memory.
func (m *Machine) allocAll(out []Place) bool {
	for len(out) > 0 {
		if len(m.free) == 0 && m.list == 0 {
			return m.fresh(out)
		}
		if len(m.free) == 0 {
			m.refill()
		}
		n := min(len(out), len(m.free))
		last := len(m.free) - n
		copy(out, m.free[last:])
		m.free = m.free[:last]
		out = out[n:]
		m.made += uint64(n)
	}
	return true
}

// fresh is allocAll of nodes that have never been used.
func (m *Machine) fresh(out []Place) bool {
	for i := range out {
		m.made++
		if m.top >= m.limit && !m.grow() {
			return false
		}
		out[i] = m.top << 2
		m.top++
	}
	return true
}

// maxFree is how many free nodes are kept at hand: those that have been freed last. The others are in a list.
const maxFree = 1 << 12

// refill puts nodes at hand where there are none: from the list, or one that has never been used.
func (m *Machine) refill() {
	for m.list != 0 && len(m.free) < maxFree/2 {
		m.free = append(m.free, m.list)
		m.list = m.node(m.list).c
		m.listed--
	}
	if len(m.free) > 0 {
		return
	}
	if m.top >= m.limit && !m.grow() {
		m.free = append(m.free, 0)
		return
	}
	m.free = append(m.free, m.top<<2)
	m.top++
}

// spill puts half of the nodes at hand on the list.
func (m *Machine) spill() {
	for _, r := range m.free[:maxFree/2] {
		m.node(r).c = m.list
		m.list = r
	}
	m.listed += maxFree / 2
	m.free = m.free[:copy(m.free, m.free[maxFree/2:])]
}

// live is how many nodes are in use.
func (m *Machine) live() uint64 { return uint64(m.top) - 1 - uint64(len(m.free)) - m.listed }

// use remembers that the node r was free, if events are told.
func (m *Machine) use(r Place) {
	if m.measure && m.opt.Events != nil {
		m.unused = append(m.unused, r>>2)
	}
}

// release puts a node on the free list.
func (m *Machine) release(r Place, n *node) {
	n.Kind = literal.Free
	if len(m.free) == maxFree {
		m.spill()
	}
	m.free = append(m.free, r)
}

// lookEvery is how many steps, units or nodes may pass between two looks at the limits.
const lookEvery = 1 << 16

// maxRef bounds the arena: a Place has two bits beside the Ref.
const maxRef = 1<<30 - 1

// grow commits the memory of more nodes.
func (m *Machine) grow() bool {
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
	if err := m.arena.Grow(uint32(want * NodeBytes / graph.NodeBytes)); err != nil {
		m.fail(m.limitError("memory", m.opt.Limits.MaxMemory, err))
		return false
	}
	m.limit = uint32(min(uint64(m.arena.Len())*graph.NodeBytes/NodeBytes, want+lookEvery))
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
func (m *Machine) look(move Move, p Place) error {
	m.pos = m.node(nodeOf(p)).Code
	if most := m.opt.Limits.MaxSteps; most != 0 && move < Move(rule.Count) && m.counted() >= most {
		return m.limitError("steps", most, nil)
	}
	err := m.lookOutside()
	m.fuel-- // for the move at p
	return err
}

// lookOutside asks whether the run is to end for a reason outside the machine.
func (m *Machine) lookOutside() error {
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

func (m *Machine) limitError(limit string, most uint64, err error) error {
	return &limits.ReachedError{Limit: limit, Max: most, Steps: m.counted(), Nodes: m.live(), Pos: m.posOf(m.pos), Err: err}
}

// isFinite ends the run if x is not finite.
func (m *Machine) isFinite(x float64, what string, code uint32) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		m.fail(&limits.NotFiniteError{Value: x, What: what, Pos: m.posOf(code)})
	}
}
