package gram_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/bridge"
)

// TestStream: what needs the numbers of data that is not stored is an error.
func TestStream(t *testing.T) {
	const src = "param n = 20000000\ninput e = 0.75\ndata a : List R = list i < n -> sin i\nfold (fun x h -> sin (e * x + h)) 0 a"
	opt := gram.Options{MaxMemory: 300 << 20} // the data takes 160 MB
	opt.Stream = true
	p, err := gram.Load(t.Context(), "x.gram", []byte(src), opt)
	require.NoError(t, err)
	var misuse *gram.MisuseError
	for _, opt := range []gram.EvalOptions{{Literal: true}, {Mode: gram.Tape}, {Strategy: gram.Unfold}, {Strategy: gram.Modular}} {
		_, err := p.Gradient(t.Context(), opt)
		require.ErrorAs(t, err, &misuse)
	}
	_, err = p.Bound(t.Context(), gram.EvalOptions{})
	require.ErrorAs(t, err, &misuse)
	_, err = p.Span(t.Context(), true, false)
	require.ErrorAs(t, err, &misuse)
	_, err = bridge.Of(p).Normal(t.Context(), gram.EvalOptions{})
	require.ErrorAs(t, err, &misuse)
	_, err = p.Gradient(t.Context(), gram.EvalOptions{MaxSteps: 1_000_000})
	var limit *gram.LimitError
	require.ErrorAs(t, err, &limit)
	require.EqualValues(t, "steps", limit.Limit)
}
