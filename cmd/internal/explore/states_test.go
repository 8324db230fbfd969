package explore

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/gramtest"
	"github.com/gram-machine/gram/cmd/internal/reduction"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
)

// heapAt makes a run again, and calls see with each state from one to another: the heap, and the objects that its nodes
// are, as scenes have them.
func heapAt(t *testing.T, x *Exploration, from, to uint64, see func(k uint64, h *graph.Heap, uses []use)) {
	t.Helper()
	var uses []use
	used, next := 0, from
	var run *reduction.Run
	look := func(k uint64) {
		if k >= next && k <= to {
			see(k, run.Heap(), uses)
			next = k + 1
		}
	}
	last := uint64(0)
	run, err := x.again(t.Context(), func(f *machine.Fired) error {
		if last = f.N; f.Move == rule.ReadBack && x.gradient {
			look(f.N)
		}
		for _, r := range f.Made() {
			used++
			uses = append(uses, make([]use, max(0, int(r)+1-len(uses)))...)
			uses[r] = use{id: used}
		}
		return nil
	}, func(n uint64) error { look(n - 1); return nil })
	require.NoError(t, err)
	defer run.Close()
	require.NoError(t, run.Run(t.Context()))
	look(last)
}

// TestExploreStates: each state of a window has the nodes of the heap, as they are then.
func TestExploreStates(t *testing.T) {
	for _, name := range gramtest.Examples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := gramtest.Example(t, name)
			for _, gradient := range []bool{false, true} {
				if gradient && p.Differentiable() != nil {
					continue
				}
				x, err := Explore(t.Context(), p, gradient, gram.EvalOptions{})
				require.NoError(t, err)
				run, steps := p.Value, x.info.Steps
				if gradient {
					run = p.Gradient
				}
				fast, err := run(t.Context(), gram.EvalOptions{})
				require.NoError(t, err)
				require.Equal(t, fast.Cost.Steps.Total(), steps)
				res, err := run(t.Context(), gram.EvalOptions{Literal: true})
				require.NoError(t, err)
				require.Equal(t, res.Values, x.info.Values)
				require.Equal(t, res.Jacobian, x.info.Jacobian)
				for _, at := range []uint64{0, steps / 2, steps} {
					checkStates(t, x, at)
				}
			}
		})
	}
}

func checkStates(t *testing.T, x *Exploration, at uint64) {
	w, err := x.Window(t.Context(), at)
	require.NoError(t, err)
	whole := true
	for _, s := range w.Steps {
		whole = whole && s.Left == 0
	}
	known := map[int]bool{}
	for _, n := range w.Nodes {
		known[n.ID] = true
	}
	heapAt(t, x, w.From, w.To, func(k uint64, h *graph.Heap, uses []use) {
		if x.info.Steps > 2000 && k%10 != 0 {
			return
		}
		now := map[int]*Version{}
		for _, n := range w.Nodes {
			for i := range n.Versions {
				if v := &n.Versions[i]; v.From <= k && k < v.Until {
					if now[n.ID] != nil {
						require.Fail(t, "an object is there twice", "state %d: object %d", k, n.ID)
					}
					now[n.ID] = v
				}
			}
		}
		s := scenes{x: x, uses: uses}
		found := 0
		for r := range h.Len() {
			n := h.Node(r)
			id := s.useOf(r).id
			got := now[id]
			if r == 0 || n.Kind == compile.Free {
				if got != nil {
					require.Fail(t, "an object is gone", "state %d: object %d", k, id)
				}
				continue
			}
			if got == nil {
				if whole {
					require.Fail(t, "an object is missing", "state %d: object %d", k, id)
				}
				continue
			}
			found++
			want := s.version(h, &n, false)
			want.From, want.Until, want.Role = got.From, got.Until, got.Role
			want.Edges = slices.DeleteFunc(want.Edges, func(e Edge) bool { return !known[e.To] })
			require.True(t, slices.Equal(want.Edges, got.Edges), "state %d, object %d", k, id)
			want.Edges = got.Edges
			if want, got := fmt.Sprint(want), fmt.Sprint(*got); want != got {
				require.Equal(t, want, got, "state %d, object %d", k, id)
			}
		}
		require.Len(t, now, found, "state %d", k)
	})
}
