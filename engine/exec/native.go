package exec

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/kernel"
)

// NativeWork is how many operations, at least, make machine code of a loop worth making, or as many as the iterations
// have that [ir.Enter] or [ir.Hot] asks for: those that the loop has made in this run
// of the program, and those of the iterations that are left, times the number of runs. Earlier runs do not count, so
// all runs have the same bits. An operation that goes on the tape counts as tapedWork.
const (
	NativeWork = 160_000
	tapedWork  = 4
)

const (
	leastWork   = 50      // operations, which take as long as to enter machine code and to leave it
	manyRuns    = 50      // that are to pay for machine code, if it is not said how many there are
	chunkSteps  = 1 << 20 // of machine code at most between two looks at the limits
	backSteps   = 1 << 14 // of short loops in the backward phase
	spareRows   = 1 << 17 // bytes of memory for rows that are made again
	mostChanges = 8       // iterations that may change what is reached until flags say it in all others
)

// nativeLoop is a loop that machine code may take. Any number of machines may use it.
type nativeLoop struct {
	f     *ir.Func
	label uint32
	end   int32 // the code behind the loop
	size  float64
	pays  float64 // after how many iterations machine code pays
	only  bool    // [ir.Hot] leads to it: it is not left to the interpreter where machine code can take it
	// The instructions at the ends of the loops around it.
	around []instr

	mu    sync.Mutex
	made  bool
	loop  *native.Loop // nil: it is none for machine code
	forms map[string]*nativeForm
}

// get is the loop for machine code, nil if there is none.
func (l *nativeLoop) get(p *ir.Program) *native.Loop {
	if !l.made {
		l.made, l.forms = true, map[string]*nativeForm{}
		if l.loop = native.New(p, l.f, l.label); l.only && l.loop != nil { // for no signature
			none := make([]uint32, len(l.loop.Inputs)+len(l.loop.States))
			if l.loop.Form(none, func(ir.Reg, bool) native.Object { return native.Object{} }, true, false) == nil {
				l.loop = nil
			}
		}
	}
	return l.loop
}

// nativeForm is the code of a loop for a signature.
type nativeForm struct {
	*native.Form        // nil: there is none, or it is not stable
	steps        uint64 // at most, of an iteration
	cellSteps    uint64
	chunk        int // iterations
	mu           sync.Mutex
	codes        map[string]*native.Code   // the forward code, and the backward codes by what is reached
	last         atomic.Pointer[reachedBy] // the last of these
}

// reachedBy is the backward code where something is reached.
type reachedBy struct {
	reach []native.Reach
	made  native.Reach
	code  *native.Code
}

// loopState is what a machine knows of a loop.
type loopState struct {
	ran float64 // operations that have run
	// How often there was no form in a row, and how many iterations there are until the next try.
	fails, skip int
	key         []byte // of the last form
	form        *nativeForm
}

// nativeLoops is what a machine has for machine code of loops.
type nativeLoops struct {
	native.Memory
	full  bool   // there was no memory for more rows
	made  uint64 // numbers of rows
	again uint64 // numbers of rows that are made again
	key   []byte
	sig   []uint32
	seen  []uint64
	back  uint64    // steps of cells since the last look at the limits
	saved []float64 // states that are vectors
	left  int       // statements that were left to loops
	reach []native.Reach
}

// book asks for memory at a place.
func (m *Machine) book(pc int32) func(bytes int) error {
	return func(bytes int) error { return m.reserve(bytes, pc) }
}

// tryNative runs what is left of a loop as machine code, if that is worth it. It returns where the interpreter goes on,
// −1 if in the loop.
func (m *Machine) tryNative(in *instr, fp unsafe.Pointer, pc int32) (int32, error) {
	l := m.p.loops[in.k]
	if b := m.again.back; b != nil && b.head == pc && len(m.frames) == 1 {
		return -1, nil
	}
	i := at(fp, in.d).V
	left := i + 1
	if in.b != 0 {
		left = at(fp, in.a).V - i
	}
	size := m.work(l)
	work := left * size
	st := &m.loops[in.k]
	if work < min(leastWork, m.NativeWork) || st.skip > 0 || !m.worth(l, st.ran, work, fp) {
		st.skip = max(0, st.skip-1)
		st.ran += size
		return -1, nil
	}
	var code *native.Code
	f := m.nativeForm(l, st, fp)
	if f.Form != nil && f.fills(i+left) && m.canNest(f, fp, work) {
		code = f.code("", f.Forward)
	}
	if code != nil {
		whole, err := m.runNative(f, code, fp, uint64(left), i, pc)
		if st.fails = 0; whole || err != nil {
			st.ran += work
			return l.end, err
		}
		st.fails = 20 // there is no memory for more
	}
	st.fails = min(st.fails+1, 20)
	st.skip = 1<<st.fails - 2
	return -1, nil
}

// canNest reports whether a form that has loops inside, or tables, may be run: with limits of steps and nodes the
// interpreter runs the loops, and tables are of data that is stored. What is to be copied in each run is not to be much
// larger than the work is, but for the data of the program.
func (m *Machine) canNest(f *nativeForm, fp unsafe.Pointer, work float64) bool {
	if f.Stacked && (m.bounds.MaxSteps != 0 || m.bounds.MaxNodes != 0) {
		return false
	}
	n, copied := 0, 0
	for i := range f.Tables {
		switch r := f.tableRef(i, fp); {
		case f.Tables[i].Copied():
			copied += m.sizeOf(r)
		case object(r) > uint64(len(m.p.src.Data)) && m.native.Place(object(r)) == 0:
			n += m.sizeOf(r)
		}
		if r := f.tableRef(i, fp); r&isDense != 0 && m.windowOf(object(r)) != nil {
			return false
		}
	}
	return n <= max(mostTables, int(tableWork*work)) && copied <= max(mostListed, int(work/copyWork))
}

const (
	mostTables = 1 << 12 // numbers in tables that any loop may have,
	tableWork  = 4       // and for an operation of one
	mostListed = 16      // numbers that are copied to memory for any loop,
	copyWork   = 0.5     // and operations for one more
)

