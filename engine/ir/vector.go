package ir

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/gram-machine/gram/term"
)

// This file finds nests of loops whose iterations do not depend on each other, and makes lane programs of them: each
// instruction of a body becomes one of a [Vector], which runs for all iterations. So does straight code with several
// nests: a region. A [VectorLoop] instruction in front runs the vector. Where it cannot, the loops behind it run.

// Vector is the lane program of a nest of loops. Its loops are numbered, the outermost is 0. A value has a lane for
// each iteration of the loop that it is made in, and of those around it; outside all loops, at −1, it is one number.
type Vector struct {
	Loops  []Nested
	Lanes  []Lane
	Blocks []Times
	// Results are the vectors and numbers that are made. A nest has one. Where Into is not −1, it sets slots behind the
	// reference Args[Into] in place of a new vector.
	Results []Result
	Into    int
	// A region is made of straight code with several nests. If these are one nest with several results, it has rows;
	// otherwise it runs as a whole.
	Region, Rows bool
}

// Count is how many iterations a loop has in all, if each branch is taken.
func (v *Vector) Count(loop int) int {
	n := 1
	for ; loop >= 0; loop = v.Loops[loop].Parent {
		n *= v.Loops[loop].Size
	}
	return n
}

// Result is a vector of Slots numbers, made by the stores that have its number, or the number Lane.
type Result struct{ Slots, Lane int }

// Nested is a loop of a nest: Size iterations in each of the loop Parent, −1: there is none. A loop in a branch of an
// if runs only in the iterations of Parent that take the branch, the lanes of Where that are 1; −1: in all.
type Nested struct{ Parent, Size, Where int }

// Expected is how many iterations a loop has in all, about: every other one takes a branch.
func (v *Vector) Expected(loop int) float64 {
	x := 1.0
	for ; loop >= 0; loop = v.Loops[loop].Parent {
		if x *= float64(v.Loops[loop].Size); v.Loops[loop].Where >= 0 {
			x /= 2
		}
	}
	return x
}

// Packed reports whether a loop, or one around it, does not run in all iterations of the loop around it: how many
// iterations it has depends on the run.
func (v *Vector) Packed(loop int) bool {
	for ; loop >= 0; loop = v.Loops[loop].Parent {
		if v.Loops[loop].Where >= 0 {
			return true
		}
	}
	return false
}

// group is how many iterations a loop has in one of the outermost, or, in a branch, in one of the loop around that.
func (v *Vector) group(loop int) int {
	n := 1
	for ; loop > 0; loop = v.Loops[loop].Parent {
		if n *= v.Loops[loop].Size; v.Loops[loop].Where >= 0 {
			break
		}
	}
	return n
}

// Times is a block that is entered in each iteration of a loop, or where a branch is taken: the lanes of Mask, if
// that is not −1.
type Times struct{ Block, Loop, Mask int }

// Affine is a whole number that is N + Σ By[l] · the index of loop l + Σ Outer.
type Affine struct {
	N     int
	By    [maxLoops]int
	Outer []Outer
}

// Outer is the register Args[Arg] times By.
type Outer struct{ Arg, By int }

// LaneOp is what an instruction of a vector computes.
type LaneOp uint8

// The instructions of vectors.
const (
	LaneNone    LaneOp = iota
	LaneConst          // the number Val
	LaneScalar         // the number in Args[Arg]
	LaneIndex          // the number At
	LaneLoad           // the element At behind the reference Args[Arg], or static
	LaneAdd            // A + B
	LaneMul            // A · B
	LaneFun1           // Sym(A)
	LaneFun2           // Sym(A, B)
	LaneExpand         // A for each iteration of the loops inside
	LaneSum            // the sum of A over the iterations of its loop, or what Sym makes in place of additions
	LaneProduct        // the sum of A · B over the iterations of their loops that are in Loop: both are loads
	LaneStore          // the element At of the vector that is result Arg becomes A
	LaneTake           // the element At of the values A, of a vector that an iteration of the loop B makes
	// An if is a predicate over lanes. Both branches are computed for all of them, and each lane takes the number of
	// one. Only loops in a branch run where it is taken.
	LaneTest   // 1 where A Cmp B, in the lanes that have a 1 in C, if that is not −1; 0 elsewhere
	LaneNot    // 1 where A is 0, in the lanes of C; 0 elsewhere
	LaneSelect // A where C is 1, B where it is 0
	LaneWhere  // the iterations of the loop B, in which A is 1, are known
	// The component of a vector whose number is data is a sum of products with a row of numbers, of which one is 1.
	LaneOneHot // same (A, i) for i from At.N on, for each iteration of the loop B: only picks read it
	LanePick   // the sum of A · B over the iterations of its loop: A is such a row, B a load
)

var laneNames = [...]string{"none", "const", "scalar", "index", "load", "add", "mul", "fun1", "fun2", "expand", "sum",
	"product", "store", "take", "test", "not", "select", "where", "onehot", "pick"}

func (op LaneOp) String() string { return laneNames[op] }

// Lane is an instruction of a vector: what it sets has its own number.
type Lane struct {
	Op   LaneOp
	Sym  term.Symbol
	Loop int // in which the value is made
	A, B int
	C    int // of LaneTest, LaneNot and LaneSelect
	Cmp  term.Compare
	Arg  int // −s: it is static, an element of the vector whose first static slot is s
	At   Affine
	Val  float64
	Pos  term.Pos
	Held bool // of a load: only products read it
	// Of indices: nothing has an adjoint, and no steps are made.
	Indices bool
}

// vectors puts vector statements in front of nests of loops.
func vectors(p *Program, f *Func) {
	if p.Placed { // a profile is of the statements
		return
	}
	w := newVectorizer(p, f)
	w.regions()
	for i := range f.Code {
		if end, ok := w.ends[i]; ok {
			clear(w.unrolled)
			w.nest(i, end)
		}
	}
	if len(w.edits) > 0 {
		w.rewrite()
	}
}

func newVectorizer(p *Program, f *Func) *vectorizer {
	w := &vectorizer{p: p, f: f, sets: make([]int, f.Regs), by: make([]int, f.Regs),
		summed: make([]bool, f.Regs), ends: loopEnds(f.Code), at: Labels(f.Code), unrolled: map[int]bool{},
		windows: map[int]bool{}}
	for n := range w.at {
		w.label = max(w.label, n)
	}
	for i := range f.Code {
		in := &f.Code[i]
		for r := int(in.D); r < int(in.D)+in.Sets(); r++ {
			if in.Op == SumAdd { // its registers are those of a sum
				w.summed[r] = true
				continue
			}
			w.sets[r]++
			w.by[r] = i
		}
	}
	return w
}

// vectorizer makes the vectors of a function.
type vectorizer struct {
	p    *Program
	f    *Func
	sets []int
	// summed says which registers are those of a sum, beside what else sets them.
	summed []bool
	by     []int
	ends   map[int]int // of the label at which a loop begins: its last instruction
	at     map[uint32]int
	label  uint32
	edits  []*edit
	named  map[Reg]Reg // results of regions have registers side by side
	// The loops, by where they begin, that have instructions for each iteration. A nest or a region that fails with
	// windows is parsed again without them: where it begins, plus 1, is in without.
	unrolled, windows map[int]bool
	without           int
	making
}

