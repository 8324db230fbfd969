package graph

import (
	"slices"
	"sync"
)

// Backward is the code by which a block's cells fire as one, when the arrivals at some
// of its result's duals have come.
type Backward struct {
	Consts []Const
	Regs   uint32 // registers, those of the block included
	// Out are the registers of what has arrived at the result's duals, 0 where nothing
	// does.
	Out  []uint32
	Code []BlockInstr
	// Ext are the registers of what arrives at the external duals, 0 where nothing does.
	Ext []uint32
	// Steps: Fired counts the firings of each body, Arrivals the applications of
	// duals in the bodies that fire, Cells those bodies. Zeros are the external duals
	// λa.0⃗ among the cells; no code serves them.
	Fired           []FiredBody
	Arrivals, Cells uint64
	Steps           uint64 // of the bodies, those of λa.0⃗ included
	// Next says which of the result's duals are reached in the iteration before, whose
	// result is this block's last parameter.
	Next []bool
	// Saved are the registers of the block that the code reads.
	Saved []uint32
	// Sums are the external duals, other than the parameters', with arrivals: their
	// registers hold the sum over all iterations so far.
	Sums []int
}

// FiredBody is how often a dual's body fires.
type FiredBody struct {
	Body  uint32
	Times uint64
}

// backwards keeps the backward code of a block by the set of reached duals.
type backwards struct {
	mu  sync.Mutex
	key []byte
	of  map[string]*Backward
}

// maxBackward bounds the backward codes of a block that are kept: sets of duals that keep
// changing are rare.
const maxBackward = 64

// Backward returns the backward code of the block where the duals of the result that
// reached selects have arrivals. zeroFirst says that the duals of the block's first
// parameter are λa.0⃗, the elements of data. It is safe for concurrent use.
func (b *Block) Backward(p *Program, reached []bool, zeroFirst bool) *Backward {
	cache := &b.backward[0]
	if zeroFirst {
		cache = &b.backward[1]
	}
	cache.mu.Lock()
	defer cache.mu.Unlock()
	key := cache.key[:0]
	for _, r := range reached {
		k := byte(0)
		if r {
			k = 1
		}
		key = append(key, k)
	}
	cache.key = key
	w := cache.of[string(key)]
	if w == nil {
		w = newBackward(b, p, reached, zeroFirst)
		if cache.of == nil || len(cache.of) >= maxBackward {
			cache.of = map[string]*Backward{}
		}
		cache.of[string(key)] = w
	}
	return w
}

// ParamExt returns the number of the first external dual of parameter i.
func (b *Block) ParamExt(i int) int {
	k := b.Exts
	for _, l := range b.Params[i:] {
		k -= l.Duals
	}
	return k
}

// PushCell pushes a cell below all that were allocated after it: cells fire in the reverse of the order in
// which they were made, and so arrivals at one cell are added in that order. Memory is then visited in the
// reverse of the order in which it was written.
func PushCell[T int32 | Ref](stack []T, c T) []T {
	stack = append(stack, c)
	last := len(stack) - 1
	for i := last; ; i-- {
		if i == 0 || stack[i-1] < c {
			return stack
		}
		if last-i == nearCells {
			j, _ := slices.BinarySearch(stack[:i], c)
			copy(stack[j+1:i+1], stack[j:i])
			stack[j] = c
			return stack
		}
		stack[i], stack[i-1] = stack[i-1], c
	}
}

// nearCells is how far PushCell looks for a cell's place one by one.
const nearCells = 8
