package show

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/bridge"
)

// TestGraphSVG: a graph is drawn if it has few operations, inputs and outputs, and limits
// bound the search for it.
func TestGraphSVG(t *testing.T) {
	ctx := context.Background()
	draw := func(src string, maxNodes uint64, most int) (svg string, operations int, err error) {
		p, err := gram.Load(ctx, "x.gram", []byte(src), gram.Options{})
		require.NoError(t, err)
		var out bytes.Buffer
		operations, err = (&Program{Program: p, Inside: bridge.Of(p), MaxNodes: maxNodes}).SVG(ctx, &out, most)
		return out.String(), operations, err
	}
	const program = "input x = 2\ninput y = 3\n[| x * y + 1, x |]"
	svg, operations, err := draw(program, 0, 2)
	require.NoError(t, err)
	require.Equal(t, 2, operations)
	require.Equal(t, 1, strings.Count(svg, "<svg "))
	for _, text := range []string{">·<", ">+<", ">7<", ">6<", ">1<"} {
		require.Contains(t, svg, text)
	}
	all, _, err := draw(program, 0, 99)
	require.NoError(t, err)
	require.Equal(t, all, svg)

	for _, large := range []string{program + "\n", "input x : R^3 = vec i < 3 -> i\nx.(0)", "input x = 1\n[| x, x, x |]"} {
		svg, _, err = draw(large, 0, 1)
		require.NoError(t, err)
		require.Empty(t, svg)
	}
	_, operations, err = draw("input x = 1\niter #100 (fun y -> x * y) x", 0, 99)
	require.NoError(t, err)
	require.Equal(t, 100, operations)

	var limit *gram.LimitError
	_, _, err = draw("input x = 1\niter #1000000 (fun y -> x * y) x", 1000, 99)
	require.ErrorAs(t, err, &limit)
	require.EqualValues(t, "nodes", limit.Limit)
	_, _, err = draw("fun x -> x + 1", 0, 99)
	require.ErrorContains(t, err, "no computational graph")
}
