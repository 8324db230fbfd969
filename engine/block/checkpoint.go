package block

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/gram-machine/gram/graph"
)

// Kept are the rows that the loops of a run keep, and the checkpoints of the loops that keep none. The machines of a
// team share them.
type Kept struct {
	Numbers uint64 // of the rows of an object
	mu      sync.Mutex
	bytes   uint64
	asked   uint64 // bytes when it was last asked whether there is room
	full    bool   // there is none for few rows
	loops   []*Checkpoints
}

// MaxRuns is how many runs one object holds. Its rows have [Kept.Numbers]. Each object also takes time for every external dual and for
// every number that all runs share; where these are many, its rows have four times as many numbers. There are no more rows than there is
// room for, in nodes.
func (r *Runner) MaxRuns(plan *graph.Plan, room int64) uint64 {
	numbers := max(r.Kept.Numbers, 4*uint64(len(r.Exts)+plan.Fixed))
	return max(1, min(numbers, 2*uint64(max(0, room)))/uint64(max(1, len(plan.Row))))
}

// Reset forgets the last run.
func (k *Kept) Reset() { k.bytes, k.asked, k.full, k.loops = 0, 0, false, nil }

// book books bytes of rows or states.
func (k *Kept) book(bytes uint64) {
	k.mu.Lock()
	k.bytes += bytes
	k.mu.Unlock()
}

// Checkpoints are the states that a loop keeps in place of its rows: those before the runs of some of its objects. When the
// cells of an object fire, its rows are computed again from the nearest state before it. Which states are kept, and when, is
// the binomial order of A. Griewank and A. Walther, Algorithm 799: Revolve, ACM TOMS 26 (2000). It keeps all if there is room.
type Checkpoints struct {
	Loop    Loop
	f       graph.Ref // the function
	id      uint32    // 1 + the number in Kept.loops
	Each    uint64    // runs of an object; the last may have fewer
	Objects uint64
	first   graph.Ref // the first object; they lie side by side
	units   uint32    // of an object
	most    int       // states

	mu     sync.Mutex
	at     []uint64  // the objects whose states are kept, in order
	states []float64 // theirs, side by side
}

// Within reports whether bytes more of rows and states are at most most.
func (k *Kept) Within(most, bytes uint64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.bytes <= most && bytes <= most-k.bytes
}

// leastRows is for how many bytes of rows a run without a bound on them asks whether there is room. The rows of a loop that are fewer
// than fewRows are kept: a state takes as much.
const (
	leastRows = 1 << 20
	fewRows   = 1 << 10
)

// Room reports whether a loop is to keep so many bytes of rows. room says whether there is room, and is asked for leastRows bytes at least.
func (k *Kept) Room(bytes uint64, room func(bytes uint64) bool) bool {
	if bytes < fewRows {
		return true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	few := bytes < leastRows
	if few && (k.full || k.bytes+bytes-k.asked < leastRows) {
		return !k.full
	}
	k.asked = k.bytes
	ok := room(max(bytes, leastRows))
	k.full = few && !ok
	return ok
}

// loop returns the checkpoints with the id.
func (k *Kept) loop(id uint32) *Checkpoints {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.loops[id-1]
}

// Checkpoints returns the checkpoints of a loop of the function f, whose objects have each so many runs. It returns nil if there is room
// for its rows. The error is that of [Host.Reserve].
func (r *Runner) Checkpoints(l *Loop, plan *graph.Plan, f graph.Ref, each uint64, roomFor func(bytes uint64) bool) (*Checkpoints, error) {
	k := r.Kept
	each = min(l.N, each)
	objects := (l.N-1)/each + 1
	over, rows := bits.Mul64(l.N+objects, 8*uint64(len(plan.Row)))
	if over == 0 && roomFor(rows) {
		k.book(rows)
		return nil, nil // without garbage
	}
	c := &Checkpoints{Loop: *l, f: f, Each: each, Objects: objects}
	// At most half of the room is for the states of one loop, if one state is not more.
	state := uint64(len(l.State()))
	size := 8 * (state + 1)
	most := c.Objects
	for most > 1 && !roomFor(2*most*size) {
		most /= 2
	}
	c.most = int(most)
	k.book(most * size)
	if err := r.host.Reserve(int64(most * size)); err != nil {
		return nil, err
	}
	c.at, c.states = make([]uint64, 0, most), make([]float64, 0, most*state)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.loops = append(k.loops, c)
	c.id = uint32(len(k.loops))
	return c, nil
}

// Keep keeps the state in the registers, which is that before the object i, if there is room. States of later objects are
// dropped.
func (c *Checkpoints) Keep(i uint64, regs []float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, _ := slices.BinarySearch(c.at, i)
	if n == c.most {
		return
	}
	c.at, c.states = append(c.at[:n], i), c.states[:n*len(c.Loop.State())]
	for _, reg := range c.Loop.State() {
		c.states = append(c.states, regs[reg])
	}
}

// nearest puts the last state that is kept before the object i, or an earlier one, into the registers, and returns that object.
func (c *Checkpoints) nearest(i uint64, regs []float64) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := slices.BinarySearch(c.at, i)
	if !ok {
		n--
	}
	for j, reg := range c.Loop.State() {
		regs[reg] = c.states[n*len(c.Loop.State())+j]
	}
	return c.at[n]
}

