package graph

import (
	"cmp"
	"iter"
	"slices"
)

// Where arrivals of several heads at one dual alternate, from one iteration of a loop to the next, the instructions that add them are
// collected until the dual fires, and run in turns: an [ArrayTurns] for each loop that they share.

// The targets of arrivals that are no families of cells.
const (
	extTarget     = -1 - iota // external duals of the first run
	beforeTarget              // duals of the result of the run before
	elementTarget             // duals of the element of a list
)

// turns are the targets whose arrivals run in turns, with the instructions that add them.
type turns struct {
	at      map[int]bool
	pending map[int][]Array
	again   bool // a target has been added
}

// inTurns reports whether the arrivals at a target that come from the family that fires run in turns. Those of cells behind conditionals do
// not: they come before all others.
func (w *arrayBackward) inTurns(target int) bool {
	return w.turns.at[target] && !w.masked.late(int32(w.firing)+1)
}

// take says that arrivals at a target are to run in turns, for which the code is made again. It reports false if they cannot.
func (w *arrayBackward) take(target int) bool {
	if w.turns.at[target] || w.masked.late(int32(w.firing)+1) {
		return false
	}
	w.turns.at[target], w.turns.again = true, true
	return true
}

// later collects an instruction that adds at a target, of the family that fires.
func (w *arrayBackward) later(target int, in Array) {
	in.Dims = slices.Clone(in.Dims)
	for k := len(w.b.Arrays.Cells[w.firing].Dims); k < len(in.Dims); k++ {
		in.Dims[k].Loop = -1 // of a sum, whose cells fire before those of its loop
	}
	w.turns.pending[target] = append(w.turns.pending[target], in)
}

// flush emits the instructions that have been collected for a target. Those that share no registers are apart.
func (w *arrayBackward) flush(target int) {
	all := w.turns.pending[target]
	delete(w.turns.pending, target)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	first := func(i int) int { from, _ := all[i].D.Range(all[i].Dims); return from }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(first(i), first(j)) })
	for len(order) > 0 {
		n, end := 0, -1
		for ; n < len(order) && (n == 0 || first(order[n]) <= end); n++ {
			_, last := all[order[n]].D.Range(all[order[n]].Dims)
			end = max(end, last)
		}
		slices.Sort(order[:n])
		parts := make([]Array, n)
		for k, i := range order[:n] {
			parts[k] = all[i]
		}
		for t := range Turns(parts) {
			if len(t) == 1 {
				w.emit(t[0])
				continue
			}
			w.emit(Array{Kind: ArrayTurns, D: t[0].D, Parts: t})
		}
		order = order[n:]
	}
}

// Turns yields the instructions that follow each other and share their outermost loop.
func Turns(parts []Array) iter.Seq[[]Array] {
	return func(yield func([]Array) bool) {
		for i := 0; i < len(parts); {
			j := i + 1
			for j < len(parts) && sharesLoop(&parts[i], &parts[j]) {
				j++
			}
			if !yield(parts[i:j:j]) {
				return
			}
			i = j
		}
	}
}

func sharesLoop(x, y *Array) bool {
	return len(x.Dims) > 0 && len(y.Dims) > 0 && x.Dims[0].Loop >= 0 && x.Dims[0].Loop == y.Dims[0].Loop
}

// parts returns the instructions that run in turns, or the instruction itself.
func (in *Array) parts() []Array {
	if in.Kind == ArrayTurns {
		return in.Parts
	}
	return []Array{*in}
}
