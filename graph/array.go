package graph

import (
	"cmp"
	"errors"
	"slices"

	"github.com/gram-machine/gram/term"
)

// ErrFamilies says that a family of a term has to be expanded: no block can hold it, or what is asked of the block.
var ErrFamilies = errors.New("a family of the term has to be expanded")

// A block of a λ with families has arrays: its instructions run over index ranges, and its cells are families too.

// Dim is a dimension of an array: the range of an index. Where Sum is set it is the index of a sum, whose summands are
// made, and fire, in the order of [FiringOrder].
type Dim struct {
	Size int
	Loop int // of the λ: a number of its own
	Sum  bool
	// Reversed says that the instances are made, and fire, in the reverse order.
	Reversed bool
}

// Address says where the operand of each instance is, among registers, cells or external duals: Base, and Stride times
// the number of the instance in each dimension.
type Address struct {
	Base   int
	Stride []int
}

// ArrayKind is the kind of an instruction on arrays.
type ArrayKind uint8

// The kinds. ArraySum, ArrayDot and ArrayMax go over the last dimension, in the order of sums; the others that add do so in
// the order in which cells fire.
const (
	ArrayEach    ArrayKind = iota // D := Op(A, B), for each instance
	ArraySum                      // D := Σ A
	ArrayDot                      // D := Σ A·B
	ArrayAdd                      // D := D + A
	ArrayAddMul                   // D := D + A·B
	ArrayMax                      // D := the largest A
	ArrayMaxBack                  // D := what arrives at each A of the last dimension if B does at the largest
	ArrayTurns                    // the Parts, in turns in the loops that they share: see [Turns]
)

// Array is an instruction on arrays.
type Array struct {
	Kind    ArrayKind
	Op      BlockOp
	Sym     term.Symbol
	Cmp     term.Compare
	Dims    []Dim
	D, A, B Address
	Large   bool // it is run in parts, see [Array.Halves]
	// Mask says, of what adds in a backward code, which instances there are, if its Base is not 0: those whose number is not 0. It is
	// the same along the last dimension.
	Mask Address
	// Pick is not 0 where A selects, see [selects], so that most products are zeros. Of an ArrayDot, its register is 1 if B is finite.
	// Of an ArrayAddMul, the registers from it on are 1 for each place of D, but for the last dimension, at which no D is −0.
	Pick uint32
	// Parts are the instructions of an ArrayTurns, all of which add. It has nothing else, but that D is one of theirs.
	Parts []Array
}

// selects reports whether the numbers at the address are 0 along the last dimension, but for at most one, which is 1: they are what
// [term.Same] gives for an index.
func selects(code []Array, a Address, dims []Dim) bool {
	k := len(dims) - 1
	first, last := a.Range(dims)
	for i := range code {
		m := &code[i]
		end := len(m.Dims) - 1
		if m.Kind != ArrayEach || m.Op != BlockFun2 || m.Sym != term.Same || end < 0 || m.D.Stride[end] != 1 {
			continue
		}
		n := m.Dims[end].Size
		if from, to := m.D.Range(m.Dims); first < from || last > to || dims[k].Size != n || a.Stride[k] != 1 || (a.Base-from)%n != 0 {
			continue
		}
		return m.A.Stride[end] == 0 && !slices.ContainsFunc(a.Stride[:k], func(s int) bool { return s%n != 0 })
	}
	return false
}

// picks makes the operand that selects A, if there is one and the instruction goes through the rows of a matrix B.
func (in *Array) picks(code []Array) bool {
	k := len(in.Dims) - 1
	if k < 1 || in.D.Stride[k-1] != 1 {
		return false
	}
	for range 2 {
		if in.A.Stride[k-1] == 0 && in.B.Stride[k-1] == 1 && selects(code, in.A, in.Dims) {
			return true
		}
		in.A, in.B = in.B, in.A
	}
	return false
}

// Picked are numbers that are the same in all runs of a loop. The register is not 0 if they are finite.
type Picked struct {
	Reg  uint32
	Span Span
}

// SetPicks notes which instructions of the block's code pick components of what is the same in all runs of a loop.
func (b *Block) SetPicks() {
	for i := range b.Arrays.Code {
		in := &b.Arrays.Code[i]
		if in.Kind != ArrayDot || !in.picks(b.Arrays.Code) {
			continue
		}
		first, last := in.B.Range(in.Dims)
		for _, g := range b.Globals {
			if g.Reg != 0 && int(g.Reg) <= first && last < int(g.Reg+g.N) {
				in.Pick = b.Regs
				b.Arrays.Picked = append(b.Arrays.Picked, Picked{b.Regs, Span{Reg: uint32(first), N: uint32(last + 1 - first)}})
				b.Regs++
				break
			}
		}
	}
}

// largeArray is how many instances an instruction has that is run in parts: some milliseconds.
const largeArray = 1 << 22

// SetLarge notes whether the instruction is large.
func (in *Array) SetLarge() { in.Large = Instances(in.Dims) > largeArray }