// making is what there is of the nest or the region in the making.
type making struct {
	start, end int
	v          *Vector
	failed     bool
	args       []Reg
	vals       map[Reg]laneValue
	inits      map[Reg]laneValue
	inside     map[Reg]bool
	stored     map[Reg]bool // behind which references it stores; true: without a view
	expanded   map[[2]int]int
	target     Reg // the vector that is made
	hasTarget  bool
	locals     []local
	order      []Reg // of the results
	// In a branch of an if: the lanes that take it, −1: all, and where the moves begin that end it. They set the
	// registers merged.
	guard, moves int
	merged       []Reg
	reduced      *reduction // nil: the outermost loop is none
	carried      map[Reg]bool
	active       []activeLoop
	retry        bool            // there is one more loop that has instructions for each iteration
	begins       [maxLoops][]int // where the loops of each number begin
}

// activeLoop is a loop whose body is being taken, and where it begins.
type activeLoop struct{ loop, start int }

// reduction is a loop that adds a number to one that it carries. The numbers can be added in the order of sums.
type reduction struct {
	add, move int // the addition, and what makes its result the number that is carried
	x         Reg // what is added
	before    int // the instruction that sets the number before the loop
	lane      int // that of x
}

// local is a vector that is made in a loop, or in a region.
type local struct {
	reg         Reg
	at          int // where it is allocated
	loop, slots int
	guard       int // that of where it is allocated
	parts       []part
	stored      int // slots
}

// part is what a store sets of a local vector: n slots from at on, those of the iterations of loops.
type part struct {
	at, n, lane, store int
	dims               []partDim // the outermost first
}

// partDim is a loop of a part: its iterations, and how far apart their slots are.
type partDim struct{ size, step int }

// over turns places of slots of loops into those of lanes of the part, and reports whether they are all in it.
func (p *part) over(at Affine, loops []Nested) (out Affine, ok bool) {
	n := p.n
	rest, ok := at, true
	rest.N -= p.at
	for _, d := range p.dims {
		n /= d.size
		lo := rest.N / d.step
		hi := lo
		rest.N -= lo * d.step
		out.N += lo * n
		for k := range rest.By {
			if c := rest.By[k] / d.step; c != 0 {
				rest.By[k] -= c * d.step
				out.By[k] += c * n
				lo, hi = lo+min(0, c*(loops[k].Size-1)), hi+max(0, c*(loops[k].Size-1))
			}
		}
		ok = ok && lo >= 0 && hi < d.size
	}
	return out, ok && rest.N == 0 && rest.By == [maxLoops]int{} && len(at.Outer) == 0
}

// edit is an instruction to be inserted before another.
type edit struct {
	before int
	in     Instr
	drop   bool    // the instruction there is left out
	more   []Instr // what goes behind in, at the end of a statement
}

// laneValue is what is known of a register in a nest.
type laneValue struct {
	kind  valueKind
	lane  int
	at    Affine // an index, or the place behind the reference
	minus bool   // of an index: it may be −0
	arg   int    // of a reference: −1 static; of one to a local vector: which
	sums  uint8  // partial sums: which
	sym   term.Symbol
	loop  int
}

type valueKind uint8

const (
	laneNumber valueKind = iota
	laneIndex
	laneRef
	laneTarget // a reference to a part of the result
	laneLocal  // a reference to a part of a local vector
	lanePartial
)

// nest makes the vector of a loop, if there is one.
func (w *vectorizer) nest(start, end int) {
	code := w.f.Code
	for i := start; i <= end; i++ {
		if !code[i].Op.laneable() {
			return
		}
	}
	w.begin(start, end)
	if i := code[end].D; w.sets[i] != 2 || !w.initial(start, i) {
		return
	}
	w.reduced = w.reduction(start, end)
	last := w.loop(start, end, -1)
	if w.failed {
		if w.again() {
			w.nest(start, end)
		}
		return
	}
	sum, lanes := -1, 0
	after := last + 1
	switch {
	case w.reduced != nil:
		if w.hasTarget || w.v.Lanes[w.reduced.lane].Loop != 0 || w.p.Taped && !w.operation(w.reduced.lane) {
			return // numerals may be among what is added: its cells are of other kinds
		}
		sum = w.add(Lane{Op: LaneSum, Loop: -1, A: w.reduced.lane, Pos: w.f.Code[w.reduced.add].Pos})
	case !w.hasTarget:
		// The sum: behind the loop its partial sums are added.
		for ; after < len(code) && sum < 0; after++ {
			if w.isHead(after) {
				return
			}
			w.parse(after, after+1, -1)
			if w.failed || after > last+10 {
				return
			}
			for _, v := range w.vals {
				if v.kind == laneNumber && v.loop == -1 && w.v.Lanes[v.lane].Op >= LaneSum {
					sum = v.lane
				}
			}
		}
	}
	for i := range w.v.Loops {
		lanes = max(lanes, w.v.Count(i))
	}
	w.drop()
	if lanes < minLanes || !w.products() || w.v.Region && !w.small() {
		return
	}
	if w.findWindows() {
		w.nest(start, end)
		return
	}
	for i := range w.v.Lanes {
		if l := &w.v.Lanes[i]; l.computed() && w.v.group(l.Loop) > maxInner {
			return
		}
	}
	w.finish(after, sum)
}

// again reports whether a nest or a region that fails is to be parsed again: with more loops that are unrolled, or
// without windows.
func (w *vectorizer) again() bool {
	if w.retry || len(w.windows) == 0 || w.without == w.start+1 {
		return w.retry
	}
	clear(w.windows)
	w.without = w.start + 1
	return true
}

// findWindows finds the loops of windows, and reports whether there are more than before: the nest or the region is to
// be parsed again.
//
// A window is a short sum over elements that lie side by side for iterations of a long loop around it, as in
//
//	vec i < 1000 -> sum j < 5 -> w.(j) * x.(i + j)
//
// With instructions for each j, loads are of elements that follow each other. So loops of windows are unrolled.
func (w *vectorizer) findWindows() bool {
	if w.without == w.start+1 {
		return false
	}
	before := len(w.windows)
	var is, not [maxLoops]bool
	for i := range w.v.Lanes {
		l := &w.v.Lanes[i]
		if l.Op != LaneLoad && l.Op != LaneTake || l.Loop < 0 {
			continue
		}
		k, n := l.Loop, 1
		for ; k >= 0 && w.v.Loops[k].Size < leastAround && w.v.Loops[k].Where < 0; k = w.v.Loops[k].Parent {
			n *= w.v.Loops[k].Size
		}
		if l.Held && n == w.v.Loops[l.Loop].Size { // a product of a matrix
			k = -1
		}
		of := &is
		if by := 0; k < 0 || n > mostWindow || w.v.Loops[k].Where >= 0 {
			of = &not
		} else if by = l.At.By[k]; by == 0 {
			continue
		} else if by != 1 {
			of = &not
		}
		for j := l.Loop; j != k; j = w.v.Loops[j].Parent {
			of[j] = true
		}
	}
	for k := range w.v.Loops {
		if is[k] && !not[k] {
			for _, start := range w.begins[k] {
				w.windows[start] = true
			}
		}
	}
	return len(w.windows) > before
}

