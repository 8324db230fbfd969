package revgrad

import (
	"testing"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPropertyReverseAround: D(t) is D of t around its closed λs and, in their place, D
// of each of these by itself. D(t) has the closed λs that t has.
func TestPropertyReverseAround(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Draw(t, property.Options{Any: true})
		want, err := Reverse(p.Term, nil)
		require.NoError(t, err)
		closed, err := p.Term.ClosedLambdas(p.Inputs, nil)
		require.NoError(t, err)
		given := map[term.Ref]func(*term.Term) (term.Ref, error){}
		for _, l := range closed {
			s, err := p.Term.Subterm(l.At, nil)
			require.NoError(t, err)
			isolated, err := s.Isolate()
			require.NoError(t, err)
			alone, err := Reverse(isolated, nil)
			require.NoError(t, err)
			given[l.At] = func(d *term.Term) (term.Ref, error) {
				return d.Import(alone, term.Import{
					Free: func(x term.Var) term.Var { return s.Free[int(x)-len(s.Bound)-1] },
					Data: func(i int) int { return s.Data[i] },
					Pos:  func(p term.Pos) term.Pos { return p },
					Name: func(s string) string { return s },
				})
			}
		}
		got, err := ReverseAround(p.Term, given, nil)
		require.NoError(t, err)
		require.True(t, term.AlphaEqual(want, got), "%v\n%v", want, got)
		_, err = got.Check()
		require.NoError(t, err)
		again, err := want.ClosedLambdas(p.Inputs, nil)
		require.NoError(t, err)
		require.Len(t, again, len(closed))
	})
}
