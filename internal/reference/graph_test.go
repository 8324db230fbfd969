package reference_test

import (
	"testing"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/term"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPropertyEquivalentShuffled: a term is equivalent to its shuffles.
func TestPropertyEquivalentShuffled(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		q := property.Mixed(t, 40)
		u, v := shuffled(t, q), shuffled(t, q)
		for _, collected := range []bool{false, true} {
			require.True(t, reference.SameGraph(q, u, collected), "%v\n%v", q, u)
			require.True(t, reference.SameGraph(u, v, collected), "%v\n%v", u, v)
		}
	})
}

// TestPropertyEquivalentChanged: a shuffle of a term with one real change is not equivalent.
func TestPropertyEquivalentChanged(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		q := property.Mixed(t, 40)
		u := *q
		u.Nodes = append([]term.Node(nil), q.Nodes...)
		s := &shuffler{t: t, src: &u}
		if !s.change() {
			return
		}
		v := s.run()
		require.False(t, reference.SameGraph(q, v, false), "%v\n%v", q, v)
	})
}

// calc builds terms of x and y : R.
type calc struct {
	*term.Term
	x, y term.Var
}

func newCalc() *calc {
	c := &calc{Term: term.New(term.NewTypes())}
	c.x, c.y = c.fresh("x"), c.fresh("y")
	return c
}

func (c *calc) fresh(name string) term.Var {
	return c.NewVar(term.VarInfo{Name: name, Type: term.R})
}
func (c *calc) v(x term.Var) term.Ref               { return c.Variable(0, x) }
func (c *calc) num(r float64) term.Ref              { return c.Num(0, r) }
func (c *calc) sin(u term.Ref) term.Ref             { return c.Fun(0, term.Sin, u) }
func (c *calc) mul(a, b term.Ref) term.Ref          { return c.Fun(0, term.Mul, a, b) }
func (c *calc) sum(a, b term.Ref) term.Ref          { return c.Term.Add(0, a, b) }
func (c *calc) pair(a, b term.Ref) term.Ref         { return c.Pair(0, a, b) }
func (c *calc) vec(us ...term.Ref) term.Ref         { return c.Vec(0, us) }
func (c *calc) lam(x term.Var, u term.Ref) term.Ref { return c.Lam(0, x, u) }

// let is body[z:=u], where body gets the z.
func (c *calc) let(u term.Ref, body func(z term.Var) term.Ref) term.Ref {
	z := c.fresh("z")
	return c.Let(0, z, u, body(z))
}

