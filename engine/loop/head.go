package loop

import (
	"errors"

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
	start, end := extent(f, label)
	body := f.Code[start : end+1]
	set := ir.NewRegSet(f.Regs)
	for i := range body {
		set.Put(&body[i], true)
	}
	read := f.ReadFrom(start)
	for r := range ir.Reg(f.Regs) {
		if read[r] {
			h.Live, h.Set = append(h.Live, r), append(h.Set, set.Has(r))
		}
	}
	h.Again = again(p, f, body)
	return h
}

var errChanges = errors.New("loop: the code changes an object that it has not made")

// again reports whether the code of f changes only objects that it has made: the store of each has a register that
// refers to one of these, whichever way leads there.
func again(p *ir.Program, f *ir.Func, code []ir.Instr) bool {
	return ir.Flow(code, 0, ir.NewRegSet(f.Regs), func(i int, made ir.RegSet) error {
		in := &code[i]
		is := false // what it sets refers to such an object
		switch in.Op {
		case ir.Store, ir.StoreX, ir.Copy, ir.CopyX:
			if !made.Has(in.D) {
				return errChanges
			}
		case ir.VectorLoop:
			if into := p.Vectors[in.M].Into; into >= 0 && !made.Has(in.Args[into]) {
				return errChanges
			}
		case ir.Alloc:
			is = true
		case ir.View, ir.ViewX, ir.Move:
			is = made.Has(in.A)
		}
		made.Put(in, is)
		return nil
	}) == nil
}