// operation reports whether the number of an instruction is that of an operation in each lane, and no numeral.
func (w *vectorizer) operation(i int) bool {
	switch l := &w.v.Lanes[i]; l.Op {
	case LaneAdd, LaneMul, LaneFun1, LaneFun2, LaneSum, LaneProduct:
		return true
	case LaneSelect:
		return w.operation(l.A) && w.operation(l.B)
	}
	return false
}

// reduction finds what makes a loop a reduction, nil if it is none.
func (w *vectorizer) reduction(start, end int) *reduction {
	code := w.f.Code
	move := &code[end-1]
	if move.Op != Move || w.sets[move.D] != 2 || w.sets[move.A] != 1 || w.summed[move.A] {
		return nil
	}
	r := &reduction{add: w.by[move.A], move: end - 1, before: w.f.setBefore(start, move.D)}
	if r.before < 0 || r.add <= start || r.add >= end || code[r.add].Op != Add || code[r.add].Sym != term.NoSymbol {
		return nil
	}
	in := &code[r.add]
	switch {
	case in.A == move.D && in.B != move.D:
		r.x = in.B
	case in.B == move.D && in.A != move.D:
		r.x = in.A
	default:
		return nil
	}
	reads := 0
	for i := start; i <= end; i++ {
		if i > r.add && (code[i].Op == Label || len(code[i].Targets()) > 0) && i < end {
			return nil
		}
		code[i].Uses(func(q *Reg) {
			if *q == move.D || *q == move.A {
				reads++
			}
		})
	}
	if reads != 2 {
		return nil
	}
	before := &code[r.before]
	if before.Op == Const || before.Op == Move && (int(before.A) < w.f.Params() || w.sets[before.A] == 1) {
		return r
	}
	return nil
}

// finishReduction adds what a vector leaves to the number before the loop. The loop goes on behind that.
func (w *vectorizer) finishReduction(in *Instr) {
	code := w.f.Code
	r := w.reduced
	before, add, move := code[r.before], code[r.add], code[r.move]
	in.D = Reg(w.f.Regs)
	z, y := in.D+1, in.D+2
	w.f.Regs += 3
	before.D = z
	for _, q := range []*Reg{&add.A, &add.B} {
		if *q == move.D {
			*q = z
		} else {
			*q = in.D
		}
	}
	add.D, move.A = y, y
	behind := w.label + 2
	in.N = w.label + 1
	w.label = behind
	w.edits = append(w.edits, &edit{before: w.end + 1, in: Instr{Op: Jump, N: behind, Pos: in.Pos}, more: []Instr{
		{Op: Label, N: in.N, Pos: in.Pos}, w.p.block(in.Pos), before, add, move, {Op: Label, N: behind, Pos: in.Pos},
		w.p.block(in.Pos)}})
}

// behind puts the label before an instruction to which a vector goes on, and a block.
func (w *vectorizer) behind(in *Instr, before int) {
	w.label++
	in.N = w.label
	w.edits = append(w.edits, &edit{before: before, in: Instr{Op: Label, N: in.N, Pos: in.Pos}},
		&edit{before: before, in: w.p.block(in.Pos)})
}

// drop leaves out the stores to vectors that nothing else reads.
func (w *vectorizer) drop() {
	for i := range w.v.Lanes {
		if l := &w.v.Lanes[i]; l.Op == LaneStore && l.Arg < 0 {
			l.Op = LaneNone
		}
	}
}

// begin begins the vector of the code from start to end.
func (w *vectorizer) begin(start, end int) {
	w.making = making{start: start, end: end, v: &Vector{Into: -1}, vals: map[Reg]laneValue{}, guard: -1,
		inits: map[Reg]laneValue{}, inside: map[Reg]bool{}, stored: map[Reg]bool{}, expanded: map[[2]int]int{}}
	for i := start; i <= end; i++ {
		in := &w.f.Code[i]
		for r := range in.Sets() {
			w.inside[in.D+Reg(r)] = true
		}
	}
	for i := end; i >= start; i-- {
		switch in := &w.f.Code[i]; in.Op {
		case Store, StoreX, Copy, CopyX:
			w.stored[in.D] = true
		case View, ViewX:
			if _, ok := w.stored[in.D]; ok {
				direct := w.stored[in.A]
				w.stored[in.A] = direct
			}
		}
	}
}

// laneable reports whether vectors may have the operation.
func (op Op) laneable() bool {
	switch op {
	case MakeCon, MakeClosure, Member, Sibling, Capture, Call, Apply, TailCall, TailApply, Return, Collect, Switch, Empty,
		FunK:
		return false
	}
	return true
}

// initial reports whether the index i of the loop that begins at start is set before it, and notes to what.
func (w *vectorizer) initial(start int, i Reg) bool {
	k := w.f.setBefore(start, i)
	if k < 0 {
		return false
	}
	at, ok := w.whole(&w.f.Code[k])
	w.inits[i] = laneValue{kind: laneIndex, at: at}
	return ok
}

// setBefore is where a register is set last in the straight code before an instruction, −1 if it is not.
func (f *Func) setBefore(i int, r Reg) int {
	for i--; i >= 0 && f.Code[i].Op != Label && !f.Code[i].Op.Ends(); i-- {
		if in := &f.Code[i]; in.Sets() == 1 && in.D == r {
			return i
		}
	}
	return -1
}

// constant is the number of a register that is set once, to a whole number.
func (w *vectorizer) constant(r Reg) (at Affine, ok bool) {
	if int(r) < w.f.Params() || w.sets[r] != 1 || w.summed[r] {
		return at, false
	}
	return w.whole(&w.f.Code[w.by[r]])
}

// whole is the whole number that an instruction sets a register to.
func (w *vectorizer) whole(in *Instr) (at Affine, ok bool) {
	switch in.Op {
	case Const:
		whole := in.Val == math.Trunc(in.Val) && math.Abs(in.Val) < 1<<40
		return Affine{N: int(in.Val)}, whole && (in.Val != 0 || !math.Signbit(in.Val)) // −0 is no index
	case Move:
		return w.constant(in.A)
	case IndexSub: // n − 1
		a, ok := w.constant(in.A)
		b, too := w.constant(in.B)
		return Affine{N: a.N - b.N}, ok && too
	}
	return at, false
}

// finish adds the edits of a vector whose sum, if it is one, ends before the instruction after.
func (w *vectorizer) finish(after, sum int) {
	v := w.v
	in := Instr{Op: VectorLoop, M: uint32(len(w.p.Vectors)), K: 1, Pos: w.f.Code[w.start].Pos}
	var behind []*edit
	switch {
	case w.reduced != nil:
		v.Results = []Result{{Lane: sum}}
		w.finishReduction(&in)
	case sum >= 0:
		v.Results = []Result{{Lane: sum}}
		for r, k := range w.vals {
			if k.kind == laneNumber && k.lane == sum {
				in.D = r
			}
		}
		w.behind(&in, after)
	default:
		next := &w.f.Code[w.end+1]
		if next.Op != Label {
			return
		}
		in.N, in.D = next.N, Reg(w.f.Regs)
		w.f.Regs++
		v.Results = []Result{{Lane: -1}}
		if q, ok := w.allocated(); ok {
			in.D, v.Results[0].Slots = w.target, int(w.f.Code[q].N)
			w.edits = append(w.edits, &edit{before: q, drop: true})
			behind = []*edit{{before: w.start, in: w.f.Code[q]}}
		} else {
			v.Into = w.outer(w.target)
		}
	}
	in.Args = w.args
	w.p.Vectors = append(w.p.Vectors, v.prune())
	w.edits = append(append(w.edits, &edit{before: w.start, in: in}), behind...)
}

