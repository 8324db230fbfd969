package ir

import (
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/gram-machine/gram/term"
)

// Pass is a step of the compiler behind the making of the code.
type Pass struct {
	Name string
	Run  func(p *Program, f *Func)
}

// Passes are those of the compiler, in their order.
var Passes = []Pass{{"update", update}, {"fuse", fuse}, {"unread", unread}, {"distribute", distribute},
	{"vectors", vectors}, {"scalars", scalars}, {"numbers", fold}, {"registers", allocate}, {"loops", enter}}

// The bounds of the passes: what there is at most, where it does not say at least.
const (
	lanes       = 8  // the partial sums of a sum of more summands
	insideTimes = 8  // the iterations of a loop inside that are not known, and at most of one for Operations
	mostRounds  = 20 // of unread: what is left out may be all that reads something else

	mostFused       = 128     // the instructions of a loop that is made of two
	mostDistributed = 1 << 18 // the numbers that the first of the loops leaves into which a loop is divided
	mostSearched    = 1 << 21 // loops times instructions of a function that distribute looks at, for each loop at all
	mostAllocated   = 1 << 14 // the registers of a function that allocate looks at: it takes time for each in use

	// Of vectors.
	maxLoops         = 16               // the loops of a vector
	minLanes         = 8                // its iterations, at least
	maxInner         = 1 << 13          // the iterations of the inner loops of a nest for one of the outermost
	maxRegion        = 1 << 13          // the lanes of a loop of a region
	mostCount        = math.MaxInt >> 8 // the iterations of a loop in all
	mostInstructions = 1 << 14          // the instructions where loops have some for each iteration
	mostMasked       = 256              // the products of a sum that is made also where its branch is not taken
	mostWindow       = 64               // the iterations of all loops of a window
	leastAround      = 16               // the iterations of the loop around a window, at least
	shortCopy        = 4                // the slots of a vector made in a nest that are copied one by one
	longCopy         = 64               // the slots of a copy, at least, that is worth a vector: it makes a dense one

	// Of loops of numbers.
	mostScalar = 1 << 12 // the instructions of an iteration
	mostChosen = 1 << 14 // the conditionals of an iteration times the numbers that they choose: how long making takes
	// How many operations of machine code take as long as an instruction of a vector statement, an operation without
	// machine code, an elementary function, and the making of machine code.
	laneWork, slowWork, functionWork, makeWork = 150, 12, 12, 40_000
	// And a lane of such an instruction, a store in memory, an addition of a sum, and a power.
	manyWork, storeWork, sumWork, powWork = 0.5, 3, 5, 36
	nearLanes                             = 2048 // that are in the processor's nearest memory
	// And to begin machine code, an operation where numbers have registers, and calls of an instruction of a statement.
	enterWork, unrolledWork, callWork = 2000, 0.8, 80
)

