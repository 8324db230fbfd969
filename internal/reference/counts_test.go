package reference_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/rule"
)

// load is the term of a source with its inputs.
func load(t require.TestingT, src string) subject {
	p, err := lang.Load("test.gram", []byte(src), lang.Options{})
	require.NoError(t, err)
	q := subject{t: p.Term()}
	for _, in := range p.Inputs {
		q.inputs = append(q.inputs, in.Vars...)
		q.point = append(q.point, in.Values...)
	}
	return q
}

// by are counts in the columns 1 2 3 3n 4 5 6 8 11 12 13 14 15.
func by(n ...uint64) (c rule.Counts) {
	columns := []rule.Rule{
		rule.Lambda, rule.Pair, rule.Subst, rule.SubstNumeral, rule.GC, rule.Lin,
		rule.Plus, rule.Times, rule.Factor, rule.Function, rule.Branch, rule.Case, rule.Unfold,
	}
	for i, k := range n {
		c[columns[i]] = k
	}
	return c
}

// TestSquaresShare: z' = z·z, n times, takes 14 + 24n steps (note C4).
func TestSquaresShare(t *testing.T) {
	src := "input x = 1.25\nlet z = x in\n"
	for n := range uint64(6) {
		counts := onReference(t, load(t, src+"z"), true, nil).counts
		require.Equal(t, 14+24*n, counts.Total())
		src += "let z = z * z in\n"
	}
}

// TestPaperPairsAreCopied: z' = z·z, n times. If (3) copies the pairs ⟨e,λa.u⟩ of D as they
// stand, each λ once for each use of z, then (11) never sees two equal heads, and the
// steps grow by a factor; so they do if a λ is substituted for a named dual as soon as can
// be. With each dual named and substituted last they are 14 + 24n (note C4).
func TestPaperPairsAreCopied(t *testing.T) {
	src := "input x = 1.25\nlet z = x in\n"
	var copied, early []float64
	for range 8 {
		p := load(t, src+"z")
		for _, c := range []struct {
			named  bool
			totals *[]float64
		}{{false, &copied}, {true, &early}} {
			s := p.start(t, denote.Floats{}, true)
			if c.named {
				s = s.Named()
			}
			res, err := s.Run(reference.ByValue, 20_000, nil)
			require.NoError(t, err)
			*c.totals = append(*c.totals, float64(res.Counts.Total()))
		}
		src += "let z = z * z in\n"
	}
	t.Log(copied, early)
	for i := 3; i < len(copied); i++ {
		require.Greater(t, copied[i]/copied[i-1], 1.7, "%v", copied)
		require.Greater(t, early[i]/early[i-1], 1.7, "%v", early)
	}
}
