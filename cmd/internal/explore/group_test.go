package explore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/explore"
	"github.com/gram-machine/gram/cmd/internal/gramtest"
)

// TestGroups: above fifty objects there are groups by def, line and iteration, and each object is in one.
func TestGroups(t *testing.T) {
	small := explored(t, gramtest.Load(t, "input x = 2\nx * x\n"), true, gram.EvalOptions{})
	w := windowAt(t, small, 0)
	require.Same(t, w, w.Group(explore.Opened{}))

	x := explored(t, gramtest.Example(t, "mlp"), true, gram.EvalOptions{})
	at := x.Info().Steps / 2
	live := 0
	for _, n := range windowAt(t, x, at).Nodes {
		for _, v := range n.Versions {
			if v.From <= at && at < v.Until {
				live++
			}
		}
	}
	groups := func(open ...string) (keys []string, w *explore.Window) {
		w = windowAt(t, x, at).Group(explore.Opened{Keys: open})
		for _, n := range w.Nodes {
			if n.Group != "" {
				keys = append(keys, n.Group)
			}
		}
		return keys, w
	}
	keys, closed := groups()
	require.ElementsMatch(t, []string{"def error", "def network", "inputs", "line 16"}, keys)
	require.Len(t, closed.Nodes, len(keys))
	for _, step := range closed.Steps {
		if step.Node >= 0 {
			require.NotEmpty(t, nodeOf(closed, step.Node).Versions, "what a step is about is a group")
		}
	}
	require.Equal(t, "dual", byLabel(t, stateOf(closed, at), "inputs, result").Role)
	keys, _ = groups("def network")
	require.Subset(t, keys, []string{"def network, line 12", "def network, line 13"})
	keys, _ = groups("def network", "def network, line 12")
	require.Greater(t, len(keys), 6, "the iterations of a line")
	keys, all := groups("*")
	require.Empty(t, keys)
	require.Len(t, stateOf(all, at), live)

	rnn := explored(t, gramtest.Example(t, "rnn"), true, gram.EvalOptions{})
	auto := windowAt(t, rnn, 110).Group(explore.Opened{Auto: true})
	shown := len(stateOf(auto, 110))
	require.Greater(t, shown, 20, "as much is open as can be read")
	require.LessOrEqual(t, shown, 50)
	require.Contains(t, auto.Open, "line 6")
}

func nodeOf(w *explore.Window, id int) explore.Node {
	for _, n := range w.Nodes {
		if n.ID == id {
			return n
		}
	}
	return explore.Node{}
}
