package engine

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/engine/array"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
)

// A block with arrays of an open program runs on numbers, the values at the point, and notes of each register what is there
// without blocks: a number, an inert node or an input. Where the operands of an instruction are alike, its inert nodes or its
// steps are counted at once.

// What a register holds; an input i is firstInput + i.
const (
	heldNumber = 0
	heldInert  = 1
	firstInput = 2
)

// held returns what a register holds that has the value r.
func (m *Machine) held(r graph.Ref) uint32 {
	switch n := &m.nodes[r]; n.Kind() {
	case graph.Num:
		return heldNumber
	case graph.SymInput:
		return firstInput + n.Head>>graph.KindShift
	}
	return heldInert
}

// runOpenBlock runs the block of a template whose captured references and arguments are in the frame.
func (m *Machine) runOpenBlock(t *graph.Template, into graph.Ref) error {
	b := m.prog.Blocks[t.Block]
	m.ranBlock(b, 1)
	if err := m.enterOpenBlock(b, t); err != nil {
		return err
	}
	for i := range b.Arrays.Code {
		in := &b.Arrays.Code[i]
		if err := array.RunOne(in, m.block.Regs, m.block.look); err != nil {
			return err
		}
		if err := m.countArray(in); err != nil {
			return err
		}
	}
	for i := range b.Arrays.Tallies {
		m.tallyArray(&b.Arrays.Tallies[i])
	}
	for i := range b.Arrays.Tuples {
		m.nameTuples(&b.Arrays.Tuples[i])
	}
	return m.settleLeaves(into, &b.Out, b.Out.Regs)
}

func (m *Machine) enterOpenBlock(b *graph.Block, t *graph.Template) error {
	if err := m.block.Registers(b.Regs); err != nil {
		return err
	}
	if len(m.open.held) < int(b.Regs) {
		m.open.held = nil
		if err := m.reserve(4 * int64(b.Regs)); err != nil {
			return err
		}
		m.open.held = make([]uint32, b.Regs)
	}
	if m.open.block != b { // otherwise they are still there
		m.open.block = b
		for _, c := range b.Consts {
			m.block.Regs[c.Reg], m.open.held[c.Reg] = c.Val, heldNumber
		}
		for _, g := range b.Globals {
			for i := range g.N {
				r := m.slots[g.Slot+i*g.Stride]
				m.block.Regs[g.Reg+i], m.open.held[g.Reg+i] = m.nodes[r].Number(), m.held(r)
			}
		}
	}
	for i := range b.Caps {
		m.loadLeaves(&b.Caps[i], m.slots[t.Cap0+uint32(i)])
	}
	for i := range b.Params {
		m.loadLeaves(&b.Params[i], m.slots[t.Param0+uint32(i)])
	}
	return nil
}

// openLeaf returns the value that a register holds. The caller has made room for two nodes.
func (m *Machine) openLeaf(reg uint32) graph.Ref {
	held, v := m.open.held[reg], m.top
	switch held {
	case heldNumber:
		m.top++
		m.nodes[v] = graph.Node{Head: uint32(graph.Num)}
	case heldInert:
		m.top += 2
		m.nodes[v], m.nodes[v+1] = graph.Node{Head: uint32(graph.Inert)}, graph.Node{}
	default:
		slot, _ := m.prog.InputSlot(int(held - firstInput))
		return m.slots[slot]
	}
	m.nodes[v].V = math.Float64bits(m.block.Regs[reg])
	return v
}

// openTuple notes whether the tuple v is open, and whether its components have names.
func (m *Machine) openTuple(v graph.Ref, isNamed bool) {
	if !slices.ContainsFunc(m.components(v), m.isOpen) {
		return
	}
	m.nodes[v].A = unnamed
	if isNamed {
		m.nodes[v].A = named
	}
}

// numbersAmong returns how many of the registers hold numbers, and how many registers there are, in all instances.
func (m *Machine) numbersAmong(a graph.Address, dims []graph.Dim) (numbers, all uint64) {
	n, held := 0, m.open.held
	times := a.Rows(dims, func(at, count, stride int) {
		for range count {
			if held[at] == heldNumber {
				n++
			}
			at += stride
		}
	})
	return uint64(n * times), uint64(graph.Instances(dims))
}

