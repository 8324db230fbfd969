package block

import (
	"slices"
	"sort"

	"github.com/gram-machine/gram/graph"
)

// fuse makes one instruction of a product and the sum over it, where nothing else reads the product. Its registers go, if no address
// goes across them.
func (b *arrayBuilder) fuse() []graph.Array {
	// The arrays of the code are in the order of their first registers.
	makers := func(dims []graph.Dim, a graph.Address) (from, to int) {
		first, last := a.Range(dims)
		from = sort.Search(len(b.code), func(i int) bool {
			_, end := b.code[i].D.Range(b.code[i].Dims)
			return end >= first
		})
		to = sort.Search(len(b.code), func(i int) bool { return b.code[i].D.Base > last })
		return from, to
	}
	uses, across := make([]int, len(b.code)), make([]int, len(b.code)) // of what each instruction makes
	use := func(dims []graph.Dim, a graph.Address) {
		from, to := makers(dims, a)
		for i := from; i < to; i++ {
			across[i]++
			first, last := b.code[i].D.Range(b.code[i].Dims)
			if to == from+1 || a.Meets(dims, first, last) {
				uses[i]++
			}
		}
	}
	for i := range b.code {
		in := &b.code[i]
		use(in.Dims, in.A)
		if in.Kind == graph.ArrayEach && in.Op != graph.BlockFun1 {
			use(in.Dims, in.B)
		}
	}
	for i := range b.cells {
		for _, a := range b.cells[i].Nums {
			use(b.cells[i].Operands(), a)
		}
	}
	for i := range b.masks {
		use(b.masks[i].Dims, b.masks[i].At)
	}
	for _, r := range b.out.Out.Regs {
		use(nil, graph.Address{Base: int(r)})
	}
	var out []graph.Array
	dead := make([]bool, len(b.code))
	for i := range b.code {
		in := &b.code[i]
		p, end := makers(in.Dims, in.A)
		if in.Kind != graph.ArraySum || end != p+1 || uses[p] != 1 {
			continue
		}
		m := &b.code[p]
		if m.Kind == graph.ArrayEach && m.Op == graph.BlockMul && sameLoops(m.Dims, in.Dims) && sameAddress(m.D, in.A) {
			in.Kind, in.A, in.B = graph.ArrayDot, m.A, m.B
			dead[p] = true
		}
	}
	var gone []span // registers, in order
	for i, in := range b.code {
		if dead[i] {
			if across[i] == 1 {
				gone = append(gone, span{in.D.Base, graph.Instances(in.Dims)})
			}
		} else {
			in.SetLarge()
			out = append(out, in)
		}
	}
	b.drop(out, gone)
	return out
}

// drop takes registers away that nothing uses.
func (b *arrayBuilder) drop(code []graph.Array, gone []span) {
	before := make([]int, len(gone)+1) // how many registers are gone before each
	for i, s := range gone {
		before[i+1] = before[i] + s.n
	}
	reg := func(r int) int {
		return r - before[sort.Search(len(gone), func(i int) bool { return gone[i].first > r })]
	}
	all := func(rs []uint32) {
		for i, r := range rs {
			rs[i] = uint32(reg(int(r)))
		}
	}
	for i := range code {
		in := &code[i]
		in.D.Base, in.A.Base, in.B.Base = reg(in.D.Base), reg(in.A.Base), reg(in.B.Base)
	}
	for i := range b.cells {
		for k := range b.cells[i].Nums {
			b.cells[i].Nums[k].Base = reg(b.cells[i].Nums[k].Base)
		}
	}
	for i := range b.masks {
		b.masks[i].At.Base = reg(b.masks[i].At.Base)
	}
	for i := range b.out.Globals {
		b.out.Globals[i].Reg = uint32(reg(int(b.out.Globals[i].Reg)))
	}
	for i := range b.out.Consts {
		b.out.Consts[i].Reg = uint32(reg(int(b.out.Consts[i].Reg)))
	}
	for _, leaves := range [][]graph.Leaves{b.out.Caps, b.out.Params, {b.out.Out}} {
		for i := range leaves {
			all(leaves[i].Regs)
		}
	}
	b.out.Regs -= uint32(before[len(gone)])
}

func sameAddress(a, b graph.Address) bool {
	return a.Base == b.Base && slices.Equal(a.Stride, b.Stride)
}

func sameLoops(a, b []graph.Dim) bool { return slices.Equal(a, b) }