// allocated finds the allocation of the vector that the nest makes, if that stands right in front of it.
func (w *vectorizer) allocated() (q int, ok bool) {
	if int(w.target) < w.f.Params() || w.sets[w.target] != 1 {
		return 0, false
	}
	q = w.by[w.target]
	if w.f.Code[q].Op != Alloc || q > w.start {
		return 0, false
	}
	for i := q + 1; i < w.start; i++ {
		in := &w.f.Code[i]
		reads := false
		in.Uses(func(r *Reg) { reads = reads || *r == w.target })
		if reads || in.Op == Label || in.Op == Call || in.Op == Apply || in.Op.Ends() {
			return 0, false
		}
	}
	n := 0
	for i := range w.v.Lanes {
		if l := &w.v.Lanes[i]; l.Op == LaneStore {
			n += w.v.Count(l.Loop)
		}
	}
	return q, n == int(w.f.Code[q].N)
}

// rewrite carries the edits out. Where one statement ends and another begins, the label to which the first one jumps is
// before the second.
func (w *vectorizer) rewrite() {
	ends := func(e *edit) int {
		if !e.drop && (e.in.Op == Label || e.in.Op == Count) || e.more != nil {
			return 0
		}
		return 1
	}
	sort.SliceStable(w.edits, func(i, j int) bool {
		a, b := w.edits[i], w.edits[j]
		return cmp.Or(a.before-b.before, ends(a)-ends(b)) < 0
	})
	var code []Instr
	for i := 0; i <= len(w.f.Code); i++ {
		drop := false
		for ; len(w.edits) > 0 && w.edits[0].before == i; w.edits = w.edits[1:] {
			if w.edits[0].drop {
				drop = true
			} else {
				code = append(append(code, w.edits[0].in), w.edits[0].more...)
			}
		}
		if i < len(w.f.Code) && !drop {
			code = append(code, w.f.Code[i])
		}
	}
	for i := range code {
		in := &code[i]
		in.Uses(func(r *Reg) {
			if to, ok := w.named[*r]; ok {
				*r = to
			}
		})
		if to, ok := w.named[in.D]; ok && in.Sets() == 1 {
			in.D = to
		}
	}
	w.f.Code = code
}

// loop takes a loop, and returns where its last instruction is.
func (w *vectorizer) loop(start, end, parent int) int {
	in := &w.f.Code[end]
	n, ok := w.iterations(end)
	if !ok {
		w.failed = true
		return end
	}
	if w.unrolled[start] || w.windows[start] && parent >= 0 || w.carries(start, end) {
		w.v.Region = w.v.Region || parent < 0 // there are no rows
		for k := 0; k < n && !w.failed; k++ {
			i := k
			if in.Op == Prev {
				i = n - 1 - k
			}
			w.vals[in.D] = laneValue{kind: laneIndex, at: Affine{N: i}}
			w.parse(start+1, end, parent)
			w.failed = w.failed || len(w.v.Lanes) > mostInstructions
		}
		return end
	}
	l := w.inner(parent, n)
	w.begins[l] = append(w.begins[l], start)
	var at Affine
	at.By[l] = 1
	w.vals[in.D] = laneValue{kind: laneIndex, at: at}
	guard := w.guard
	w.active, w.guard = append(w.active, activeLoop{l, start}), -1 // all its iterations take the branch
	w.parse(start+1, end, l)
	w.active, w.guard = w.active[:len(w.active)-1], guard
	return end
}

// iterations is how many a loop has that ends at an instruction, if that is known.
func (w *vectorizer) iterations(end int) (n int, ok bool) {
	in := &w.f.Code[end]
	first, ok := w.inits[in.D]
	if !ok || w.sets[in.D] != 2 {
		return 0, false
	}
	size := Affine{N: first.at.N + 1}
	if in.Op == Next {
		size, ok = w.constant(in.A)
		ok = ok && first.at.N == 0
	}
	return size.N, ok && size.N >= 1
}

// carries reports whether an iteration of a loop leaves numbers to the next one, which are in carried. Such a loop has
// instructions for each iteration.
func (w *vectorizer) carries(start, end int) bool {
	for r := range w.carried {
		if w.by[r] > start && w.by[r] < end {
			return true
		}
	}
	return false
}

// carry takes an instruction that sets a number which a loop in another one carries.
func (w *vectorizer) carry(i, loop int) {
	in := &w.f.Code[i]
	if head := w.head(i); !w.carried[in.D] {
		last := w.by[in.D]
		ok := loop >= 0 && head >= 0 && w.sets[in.D] == 2 && last > head && last < w.ends[head]
		if w.failed = !ok || w.f.Code[last].Op != Move; w.failed {
			return
		}
		if w.carried == nil {
			w.carried = map[Reg]bool{}
		}
		w.carried[in.D] = true
	}
	if in.Op == Const {
		w.vals[in.D] = w.made(Lane{Op: LaneConst, Loop: -1, Val: in.Val})
	} else {
		w.vals[in.D] = w.numberOf(w.number(in.A, loop, true))
	}
}

// inner is the number of the loop of some size in another one: those of a size have the same lanes.
func (w *vectorizer) inner(parent, size int) int {
	loop := Nested{parent, size, w.guard}
	l := slices.Index(w.v.Loops, loop)
	if l < 0 {
		if l = len(w.v.Loops); l == maxLoops || w.v.Count(parent) > mostCount/size {
			w.failed = true
			return 0
		}
		w.v.Loops = append(w.v.Loops, loop)
		if w.guard >= 0 {
			w.add(Lane{Op: LaneWhere, Loop: parent, A: w.guard, B: l})
		}
	}
	return l
}