// countArray counts the steps or the inert nodes of an instruction that has run, and notes what its results are.
func (m *Machine) countArray(in *graph.Array) error {
	if in.Large {
		if first, second, ok := in.Halves(); ok {
			if err := m.countArray(&first); err != nil {
				return err
			}
			if err := m.block.look(); err != nil {
				return err
			}
			return m.countArray(&second)
		}
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
		numbers, all = m.numbersAmong(a, in.Dims)
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
	size := &m.open.size
	switch {
	case closed:
		m.addSteps(ruleOf(in), operations)
		m.addSteps(foldedBy(in), additions)
		m.hold(in, heldNumber)
	case open:
		size.Operations += operations + additions
		size.Edges += uint64(len(operands))*operations + 2*additions
		for _, a := range operands {
			m.leaves(a, in.Dims)
		}
		m.hold(in, heldInert)
	default:
		m.countEach(in, len(operands))
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
func (m *Machine) hold(in *graph.Array, what uint32) {
	held := m.open.held
	in.D.Rows(in.Dims, func(at, count, stride int) {
		for range count {
			held[at] = what
			at += stride
		}
	})
}

// leaves books the inputs and numerals among operands of inert nodes.
func (m *Machine) leaves(a graph.Address, dims []graph.Dim) {
	held, regs := m.open.held, m.block.Regs
	a.Rows(dims, func(at, count, stride int) {
		for range count {
			m.heldLeaf(openOperand{held[at], regs[at]})
			at += stride
		}
	})
}

// openOperand is what a register holds, and its number at the point.
type openOperand struct {
	held  uint32
	value float64
}

func (m *Machine) operand(reg int) openOperand {
	return openOperand{m.open.held[reg], m.block.Regs[reg]}
}

func (m *Machine) heldLeaf(x openOperand) {
	switch {
	case x.held >= firstInput:
		m.open.input(x.held - firstInput)
	case x.held == heldNumber:
		m.open.numeral(math.Float64bits(x.value))
	}
}

// countEach is countArray, one operation after the other.
func (m *Machine) countEach(in *graph.Array, operands int) {
	held := m.open.held
	last := len(in.Dims) - 1
	if in.Kind == graph.ArrayEach {
		r := ruleOf(in)
		array.Outer(in, in.Dims, false, func(d, a, b int) {
			args := []openOperand{m.operand(a), m.operand(b)}
			held[d] = m.operation(r, 0, args[:operands]...).held
		})
		return
	}
	array.Outer(in, in.Dims[:last], false, func(d, a, b int) {
		xs := make([]openOperand, in.Dims[last].Size)
		for i := range xs {
			x := m.operand(a + i*in.A.Stride[last])
			if in.Kind == graph.ArrayDot {
				y := m.operand(b + i*in.B.Stride[last])
				x = m.operation(rule.Times, x.value*y.value, x, y)
			}
			xs[i] = x
		}
		held[d] = m.sumOf(xs, foldedBy(in)).held
	})
}

// operation counts an operation with the value v, by the rule if it is on numbers, and returns the result.
func (m *Machine) operation(r rule.Rule, v float64, args ...openOperand) openOperand {
	if !slices.ContainsFunc(args, func(x openOperand) bool { return x.held != heldNumber }) {
		m.addSteps(r, 1)
		return openOperand{heldNumber, v}
	}
	m.open.size.Operations++
	m.open.size.Edges += uint64(len(args))
	for _, x := range args {
		m.heldLeaf(x)
	}
	return openOperand{heldInert, v}
}

// foldedBy is the rule of what an instruction does over the last dimension: of additions, or of max.
func foldedBy(in *graph.Array) rule.Rule {
	if in.Kind == graph.ArrayMax {
		return rule.Function
	}
	return rule.Plus
}

// sumOf counts the additions of a sum, in the order of sums, and returns it, or the same for the largest number.
func (m *Machine) sumOf(xs []openOperand, by rule.Rule) openOperand {
	add := func(x, y openOperand) openOperand {
		v := x.value + y.value
		if by == rule.Function {
			v = math.Max(x.value, y.value)
		}
		return m.operation(by, v, x, y)
	}
	if len(xs) <= 8 {
		sum := xs[len(xs)-1]
		for i := len(xs) - 2; i >= 0; i-- {
			sum = add(xs[i], sum)
		}
		return sum
	}
	var l [8]openOperand
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
func (m *Machine) tallyArray(t *graph.ArrayTally) {
	numbers, all := m.numbersAmong(t.At, t.Dims)
	m.addSteps(rule.SubstNumeral, numbers*(t.Occurrences/all))
	m.addSteps(rule.GC, numbers*(t.Binders/all))
}

// nameTuples is nameComponents for the tuples that a block makes.
func (m *Machine) nameTuples(t *graph.ArrayTuple) {
	at := make([]int, len(t.Dims))
	among := func(all []graph.ArrayNumbers) (numbers, of uint64) {
		for i := range all {
			a := graph.Address{Base: all[i].At.Base, Stride: all[i].At.Stride[len(at):]}
			for k, j := range at {
				a.Base += j * all[i].At.Stride[k]
			}
			n, n1 := m.numbersAmong(a, all[i].Dims[len(at):])
			numbers, of = numbers+n, of+n1
		}
		return numbers, of
	}
	for instance := range graph.Instances(t.Dims) {
		for k := len(at) - 1; k >= 0; k-- {
			at[k] = instance % t.Dims[k].Size
			instance /= t.Dims[k].Size
		}
		numbers, of := among(t.Numbers)
		if numbers == of {
			if deep, all := among(t.Deep); deep == all {
				continue // it is a value
			}
		}
		m.addSteps(rule.EtaPair, t.N-1)
		m.addSteps(rule.Pair, t.N-1)
		m.addSteps(rule.SubstNumeral, numbers)
		m.addSteps(rule.Subst, t.N-of)
		m.addSteps(rule.GC, numbers+t.N-of)
	}
}
