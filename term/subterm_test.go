package term_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// encoded is a term's encoding.
func encoded(t *term.Term) []byte { return encodedAt(t, t.Root) }

func encodedAt(t *term.Term, at term.Ref) []byte {
	s, _ := t.Subterm(at, nil)
	u, _ := s.Isolate()
	return u.Encode(nil)
}

// isolated is the subterm at the root, and that isolated.
func isolated(t *term.Term) (*term.Subterm, *term.Term) {
	s, _ := t.Subterm(t.Root, nil)
	out, _ := s.Isolate()
	return s, out
}

// elsewhere adds t to an arena over another universe, where its variables have other
// numbers and names, its data other places and its nodes other positions.
func elsewhere(t *term.Term) *term.Term {
	tt := term.NewTypes()
	out := term.New(tt)
	other := tt.Arrow(term.R, tt.Vec(7, term.R))
	out.Lam(1, out.NewVar(term.VarInfo{Name: "unused", Type: other}), out.Num(1, 3))
	out.Data = append(make([]term.Data, 1, 1+len(t.Data)), t.Data...)
	free := map[term.Var]term.Var{}
	out.Root, _ = out.Import(t, term.Import{
		Free: func(x term.Var) term.Var {
			if free[x] == 0 {
				free[x] = out.NewVar(term.VarInfo{Name: "free" + t.Info(x).Name, Type: term.R})
			}
			return free[x]
		},
		Data: func(i int) int { return i + 1 },
		Pos:  func(p term.Pos) term.Pos { return p + 100 },
		Name: func(s string) string { return "the " + s },
	})
	return out
}

// alpha decides α-equality literally, walking down both terms at once: a variable's
// partner is that of its binder, a free variable's and a datum's that of the first
// occurrence.
type alpha struct {
	t, u   *term.Term
	to, of map[term.Var]term.Var
	data   map[term.Ref]term.Ref
	datum  map[term.Ref]term.Ref
}

func alphaEqual(t, u *term.Term) bool {
	a := alpha{t, u, map[term.Var]term.Var{}, map[term.Var]term.Var{}, map[term.Ref]term.Ref{}, map[term.Ref]term.Ref{}}
	return a.equal(t.Root, u.Root)
}

func partners[K comparable](to, of map[K]K, x, y K) bool {
	p, known := to[x]
	q, knownToo := of[y]
	if !known && !knownToo {
		to[x], of[y] = y, x
		return true
	}
	return known && knownToo && p == y && q == x
}

func (a *alpha) typ(x, y term.Type) bool {
	if x == 0 || y == 0 {
		return x == y
	}
	return a.t.Types.String(x) == a.u.Types.String(y)
}

func (a *alpha) bind(x, y term.Var) bool {
	a.to[x], a.of[y] = y, x
	return a.t.Info(x).Linear == a.u.Info(y).Linear && a.typ(a.t.TypeOf(x), a.u.TypeOf(y))
}

func (a *alpha) equal(r, s term.Ref) bool {
	n, m := &a.t.Nodes[r], &a.u.Nodes[s]
	if n.Op != m.Op || n.N != m.N || !a.typ(n.Elem, m.Elem) || !a.typ(n.Res, m.Res) || n.Count != m.Count ||
		n.Sym != m.Sym || n.Cmp != m.Cmp || math.Float64bits(n.Val) != math.Float64bits(m.Val) {
		return false
	}
	switch n.Op {
	case term.VarOp:
		return partners(a.to, a.of, n.X, m.X) && a.typ(a.t.TypeOf(n.X), a.u.TypeOf(m.X))
	case term.DataOp:
		return partners(a.data, a.datum, n.A, m.A)
	case term.LamOp:
		return a.bind(n.X, m.X) && a.equal(n.A, m.A)
	case term.LetOp:
		return a.bind(n.X, m.X) && a.equal(n.A, m.A) && a.equal(n.B, m.B)
	case term.ConOp:
		return (n.A == 0) == (m.A == 0) && (n.A == 0 || a.equal(n.A, m.A))
	case term.UnvecOp, term.UntupleOp, term.BranchOp:
		for i, x := range a.t.BoundVars(n) {
			if !a.bind(x, a.u.BoundVars(m)[i]) {
				return false
			}
		}
		return a.equal(n.A, m.A) && (n.Op == term.BranchOp || a.equal(n.B, m.B))
	case term.AppOp, term.PairOp, term.AddOp:
		return a.equal(n.A, m.A) && a.equal(n.B, m.B)
	case term.FunOp, term.VecOp, term.IfOp, term.ListOp, term.CaseOp:
		for i, k := range a.t.Children(n) {
			if !a.equal(k, a.u.Children(m)[i]) {
				return false
			}
		}
	}
	return true
}

