package block

import (
	"slices"

	"github.com/gram-machine/gram/graph"
)

// Wirings returns the wirings of n runs of a block, the first of which has the wiring w.
// All further runs have the last that is returned.
func (r *Runner) Wirings(b *graph.Block, w *graph.Wiring, kind graph.LoopKind, n uint64) []*graph.Wiring {
	all := append(r.wirings[:0], w)
	for uint64(len(all)) < n {
		next := b.After(w, kind)
		if next == w {
			break
		}
		w = next
		all = append(all, w)
	}
	r.wirings = all
	return all
}

// Patterns goes through the runs of a block from the last to the first, by their wirings
// and by the sets of duals of their results that the job reaches.
type Patterns struct {
	Reached []bool // by the next runs
	Left    uint64 // runs
	partial bool   // what is reached by the next runs depends on those after them
	r       *Runner
	p       *Object
	wirings []*graph.Wiring
}

// Patterns begins with what the job has reached of the block's result.
func (r *Runner) Patterns(p *Object, reached []bool) Patterns {
	return Patterns{reached, p.N, false, r, p, r.Wirings(p.Block, p.Wiring, p.Kind, p.N)}
}

// Wiring returns the wiring of the next runs.
func (t *Patterns) Wiring() *graph.Wiring { return t.wirings[min(t.Left, uint64(len(t.wirings)))-1] }

// Next returns the backward code of the next runs, and how many they are; nil if the job
// reaches no more. The error is that of a look.
func (t *Patterns) Next(logged bool) (w *graph.Backward, times uint64, err error) {
	if t.Left == 0 || !slices.Contains(t.Reached, true) {
		return nil, 0, nil
	}
	if w, err = t.Wiring().Backward(t.r.prog, t.Reached, logged, t.partial, t.r.look); err != nil {
		return nil, 0, err
	}
	times = 1
	next := t.partial || w.BeforeReach != 0
	if last := uint64(len(t.wirings)); t.Left >= last && t.p.Kind != graph.OneRun && slices.Equal(w.Next, t.Reached) && next == t.partial {
		times += t.Left - last
	}
	t.Left -= times
	t.Reached, t.partial = w.Next, next
	return w, times, nil
}
