package explore

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// fake is a run whose windows have ten states.
type fake struct {
	steps uint64
	err   error
	fault any
}

func (f *fake) Window(_ context.Context, at uint64) (*Window, error) {
	if f.fault != nil {
		panic(f.fault)
	}
	if f.err != nil {
		return nil, f.err
	}
	from := at / 10 * 10
	if from == f.steps && from > 0 {
		from -= 10
	}
	return &Window{From: from, To: min(from+10, f.steps)}, nil
}

func (f *fake) Find(context.Context, Find) (uint64, bool, error) { return 0, false, f.err }

// TestPlace: what an object refers to when it is first seen stands left of it, and what waits for it right of it.
func TestPlace(t *testing.T) {
	edge := func(to ...int) (out []Edge) {
		for _, id := range to {
			out = append(out, Edge{To: id, As: "holds"})
		}
		return out
	}
	version := func(from uint64, label, value string, edges []Edge) Version {
		return Version{From: from, Until: from + 1, Label: label, Value: value, Edges: edges}
	}
	w := &Window{Nodes: []Node{
		{ID: 7, Versions: []Version{version(0, "sin", "0.1", edge(5, 3)), version(1, "sin", "0.1", edge(3))}},
		{ID: 5, Versions: []Version{version(0, "z", "", edge(3, 3))}},
		{ID: 3, Versions: []Version{version(0, "a name that is long", "", nil), version(1, "x", "", edge(99))}},
		{ID: 2, Versions: []Version{version(0, "x · x", "", []Edge{{To: 5, As: "waits"}})}},
		{ID: 1, Versions: []Version{version(0, "alone", "", nil)}},
	}}
	p := w
	place(w)
	byID := map[int]Node{}
	for i, n := range p.Nodes {
		require.Equal(t, w.Nodes[i].ID, n.ID)
		byID[n.ID] = n
		const tenth = 0.1 // to which places are rounded
		require.GreaterOrEqual(t, n.X-n.W/2, -tenth)
		require.GreaterOrEqual(t, n.Y-n.H/2, -tenth)
		require.LessOrEqual(t, n.X+n.W/2, p.Width+tenth)
		require.LessOrEqual(t, n.Y+n.H/2, p.Height+tenth)
		for _, o := range p.Nodes[:i] {
			apart := n.X+n.W/2 <= o.X-o.W/2 || o.X+o.W/2 <= n.X-n.W/2 || n.Y+n.H/2 <= o.Y-o.H/2 || o.Y+o.H/2 <= n.Y-n.H/2
			require.True(t, apart, "%d and %d", n.ID, o.ID)
		}
	}
	require.Less(t, byID[3].X, byID[5].X)
	require.Less(t, byID[2].X, byID[5].X)
	require.Less(t, byID[5].X, byID[7].X)
	require.Greater(t, byID[3].W, byID[5].W, "the longest label has room")
	require.Greater(t, byID[7].H, byID[5].H, "a value has a line of its own")
	require.Equal(t, []bend{{From: 7, To: 3, Via: p.Bends[0].Via}}, p.Bends, "past z")
	require.Len(t, p.Bends[0].Via, 2)

	body := encode(p)
	var plain map[string]any
	require.NoError(t, json.Unmarshal(body, &plain))
	node := plain["nodes"].([]any)[0].(map[string]any)
	require.Contains(t, node, "versions")
	require.Contains(t, node, "x")
	require.Contains(t, plain, "from")
}