// tableRef refers to the vector that is a table of a form.
func (f *nativeForm) tableRef(i int, fp unsafe.Pointer) uint64 {
	if t := &f.Tables[i]; !t.Static {
		return at(fp, slotSize*uint32(t.Object)).A
	}
	return isDense | ref(uint64(f.Tables[i].Object), 0)
}

// sizeOf is how many numbers a vector has from the one on to which a reference refers.
func (m *Machine) sizeOf(r uint64) int {
	if r&isDense != 0 {
		return len(m.dense[object(r)].data) - int(off(r))
	}
	return int(math.Float64bits(m.heap[object(r)].V) - off(r))
}

// objectOf is what a loop is to know of a vector.
func (m *Machine) objectOf(r uint64) (o native.Object) {
	if r&isDense != 0 {
		v := &m.dense[object(r)]
		o.Some = [2]bool{v.base == 0 || v.live != nil, v.base != 0}
		o.Listed = v.live != nil || v.owned
		return o
	}
	o.Listed = true
	from := slotOf(r, 0)
	for _, s := range m.heap[from : from+uint64(m.sizeOf(r))] {
		k := 0
		if s.A != 0 {
			k = 1
		}
		o.Some[k] = true
	}
	return o
}

// notReached is an adjoint in memory at which nothing has arrived.
var notReached = math.Copysign(0, -1)

// memoryTable copies a vector to memory, from the number on to which a reference refers, and appends the addresses of
// these to the words of the tape.
func (m *Machine) memoryTable(t *native.Table, r uint64, pc int32) (at uint64, size int, err error) {
	n := &m.native
	width, size := t.Width(), t.Slots()
	if size == 0 {
		size = m.sizeOf(r)
	}
	if err := n.Reserve(uint64(size*width), 0, m.book(pc)); err != nil {
		return 0, 0, err
	}
	at, width = n.Used, width/8
	n.Used += uint64(8 * size * width)
	numbers := n.Numbers(at, size*width)
	clear(numbers)
	for k := range size {
		s, err := m.load(r, uint64(k), pc)
		if err != nil {
			return 0, 0, err
		}
		if numbers[k*width] = s.V; width > 1 {
			numbers[k*width+1] = notReached
			m.tape.words = append(m.tape.words, s.A)
		}
		if width > 2 && s.A != 0 {
			numbers[k*width+2] = 1
		}
	}
	return at, size, nil
}

// table puts a dense vector in memory, if it is not there and there is room, and returns where.
func (m *Machine) table(k uint64, static bool, pc int32) (at uint64, ok bool) {
	data := m.dense[k].data
	at, had, err := m.native.Table(k, len(data), m.p.src.Taped || static, m.book(pc))
	if err == nil && !had {
		copy(m.native.Numbers(at, len(data)), data)
	}
	return at, err == nil
}

// worth reports whether machine code of a loop pays: the loop has done some work in this run, and has work to do now.
// In each iteration that the loops around it have left it has as much again.
func (m *Machine) worth(l *nativeLoop, ran, work float64, fp unsafe.Pointer) bool {
	many, least := m.manyRuns(), max(1, l.pays*m.work(l)/NativeWork)*m.NativeWork
	for _, in := range l.around {
		if (ran+work)*many >= least {
			break
		}
		work *= iterations(&in, fp)
	}
	return (ran+work)*many >= least
}

// iterations is how many a loop has left, with the one that runs. The instruction is that at its end.
func iterations(in *instr, fp unsafe.Pointer) float64 {
	if in.op == ir.Prev {
		return at(fp, in.d).V + 1
	}
	return at(fp, in.a).V - at(fp, in.d).V
}

// work is that of an iteration of a loop.
func (m *Machine) work(l *nativeLoop) float64 {
	if m.p.src.Taped {
		return tapedWork * l.size
	}
	return l.size
}

// manyRuns is how many runs are to pay for machine code.
func (m *Machine) manyRuns() float64 { return float64(cmp.Or(m.Runs, manyRuns)) }

// hot reports whether a loop of numbers, which machine code may take, is to run in place of the one that it is made of.
func (m *Machine) hot(in *instr, fp unsafe.Pointer) bool {
	left := at(fp, in.d).V + 1
	if in.k == 0 {
		left = at(fp, in.a).V - at(fp, in.d).V
	}
	l, st := m.p.loops[in.m], &m.loops[in.m]
	work := left * m.work(l)
	if m.worth(l, st.ran, work, fp) && m.possible(l) {
		return true
	}
	st.ran += work
	return false
}

// leaves reports whether a vector statement is left to machine code of its loops, which is estimated to be faster.
func (m *Machine) leaves(in *instr, v *vector, fp unsafe.Pointer) bool {
	if m.loops == nil || m.loops[in.b].fails > 0 || m.bounds.MaxSteps != 0 || m.bounds.MaxNodes != 0 {
		return false
	}
	l, st := m.p.loops[in.b], &m.loops[in.b]
	work := float64(v.src.Loops[0].Size) * m.work(l)
	if work < leastWork || !m.worth(l, st.ran, work, fp) || !m.possible(l) {
		return false
	}
	m.native.left++
	return true
}

// possible reports whether there is machine code of a loop, for some signature.
func (m *Machine) possible(l *nativeLoop) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.get(m.p.src) != nil
}

// fills reports whether a loop of n iterations makes whole vectors.
func (f *nativeForm) fills(n float64) bool {
	return !slices.ContainsFunc(f.Targets, func(t native.Target) bool { return t.Slots != int(n)*t.Width })
}

