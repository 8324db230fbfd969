// Package ground counts |G|, the size of the computational graph that is left of a program with symbolic inputs, and the steps of its
// blocks with arrays. A note of each register says what is there without blocks. Where the operands of an instruction are alike, its
// inert nodes or its steps are counted at once.
package ground

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/engine/array"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
)

// Size is |G|: the size of the computational graph that is left of a term
// whose inputs are symbolic. A shared node counts once; nodes that nothing reads
// count.
type Size struct {
	Operations uint64 // inert nodes
	Edges      uint64 // their operands
	Inputs     uint64 // distinct inputs that they use
	Numerals   uint64 // distinct numerals that they use
}

// Total returns |G|.
func (s Size) Total() uint64 { return s.Operations + s.Edges + s.Inputs + s.Numerals }

// What a register holds; an input i is FirstInput + i.
const (
	Number     = 0
	Inert      = 1
	FirstInput = 2
	absent     = math.MaxUint32 // of an instance of a branch that is not taken
)

// Counter counts |G| of a run.
type Counter struct {
	Size Size
	Held []uint32 // what each register holds, of the block that ran last

	regs     []float64
	add      func(r rule.Rule, n uint64) // counts steps
	used     []bool                      // inputs
	numerals map[uint64]struct{}
}

// Reset begins a run of a program with so many inputs.
func (c *Counter) Reset(inputs int) {
	c.Size = Size{}
	if len(c.used) != inputs {
		c.used = make([]bool, inputs)
	}
	clear(c.used)
	if c.numerals == nil {
		c.numerals = map[uint64]struct{}{}
	}
	clear(c.numerals)
}

// Room makes room for the notes of n registers. The error is that of reserve, which is told the bytes.
func (c *Counter) Room(n uint32, reserve func(bytes int64) error) error {
	if len(c.Held) >= int(n) {
		return nil
	}
	c.Held = nil
	if err := reserve(4 * int64(n)); err != nil {
		return err
	}
	c.Held = make([]uint32, n)
	return nil
}

// Input books that an inert node uses the input i.
func (c *Counter) Input(i uint32) {
	if !c.used[i] {
		c.used[i] = true
		c.Size.Inputs++
	}
}

// Numeral books that an inert node uses the number with the bits.
func (c *Counter) Numeral(bits uint64) {
	if _, ok := c.numerals[bits]; !ok {
		c.numerals[bits] = struct{}{}
		c.Size.Numerals++
	}
}

// Run runs the code of a block with arrays, and counts steps by add. The error is that of look, which it calls now and then.
func (c *Counter) Run(a *graph.Arrays, regs []float64, add func(r rule.Rule, n uint64), look func() error) error {
	c.regs, c.add = regs, add
	for i := range a.Code {
		in := &a.Code[i]
		if err := array.RunOne(in, regs, look); err != nil {
			return err
		}
		if err := c.countArray(in, look); err != nil {
			return err
		}
	}
	for i := range a.Tallies {
		if err := c.tallyArray(&a.Tallies[i], look); err != nil {
			return err
		}
	}
	for i := range a.Tuples {
		c.nameTuples(&a.Tuples[i])
	}
	return nil
}

// numbersAmong returns how many of the registers hold numbers, and how many registers there are, in all instances.
func (c *Counter) numbersAmong(a graph.Address, dims []graph.Dim) (numbers, all uint64) {
	n, held := 0, c.Held
	times := a.Rows(dims, func(at, count, stride int) {
		for range count {
			if held[at] == Number {
				n++
			}
			at += stride
		}
	})
	return uint64(n * times), uint64(graph.Instances(dims))
}

// countArray counts the steps or the inert nodes of an instruction that has run, and notes what its results are.
func (c *Counter) countArray(in *graph.Array, look func() error) error {
	if in.Large {
		if first, second, ok := in.Halves(); ok {
			if err := c.countArray(&first, look); err != nil {
				return err
			}
			if err := look(); err != nil {
				return err
			}
			return c.countArray(&second, look)
		}
	}
	switch {
	case in.NoStep:
		c.joinArray(in)
		return nil
	case in.Mask.Base != 0:
		return c.countMasked(in, look)
	}
	operands := []graph.Address{in.A, in.B}
	folds := in.Kind == graph.ArraySum || in.Kind == graph.ArrayMax
	if folds || in.Kind == graph.ArrayEach && in.Op == graph.BlockFun1 {
		operands = operands[:1]
	}
	closed, open := true, false // all operands are numbers; one of them never is
	var all uint64
	for _, a := range operands {
		var numbers uint64
		numbers, all = c.numbersAmong(a, in.Dims)
		closed, open = closed && numbers == all, open || numbers == 0
	}
	operations, additions := all, all
	if folds {
		operations = 0
	}
	if in.Kind == graph.ArrayEach {
		additions = 0
	} else {
		additions -= all / uint64(in.Dims[len(in.Dims)-1].Size)
	}
	size := &c.Size
	switch {
	case closed:
		c.add(ruleOf(in), operations)
		c.add(foldedBy(in), additions)
		c.hold(in, Number)
	case open:
		size.Operations += operations + additions
		size.Edges += uint64(len(operands))*operations + 2*additions
		for _, a := range operands {
			c.leaves(a, in.Dims)
		}
		c.hold(in, Inert)
	default:
		c.countEach(in, len(operands))
	}
	return nil
}

// ruleOf is the rule of an operation on numbers.
func ruleOf(in *graph.Array) rule.Rule {
	switch {
	case in.Kind == graph.ArrayDot, in.Op == graph.BlockMul:
		return rule.Times
	case in.Op == graph.BlockAdd:
		return rule.Plus
	}
	return rule.Function
}