// changed makes one change to a term, which keeps its scopes.
func changed(t *rapid.T, src *term.Term) *term.Term {
	u := *src
	u.Nodes = append([]term.Node(nil), src.Nodes...)
	u.CopyVars(src, 0)
	if rapid.IntRange(0, 3).Draw(t, "of a variable") == 0 && u.NumVars() > 1 {
		v := u.ToChange(term.Var(rapid.IntRange(1, u.NumVars()-1).Draw(t, "variable")))
		v.Type = u.Types.Prod(v.Type, term.R)
		return &u
	}
	n := &u.Nodes[rapid.IntRange(1, len(u.Nodes)-1).Draw(t, "node")]
	switch n.Op {
	case term.NumOp:
		n.Val = math.Copysign(n.Val, -1)
	case term.VarOp:
		was := n.X
		n.X = term.Var(rapid.IntRange(1, u.NumVars()-1).Draw(t, "occurrence"))
		if _, err := u.Check(); err != nil {
			n.X = was
		}
	case term.NatOp:
		n.Count++
	case term.FunOp:
		n.Sym = rapid.SampledFrom(term.Symbols()).Draw(t, "symbol")
	case term.IfOp:
		n.Cmp ^= 1
	case term.DataOp:
		n.A = term.Ref(rapid.IntRange(0, len(u.Data)-1).Draw(t, "data"))
	case term.ListOp:
		n.Res = u.Types.Prod(n.Res, term.R)
	case term.PairOp, term.AddOp, term.AppOp:
		n.A, n.B = n.B, n.A
	}
	return &u
}

// TestPropertyEncode: two terms have the same encoding exactly when they are α-equal;
// what they are isolated as is the same then.
func TestPropertyEncode(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p, q := property.Mixed(t, 40), (*term.Term)(nil)
		switch rapid.IntRange(0, 2).Draw(t, "pair") {
		case 0:
			p, q = property.Draw(t, property.Options{Size: 4}).Term, property.Draw(t, property.Options{Size: 4}).Term
		default:
			q = changed(t, p)
		}
		same := alphaEqual(p, q)
		require.Equal(t, same, bytes.Equal(encoded(p), encoded(q)), "%v\n%v", p, q)
		require.Equal(t, encoded(p), encoded(elsewhere(p)))
		if same {
			_, x := isolated(p)
			_, y := isolated(elsewhere(q))
			require.Equal(t, x.Nodes, y.Nodes)
			require.Equal(t, x.Args, y.Args)
			require.Equal(t, slices.Collect(x.EachVar()), slices.Collect(y.EachVar()))
		}
	})
}

// TestPropertyIsolate: the isolated term is the subterm, its numbers name its parts, and
// it has the subterm's type.
func TestPropertyIsolate(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Mixed(t, 40)
		s, u := isolated(p)
		require.True(t, alphaEqual(p, u), "%v\n%v", p, u)
		want, err := p.Check()
		require.NoError(t, err)
		got, err := u.Check()
		require.NoError(t, err)
		require.Equal(t, p.Types.String(want), u.Types.String(got))
		for i := range u.Nodes[1:] {
			n := &u.Nodes[1+i]
			require.Equal(t, p.Nodes[s.Nodes[n.Pos-1]].Op, n.Op)
		}
		require.Equal(t, 1+len(s.Bound)+len(s.Free), u.NumVars())
	})
}

// TestEncodeTellsApart: terms that differ in little have different encodings.
func TestEncodeTellsApart(t *testing.T) {
	c := term.New(term.NewTypes())
	fresh := func(name string) term.Var { return c.NewVar(term.VarInfo{Name: name, Type: term.R}) }
	x, y, xs := fresh("x"), fresh("y"), fresh("f")
	lam := func(typ term.Type, linear bool) func() term.Ref {
		return func() term.Ref {
			x := c.NewVar(term.VarInfo{Name: "x", Type: typ, Linear: linear})
			return c.Lam(0, x, c.Variable(0, x))
		}
	}
	seen := map[string]int{}
	for i, make := range []func() term.Ref{
		func() term.Ref { return c.Num(0, 0) },
		func() term.Ref { return c.Num(0, math.Copysign(0, -1)) },
		func() term.Ref { return c.Num(0, math.NaN()) },
		lam(term.R, false), lam(term.R, true), lam(c.Types.Vec(1, term.R), false), lam(c.Types.Prod(term.R, term.R), false),
		lam(c.Types.Arrow(term.R, term.R), false), lam(c.Types.Dual(1), false), lam(term.AbstractDual, false),
		func() term.Ref { return c.Add(0, c.Variable(0, x), c.Variable(0, x)) },
		func() term.Ref { return c.Add(0, c.Variable(0, x), c.Variable(0, y)) },
		func() term.Ref { return c.Nat(0, 3, term.R) },
		func() term.Ref { return c.Nat(0, 3, c.Types.Prod(term.R, term.R)) },
		func() term.Ref { return c.List(0, term.R, term.R, nil) },
		func() term.Ref { return c.Lam(0, xs, c.Variable(0, x)) },
	} {
		text := string(encodedAt(c, make()))
		require.NotContains(t, seen, text, "%d is as %d", i, seen[text])
		seen[text] = i
	}
}

// TestSubtermOfDeepTerm: a subterm 10⁶ deep needs no deep stack.
func TestSubtermOfDeepTerm(t *testing.T) {
	c := term.New(term.NewTypes())
	r := c.Variable(0, c.NewVar(term.VarInfo{Name: "x", Type: term.R}))
	n := property.Size(1_000_000)
	for range n {
		r = c.Add(0, c.Num(0, 1), r)
	}
	c.Root = r
	_, u := isolated(c)
	require.Equal(t, 2*n+1, len(u.Nodes)-1)
	require.Equal(t, encoded(c), encoded(u))
}