// nativeForm is the form of a loop for what the registers have now.
func (m *Machine) nativeForm(l *nativeLoop, st *loopState, fp unsafe.Pointer) *nativeForm {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.get(m.p.src) == nil {
		return &nativeForm{}
	}
	n := &m.native
	n.sig, n.key = n.sig[:0], n.key[:0]
	seen := n.seen[:0]
	for k, regs := range [][]ir.Reg{l.loop.Inputs, l.loop.States} {
		for i, r := range regs {
			a := at(fp, slotSize*uint32(r)).A
			class := uint32(0)
			switch {
			case a&isRef != 0 && (k == 0 || l.loop.Carried[i]):
				class = native.Vector
				n.key = append(n.key, objectKey(m.objectOf(a)))
			case a&isRef != 0: // nothing reads it
			case a != 0:
				k := slices.Index(seen, a)
				if k < 0 {
					k = len(seen)
					seen = append(seen, a)
				}
				class = uint32(k + 1)
			}
			n.sig = append(n.sig, class)
			n.key = append(n.key, byte(class), byte(class>>8))
		}
	}
	n.seen = seen
	first := !l.loop.Down && at(fp, slotSize*uint32(l.loop.Index)).V == 0
	n.key = append(n.key, bits8(first))
	for _, r := range l.loop.Objects {
		n.key = append(n.key, objectKey(m.objectOf(at(fp, slotSize*uint32(r)).A)))
	}
	if st.form != nil && slices.Equal(st.key, n.key) {
		return st.form
	}
	f := l.forms[string(n.key)]
	if f == nil {
		f = m.p.newForm(l.loop, slices.Clone(n.sig), func(r ir.Reg, static bool) native.Object {
			if static {
				return m.objectOf(isDense | ref(uint64(r), 0))
			}
			return m.objectOf(at(fp, slotSize*uint32(r)).A)
		}, first)
		l.forms[string(n.key)] = f
	}
	st.key, st.form = append(st.key[:0], n.key...), f
	return f
}

// bits8 is some facts as a byte of a key.
func bits8(facts ...bool) (key byte) {
	for i, is := range facts {
		if is {
			key |= 1 << i
		}
	}
	return key
}

// objectKey is what is known of a vector as a byte of a key.
func objectKey(o native.Object) byte { return bits8(o.Listed, o.Some[0], o.Some[1]) }

func (p *Program) newForm(l *native.Loop, sig []uint32, object func(r ir.Reg, static bool) native.Object,
	first bool) *nativeForm {
	f := &nativeForm{codes: map[string]*native.Code{}}
	form := l.Form(sig, object, first, p.src.Taped)
	if form == nil {
		return f
	}
	f.Form = form
	f.steps = max(1, form.Steps(func(b uint32) uint64 { return p.src.Blocks[b].Total }))
	f.cellSteps = max(1, form.CellSteps(func(k native.Kind) uint64 { return p.kinds[p.kindNumber(k)].total }))
	f.chunk = chunkSteps / (l.Instrs + 1)
	for i := range form.Streams {
		s := &form.Streams[i]
		f.chunk = min(f.chunk, (native.StreamBytes/8-s.Width)/max(1, form.Step(s), -form.Step(s)))
	}
	f.chunk = max(1, f.chunk)
	return f
}

func (p *Program) kindNumber(k native.Kind) uint32 { return p.kindOf[k.Sym] + uint32(k.Live) }

// code is the code with the key, which make makes.
func (f *nativeForm) code(key string, make func() *native.Code) *native.Code {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.codes[key]
	if !ok {
		c = make()
		f.codes[key] = c
	}
	return c
}

// The words of a record of a loop: the iterations, the place of the rows, or of those of checkpoints, how many
// iterations there are between two of these, the first index, how many statements it stands for, where the vectors
// begin that it changes, and how many numbers from there on the last words are. Behind them are the inputs, each with
// its address, the addresses of the states at first and the states behind the loop, and of each stream its vector and
// its first number, as of each table, or its place in memory and how many numbers it has there. Then follow the
// addresses of what targets have before, those of the numbers of tables in memory, and, where there are several
// backward phases, the numbers that are in memory when one begins.
const (
	wordLeft = iota
	wordRows
	wordEach
	wordIndex
	wordStatements
	wordChanged
	wordNumbers
	wordInputs
)

// pass is the way of machine code through a loop.
type pass struct {
	m      *Machine
	f      *nativeForm
	pc     int32
	base   int     // the first address of the numbers that the loop makes
	start  float64 // the first index
	inputs []uint64
	first  []uint64 // of each stream its vector and its first number
}

// table is the vector of table i, and where its numbers begin there.
func (w *pass) table(i int) (vector, begin uint64) {
	at := w.first[2*(len(w.f.Streams)+i):]
	return at[0], at[1]
}

// index is that of iteration j.
func (w *pass) index(j uint64) float64 {
	if w.f.Down {
		return w.start - float64(j)
	}
	return w.start + float64(j)
}

// streams puts what the iterations from j on read in memory, and the places of what the first of them reads, or the
// last, on the stack.
func (w *pass) streams(j uint64, count int, backward bool) (err error) {
	n := &w.m.native
	base := w.base
	w.each(j, count, func(k int, s *native.Stream, to []float64, place stride) {
		switch {
		case err != nil:
		case !s.Made:
			w.runs(k, count, place, func(from, at, n int) {
				if err == nil {
					err = w.m.read(to[at:at+n], w.first[2*k], uint64(from), s.Static, w.pc)
				}
			})
		case backward && s.Live:
			w.arrived(base, k, s, j, count)
		}
		if s.Made {
			base += len(w.m.dense[w.first[2*k]].data)
		} else if backward && s.Live {
			used := max(w.f.Step(s), -w.f.Step(s))*(count-1) + s.Width
			clear(n.Numbers(native.StreamAt(k)+native.StreamBytes, used))
			clear(n.Numbers(native.StreamAt(k)+2*native.StreamBytes, used))
		}
		first := 0
		if backward {
			first = count - 1
		}
		_, at := place.of(first)
		n.Params[2+k] = native.StreamAt(k) + 8*uint64(at)
	})
	return err
}

// arrived puts what has arrived at the numbers of stream k that count iterations from j on have made in memory.
func (w *pass) arrived(base, k int, s *native.Stream, j uint64, count int) {
	from, numbers := base+int(w.first[2*k+1])+int(j)*s.Width, count*s.Width
	adjoint, reached := w.m.adjoint[from:][:numbers], w.m.reached[from:][:numbers]
	copy(w.m.native.Numbers(native.StreamAt(k)+native.StreamBytes, numbers), adjoint)
	flags := w.m.native.Numbers(native.StreamAt(k)+2*native.StreamBytes, numbers)
	for i, r := range reached {
		if flags[i] = 0; r {
			flags[i] = 1
		}
	}
	clear(adjoint)
	clear(reached)
}