// parse takes instructions that run in a loop.
func (w *vectorizer) parse(from, to, loop int) {
	for i := from; i < to && !w.failed; i++ {
		in := &w.f.Code[i]
		set := func(v laneValue) { w.vals[in.D] = v }
		if r := w.reduced; r != nil && (i == r.add || i == r.move) {
			if i == r.add {
				r.lane = w.number(r.x, loop, false)
			}
			continue
		}
		if w.guard >= 0 && i >= w.moves {
			set(w.numberOf(w.number(in.A, loop, true)))
			w.merged = append(w.merged, in.D)
			continue
		}
		if in.Sets() == 1 && w.sets[in.D] > 1 && (in.Op == Const || in.Op == Move) {
			if !w.starts(i) {
				w.carry(i, loop)
				continue
			}
			at, ok := w.whole(in)
			w.failed = !ok
			w.inits[in.D] = laneValue{kind: laneIndex, at: at}
			continue
		}
		switch in.Op {
		case Nop:
		case Label:
			if end, ok := w.ends[i]; ok {
				i = w.loop(i, end, loop)
			}
		case Count:
			w.v.Blocks = append(w.v.Blocks, Times{int(in.N), loop, w.guard})
		case Branch:
			i = w.conditional(i, to, loop)
		case Const:
			if at, ok := w.constant(in.D); ok {
				set(laneValue{kind: laneIndex, at: at})
				continue
			}
			set(w.made(Lane{Op: LaneConst, Loop: -1, Val: in.Val}))
		case IndexAdd, IndexSub, IndexMul, IndexDiv, IndexNeg:
			if at, minus, ok := w.arithmetic(in); ok {
				set(laneValue{kind: laneIndex, at: at, minus: minus})
				continue
			}
			fallthrough
		case Add, Mul, Fun1, Fun2:
			l := laneOf[in.Op]
			if !l.Indices {
				l.Sym = in.Sym
				if l.Op != LaneMul && l.Op != LaneFun1 && w.partial(in, loop) {
					continue
				}
			}
			l.A, l.B = w.number(in.A, loop, l.Op != LaneFun1), -1
			if l.Op != LaneFun1 {
				l.B = w.number(in.B, loop, w.v.Lanes[l.A].Loop == loop)
			}
			l.Loop, l.Pos = loop, in.Pos
			set(w.made(l))
		case SumAdd:
			w.sum(in, loop)
		case Load, LoadX, Static, StaticX:
			if l := w.load(w.place(in), loop, in.Pos); !w.failed {
				set(w.numberOf(l))
			}
		case View, ViewX, Object, ObjectX:
			set(w.place(in))
		case Store, StoreX:
			v := w.reference2(in.D)
			a := w.number(in.A, loop, false)
			w.store(v, w.offset(v.at, in), a, loop, in.Pos)
		case Copy, CopyX:
			from, v := w.reference(in.A), w.reference2(in.D)
			to := w.offset(v.at, in)
			if w.copies(from, v, to, int(in.K), loop, in.Pos) {
				continue
			}
			if from.kind == laneLocal && in.K <= shortCopy {
				for range in.K {
					if x := w.load(from, loop, in.Pos); !w.failed {
						w.store(v, to, w.expand(x, w.v.Lanes[x].Loop, loop), loop, in.Pos)
					}
					from.at.N, to.N = from.at.N+1, to.N+1
				}
				continue
			}
			l := w.inner(loop, int(in.K))
			from.at.By[l], to.By[l] = 1, 1
			guard := w.guard
			w.guard = -1
			if x := w.load(from, l, in.Pos); !w.failed {
				w.store(v, to, x, l, in.Pos)
			}
			w.guard = guard
		case Alloc:
			set(laneValue{kind: laneLocal, arg: len(w.locals), loop: loop})
			w.locals = append(w.locals, local{reg: in.D, at: i, loop: loop, slots: int(in.N), guard: w.guard})
		case Move:
			v, ok := w.vals[in.A]
			w.failed = w.failed || !ok
			set(v)
		default:
			w.failed = true
		}
	}
}

// copies copies a whole local vector whose parts are of several stores, and reports whether it is one.
func (w *vectorizer) copies(from, v laneValue, to Affine, n, loop int, pos term.Pos) bool {
	if w.failed || from.kind != laneLocal || !isConstant(from.at) || from.at.N != 0 {
		return false
	}
	l := &w.locals[from.arg]
	if l.loop != loop || l.slots != n || l.stored != n || len(l.parts) < 2 {
		return false
	}
	guard := w.guard
	for _, p := range slices.Clone(l.parts) {
		s := w.v.Lanes[p.store]
		if w.guard = guard; s.Loop != loop {
			w.guard = -1
		}
		w.store(v, sum(to, s.At), p.lane, s.Loop, pos)
	}
	w.guard = guard
	return true
}

// alternatives are where the other branch of the if begins that begins at an instruction, and where both end, if that
// is before another one.
func (w *vectorizer) alternatives(at, to int) (no, end int, ok bool) {
	code := w.f.Code
	if no = w.at[code[at].N]; no <= at || no >= to || code[no-1].Op != Jump {
		return 0, 0, false
	}
	end = w.at[code[no-1].N]
	return no, end, end > no && end < to
}

// conditional takes an if that begins at an instruction, and returns where it ends. Both branches run for all lanes,
// but for the loops in them. A register that both set gets the number of the branch that the lane takes.
func (w *vectorizer) conditional(at, to, loop int) (end int) {
	code := w.f.Code
	in := &code[at]
	no, end, ok := w.alternatives(at, to)
	if !ok || loop < 0 {
		w.failed = true
		return to
	}
	a := w.number(in.A, loop, true)
	b := w.number(in.B, loop, w.v.Lanes[a].Loop == loop)
	guard, moves, merged := w.guard, w.moves, w.merged
	test := w.add(Lane{Op: LaneTest, Loop: loop, A: a, B: b, C: guard, Cmp: in.Cmp, Pos: in.Pos})
	branch := func(mask, from, to int) (regs []Reg, numbers []int) {
		w.guard, w.moves, w.merged = mask, to, nil
		for w.moves > from && code[w.moves-1].Op == Move && w.sets[code[w.moves-1].D] == 2 {
			w.moves--
		}
		w.parse(from, to, loop)
		for _, r := range w.merged {
			numbers = append(numbers, w.vals[r].lane)
		}
		return w.merged, numbers
	}
	regs, yes := branch(test, at+1, no-1)
	others, not := branch(w.add(Lane{Op: LaneNot, Loop: loop, A: test, C: guard}), no, end)
	if w.guard, w.moves, w.merged = guard, moves, merged; !slices.Equal(regs, others) {
		w.failed = true
		return to
	}
	for i, r := range regs {
		w.vals[r] = w.made(Lane{Op: LaneSelect, Loop: loop, A: yes[i], B: not[i], C: test, Pos: in.Pos})
	}
	return end
}

// add adds an instruction to the vector.
//
//go:noinline
func (w *vectorizer) add(l Lane) int {
	w.v.Lanes = append(w.v.Lanes, l)
	return len(w.v.Lanes) - 1
}

// numberOf is the number that an instruction of the vector makes, and made one that is added.
func (w *vectorizer) numberOf(lane int) laneValue {
	return laneValue{kind: laneNumber, lane: lane, loop: w.v.Lanes[lane].Loop}
}

func (w *vectorizer) made(l Lane) laneValue { return w.numberOf(w.add(l)) }

