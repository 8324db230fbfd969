package gram

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/revgrad"
)

func newCache(t testing.TB, bytes uint64) *Cache {
	c, err := NewCache(bytes)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// with returns the program, loaded anew with the cache.
func (p *Program) with(c *Cache) *Program {
	opt := p.opt
	opt.Cache = c
	return &Program{src: p.src, inputs: p.inputs, opt: opt, terms: p.terms}
}

// made is what the strategy Modular makes of a program, and what its gradient is.
type made struct {
	prog *modular.Program
	res  *Result
	text string // of the error
}

func modularly(t require.TestingT, p *Program, c *Cache, opt EvalOptions) made {
	opt.Strategy = Modular
	p = p.with(c)
	e, err := p.NewGradient(context.Background(), opt)
	if err != nil {
		return made{text: err.Error()}
	}
	defer e.Close()
	out := made{prog: p.modularised}
	if out.res, err = e.Gradient(context.Background(), p.Point()); err != nil {
		out.res, out.text = &Result{}, err.Error()
	}
	out.res.Cost = e.Cost()
	return out
}

// requireSame holds that two runs made the same program, down to the places and names in
// it, and that it gave the same, bit for bit, at the same cost.
func requireSame(t require.TestingT, want, got made) {
	require.Equal(t, want.text, got.text)
	if want.prog == nil {
		require.Nil(t, got.prog)
		return
	}
	parts := func(p *compile.Program) []any { return []any{p.Templates, p.Code, p.Pos, p.Frame} }
	require.Equal(t, parts(want.prog.Code), parts(got.prog.Code))
	require.Equal(t, bits(want.res.Values), bits(got.res.Values))
	require.Equal(t, bits(want.res.Jacobian), bits(got.res.Jacobian))
	require.Equal(t, exact(want.res.Cost), exact(got.res.Cost))
}

func bits(xs []float64) []uint64 {
	out := make([]uint64, len(xs))
	for i, x := range xs {
		out[i] = math.Float64bits(x)
	}
	return out
}

// exact is a cost without times and without what tells of the cache.
func exact(c Cost) Cost {
	c.Seconds, c.NsPerStep, c.Cache = cost.Seconds{}, 0, nil
	return c
}

// TestPropertyCache: with a cache that all draws share, one in which nothing fits, and
// none, a random program becomes the same program and gives the same value, gradient,
// cost and error, whether its λs are found or not, also by the same program elsewhere in
// its file.
func TestPropertyCache(t *testing.T) {
	shared, tiny := newCache(t, 0), newCache(t, 1)
	property.Check(t, func(t *rapid.T) {
		text := testprogram.Text(t, generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector")}))
		p, moved := loadText(t, text), loadText(t, "-- moved\n\n"+text)
		opt := EvalOptions{MaxSteps: rapid.SampledFrom([]uint64{200_000, 40}).Draw(t, "steps")}
		off := modularly(t, p, nil, opt)
		requireSame(t, off, modularly(t, p, tiny, opt))
		requireSame(t, modularly(t, moved, nil, opt), modularly(t, moved, shared, opt))
		on := modularly(t, p, shared, opt)
		requireSame(t, off, on)
		if on.prog != nil {
			require.Zero(t, on.prog.Reuse.Misses)
		}
	})
	require.Zero(t, tiny.Stats().Hits)
	require.Zero(t, tiny.Stats().Bytes)
	require.LessOrEqual(t, shared.Stats().Bytes, uint64(modular.DefaultSize))
}

// TestCacheOnExamples: the same of every example.
func TestCacheOnExamples(t *testing.T) {
	shared, tiny := newCache(t, 0), newCache(t, 1)
	for _, name := range []string{"figure1", "huber", "jacobian", "logsumexp", "mapfold", "mlp", "polynomial", "rnn", "w1", "w2", "w3", "w4", "w5", "weather"} {
		p, err := LoadFile(context.Background(), "examples/"+name+".gram", Options{Params: testprogram.Small[name], Open: testprogram.FirstRows})
		require.NoError(t, err)
		for _, opt := range []EvalOptions{{}, {NoFuse: true}, {MaxSteps: 100}, {MaxNodes: 20}, {Finite: true}} {
			off := modularly(t, p, nil, opt)
			requireSame(t, off, modularly(t, p, tiny, opt))
			requireSame(t, off, modularly(t, p, shared, opt))
			again := modularly(t, p, shared, opt)
			requireSame(t, off, again)
			if again.prog != nil {
				require.Zero(t, again.prog.Reuse.Misses, name)
				require.Equal(t, off.prog.Reuse.Rebuilt, again.prog.Reuse.Reused+again.prog.Reuse.Rebuilt)
				require.Equal(t, off.res.Cost.Size.Reverse, off.prog.Reuse.Rebuilt)
			}
		}
	}
}

// hits says how many λs of a program are found, and how many are not.
func hits(t *testing.T, c *Cache, text string) [2]int {
	p := loadText(t, text)
	requireSame(t, modularly(t, p, nil, EvalOptions{}), modularly(t, p, newCache(t, 0), EvalOptions{}))
	m := modularly(t, p, c, EvalOptions{})
	requireSame(t, modularly(t, p, nil, EvalOptions{}), m)
	require.Empty(t, m.text)
	return [2]int{m.prog.Reuse.Hits, m.prog.Reuse.Misses}
}

// TestCacheKeys: what is found of other programs.
func TestCacheKeys(t *testing.T) {
	const was = "input x = 0.5\ninput y = 2\nfold (fun u v -> sin (u * x) + v * y * 3) 0 [1; 2; 3]"
	found, missing := [2]int{1, 0}, [2]int{0, 1}
	for _, c := range []struct {
		what, text string
		want       [2]int
	}{
		{"the same", was, found},
		{"elsewhere, other names", "-- a comment\ninput e = 7\ninput rho = 0.5\ninput q = 2\nfold\n  (fun h\n k ->\n   sin (h * rho) + k * q * 3) e [1; 2; 3]", found},
		{"of other lists", "input x = 0.5\ninput y = 2\nfold (fun u v -> sin (u * x) + v * y * 3) x [4]", found},
		{"at another point", "input x = -0.5\ninput y = 1\nfold (fun u v -> sin (u * x) + v * y * 3) 0 [1; 2; 3]", found},
		{"another order of inputs", "input y = 2\ninput x = 0.5\nfold (fun u v -> sin (u * x) + v * y * 3) 0 [1; 2; 3]", missing},
		{"one input instead of two", "input x = 0.5\nfold (fun u v -> sin (u * x) + v * x * 3) 0 [1; 2; 3]", missing},
		{"another sign", "input x = 0.5\ninput y = 2\nfold (fun u v -> sin (u * x) + v * y * -3) 0 [1; 2; 3]", missing},
		{"another symbol", "input x = 0.5\ninput y = 2\nfold (fun u v -> cos (u * x) + v * y * 3) 0 [1; 2; 3]", missing},
		{"arguments exchanged", "input x = 0.5\ninput y = 2\nfold (fun v u -> sin (u * x) + v * y * 3) 0 [1; 2; 3]", missing},
	} {
		cache := newCache(t, 0)
		require.Equal(t, missing, hits(t, cache, was))
		require.Equal(t, c.want, hits(t, cache, c.text), c.what)
	}
	cache := newCache(t, 0)
	zero := func(z string) string { return "input x = 0.5\nfold (fun u v -> u * x / " + z + " + v) 0 [1]" }
	require.Equal(t, missing, hits(t, cache, zero("0")))
	require.Equal(t, missing, hits(t, cache, zero("(-0)")), "the sign of 0")
	pair := func(typ string) string {
		return "input x = 0.5\nlet f = fun (p : " + typ + ") -> x in x * f [| x |]"
	}
	require.Equal(t, missing, hits(t, cache, pair("R^1")))
	require.Equal(t, missing, hits(t, cache, "input x = 0.5\nlet f = fun (p : R^2) -> x in x * f [| x, x |]"), "another type")
	require.Equal(t, found, hits(t, cache, pair("R^1")))
}

// TestCacheAfterAnEdit: of an edited program only the function that was changed is made
// anew, and those that name it.
func TestCacheAfterAnEdit(t *testing.T) {
	cache := newCache(t, 0)
	text := func(u, last string) string {
		return "input x = 0.5\nlet f = fun a -> sin (a * x) in\nlet g = fun a -> cos (a + x) in\nlet h = fun a -> f (f a) + 1 in\n" +
			"(fun k -> k (k x) * exp x) (fun a -> g (h a) * " + u + ") + " + last
	}
	require.Equal(t, [2]int{0, 5}, hits(t, cache, text("2", "x")))
	require.Equal(t, [2]int{5, 0}, hits(t, cache, text("2", "x * x")), "outside all functions")
	require.Equal(t, [2]int{4, 1}, hits(t, cache, text("3", "x")), "the last function")
	edited := text("2", "x")
	edited = edited[:len("input x = 0.5\nlet f = fun a -> ")] + "tanh" + edited[len("input x = 0.5\nlet f = fun a -> sin"):]
	require.Equal(t, [2]int{2, 3}, hits(t, cache, edited), "f, which h names, which the last function names")

	res := modularly(t, loadText(t, text("4", "x")), cache, EvalOptions{}).res
	require.Equal(t, res.Cost.Size.Reverse, res.Cost.Cache.Reused+res.Cost.Cache.Rebuilt)
	require.Less(t, res.Cost.Cache.Rebuilt, res.Cost.Size.Reverse/2+20)
}

// TestCacheOfBranches: the normal form of a λ with a conditional is that of its point.
func TestCacheOfBranches(t *testing.T) {
	cache := newCache(t, 0)
	at := func(x string) string {
		return "input x = " + x + "\nlet f = fun y -> if x < 0 then y else y*y in f (3 * x)"
	}
	require.Equal(t, [2]int{0, 1}, hits(t, cache, at("1")))
	require.Equal(t, [2]int{0, 1}, hits(t, cache, at("-1")))
	require.Equal(t, [2]int{1, 0}, hits(t, cache, at("1")))
	// h branches where its argument, an input, decides what f does.
	by := func(x string) string {
		return "input x = " + x + "\nlet f = fun y -> if y < 0 then y else y*y in let h = fun z -> z * f x in h 3"
	}
	require.Equal(t, [2]int{0, 2}, hits(t, cache, by("1")))
	require.Equal(t, [2]int{1, 1}, hits(t, cache, by("-1")))
}

// TestCacheOfData: lists stay folded, so that a normal form serves lists of one length;
// other data are part of it.
func TestCacheOfData(t *testing.T) {
	cache := newCache(t, 0)
	list := func(xs string) string {
		return "input w = 0.5\ndata xs = list i < 3 -> " + xs + "\nlet f = fun y -> fold (fun a h -> sin (a * w + h)) y xs in f w"
	}
	require.Equal(t, [2]int{0, 1}, hits(t, cache, list("i")))
	require.Equal(t, [2]int{1, 0}, hits(t, cache, list("2 * i")))
	datum := func(c string) string { return "input w = 0.5\ndata c = " + c + "\nlet f = fun y -> y * c in f w" }
	require.Equal(t, [2]int{0, 1}, hits(t, cache, datum("1")))
	require.Equal(t, [2]int{0, 1}, hits(t, cache, datum("2")))
	require.Equal(t, [2]int{1, 0}, hits(t, cache, datum("1")))
}

// TestCacheOfKept: a λ that is past its budget is found as one, also where another one
// names it. What is reused of D(t) is the other λs.
func TestCacheOfKept(t *testing.T) {
	cache := newCache(t, 0)
	const text = `input x = 0.5
let many = fun y -> (fun d -> d (d (d (d (d (d (d (d (d (d (fun a -> sin a)))))))))) y) (fun f a -> f (f a)) in
let more = fun y -> many y * x in
let g = fun y -> y * x in
more 2 + many 1 + g 3`
	require.Equal(t, [2]int{0, 3}, hits(t, cache, text))
	require.Equal(t, [2]int{3, 0}, hits(t, cache, "-- again\n"+text))
	p := loadText(t, text)
	m := modularly(t, p, cache, EvalOptions{})
	require.Equal(t, modular.Report{Lambdas: 1, Kept: 2, Budget: modular.BudgetFactor, Steps: m.prog.Report.Steps}, m.prog.Report)
	g, err := revgrad.Reverse(bridge.Of(loadText(t, "input x = 0.5\nfun y -> y * x")).Term(), nil)
	require.NoError(t, err)
	require.Equal(t, g.Size(), m.prog.Reuse.Reused)
	want, err := p.Gradient(context.Background(), EvalOptions{})
	require.NoError(t, err)
	requireAgree(t, want.Values, m.res.Values, 1e-12)
	requireAgree(t, want.Jacobian, m.res.Jacobian, 1e-12)
}

// TestCacheShowsOwnPlaces: an error of a function that was found is shown where it stands
// in the program at hand.
func TestCacheShowsOwnPlaces(t *testing.T) {
	cache := newCache(t, 0)
	for _, c := range []struct{ text, place string }{
		{"input x = 0\nlet f = fun y -> 1 + log (y * x) in f 2", "2:22"},
		{"input x = 0\n\nlet g =\n  fun z ->\n   1 + log (z * x) in\ng 2", "5:8"},
	} {
		p := loadText(t, c.text)
		m := modularly(t, p, cache, EvalOptions{Finite: true})
		require.Contains(t, m.text, "test.gram:"+c.place)
		requireSame(t, modularly(t, p, nil, EvalOptions{Finite: true}), m)
	}
	require.Equal(t, uint64(1), cache.Stats().Hits)
}

// TestModularAtOtherPoints: an evaluator of a program that branches takes the branches of
// each point.
func TestModularAtOtherPoints(t *testing.T) {
	ctx := context.Background()
	for _, c := range []*Cache{nil, newCache(t, 0)} {
		p := loadText(t, "input x = 1\nlet f = fun y -> if x < 0 then y else y*y in f (3 * x)").with(c)
		e, err := p.NewGradient(ctx, EvalOptions{Strategy: Modular})
		require.NoError(t, err)
		for _, point := range []struct{ x, value, slope float64 }{{1, 9, 18}, {-1, -3, 3}, {-2, -6, 3}, {2, 36, 36}, {1, 9, 18}} {
			res, err := e.Gradient(ctx, []float64{point.x})
			require.NoError(t, err)
			require.Equal(t, []float64{point.value, point.slope}, []float64{res.Values[0], res.Jacobian[0]})
		}
		require.NoError(t, e.Close())
	}
}

// TestCacheManyGoroutines uses one cache, in which only some fits, from several goroutines
// at a time, and closes it while they do.
func TestCacheManyGoroutines(t *testing.T) {
	for _, bytes := range []uint64{0, 1, 40_000} {
		cache := newCache(t, bytes)
		var wait sync.WaitGroup
		for _, name := range []string{"rnn", "mlp", "w2", "weather", "rnn", "mlp"} {
			p, err := LoadFile(context.Background(), "examples/"+name+".gram", Options{Params: testprogram.Small[name], Open: testprogram.FirstRows})
			require.NoError(t, err)
			want := modularly(t, p, nil, EvalOptions{})
			got := make([]made, 4)
			for i := range got {
				wait.Go(func() { got[i] = modularly(t, p, cache, EvalOptions{}) })
			}
			if name == "weather" {
				cache.Close()
			}
			wait.Wait()
			for _, m := range got {
				requireSame(t, want, m)
			}
		}
		require.Zero(t, cache.Stats().Bytes, "it is closed")
	}
}

// TestCacheIsBounded: a cache holds no more than it may, and counts what it is asked for.
func TestCacheIsBounded(t *testing.T) {
	const size = 20_000
	cache := newCache(t, size)
	asked := uint64(0)
	for range 2 {
		for i := range 40 {
			p := loadText(t, "param k = 0\ninput x = 0.5\nfold (fun u v -> sin (u * x) + v * "+string(rune('0'+i%10))+"."+string(rune('0'+i/10))+") 0 [1; 2; 3]")
			modularly(t, p, cache, EvalOptions{})
			asked++
			s := cache.Stats()
			require.LessOrEqual(t, s.Bytes, uint64(size))
			require.Equal(t, asked, s.Hits+s.Misses)
			require.Equal(t, uint64(size), s.MaxBytes)
		}
	}
	require.Positive(t, cache.Stats().Bytes)
}

// TestCacheKeepsNoFailure: a λ whose normalisation is ended from outside is not kept.
func TestCacheKeepsNoFailure(t *testing.T) {
	cache := newCache(t, 0)
	p := loadText(t, "input x = 0.5\nfold (fun u v -> sin (u * x) + v) 0 [1]").with(cache)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := p.Gradient(ctx, EvalOptions{Strategy: Modular})
	var limit *LimitError
	require.True(t, errors.As(err, &limit))
	require.EqualValues(t, "interrupt", limit.Limit)
	require.Zero(t, cache.Stats().Bytes)
	_, err = p.Gradient(context.Background(), EvalOptions{Strategy: Modular})
	require.NoError(t, err)
}

// TestNewCacheTooLarge: a bound that no machine has is an error.
func TestNewCacheTooLarge(t *testing.T) {
	_, err := NewCache(modular.MaxSize + 1)
	require.Error(t, err)
}
