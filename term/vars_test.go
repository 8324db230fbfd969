package term_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
)

// TestPropertyVars: variables that are added together are known as those added one by one, in copies and after changes, too.
func TestPropertyVars(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		q := term.New(term.NewTypes())
		want := make([]term.VarInfo, 1)
		for range rapid.IntRange(0, 6).Draw(t, "additions") {
			info := term.VarInfo{Name: rapid.StringN(1, 2, -1).Draw(t, "name"), Type: term.R, Pos: term.Pos(len(want))}
			n := rapid.SampledFrom([]int{0, 1, 2, term.Many, term.Many + 1}).Draw(t, "many")
			first := term.Var(len(want))
			if n == 1 && rapid.Bool().Draw(t, "alone") {
				require.Equal(t, first, q.NewVar(info))
			} else {
				require.Equal(t, first, q.NewVars(n, info))
			}
			want = append(want, slices.Repeat([]term.VarInfo{info}, n)...)
		}
		if k := len(want); k > 1 { // names that are asked for, of some variables or of a run
			first := rapid.IntRange(1, k-1).Draw(t, "first named")
			n := rapid.IntRange(0, k-first).Draw(t, "named")
			name := func(i int) string { return "n" + strconv.Itoa(i) }
			shared := term.New(q.Types)
			shared.CopyVars(q, 0)
			shared.NameVars(term.Var(first), n, name)
			for x := 1; x < k; x++ {
				named := want[x]
				if x >= first && x < first+n {
					named.Name = name(x - first)
				}
				require.Equal(t, named, shared.Info(term.Var(x)))
				require.Equal(t, named.Type, shared.TypeOf(term.Var(x)))
				require.Equal(t, want[x], q.Info(term.Var(x)))
			}
		}
		old := slices.Clone(want)
		c := term.New(q.Types)
		c.CopyVars(q, rapid.IntRange(0, 2).Draw(t, "more"))
		for x := range c.EachVar() {
			x.Linear = true
		}
		if len(want) > 1 {
			x := rapid.IntRange(1, len(want)-1).Draw(t, "changed")
			q.ToChange(term.Var(x)).Name += "'"
			want[x].Name += "'"
		}
		q.NewVar(term.VarInfo{Name: "last"})
		want = append(want, term.VarInfo{Name: "last"})
		require.Equal(t, len(want), q.NumVars())
		require.Equal(t, len(old), c.NumVars())
		for x := 1; x < len(old); x++ {
			old[x].Linear = true
			require.Equal(t, want[x], q.Info(term.Var(x)))
			require.Equal(t, old[x], c.Info(term.Var(x)))
		}
	})
}