// load is the instruction that makes the number behind a reference for each iteration of a loop.
func (w *vectorizer) load(v laneValue, loop int, pos term.Pos) int {
	if v.kind == laneRef {
		if v.at.By == [maxLoops]int{} {
			loop = -1
		}
		for i := range w.v.Lanes {
			if l := &w.v.Lanes[i]; l.Op == LaneLoad && l.Loop == loop && l.Arg == v.arg && l.At.N == v.at.N &&
				l.At.By == v.at.By && slices.Equal(l.At.Outer, v.at.Outer) {
				return i
			}
		}
		return w.add(Lane{Op: LaneLoad, Loop: loop, Arg: v.arg, At: v.at, Pos: pos})
	}
	if w.failed = w.failed || v.kind != laneLocal || len(v.at.Outer) > 0; w.failed {
		return 0
	}
	l := &w.locals[v.arg]
	for i := range l.parts {
		p := &l.parts[i]
		within, ok := p.over(v.at, w.v.Loops)
		if !ok {
			continue
		}
		if from := &w.v.Lanes[p.lane]; from.Op == LaneLoad && from.Loop >= 0 && w.v.Loops[from.Loop].Parent == l.loop {
			at := from.At // a copy: what it is of is read
			k := at.By[from.Loop]
			at.By[from.Loop] = 0
			return w.load(laneValue{kind: laneRef, arg: from.Arg, at: sum(at, scaled(within, k))}, loop, pos)
		}
		at := Affine{N: within.N, By: w.within(within.By, l.loop, p.n)}
		if w.v.Lanes[p.lane].Loop == loop && at.N == 0 && at.By == w.dense(loop) {
			return p.lane
		}
		return w.add(Lane{Op: LaneTake, Loop: loop, A: p.lane, B: l.loop, At: at, Pos: pos})
	}
	w.unroll(l, v.at)
	return 0
}

// unroll gives the loop that selects slots of a local vector which have been stored one by one instructions for each
// iteration, at the next attempt to make a nest.
func (w *vectorizer) unroll(l *local, at Affine) {
	w.failed = true
	for i := len(w.active) - 1; i >= 0 && w.active[i].loop != l.loop && !w.retry; i-- {
		if a := &w.active[i]; at.By[a.loop] != 0 && !w.v.Region {
			w.unrolled[a.start], w.retry = true, true
		}
	}
}

// within are how far apart places of a loop are in the lanes of a part of n slots of a local vector, if they are so far
// apart in the part: there is one for each iteration of the loop around it.
func (w *vectorizer) within(by [maxLoops]int, loop, n int) [maxLoops]int {
	for k := loop; k >= 0; k = w.v.Loops[k].Parent {
		by[k] += n
		n *= w.v.Loops[k].Size
	}
	return by
}

// dense is how far apart lanes of a loop are if one follows the other.
func (w *vectorizer) dense(loop int) [maxLoops]int { return w.within([maxLoops]int{}, loop, 1) }

// store takes a store behind a reference.
func (w *vectorizer) store(v laneValue, at Affine, a, loop int, pos term.Pos) {
	switch v.kind {
	case laneTarget:
		w.failed = w.failed || w.v.Region || w.guard >= 0 || w.v.Packed(loop)
		w.add(Lane{Op: LaneStore, Loop: loop, A: a, At: at, Pos: pos})
	case laneLocal:
		l := &w.locals[v.arg]
		p := part{at: at.N, n: w.v.Count(loop) / w.v.Count(l.loop), lane: a}
		by, k, slots := at.By, loop, 1 // slots: how many an iteration has
		guard := w.guard               // the branch in which the store is, of the loop k
		for ; k != l.loop && k >= 0 && guard < 0 && by[k] >= slots; k = w.v.Loops[k].Parent {
			p.dims = append(p.dims, partDim{w.v.Loops[k].Size, by[k]})
			slots, by[k], guard = by[k]*w.v.Loops[k].Size, 0, w.v.Loops[k].Where
		}
		slices.Reverse(p.dims)
		if w.failed = k != l.loop || guard != l.guard || by != [maxLoops]int{} || len(at.Outer) > 0; w.failed {
			return
		}
		p.store = w.add(Lane{Op: LaneStore, Loop: loop, A: a, At: at, Arg: -1, Pos: pos})
		l.parts = append(l.parts, p)
		l.stored += p.n
	default:
		w.failed = true
	}
}

// outer is an operand that is set outside the nest.
func (w *vectorizer) outer(r Reg) int {
	if w.inside[r] {
		w.failed = true
	}
	i := slices.Index(w.args, r)
	if i < 0 {
		i = len(w.args)
		w.args = append(w.args, r)
	}
	return i
}

// number is the instruction that makes the number of a register for each iteration of a loop. scalar says that it may
// be one number for all.
func (w *vectorizer) number(r Reg, loop int, scalar bool) int {
	v, ok := w.vals[r]
	if !ok {
		if at, is := w.constant(r); is {
			v = laneValue{kind: laneIndex, at: at}
		} else {
			lane := slices.IndexFunc(w.v.Lanes, func(l Lane) bool { return l.Op == LaneScalar && w.args[l.Arg] == r })
			if lane < 0 {
				lane = w.add(Lane{Op: LaneScalar, Loop: -1, Arg: w.outer(r)})
			}
			v = w.numberOf(lane)
		}
	}
	switch v.kind {
	case laneIndex:
		w.failed = w.failed || v.minus
		if isConstant(v.at) {
			v = w.made(Lane{Op: LaneConst, Loop: -1, Val: float64(v.at.N)})
		} else {
			v = w.made(Lane{Op: LaneIndex, Loop: loop, At: v.at})
		}
	case laneNumber:
	default:
		w.failed = true
		return w.add(Lane{Op: LaneConst, Loop: -1})
	}
	if scalar && v.loop == -1 {
		return v.lane
	}
	return w.expand(v.lane, v.loop, loop)
}

// expand is the instruction that makes the number of an instruction of the loop from for each iteration of a loop.
func (w *vectorizer) expand(lane, from, loop int) int {
	if from == loop {
		return lane
	}
	k := [2]int{lane, loop}
	if e, ok := w.expanded[k]; ok {
		return e
	}
	for p := loop; p != from; p = w.v.Loops[p].Parent {
		if p < 0 {
			w.failed = true
			return 0
		}
	}
	e := w.add(Lane{Op: LaneExpand, Loop: loop, A: lane})
	w.expanded[k] = e
	return e
}

// laneOf are the instructions for operations, of those on indices where they are no whole numbers.
var laneOf = map[Op]Lane{Add: {Op: LaneAdd}, Mul: {Op: LaneMul}, Fun1: {Op: LaneFun1}, Fun2: {Op: LaneFun2},
	IndexAdd: {Op: LaneAdd, Indices: true},
	IndexSub: {Op: LaneFun2, Sym: term.Sub, Indices: true},
	IndexMul: {Op: LaneMul, Sym: term.Mul, Indices: true},
	IndexDiv: {Op: LaneFun2, Sym: term.Div, Indices: true},
	IndexNeg: {Op: LaneFun1, Sym: term.Neg, Indices: true}}

// arithmetic is the value of an expression of indices, if it is an affine function of whole numbers. minus says that
// it may be −0.
func (w *vectorizer) arithmetic(in *Instr) (at Affine, minus, ok bool) {
	a, ok := w.index(in.A)
	if in.Op == IndexNeg || !ok {
		return scaled(a, -1), true, ok
	}
	b, ok := w.index(in.B)
	m, n := w.vals[in.A].minus, w.vals[in.B].minus
	switch {
	case !ok || in.Op == IndexDiv:
		return at, false, false
	case in.Op == IndexSub:
		return sum(a, scaled(b, -1)), m, true
	case in.Op == IndexMul && isConstant(a):
		return scaled(b, a.N), m || n || a.N <= 0, true
	case in.Op == IndexMul:
		return scaled(a, b.N), m || n || b.N <= 0, isConstant(b)
	}
	return sum(a, b), m && n, true
}