// made says whether something has arrived at the numbers that count iterations from j on have made.
func (w *pass) made(j uint64, count int) native.Reach {
	n, base := uint64(0), w.base
	for k := range w.f.Streams {
		if s := &w.f.Streams[k]; s.Made {
			n += kernel.CountTrue(w.m.reached[base+int(w.first[2*k+1])+int(j)*s.Width:][:count*s.Width])
			base += len(w.m.dense[w.first[2*k]].data)
		}
	}
	switch n {
	case 0:
		return native.No
	case uint64(count * w.f.LiveStores()):
		return native.Yes
	}
	return native.Maybe
}

// stored copies what count iterations from j on have made to the vectors.
func (w *pass) stored(j uint64, count int) {
	w.each(j, count, func(k int, s *native.Stream, numbers []float64, place stride) {
		if !s.Made {
			return
		}
		v := &w.m.dense[w.first[2*k]]
		from, _ := place.of(0)
		copy(v.data[from:], numbers[:count*s.Width])
		if v.live != nil {
			w.f.Liven(k, v.live[from:][:count*s.Width], w.m.native.Numbers(native.StreamAt(k)+native.StreamBytes, count*s.Width))
		}
	})
}

// reached adds the adjoints in memory, of what the iterations from j on have read, to those of the tape. whole tells
// at each number of which streams something has arrived: they have no flags.
func (w *pass) reached(whole []bool, j uint64, count int) {
	w.each(j, count, func(k int, s *native.Stream, _ []float64, place stride) {
		if !s.Live || s.Made {
			return
		}
		base, at := int(w.m.dense[w.first[2*k]].base), native.StreamAt(k)+native.StreamBytes
		adj := w.m.native.Numbers(at, native.StreamBytes/8)
		flags := w.m.native.Numbers(at+native.StreamBytes, native.StreamBytes/8)
		w.runs(k, count, place, func(from, to, n int) {
			adjoint, reached := w.m.adjoint[base+from:][:n], w.m.reached[base+from:][:n]
			if whole[k] {
				kernel.Add(adjoint, adjoint, adj[to:to+n])
				kernel.SetTrue(reached)
				return
			}
			for i := range n {
				if flags[to+i] != 0 {
					adjoint[i] += adj[to+i]
					reached[i] = true
				}
			}
		})
	})
}

// adjoints makes room for the adjoints of the tables behind all rows, and for rows that are made again behind them, and
// clears them.
func (w *pass) adjoints() error {
	n, bytes := &w.m.native, uint64(0)
	for i := range w.f.Tables {
		if w.f.Tables[i].Copied() {
			continue
		}
		if k, _ := w.table(i); w.f.Tables[i].Live {
			bytes += 16 * uint64(len(w.m.dense[k].data))
		}
	}
	if len(w.f.Tables) == 0 {
		return nil
	}
	if err := n.Reserve(bytes+spareRows, 0, w.m.book(w.pc)); err != nil {
		return err
	}
	for i := range w.f.Tables {
		k, begin := w.table(i)
		at := n.Words(w.f.FrameTable(i))
		if w.f.Tables[i].Copied() {
			at[0] = k
			continue
		}
		size := len(w.m.dense[k].data)
		if at[0] = n.Place(k) + 8*begin; w.f.Tables[i].Live {
			at[1], at[2] = n.Used+8*begin, n.Used+8*begin+uint64(8*size)
			clear(n.Numbers(n.Used, 2*size))
			n.Used += uint64(16 * size)
		}
	}
	return nil
}

// fromMemory calls do with what has arrived at the numbers of a vector in memory, which are not reached then.
func (w *pass) fromMemory(place uint64, size, width int, do func(k int, adjoint float64)) {
	width /= 8
	numbers := w.m.native.Numbers(place, size*width)
	for k := range size {
		if x := &numbers[k*width+1]; math.Float64bits(*x) != math.Float64bits(notReached) {
			do(k, *x)
			*x = notReached
		}
	}
}

// toMemory puts what has arrived at the numbers of a state that is a vector, from an address on, in memory, and reports
// whether there is any.
func (w *pass) toMemory(base int, place uint64, slots, width int) (some bool) {
	width /= 8
	numbers := w.m.native.Numbers(place, slots*width)
	for k := range slots {
		if a := base + k; w.m.reached[a] {
			numbers[k*width+1] += w.m.adjoint[a] + 0
			some = true
			w.m.adjoint[a], w.m.reached[a] = 0, false
		}
	}
	return some
}

// addAdjoints adds the adjoints of the tables to those of the tape. addresses are those of tables in memory.
func (w *pass) addAdjoints(addresses []uint64) {
	n := &w.m.native
	for i := range w.f.Tables {
		t := &w.f.Tables[i]
		if t.Copied() && t.Width() > 8 {
			place, size := w.table(i)
			w.fromMemory(place, int(size), t.Width(), func(k int, adjoint float64) {
				if a := addresses[k]; a != 0 && a&isRef == 0 {
					w.m.arrive(a, adjoint)
				}
			})
			addresses = addresses[size:]
			continue
		} else if t.Copied() || !t.Live {
			continue
		}
		k, begin := w.table(i)
		at, size, base := n.Words(w.f.FrameTable(i)), len(w.m.dense[k].data), int(w.m.dense[k].base)
		adj, flags := n.Numbers(at[1]-8*begin, size), n.Numbers(at[2]-8*begin, size)
		for j, flag := range flags {
			if flag != 0 {
				w.m.adjoint[base+j] += adj[j]
				w.m.reached[base+j] = true
			}
		}
	}
}

// stride tells where iterations read.
type stride struct{ first, by, behind, step int }

// of is the place of iteration j, in the vector and in memory.
func (s stride) of(j int) (from, to int) { return s.first + j*s.by, s.behind + j*s.step }