// Halves returns two instructions that make the same in turn, if the instruction can be cut: in a dimension along which the
// results are different registers.
func (in *Array) Halves() (first, second Array, ok bool) {
	cut := -1
	for k, d := range in.Dims {
		if in.Kind == ArrayMaxBack && k == len(in.Dims)-1 {
			continue
		}
		if in.D.Stride[k] != 0 && d.Size > 1 && (cut < 0 || d.Size > in.Dims[cut].Size) {
			cut = k
		}
	}
	if cut < 0 || !in.D.injective(in.Dims) {
		return first, second, false
	}
	first, second = *in, *in
	n := in.Dims[cut].Size / 2
	first.Dims, second.Dims = slices.Clone(in.Dims), slices.Clone(in.Dims)
	first.Dims[cut].Size = n
	second.Dims[cut].Size -= n
	for _, a := range []*Address{&second.D, &second.A, &second.B} {
		a.Base += n * a.Stride[cut]
	}
	if in.Mask.Base != 0 {
		second.Mask.Base += n * in.Mask.Stride[cut]
	}
	first.SetLarge()
	second.SetLarge()
	return first, second, true
}

// ArrayCell is a family of dual λs, one for each instance. The numbers of its cells begin at First. Where Inner.Size is not 0,
// it is the family of the sums of so many summands: each instance has Inner.Size − 1 cells, and one head, over Dims and
// Inner. If it has numbers, too, they are those whose largest is taken.
type ArrayCell struct {
	First int
	Dims  []Dim
	Inner Dim
	Body  uint32
	Dual  uint32
	// Template is the number in Block.Templates of the one that makes the cells.
	Template int
	Heads    []ArrayHead
	Nums     []Address
	// Mask is 1 + the number of the mask that says which cells there are, 0 if all are.
	Mask int
	// Either says that it is no family of dual λs: each instance is one of its two heads.
	Either bool
	Null   bool // they are λa.0⃗
	// Late is 0 if the cells are made by the code of the template, in order. Otherwise they are made behind conditionals, in the n
	// outermost loops in the reverse order if it is 1 + n, and in an order that is not known if it is −1.
	Late int
	// Run is 1 + the number of the run that makes the cells behind conditionals, 0 if it is not known. Waits says that they wait for what
	// its code applies.
	Run   int
	Waits bool
}

// Mask says by numbers, one for each value of the indices of some loops, where the branch of a conditional is taken: at those that are not 0.
// The steps of an instance are those of the template.
type Mask struct {
	At       Address
	Dims     []Dim
	Template uint32
	In       int // the number in Block.Templates of the one whose code has the conditional
	// Parent is 1 + the number of the mask of what is around, 0 if there is none, and Other that of the other branch.
	Parent, Other int
}

// Address is the address of the mask over other dimensions, in more loops.
func (m *Mask) Address(dims []Dim) Address {
	a := Address{Base: m.At.Base, Stride: make([]int, len(dims))}
	for k, d := range dims {
		if i := slices.IndexFunc(m.Dims, func(x Dim) bool { return x.Loop == d.Loop }); i >= 0 {
			a.Stride[k] = m.At.Stride[i]
		}
	}
	return a
}

// ArrayHead is a dual of each instance: a cell or an external dual.
type ArrayHead struct {
	External bool
	At       Address
	Mask     int // 1 + the number of the mask that says which instances have the head, 0 if all do
}

// Operands returns the dimensions of heads and numbers.
func (c *ArrayCell) Operands() []Dim {
	if c.Inner.Size == 0 {
		return c.Dims
	}
	return append(slices.Clone(c.Dims), c.Inner)
}

// Each calls f for each head of each cell that others may name, and for each summand of a sum, with the number of the dual.
func (c *ArrayCell) EachHead(f func(h *ArrayHead, dual int)) {
	for k := range c.Heads {
		h := &c.Heads[k]
		h.At.Each(c.Operands(), func(_, at int) { f(h, at) })
	}
}

// FamilyOf returns the family of a cell.
func (a *Arrays) FamilyOf(cell int) int {
	q, found := slices.BinarySearchFunc(a.Cells, cell, func(c ArrayCell, n int) int { return c.First - n })
	if !found {
		q--
	}
	return q
}

// Arrays are those of a block.
type Arrays struct {
	Code  []Array
	Cells []ArrayCell
	Masks []Mask
	Runs  []Run
	// Element, State and Out are the registers of the first and the last parameter and of the result.
	Element, State, Out []Span
	Picked              []Picked
}

// Instances returns the number of instances of the dimensions.
func Instances(dims []Dim) int {
	n := 1
	for _, d := range dims {
		n *= d.Size
	}
	return n
}

// maxShort is how many instances a function with short arrays has at most. To start an instruction on arrays takes about as long as
// arrayStart instructions of machine code, and to start its innermost loop, as loopStart.
const (
	maxShort   = 2200
	arrayStart = 100
	loopStart  = 2
)

