package block

import (
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// accumulate turns s := a·b; d := x + s, where nothing else reads s and x, into
// x := x + a·b, one instruction, rounded twice as the two are. It returns which instructions do nothing now.
func accumulate(b *graph.Block, tests ...*graph.PathTest) (dead []bool) {
	uses := make([]uint32, b.Regs)
	made := make([]int32, b.Regs) // the instruction that makes a register, from 1
	read := func(r uint32) { uses[r]++ }
	for i := range b.Code {
		in := &b.Code[i]
		read(in.A)
		if in.Op != graph.BlockFun1 {
			read(in.B)
		}
		if in.Op == graph.BlockFun1 && (in.Sym == term.Sigmoid || in.Sym == term.Exp) {
			read(in.D) // the backward code takes the slope from the value
		}
		made[in.D] = int32(i + 1)
	}
	for i := range b.Cells {
		for _, r := range b.Cells[i].Nums {
			read(r)
		}
	}
	for _, r := range b.Out.Regs {
		read(r)
	}
	for _, t := range tests {
		read(t.A)
		read(t.B)
	}
	now := make([]uint32, b.Regs) // the register that holds what a register held
	for r := range now {
		now[r] = uint32(r)
	}
	product := func(r uint32) bool {
		return made[r] != 0 && uses[r] == 1 && b.Code[made[r]-1].Op == graph.BlockMul
	}
	dead = make([]bool, len(b.Code))
	for i := range b.Code {
		in := &b.Code[i]
		in.A, in.B = now[in.A], now[in.B]
		if in.Op != graph.BlockAdd || in.A == in.B {
			continue
		}
		s, x := in.A, in.B
		if !product(s) {
			s, x = x, s
		}
		if !product(s) || made[x] == 0 || uses[x] != 1 {
			continue
		}
		mul := made[s] - 1
		dead[mul] = true
		// What read d reads x from here on; x is used as often as d was.
		now[in.D] = x
		uses[x] = uses[in.D]
		*in = graph.BlockInstr{Op: graph.BlockAddMul, Sym: b.Code[mul].Sym, D: x, A: b.Code[mul].A, B: b.Code[mul].B}
		made[x] = int32(i + 1)
	}
	for i := range b.Cells {
		for k, r := range b.Cells[i].Nums {
			b.Cells[i].Nums[k] = now[r]
		}
	}
	for k, r := range b.Out.Regs {
		b.Out.Regs[k] = now[r]
	}
	for _, t := range tests {
		t.A, t.B = now[t.A], now[t.B]
	}
	return dead
}

// alive returns the instructions that are not dead.
func alive(code []graph.BlockInstr, dead []bool) []graph.BlockInstr {
	kept := code[:0:0]
	for i, in := range code {
		if !dead[i] {
			kept = append(kept, in)
		}
	}
	return kept
}

// slopes computes the slope of a sine together with the sine, where a cell needs it.
func slopes(b *graph.Block, bodies []graph.DualBody) {
	needed := map[uint32]bool{}
	for i := range b.Cells {
		c := &b.Cells[i]
		for _, in := range bodies[c.Body].Code {
			if in.Op == graph.LinFun1 && in.Sym == term.DSin && in.A >= 1 && int(in.A) <= len(c.Nums) {
				needed[c.Nums[in.A-1]] = true
			}
		}
	}
	for i := range b.Code {
		if in := &b.Code[i]; in.Op == graph.BlockFun1 && in.Sym == term.Sin && needed[in.A] {
			in.Op, in.B = graph.BlockSinCos, b.Regs
			b.Regs++
		}
	}
}