// Optimise runs the passes. after, if not nil, is called behind each; its error ends the work.
func (p *Program) Optimise(after func(p *Program, pass string) error) error {
	for _, pass := range Passes {
		for _, f := range p.Funcs {
			pass.Run(p, f)
		}
		if after != nil {
			if err := after(p, pass.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// setters are how often each register is set, and the last instruction that sets it.
func (f *Func) setters() (sets, by []int) {
	sets, by = make([]int, f.Regs), make([]int, f.Regs)
	for i := range f.Code {
		in := &f.Code[i]
		for r := int(in.D); r < int(in.D)+in.Sets(); r++ {
			sets[r]++
			by[r] = i
		}
	}
	return sets, by
}

// fold makes numbers operands: an operation has a number in place of a register that is set once, to a number. A
// register that nothing reads any more is not set.
func fold(_ *Program, f *Func) {
	sets, by := f.setters()
	number := func(r Reg) bool { return int(r) >= f.Params() && sets[r] == 1 && f.Code[by[r]].Op == Const }
	for i := range f.Code {
		in := &f.Code[i]
		switch in.Op {
		case Add, Mul, Fun2, Branch, IndexAdd, IndexSub, IndexMul, IndexDiv, Empty:
		default:
			continue
		}
		if (in.Op == Add || in.Op == Mul) && number(in.A) {
			in.A, in.B = in.B, in.A
		}
		switch {
		case number(in.B):
			in.Number, in.Val = NumberB, f.Code[by[in.B]].Val
		case number(in.A):
			in.Number, in.Val = NumberA, f.Code[by[in.A]].Val
		}
	}
	f.dead()
}

// interval is where registers that stand side by side are in use: from the instruction that sets one of them to the
// last that reads one.
type interval struct {
	first    Reg
	n        int
	from, to int
}

// allocate gives registers that are not in use at the same time one place, by a linear scan. So frames of recursive
// functions are small.
func allocate(_ *Program, f *Func) {
	if f.Regs > mostAllocated {
		return
	}
	all, of := f.intervals()
	sort.SliceStable(all, func(i, j int) bool { return all[i].from < all[j].from })
	var busy []int // until where each place is in use
	place := make([]Reg, f.Regs)
	for _, v := range all {
		at := 0
		if v.from >= 0 { // parameters keep their places
			for n := 0; n < v.n; at++ {
				if at < len(busy) && busy[at] > v.from {
					n = 0
				} else {
					n++
				}
			}
			at -= v.n
		} else {
			at = int(v.first)
		}
		for len(busy) < at+v.n {
			busy = append(busy, -1)
		}
		for i := range v.n {
			busy[at+i] = v.to
			place[int(v.first)+i] = Reg(at + i)
		}
	}
	for i := range f.Code {
		in := &f.Code[i]
		named := in.Sets() > 0 // D is a register
		in.Uses(func(r *Reg) {
			if r == &in.D {
				named = true
			} else {
				*r = place[*r]
			}
		})
		if named && of[in.D] != nil {
			in.D = place[in.D]
		}
	}
	f.Regs = max(len(busy), f.Params())
}

// intervals are those of all registers. A parameter is in use before the first instruction.
func (f *Func) intervals() (all []*interval, of []*interval) {
	of = make([]*interval, f.Regs)
	note := func(r Reg, n, at int) {
		v := of[r]
		if v == nil {
			v = &interval{first: r, n: n, from: at, to: at}
			all = append(all, v)
			for i := range n {
				of[int(r)+i] = v
			}
		}
		v.from, v.to = min(v.from, at), max(v.to, at)
	}
	for i := range f.Code { // those that stand side by side
		if in := &f.Code[i]; in.Sets() > 1 {
			note(in.D, in.Sets(), i)
		}
	}
	for r := range f.Params() {
		note(Reg(r), 1, -1)
	}
	for i := range f.Code {
		in := &f.Code[i]
		if in.Sets() == 1 {
			note(in.D, 1, i)
		}
		in.Uses(func(r *Reg) { note(*r, 1, i) })
	}
	// What is in use when a loop begins, and in it, is in use until it ends.
	ends := loopEnds(f.Code)
	starts := slices.Sorted(maps.Keys(ends))
	for again := true; again; {
		again = false
		for _, start := range starts {
			i := ends[start]
			for _, v := range all {
				if v.from < start && v.to >= start && v.to < i {
					v.to, again = i, true
				}
			}
		}
	}
	return all, of
}

// enter puts an [Enter] at the head of each loop in which there is only arithmetic of numbers, with conditionals,
// stores and other such loops.
func enter(p *Program, f *Func) {
	if p.Placed { // a profile is of each run
		return
	}
	c := newCoster(p, f)
	code := make([]Instr, 0, len(f.Code)+len(c.ends))
	for i, in := range f.Code {
		if in.Op == VectorLoop && c.slower(i) {
			in.Val = 1
		}
		if in.Op == VectorLoop && p.Vectors[in.M].Region { // it takes numbers between nests, too
			if c.between(i+1, c.at[in.N]).other < p.Vectors[in.M].cost() {
				continue
			}
		}
		code = append(code, in)
		if end, ok := c.ends[i]; ok && arithmetic(f.Code[i+1:end]) {
			w, made := c.between(i+1, end), 0.0
			if w.machine > w.other {
				continue
			}
			for k := range f.Code[i:end] {
				if f.Code[i+k].operation() {
					made++
				}
			}
			code = append(code, Instr{Op: Enter, N: in.N, Val: makeWork * made / max(w.machine, w.other-w.machine), Pos: in.Pos})
		}
	}
	f.Code = code
}

// slower reports whether a vector statement is estimated to take longer than machine code of the loop behind it.
func (c *coster) slower(i int) bool {
	for start := i + 1; start < c.at[c.f.Code[i].N]; start++ {
		if end, ok := c.ends[start]; ok {
			machine := c.between(start, end+1).machine
			return !c.p.Vectors[c.f.Code[i].M].Region && arithmetic(c.f.Code[start+1:end]) &&
				2*machine+enterWork < c.p.Vectors[c.f.Code[i].M].cost()
		}
	}
	return false
}

// coster finds how long code takes, in operations of machine code.
type coster struct {
	p    *Program
	f    *Func
	at   map[uint32]int // labels
	ends map[int]int    // of loops
	by   map[Reg][]int  // the loops with an index
}

func newCoster(p *Program, f *Func) *coster {
	c := &coster{p, f, Labels(f.Code), loopEnds(f.Code), map[Reg][]int{}}
	for start, end := range c.ends {
		c.by[f.Code[end].D] = append(c.by[f.Code[end].D], start)
	}
	return c
}

// work is how many operations code makes, about, and how long it takes as machine code, and without it: vector
// statements and the interpreter.
type work struct{ operations, machine, other float64 }

func (w *work) add(times float64, o work) {
	w.operations, w.machine = w.operations+times*o.operations, w.machine+times*o.machine
	w.other += times * o.other
}

// Operations is how many there are, about, in an iteration of the loop with the label. Of a loop inside not more than
// insideTimes iterations are counted: a longer one is machine code first, and its rows can be made again.
func (p *Program) Operations(f *Func, label uint32) float64 {
	c := newCoster(p, f)
	head := c.at[label]
	return c.between(head+1, c.ends[head]).operations
}

// between is the work of the code from one instruction to before another. Each side of a branch is taken every other
// time.
func (c *coster) between(from, to int) (all work) {
	// A loop may be machine code where what is around it is not.
	loop := func(times, begin, most float64, from, to int) {
		w := c.between(from, to)
		if arithmetic(c.f.Code[from:to]) {
			w.other = min(w.other, most*w.machine+begin/times)
		}
		w.operations *= min(1, insideTimes/times)
		all.add(times, w)
	}
	for i := from; i < to; i++ {
		in := &c.f.Code[i]
		switch in.Op {
		case Label:
			if end, ok := c.ends[i]; ok {
				loop(c.iterations(i, end), enterWork, 1, i+1, end+1)
				i = end
			}
		case Next, Prev:
			all.add(1, work{0, storeWork, slowWork})
		case Hot: // what stands beside is left out
			end := c.at[in.N]
			loop(1, enterWork, unrolledWork, i+1, end-1)
			i = c.at[c.f.Code[end-1].N]
		case VectorLoop:
			end := c.at[in.N]
			w := c.between(i+1, end)
			w.other = c.p.Vectors[in.M].cost()
			all.add(1, w)
			i = end
		case Branch, Empty:
			no := c.at[in.N]
			end := no
			all.add(1, work{0, 1, slowWork})
			if jump := &c.f.Code[no-1]; jump.Op == Jump && c.at[jump.N] > no {
				end = c.at[jump.N]
				all.add(0.5, c.between(no, end))
			}
			all.add(0.5, c.between(i+1, no))
			i = end
		case Add, Mul, Fun1, Fun2, FunK:
			all.add(1, work{1, cost(in.Op, in.Sym), slowWork})
		case Load, LoadX, StaticX, Store, StoreX, SumAdd:
			all.add(1, work{0, cost(in.Op, in.Sym), slowWork})
		case Copy, CopyX:
			all.add(1, work{0, storeWork * float64(in.K), slowWork + float64(in.K)})
		case Own:
			all.add(1, work{0, 1, slowWork})
		}
	}
	return all
}

// iterations is how many a loop has, about, if that is not known.
func (c *coster) iterations(start, end int) float64 {
	last := &c.f.Code[end]
	first, ok := c.constant(start, last.D, mostRounds)
	if last.Op == Prev {
		first, ok = first+1, ok && first >= 0
	} else if n, is := c.constant(start, last.A, mostRounds); ok {
		first, ok = n-first, is
	}
	if !ok {
		return insideTimes
	}
	return first
}

// constant is the number of a register in front of an instruction, if code in front of that makes it of numbers. The
// index of a loop around it is half of the iterations.
func (c *coster) constant(i int, r Reg, rounds int) (x float64, ok bool) {
	for _, start := range c.by[r] {
		if end := c.ends[start]; start < i && i < end {
			return c.iterations(start, end) / 2, true
		}
	}
	for i--; i >= 0 && rounds > 0; i-- {
		in := &c.f.Code[i]
		if n := Reg(in.Sets()); n == 0 || r < in.D || r >= in.D+n {
			continue
		}
		operand := func(r Reg, number uint8) (float64, bool) {
			if in.Number == number {
				return in.Val, true
			}
			return c.constant(i, r, rounds-1)
		}
		switch in.Op {
		case Const:
			return in.Val, true
		case Move:
			return c.constant(i, in.A, rounds-1)
		case IndexAdd, IndexSub, IndexMul:
			a, okA := operand(in.A, NumberA)
			b, okB := operand(in.B, NumberB)
			return [...]float64{a + b, a - b, a * b}[in.Op-IndexAdd], okA && okB
		}
		break
	}
	return 0, false
}

// cost is how long an operation takes as machine code.
func cost(op Op, s term.Symbol) float64 {
	switch {
	case op == Store || op == StoreX:
		return storeWork
	case op == SumAdd:
		return sumWork
	case op == Fun2 && s == term.Pow:
		return powWork
	case op == Fun1 && s != term.Neg && s != term.Sqrt && s != term.Abs && s != term.Sign:
		return functionWork
	}
	return 1
}

// cost is how long the kernels take for a statement.
func (v *Vector) cost() (work float64) {
	for i := range v.Lanes {
		l := &v.Lanes[i]
		n, each := v.Count(l.Loop), manyWork
		switch l.Op {
		case LaneNone, LaneConst, LaneScalar, LaneIndex, LaneExpand, LaneTake, LaneWhere, LaneNot:
			continue
		case LaneProduct, LanePick:
			n = v.Count(max(v.Lanes[l.A].Loop, v.Lanes[l.B].Loop))
		case LaneSum:
			n = v.Count(v.Lanes[l.A].Loop)
		case LaneFun1:
			each *= cost(Fun1, l.Sym) / 2
		case LaneFun2:
			each *= max(1, cost(Fun2, l.Sym)/2)
		}
		work += callWork + each*float64(n)*min(3, 1+float64(n)/nearLanes)
	}
	return work
}

// arithmetic reports whether code has operations, and nothing else but conditionals, loops, loads and stores.
func arithmetic(code []Instr) bool {
	operations := false
	for i := range code {
		switch code[i].Op {
		case Add, Mul, Fun1, Fun2, FunK:
			operations = true
		case Count, Store, StoreX, Copy, CopyX, Alloc, Own, SumAdd, Label, Jump, Branch, Empty, Next, Prev, VectorLoop, Hot:
		default:
			if !code[i].pure() {
				return false
			}
		}
	}
	return operations
}