// TestEquivalentCases: what is equal and what is not, a case for each decision.
func TestEquivalentCases(t *testing.T) {
	square := func(c *calc) func(z term.Var) term.Ref {
		return func(z term.Var) term.Ref { return c.mul(c.v(z), c.v(z)) }
	}
	shared := func(u func(c *calc) term.Ref) func(c *calc) term.Ref {
		return func(c *calc) term.Ref { return c.let(u(c), square(c)) }
	}
	twice := func(u func(c *calc) term.Ref) func(c *calc) term.Ref {
		return func(c *calc) term.Ref { return c.mul(u(c), u(c)) }
	}
	sinX := func(c *calc) term.Ref { return c.sin(c.v(c.x)) }
	three := func(c *calc) term.Ref { return c.num(3) }
	// The member of two functions, of which the first calls one, and the second is sin.
	fix := func(name string, calls, member int) func(c *calc) term.Ref {
		return func(c *calc) term.Ref {
			real := c.Types.Arrow(term.R, term.R)
			fs := []term.Var{c.NewVar(term.VarInfo{Name: name, Type: real}), c.NewVar(term.VarInfo{Name: "h", Type: real})}
			a, b := c.fresh("a"), c.fresh("b")
			lams := []term.Ref{c.lam(a, c.App(0, c.v(fs[calls]), c.v(a))), c.lam(b, c.sin(c.v(b)))}
			return c.Fix(0, fs, lams, member)
		}
	}
	for name, test := range map[string]struct {
		a, b  func(c *calc) term.Ref
		equal bool
	}{
		"a computation shared and repeated": {shared(sinX), twice(sinX), false},
		"a numeral shared and repeated":     {shared(three), twice(three), true},
		"a variable named":                  {shared(func(c *calc) term.Ref { return c.v(c.x) }), twice(func(c *calc) term.Ref { return c.v(c.x) }), true},
		"a pair shared and repeated": {
			func(c *calc) term.Ref {
				return c.let(c.pair(c.v(c.x), c.num(1)), func(z term.Var) term.Ref { return c.pair(c.v(z), c.v(z)) })
			},
			func(c *calc) term.Ref {
				return c.pair(c.pair(c.v(c.x), c.num(1)), c.pair(c.v(c.x), c.num(1)))
			}, false,
		},
		"recursive functions of two names":     {fix("f", 0, 0), fix("g", 0, 0), true},
		"recursive functions that call others": {fix("f", 0, 0), fix("f", 1, 0), false},
		"members of one fix":                   {fix("f", 0, 0), fix("f", 0, 1), false},
		"the computation is shared, or its double": {
			func(c *calc) term.Ref { // let z = sin x in z·z, twice
				return c.pair(shared(sinX)(c), shared(sinX)(c))
			},
			func(c *calc) term.Ref { // two sines, each in both products
				return c.let(sinX(c), func(z term.Var) term.Ref {
					return c.let(sinX(c), func(w term.Var) term.Ref {
						return c.pair(c.mul(c.v(z), c.v(w)), c.mul(c.v(z), c.v(w)))
					})
				})
			}, false,
		},
		"a product is no bag": {
			func(c *calc) term.Ref { return c.mul(c.v(c.x), c.v(c.y)) },
			func(c *calc) term.Ref { return c.mul(c.v(c.y), c.v(c.x)) }, false,
		},
		"a sum with a name, used once": {
			func(c *calc) term.Ref {
				return c.let(c.sum(c.v(c.x), c.v(c.y)), func(z term.Var) term.Ref { return c.sum(c.v(z), c.num(2)) })
			},
			func(c *calc) term.Ref { return c.sum(c.num(2), c.sum(c.v(c.y), c.v(c.x))) }, true,
		},
		"a sum with a name, used twice": {
			func(c *calc) term.Ref {
				return c.let(c.sum(c.v(c.x), c.v(c.y)), func(z term.Var) term.Ref { return c.sum(c.v(z), c.v(z)) })
			},
			func(c *calc) term.Ref {
				return c.sum(c.sum(c.v(c.x), c.v(c.y)), c.sum(c.v(c.x), c.v(c.y)))
			}, false,
		},
		"zeros that have names": {
			func(c *calc) term.Ref {
				return c.let(c.sum(c.num(0), c.num(0)), func(z term.Var) term.Ref {
					return c.mul(c.sum(c.v(z), c.v(c.x)), c.sum(c.v(c.y), c.v(z)))
				})
			},
			func(c *calc) term.Ref { return c.mul(c.v(c.x), c.v(c.y)) }, true,
		},
		"a tuple of zeros": {
			func(c *calc) term.Ref { return c.sum(c.vec(c.num(0), c.num(0)), c.vec(c.v(c.x), c.v(c.y))) },
			func(c *calc) term.Ref { return c.vec(c.v(c.x), c.v(c.y)) }, true,
		},
		"a sum of zeros of other shapes": {
			func(c *calc) term.Ref { return c.sum(c.vec(c.num(0), c.num(0)), c.vec(c.num(0), c.num(0))) },
			func(c *calc) term.Ref {
				return c.sum(c.num(0), c.sum(c.sum(c.vec(c.num(0), c.num(0)), c.vec(c.num(0), c.num(0))), c.num(0)))
			}, true,
		},
		"a let in a body and around it": {
			func(c *calc) term.Ref {
				return c.let(sinX(c), func(z term.Var) term.Ref { return c.lam(c.fresh("w"), c.v(z)) })
			},
			func(c *calc) term.Ref { return c.lam(c.fresh("w"), sinX(c)) }, false,
		},
		"the variables of two λs": {
			func(c *calc) term.Ref {
				a, b := c.fresh("a"), c.fresh("b")
				return c.lam(a, c.lam(b, c.v(a)))
			},
			func(c *calc) term.Ref {
				a, b := c.fresh("a"), c.fresh("b")
				return c.lam(a, c.lam(b, c.v(b)))
			}, false,
		},
		"a variable of an outer λ through a name": {
			func(c *calc) term.Ref {
				a, b := c.fresh("a"), c.fresh("b")
				return c.lam(a, c.let(c.v(a), func(z term.Var) term.Ref { return c.lam(b, c.sum(c.v(z), c.v(b))) }))
			},
			func(c *calc) term.Ref {
				a, b := c.fresh("b"), c.fresh("a")
				return c.lam(a, c.lam(b, c.sum(c.v(b), c.v(a))))
			}, true,
		},
		"an opening of three, and of a tail": {
			func(c *calc) term.Ref {
				a, b, d := c.fresh("a"), c.fresh("b"), c.fresh("d")
				return c.Untuple(0, []term.Var{a, b, d}, c.pair(c.v(c.x), c.pair(c.v(c.y), c.num(1))), c.mul(c.v(a), c.v(d)))
			},
			func(c *calc) term.Ref {
				a, b, d, w := c.fresh("a"), c.fresh("b"), c.fresh("d"), c.fresh("w")
				return c.Unpair(0, a, w, c.pair(c.v(c.x), c.pair(c.v(c.y), c.num(1))),
					c.Unpair(0, b, d, c.v(w), c.mul(c.v(a), c.v(d))))
			}, true,
		},
		"opened once and twice": {
			func(c *calc) term.Ref {
				return c.let(c.pair(c.v(c.x), c.v(c.y)), func(z term.Var) term.Ref {
					a, b := c.fresh("a"), c.fresh("b")
					return c.Unpair(0, a, b, c.v(z), c.mul(c.v(a), c.v(b)))
				})
			},
			func(c *calc) term.Ref {
				return c.let(c.pair(c.v(c.x), c.v(c.y)), func(z term.Var) term.Ref {
					a, b, d, e := c.fresh("a"), c.fresh("b"), c.fresh("d"), c.fresh("e")
					return c.Unpair(0, a, b, c.v(z), c.Unpair(0, d, e, c.v(z), c.mul(c.v(a), c.v(e))))
				})
			}, false,
		},
	} {
		a, b := newCalc(), newCalc()
		a.Root, b.Root = test.a(a), test.b(b)
		require.Equal(t, test.equal, reference.SameGraph(a.Term, b.Term, false), name)
	}
}

// TestEquivalentGarbage: a let that nothing mentions is part of the term unless it is
// told otherwise, and so is one that only such a let mentions.
func TestEquivalentGarbage(t *testing.T) {
	a, b := newCalc(), newCalc()
	a.Root = a.sin(a.v(a.x))
	b.Root = b.let(b.sin(b.v(b.y)), func(z term.Var) term.Ref {
		return b.let(b.mul(b.v(z), b.num(2)), func(term.Var) term.Ref { return b.sin(b.v(b.x)) })
	})
	require.False(t, reference.SameGraph(a.Term, b.Term, false))
	require.True(t, reference.SameGraph(a.Term, b.Term, true))
}