// Next returns before which object to keep a state next, of those behind at and up to i, when the cells of i are to fire first and
// then those before it.
func (c *Checkpoints) Next(at, i uint64) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	used, ok := slices.BinarySearch(c.at, at)
	if ok {
		used++
	}
	if at >= i || used >= c.most {
		return i
	}
	return at + advance(i-at+1, uint64(c.most-used+1))
}

// advance returns how far to go before the next state is kept, where n ≥ 2 parts are to be reversed and there is room for
// s ≥ 2 states, the first included. With t repetitions at most C(s+t, s) parts can be reversed; for the least t that is
// enough, the number of parts that are run again is the least possible.
func advance(n, s uint64) uint64 {
	s = min(s, n)
	// without and before are C(s+t−1, s−1) and C(s+t, s) of the t before.
	without, before := uint64(1), uint64(1)
	for t := uint64(1); ; t++ {
		all := before + without*(s+t-1)/t // C(s+t, s) = C(s+t−1, s) + C(s+t−1, s−1)
		if all >= n {
			return min(before, n-without)
		}
		without, before = without*(s+t-1)/t, all
	}
}

// again computes the rows of an object without rows again: object i of the loop with the checkpoints. What is the same in all runs is in
// the registers; first are the wirings of the first run, if the block has paths. The error is that of the host, or of the data.
func (r *Runner) again(c *Checkpoints, i uint64, plan *graph.Plan, first []*graph.Wiring) ([]float64, error) {
	l := c.Loop
	at := c.nearest(i, r.Regs)
	for at < i {
		to := c.Next(at, i)
		if err := r.runAgain(c, &l, at, to, &graph.Plan{}, nil); err != nil {
			return nil, err
		}
		at = to
		c.Keep(at, r.Regs)
	}
	if n := (c.Each + 1) * uint64(len(plan.Row)); uint64(len(r.rows)) < n {
		r.rows = nil
		if err := r.host.Reserve(8 * int64(n)); err != nil {
			return nil, err
		}
		r.rows = make([]float64, n)
	}
	l.First = first
	return r.rows, r.runAgain(c, &l, i, i+1, plan, r.rows)
}

// runAgain makes the runs of the objects from one up to another again. They count as recomputed, and as nothing else.
func (r *Runner) runAgain(c *Checkpoints, l *Loop, from, to uint64, plan *graph.Plan, rows []float64) error {
	l.Left = c.Loop.N - from*c.Each
	l.N = min(l.Left, (to-from)*c.Each)
	if err := r.Begin(l, plan); err != nil {
		return err
	}
	for i := uint64(0); i < l.N; {
		if err := r.host.Look(); err != nil {
			return err
		}
		end := min(l.N, i+LookEvery/l.PerRun+1)
		if err := r.MakeRuns(l, plan, rows, i, end); err != nil {
			return err
		}
		r.Recomputed += (end - i) * l.PerRun // which has the steps of the least path
		if l.Block.Paths != nil {
			for k, n := range r.Ran {
				r.Recomputed += n * (l.Block.Paths[k].Steps - l.Block.Steps)
			}
		}
		i = end
	}
	r.KeepLast(l, plan, rows)
	return nil
}
