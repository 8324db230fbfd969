package revgrad

import (
	"testing"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// reverseConstant is that of Lemma sizeReverse, |D(t)| ≤ 13·|t|. Trees of binary symbols
// with numerals for leaves come close to it.
const reverseConstant = 13

// TestPropertySizeReverse is Lemma sizeReverse. D(t) is well typed with type D(A), in an
// arena whose size was told beforehand.
func TestPropertySizeReverse(t *testing.T) {
	var constant property.Constant
	t.Cleanup(func() { constant.Report(t, "|D(t)| for each of |t|", reverseConstant) })
	property.Check(t, func(t *rapid.T) {
		p := property.Draw(t, property.Options{Vector: rapid.Bool().Draw(t, "vector")})
		typ, err := p.Term.Check()
		require.NoError(t, err)
		nodes, vars, err := imageSize(p.Term, make([]bool, len(p.Term.Nodes)), nil)
		require.NoError(t, err)
		d, err := Reverse(p.Term, nil)
		require.NoError(t, err)
		require.LessOrEqual(t, len(d.Nodes), nodes)
		require.LessOrEqual(t, d.NumVars(), vars)
		got, err := d.Check()
		require.NoError(t, err)
		require.Equal(t, p.Term.Types.Reverse(typ), got)
		size, err := Size(p.Term, nil)
		require.NoError(t, err)
		require.Equal(t, d.Size(), size)
		require.LessOrEqual(t, size, reverseConstant*p.Term.Size())
		constant.Measure(float64(d.Size())/float64(p.Term.Size()), p.Term)
		require.Subset(t, p.Inputs, d.FreeVars())
	})
}

// TestPropertyFamilies: the size of D of a term with families is that of D of its expansion.
func TestPropertyFamilies(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Families(t, property.Options{Vector: rapid.Bool().Draw(t, "vector")})
		got, err := Size(p.Term, nil)
		require.NoError(t, err)
		e, err := p.Term.Expand(nil, nil)
		require.NoError(t, err)
		want, err := Reverse(e, nil)
		require.NoError(t, err)
		require.Equal(t, want.Size(), got, "%s", p.Term)
	})
}

// TestPureTermsStay: D is the identity on a term without numerals and symbols, but
// for types.
func TestPureTermsStay(t *testing.T) {
	tt := term.NewTypes()
	q := term.New(tt)
	a := tt.Arrow(term.R, term.R)
	f := q.NewVar(term.VarInfo{Name: "f", Type: a})
	x := q.NewVar(term.VarInfo{Name: "x", Type: term.R})
	q.Root = q.Lam(1, f, q.Lam(1, x, q.App(1, q.Variable(1, f), q.App(1, q.Variable(1, f), q.Variable(1, x)))))
	d, err := Reverse(q, nil)
	require.NoError(t, err)
	require.True(t, term.AlphaEqual(q, d))
	require.Equal(t, q.Size(), d.Size())
}

// TestEquations prints D of each constructor as the table has it.
func TestEquations(t *testing.T) {
	tt := term.NewTypes()
	for _, c := range []struct {
		want  string
		build func(q *term.Term, x, y term.Var) term.Ref
	}{
		{"⟨2, λa.0⃗⟩", func(q *term.Term, _, _ term.Var) term.Ref { return q.Num(0, 2) }},
		{"⟨x#3 + x#5, λa.x*#4 a + x*#6 a⟩[⟨x#3, x*#4⟩:=u][⟨x#5, x*#6⟩:=v]", func(q *term.Term, x, y term.Var) term.Ref {
			return q.Add(0, q.Variable(0, x), q.Variable(0, y))
		}},
		{"⟨x#3·x#5, λa.x*#4 (x#5·a) + x*#6 (x#3·a)⟩[⟨x#3, x*#4⟩:=u][⟨x#5, x*#6⟩:=v]", func(q *term.Term, x, y term.Var) term.Ref {
			return q.Fun(0, term.Mul, q.Variable(0, x), q.Variable(0, y))
		}},
		{"⟨sub(x#3, x#5), λa.x*#4 (1·a) + x*#6 (-1·a)⟩[⟨x#3, x*#4⟩:=u][⟨x#5, x*#6⟩:=v]", func(q *term.Term, x, y term.Var) term.Ref {
			return q.Fun(0, term.Sub, q.Variable(0, x), q.Variable(0, y))
		}},
		{"⟨sin(x), λa.x* (∂1 sin(x)·a)⟩[⟨x, x*⟩:=u]", func(q *term.Term, x, _ term.Var) term.Ref {
			return q.Fun(0, term.Sin, q.Variable(0, x))
		}},
	} {
		q := term.New(tt)
		x := q.NewVar(term.VarInfo{Name: "u", Type: term.R})
		y := q.NewVar(term.VarInfo{Name: "v", Type: term.R})
		q.Root = c.build(q, x, y)
		d, err := Reverse(q, nil)
		require.NoError(t, err)
		got := d.String()
		require.Equal(t, c.want, got)
	}
}

func TestUndefinedOnLinearTerms(t *testing.T) {
	tt := term.NewTypes()
	q := term.New(tt)
	a := q.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true, Pos: 7})
	q.Root = q.Lam(3, a, q.Variable(5, a))
	_, err := Reverse(q, nil)
	var undefined *UndefinedError
	require.ErrorAs(t, err, &undefined)
	require.Equal(t, term.Pos(3), undefined.Pos)

	y := q.NewVar(term.VarInfo{Name: "y", Type: tt.Arrow(term.R, tt.Dual(2)), Pos: 9})
	q.ToChange(a).Linear = false
	q.Root = q.Variable(5, y)
	_, err = Reverse(q, nil)
	require.ErrorAs(t, err, &undefined)
	require.Equal(t, term.Pos(9), undefined.Pos)
}

// TestUndefinedOnSharedTypes: a type of 200 levels, each with two of the one below,
// unfolds to 2²⁰⁰ symbols. It is looked at once.
func TestUndefinedOnSharedTypes(t *testing.T) {
	tt := term.NewTypes()
	q := term.New(tt)
	a := term.R
	var x term.Var
	for range 200 {
		x = q.NewVar(term.VarInfo{Name: "x", Type: a})
		a = tt.Arrow(tt.Arrow(a, tt.Arrow(a, term.R)), term.R)
	}
	q.Root = q.Variable(0, x)
	require.NoError(t, Undefined(q, nil))
	q.NewVar(term.VarInfo{Name: "y", Type: tt.Prod(a, term.AbstractDual)})
	require.Error(t, Undefined(q, nil))
}
