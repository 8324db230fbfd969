package elaborate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/core"
)

var (
	tree   = &core.Inductive{Cons: []core.Constructor{{Name: "Leaf", Arg: core.R}, {Name: "Node", Arg: core.R}}}
	option = &core.Inductive{Cons: []core.Constructor{{Name: "None"}, {Name: "Some", Arg: core.R}}}
)

func con(t *core.Inductive, k int, arg ...*casePattern) *casePattern {
	return &casePattern{Type: t, Con: k, Parts: arg}
}

func tuple(parts ...*casePattern) *casePattern { return &casePattern{Parts: parts} }

func v(name uint32) *casePattern { return &casePattern{Name: name} }

// TestMissing: an example for what no case takes, and the cases that take nothing.
func TestMissing(t *testing.T) {
	leaf, node := func(p *casePattern) *casePattern { return con(tree, 0, p) }, func(a, b *casePattern) *casePattern { return con(tree, 1, tuple(a, b)) }
	for _, c := range []struct {
		cases   []*casePattern
		missing []string
		useless []int
	}{
		{[]*casePattern{leaf(v(1)), node(v(2), v(3))}, nil, nil},
		{[]*casePattern{leaf(v(1))}, []string{"Node _"}, nil},
		{[]*casePattern{node(leaf(v(0)), v(1)), leaf(v(1))}, []string{"Node (Node _, _)"}, nil},
		{[]*casePattern{v(1), leaf(v(2))}, nil, []int{1}},
		{[]*casePattern{node(leaf(v(0)), v(0)), node(v(0), leaf(v(0))), v(9), node(v(1), v(2))}, nil, []int{3}},
		{[]*casePattern{tuple(con(option, 0), v(0)), tuple(v(0), con(option, 0))}, []string{"(Some _, Some _)"}, nil},
		{[]*casePattern{con(option, 1, con(option, 1, leaf(v(0)))), con(option, 1, con(option, 0))}, []string{"None", "Some (Some (Node _))"}, nil},
		{[]*casePattern{tuple(v(1), tuple(v(2), con(option, 0))), tuple(v(1), v(2))}, nil, nil},
		{[]*casePattern{con(option, 0), con(option, 1, v(1)), con(option, 0), v(2)}, nil, []int{2, 3}},
	} {
		r := decide(c.cases)
		require.ElementsMatch(t, c.missing, r.Missing)
		require.Equal(t, c.useless, r.Useless)
	}
}

// TestTree: the argument of a constructor is opened where it is met, unless a case names it whole.
func TestTree(t *testing.T) {
	r := decide([]*casePattern{con(tree, 0, v(1)), con(tree, 1, tuple(v(2), v(3)))})
	require.Equal(t, [][]place{{1}, {2, 3}}, r.Tree.Parts)
	require.Equal(t, []bound{{Name: 2, Place: 2}, {Name: 3, Place: 3}}, r.Tree.Next[1].Binds)
	r = decide([]*casePattern{con(tree, 0, v(1)), con(tree, 1, tuple(con(tree, 0, v(2)), v(0))), con(tree, 1, v(3))})
	require.Equal(t, [][]place{{1}, {2}}, r.Tree.Parts)
	open := r.Tree.Next[1]
	require.Nil(t, open.Type)
	require.Equal(t, place(2), open.Place)
	require.Equal(t, []bound{{Name: 3, Place: 2}}, open.Next[0].Next[1].Binds)
	// A tuple is opened into the fewest components that a case has.
	r = decide([]*casePattern{tuple(v(1), tuple(v(2), con(option, 0))), tuple(v(1), v(2))})
	require.Len(t, r.Tree.Parts[0], 2)
}

// TestTooMany: a match that would become a very large tree is no work without end.
func TestTooMany(t *testing.T) {
	var rows []*casePattern
	for i := range 20 {
		parts := make([]*casePattern, 40)
		for k := range parts {
			parts[k] = v(0)
		}
		parts[2*i], parts[2*i+1] = con(option, 0), con(option, 0)
		rows = append(rows, tuple(parts...))
	}
	require.True(t, decide(rows).TooMany)
}
