package engine_test

import (
	"errors"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// TestPropertyLinearSchedules: programs with dual λs of their own have the same value and counts
// under every schedule; with -tags check the machine asserts what holds of each job.
func TestPropertyLinearSchedules(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		q := generate.Linear(t, rapid.IntRange(3, 150).Draw(t, "size"))
		var want []float64
		var first engine.Stats
		for i, opt := range schedules {
			opt.Limits.MaxSteps = maxSteps
			m, done := newMachine(t, q, nil, false, opt)
			defer done()
			err := m.Value(nil)
			var limit *limits.ReachedError
			if errors.As(err, &limit) {
				property.Leave(t, "limit of "+limit.Limit)
				return
			}
			require.NoError(t, err)
			got, _, err := m.Read(nil, nil)
			require.NoError(t, err)
			if i == 0 {
				first, want = m.Stats(), got
			}
			require.Len(t, got, len(want))
			for k := range want {
				require.True(t, generate.Close(want[k], got[k], 1e-9) || huge(want[k]), "%v instead of %v", got, want)
			}
			require.Equal(t, first.Counts, m.Stats().Counts)
			require.LessOrEqual(t, m.Stats().Instantiate, 4*first.Counts.Total()+100)
		}
	})
}

// long builds long programs of duals to R.
type long struct{ *term.Term }

func newLong() long { return long{term.New(term.NewTypes())} }

func (s long) at(x term.Var) term.Ref               { return s.Variable(0, x) }
func (s long) call(x term.Var, u term.Ref) term.Ref { return s.App(0, s.at(x), u) }
func (s long) times(r float64, u term.Ref) term.Ref { return s.Fun(0, term.Mul, s.Num(0, r), u) }

func (s long) dual() term.Var {
	return s.NewVar(term.VarInfo{Name: "y", Type: s.Types.Dual(1)})
}

func (s long) lin(u func(a term.Ref) term.Ref) term.Ref {
	a := s.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true})
	return s.Lam(0, a, u(s.at(a)))
}

// id is λa.a.
func (s long) id() term.Ref { return s.lin(func(a term.Ref) term.Ref { return a }) }

// twice is λa.y (½·a) + y (½·a).
func (s long) twice(y term.Var) term.Ref {
	a := s.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true})
	half := func() term.Ref { return s.call(y, s.times(0.5, s.at(a))) }
	return s.Lam(0, a, s.Add(0, half(), half()))
}

// chain is t(yn)[yn:=next(yn−1)]…[y1:=next(y0)][y0:=λa.a], built from the inside out.
func (s long) chain(n int, next func(y term.Var) term.Ref, t func(y term.Var) term.Ref) term.Ref {
	ys := make([]term.Var, n+1)
	us := make([]term.Ref, n+1)
	for i := range ys {
		ys[i] = s.dual()
		if i == 0 {
			us[i] = s.id()
		} else {
			us[i] = next(ys[i-1])
		}
	}
	r := t(ys[n])
	for i := n; i >= 0; i-- {
		r = s.Let(0, ys[i], us[i], r)
	}
	return r
}

// iterated is (#n (fun x -> body) start).
func (s long) iterated(n int, ty term.Type, body func(x term.Var) term.Ref, start term.Ref) term.Ref {
	x := s.NewVar(term.VarInfo{Name: "x", Type: ty})
	f := s.Lam(0, x, body(x))
	return s.App(0, s.App(0, s.Nat(0, uint64(n), ty), f), start)
}