// each calls do for each stream with its numbers in memory.
func (w *pass) each(j uint64, count int,
	do func(k int, s *native.Stream, to []float64, place stride)) {
	for k := range w.f.Streams {
		s := &w.f.Streams[k]
		step, by := w.f.Step(s), s.Stride
		if w.f.Down {
			by = -by
		}
		first := int(int64(w.first[2*k+1])) + int(j)*by
		behind := max(0, -step) * (count - 1)
		do(k, s, w.m.native.Numbers(native.StreamAt(k), native.StreamBytes/8), stride{first, by, behind, step})
	}
}

// runs calls do with each run of n numbers of stream k that count iterations read: where they are in the vector, and in
// memory. Those of branches that are not taken may not be there, and are left out.
func (w *pass) runs(k, count int, place stride, do func(from, to, n int)) {
	s, size := &w.f.Streams[k], len(w.m.dense[w.first[2*k]].data)
	if of := w.m.windowOf(w.first[2*k]); of != nil {
		size = of.Data.Rows * of.Data.Width
	}
	run := func(from, to, n int) {
		skip := max(0, -from)
		if n = min(n, size-from); skip < n {
			do(from+skip, to+skip, n-skip)
		}
	}
	a, at := place.of(0)
	if b, last := place.of(count - 1); s.Stride <= s.Width && -s.Stride <= s.Width { // they lie side by side
		run(min(a, b), min(at, last), max(at, last)-min(at, last)+s.Width)
		return
	}
	for j := range count {
		a, at := place.of(j)
		run(a, at, s.Width)
	}
}

// setFrame puts the inputs in the frame.
func (w *pass) setFrame() {
	frame := w.m.native.Frame()
	for i := range w.f.Inputs {
		frame[i] = math.Float64frombits(w.inputs[2*i])
	}
}

// forward runs count iterations from j on, whose rows come to the place rows. The states are in the frame.
func (w *pass) forward(code *native.Code, j uint64, count int, rows uint64) error {
	n := &w.m.native
	n.Params[0], n.Params[1] = uint64(count), rows
	if err := w.streams(j, count, false); err != nil {
		return err
	}
	n.Frame()[w.f.FrameIndex()] = w.index(j)
	if w.f.Stacked {
		n.Stack(w.f.Form, w.m.bounds.RowsMemory, chunkSteps)
	}
	n.Run(code)
	if len(w.f.Targets) > 0 {
		w.stored(j, count)
	}
	return nil
}

// most is how many iterations of so many steps may be run until the next look at the limits.
func (m *Machine) most(steps uint64) uint64 {
	n := uint64(chunkSteps)
	if most := m.bounds.MaxSteps; most != 0 {
		n = min(n, most-min(m.steps(), most))
	}
	return max(1, n/steps)
}

