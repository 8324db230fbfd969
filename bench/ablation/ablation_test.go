package ablation_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/ablation"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/oracle"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

const limit = 200_000

func load(t *testing.T, text string) *gram.Program {
	t.Helper()
	p, err := gram.Load(t.Context(), "test", []byte(text), gram.Options{})
	require.NoError(t, err)
	return p
}

// lets counts the explicit substitutions of exponential variables in t.
func lets(t *term.Term) int {
	n := 0
	for i := range t.Nodes {
		if l := &t.Nodes[i]; l.Op == term.LetOp && !t.Vars[l.X].Linear {
			n++
		}
	}
	return n
}

// TestPropertyAblated: without sharing and by name programs have the same numbers, to the last bit, and
// what Expand makes is a term of the same type.
func TestPropertyAblated(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector")})
		typ, err := p.Term.Check()
		require.NoError(t, err)
		want, _ := oracle.Jacobian(p.Term, p.Inputs, p.Point)

		flat, err := ablation.Expand(p.Term, limit, nil)
		var large *ablation.SizeError
		if !errors.As(err, &large) {
			require.NoError(t, err)
			require.Zero(t, lets(flat))
			got, err := flat.Check()
			require.NoError(t, err)
			require.Equal(t, typ, got)
			values, _ := oracle.Jacobian(flat, p.Inputs, p.Point)
			require.InDeltaSlice(t, want, values, 0)
		}

		s := reference.Convert(p.Term, denote.Floats{}).ValueStart(p.Inputs, p.Point)
		numbers, _, err := ablation.ByName(s, limit, nil)
		var long *reference.LimitError
		if errors.As(err, &long) {
			return
		}
		require.NoError(t, err)
		require.Len(t, numbers, len(want))
		for i, r := range numbers {
			require.InDelta(t, want[i], r, 0)
		}
	})
}

// TestExpand: z·z, n times, has 2ⁿ leaves without sharing; copies of a λ bind variables of their own, and
// what a λ's body refers to is that of its own scope.
func TestExpand(t *testing.T) {
	text := "input x = 2\nlet z = x in\n"
	for n := range 8 {
		p := load(t, text+"z\n")
		flat, err := ablation.Expand(p.Term(), 2<<n, nil)
		require.NoError(t, err)
		require.EqualValues(t, 2<<n-1, flat.Size())
		_, err = ablation.Expand(p.Term(), 2<<n-2, nil)
		var large *ablation.SizeError
		require.ErrorAs(t, err, &large)
		require.Equal(t, 2<<n-2, large.Nodes)
		text += "let z = z * z in\n"
	}
	for _, c := range []struct{ text, want string }{
		{"let f = fun y -> let u = y * y in u + x in f (f 1)", "(λy#5.y#5·y#5 + x) ((λy#6.y#6·y#6 + x) 1)"},
		{"let (u, v) = (x, 2) in let w = u * v in w + w", "(u#5·v#6 + u#5·v#6)[⟨u#5, v#6⟩:=⟨x, 2⟩]"},
		{"let u = x in let f = fun y -> u + y in let u = 3 in f u", "(λy#6.x + y#6) 3"},
	} {
		flat, err := ablation.Expand(load(t, "input x = 1\n"+c.text+"\n").Term(), limit, nil)
		require.NoError(t, err)
		require.Equal(t, c.want, flat.String())
	}
}

// network is a fold of a cell over n numbers.
func network(t *testing.T, n int, cell string) *reference.Start {
	p := load(t, fmt.Sprintf("input e = 0.7\ninput r = 0.9\ndata a : List R = list i < %d -> sin i\nfold (fun x h -> %s) 0 a\n", n, cell))
	return reference.Convert(p.Term(), denote.Floats{}).ValueStart(p.ScalarInputs(), p.Point())
}

// TestByName: a cell that uses its state once is copied n times and takes the steps that it takes by value,
// but for (4); one that uses it twice is copied 2ⁿ − 1 times.
func TestByName(t *testing.T) {
	for n := 1; n <= 10; n++ {
		s := network(t, n, "sigmoid (e * x + r * h)")
		want, err := s.Run(reference.Machine(nil), limit, nil)
		require.NoError(t, err)
		want.Counts[rule.GC] = 0
		_, once, err := ablation.ByName(s, limit, nil)
		require.NoError(t, err)
		require.Equal(t, want.Counts, once)

		_, twice, err := ablation.ByName(network(t, n, "sigmoid (e * x + r * h * h)"), limit, nil)
		require.NoError(t, err)
		require.EqualValues(t, 1<<n-1, twice[rule.Subst])
		require.EqualValues(t, 1<<n-1, twice[rule.Function])
	}
	_, _, err := ablation.ByName(network(t, 20, "sigmoid (e * x + r * h * h)"), 1000, nil)
	var long *reference.LimitError
	require.ErrorAs(t, err, &long)
	require.Equal(t, 1000, long.Steps)
}

// TestChecks: both end with their check.
func TestChecks(t *testing.T) {
	stop := errors.New("stop")
	check := func() error { return stop }
	p := load(t, "input x = 1\n"+strings.Repeat("let x = x + x in\n", 10)+"x\n")
	_, err := ablation.Expand(p.Term(), limit, check)
	require.ErrorIs(t, err, stop)
	_, _, err = ablation.ByName(reference.Convert(p.Term(), denote.Floats{}).ValueStart(p.ScalarInputs(), p.Point()), limit, check)
	require.ErrorIs(t, err, stop)
}
