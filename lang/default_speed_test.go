package lang

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// scalar and rows are the computed lists of the workloads.
const (
	scalar = "param n = 1000\ndata a : List R = list i < n -> sin (n - 1 - i)"
	rows   = "param n = 1000\nparam k = 16\ndata a : List R^k = list t < n -> vec j < k -> sin ((n - 1 - t)*k + j)"
)

// TestComputedListsDoNotAllocate runs each source at two sizes: the count of
// allocations must not depend on the size, and the bytes must be those of one
// slice.
func TestComputedListsDoNotAllocate(t *testing.T) {
	for _, src := range []string{
		scalar,
		rows,
		"param n = 1000\ndef f x = if x < 10 then x * x else pow x 2 + 1\ndata a : List R = list i < n -> f (f i)",
		"param n = 1000\ndata a : List R = list i < n -> let x = i / 2 in let y = x + 1 in x * y^3",
		"param n = 1000\ndata v : R^3 = [| 1, 2, 3 |]\ndata a : List R = list i < n -> sum j < 3 -> v.(j) * i",
		"param n = 1000\ndata a : List R = list i < n -> #3 (fun x -> x + 1) 0",
		"param n = 1000\ndata b = list i < n -> i\ndata a : List R = [fold (+) 0 b; foldl max 0 b; length b]",
	} {
		var opt Options
		measure := func(n uint64) (allocs float64, bytes uint64) {
			opt.Params = []load.ParamSetting{{Name: "n", Value: n}}
			run := func() {
				_, err := declared(src, opt)
				require.NoError(t, err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			run()
			runtime.ReadMemStats(&after)
			return testing.AllocsPerRun(3, run), after.TotalAlloc - before.TotalAlloc
		}
		few, _ := measure(1000)
		many, bytes := measure(100_000)
		assert.LessOrEqual(t, many, few+4, src)
		width := uint64(1)
		if src == rows {
			width = 16
		}
		assert.Less(t, bytes, 8*100_000*width+100_000, src)
	}
}

func TestCheckIsCalledOften(t *testing.T) {
	for _, test := range []struct {
		src   string
		steps int
	}{
		{"data a = list i < 1000000 -> i", 1_000_000},
		{"input a = vec i < 1000 -> vec j < 1000 -> i", 1_000_000},
		{"input a = sum i < 1000000 -> i", 1_000_000},
		{"input a = 1 ^ 1000000", 1_000_000},
		{"input a = #1000000 (fun x -> x + 1) 0", 1_000_000},
		{"input a = #1000000 sin 0", 1_000_000},
		{"data xs = list i < 500000 -> i\ndata a = [fold (+) 0 (rev (map sin xs)); foldl (+) 0 xs]", 2_000_000},
		{"input a = let v = vec i < 1000000 -> i in dot v v", 2_000_000},
		{"data a : List R = fun f x -> #1000000 (f 1) x", 2_000_000},
		{"input a = (vec i < 1000000 -> fun x -> i).(7) 1", 1_000_000},
	} {
		checks := 0
		opt := given{}.options(t)
		opt.Check = func() error { checks++; return nil }
		_, err := declared(test.src, opt)
		require.NoError(t, err, test.src)
		assert.GreaterOrEqual(t, checks, test.steps>>16, test.src)

		stop := errors.New("stop")
		left := 3
		opt.Check = func() error {
			if left--; left < 0 {
				return stop
			}
			return nil
		}
		p, err := declared(test.src, opt)
		assert.Equal(t, stop, err, test.src)
		assert.Nil(t, p)
	}
}

func TestReserve(t *testing.T) {
	limit := errors.New("limit")
	for _, src := range []string{
		"data a = list i < 1e9 -> i",
		"input a = vec i < 1e9 -> i",
		"input a : R^1000000000 = vec i < 1e9 -> i",
		"input a = (vec i < 1e8 -> fun x -> i).(7) 1",
		"data a = list i < 30000 -> vec j < 30000 -> i",
	} {
		opt := Options{Reserve: func(bytes int64) error {
			if bytes > 1e9 {
				return limit
			}
			return nil
		}}
		_, err := declared(src, opt)
		assert.Equal(t, limit, err, src)
	}
	for _, src := range []string{
		"data a = list i < 1e10 -> i",
		"data a = list i < 1e6 -> vec j < 1e6 -> i",
		"data a = list i < 1e15 -> fun x -> x",
		"input a = vec i < 1e6 -> vec j < 1e6 -> i",
	} {
		opt := Options{Reserve: func(bytes int64) error { return nil }}
		_, err := declared(src, opt)
		var e *syntax.Errors
		assert.ErrorAs(t, err, &e, src)
	}
}
