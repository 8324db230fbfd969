package reference_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPropertyMachineLinear holds programs with dual λs of their own against the machine, and
// the machine's schedules against each other. A value may be a bag that was summed.
func TestPropertyMachineLinear(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := subject{t: property.Linear(t, rapid.IntRange(3, 100).Draw(t, "size"))}
		requireAgreementOf(t, p, false, func(want, got []float64) { requireClose(t, want, got) })
		requireSchedules(t, p, rapid.Uint64().Draw(t, "schedule"))
	})
}

// requireSchedules requires the same of a random schedule as of LIFO.
func requireSchedules(t require.TestingT, p subject, seed uint64) {
	want, ok := onMachine(t, p, false)
	got, _, again := onLiteral(t, p, false, machine.Options{Random: true, Seed: seed})
	require.Equal(t, ok, again)
	if ok {
		require.Equal(t, want.counts, got.counts, "%s", p.t)
		requireClose(t, want.values, got.values)
	}
}

// dualTerm builds terms whose numbers and variables are nodes of their own.
type dualTerm struct{ *term.Term }

func (s dualTerm) dual(name string, d int) term.Var {
	return s.NewVar(term.VarInfo{Name: name, Type: s.Types.Dual(d)})
}

func (s dualTerm) variable(name string, ty term.Type) term.Var {
	return s.NewVar(term.VarInfo{Name: name, Type: ty})
}

func (s dualTerm) at(x term.Var) term.Ref                 { return s.Variable(0, x) }
func (s dualTerm) n(r float64) term.Ref                   { return s.Num(0, r) }
func (s dualTerm) add(t, u term.Ref) term.Ref             { return s.Add(0, t, u) }
func (s dualTerm) times(t, u term.Ref) term.Ref           { return s.Fun(0, term.Mul, t, u) }
func (s dualTerm) call(x term.Var, u term.Ref) term.Ref   { return s.App(0, s.at(x), u) }
func (s dualTerm) vec(ts ...term.Ref) term.Ref            { return s.Vec(0, ts) }
func (s dualTerm) let(x term.Var, u, t term.Ref) term.Ref { return s.Let(0, x, u, t) }

// linear is a new linear variable.
func (s dualTerm) linear(name string) term.Var {
	return s.NewVar(term.VarInfo{Name: name, Type: term.R, Linear: true})
}

// lin is λa.u.
func (s dualTerm) lin(u func(a term.Var) term.Ref) term.Ref {
	a := s.linear("a")
	return s.Lam(0, a, u(a))
}

// scale is λa.a·r: it fires by (3), (1), (5) and (8).
func (s dualTerm) scale(r float64) term.Ref {
	return s.lin(func(a term.Var) term.Ref { return s.times(s.at(a), s.n(r)) })
}