func isConstant(a Affine) bool { return a.By == [maxLoops]int{} && len(a.Outer) == 0 }

func scaled(a Affine, k int) Affine {
	out := Affine{N: k * a.N}
	for l := range a.By {
		out.By[l] = k * a.By[l]
	}
	for _, o := range a.Outer {
		out.Outer = append(out.Outer, Outer{o.Arg, k * o.By})
	}
	return out
}

func sum(a, b Affine) Affine {
	out := Affine{N: a.N + b.N, Outer: append(slices.Clone(a.Outer), b.Outer...)}
	for l := range a.By {
		out.By[l] = a.By[l] + b.By[l]
	}
	return out
}

// index is the value of a register as an index, if it is a whole number.
func (w *vectorizer) index(r Reg) (at Affine, ok bool) {
	if v, ok := w.vals[r]; ok {
		return v.at, v.kind == laneIndex
	}
	if at, ok := w.constant(r); ok {
		return at, true
	}
	if w.sets[r] == 1 && w.f.Code[w.by[r]].Op == Const {
		return at, false
	}
	return Affine{Outer: []Outer{{w.outer(r), 1}}}, true
}

// offset adds the place that an instruction has to that of its reference.
func (w *vectorizer) offset(at Affine, in *Instr) Affine {
	at = sum(at, Affine{N: int(in.N)})
	if in.Op.indexed() {
		i, ok := w.index(in.B)
		at, w.failed = sum(at, scaled(i, int(in.M))), w.failed || !ok
	}
	return at
}

// place is where an instruction loads, or to where it refers.
func (w *vectorizer) place(in *Instr) (v laneValue) {
	if in.Op.static() {
		_, at := w.p.Vector(in.N)
		v = laneValue{kind: laneRef, arg: int(at) - int(in.N)}
	} else {
		v = w.reference(in.A)
	}
	v.at = w.offset(v.at, in)
	return v
}

// reference is what a register refers to.
func (w *vectorizer) reference(r Reg) laneValue {
	if v, ok := w.vals[r]; ok {
		w.failed = w.failed || v.kind < laneRef
		return v
	}
	if w.hasTarget && r == w.target || w.isTarget(r) {
		return w.reference2(r)
	}
	return laneValue{kind: laneRef, arg: w.outer(r)}
}

// isTarget reports whether the nest stores behind the reference in a register that is set outside: a vector that is
// made right in front of it, or one behind which it stores without a view.
func (w *vectorizer) isTarget(r Reg) bool {
	direct, stored := w.stored[r]
	made := int(r) >= w.f.Params() && w.sets[r] == 1 && w.f.Code[w.by[r]].Op == Alloc && w.by[r] > w.start-16
	return direct || stored && made
}

// reference2 is a reference to the result.
func (w *vectorizer) reference2(r Reg) laneValue {
	if v, ok := w.vals[r]; ok {
		return v
	}
	if w.hasTarget && w.target != r || w.inside[r] {
		w.failed = true
	}
	w.target, w.hasTarget = r, true
	return laneValue{kind: laneTarget}
}

// sum takes an addition of a sum.
func (w *vectorizer) sum(in *Instr, loop int) {
	if w.failed = w.failed || loop < 0; w.failed {
		return
	}
	x := w.number(in.A, loop, false)
	if i, ok := w.index(in.B); ok && isConstant(i) { // a loop that has instructions for each iteration
		w.addition(in, i.N, x, loop)
		return
	}
	n := w.v.Loops[loop].Size
	if (in.M == 1) != (n <= lanes) || in.M != 1 && in.M != lanes {
		w.failed = true
		return
	}
	parent := w.v.Loops[loop].Parent
	if in.M == 1 {
		w.vals[in.D] = w.made(Lane{Op: LaneSum, Sym: in.Sym, Loop: parent, A: x, Pos: in.Pos})
		return
	}
	for l := range Reg(lanes) {
		w.vals[in.D+l] = laneValue{kind: lanePartial, lane: x, sums: 1 << l, loop: parent, sym: in.Sym}
	}
}

// addition takes summand i of a sum.
func (w *vectorizer) addition(in *Instr, i, x, loop int) {
	d, n := in.D+Reg(i)%Reg(in.M), int(in.M)
	if i >= n {
		l := Lane{Op: LaneAdd, Loop: loop, A: w.number(d, loop, false), B: x, Pos: in.Pos}
		if n == 1 {
			l.A, l.B = l.B, l.A
		}
		if in.Sym != term.NoSymbol {
			l.Op, l.Sym = LaneFun2, in.Sym
		}
		x = w.add(l)
	}
	w.vals[d] = w.numberOf(x)
}

// joins are the additions of partial sums, from the first to the last.
var joins = map[[2]uint8]bool{{0x01, 0x10}: true, {0x04, 0x40}: true, {0x02, 0x20}: true, {0x08, 0x80}: true,
	{0x11, 0x44}: true, {0x22, 0x88}: true, {0x55, 0xaa}: true}

// partial takes an addition of partial sums, and reports whether it is one.
func (w *vectorizer) partial(in *Instr, loop int) bool {
	a, b := w.vals[in.A], w.vals[in.B]
	if a.kind != lanePartial && b.kind != lanePartial {
		return false
	}
	if a.kind != b.kind || a.lane != b.lane || !joins[[2]uint8{a.sums, b.sums}] || a.loop != loop || in.Sym != a.sym {
		w.failed = true
		return true
	}
	a.sums |= b.sums
	if a.sums == 0xff {
		a = w.made(Lane{Op: LaneSum, Sym: in.Sym, Loop: loop, A: a.lane, Pos: in.Pos})
	}
	w.vals[in.D] = a
	return true
}

// products makes sums of products of loads one instruction, and reports whether the vector has instructions.
func (w *vectorizer) products() bool {
	uses := make([]int, len(w.v.Lanes))
	for i := range w.v.Lanes {
		w.v.Lanes[i].Operands(func(k int) { uses[k]++ })
	}
	w.picks(uses)
	for i := range w.v.Lanes {
		s := &w.v.Lanes[i]
		if s.Op != LaneSum || s.Sym != term.NoSymbol || uses[s.A] != 1 {
			continue
		}
		m := &w.v.Lanes[s.A]
		if m.Op == LaneProduct && (s.Loop >= 0 || w.v.Region) { // a sum of sums is one
			s.Op, s.A, s.B = LaneProduct, m.A, m.B
			m.Op = LaneNone
		}
		if m.Op != LaneMul {
			continue
		}
		a, b := &w.v.Lanes[m.A], &w.v.Lanes[m.B]
		if !w.forAll(m.Loop) {
			continue
		}
		loads := func(l *Lane) bool { return l.Op == LaneLoad || l.Op == LaneTake && w.sameRow(l) }
		if !loads(a) || !loads(b) || a.Loop != m.Loop || b.Loop != m.Loop || m.A == m.B {
			continue
		}
		whole := true // each loop around is that of a row or a column
		for l := s.Loop; l >= 0; l = w.v.Loops[l].Parent {
			whole = whole && (a.At.By[l] != 0 || b.At.By[l] != 0)
		}
		if !whole || a.At.By[m.Loop] <= 0 || b.At.By[m.Loop] <= 0 || slices.Min(a.At.By[:]) < 0 ||
			slices.Min(b.At.By[:]) < 0 {
			continue
		}
		s.Op, s.A, s.B = LaneProduct, m.A, m.B
		m.Op = LaneNone
		for _, k := range [2]int{s.A, s.B} {
			uses[k]--
			w.v.Lanes[k].Held = uses[k] == 0
		}
	}
	return len(w.v.Lanes) > 0
}

