package native

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// special are numbers at the edges of the formulas' ranges, and beyond.
func special() []float64 {
	xs := []float64{0, 1, 2, 3, 0.5, 0.25, 1.5, 2.5, 6, 7, 8, 20, 40, 700, 708, 709.8, 745.2, 25600, 1e5, 1e10, 1e22, 1e300, math.MaxFloat64,
		math.SmallestNonzeroFloat64, 0x1p-1022, 0x1p-27, 0x1p-28, 0x1p-60, math.Pi, math.Pi / 2, math.Inf(1), math.NaN(), 0.705, 1.25, 0.84375, 1 / 0.35}
	for _, x := range slices.Clone(xs) {
		xs = append(xs, -x, math.Nextafter(x, 0), math.Nextafter(x, math.Inf(1)))
	}
	return xs
}

// same reports whether x and y have the same bits, or are both NaN.
func same(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
}

// evaluate returns a symbol's function at the points, compiled.
func evaluate(t *testing.T, s term.Symbol, points []float64) []float64 {
	width := s.Info().Arity
	in := graph.BlockInstr{Op: graph.BlockFun1, Sym: s, D: 3, A: 1, B: 1}
	load := []Cell{{1, 0}}
	if width == 2 {
		in.Op, in.B = graph.BlockFun2, 2
		load = append(load, Cell{2, 1})
	}
	c := Compile(&Loop{Code: []graph.BlockInstr{in}, Streams: []Stream{{Width: width, Load: load}, {Width: 1, Store: []Cell{{3, 0}}}}})
	require.NotNil(t, c)
	m := NewMemory()
	out := make([]float64, len(points)/width)
	for i := 0; i < len(out); i += c.Chunk() {
		n := min(len(out)-i, c.Chunk())
		m.Run(c, make([]float64, 4), n, points[i*width:(i+n)*width], out[i:i+n])
	}
	return out
}

// TestSymbols: the compiled form of each symbol has the bits of its Go form.
func TestSymbols(t *testing.T) {
	if !Supported() {
		t.Skip("wazero has no compiler for this platform")
	}
	xs := special()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		xs = append(xs, math.Float64frombits(rng.Uint64()), rng.NormFloat64(), 30*rng.NormFloat64(), math.Exp(20*rng.NormFloat64()))
	}
	for _, s := range slices.Concat(term.Symbols(), term.Derivatives()) {
		t.Run(s.String(), func(t *testing.T) {
			f := s.Info()
			if f.Arity == 1 {
				for i, y := range evaluate(t, s, xs) {
					if want := f.Eval1(xs[i]); !same(want, y) {
						t.Fatalf("%v(%v) = %v, compiled %v", s, xs[i], want, y)
					}
				}
				return
			}
			var pairs []float64
			for _, x := range special() {
				for _, y := range special() {
					pairs = append(pairs, x, y)
				}
			}
			pairs = append(pairs, xs...)
			for i, z := range evaluate(t, s, pairs) {
				if x, y := pairs[2*i], pairs[2*i+1]; !same(f.Eval2(x, y), z) {
					t.Fatalf("%v(%v, %v) = %v, compiled %v", s, x, y, f.Eval2(x, y), z)
				}
			}
		})
	}
}

func BenchmarkSymbol(b *testing.B) {
	for _, s := range []term.Symbol{term.Exp, term.Sin, term.Tanh, term.Sigmoid, term.Log, term.Sqrt} {
		xs := make([]float64, 4096)
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range xs {
			xs[i] = math.Abs(rng.NormFloat64())
		}
		out := make([]float64, len(xs))
		c := Compile(&Loop{Code: []graph.BlockInstr{{Op: graph.BlockFun1, Sym: s, D: 3, A: 1}},
			Streams: []Stream{{Width: 1, Load: []Cell{{1, 0}}}, {Width: 1, Store: []Cell{{3, 0}}}}})
		regs := make([]float64, 4)
		b.Run(fmt.Sprint(s, "/native"), func(b *testing.B) {
			m := NewMemory()
			for range b.N {
				m.Run(c, regs, len(xs), xs, out)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(xs)), "ns/number")
		})
		b.Run(fmt.Sprint(s, "/go"), func(b *testing.B) {
			f := s.Info().Eval1
			for range b.N {
				for i, x := range xs {
					out[i] = f(x)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(xs)), "ns/number")
		})
	}
}