// linearWorked are programs with duals of their own, worked out by hand. Each λ that
// comes to be has a name: one (4). A firing is one (3), (1) and (5).
var linearWorked = []struct {
	name   string
	build  func(s dualTerm) term.Ref
	counts rule.Counts
	pairs  uint64 // (7)
	values []float64
}{
	{
		name: "a dual without a name: (λa.a·3) 2", values: []float64{6},
		// It gets one: (4). It fires, (8).
		build:  func(s dualTerm) term.Ref { return s.App(0, s.scale(3), s.n(2)) },
		counts: by(1, 0, 1, 0, 1, 1, 0, 1),
	},
	{
		name: "two seeds in one sum: y 2 + y 5", values: []float64{21},
		// (11) and its (6); one firing, (8); (4) of y.
		build: func(s dualTerm) term.Ref {
			y := s.dual("y", 1)
			return s.let(y, s.scale(3), s.add(s.call(y, s.n(2)), s.call(y, s.n(5))))
		},
		counts: by(1, 0, 1, 0, 1, 1, 1, 1, 1),
	},
	{
		name: "two seeds in two sums: (y 2)·(y 5)", values: []float64{90},
		// A firing and an (8) for each factor, and the (8) of the two.
		build: func(s dualTerm) term.Ref {
			y := s.dual("y", 1)
			return s.let(y, s.scale(3), s.times(s.call(y, s.n(2)), s.call(y, s.n(5))))
		},
		counts: by(2, 0, 2, 0, 1, 2, 0, 3),
	},
	{
		name: "another name: let x = y in x 2 + y 5", values: []float64{21},
		// x is no name of a λ: (4), and a (3) of its occurrence; then as above.
		build: func(s dualTerm) term.Ref {
			y, x := s.dual("y", 1), s.dual("x", 1)
			return s.let(y, s.scale(3), s.let(x, s.at(y), s.add(s.call(x, s.n(2)), s.call(y, s.n(5)))))
		},
		counts: by(1, 0, 2, 0, 2, 1, 1, 1, 1),
	},
	{
		name: "a head chosen by a conditional: λa.(if 1 < 2 then y else z) a", values: []float64{15},
		// Three names (4). It fires: (13); y fires: (8). z never does.
		build: func(s dualTerm) term.Ref {
			y, z := s.dual("y", 1), s.dual("z", 1)
			u := s.App(0, s.lin(func(a term.Var) term.Ref {
				return s.App(0, s.If(0, term.Less, s.n(1), s.n(2), s.at(y), s.at(z)), s.at(a))
			}), s.n(5))
			return s.let(y, s.scale(3), s.let(z, s.scale(2), u))
		},
		counts: by(2, 0, 2, 0, 3, 2, 0, 1, 0, 0, 1),
	},
	{
		name: "a head chosen by a projection: λa.p a [⟨p,q⟩:=⟨y,z⟩]", values: []float64{15},
		// Three names (4). It fires: (2), (4) of p and q, (3) of p; y fires: (8).
		build: func(s dualTerm) term.Ref {
			y, z, p, q := s.dual("y", 1), s.dual("z", 1), s.dual("p", 1), s.dual("q", 1)
			u := s.App(0, s.lin(func(a term.Var) term.Ref {
				return s.Unpair(0, p, q, s.Pair(0, s.at(y), s.at(z)), s.call(p, s.at(a)))
			}), s.n(5))
			return s.let(y, s.scale(3), s.let(z, s.scale(2), u))
		},
		counts: by(2, 1, 3, 0, 5, 2, 0, 1),
	},
	{
		name: "passed to a function and returned: (let f = fun p -> λa.p a in f y) 2", values: []float64{6},
		// f: (4), (3); its call: (1), (4) of p; two names (4). The result fires: (3) of p;
		// y fires: (8).
		build: func(s dualTerm) term.Ref {
			y, p := s.dual("y", 1), s.dual("p", 1)
			dual := s.Types.Dual(1)
			f := s.variable("f", s.Types.Arrow(dual, dual))
			fun := s.Lam(0, p, s.lin(func(a term.Var) term.Ref { return s.call(p, s.at(a)) }))
			return s.let(y, s.scale(3), s.App(0, s.let(f, fun, s.call(f, s.at(y))), s.n(2)))
		},
		counts: by(3, 0, 4, 0, 4, 2, 0, 1),
	},
	{
		name: "a call in a sum: (fun p -> p 2) y + y 5", values: []float64{21},
		// (1), (4) of p, (3) of p. What the call comes to stands in the sum: (11), (6). y
		// fires: (8); its (4).
		build: func(s dualTerm) term.Ref {
			y, p := s.dual("y", 1), s.dual("p", 1)
			call := s.App(0, s.Lam(0, p, s.call(p, s.n(2))), s.at(y))
			return s.let(y, s.scale(3), s.add(call, s.call(y, s.n(5))))
		},
		counts: by(2, 0, 2, 0, 2, 1, 1, 1, 1),
	},
	{
		name: "a conditional in a sum: (if 1 < 2 then y 2 else 7) + y 5", values: []float64{21},
		build: func(s dualTerm) term.Ref {
			y := s.dual("y", 1)
			cond := s.If(0, term.Less, s.n(1), s.n(2), s.call(y, s.n(2)), s.n(7))
			return s.let(y, s.scale(3), s.add(cond, s.call(y, s.n(5))))
		},
		counts: by(1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 1),
	},
	{
		name: "a let in a sum, whose value is a sum of its own: (y v)[v:=y 2] + y 5", values: []float64{33},
		// The sum y 2: a firing, (8). v: (4), (3n). Then (11), (6), and a firing, (8).
		build: func(s dualTerm) term.Ref {
			y, v := s.dual("y", 1), s.variable("v", term.R)
			left := s.let(v, s.call(y, s.n(2)), s.call(y, s.at(v)))
			return s.let(y, s.scale(3), s.add(left, s.call(y, s.n(5))))
		},
		counts: by(2, 0, 2, 1, 2, 2, 1, 2, 1),
	},
	{
		name: "a linear let: (λa.(b + b)[b:=2·a]) 3", values: []float64{12},
		// It fires: (8), (5) of b, (6).
		build: func(s dualTerm) term.Ref {
			return s.App(0, s.lin(func(a term.Var) term.Ref {
				b := s.linear("b")
				return s.let(b, s.times(s.n(2), s.at(a)), s.add(s.at(b), s.at(b)))
			}), s.n(3))
		},
		counts: by(1, 0, 1, 0, 1, 2, 1, 1),
	},
	{
		name: "an ordinary linear variable: (b·b)[b:=2·3]", values: []float64{36},
		build: func(s dualTerm) term.Ref {
			b := s.linear("b")
			return s.let(b, s.times(s.n(2), s.n(3)), s.times(s.at(b), s.at(b)))
		},
		counts: by(0, 0, 0, 0, 0, 1, 0, 2),
	},
	{
		name: "a linear variable without occurrences: (λa.0[b:=a]) 3", values: []float64{0},
		// b := 3 is (5), and not (5'): its argument has a value.
		build: func(s dualTerm) term.Ref {
			return s.App(0, s.lin(func(a term.Var) term.Ref { return s.let(s.linear("b"), s.at(a), s.n(0)) }), s.n(3))
		},
		counts: by(1, 0, 1, 0, 1, 2),
	},
	{
		name: "arguments that are sums: y (z 1) + y (z 2)", values: []float64{18},
		// (11) of y leaves y (z 1 + z 2), (11) of z y (z (1 + 2)): (6). Two firings, (8) 2.
		build: func(s dualTerm) term.Ref {
			y, z := s.dual("y", 1), s.dual("z", 1)
			sum := s.add(s.call(y, s.call(z, s.n(1))), s.call(y, s.call(z, s.n(2))))
			return s.let(y, s.scale(3), s.let(z, s.scale(2), sum))
		},
		counts: by(2, 0, 2, 0, 2, 2, 1, 2, 2),
	},
	{
		name: "a factor is a sum of its own: 3·(y 1) + y 2", values: []float64{15},
		// y fires in both: (8) 2, and the product's. The summands add: (6).
		build: func(s dualTerm) term.Ref {
			y := s.dual("y", 1)
			return s.let(y, s.scale(3), s.add(s.times(s.n(3), s.call(y, s.n(1))), s.call(y, s.n(2))))
		},
		counts: by(2, 0, 2, 0, 1, 2, 1, 3),
	},
	{
		name: "a sum in a sum reaches what waits in that: y 1 + (λa.2·(y a)) 3", values: []float64{21},
		// Two names (4). λa.2·(y a) fires: (8), and y in a sum of its own: (8); then y in the
		// outer sum: (8). (6).
		build: func(s dualTerm) term.Ref {
			y := s.dual("y", 1)
			u := s.lin(func(a term.Var) term.Ref { return s.times(s.n(2), s.call(y, s.at(a))) })
			return s.let(y, s.scale(3), s.add(s.call(y, s.n(1)), s.App(0, u, s.n(3))))
		},
		counts: by(3, 0, 3, 0, 2, 3, 1, 3),
	},
	{
		name: "a dual made in a body: (λa.(w a + w a)[w:=λb.b·3]) 1", values: []float64{6},
		// It fires; w: (4). (11), (6), w fires: (8).
		build: func(s dualTerm) term.Ref {
			w := s.dual("w", 1)
			return s.App(0, s.lin(func(a term.Var) term.Ref {
				return s.let(w, s.scale(3), s.add(s.call(w, s.at(a)), s.call(w, s.at(a))))
			}), s.n(1))
		},
		counts: by(2, 0, 2, 0, 2, 2, 1, 1, 1),
	},
	{
		name: "two duals of one λ: (fun x -> λa.a·x) 3, twice", values: []float64{21},
		// f: (4), (3) 2. Each call: (1), (4) of x, (4) of the name; each dual fires: (3n) of
		// x, (8). The results add: (6), and no (11).
		build: func(s dualTerm) term.Ref {
			x := s.variable("x", term.R)
			f := s.variable("f", s.Types.Arrow(term.R, s.Types.Dual(1)))
			fun := s.Lam(0, x, s.lin(func(a term.Var) term.Ref { return s.times(s.at(a), s.at(x)) }))
			call := func(r float64) term.Ref { return s.App(0, s.call(f, s.n(3)), s.n(r)) }
			return s.let(f, fun, s.add(call(2), call(5)))
		},
		counts: by(4, 0, 4, 2, 5, 2, 1, 2),
	},
	{
		name: "a head made by iteration: (#2 (fun q -> λa.q a + q a) y) 1", values: []float64{12},
		// #2: (1) 2, (4) 2, (3) of f 2, (3) of x. Each call: (1), (4) of q, (4) of its name;
		// each of these duals fires: (3) of q 2, (11), (6). y fires: (8); its (4).
		build: func(s dualTerm) term.Ref {
			y, q := s.dual("y", 1), s.dual("q", 1)
			fun := s.Lam(0, q, s.lin(func(a term.Var) term.Ref { return s.add(s.call(q, s.at(a)), s.call(q, s.at(a))) }))
			iterated := s.App(0, s.App(0, s.Nat(0, 2, s.Types.Dual(1)), fun), s.at(y))
			return s.let(y, s.scale(3), s.App(0, iterated, s.n(1)))
		},
		counts: by(2+2+3, 0, 3+4+3, 0, 2+4+1, 3, 2, 1, 2),
	},
	{
		name: "an accumulator is a sum of its own: #2 (fun h -> y h + h) 1", values: []float64{16},
		// #2: (1) 2, (4) 2, (3) of f 2, (3n) of x. Each call: (1), (4) of h, (3n) 2, a firing
		// of y, (8), (6). y: (4).
		build: func(s dualTerm) term.Ref {
			y, h := s.dual("y", 1), s.variable("h", term.R)
			fun := s.Lam(0, h, s.add(s.call(y, s.at(h)), s.at(h)))
			return s.let(y, s.scale(3), s.App(0, s.App(0, s.Nat(0, 2, term.R), fun), s.n(1)))
		},
		counts: by(2+2+2, 0, 2+2, 1+4, 2+2+1, 2, 2, 2),
	},
	{
		name: "vectors: x 2 + y 5, x to ⟦a,a⟧ and y to ⟦a,0⟧", values: []float64{7, 2}, pairs: 1,
		// Two firings and names; (7), and (6) of each component.
		build: func(s dualTerm) term.Ref {
			x, y := s.dual("x", 2), s.dual("y", 2)
			sum := s.add(s.call(x, s.n(2)), s.call(y, s.n(5)))
			two := s.lin(func(a term.Var) term.Ref { return s.vec(s.at(a), s.at(a)) })
			return s.let(x, two, s.let(y, s.lin(func(a term.Var) term.Ref { return s.vec(s.at(a), s.n(0)) }), sum))
		},
		counts: by(2, 0, 2, 0, 2, 2, 2),
	},
	{
		name: "three vectors of three", values: []float64{111, 222, 333}, pairs: 4,
		build: func(s dualTerm) term.Ref {
			v := func(r float64) term.Ref { return s.vec(s.n(r), s.n(2*r), s.n(3*r)) }
			return s.add(s.add(v(1), v(10)), v(100))
		},
		counts: by(0, 0, 0, 0, 0, 0, 6),
	},
	{
		name: "(7) lets components meet: ⟦y 1,0⟧ + ⟦y 2,1⟧", values: []float64{9, 1}, pairs: 1,
		// ⟦y 1 + y 2, 0 + 1⟧: (6) twice, (11); one firing, (8); (4).
		build: func(s dualTerm) term.Ref {
			y := s.dual("y", 1)
			sum := s.add(s.vec(s.call(y, s.n(1)), s.n(0)), s.vec(s.call(y, s.n(2)), s.n(1)))
			return s.let(y, s.scale(3), sum)
		},
		counts: by(1, 0, 1, 0, 1, 1, 2, 1, 1),
	},
	{
		name: "a vector of one component is that component: x 2 + x 5, opened", values: []float64{21},
		// (11), (6), a firing, (8), (4) of x. The opening is no (2): (4) and (3n) of v.
		build: func(s dualTerm) term.Ref {
			one := s.Types.Vec(1, term.R)
			dual, _ := s.Types.DualTo(one)
			x, v := s.variable("x", dual), s.variable("v", term.R)
			sum := s.add(s.call(x, s.n(2)), s.call(x, s.n(5)))
			u := s.lin(func(a term.Var) term.Ref { return s.vec(s.times(s.at(a), s.n(3))) })
			return s.let(x, u, s.Unvec(0, []term.Var{v}, sum, s.at(v)))
		},
		counts: by(1, 0, 1, 1, 2, 1, 1, 1, 1),
	},
	{
		name: "a vector of one dual is that dual: 0[v:=⟦λa.a⟧]", values: []float64{0},
		// (4). The dual has one name, v.
		build: func(s dualTerm) term.Ref {
			dual, _ := s.Types.DualTo(term.R)
			u := s.vec(s.lin(func(a term.Var) term.Ref { return s.at(a) }))
			return s.let(s.variable("v", s.Types.Vec(1, dual)), u, s.n(0))
		},
		counts: by(0, 0, 0, 0, 1),
	},
	{
		name: "a vector that is opened: (x·y)[⟦x,y⟧:=d 2]", values: []float64{12},
		// The sum d 2: a firing, (8); (4) of d. (2), (4) 2, (3n) 2, (8).
		build: func(s dualTerm) term.Ref {
			d, x, y := s.dual("d", 2), s.variable("x", term.R), s.variable("y", term.R)
			u := s.lin(func(a term.Var) term.Ref { return s.vec(s.at(a), s.times(s.n(3), s.at(a))) })
			return s.let(d, u, s.Unvec(0, []term.Var{x, y}, s.call(d, s.n(2)), s.times(s.at(x), s.at(y))))
		},
		counts: by(1, 1, 1, 2, 3, 1, 0, 2),
	},
	{
		name: "the zero tuple is a unit: (λa.0⃗) 1 + (λa.0⃗) 2", values: nil,
		// λa.0⃗ has no name (docs/counts.md): (1) and (5) for each.
		build: func(s dualTerm) term.Ref {
			zero := func() term.Ref { return s.lin(func(term.Var) term.Ref { return s.Zero(0) }) }
			return s.add(s.App(0, zero(), s.n(1)), s.App(0, zero(), s.n(2)))
		},
		counts: by(2, 0, 0, 0, 0, 2),
	},
}

