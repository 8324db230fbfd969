package modular

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/limits"
)

// TestChain: of a chain of functions each of which names the one before, the tables of each hold what
// its own normal form mentions.
func TestChain(t *testing.T) {
	const n = 200
	text := "input x = 0.5\nlet f0 = fun y -> y * x in\n"
	for i := range n {
		text += fmt.Sprintf("let f%d = fun y -> (fun g -> sin y) f%d in\n", i+1, i)
	}
	p, err := lang.Load("test.gram", []byte(text+fmt.Sprintf("f%d x", n)), lang.Options{})
	require.NoError(t, err)
	inputs, point := p.Inputs[0].Vars, p.Inputs[0].Values
	e := &Env{Meter: limits.New(context.Background(), 0), Locate: func(err error, _ string) error { return err }}
	c := newCloser(p.Term(), inputs, point, nil)
	last, entries := 0, 0
	lambdas, err := p.Term().ClosedLambdas(inputs, nil)
	require.NoError(t, err)
	for _, at := range lambdas {
		l, err := c.lambda(at)
		require.NoError(t, err)
		require.LessOrEqual(t, len(l.places)+len(l.labels), entries+20, "what it names, and its own")
		require.NoError(t, e.normalise(l, point, &Reuse{}))
		entries = len(l.places) + len(l.labels)
		require.LessOrEqual(t, entries, 10)
		last++
	}
	require.Equal(t, n+1, last)
}