// runNative runs what is left of a loop.
// whole says that there was memory for all of it: where there is none for more rows of loops inside, the interpreter
// goes on behind the iterations that have run.
func (m *Machine) runNative(f *nativeForm, code *native.Code, fp unsafe.Pointer, left uint64, index float64,
	pc int32) (whole bool, err error) {
	n, t := &m.native, &m.tape
	words := len(t.words)
	add := func(x ...uint64) { t.words = append(t.words, x...) }
	reg := func(r ir.Reg) *Slot { return at(fp, slotSize*uint32(r)) }
	n.Used = max(n.Used, native.RowsAt)
	before := n.Used
	tables, static := make([]uint64, len(f.Tables)), before // the places; behind those that stay
	for _, first := range [...]bool{true, false} {
		for i := range f.Tables {
			if f.Tables[i].Static != first || f.Tables[i].Copied() {
				continue
			}
			r := f.tableRef(i, fp)
			k, begin := object(r), off(r)
			at, ok := m.table(k, first, pc)
			if !ok {
				return false, nil
			}
			tables[i] = at + 8*begin
		}
		if first {
			static = n.Used
		}
	}
	rows, each, stop, err := m.roomForRows(f, left, pc)
	if err != nil || (f.Stacked || f.Stores()) && each > 0 {
		return false, err
	}
	defer func(n int) { m.collected = m.collected[:n] }(len(m.collected))
	made, slots, err := m.newTargets(f, reg, int(index), pc)
	if err != nil {
		return false, err
	}
	add(left, rows, each, math.Float64bits(index), 0, 0, 0)
	for _, r := range f.Inputs {
		add(math.Float64bits(reg(r).V), reg(r).A)
	}
	states := f.AllStates()
	for _, r := range f.States {
		add(reg(r).A)
	}
	last := len(t.words) // the states behind the loop
	add(make([]uint64, states)...)
	for k := range f.Streams {
		s := &f.Streams[k]
		vector, first := uint64(s.Object), f.First(s, func(i int) float64 { return reg(f.Inputs[i]).V }, index)
		if s.Made {
			vector, first = uint64(made[k-len(f.Streams)+len(made)]), int(index)*s.Width
		} else if !s.Static {
			r := reg(s.Object).A
			vector, first = object(r), first+int(off(r))
		}
		add(vector, uint64(first))
	}
	places := len(t.words)
	for i := range f.Tables {
		r := f.tableRef(i, fp)
		add(object(r), off(r))
	}
	for _, t := range f.Targets {
		for _, s := range m.before(reg(t.Reg).A, int(index)*t.Width) {
			add(s.A)
		}
	}
	t.words[words+wordChanged] = n.Used
	for i := range f.Tables {
		if f.Tables[i].Copied() {
			at, size, err := m.memoryTable(&f.Tables[i], f.tableRef(i, fp), pc)
			if err != nil {
				return false, err
			}
			tables[i], t.words[places+2*i], t.words[places+2*i+1] = at, at, uint64(size)
		}
	}
	home := uint64(f.HomeBytes())
	if m.p.src.Taped {
		home = 0
	}
	homes := n.Used
	if home > 0 {
		if err := n.Reserve(2*home, 0, m.book(pc)); err != nil {
			return false, err
		}
		n.Used += 2 * home
		words := n.Words(f.FrameStack())
		words[native.StackHome], words[native.StackOther] = homes, homes+home
	}
	w := m.passOf(f, t.words[words:], pc)
	w.setFrame()
	frame := n.Frame()
	for i := range states {
		if table, _, _, ok := f.Vector(i); ok {
			if table >= 0 {
				frame[f.FrameState(i)] = float64(tables[table])
			}
		} else if of, ok := f.Initial(i); !ok {
			frame[f.FrameState(i)] = reg(f.States[i]).V
		} else if a := reg(f.States[of]).A; a != 0 && a&isRef == 0 {
			frame[f.FrameState(i)] = 1
		} else {
			frame[f.FrameState(i)] = 0
		}
	}
	for i, at := range tables {
		n.Words(f.FrameTable(i))[0] = at
	}
	j, tries := uint64(0), math.MaxInt // iterations that there is memory for
	for j < left && tries > 0 {
		if j == stop {
			return false, m.limit("nodes", m.bounds.MaxNodes, pc, nil)
		}
		count := min(stop-j, m.most(f.steps), uint64(f.chunk))
		place := rows + 8*uint64(f.Row)*j
		if each > 0 {
			if j%each == 0 {
				for i := range states {
					add(math.Float64bits(frame[f.FrameState(i)]))
				}
				w = m.passOf(f, t.words[words:], pc)
			}
			count, place = min(count, each-j%each), n.Used
		}
		changed := func(do func(numbers []float64)) { // to be put back where the stack has no room for the iterations
			if home > 0 {
				do(n.Numbers(homes, int(2*home/8)))
			}
			for i := range f.States {
				if _, slots, width, ok := f.Vector(i); ok && f.Owns() {
					do(n.Numbers(uint64(frame[f.FrameState(i)]), slots*width/8))
				}
			}
		}
		n.saved = n.saved[:0]
		changed(func(numbers []float64) { n.saved = append(n.saved, numbers...) })
		if err := w.forward(code, j, min(int(count), tries), place); err != nil {
			return false, err
		}
		if count = min(count, uint64(tries)); f.Stacked {
			stack := n.Words(f.FrameStack())
			full := stack[native.StackLeft] == native.StackFull
			switch {
			case !full:
				count -= stack[native.StackLeft]
				n.made += (stack[native.StackTop] - n.Used) / 8
				n.Used = stack[native.StackTop]
			case !n.Grow(m.bounds.RowsMemory, m.bounds.MaxMemory/8, m.book(pc)):
				tries = int(count) / 2
			}
			if frame = n.Frame(); full {
				saved := n.saved
				changed(func(numbers []float64) { saved = saved[copy(numbers, saved):] })
				continue
			}
		}
		total := m.countBlocks(f, 0, count)
		statements := count * f.Cells(0)
		for i, g := range code.Groups {
			times := uint64(frame[f.FrameCounter(i)])
			total += m.countBlocks(f, g.Region, times)
			statements += times * f.Cells(g.Region)
		}
		t.words[words+wordStatements] += statements
		if each == 0 {
			n.made += count * uint64(f.Row)
		} else {
			n.again += count * uint64(f.Row)
		}
		j += count
		if m.fuel -= int64(total); m.fuel < 0 {
			if err := m.look(pc); err != nil {
				return false, err
			}
		}
	}
	if whole = j == left; j == 0 {
		t.words = t.words[:words]
		n.Forget(before)
		return false, nil
	}
	t.words[words+wordLeft] = j
	if reg(f.Index).V = w.index(j); whole && f.Down {
		reg(f.Index).V = 0
	}
	base := uint64(0)
	if m.p.src.Taped {
		for i := range states {
			t.words[last+i] = math.Float64bits(frame[f.FrameState(i)])
		}
		if base, err = m.pushRecord(f, len(f.States)+slots+f.slots(), pc); err != nil {
			return false, err
		}
		t.records[len(t.records)-1].words = words
		if at := t.words[words+wordChanged]; f.Owns() && m.p.several && n.Used > at {
			t.words[words+wordNumbers] = (n.Used - at) / 8
			add(n.Integers(at, int(n.Used-at)/8)...)
		}
	} else {
		t.words, n.Used = t.words[:words], static
	}
	at := uint32(base) + uint32(len(f.States))
	for i, t := range f.Targets {
		v := &m.dense[made[i]]
		if v.base = at; base == 0 || v.live != nil && !slices.Contains(v.live, true) {
			v.base, v.live = 0, nil
		}
		at += uint32(t.Slots)
		if !whole { // the interpreter sets the other slots
			for k := int(index) * t.Width; k < (int(index)+int(j))*t.Width; k++ {
				m.heap[slotOf(reg(t.Reg).A, uint64(k))] = v.element(uint64(k))
			}
			continue
		}
		m.replace(reg(t.Reg), made[i], t.Slots, true)
	}
	for i := range f.Tables {
		t := &f.Tables[i]
		if !t.Filled {
			continue
		}
		slots := t.Slots()
		id, err := m.vectorIn(tables[i], slots, t.Width(), at, pc)
		if err != nil {
			return false, err
		}
		at += uint32(slots)
		if m.replace(reg(t.Object), id, slots, whole); !whole {
			for k := range uint64(slots) {
				m.heap[slotOf(reg(t.Object).A, k)] = m.dense[id].element(k)
			}
		}
	}
	for i, r := range f.States {
		if _, slots, width, ok := f.Vector(i); ok {
			id, err := m.vectorIn(uint64(frame[f.FrameState(i)]), slots, width, at, pc)
			if err != nil {
				return false, err
			}
			*reg(r) = Slot{A: isDense | ref(uint64(id), 0)}
			at += uint32(slots)
			continue
		}
		s := Slot{V: frame[f.FrameState(i)]}
		if base != 0 && f.LiveOut(i, func(k int) float64 { return frame[f.FrameState(k)] }) {
			s.A = base + uint64(f.Shared(i))
		}
		*reg(r) = s
	}
	return whole, nil
}

// replace puts a dense vector in the place of one of the heap, to which nothing else refers, if all of it is made.
func (m *Machine) replace(r *Slot, dense uint32, slots int, whole bool) {
	if !whole {
		return
	}
	if o := object(r.A); o+1+uint64(slots) == uint64(len(m.heap)) {
		m.heap, m.nodes = m.heap[:o], m.nodes-uint64(slots+1)
	}
	*r = Slot{A: isDense | ref(uint64(dense), 0)}
}