// hold notes what all results of an instruction are.
func (c *Counter) hold(in *graph.Array, what uint32) {
	held := c.Held
	in.D.Rows(in.Dims, func(at, count, stride int) {
		for range count {
			held[at] = what
			at += stride
		}
	})
}

// leaves books the inputs and numerals among operands of inert nodes.
func (c *Counter) leaves(a graph.Address, dims []graph.Dim) {
	held, regs := c.Held, c.regs
	a.Rows(dims, func(at, count, stride int) {
		for range count {
			c.heldLeaf(operand{held[at], regs[at]})
			at += stride
		}
	})
}

// operand is what a register holds, and its number at the point.
type operand struct {
	held  uint32
	value float64
}

func (c *Counter) operandAt(reg int) operand {
	return operand{c.Held[reg], c.regs[reg]}
}

func (c *Counter) heldLeaf(x operand) {
	switch {
	case x.held >= FirstInput:
		c.Input(x.held - FirstInput)
	case x.held == Number:
		c.Numeral(math.Float64bits(x.value))
	}
}

// countEach is countArray, one operation after the other.
func (c *Counter) countEach(in *graph.Array, operands int) {
	held := c.Held
	last := len(in.Dims) - 1
	if in.Kind == graph.ArrayEach {
		r := ruleOf(in)
		array.Outer(in, in.Dims, false, func(d, a, b int) {
			args := []operand{c.operandAt(a), c.operandAt(b)}
			held[d] = c.operation(r, 0, args[:operands]...).held
		})
		return
	}
	array.Outer(in, in.Dims[:last], false, func(d, a, b int) {
		xs := make([]operand, in.Dims[last].Size)
		for i := range xs {
			x := c.operandAt(a + i*in.A.Stride[last])
			if in.Kind == graph.ArrayDot {
				y := c.operandAt(b + i*in.B.Stride[last])
				x = c.operation(rule.Times, x.value*y.value, x, y)
			}
			xs[i] = x
		}
		held[d] = c.sumOf(xs, foldedBy(in)).held
	})
}

// operation counts an operation with the value v, by the rule if it is on numbers, and returns the result.
func (c *Counter) operation(r rule.Rule, v float64, args ...operand) operand {
	if !slices.ContainsFunc(args, func(x operand) bool { return x.held != Number }) {
		c.add(r, 1)
		return operand{Number, v}
	}
	c.Size.Operations++
	c.Size.Edges += uint64(len(args))
	for _, x := range args {
		c.heldLeaf(x)
	}
	return operand{Inert, v}
}

// foldedBy is the rule of what an instruction does over the last dimension: of additions, or of max.
func foldedBy(in *graph.Array) rule.Rule {
	if in.Kind == graph.ArrayMax {
		return rule.Function
	}
	return rule.Plus
}

// sumOf counts the additions of a sum, in the order of sums, and returns it, or the same for the largest number.
func (c *Counter) sumOf(xs []operand, by rule.Rule) operand {
	add := func(x, y operand) operand {
		v := x.value + y.value
		if by == rule.Function {
			v = math.Max(x.value, y.value)
		}
		return c.operation(by, v, x, y)
	}
	if len(xs) <= 8 {
		sum := xs[len(xs)-1]
		for i := len(xs) - 2; i >= 0; i-- {
			sum = add(xs[i], sum)
		}
		return sum
	}
	var l [8]operand
	for i, x := range xs {
		if i < 8 {
			l[i] = x
		} else {
			l[i%8] = add(l[i%8], x)
		}
	}
	return add(add(add(l[0], l[4]), add(l[2], l[6])), add(add(l[1], l[5]), add(l[3], l[7])))
}

// tallyArray is tally for numbers of a block.
func (c *Counter) tallyArray(t *graph.ArrayTally, look func() error) error {
	at := t.At
	return c.where(t.Mask, t.Dims, []*graph.Address{&at}, func(rest []graph.Dim) error {
		numbers, _ := c.numbersAmong(at, rest)
		c.add(rule.SubstNumeral, numbers*t.Occurrences)
		c.add(rule.GC, numbers*t.Binders)
		return nil
	}, look)
}

// nameTuples is nameComponents for the tuples that a block makes.
func (c *Counter) nameTuples(t *graph.ArrayTuple) {
	at := make([]int, len(t.Dims))
	among := func(all []graph.ArrayNumbers) (numbers, of uint64) {
		for i := range all {
			a := graph.Address{Base: all[i].At.Base, Stride: all[i].At.Stride[len(at):]}
			for k, j := range at {
				a.Base += j * all[i].At.Stride[k]
			}
			n, n1 := c.numbersAmong(a, all[i].Dims[len(at):])
			numbers, of = numbers+n, of+n1
		}
		return numbers, of
	}
	for instance := range graph.Instances(t.Dims) {
		mask := t.Mask.Base
		for k := len(at) - 1; k >= 0; k-- {
			at[k] = instance % t.Dims[k].Size
			instance /= t.Dims[k].Size
			if mask != 0 {
				mask += at[k] * t.Mask.Stride[k]
			}
		}
		if mask != 0 && c.regs[mask] == 0 {
			continue
		}
		numbers, of := among(t.Numbers)
		if numbers == of {
			if deep, all := among(t.Deep); deep == all {
				continue // it is a value
			}
		}
		c.add(rule.EtaPair, t.N-1)
		c.add(rule.Pair, t.N-1)
		c.add(rule.SubstNumeral, numbers)
		c.add(rule.Subst, t.N-of)
		c.add(rule.GC, numbers+t.N-of)
	}
}