// ShortArrays reports whether a program has arrays in functions or in code that is no block, and all its arrays are so short that their expansion, which becomes
// machine code where it is a loop, is faster. It has no long list to be expanded.
func (p *Program) ShortArrays() bool {
	found := slices.ContainsFunc(p.Templates, func(t Template) bool { return t.Inline })
	if slices.ContainsFunc(p.Templates, func(t Template) bool { return t.Elements > maxShort }) ||
		slices.ContainsFunc(p.Data, func(d term.Data) bool { return d.Chunk != nil }) {
		return false
	}
	for _, b := range p.Blocks {
		if b == nil || b.Arrays == nil {
			continue
		}
		n, starts := 0, 0
		for i := range b.Arrays.Code {
			dims := b.Arrays.Code[i].Dims
			instances := Instances(dims)
			n, starts = n+instances, starts+arrayStart
			if len(dims) > 0 {
				starts += loopStart * instances / dims[len(dims)-1].Size
			}
		}
		if n > min(maxShort, starts) {
			return false
		}
		found = found || len(b.Params) > 0
	}
	return found
}

// Dense returns the address of an array without gaps that begins at base.
func Dense(base int, dims []Dim) Address {
	a := Address{Base: base, Stride: make([]int, len(dims))}
	n := 1
	for k := len(dims) - 1; k >= 0; k-- {
		a.Stride[k] = n
		n *= dims[k].Size
	}
	return a
}

// LaneOrder is the order in which the lanes of a sum of more than eight terms fire.
var LaneOrder = [...]int{0, 4, 2, 6, 1, 5, 3, 7}

// FiringOrder returns the order in which the instances of a dimension fire: the reverse of that in which they are made.
// Components of a vector are made from the first to the last, and of a sum t + u the summand u is made first.
func (d Dim) FiringOrder() []int {
	order := make([]int, 0, d.Size)
	switch {
	case d.Reversed:
		d.Reversed = false
		order = d.FiringOrder()
		slices.Reverse(order)
	case !d.Sum:
		for i := d.Size - 1; i >= 0; i-- {
			order = append(order, i)
		}
	case d.Size <= 8:
		for i := range d.Size {
			order = append(order, i)
		}
	default:
		for _, lane := range LaneOrder {
			for i := lane; i < d.Size; i += 8 {
				order = append(order, i)
			}
		}
	}
	return order
}

// Each calls f with the number of each instance, from the first on, and with its place at the address.
func (a Address) Each(dims []Dim, f func(instance, at int)) {
	n, at := 0, make([]int, len(dims))
	for place := a.Base; ; {
		f(n, place)
		n++
		k := len(dims) - 1
		for ; k >= 0; k-- {
			at[k]++
			place += a.Stride[k]
			if at[k] < dims[k].Size {
				break
			}
			place -= at[k] * a.Stride[k]
			at[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

// Distinct calls f with the places of the instances, less often those where instances are at the same.
func (a Address) Distinct(dims []Dim, f func(at int)) {
	dims, a = a.moving(dims)
	a.Each(dims, func(_, at int) { f(at) })
}

// moving returns the dimensions in which the place is not always the same, and the address in these.
func (a Address) moving(dims []Dim) ([]Dim, Address) {
	var out []Dim
	b := Address{Base: a.Base}
	for k, s := range a.Stride {
		if s != 0 && dims[k].Size > 1 {
			out, b.Stride = append(out, dims[k]), append(b.Stride, s)
		}
	}
	return out, b
}

// injective reports whether instances are at different places that differ in dimensions in which the place is not always the
// same. It may report false where they are.
func (a Address) injective(dims []Dim) bool {
	dims, a = a.moving(dims)
	order := make([]int, len(dims)) // by stride
	for k := range order {
		order[k] = k
	}
	size := func(k int) int { return max(a.Stride[k], -a.Stride[k]) }
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(size(x), size(y)) })
	next := 1
	for _, k := range order {
		if size(k) < next {
			return false
		}
		next = size(k) * dims[k].Size
	}
	return true
}

// Meets reports whether an instance is at a place from first to last.
func (a Address) Meets(dims []Dim, first, last int) bool {
	dims, a = a.moving(dims)
	if from, to := a.Range(dims); from > last || to < first {
		return false
	}
	k := -1
	for i, s := range a.Stride {
		if k < 0 || max(s, -s) > max(a.Stride[k], -a.Stride[k]) {
			k = i
		}
	}
	if k < 0 {
		return true
	}
	rest := Address{Stride: slices.Delete(slices.Clone(a.Stride), k, k+1)}
	others := slices.Delete(slices.Clone(dims), k, k+1)
	for i := range dims[k].Size {
		rest.Base = a.Base + i*a.Stride[k]
		if rest.Meets(others, first, last) {
			return true
		}
	}
	return false
}

// Range returns the first and the last place of the instances, of which there is one at least.
func (a Address) Range(dims []Dim) (first, last int) {
	first, last = a.Base, a.Base
	for k, s := range a.Stride {
		if s < 0 {
			first += s * (dims[k].Size - 1)
		} else {
			last += s * (dims[k].Size - 1)
		}
	}
	return first, last
}
