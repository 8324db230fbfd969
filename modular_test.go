package gram

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
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

// TestPropertyStrategies: every strategy, with passes, without or literally, gives a random
// program's value and gradient; passes don't change the steps.
func TestPropertyStrategies(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		q := property.Draw(t, property.Options{Vector: rapid.Bool().Draw(t, "vector")})
		p := mustLoad(t, testprogram.Text(t, q))
		values, jacobian := denote.Jacobian(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point())
		for _, s := range []Strategy{Direct, Unfold, Modular} {
			var steps rule.Counts
			for i, noFuse := range []bool{true, false} {
				res, err := p.Gradient(context.Background(), EvalOptions{Strategy: s, NoFuse: noFuse, MaxSteps: 200_000})
				var limit *LimitError
				if errors.As(err, &limit) {
					return // iterating functions on functions explodes
				}
				require.NoError(t, err, s)
				requireAgree(t, values, res.Values, 0)
				requireAgree(t, jacobian, res.Jacobian, 1e-9)
				if i == 1 {
					require.Equal(t, steps, res.Cost.Steps, s)
				}
				steps = res.Cost.Steps
			}
		}
	})
}

// requireAgree compares numbers but those that are too large to keep their digits.
func requireAgree(t require.TestingT, want, got []float64, tolerance float64) {
	require.Len(t, got, len(want))
	for i, w := range want {
		if math.Abs(w) < 1e9 {
			require.True(t, property.Close(w, got[i], tolerance), "%v instead of %v", got, want)
		}
	}
}

// TestModularKeepsNames: the λs of normal forms have the names that the program gives
// them, and stand where it has them, also those of functions that others name.
func TestModularKeepsNames(t *testing.T) {
	p := mustLoad(t, `input x = 0.5
let f = fun alpha -> sin (alpha * x) in
let g = fun h -> h f in
let k = fun beta -> f (beta + 1) in
g (fun gamma -> gamma 2) + k 3`)
	for _, c := range []*Cache{nil, newCache(t, 0)} {
		m := modularly(t, p, c, EvalOptions{})
		require.Empty(t, m.text)
		var got []string
		for _, in := range m.prog.Code.Code {
			if in.Op == compile.MakeLam && in.Pos != 0 && in.Name != 0 && !m.prog.Code.Term.Linear(in.Name) {
				line, column := p.src.File.Position(uint32(in.Pos) - 1)
				got = append(got, fmt.Sprintf("%s at %d:%d", m.prog.Code.Term.Info(in.Name).Name, line, column))
			}
		}
		slices.Sort(got)
		require.Equal(t, []string{"alpha at 2:13", "alpha at 2:13", "beta at 4:13", "gamma at 5:8", "h at 3:13"}, got)
	}
}

// TestModularKeepsPlaces: an error in a function that was unfolded into another one is
// shown where it stands.
func TestModularKeepsPlaces(t *testing.T) {
	p := mustLoad(t, `input x = 0
let f = fun y -> 1 + log (y * x) in
let g = fun y -> 2 + y in
let h = fun y -> g y * f (g y) in
h 2`)
	for _, c := range []*Cache{nil, newCache(t, 0)} {
		require.Contains(t, modularly(t, p, c, EvalOptions{Finite: true}).text, "test.gram:2:22")
	}
}

// TestModularKeepsData: each function has its own data, and those of the functions that
// it names.
func TestModularKeepsData(t *testing.T) {
	p := mustLoad(t, `input x = 0.5
input unused = 3
input y = 0.25
data xs = list i < 3 -> i
data c = 7
data ys = list i < 2 -> 10 + i
let f = fun u -> fold (fun a h -> a * h * y + 1) u ys in
let g = fun v -> fold (fun a h -> a + h * c) (f v * x) xs in
let h = fun w -> g w + fold (fun a h -> a * x + h) w ys in
h 2 + f x`)
	want, err := p.Gradient(context.Background(), EvalOptions{})
	require.NoError(t, err)
	cache := newCache(t, 0)
	for range 2 {
		m := modularly(t, p, cache, EvalOptions{})
		require.Empty(t, m.text)
		requireAgree(t, want.Values, m.res.Values, 1e-12)
		requireAgree(t, want.Jacobian, m.res.Jacobian, 1e-12)
	}
}