// picks makes picks of the sums of products with a row of numbers of which one is 1, where nothing else reads the row.
func (w *vectorizer) picks(uses []int) {
	lanes, of := w.v.Lanes, map[int][]*Lane{}
	for i := range lanes {
		s := &lanes[i]
		if s.Op != LaneSum || s.Sym != term.NoSymbol || s.Loop < 0 && !w.v.Region || uses[s.A] != 1 {
			continue
		}
		m := &lanes[s.A]
		if m.Op != LaneMul || lanes[m.B].Op != LaneLoad || !w.forAll(m.Loop) {
			continue
		}
		b := &lanes[m.B]
		if row := w.row(m, uses); row >= 0 && b.Loop == m.Loop && b.At.By[m.Loop] > 0 && slices.Min(b.At.By[:]) >= 0 {
			of[row] = append(of[row], s)
		}
	}
	release := func(i int) (last bool) {
		uses[i]--
		return uses[i] == 0
	}
	for row, sums := range of {
		if len(sums) < uses[row] {
			continue
		}
		for _, s := range sums {
			m := &lanes[s.A]
			if m.A != row {
				lanes[m.A].Op = LaneNone
			}
			lanes[m.B].Held = release(m.B)
			s.Op, s.A, s.B, m.Op = LanePick, row, m.B, LaneNone
		}
		l := &lanes[row]
		l.Op, l.At.N = LaneOneHot, lanes[l.B].At.N
		if release(l.B) {
			lanes[l.B].Op = LaneNone
		}
		if x := &lanes[l.A]; x.Op == LaneExpand {
			if release(l.A) {
				x.Op = LaneNone
			}
			l.A = x.A
		}
		l.B, l.Loop = l.Loop, w.v.Loops[l.Loop].Parent
	}
}

// row is the instruction that makes a row same x i, for the indices i of a loop, whose numbers are the left operands of
// the products m; −1: they are others.
func (w *vectorizer) row(m *Lane, uses []int) int {
	lanes, row := w.v.Lanes, m.A
	t := &lanes[row]
	if t.Op == LaneTake && uses[row] == 1 {
		row = t.A
	}
	l := &lanes[row]
	if l.Op != LaneFun2 || l.Sym != term.Same || lanes[l.B].Op != LaneIndex {
		return -1
	}
	x, i, loop := &lanes[l.A], &lanes[l.B].At, w.v.Loops[l.Loop]
	if x.Op == LaneExpand {
		x = &lanes[x.A]
	}
	var want [maxLoops]int
	want[l.Loop] = 1
	if x.Op != LaneLoad && x.Op != LaneScalar || i.By != want || len(i.Outer) > 0 || w.v.Loops[m.Loop].Size != loop.Size {
		return -1
	}
	if t != l {
		want = w.within([maxLoops]int{}, loop.Parent, loop.Size)
		if want[m.Loop] = 1; t.At.N != 0 || t.At.By != want {
			return -1
		}
	}
	if !w.around(loop.Parent, m.Loop) || !w.around(x.Loop, loop.Parent) {
		return -1
	}
	return row
}

// around reports whether a loop is another one, or around that; −1 is around all.
func (w *vectorizer) around(loop, k int) bool {
	for k != loop && k >= 0 {
		k = w.v.Loops[k].Parent
	}
	return k == loop
}

// computed reports whether the instruction has values of its own, or has to find them.
func (l *Lane) computed() bool { return l.Op != LaneNone && !l.Held }

// forAll reports whether sums over a loop can be made for all iterations of the loops around it: either these have
// them, or they are few.
func (w *vectorizer) forAll(loop int) bool {
	l := w.v.Loops[loop]
	return !w.v.Packed(l.Parent) && (l.Where < 0 || l.Size <= mostMasked)
}

// sameRow reports whether an iteration of the outermost loop takes values that it has made itself.
func (w *vectorizer) sameRow(l *Lane) bool {
	from := w.v.Lanes[l.A].Loop
	if w.v.Packed(from) {
		return false
	}
	return w.v.Region || from < 0 || l.At.By[0] == w.v.Count(from)/w.v.Loops[0].Size
}

// rows reports whether a region is one nest: all loops are in one, of which each iteration takes only what it has made.
func (v *Vector) rows() bool {
	for k, l := range v.Loops {
		if (l.Parent < 0) != (k == 0) || k == 0 && l.Where >= 0 {
			return false
		}
	}
	for i := range v.Lanes {
		switch l := &v.Lanes[i]; {
		case l.Op > LaneLoad && l.Loop < 0:
			return false
		case l.Op == LaneTake && v.Lanes[l.A].Loop >= 0:
			row := v.Count(v.Lanes[l.A].Loop) / v.Loops[0].Size
			lo, hi := l.At.N, l.At.N
			for k := l.Loop; k > 0; k = v.Loops[k].Parent {
				last := l.At.By[k] * (v.Loops[k].Size - 1)
				lo, hi = lo+min(0, last), hi+max(0, last)
			}
			if l.At.By[0] != row || lo < 0 || hi >= row {
				return false
			}
		}
	}
	return true
}

// prune leaves out the instructions that nothing needs.
func (v *Vector) prune() *Vector {
	needed := make([]bool, len(v.Lanes))
	need := func(k int) {
		if k >= 0 {
			needed[k] = true
		}
	}
	for _, l := range v.Loops {
		need(l.Where)
	}
	for _, r := range v.Results {
		need(r.Lane)
	}
	for _, b := range v.Blocks {
		need(b.Mask)
	}
	for i := len(v.Lanes) - 1; i >= 0; i-- {
		if l := &v.Lanes[i]; needed[i] || l.Op == LaneStore || l.Op == LaneWhere {
			l.Operands(need)
		} else {
			l.Op = LaneNone
		}
	}
	return v
}

// Operands calls f on the values that the instruction reads.
func (l *Lane) Operands(f func(int)) {
	switch l.Op {
	case LaneAdd, LaneMul, LaneFun2, LaneProduct, LaneTest, LaneSelect, LanePick:
		f(l.A)
		f(l.B)
	case LaneFun1, LaneExpand, LaneSum, LaneStore, LaneTake, LaneNot, LaneWhere, LaneOneHot:
		f(l.A)
	}
	if (l.Op == LaneSelect || l.Op == LaneTest || l.Op == LaneNot) && l.C >= 0 {
		f(l.C)
	}
}