// deep are programs of a length n whose value is value(n). A share of the full length is
// enough for those that are long to compile.
var deep = []struct {
	name  string
	share int
	build func(s long, n int) term.Ref
	value func(n int) float64
}{
	{
		"seeds nested to the right", 1, func(s long, n int) term.Ref {
			y := s.dual()
			r := s.call(y, s.Num(0, 1))
			for range n {
				r = s.Add(0, s.call(y, s.Num(0, 1)), r)
			}
			return s.Let(0, y, s.id(), r)
		}, func(n int) float64 { return float64(n + 1) },
	},
	{
		"seeds nested to the left", 1, func(s long, n int) term.Ref {
			y := s.dual()
			r := s.call(y, s.Num(0, 1))
			for range n {
				r = s.Add(0, r, s.call(y, s.Num(0, 1)))
			}
			return s.Let(0, y, s.id(), r)
		}, func(n int) float64 { return float64(n + 1) },
	},
	{
		"seeds of as many duals", 5, func(s long, n int) term.Ref {
			r := s.App(0, s.id(), s.Num(0, 1))
			for range n {
				r = s.Add(0, r, s.App(0, s.id(), s.Num(0, 1)))
			}
			return r
		}, func(n int) float64 { return float64(n + 1) },
	},
	{
		"arguments in arguments", 1, func(s long, n int) term.Ref {
			y := s.dual()
			r := s.Num(0, 1)
			for range n {
				r = s.call(y, r)
			}
			return s.Let(0, y, s.id(), r)
		}, func(int) float64 { return 1 },
	},
	{
		"products in products", 1, func(s long, n int) term.Ref {
			u := s.lin(func(a term.Ref) term.Ref {
				for range n {
					a = s.times(1, a)
				}
				return a
			})
			return s.App(0, u, s.Num(0, 1))
		}, func(int) float64 { return 1 },
	},
	{
		"linear lets", 1, func(s long, n int) term.Ref {
			u := s.lin(func(a term.Ref) term.Ref {
				for range n {
					b := s.NewVar(term.VarInfo{Name: "b", Type: term.R, Linear: true})
					a = s.Let(0, b, a, s.at(b))
				}
				return a
			})
			return s.App(0, u, s.Num(0, 1))
		}, func(int) float64 { return 1 },
	},
	{
		"branches in branches", 5, func(s long, n int) term.Ref {
			y := s.dual()
			r := s.call(y, s.Num(0, 1))
			for range n {
				r = s.Add(0, s.call(y, s.Num(0, 1)), s.If(0, term.Less, s.Num(0, 1), s.Num(0, 2), r, s.Num(0, 0)))
			}
			return s.Let(0, y, s.id(), r)
		}, func(n int) float64 { return float64(n + 1) },
	},
	{
		"a chain of duals", 5, func(s long, n int) term.Ref {
			next := func(y term.Var) term.Ref { return s.lin(func(a term.Ref) term.Ref { return s.call(y, a) }) }
			return s.chain(n, next, func(y term.Var) term.Ref { return s.call(y, s.Num(0, 1)) })
		}, func(int) float64 { return 1 },
	},
	{
		"jobs in jobs", 5, func(s long, n int) term.Ref {
			next := func(y term.Var) term.Ref { return s.lin(func(a term.Ref) term.Ref { return s.times(1, s.call(y, a)) }) }
			return s.chain(n, next, func(y term.Var) term.Ref { return s.call(y, s.Num(0, 1)) })
		}, func(int) float64 { return 1 },
	},
	{
		"2ⁿ paths", 5, func(s long, n int) term.Ref {
			return s.chain(n, s.twice, func(y term.Var) term.Ref { return s.call(y, s.Num(0, 1)) })
		}, func(int) float64 { return 1 },
	},
	{
		"a dual made by iteration", 1, func(s long, n int) term.Ref {
			u := s.iterated(n, s.Types.Dual(1), s.twice, s.id())
			return s.App(0, u, s.Num(0, 1))
		}, func(int) float64 { return 1 },
	},
	{
		"a job for each iteration", 1, func(s long, n int) term.Ref {
			y := s.dual()
			r := s.iterated(n, term.R, func(h term.Var) term.Ref { return s.Add(0, s.call(y, s.at(h)), s.Num(0, 1)) }, s.Num(0, 0))
			return s.Let(0, y, s.id(), r)
		}, func(n int) float64 { return float64(n) },
	},
}

// TestLinearDepth: typing, compiling and running programs of dual λs of length 10⁶, where
// each needs a template of its own 2·10⁵, use no stack; a tenth of that without FULL_SIZE.
func TestLinearDepth(t *testing.T) {
	old := debug.SetMaxStack(1 << 20)
	t.Cleanup(func() { debug.SetMaxStack(old) })
	for _, c := range deep {
		t.Run(c.name, func(t *testing.T) {
			n := 1_000_000 / c.share
			if !property.Full() || engine.Checking {
				n /= 10
			}
			s := newLong()
			s.Root = c.build(s, n)
			value, _ := runLong(t, s.Term, engine.Options{})
			require.Equal(t, c.value(n), value)
		})
	}
}

