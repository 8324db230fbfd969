package core

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/property"
)

// tree is a type for the naive unifier: its first letter is the form, an open type
// has a number.
type tree struct {
	form byte // R * > o ^ L N or v
	n    int  // v: its number; ^: its size
	a, b *tree
}

// expand writes List and Nat out.
func (t *tree) expand() *tree {
	arrow := func(a, b *tree) *tree { return &tree{form: '>', a: a, b: b} }
	switch t.form {
	case 'L':
		step := arrow(t.b, t.b)
		return arrow(arrow(t.a, step), step)
	case 'N':
		step := arrow(t.b, t.b)
		return arrow(step, step)
	}
	return t
}

// naive unifies as a textbook does, with a substitution and full expansion.
type naive map[int]*tree

func (s naive) find(t *tree) *tree {
	for t.form == 'v' && s[t.n] != nil {
		t = s[t.n]
	}
	return t.expand()
}

func (s naive) occurs(n int, t *tree) bool {
	t = s.find(t)
	if t.form == 'v' {
		return t.n == n
	}
	return t.a != nil && s.occurs(n, t.a) || t.b != nil && s.occurs(n, t.b)
}

func (s naive) unify(a, b *tree) bool {
	a, b = s.find(a), s.find(b)
	switch {
	case a.form == 'v' && b.form == 'v' && a.n == b.n:
		return true
	case a.form == 'v':
		if s.occurs(a.n, b) {
			return false
		}
		s[a.n] = b
		return true
	case b.form == 'v':
		return s.unify(b, a)
	case a.form != b.form || a.n != b.n:
		return false
	}
	return (a.a == nil || s.unify(a.a, b.a)) && (a.b == nil || s.unify(a.b, b.b))
}

func (s naive) text(t *tree, names map[int]int) string {
	t = s.find(t)
	switch t.form {
	case 'v':
		if _, ok := names[t.n]; !ok {
			names[t.n] = len(names)
		}
		return string(rune('a' + names[t.n]))
	case 'R':
		return "R"
	case '^':
		return "(" + s.text(t.a, names) + ")^" + string(rune('0'+t.n))
	case 'o':
		return "(R -o " + s.text(t.a, names) + ")"
	}
	return "(" + s.text(t.a, names) + string(t.form) + s.text(t.b, names) + ")"
}

// text prints a type in the same way.
func (tt *Types) plain(t Type, names map[Type]int) string {
	t = tt.Find(t)
	n := tt.Nodes[t]
	switch n.Kind {
	case Open:
		if _, ok := names[t]; !ok {
			names[t] = len(names)
		}
		return string(rune('a' + names[t]))
	case Real:
		return "R"
	case List, Nat:
		return tt.plain(tt.arrowOf(t), names)
	case Vec:
		return "(" + tt.plain(n.A, names) + ")^" + string(rune('0'+tt.SizeAt(Size(n.N)).N))
	case Dual:
		return "(R -o " + tt.plain(n.A, names) + ")"
	case Prod:
		return "(" + tt.plain(n.A, names) + "*" + tt.plain(n.B, names) + ")"
	}
	return "(" + tt.plain(n.A, names) + ">" + tt.plain(n.B, names) + ")"
}

type unifyGen struct {
	r    *rand.Rand
	tt   *Types
	open []Type
	old  []Type // types made before: parts are shared
	tree map[Type]*tree
}

func (g *unifyGen) Type(depth int) Type {
	pick := func() Type { return g.Type(depth - 1) }
	var t Type
	var n *tree
	switch k := g.r.Intn(11); {
	case depth == 0 || k < 3:
		i := g.r.Intn(len(g.open))
		t, n = g.open[i], &tree{form: 'v', n: i}
	case k == 3 && len(g.old) > 0:
		return g.old[g.r.Intn(len(g.old))]
	case k == 4:
		t, n = R, &tree{form: 'R'}
	case k == 5:
		a, s := pick(), 1+g.r.Intn(2)
		t, n = g.tt.Vec(a, g.tt.KnownSize(s)), &tree{form: '^', n: s, a: g.tree[a]}
	case k == 6:
		a, b := pick(), pick()
		t, n = g.tt.List(a, b), &tree{form: 'L', a: g.tree[a], b: g.tree[b]}
	case k == 7:
		b := pick()
		t, n = g.tt.Nat(b), &tree{form: 'N', b: g.tree[b]}
	case k == 8:
		a, b := pick(), pick()
		t, n = g.tt.Prod(a, b), &tree{form: '*', a: g.tree[a], b: g.tree[b]}
	case k == 9:
		a := pick()
		t, n = g.tt.Dual(a), &tree{form: 'o', a: g.tree[a]}
	default:
		a, b := pick(), pick()
		t, n = g.tt.Arrow(a, b), &tree{form: '>', a: g.tree[a], b: g.tree[b]}
	}
	g.old = append(g.old, t)
	g.tree[t] = n
	return t
}

// TestUnify compares unification with the textbook's, on sequences of random types
// that share parts: it succeeds on the same, gives the same types, and a failure
// changes nothing.
func TestUnify(t *testing.T) {
	rounds := property.Size(20000)
	good, bad := 0, 0
	for seed := range rounds {
		g := &unifyGen{r: rand.New(rand.NewSource(int64(seed))), tt: NewTypes(), tree: map[Type]*tree{}}
		for range 4 {
			g.open = append(g.open, g.tt.Open())
		}
		s := naive{}
		for range 5 {
			a, b := g.Type(3), g.Type(3)
			before := map[int]*tree{}
			for k, v := range s {
				before[k] = v
			}
			ok := s.unify(g.tree[a], g.tree[b])
			if !ok {
				s = before
				bad++
			} else {
				good++
			}
			require.Equal(t, ok, g.tt.Unify(a, b) == NoClash, "seed %d", seed)
			names, mine := map[int]int{}, map[Type]int{}
			for i, x := range g.open {
				require.Equal(t, s.text(&tree{form: 'v', n: i}, names), g.tt.plain(x, mine), "seed %d", seed)
			}
		}
	}
	require.Greater(t, good, rounds/2)
	require.Greater(t, bad, rounds/2)
}
