package exec

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/engine/wasm"
)

// nests are the machine codes of a vector statement with loops in branches, by which of its operands have adjoints.
type nests struct {
	work float64 // the operations of all loops, if every other iteration takes a branch

	mu   sync.Mutex
	made map[string][]*native.Nest // by the results that are reached; nil: there are none
}

// newNests finds whether there may be machine code of a statement that is worth its making: it makes few numbers, its
// loops in branches are short, and they make no elementary functions. Other loops in branches are left to statements of
// their own, which make several numbers at once.
func newNests(src *ir.Vector) *nests {
	n := &nests{made: map[string][]*native.Nest{}}
	packed := false
	if len(src.Results) > mostReached || slices.ContainsFunc(src.Results, func(r ir.Result) bool { return r.Lane < 0 }) {
		return &nests{}
	}
	for i := range src.Lanes {
		l := &src.Lanes[i]
		if l.Op >= ir.LaneAdd {
			n.work += src.Expected(l.Loop)
		}
		if src.Packed(l.Loop) && l.Op != ir.LaneNone {
			packed = true
			long := l.Op == ir.LaneFun1 || l.Op == ir.LaneFun2
			if long && !native.Short(l.Sym) || src.Loops[l.Loop].Size > mostShort {
				return &nests{}
			}
		}
	}
	if !packed {
		n.work = 0
	}
	return n
}

// nestState is the memory of the machine code of a statement: words, and what it pushes.
type nestState struct {
	memory    []byte
	words     []uint64
	instances []wasm.Instance // forward and backward
	parts     int
	record    int // the statement whose numbers were pushed in one part, by its words of the tape
	run       uint64
}

// nesting is how much memory machine code of nests has for what it pushes, at first, and at most if it runs in one
// part, and how many operations it runs at most between two looks at the limits, if it may run in parts.
type nesting struct {
	first, most uint64
	work        float64
}

var defaultNesting = nesting{1 << 20, 1 << 28, 1 << 26}

const (
	mostShort   = 16 // iterations of a short loop
	nestWork    = 2  // times more than machine code of a loop is to do, to be worth its making: it is in place of kernels
	mostReached = 3  // results of a statement: there is code for each set of them that may be reached
)

// worthNest reports whether machine code of a statement is worth its making, if there is any.
func (m *Machine) worthNest(v *vector) bool {
	work := v.nests.work
	if m.p.src.Taped {
		work *= tapedWork
	}
	return work != 0 && work*m.manyRuns() >= nestWork*cmp.Or(m.NativeWork, NativeWork) && !m.NoNative &&
		m.bounds.MaxSteps == 0 && wasm.Supported()
}

