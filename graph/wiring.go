package graph

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Wiring says which duals are the same in one run of a block, so that all arrivals at a dual
// are added up in one chain. It determines the backward code. A dual is named by
//
//   - e ≥ 0: external dual e of the first run, the lowest number of those that are one node;
//   - ^j: dual j of a run's result, the lowest number of those that are one dual;
//   - [Ignored]: a dual λa.0⃗;
//   - [Listed]: a dual of the element of a list that this run has, and no other.
type Wiring struct {
	Exts []int32 // what the external duals are; ^j is a dual of the result of the run before
	Outs []int32 // what the duals of the result are; ^j is a dual of this run's result, and [Ignored] is [NullDual]

	// Number is the wiring's among those of a block with paths, from 1 on.
	Number uint32

	b    *Block
	next []atomic.Pointer[Wiring] // of the run after this one in an iteration, by its path

	mu   sync.Mutex
	key  []byte
	of   map[string]*Backward // by the set of duals that are reached
	kept int                  // the size of what is in of
}

// Ignored is a dual λa.0⃗: no code serves it. Each arrival there counts one (1) and one (5).
const Ignored = math.MaxInt32

// Listed is a dual of the element of a [ListLoop].
const Listed = Ignored - 1

// distinct returns the external duals of a first run, where no two of them are one.
func (b *Block) distinct(kind LoopKind) []int32 { return b.distinctIn(make([]int32, b.Exts), kind) }

func (b *Block) distinctIn(exts []int32, kind LoopKind) []int32 {
	for k := range exts {
		exts[k] = int32(k)
	}
	if kind == DataLoop || kind == ListLoop {
		first, is := b.ParamExt(0), int32(Ignored)
		if kind == ListLoop {
			is = Listed
		}
		for k := range b.Params[0].Duals {
			exts[first+k] = is
		}
	}
	return exts
}

// Wiring returns the wiring of the first run of the block on the external duals. It is
// safe for concurrent use.
func (b *Block) Wiring(kind LoopKind, exts []Ref) *Wiring {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.scratch = slices.Grow(b.scratch[:0], b.Exts)[:b.Exts]
	of := b.distinctIn(b.scratch, kind)
	if b.first == nil {
		b.first = map[Ref]int32{}
	}
	first := b.first
	clear(first)
	for k, r := range exts {
		if r == NullDual {
			of[k] = Ignored
		}
		if of[k] >= Listed {
			continue
		}
		if e, ok := first[r]; ok {
			of[k] = e
		} else {
			first[r] = int32(k)
		}
	}
	return b.wiring(of)
}

// HasNull reports whether one of the external duals of a first run is [NullDual], but for those of an element of data.
func (b *Block) HasNull(kind LoopKind, exts []Ref) bool {
	first, n := len(exts), 0
	if kind == DataLoop {
		first, n = b.ParamExt(0), b.Params[0].Duals
	}
	return slices.Contains(exts[:first], NullDual) || slices.Contains(exts[first+n:], NullDual)
}

// After returns the wiring of a run after one of the wiring w, in an iteration of the block b, or of the block whose path b is.
// It is safe for concurrent use.
func (b *Block) After(w *Wiring, kind LoopKind) *Wiring {
	at := &w.next[b.path]
	if next := at.Load(); next != nil {
		return next
	}
	exts := b.distinct(kind)
	state := b.ParamExt(len(b.Params) - 1)
	copy(exts, w.Exts[:state])
	copy(exts[state:], w.Outs)
	b.mu.Lock()
	defer b.mu.Unlock()
	next := b.wiring(exts)
	at.Store(next)
	return next
}

// To returns the wiring of a run on a path after one of the wiring w, nil if [Block.After] has not made it.
func (w *Wiring) To(path int) *Wiring { return w.next[path].Load() }

// States returns the wirings of a block with paths, by their numbers. The first is nil.
func (b *Block) States() []*Wiring {
	b.numbers.Lock()
	defer b.numbers.Unlock()
	return b.states
}