// slots is how many numbers the states have that are vectors, and the tables that are filled.
func (f *nativeForm) slots() (n int) {
	for i := range f.States {
		_, slots, _, _ := f.Vector(i)
		n += slots
	}
	for i := range f.Tables {
		if t := &f.Tables[i]; t.Filled {
			n += t.Slots()
		}
	}
	return n
}

// vectorIn makes a vector of numbers in memory, whose addresses are from base on.
func (m *Machine) vectorIn(place uint64, slots, width int, base uint32, pc int32) (uint32, error) {
	id, err := m.newDense(slots, pc)
	if err != nil {
		return 0, err
	}
	v := &m.dense[id]
	v.base, v.live = 0, nil
	if width > 8 {
		v.base = base
	}
	if width /= 8; width > 2 {
		v.live = make([]bool, slots)
	}
	numbers := m.native.Numbers(place, slots*width)
	for k := range slots {
		if v.data[k] = numbers[k*width]; v.live != nil {
			v.live[k] = numbers[k*width+2] != 0
		}
	}
	return id, nil
}

// before are the first slots of a vector that a loop makes.
func (m *Machine) before(r uint64, n int) []Slot { return m.heap[slotOf(r, 0):][:n] }

// newTargets makes the vectors that a loop makes, and returns their numbers and how many slots they have in all.
// Iterations below the index have run: what these have made is copied.
func (m *Machine) newTargets(f *nativeForm, reg func(r ir.Reg) *Slot, index int, pc int32) (made []uint32, slots int,
	err error) {
	for i, t := range f.Targets {
		id, err := m.newDense(t.Slots, pc)
		if err != nil {
			return nil, 0, err
		}
		m.collected = append(m.collected, Slot{A: isDense | ref(uint64(id), 0)}) // no register refers to it yet
		v, before := &m.dense[id], m.before(reg(t.Reg).A, index*t.Width)
		v.base, v.live = 0, nil
		if f.Masked(len(f.Streams)-len(f.Targets)+i) || slices.ContainsFunc(before, func(s Slot) bool { return s.A == 0 }) {
			v.live = make([]bool, t.Slots)
		}
		for i, s := range before {
			if v.data[i] = s.V; v.live != nil {
				v.live[i] = s.A != 0
			}
		}
		made = append(made, id)
		slots += t.Slots
	}
	return made, slots, nil
}

// stepsOf are the steps of a region, so many times.
func (m *Machine) stepsOf(f *nativeForm, region int, times uint64) (total uint64) {
	for _, b := range f.Region(region) {
		total += times * m.p.src.Blocks[b].Total
	}
	return total
}

// countBlocks counts what a region counts, so many times, and returns the steps.
func (m *Machine) countBlocks(f *nativeForm, region int, times uint64) (total uint64) {
	for _, b := range f.Region(region) {
		m.counters[b] += times
		total += times * uint64(m.p.blocks[b].total)
	}
	return total
}

// roomForRows makes room for the rows of a loop. Where they would be too many, each is how many iterations have their
// rows at once, which are made again in the backward phase. Behind stop iterations the limit of nodes is passed, if
// that is less than left.
func (m *Machine) roomForRows(f *nativeForm, left uint64, pc int32) (rows, each, stop uint64, err error) {
	n := &m.native
	n.Used, stop = max(n.Used, native.RowsAt), left
	if !m.p.src.Taped || f.Row == 0 {
		return n.Used, 0, stop, n.Reserve(0, 0, m.book(pc))
	}
	if b := m.bounds.MaxNodes; b != 0 && m.bounds.RowsMemory == 0 {
		stop = min(stop, 2*(b-min(b, m.live()))/uint64(f.Row)+1)
	}
	row := 8 * uint64(f.Row)
	most := uint64(native.MostRows) - n.Used
	if b := m.bounds.RowsMemory; b != 0 {
		most = min(most, b-min(b, n.Used-native.RowsAt))
	}
	room := func(bytes uint64) bool {
		if !n.Room(bytes) && !n.full {
			n.full = n.Reserve(bytes, m.bounds.MaxMemory/8, m.book(pc)) != nil // a run ends where little is left
		}
		return n.Room(bytes)
	}
	// There stays room for rows that are made again.
	if over, bytes := bits.Mul64(row, stop); over == 0 && bytes <= most && room(bytes+spareRows) {
		n.Used += bytes
		return n.Used - bytes, 0, stop, nil
	}
	if !room(spareRows) {
		if err := n.Reserve(spareRows, 0, m.book(pc)); err != nil {
			return 0, 0, 0, err
		}
	}
	each = max(1, min(left, spareRows/row, most/2/row))
	return n.Used, each, left, m.reserve(int(left/each)*8*f.AllStates(), pc)
}

// passOf is the pass whose words are given.
func (m *Machine) passOf(f *nativeForm, words []uint64, pc int32) pass {
	at := wordInputs + 2*len(f.Inputs) + len(f.States) + f.AllStates()
	return pass{m: m, f: f, pc: pc, start: math.Float64frombits(words[wordIndex]), inputs: words[wordInputs:],
		first: words[at:]}
}

