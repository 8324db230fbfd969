package block

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/engine/array"
	"github.com/gram-machine/gram/graph"
)

// Enter loads what is the same in every run of the block, of the closure f. The error is that of the host.
func (r *Runner) Enter(b *graph.Block, f graph.Ref) error {
	if err := r.Registers(b.Regs); err != nil {
		return err
	}
	r.Exts = slices.Grow(r.Exts[:0], b.Exts)
	for _, c := range b.Consts {
		r.Regs[c.Reg] = c.Val
	}
	w := 4*uint64(f) + graph.ValueWords
	for i := range b.Caps {
		r.Load(&b.Caps[i], r.words[w+uint64(i)])
	}
	for _, g := range b.Globals {
		for i := range g.N {
			if i%LookEvery == LookEvery-1 {
				if err := r.host.Look(); err != nil {
					return err
				}
			}
			if v := r.globals[g.Slot+i*g.Stride]; g.Reg != 0 {
				r.Regs[g.Reg+i] = r.nodes[v].Number()
			} else {
				r.Exts = append(r.Exts, v)
			}
		}
	}
	if b.Arrays != nil {
		array.PreparePicks(b.Arrays.Picked, r.Regs)
	}
	return nil
}

// Load puts the numbers of the value v into registers, and its duals among the
// external ones.
func (r *Runner) Load(l *graph.Leaves, v graph.Ref) {
	stack := append(r.stack[:0], v)
	next := 0
	for _, n := range l.Layout {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch n.Kind {
		case graph.NumLeaf:
			r.Regs[l.Regs[next]] = r.nodes[v].Number()
			next++
		case graph.DualLeaf:
			r.Exts = append(r.Exts, v)
		case graph.PairLayout:
			both := r.nodes[v].V
			stack = append(stack, graph.Ref(both>>32), graph.Ref(both))
		case graph.VecLayout, graph.ClosureLayout:
			w := 4*uint64(v) + graph.ValueWords
			for i := int(n.N) - 1; i >= 0; i-- {
				stack = append(stack, r.words[w+uint64(i)])
			}
		}
	}
	r.stack = stack
}

// Units returns how many nodes [Runner.Value] makes at most.
func (r *Runner) Units(l *graph.Leaves) uint32 {
	units := uint32(0)
	for _, n := range l.Layout {
		units += graph.Units(graph.ValueWords, int(n.N))
	}
	return units
}

// Value makes the value of the layout whose numbers are in the registers and whose duals are those of the block that has run, of nodes
// from top on. It returns the first node that is free then, too.
func (r *Runner) Value(l *graph.Leaves, regs []uint32, top graph.Ref) (v, next graph.Ref) {
	// From the right: what stands on the stack are the values behind this one, the
	// next on top.
	stack := r.stack[:0]
	num, dual := len(regs), len(r.Outs)
	for i := len(l.Layout) - 1; i >= 0; i-- {
		n := l.Layout[i]
		v := top
		switch n.Kind {
		case graph.NumLeaf:
			num--
			top++
			r.nodes[v] = graph.Node{Head: uint32(graph.Num), V: math.Float64bits(r.Regs[regs[num]])}
		case graph.DualLeaf:
			dual--
			v = r.Outs[dual]
		case graph.PairLayout:
			last := len(stack) - 1
			top++
			r.nodes[v] = graph.Node{Head: uint32(graph.Pair), V: uint64(stack[last]) | uint64(stack[last-1])<<32}
			stack = stack[:last-1]
		case graph.VecLayout:
			top += graph.Units(graph.ValueWords, int(n.N))
			r.nodes[v] = graph.Node{Head: uint32(graph.Vec) | n.N<<graph.KindShift}
			w := 4*uint64(v) + graph.ValueWords
			for c := range uint64(n.N) {
				r.words[w+c] = stack[len(stack)-1]
				stack = stack[:len(stack)-1]
			}
		}
		stack = append(stack, v)
	}
	r.stack = stack[:0]
	return stack[0], top
}

// ElementNodes is how many nodes [Runner.Element] makes at most.
func ElementNodes(s graph.DataShape) uint32 {
	return 2*uint32(s.Width) + graph.Units(graph.ValueWords, s.Width)
}

// Element makes element i of a data list, a number or a vector of numbers, or in a reversed program of pairs ⟨r, λa.0⃗⟩, of nodes from top
// on. It returns the first node that is free then, too. The error is that of the host, or of the data.
func (r *Runner) Element(list graph.Ref, shape graph.DataShape, i int, top graph.Ref) (v, next graph.Ref, err error) {
	values, first, err := r.Elements(&r.prog.Data[r.nodes[list].A], i, i+1)
	if err != nil {
		return 0, top, err
	}
	values = values[(i-first)*shape.Width:]
	number := func(x float64) graph.Ref {
		v := top
		r.nodes[v] = graph.Node{Head: uint32(graph.Num), V: math.Float64bits(x)}
		top++
		if !shape.Reversed {
			return v
		}
		r.nodes[v+1] = graph.Node{Head: uint32(graph.Pair), V: uint64(v) | uint64(graph.NullDual)<<32}
		top++
		return v + 1
	}
	if !shape.Vector {
		v = number(values[0])
		return v, top, nil
	}
	v = top
	top += graph.Units(graph.ValueWords, shape.Width)
	r.nodes[v] = graph.Node{Head: uint32(graph.Vec) | uint32(shape.Width)<<graph.KindShift}
	for k := range shape.Width {
		r.words[4*uint64(v)+graph.ValueWords+uint64(k)] = number(values[k])
	}
	return v, top, nil
}