// nestOf is the machine code of a statement for the operands that it has, nil if there is none or if it is not worth
// making. reached says which of the results are reached, by bits.
func (m *Machine) nestOf(v *vector, s *laneState, reached int) *native.Nest {
	if !m.worthNest(v) {
		return nil
	}
	n := v.nests
	key := make([]byte, 0, 64)
	for _, i := range v.inputs {
		if s.mixed[i] {
			return nil
		}
		key = append(key, 0)
		if s.live[i] {
			key[len(key)-1] = 1
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	made, ok := n.made[string(key)]
	if !ok {
		for set := range 1 << len(v.results) {
			nest := native.NewNest(v.src, func(i int) bool { return s.live[i] }, func(k int) bool { return set>>k&1 != 0 },
				m.p.src.Taped)
			if made = append(made, nest); nest == nil {
				made = nil
				break
			}
		}
		if made != nil {
			if _, _, ok := made[len(made)-1].Code(); !ok {
				made = nil
			}
		}
		n.made[string(key)] = made
	}
	if made == nil {
		return nil
	}
	return made[reached]
}

// nestMemory makes memory for machine code, with room for so many bytes that are pushed. Words stay.
func (m *Machine) nestMemory(n *native.Nest, st *nestState, bytes uint64, pc int32) error {
	if err := m.reserve(int(bytes), pc); err != nil {
		return err
	}
	for _, i := range st.instances {
		i.Close()
	}
	words := st.words
	st.memory = wasm.NewMemory(uint64(wasm.TableBytes+8*n.Words)+bytes, false)
	st.words = unsafe.Slice((*uint64)(unsafe.Pointer(&st.memory[wasm.TableBytes])), n.Words)
	if copy(st.words, words) == 0 {
		n.Begin(st.words)
	}
	forward, backward, _ := n.Code()
	if st.instances = append(st.instances[:0], wasm.Instantiate(m, forward, st.memory)); backward != nil {
		st.instances = append(st.instances, wasm.Instantiate(m, backward, st.memory))
	}
	return nil
}

// nestState is what a machine has for machine code: memory as that of like, if it is not nil, which pushes no less.
func (m *Machine) nestState(n *native.Nest, v *vector, like *nestState, pc int32) (*nestState, error) {
	if st := m.nests[n]; st != nil {
		return st, nil
	}
	if m.nests == nil {
		m.nests = map[*native.Nest]*nestState{}
	}
	st := &nestState{parts: 1, record: -1}
	if v.nests.work > m.nesting.work || n.Room > float64(m.nesting.most) {
		st.parts = n.Parts
	}
	bytes := min(max(m.nesting.first, uint64(n.Room)/uint64(st.parts)), m.nesting.most)
	if like != nil {
		st.parts, bytes = like.parts, uint64(len(like.memory))
	}
	if err := m.nestMemory(n, st, bytes, pc); err != nil {
		return nil, err
	}
	m.nests[n] = st
	return st, nil
}

// nestInputs puts the operands in memory, for the forward code.
func (v *vector) nestInputs(n *native.Nest, s *laneState, st *nestState) {
	n.Inputs(st.words, func(i, lo int, data []uint64) {
		from := s.vals[i]
		if v.lanes[i].op == ir.LaneLoad {
			from = s.in[i].data[s.in[i].first+lo:]
		}
		for k := range data {
			data[k] = math.Float64bits(from[k])
		}
	})
	n.Ahead(st.words)
}

// runPart runs part k of machine code of a nest, forward, or backward from where what was pushed ends.
func (m *Machine) runPart(n *native.Nest, v *vector, st *nestState, k, code int, top uint64, pc int32) error {
	params := n.Part(st.words, k, st.parts, top, uint64(len(st.memory)))
	st.instances[code].Run(params[:])
	if m.fuel -= int64(v.nests.work) / int64(st.parts*vectorSteps); m.fuel < 0 {
		return m.look(pc)
	}
	return nil
}

// runNest runs the machine code of a statement, and reports whether it could.
func (m *Machine) runNest(n *native.Nest, v *vector, s *laneState, words int, pc int32) (ok bool, err error) {
	st, err := m.nestState(n, v, nil, pc)
	if err != nil {
		return false, err
	}
	v.nestInputs(n, s, st)
	for k := 0; k < st.parts; {
		if err := m.runPart(n, v, st, k, 0, n.Stack(), pc); err != nil {
			return false, err
		}
		_, full := n.Top(st.words)
		switch size := uint64(len(st.memory)); {
		case !full:
			k++
		case size < m.nesting.most || st.parts == n.Parts && size < native.MostRows/4:
			if err := m.nestMemory(n, st, 4*size, pc); err != nil {
				return false, err
			}
		case st.parts < n.Parts:
			st.parts = n.Parts
		default:
			return false, nil
		}
	}
	for _, b := range v.masked {
		m.counters[b.block] += n.Entered(st.words, b.loop, b.mask)
	}
	st.record, st.run = words, m.runs
	for k := range v.results {
		at := v.results[k].lane
		s.vals[at] = sized(&s.own[at], 1)
		s.vals[at][0] = n.Result(st.words, k)
	}
	return true, nil
}

// Nests is how many vector statements have had machine code in place of the kernels, of nests or of loops.
func (m *Machine) Nests() int { return len(m.nests) + m.native.left }

// nestBack is the backward phase of a statement that has run as machine code.
func (m *Machine) nestBack(v *vector, s *laneState, r *record) error {
	set, whole := 0, 1<<len(v.results)-1
	for k := range v.results {
		for j := range v.results { // some may be the same number
			if v.results[j].lane == v.results[k].lane && m.reached[r.base+v.results[j].first] {
				set |= 1 << k
			}
		}
	}
	n := m.nestOf(v, s, set)
	st, err := m.nestState(n, v, m.nests[m.nestOf(v, s, whole)], m.pc)
	if err != nil {
		return err
	}
	n.Behind(st.words)
	for k := range v.results {
		if m.reached[r.base+v.results[k].first] {
			n.Arrive(st.words, k, m.adjoint[r.base+v.results[k].first])
		}
	}
	again := st.parts > 1 || st.record != r.words || st.run != m.runs
	if again {
		v.nestInputs(n, s, st)
		st.record = -1
	}
	top, _ := n.Top(st.words)
	for k := st.parts - 1; k >= 0; k-- {
		if again {
			if err := m.runPart(n, v, st, k, 0, n.Stack(), m.pc); err != nil {
				return err
			}
			var full bool
			if top, full = n.Top(st.words); full {
				panic("exec: machine code pushes more than in the forward phase")
			}
		}
		if err := m.runPart(n, v, st, k, 1, top, m.pc); err != nil {
			return err
		}
	}
	n.Cells(st.words, func(i, kind int, times uint64) { s.count(m, v.lanes[i].kind, kind, times) })
	n.Arrived(st.words, func(i, at int, adjoint float64) {
		x := &s.adj[i]
		if v.lanes[i].op == ir.LaneScalar {
			m.arrive(uint64(x.zero), adjoint)
		} else {
			x.adj[x.zero+at] += adjoint
			x.reached[x.zero+at] = true
		}
	})
	return nil
}
