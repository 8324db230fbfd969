package graph_test

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/normalise"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

var update = flag.Bool("update", false, "rewrite the expected listings in testdata")

// compiled compiles a source in the way that its case names: as a value, with symbolic
// inputs, as a gradient, with symbolic inputs or not, or as the normal form of its gradient.
func compiled(t *testing.T, how, src string) (*graph.Program, *lang.Program) {
	t.Helper()
	p, err := lang.Load("t.gram", []byte(src), lang.Options{})
	require.NoError(t, err)
	q := p.Term()
	opt := compile.Options{Open: strings.HasPrefix(how, "open"), Reversed: strings.HasSuffix(how, "gradient") || how == "normal"}
	for _, in := range p.Inputs {
		opt.Inputs = append(opt.Inputs, in.Vars...)
	}
	if opt.Reversed {
		q, err = revgrad.Reverse(q, nil)
		require.NoError(t, err)
	}
	if how == "normal" {
		q = normalForm(t, q, opt, p)
	}
	prog, err := compile.Compile(q, opt)
	require.NoError(t, err)
	return prog, p
}

// normalForm normalises a reversed term.
func normalForm(t *testing.T, q *term.Term, opt compile.Options, p *lang.Program) *term.Term {
	t.Helper()
	var point []float64
	for _, in := range p.Inputs {
		point = append(point, in.Values...)
	}
	n, _, err := normalise.Normal(q, opt.Inputs, point, normalise.Options{Unfold: true})
	require.NoError(t, err)
	return n
}

// TestListing holds the listings of programs that have every instruction, and every
// instruction of a dual's body. A case is how the program is compiled, the source, a
// line "----", and the listing, up to a line "====".
func TestListing(t *testing.T) {
	const path = "testdata/listing.txt"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	ops := map[graph.Op]bool{}
	lins := map[graph.LinOp]bool{}
	var all strings.Builder
	for _, c := range strings.Split(strings.TrimSuffix(string(text), "====\n"), "====\n") {
		program, want, _ := strings.Cut(c, "----\n")
		how, src, _ := strings.Cut(program, "\n")
		prog, p := compiled(t, how, src)
		var got strings.Builder
		require.NoError(t, prog.WriteCode(&got, p.Place))
		if !*update {
			require.Equal(t, want, got.String(), "%s", program)
		}
		all.WriteString(program + "----\n" + got.String() + "====\n")
		for _, in := range prog.Code {
			ops[in.Op] = true
		}
		for _, b := range prog.Bodies {
			for _, in := range b.Code {
				lins[in.Op] = true
			}
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(all.String()), 0o644))
	}
	for op := graph.OpMul; op <= graph.OpIf; op++ {
		require.True(t, ops[op], "no listing has operation %d", op)
	}
	for op := graph.LinConst; op <= graph.LinScale; op++ {
		require.True(t, lins[op], "no listing has operation %d of a dual's body", op)
	}
}

// failing is a writer that takes so many bytes.
type failing struct{ left int }

var errFull = errors.New("no space left on device")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestListingFails: an error of the writer ends the listing wherever it comes.
func TestListingFails(t *testing.T) {
	prog, p := compiled(t, "gradient", "input x = 2\nsin x * x")
	var whole strings.Builder
	require.NoError(t, prog.WriteCode(&whole, p.Place))
	for n := range whole.Len() {
		require.ErrorIs(t, prog.WriteCode(&failing{n}, p.Place), errFull)
	}
	require.NoError(t, prog.WriteCode(&failing{whole.Len()}, func(pos term.Pos) string { return p.Place(pos) }))
}
