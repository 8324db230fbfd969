package term_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/term"
)

// sumOfTree returns the term fix sum.λt. match t with Leaf x → x | Node ⟨l, r⟩ → sum l + sum r, and the type of t.
func sumOfTree() (*term.Term, term.Type) {
	tt := term.NewTypes()
	d, _ := tt.Declare("tree", 0)
	tree := tt.Instance(d)
	if err := tt.Define(d, []term.Constructor{{Name: "Leaf", Arg: term.R}, {Name: "Node", Arg: tt.Prod(tree, tree)}}); err != nil {
		panic(err)
	}
	q := term.New(tt)
	variable := func(name string, ty term.Type) term.Var { return q.NewVar(term.VarInfo{Name: name, Type: ty}) }
	f, t := variable("sum", tt.Arrow(tree, term.R)), variable("t", tree)
	x, l, r := variable("x", term.R), variable("l", tree), variable("r", tree)
	call := func(x term.Var) term.Ref { return q.App(1, q.Variable(1, f), q.Variable(1, x)) }
	body := q.Case(1, tree, q.Variable(1, t), []term.Branch{
		{Pos: 1, Vars: []term.Var{x}, Body: q.Variable(1, x)},
		{Pos: 1, Vars: []term.Var{l, r}, Body: q.Add(1, call(l), call(r))}})
	q.Root = q.Fix(1, []term.Var{f}, []term.Ref{q.Lam(1, t, body)}, 0)
	return q, tree
}

// TestRecursion: the type, the text, the free variables and the copies of a recursive function over a tree.
func TestRecursion(t *testing.T) {
	q, tree := sumOfTree()
	tt := q.Types
	ty, err := q.Check()
	require.NoError(t, err)
	require.Equal(t, tt.Arrow(tree, term.R), ty)
	require.Equal(t, "tree -> R", tt.String(ty))
	require.Empty(t, q.FreeVars())
	require.Equal(t, "fix sum.λt.match t with Leaf x → x | Node ⟨l, r⟩ → (sum l + sum r)", q.String())

	s, err := q.Subterm(q.Root, nil)
	require.NoError(t, err)
	alone, err := s.Isolate()
	require.NoError(t, err)
	require.True(t, term.AlphaEqual(q, alone))
	ty, err = alone.Check()
	require.NoError(t, err)
	require.Equal(t, "tree -> R", alone.Types.String(ty))

	q.Root = q.Con(1, tree, 0, q.Num(1, 2))
	require.Equal(t, "Leaf 2", q.String())
	q.Root = q.Con(7, tree, 1, q.Num(1, 2))
	_, err = q.Check()
	require.EqualError(t, err, "the argument of Node has type R, not tree * tree")
	q.Root = q.Con(7, tree, 1, 0)
	_, err = q.Check()
	require.ErrorContains(t, err, "Node has an argument too many or too few")
}

// TestInductiveTypes: instances, their constructors, and D of them.
func TestInductiveTypes(t *testing.T) {
	tt := term.NewTypes()
	d, isNew := tt.Declare("stream", 1)
	require.True(t, isNew)
	a := tt.Param(0)
	require.NoError(t, tt.Define(d, []term.Constructor{{Name: "Nil"}, {Name: "Cons", Arg: tt.Prod(a, tt.Instance(d, a))}}))
	numbers := tt.Instance(d, term.R)
	require.Equal(t, "stream R", tt.String(numbers))
	require.Equal(t, []term.Constructor{{Name: "Nil"}, {Name: "Cons", Arg: tt.Prod(term.R, numbers)}}, tt.Constructors(numbers))
	dual := tt.Reverse(numbers)
	require.Equal(t, "D(stream) (R * (R -o R^d))", tt.String(dual))
	require.Equal(t, tt.Prod(tt.Reverse(term.R), dual), tt.Constructors(dual)[1].Arg)
	require.True(t, tt.HasDual(dual))
	require.False(t, tt.HasDual(numbers))
	require.Equal(t, "stream (stream R) -> stream R", tt.String(tt.Arrow(tt.Instance(d, numbers), numbers)))

	e, _ := tt.Declare("chain", 0)
	chain := tt.Instance(e)
	require.NoError(t, tt.Define(e, []term.Constructor{{Name: "End"}, {Name: "Link", Arg: tt.Prod(term.R, chain)}}))
	require.Equal(t, tt.Prod(tt.Reverse(term.R), tt.Reverse(chain)), tt.Constructors(tt.Reverse(chain))[1].Arg)
	require.True(t, tt.HasDual(tt.Reverse(chain)))

	n, _ := tt.Declare("nat", 0)
	require.NoError(t, tt.Define(n, []term.Constructor{{Name: "Z"}, {Name: "S", Arg: tt.Instance(n)}}))
	require.False(t, tt.HasDual(tt.Reverse(tt.Instance(n))))
	f, _ := tt.Declare("bad", 0)
	require.ErrorContains(t, tt.Define(f, []term.Constructor{{Name: "B", Arg: tt.Dual(2)}}), "linear negation")
}

// TestReverseOfTypesDefinedTogether: D of a type holds linear negations wherever R is in its constructors, whichever of types that
// mention each other is defined first.
func TestReverseOfTypesDefinedTogether(t *testing.T) {
	tt := term.NewTypes()
	tree, _ := tt.Declare("tree", 0)
	branches, _ := tt.Declare("branches", 0)
	ty := tt.Instance(branches)
	require.NoError(t, tt.Define(branches, []term.Constructor{{Name: "Leaf"}, {Name: "Branch", Arg: tt.Prod(tt.Instance(tree), ty)}}))
	require.NoError(t, tt.Define(tree, []term.Constructor{{Name: "Atom", Arg: tt.Prod(term.R, ty)}}))
	require.Len(t, tt.Constructors(tt.Reverse(ty)), 2)
	require.Len(t, tt.Constructors(tt.Reverse(tt.Instance(tree))), 1)
}