// TestModularChain: of a chain of functions each of which names the one before.
func TestModularChain(t *testing.T) {
	const n = 200
	text := "input x = 0.5\nlet f0 = fun y -> y * x in\n"
	for i := range n {
		text += fmt.Sprintf("let f%d = fun y -> (fun g -> sin y) f%d in\n", i+1, i)
	}
	m := modularly(t, mustLoad(t, text+fmt.Sprintf("f%d x", n)), nil, EvalOptions{})
	require.InDelta(t, math.Sin(0.5), m.res.Values[0], 1e-15)
}

// TestModularOnRewriter holds the steps of a run by modular, rule by rule, against the rewriter's on the term with the
// normal forms in it. [reference.TestPropertyNormalStepsOfLambdas] holds those before the run.
func TestModularOnRewriter(t *testing.T) {
	firstRow := func(path string) (fs.File, error) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		lines := bytes.SplitAfterN(text, []byte("\n"), 4)
		return fstest.MapFS{"data": {Data: slices.Concat(lines[:3]...)}}.Open("data")
	}
	for name, params := range map[string][]string{"rain": nil, "weather": nil, "mapfold": nil, "rnn": nil,
		"w2": {"n=2", "k=2"}, "w5": {"n=2", "k=1"}} {
		p, err := LoadFile(context.Background(), "examples/"+name+".gram", Options{Params: params, Open: firstRow})
		require.NoError(t, err)
		m := modularly(t, p, nil, EvalOptions{})
		require.Empty(t, m.text)
		d := *m.prog.Code.Term // the start term of D(t)
		for d.Nodes[d.Root].Op == term.LetOp {
			d.Root = d.Nodes[d.Root].A
		}
		d.Root = d.Nodes[d.Root].B
		s := reference.Convert(&d, denote.Floats{}).GradientStart(p.inputs, p.Point(), p.outputs()).Named()
		want, err := s.Run(reference.Machine(nil), 10_000, nil)
		require.NoError(t, err)
		want.Counts.AddTimes(&m.prog.Counts, 1)
		require.Equal(t, want.Counts, m.res.Cost.Steps, name)
	}
}

