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
	h.Again = true
	for i := range body {
		switch in := &body[i]; in.Op {
		case ir.Store, ir.StoreX, ir.Copy, ir.CopyX:
			h.Again = h.Again && makes(body, in.D)
		case ir.VectorLoop:
			into := p.Vectors[in.M].Into
			h.Again = h.Again && (into < 0 || makes(body, in.Args[into]))
		}
	}
	return h
}

// makes reports whether code makes the object that a register refers to.
func makes(code []ir.Instr, r ir.Reg) (made bool) {
	for i := range code {
		in := &code[i]
		if r < in.D || r >= in.D+ir.Reg(in.Sets()) {
			continue
		}
		switch in.Op {
		case ir.Alloc, ir.VectorLoop:
			made = true
		case ir.View, ir.ViewX:
			made = makes(code, in.A)
		default:
			return false
		}
		if !made {
			return false
		}
	}
	return made
}
