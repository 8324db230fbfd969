package reference

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/term"
)

// normal is what a term comes to by a strategy.
func (p *Program) normal(t *testing.T, u *Term, by Strategy) *Term {
	q := *p
	q.Term = u
	res, err := (&Start{Program: &q}).Run(by, 1000, nil)
	require.NoError(t, err)
	return res.Term
}

// TestWithoutLinGC: D of a closed ground term comes to that of its value, and without (5') to the same
// but for garbage, from which (5') leads there.
func TestWithoutLinGC(t *testing.T) {
	p := paper()
	square := func(u *Term) *Term {
		z := real("z")
		return let(function(term.Mul, variable(z), variable(z)), single(z), u)
	}
	neg := func(u *Term) *Term { return function(term.Neg, u) }
	for _, c := range []struct {
		from        *Term
		want, stuck string
	}{
		{neg(p.num(1)), "⟨-1, λa.0⃗⟩", "⟨-1, λa.0⃗[a2:=-1·a]⟩"},
		{neg(neg(p.num(1))), "⟨1, λa.0⃗⟩", "⟨1, λa.0⃗[a2:=-1·a3][a3:=-1·a]⟩"},
		{square(p.num(2)), "⟨4, λa.0⃗⟩", "⟨4, λa.0⃗[a2:=2·a] + 0⃗[a3:=2·a]⟩"},
		{square(square(p.num(2))), "⟨16, λa.0⃗⟩",
			"⟨16, λa.(0⃗[a2:=2·a3] + 0⃗[a4:=2·a3])[a3:=4·a] + (0⃗[a5:=2·a6] + 0⃗[a7:=2·a6])[a6:=4·a]⟩"},
	} {
		d := p.Reverser().Term(c.from)
		require.Equal(t, c.want, p.normal(t, d, Leftmost).String())
		stuck := p.normal(t, d, WithoutLinGC(Leftmost))
		require.Equal(t, c.stuck, stuck.String())
		require.Equal(t, c.want, p.normal(t, stuck, Leftmost).String())
	}
}
