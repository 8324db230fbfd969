package match_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/match"
)

var (
	tree   = &match.Type{Names: []string{"Leaf", "Node"}, Args: []bool{true, true}}
	option = &match.Type{Names: []string{"None", "Some"}, Args: []bool{false, true}}
)

func con(t *match.Type, k int, arg ...*match.Pattern) *match.Pattern {
	return &match.Pattern{Type: t, Con: k, Parts: arg}
}

func tuple(parts ...*match.Pattern) *match.Pattern { return &match.Pattern{Parts: parts} }

func v(name uint32) *match.Pattern { return &match.Pattern{Name: name} }

// TestMissing: an example for what no case takes, and the cases that take nothing.
func TestMissing(t *testing.T) {
	leaf, node := func(p *match.Pattern) *match.Pattern { return con(tree, 0, p) }, func(a, b *match.Pattern) *match.Pattern { return con(tree, 1, tuple(a, b)) }
	for _, c := range []struct {
		cases   []*match.Pattern
		missing []string
		useless []int
	}{
		{[]*match.Pattern{leaf(v(1)), node(v(2), v(3))}, nil, nil},
		{[]*match.Pattern{leaf(v(1))}, []string{"Node _"}, nil},
		{[]*match.Pattern{node(leaf(v(0)), v(1)), leaf(v(1))}, []string{"Node (Node _, _)"}, nil},
		{[]*match.Pattern{v(1), leaf(v(2))}, nil, []int{1}},
		{[]*match.Pattern{node(leaf(v(0)), v(0)), node(v(0), leaf(v(0))), v(9), node(v(1), v(2))}, nil, []int{3}},
		{[]*match.Pattern{tuple(con(option, 0), v(0)), tuple(v(0), con(option, 0))}, []string{"(Some _, Some _)"}, nil},
		{[]*match.Pattern{con(option, 1, con(option, 1, leaf(v(0)))), con(option, 1, con(option, 0))}, []string{"None", "Some (Some (Node _))"}, nil},
		{[]*match.Pattern{tuple(v(1), tuple(v(2), con(option, 0))), tuple(v(1), v(2))}, nil, nil},
		{[]*match.Pattern{con(option, 0), con(option, 1, v(1)), con(option, 0), v(2)}, nil, []int{2, 3}},
	} {
		r := match.Compile(c.cases)
		require.ElementsMatch(t, c.missing, r.Missing)
		require.Equal(t, c.useless, r.Useless)
	}
}

// TestTree: the argument of a constructor is opened where it is met, unless a case names it whole.
func TestTree(t *testing.T) {
	r := match.Compile([]*match.Pattern{con(tree, 0, v(1)), con(tree, 1, tuple(v(2), v(3)))})
	require.Equal(t, [][]match.Place{{1}, {2, 3}}, r.Tree.Parts)
	require.Equal(t, []match.Bind{{Name: 2, Place: 2}, {Name: 3, Place: 3}}, r.Tree.Next[1].Binds)
	r = match.Compile([]*match.Pattern{con(tree, 0, v(1)), con(tree, 1, tuple(con(tree, 0, v(2)), v(0))), con(tree, 1, v(3))})
	require.Equal(t, [][]match.Place{{1}, {2}}, r.Tree.Parts)
	open := r.Tree.Next[1]
	require.Nil(t, open.Type)
	require.Equal(t, match.Place(2), open.Place)
	require.Equal(t, []match.Bind{{Name: 3, Place: 2}}, open.Next[0].Next[1].Binds)
	// A tuple is opened into the fewest components that a case has.
	r = match.Compile([]*match.Pattern{tuple(v(1), tuple(v(2), con(option, 0))), tuple(v(1), v(2))})
	require.Len(t, r.Tree.Parts[0], 2)
}

// TestTooMany: a match that would become a very large tree is no work without end.
func TestTooMany(t *testing.T) {
	var rows []*match.Pattern
	for i := range 20 {
		parts := make([]*match.Pattern, 40)
		for k := range parts {
			parts[k] = v(0)
		}
		parts[2*i], parts[2*i+1] = con(option, 0), con(option, 0)
		rows = append(rows, tuple(parts...))
	}
	require.True(t, match.Compile(rows).TooMany)
}
