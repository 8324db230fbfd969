package listing_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/engine/listing"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
)

// graphs are programs, and the objects that their results reach. A program that begins
// with "open" has symbolic inputs, one with "reverse" is D of what follows.
var graphs = []struct{ src, want string }{
	{"(x * 2, [| x, 3 |])", ` 1 num 2
 5 num 3
*6 pair 8 9
 8 num 4
 9 vec 1 5
`},
	{"open (x * 2, [| x, sin (x + 3) |])", ` 1 symbol x1 = 2
 4 num 2
 5 num 3
*6 pair 8 14
 8 inert mul = 4 of 1 4
 10 inert + = 5 of 1 5
 12 inert sin = -0.9589242746631385 of 10
 14 vec 1 12
`},
	{"let y = sin x in ((fun z -> y * z), (fun a b -> a * y) x)", ` 1 num 2
*4 pair 7 11
 6 num 0.9092974268256817
 7 closure 1 6
 8 closure 2 6
 11 partial 8 1
`},
	{"(#3, (xs, [x; sin x]))", ` 4 nat #3
 5 data xs
 6 list 1
 7 pair 5 6
*9 pair 4 7
`},
	{"let c = x + 1 in lin a -> c * a", ` 7 num 3
*8 lin 1 7
`},
	{"reverse sin x * 2", ` 1 dual 0
 2 num 2
 3 input x1*
 4 num 2
*5 pair 10 11
 7 num 0.9092974268256817
 8 dual 2 3 2
 10 num 1.8185948536513634
 11 dual 3 8 1 4 7
`},
}

// TestWriteGraph: the listing of a result's graph, with objects of each kind.
func TestWriteGraph(t *testing.T) {
	for _, c := range graphs {
		body, open := strings.CutPrefix(c.src, "open ")
		body, reversed := strings.CutPrefix(body, "reverse ")
		prog, point := compiled(t, "input x = 2\ndata xs : List R = [1; 2]\n"+body, compile.Options{Open: open, Reversed: reversed})
		var interrupted error
		var bounds limits.Bounds
		bounds.Look = func() error { return interrupted }
		m, err := engine.New(prog, engine.Options{Limits: bounds})
		require.NoError(t, err)
		run := m.Value
		if open {
			run = func(point []float64) error { _, err := m.Graph(point); return err }
		}
		if reversed {
			run = func(point []float64) error { return m.Gradient(point, make([]float64, 1), make([]float64, 1)) }
		}
		require.NoError(t, run(point))
		var out strings.Builder
		require.NoError(t, listing.Write(&out, m))
		require.Equal(t, c.want, out.String(), "%s", c.src)
		for n := range out.Len() {
			require.ErrorIs(t, listing.Write(&short{n}, m), errShort)
		}
		all, left, err := listing.Objects(m, 0)
		require.NoError(t, err)
		require.Zero(t, left)
		ends, left, err := listing.Objects(m, 2)
		require.NoError(t, err)
		require.Equal(t, max(0, len(all)-2), left)
		require.Equal(t, all[0], ends[0])
		require.Equal(t, all[len(all)-1], ends[len(ends)-1])
		interrupted = errors.New("interrupted")
		require.ErrorIs(t, listing.Write(io.Discard, m), interrupted)
		require.NoError(t, m.Close())
	}
}

// compiled compiles a program with one input, or D of it, and returns the point.
func compiled(t *testing.T, src string, opt compile.Options) (*graph.Program, []float64) {
	p, err := lang.Load("t.gram", []byte(src), lang.Options{})
	require.NoError(t, err, "%s", src)
	q := p.Term()
	if opt.Reversed {
		q, err = revgrad.Reverse(q, nil)
		require.NoError(t, err)
	}
	opt.Inputs = p.Inputs[0].Vars
	prog, err := compile.Compile(q, opt)
	require.NoError(t, err)
	return prog, p.Inputs[0].Values
}

// short is a writer that takes so many bytes.
type short struct{ left int }

var errShort = errors.New("no space left on device")

func (w *short) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errShort
	}
	return len(p), nil
}
