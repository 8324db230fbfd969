package machine

import (
	"math"
	"unsafe"

	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
)

// at returns the node r, which the move touches.
func (m run[M]) at(r Place) *node {
	var mode M
	if len(mode) > 1 {
		m.log[m.touched%maxTouched] = r >> 2
	}
	if len(mode) > 0 {
		m.touched++
	}
	return m.node(r)
}

// node returns the node r.
func (m *Machine) node(r Place) *node {
	return (*node)(unsafe.Add(m.base, uintptr(r)*(literal.NodeBytes/4)))
}

// value returns the operand at p.
func (m *Machine) value(p Place) *uint64 {
	return (*uint64)(unsafe.Add(m.base, uintptr(p)*(literal.NodeBytes/4)+unsafe.Offsetof(node{}.Val)))
}

// alloc returns a node that nothing else uses; its fields are to be set. Where there is no
// memory, the run fails, and the node is 0, which nobody reads.
func (m run[M]) alloc() (Place, *node) {
	r := [1]Place{}
	m.allocAll(r[:])
	m.use(r[0])
	return r[0], m.at(r[0])
}

// make returns a new node that has no operands and is waited for at up.
func (m run[M]) make(kind literal.Kind, code uint32, up Place, bits uint8) (Place, *node) {
	r, n := m.alloc()
	*n = node{Head: literal.Head{Kind: kind, Code: code, Bits: bits}, Up: up}
	return r, n
}

// allocAll is alloc of several nodes, which are not yet touched. It reports whether there was memory: those that have been
// freed last come first.
func (m *Machine) allocAll(out []Place) bool {
	m.made += uint64(len(out))
	free := m.free
	n := 0
	for n < len(out) && free != 0 {
		out[n] = free
		free = m.node(free).C
		n++
	}
	m.free = free
	m.freed -= uint64(n)
	return n == len(out) || m.fresh(out[n:])
}

// fresh is allocAll of nodes that have never been used.
func (m *Machine) fresh(out []Place) bool {
	top, limit := m.top, m.limit
	for i := range out {
		if top >= limit {
			if m.top = top; !m.grow() {
				clear(out[i:])
				return false
			}
			limit = m.limit
		}
		out[i] = top << 2
		top++
	}
	m.top = top
	return true
}

// live is how many nodes are in use.
func (m *Machine) live() uint64 { return uint64(m.top) - 1 - m.freed }

// use remembers that the node r was free, if events are told.
func (m run[M]) use(r Place) {
	if m.tells() {
		m.unused[m.used%maxTouched] = r >> 2
		m.used++
	}
}

// release puts a node on the free list.
func (m *Machine) release(r Place, n *node) {
	n.Kind, n.C = literal.Free, m.free
	m.free = r
	m.freed++
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
	if err := m.arena.Grow(uint32(want * literal.NodeBytes / graph.NodeBytes)); err != nil {
		m.fail(m.limitError("memory", m.opt.Limits.MaxMemory, err))
		return false
	}
	m.limit = uint32(min(uint64(m.arena.Len())*graph.NodeBytes/literal.NodeBytes, want+lookEvery))
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
func (m *Machine) look(move rule.Move, p Place) error {
	if m.err != nil {
		return m.err
	}
	if p != 0 {
		m.event.Code = m.node(nodeOf(p)).Code
	}
	if most := m.opt.Limits.MaxSteps; most != 0 && move < rule.Move(rule.Count) && m.counted() >= most {
		return m.limitError("steps", most, nil)
	}
	err := m.lookOutside()
	m.fuel-- // for the move at p
	return err
}

// lookOutside asks whether the run is to end for a reason outside the machine.
func (m *Machine) lookOutside() error {
	if m.err != nil {
		return m.err
	}
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
	return &limits.ReachedError{Limit: limit, Max: most, Steps: m.counted(), Nodes: m.live(), Pos: m.posOf(m.event.Code), Err: err}
}

// isFinite ends the run if x is not finite.
func (m *Machine) isFinite(x float64, what string, code uint32) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		m.fail(&limits.NotFiniteError{Value: x, What: what, Pos: m.posOf(code)})
	}
}