// backward goes back through the iterations of a loop.
func (f *nativeForm) backward(m *Machine, r *record) (arrivals, cells uint64, err error) {
	n := &m.native
	words := m.tape.words[r.words:]
	left, rows, each := words[wordLeft], words[wordRows], words[wordEach]
	addresses := words[wordInputs+2*len(f.Inputs):]
	last := addresses[len(f.States):]
	w := m.passOf(f, words, m.pc)
	w.base = r.base + len(f.States)
	states := f.AllStates()
	before := w.first[2*(len(f.Streams)+len(f.Tables)):]
	saved := before
	for _, t := range f.Targets {
		saved = saved[int(w.start)*t.Width:]
	}
	for i := range f.Tables {
		if t := &f.Tables[i]; t.Copied() && t.Width() > 8 {
			_, size := w.table(i)
			saved = saved[size:]
		}
	}

	if k := words[wordNumbers]; k > 0 {
		copy(n.Integers(words[wordChanged], int(k)), saved)
	}

	reach := append(n.reach[:0], make([]native.Reach, states)...)
	n.reach = reach
	defer func(used uint64) { n.Used = used }(n.Used)
	if err := w.adjoints(); err != nil {
		return 0, 0, err
	}
	frame := n.Frame()
	some := len(f.Targets) > 0 && kernel.CountTrue(m.reached[w.base:r.base+r.n]) > 0
	vectors := w.base
	for _, t := range f.Targets {
		vectors += t.Slots
	}
	stores := f.Stores()
	for i := range f.Tables {
		if t := &f.Tables[i]; t.Filled {
			if place, _ := w.table(i); t.Width() > 8 && w.toMemory(vectors, place, t.Slots(), t.Width()) {
				some = true
			}
			vectors += t.Slots()
		}
	}
	for i := range f.States {
		if _, slots, width, ok := f.Vector(i); ok {
			if width > 8 && w.toMemory(vectors, uint64(math.Float64frombits(last[i])), slots, width) {
				some = true
			}
			vectors += slots
		}
		a := r.base + i
		frame[f.FrameAdjoint(i)] = m.adjoint[a]
		if m.reached[a] {
			reach[i], some = native.Yes, true
		}
		m.adjoint[a], m.reached[a] = 0, false
	}
	m.searched += words[wordStatements] - uint64(r.n)
	if !some {
		return 0, 0, nil
	}
	for i := range f.Inputs {
		frame[f.FrameInput(i)], frame[f.FrameInput(i)+1] = 0, 0
	}
	w.setFrame()
	if each == 0 {
		each = left
	}
	changes := 0
	for end := left; end > 0; {
		start := (end - 1) / each * each
		if words[wordEach] != 0 {
			rows = n.Used
			for i := range states {
				frame[f.FrameState(i)] = math.Float64frombits(saved[int(start/each)*states+i])
			}
			code := f.code("", nil)
			for j := start; j < end; {
				count := min(end-j, uint64(f.chunk))
				if err := w.forward(code, j, int(count), rows+8*uint64(f.Row)*(j-start)); err != nil {
					return arrivals, cells, err
				}
				m.recomputed += m.stepsOf(f, 0, count)
				for i, g := range code.Groups {
					m.recomputed += m.stepsOf(f, g.Region, uint64(frame[f.FrameCounter(i)]))
				}
				j += count
				if err := m.look(m.pc); err != nil {
					return arrivals, cells, err
				}
			}
		} else {
			for i := range states {
				frame[f.FrameState(i)] = math.Float64frombits(last[i])
			}
		}
		for end > start {
			none := !slices.ContainsFunc(reach, func(r native.Reach) bool { return r != native.No })
			if len(f.Targets) == 0 && !stores && none {
				start, end = 0, 0 // nothing arrives at what is before
				break
			}
			most, made := min(end-start, m.most(f.cellSteps), uint64(f.chunk)), native.No
			if f.Stacked { // loops inside may be long
				most = min(most, max(1, chunkSteps*left/(words[wordStatements]+1)))
			}
			if len(f.Targets) > 0 {
				made = w.made(end-most, int(most))
			}
			for i := range f.States {
				if made == native.Yes && f.Stored(i) {
					reach[i] = native.Yes // it is reached there
				}
			}
			code, count := f.reverse(reach, made, most, &changes)
			if code == nil {
				panic("exec: a loop has no backward code")
			}
			end -= count
			n.Params[0], n.Params[1] = count, rows+8*uint64(f.Row)*(end-start+count-1)
			if err := w.streams(end, int(count), true); err != nil {
				return arrivals, cells, err
			}
			frame[f.FrameIndex()] = w.index(end + count - 1)
			if code.Flagged {
				for i := range reach {
					frame[f.FrameAdjoint(i)+1] = float64(reach[i])
				}
			}
			n.Run(code)
			w.reached(code.Reached, end, int(count))
			if code.Flagged {
				for i := range reach {
					reach[i] = native.Reach(frame[f.FrameAdjoint(i)+1])
				}
			}
			for i, g := range code.Groups {
				times := uint64(frame[f.FrameCounter(i)])
				for _, k := range g.Kinds {
					n := times * k.N
					cells += n
					m.fired[m.p.kindNumber(k.Kind)] += n
					arrivals += n * uint64(bits.OnesCount8(k.Live))
				}
			}
			if n.back += count * f.cellSteps; n.back >= backSteps {
				n.back = 0
				if err := m.look(m.pc); err != nil {
					return arrivals, cells, err
				}
			}
		}
	}
	for i := range f.Inputs {
		if a := w.inputs[2*i+1]; frame[f.FrameInput(i)+1] != 0 && a != 0 && a&isRef == 0 {
			m.arrive(a, frame[f.FrameInput(i)])
		}
	}
	at := w.base
	for _, t := range f.Targets { // what iterations have made before
		for i, a := range before[:int(w.start)*t.Width] {
			m.handOn(at+i, a)
		}
		before, at = before[int(w.start)*t.Width:], at+t.Slots
	}
	w.addAdjoints(before)
	for i := range f.States {
		if a := addresses[i]; reach[i] == native.Yes && a != 0 && a&isRef == 0 {
			m.arrive(a, frame[f.FrameAdjoint(i)])
		}
	}
	return arrivals, cells, nil
}

// reverse is the backward code where this is reached, of states and of what the iterations have made, and how many of
// the iterations, at most most, it takes. changes is how many have been run by the code with flags.
func (f *nativeForm) reverse(reach []native.Reach, made native.Reach, most uint64, changes *int) (*native.Code,
	uint64) {
	if *changes < mostChanges {
		if last := f.last.Load(); last != nil && last.made == made && slices.Equal(last.reach, reach) {
			return last.code, most
		}
		key := make([]byte, 1+len(reach))
		key[0] = byte(made)
		for i, r := range reach {
			key[1+i] = byte(r)
		}
		code := f.code(string(key), func() *native.Code { return f.Backward(reach, made) })
		if code != nil {
			f.last.Store(&reachedBy{slices.Clone(reach), made, code})
			return code, most
		}
		*changes++
		most = 1
	}
	return f.code("flagged "+string(rune('0'+made)), func() *native.Code { return f.Backward(nil, made) }), most
}