// TestPropertyCache: with a cache that all draws share, one in which nothing fits, and
// none, a random program becomes the same program and gives the same value, gradient,
// cost and error, whether its λs are found or not, also by the same program elsewhere in
// its file.
func TestPropertyCache(t *testing.T) {
	shared, tiny := newCache(t, 0), newCache(t, 1)
	property.Check(t, func(t *rapid.T) {
		text := testprogram.Text(t, property.Draw(t, property.Options{Vector: rapid.Bool().Draw(t, "vector")}))
		p, moved := mustLoad(t, text), mustLoad(t, "-- moved\n\n"+text)
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
	for _, name := range []string{"figure1", "huber", "jacobian", "logsumexp", "mapfold", "mlp", "polynomial", "rnn",
		"w1", "w2", "w3", "w4", "w5", "weather"} {
		p, err := LoadFile(context.Background(), "examples/"+name+".gram", Options{Params: testprogram.Small[name],
			Open: testprogram.FirstRows})
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
	p := mustLoad(t, text)
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
		{"elsewhere, other names", "-- a comment\ninput e = 7\ninput rho = 0.5\ninput q = 2\nfold\n  (fun h\n k ->\n   sin " +
			"(h * rho) + k * q * 3) e [1; 2; 3]", found},
		{"of other lists", "input x = 0.5\ninput y = 2\nfold (fun u v -> sin (u * x) + v * y * 3) x [4]", found},
		{"at another point", "input x = -0.5\ninput y = 1\nfold (fun u v -> sin (u * x) + v * y * 3) 0 [1; 2; 3]", found},
		{"another order of inputs", "input y = 2\ninput x = 0.5\nfold (fun u v -> sin (u * x) + v * y * 3) 0 [1; 2; 3]",
			missing},
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
	require.Equal(t, missing, hits(t, cache, "input x = 0.5\nlet f = fun (p : R^2) -> x in x * f [| x, x |]"),
		"another type")
	require.Equal(t, found, hits(t, cache, pair("R^1")))
}

// TestCacheAfterAnEdit: of an edited program only the function that was changed is made
// anew, and those that name it.
func TestCacheAfterAnEdit(t *testing.T) {
	cache := newCache(t, 0)
	text := func(u, last string) string {
		return "input x = 0.5\nlet f = fun a -> sin (a * x) in\nlet g = fun a -> cos (a + x) in\nlet h = fun a -> f (f a) " +
			"+ 1 in\n" +
			"(fun k -> k (k x) * exp x) (fun a -> g (h a) * " + u + ") + " + last
	}
	require.Equal(t, [2]int{0, 5}, hits(t, cache, text("2", "x")))
	require.Equal(t, [2]int{5, 0}, hits(t, cache, text("2", "x * x")), "outside all functions")
	require.Equal(t, [2]int{4, 1}, hits(t, cache, text("3", "x")), "the last function")
	edited := text("2", "x")
	edited = edited[:len("input x = 0.5\nlet f = fun a -> ")] + "tanh" +
		edited[len("input x = 0.5\nlet f = fun a -> sin"):]
	require.Equal(t, [2]int{2, 3}, hits(t, cache, edited), "f, which h names, which the last function names")

	res := modularly(t, mustLoad(t, text("4", "x")), cache, EvalOptions{}).res
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
		return "input w = 0.5\ndata xs = list i < 3 -> " + xs +
			"\nlet f = fun y -> fold (fun a h -> sin (a * w + h)) y xs in f w"
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
	p := mustLoad(t, text)
	m := modularly(t, p, cache, EvalOptions{})
	require.Equal(t, modular.Report{Lambdas: 1, Kept: 2, Budget: modular.BudgetFactor, Steps: m.prog.Report.Steps},
		m.prog.Report)
	g, err := revgrad.Reverse(bridge.Of(mustLoad(t, "input x = 0.5\nfun y -> y * x")).Term(), nil)
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
		p := mustLoad(t, c.text)
		m := modularly(t, p, cache, EvalOptions{Finite: true})
		require.Contains(t, m.text, "test.gram:"+c.place)
		requireSame(t, modularly(t, p, nil, EvalOptions{Finite: true}), m)
	}
	require.Equal(t, uint64(1), cache.Stats().Hits)
}

// TestCacheManyGoroutines uses one cache, in which only some fits, from several goroutines
// at a time, and closes it while they do.
func TestCacheManyGoroutines(t *testing.T) {
	for _, bytes := range []uint64{0, 1, 40_000} {
		cache := newCache(t, bytes)
		var wait sync.WaitGroup
		for _, name := range []string{"rnn", "mlp", "w2", "weather", "rnn", "mlp"} {
			p, err := LoadFile(context.Background(), "examples/"+name+".gram", Options{Params: testprogram.Small[name],
				Open: testprogram.FirstRows})
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
			p := mustLoad(t, "param k = 0\ninput x = 0.5\nfold (fun u v -> sin (u * x) + v * "+
				""+string(rune('0'+i%10))+"."+string(rune('0'+i/10))+") 0 [1; 2; 3]")
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
	p := mustLoad(t, "input x = 0.5\nfold (fun u v -> sin (u * x) + v) 0 [1]").with(cache)
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
