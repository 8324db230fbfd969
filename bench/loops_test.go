package bench_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

const loopInputs = "param n = 100000\ninput e = 0.7\ninput r = 0.9\ndata a : List R = list i < n -> sin (n - 1 - i)\ndef cell x h = sigmoid (e * x + r * h)\n"

// loopPrograms are W1, and loops over as many elements that are no straight-line λ.
var loopPrograms = map[string]string{
	"w1":             "fold cell 0 a",
	"leaky-relu":     "def leaky x = if x < 0 then 0.01 * x else x\nfold (fun x h -> leaky (e * x + r * h - 0.05)) 0 a",
	"foldl":          "foldl (fun h x -> cell x h) 0 a",
	"map":            "fold cell 0 (map (fun x -> x * e) a)",
	"three-maps":     "fold cell 0 (map (fun x -> x + r) (map (fun x -> x * e) (map (fun x -> x - r) a)))",
	"function":       "(fold (fun x k h -> k (cell x h)) (fun h -> h) a) e",
	"filter":         "fold (fun x h -> if x < 0 then h else cell x h) 0 a",
	"64-sequences":   "data b : List R = list i < 1563 -> sin (n - 1 - i)\nsum i < 64 -> fold cell (0.01 * i) b",
	"64-leaky-relus": "def leaky x = if x < 0 then 0.01 * x else x\ndata b : List R = list i < 1563 -> sin (n - 1 - i)\nsum i < 64 -> fold (fun x h -> leaky (e * x + r * h - 0.05)) (0.01 * i) b",
}

// smooth is 64-sequences where no adjoint becomes subnormal. Those of the others do so at the end of each sequence.
const smooth = "64-sequences-smooth"

func loopProgram(name string) string {
	if name == smooth {
		all := loopInputs + loopPrograms["64-sequences"]
		return strings.NewReplacer("r = 0.9", "r = 4", "sin (n - 1 - i)", "sin (n - 1 - i) - 3").Replace(all)
	}
	return loopInputs + loopPrograms[name]
}

// BenchmarkLoops reports the time of value and gradient of each loop over that of W1, the median of rounds in which all run in turn.
func BenchmarkLoops(b *testing.B) {
	names := append(slices.Sorted(maps.Keys(loopPrograms)), smooth)
	run := map[string]func() time.Duration{}
	for _, name := range names {
		p, err := gram.Load(context.Background(), name, []byte(loopProgram(name)), gram.Options{})
		require.NoError(b, err)
		e, err := p.NewGradient(context.Background(), gram.EvalOptions{})
		require.NoError(b, err)
		defer e.Close()
		run[name] = func() time.Duration {
			start := time.Now()
			_, err := e.Gradient(context.Background(), p.Point())
			require.NoError(b, err)
			return time.Since(start)
		}
	}
	ratios := map[string][]float64{}
	for b.Loop() {
		for range 15 {
			best := map[string]time.Duration{}
			for _, name := range names {
				best[name] = min(run[name](), run[name]())
			}
			for _, name := range names {
				ratios[name] = append(ratios[name], float64(best[name])/float64(best["w1"]))
			}
		}
	}
	for _, name := range names {
		slices.Sort(ratios[name])
		b.ReportMetric(ratios[name][len(ratios[name])/2], name)
	}
}