func runLong(t *testing.T, q *term.Term, opt engine.Options) (float64, engine.Stats) {
	t.Helper()
	prog, err := compile.Compile(q, compile.Options{})
	require.NoError(t, err)
	m, err := engine.New(prog, opt)
	require.NoError(t, err)
	defer m.Close()
	require.NoError(t, m.Value(nil))
	out, _, err := m.Read(nil, nil)
	require.NoError(t, err)
	require.Len(t, out, 1)
	return out[0], m.Stats()
}

// TestManyPaths: a dual that 2ⁿ paths reach fires once. Each of n duals takes a (3), (1)
// and (5), two (8), a (4), and (11) and (6) for what meets below it; the innermost has
// (3), (1), (5) and (4) alone.
func TestManyPaths(t *testing.T) {
	for _, n := range []uint64{0, 1, 2, 3, 10, 1000, 20_000} {
		s := newLong()
		s.Root = s.chain(int(n), s.twice, func(y term.Var) term.Ref { return s.call(y, s.Num(0, 1)) })
		value, stats := runLong(t, s.Term, engine.Options{})
		require.Equal(t, 1.0, value)
		require.Equal(t, rule.Counts{
			rule.Lambda: n + 1, rule.Subst: n + 1, rule.Lin: n + 1, rule.GC: n + 1,
			rule.Times: 2 * n, rule.Factor: n, rule.Plus: n,
		}, stats.Counts)
	}
}

// TestSearchIsShort: finding the next dual of a sum of n different ones takes at most
// 2·log₂ n comparisons for each.
func TestSearchIsShort(t *testing.T) {
	const n, log = 1 << 14, 14
	s := newLong()
	s.Root = s.App(0, s.id(), s.Num(0, 1))
	for range n - 1 {
		s.Root = s.Add(0, s.Root, s.App(0, s.id(), s.Num(0, 1)))
	}
	for _, opt := range schedules {
		_, stats := runLong(t, s.Term, opt)
		require.LessOrEqual(t, stats.Search, uint64((2*log+3)*n))
	}
}

// TestLinearLimits: a job stops where the limits of steps and nodes are set, to within one
// body, where the context says, and at a number that is not finite; the machine can be
// used again.
func TestLinearLimits(t *testing.T) {
	s := newLong()
	s.Root = s.chain(200_000, s.twice, func(y term.Var) term.Ref { return s.call(y, s.Num(0, 1)) })
	prog, err := compile.Compile(s.Term, compile.Options{})
	require.NoError(t, err)
	var limit *limits.ReachedError
	for _, most := range []uint64{1, 200_010, 1_000_000} {
		m, err := engine.New(prog, engine.Options{Limits: limits.Bounds{MaxSteps: most}})
		require.NoError(t, err)
		require.ErrorAs(t, m.Value(nil), &limit)
		require.Equal(t, "steps", limit.Limit)
		require.GreaterOrEqual(t, limit.Steps, most)
		require.NoError(t, m.Close())
	}
	m, err := engine.New(prog, engine.Options{Limits: limits.Bounds{MaxNodes: 2_000_000}})
	require.NoError(t, err)
	require.ErrorAs(t, m.Value(nil), &limit)
	require.Equal(t, "nodes", limit.Limit)
	require.NoError(t, m.Close())

	stop := errors.New("stop")
	looks, last := 0, 10
	m, err = engine.New(prog, engine.Options{Limits: limits.Bounds{Look: func() error {
		if looks++; looks > last {
			return stop
		}
		return nil
	}}})
	require.NoError(t, err)
	require.ErrorIs(t, m.Value(nil), stop)
	last = 1 << 30
	for range 2 {
		require.NoError(t, m.Value(nil))
		out, _, err := m.Read(nil, nil)
		require.NoError(t, err)
		require.Equal(t, []float64{1}, out)
	}
	require.NoError(t, m.Close())
}

// TestLinearFinite: a sum in a job that is infinite is an error, if it is to be.
func TestLinearFinite(t *testing.T) {
	s := newLong()
	y := s.dual()
	s.Root = s.Let(0, y, s.id(), s.Add(0, s.call(y, s.Num(0, 1e308)), s.call(y, s.Num(0, 1e308))))
	m, done := newMachine(t, s.Term, nil, false, engine.Options{Finite: true})
	defer done()
	var notFinite *limits.NotFiniteError
	require.ErrorAs(t, m.Value(nil), &notFinite)
	require.Equal(t, "+", notFinite.What)
}
