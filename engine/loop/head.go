package loop

import (
	"slices"

	"github.com/gram-machine/gram/engine/ir"
)

// Head is what a loop does, of any kind, seen from its head.
type Head struct {
	Live []ir.Reg // the registers that are read from there on before they are set
	Set  []bool   // which of these the body sets
	// Again says that the body changes no object that it has not made: it can be run again with the registers of before.
	Again bool
}

// HeadOf returns the head of the loop of f with the label.
func HeadOf(p *ir.Program, f *ir.Func, label uint32) (h Head) {
	start := slices.IndexFunc(f.Code, func(in ir.Instr) bool { return in.Op == ir.Label && in.N == label })
	end := start
	for (f.Code[end].Op != ir.Next && f.Code[end].Op != ir.Prev) || f.Code[end].N != label {
		end++
	}
	body := f.Code[start : end+1]
	set := map[ir.Reg]bool{}
	for i := range body {
		for r := body[i].D; r < body[i].D+ir.Reg(body[i].Sets()); r++ {
			set[r] = true
		}
	}
	read := readFrom(f, start)
	for r := range ir.Reg(f.Regs) {
		if read[r] {
			h.Live, h.Set = append(h.Live, r), append(h.Set, set[r])
		}
	}
	h.Again = again(p, f, start, end)
	return h
}

// again reports whether the code of f from start to end changes only objects that it has made: the store of each has a
// register that refers to one of these, whichever way leads there.
func again(p *ir.Program, f *ir.Func, start, end int) bool {
	labels := map[uint32]int{}
	for i := start; i <= end; i++ {
		if f.Code[i].Op == ir.Label {
			labels[f.Code[i].N] = i
		}
	}
	type place struct {
		i    int
		made []bool // the registers that refer to objects which have been made
	}
	seen := map[int][]bool{}
	for todo := []place{{start, make([]bool, f.Regs)}}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		made := at.made
		for i := at.i; i <= end; i++ {
			in := &f.Code[i]
			if in.Op == ir.Label { // here paths meet
				old := seen[i]
				less := old == nil
				for r := range old {
					less = less || old[r] && !made[r]
					made[r] = made[r] && old[r]
				}
				if !less {
					break
				}
				seen[i] = slices.Clone(made)
			}
			is := false // what it sets refers to such an object
			switch in.Op {
			case ir.Store, ir.StoreX, ir.Copy, ir.CopyX:
				if !made[in.D] {
					return false
				}
			case ir.VectorLoop:
				if into := p.Vectors[in.M].Into; into >= 0 && !made[in.Args[into]] {
					return false
				}
			case ir.Alloc:
				is = true
			case ir.View, ir.ViewX, ir.Move:
				is = made[in.A]
			}
			for r := int(in.D); r < int(in.D)+in.Sets(); r++ {
				made[r] = is
			}
			for _, l := range in.Targets() {
				if to, ok := labels[l]; ok {
					todo = append(todo, place{to, slices.Clone(made)})
				}
			}
			if in.Op.Ends() {
				break
			}
		}
	}
	return true
}
