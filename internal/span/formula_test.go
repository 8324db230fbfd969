package span_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/span"
	"github.com/gram-machine/gram/revgrad"
)

func spans(t *testing.T, source string, tree bool) (value, gradient uint64) {
	p, err := gram.Load(context.Background(), "test", []byte(source), gram.Options{})
	require.NoError(t, err)
	opt := span.Options{Tree: tree}
	v, err := span.Value(p.Term(), p.ScalarInputs(), p.Point(), opt)
	require.NoError(t, err)
	d, err := revgrad.Reverse(p.Term(), nil)
	require.NoError(t, err)
	g, err := span.Gradient(d, p.ScalarInputs(), 0, p.Point(), opt)
	require.NoError(t, err)
	return v.Span, g.Span
}

func TestTmp(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 8, 16, 32, 64, 128} {
		src := fmt.Sprintf("input e = 0.5\ninput r = 0.7\nfold (fun x h -> sigmoid (e*x + r*h)) 0 (list i < %d -> 1 + 0 * i)", n)
		v, g := spans(t, src, false)
		_, h := spans(t, src, true)
		fmt.Println(n, v, g, h)
	}
	for _, s := range []string{"input x = 1\nx", "input x = 1\nx+x", "input x = 1\nsin x", "input x = 1\nlet y = sin x in y * y"} {
		v, g := spans(t, s, false)
		fmt.Println(s, v, g)
	}
}