// TestLinearWorkedOutByHand holds the machine and the reference against them.
func TestLinearWorkedOutByHand(t *testing.T) {
	for _, c := range linearWorked {
		t.Run(c.name, func(t *testing.T) {
			s := dualTerm{term.New(term.NewTypes())}
			s.Root = c.build(s)
			p := subject{t: s.Term}
			got, ok := onMachine(t, p, false)
			require.True(t, ok)
			want := c.counts
			want[rule.PlusPair] = c.pairs
			require.Equal(t, want, got.counts)
			require.Equal(t, c.values, got.values)
			for seed := range uint64(5) {
				requireSchedules(t, p, seed)
			}
			if c.values != nil {
				requireAgreement(t, p, false)
			}
		})
	}
}

// TestOncePerSum: a dual fires once in a sum wherever the duals are bound. y (z 1) +
// u (w 1), where u is λa.y (z a): w fires before u, u before y, and y before z, in whose
// sum both arguments meet.
func TestOncePerSum(t *testing.T) {
	for _, order := range []string{"yzw", "ywz", "wyz", "wzy", "zyw", "zwy"} {
		s := dualTerm{term.New(term.NewTypes())}
		v := map[rune]term.Var{}
		for _, x := range "uyzw" {
			v[x] = s.dual(string(x), 1)
		}
		u := s.lin(func(a term.Var) term.Ref { return s.call(v['y'], s.call(v['z'], s.at(a))) })
		sum := s.add(s.call(v['y'], s.call(v['z'], s.n(1))), s.call(v['u'], s.call(v['w'], s.n(1))))
		s.Root = s.let(v['u'], u, sum)
		for _, x := range order {
			s.Root = s.let(v[x], s.scale(3), s.Root)
		}
		p := subject{t: s.Term}
		// Four names (4) and firings, three with (8); (11) of y and of z, and its (6).
		for _, rng := range []*rand.Rand{nil, rand.New(rand.NewPCG(1, 0))} {
			require.Equal(t, by(4, 0, 4, 0, 4, 4, 1, 3, 2), onReference(t, p, false, rng).counts, order)
		}
		requireAgreement(t, p, false)
	}
}