// wiring returns the wiring of a run on the external duals.
func (b *Block) wiring(exts []int32) *Wiring {
	key := b.key[:0]
	for i, n := 0, 0; i < len(exts); i += n { // the first and the length of each run of numbers in order
		for n = 1; i+n < len(exts) && exts[i+n] == exts[i]+int32(n); n++ {
		}
		key = binary.AppendUvarint(binary.AppendVarint(key, int64(exts[i])), uint64(n))
	}
	b.key = key
	if w := b.wirings[string(key)]; w != nil {
		return w
	}
	exts = slices.Clone(exts)
	w := &Wiring{b: b, Exts: exts, Outs: make([]int32, len(b.OutDuals)), of: map[string]*Backward{}, next: make([]atomic.Pointer[Wiring], 1)}
	if h := b.head; h != nil {
		w.next = make([]atomic.Pointer[Wiring], len(h.Paths))
		h.numbers.Lock()
		if len(h.states) == 0 {
			h.states = append(h.states, nil)
		}
		w.Number = uint32(len(h.states))
		h.states = append(h.states, w)
		h.numbers.Unlock()
	}
	type dual struct {
		d   int32
		ext bool // d is what an external dual is, and no wire
	}
	first := map[dual]int32{}
	for j, d := range b.OutDuals {
		if d < 0 && exts[^d] == Ignored || d >= 0 && b.null(d) {
			w.Outs[j] = Ignored
			continue
		}
		is := dual{d: d}
		if d < 0 && exts[^d] < Listed {
			is = dual{exts[^d], true}
		}
		if is.ext && is.d >= 0 {
			w.Outs[j] = is.d
			continue
		}
		if _, ok := first[is]; !ok {
			first[is] = int32(j)
		}
		w.Outs[j] = ^first[is]
	}
	if b.wirings == nil {
		b.wirings = map[string]*Wiring{}
	}
	b.wirings[string(key)] = w
	return w
}

// null reports whether a cell of the block is λa.0⃗.
func (b *Block) null(cell int32) bool {
	if a := b.Arrays; a != nil {
		return a.Cells[a.FamilyOf(int(cell))].Null
	}
	return b.Cells[cell].Null
}

// Own reports whether dual j of the result is one of the run's own, the first of those
// that are the same.
func (w *Wiring) Own(j int) bool { return w.Outs[j] == ^int32(j) }

// maxBackward bounds the backward codes of a wiring that are kept: their instructions and duals. Sets of duals that keep changing are rare.
const maxBackward = 1 << 20

// Backward returns the backward code of a run where the duals of the result that reached
// selects have arrivals. Where logged is set, the code leaves what arrives at duals of the
// first run in registers of its own, in place of adding it up. If partial is set, it is known only at run time which of these duals have any,
// as [Backward.OutReach] has it; a block without arrays has no such code. It is safe for concurrent use. look
// may be nil; it is called when code is made, at least every 2¹⁶ cells, and its error is the error.
func (w *Wiring) Backward(p *Program, reached []bool, logged, partial bool, look func() error) (*Backward, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := append(w.key[:0], 0)
	if logged {
		key[0] = 1
	}
	if partial {
		key[0] |= 2
	}
	for _, r := range reached {
		k := byte(0)
		if r {
			k = 1
		}
		key = append(key, k)
	}
	w.key = key
	back := w.of[string(key)]
	if back == nil {
		var err error
		if w.b.Arrays != nil {
			back, err = newArrayBackward(w, p, reached, logged, partial, look)
		} else {
			back, err = newBackward(w, p, reached, logged, look)
		}
		if err != nil {
			return nil, err
		}
		back.More = slices.Contains(back.Next, true)
		size := len(back.Code) + len(back.Arrays) + len(key)
		if w.kept += size; w.kept > maxBackward {
			clear(w.of)
			w.kept = size
		}
		w.of[string(key)] = back
	}
	return back, nil
}
