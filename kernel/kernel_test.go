package kernel

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
)

// selecting is held while a form is in use that a test selected.
var selecting sync.Mutex

// eachForm runs f with each form that the processor has.
func eachForm(t require.TestingT, f func(name string)) {
	selecting.Lock()
	defer selecting.Unlock()
	before := Form()
	for _, name := range Forms() {
		require.NoError(t, Use(name))
		f(name)
	}
	require.NoError(t, Use(before))
}

// same reports whether x and y have the same bits, or are both no number.
func same(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
}

func requireSame(t require.TestingT, want, got []float64, what ...any) {
	require.Len(t, got, len(want))
	for i := range want {
		if !same(want[i], got[i]) {
			require.Failf(t, "different bits", "element %d: want %x, got %x; %v", i, want[i], got[i], what)
		}
	}
}

// special are numbers on which forms could differ.
var special = []float64{
	0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, -5e-324, 0x1p-1030, -0x1.8p-1040,
	1, -1, math.MaxFloat64, -math.MaxFloat64, 0x1p-1022, 700, -709, 745, 0x1p-27, 25600, 20, -40, 1 + 0x1p-52, 1 - 0x1p-53,
}

// source makes numbers: most of moderate size, a few of them special if mixed.
type source struct {
	*rand.Rand
	mixed bool
}

func newSource(t *rapid.T) source {
	return source{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), rapid.Bool().Draw(t, "mixed")}
}

func (s source) number() float64 {
	if s.mixed && s.IntN(20) == 0 {
		return special[s.IntN(len(special))]
	}
	return s.NormFloat64() * math.Ldexp(1, s.IntN(12)-6)
}

// guard stands around what a kernel may write.
const guard = 12345.678

// slice makes a slice that begins at any of eight addresses, and the memory around it.
func (s source) slice(n int) (x, around []float64) {
	from := s.IntN(8)
	around = make([]float64, from+n+16)
	for i := range around {
		around[i] = guard
	}
	x = around[from : from+n : from+n]
	for i := range x {
		x[i] = s.number()
	}
	return x, around
}

func (s source) numbers(n int) []float64 {
	x, _ := s.slice(n)
	return x
}

// size draws a size, mostly a small one.
func size(t *rapid.T, name string, most int) int {
	return rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, 72), rapid.IntRange(0, most)).Draw(t, name)
}

// sumOf adds in the order of sums, as the language defines it.
func sumOf(e []float64) float64 {
	if len(e) == 0 {
		return 0
	}
	return term.Sum(len(e), func(i int) float64 { return e[i] }, func(a, b float64) float64 { return a + b })
}

func (m Matrix) at(i, j int) float64 { return m.Data[i*m.RowStride+j*m.ColumnStride] }

// product returns the products whose sum is element (i, j) of a·b.
func products(a, b Matrix, i, j int) []float64 {
	e := make([]float64, a.Columns)
	for k := range e {
		e[k] = a.at(i, k) * b.at(k, j)
	}
	return e
}

// arrive adds the elements of e to x one by one.
func arrive(x float64, e []float64) float64 {
	for _, y := range e {
		x += y
	}
	return x
}

func clone(x []float64) []float64 { return append([]float64(nil), x...) }

// written checks what f leaves in a slice and around it, for each form.
func written(t *rapid.T, s source, n int, want func(dst []float64), f func(dst []float64), what ...any) {
	dst, around := s.slice(n)
	before := clone(around)
	want(dst)
	expected := clone(around)
	eachForm(t, func(name string) {
		copy(around, before)
		f(dst)
		requireSame(t, expected, around, append([]any{name}, what...)...)
	})
}

func TestPropertySums(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s, n := newSource(t), size(t, "n", 1000)
		x, y := s.numbers(n), s.numbers(n)
		e := make([]float64, n)
		for i := range e {
			e[i] = x[i] * y[i]
		}
		cut, rows := rapid.IntRange(0, n).Draw(t, "cut"), rapid.IntRange(1, 9).Draw(t, "rows")
		eachForm(t, func(name string) {
			var l, p Lanes
			l.Add(x[:cut])
			l.Add(x[cut:])
			p.AddProducts(x[:cut], y[:cut])
			p.AddProducts(x[cut:], y[cut:])
			requireSame(t, []float64{sumOf(x), sumOf(x), sumOf(e)}, []float64{Sum(x), l.Sum(), p.Sum()}, name, n)
			each := n / rows
			sums, want := make([]float64, rows), make([]float64, rows)
			SumRows(sums, x, each)
			for k := range want {
				want[k] = sumOf(x[k*each:][:each])
			}
			requireSame(t, want, sums, name, n, rows)
		})
	})
}

func TestPropertyMatVec(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s, m, n := newSource(t), size(t, "m", 100), size(t, "n", 300)
		ld := n + rapid.IntRange(0, 9).Draw(t, "gap")
		w, x := s.numbers(max(0, m-1)*ld+n), s.numbers(n)
		matrix, column := Matrix{w, m, n, ld, 1}, Matrix{x, n, 1, 1, 1}
		written(t, s, m, func(y []float64) {
			for i := range y {
				y[i] = sumOf(products(matrix, column, i, 0))
			}
		}, func(y []float64) { MatVec(y, w, ld, x) }, m, n, ld)

		y := s.numbers(m)
		column = Matrix{y, m, 1, 1, 1}
		written(t, s, n, func(x []float64) {
			for j := range x {
				x[j] = arrive(x[j], products(matrix.T(), column, j, 0))
			}
		}, func(x []float64) { AddMatVecT(x, w, ld, y) }, m, n, ld)
	})
}

func TestPropertyOuter(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s := newSource(t)
		m, n, steps := size(t, "m", 80), size(t, "n", 300), size(t, "steps", 150)
		gap := func(name string) int { return rapid.IntRange(0, 9).Draw(t, name) }
		ldc, lda, ldb := n+gap("ldc"), m+gap("lda"), n+gap("ldb")
		a, b := s.numbers(max(0, steps-1)*lda+m), s.numbers(max(0, steps-1)*ldb+n)
		left, right := Matrix{a, m, steps, 1, lda}, Matrix{b, steps, n, ldb, 1}
		written(t, s, max(0, m-1)*ldc+n, func(c []float64) {
			for i := range m {
				for j := range n {
					c[i*ldc+j] = arrive(c[i*ldc+j], products(left, right, i, j))
				}
			}
		}, func(c []float64) { AddOuter(c, ldc, m, n, a, lda, b, ldb, steps) }, m, n, steps)
	})
}

// matrix makes a matrix of the given shape, with any strides.
func (s source) matrix(t *rapid.T, name string, rows, columns int) Matrix {
	gap := rapid.IntRange(0, 3).Draw(t, name+" gap")
	inner := rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, name+" inner")
	m := Matrix{Rows: rows, Columns: columns, ColumnStride: inner, RowStride: inner*columns + gap}
	if rapid.Bool().Draw(t, name+" transposed") {
		m.RowStride, m.ColumnStride = inner, inner*rows+gap
	}
	if rows > 0 && columns > 0 {
		m.Data = s.numbers((rows-1)*m.RowStride + (columns-1)*m.ColumnStride + 1)
	}
	return m
}

func TestPropertyMatMul(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s := newSource(t)
		m, n, k := size(t, "m", 40), size(t, "n", 150), size(t, "k", 200)
		if rapid.IntRange(0, 40).Draw(t, "many steps") == 0 {
			m, k = m%10, k+laneSteps-20
		}
		if shape := rapid.IntRange(0, 5).Draw(t, "shape"); shape == 0 {
			m = min(m, 1)
		} else if shape == 1 {
			n = min(n, 1)
		}
		a, b, c := s.matrix(t, "a", m, k), s.matrix(t, "b", k, n), s.matrix(t, "c", m, n)
		check := func(element func(c float64, e []float64) float64, f func(c, a, b Matrix)) {
			written(t, s, len(c.Data), func(data []float64) {
				for i := range m {
					for j := range n {
						p := &data[i*c.RowStride+j*c.ColumnStride]
						*p = element(*p, products(a, b, i, j))
					}
				}
			}, func(data []float64) {
				c := c
				c.Data = data
				f(c, a, b)
			}, m, n, k)
		}
		check(func(_ float64, e []float64) float64 { return sumOf(e) }, MatMul)
		check(arrive, AddMatMul)
	})
}

func TestPropertyElementwise(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s, n := newSource(t), size(t, "n", 300)
		x, y, a := s.numbers(n), s.numbers(n), s.number()
		alias := rapid.Bool().Draw(t, "alias")
		where := make([]float64, n)
		Less(where, make([]float64, n), y)
		chosen := func(yes bool, x, y float64) float64 {
			if yes {
				return x
			}
			return y
		}
		for _, op := range []struct {
			name string
			f    func(dst, x []float64)
			of   func(dst, x, y float64) float64
		}{
			{"Add", func(dst, x []float64) { Add(dst, x, y) }, func(_, x, y float64) float64 { return x + y }},
			{"Sub", func(dst, x []float64) { Sub(dst, x, y) }, func(_, x, y float64) float64 { return x - y }},
			{"Mul", func(dst, x []float64) { Mul(dst, x, y) }, func(_, x, y float64) float64 { return x * y }},
			{"Div", func(dst, x []float64) { Div(dst, x, y) }, func(_, x, y float64) float64 { return x / y }},
			{"AddScalar", func(dst, x []float64) { AddScalar(dst, x, a) }, func(_, x, _ float64) float64 { return x + a }},
			{"MulScalar", func(dst, x []float64) { MulScalar(dst, x, a) }, func(_, x, _ float64) float64 { return x * a }},
			{"DivScalar", func(dst, x []float64) { DivScalar(dst, x, a) }, func(_, x, _ float64) float64 { return x / a }},
			{"ScalarSub", func(dst, x []float64) { ScalarSub(dst, a, x) }, func(_, x, _ float64) float64 { return a - x }},
			{"ScalarDiv", func(dst, x []float64) { ScalarDiv(dst, a, x) }, func(_, x, _ float64) float64 { return a / x }},
			{"AddMul", func(dst, x []float64) { AddMul(dst, x, y) }, func(dst, x, y float64) float64 { return dst + float64(x*y) }},
			{"AddMulScalar", func(dst, x []float64) { AddMulScalar(dst, x, a) }, func(dst, x, _ float64) float64 { return dst + float64(x*a) }},
			{"Apply", func(dst, x []float64) { Apply(dst, x, math.Abs) }, func(_, x, _ float64) float64 { return math.Abs(x) }},
			{"Apply2", func(dst, x []float64) { Apply2(dst, x, y, math.Max) }, func(_, x, y float64) float64 { return math.Max(x, y) }},
			{"Less", func(dst, x []float64) { Less(dst, x, y) }, func(_, x, y float64) float64 { return oneIf(x < y) }},
			{"LessEqual", func(dst, x []float64) { LessEqual(dst, y, x) }, func(_, x, y float64) float64 { return oneIf(y <= x) }},
			{"Equal", func(dst, x []float64) {
				Less(dst, x, y)
				Equal(dst, dst, where)
			}, func(_, x, y float64) float64 { return oneIf(x < y == (y > 0)) }},
			{"Blend", func(dst, x []float64) { Blend(dst, x, where) }, func(dst, x, y float64) float64 { return chosen(y > 0, x, dst) }},
			{"AddWhere", func(dst, x []float64) { AddWhere(dst, x, where) }, func(dst, x, y float64) float64 { return chosen(y > 0, dst+x, dst) }},
			{"Abs", Abs, func(_, x, _ float64) float64 { return math.Abs(x) }},
			{"Sign", Sign, func(_, x, _ float64) float64 { return chosen(x == 0 || x != x, x, math.Copysign(1, x)) }},
			{"Sqrt", Sqrt, func(_, x, _ float64) float64 { return math.Sqrt(x) }},
		} {
			written(t, s, n, func(dst []float64) {
				x := x
				if alias {
					x = clone(dst)
				}
				for i := range dst {
					dst[i] = op.of(dst[i], x[i], y[i])
				}
			}, func(dst []float64) {
				x := x
				if alias {
					x = dst
				}
				op.f(dst, x)
			}, op.name, n, alias)
		}
	})
}

// near draws numbers for the elementary functions: of all magnitudes, or around the edges of
// their ranges.
func (s source) near() float64 {
	switch s.IntN(30) {
	case 0:
		return special[s.IntN(len(special))]
	case 1:
		edge := []float64{20, 40, 708, 745, 25600, 0x1p-27, 0x1p-1022, 1, math.Pi}[s.IntN(9)]
		return edge * (1 + float64(s.IntN(5)-2)*0x1p-53) * float64(1-2*s.IntN(2))
	case 2:
		return math.Float64frombits(s.Uint64())
	}
	return s.NormFloat64() * math.Ldexp(1, s.IntN(20)-10)
}

func TestPropertyElementary(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s, n := newSource(t), size(t, "n", 1000)
		alias := rapid.Bool().Draw(t, "alias")
		positive := rapid.Bool().Draw(t, "positive")
		x := s.numbers(n)
		for i := range x {
			if s.mixed {
				x[i] = s.near()
			}
			if positive {
				x[i] = math.Abs(x[i])
			}
		}
		for _, f := range []struct {
			name string
			all  func(dst, x []float64)
			one  func(x float64) float64
		}{
			{"Exp", Exp, term.Exp.Info().Eval1},
			{"Log", Log, term.Log.Info().Eval1},
			{"Sin", Sin, term.Sin.Info().Eval1},
			{"Cos", Cos, term.Cos.Info().Eval1},
			{"Tanh", Tanh, term.Tanh.Info().Eval1},
			{"Sigmoid", Sigmoid, term.Sigmoid.Info().Eval1},
			{"TanhSlope", TanhSlope, term.DTanh.Info().Eval1},
			{"SlopeOfSigmoid", sigmoidSlope, term.DSigmoid.Info().Eval1},
		} {
			written(t, s, n, func(dst []float64) {
				for i := range dst {
					dst[i] = f.one(x[i])
				}
			}, func(dst []float64) {
				x := x
				if alias {
					copy(dst, x)
					x = dst
				}
				f.all(dst, x)
			}, f.name, n, alias)
		}
		y := s.numbers(n)
		for i := range y {
			if s.mixed {
				y[i] = s.near()
			}
		}
		written(t, s, n, func(dst []float64) {
			for i := range dst {
				dst[i] = term.Pow.Info().Eval2(x[i], y[i])
			}
		}, func(dst []float64) {
			y := y
			if alias {
				copy(dst, y)
				y = dst
			}
			Pow(dst, x, y)
		}, "Pow", n, alias)
	})
}

func TestForms(t *testing.T) {
	selecting.Lock()
	defer selecting.Unlock()
	t.Logf("forms %q, %q in use", Forms(), Form())
	require.Equal(t, "go", Forms()[0])
	require.Contains(t, Forms(), Form())
	require.Equal(t, Forms()[len(Forms())-1], formNames[chooseForm("")])
	require.Equal(t, "go", formNames[chooseForm("go")])
	require.Error(t, Use("none"))
	before := Form()
	for _, name := range Forms() {
		require.NoError(t, Use(name))
		require.Equal(t, name, Form())
	}
	require.NoError(t, Use(before))
}

func TestSizes(t *testing.T) {
	x, y := make([]float64, 3), make([]float64, 4)
	for name, f := range map[string]func(){
		"Add":        func() { Add(y, y, x) },
		"Exp":        func() { Exp(y, x) },
		"Lanes":      func() { new(Lanes).AddProducts(y, x) },
		"MatVec":     func() { MatVec(y, x, 1, y) },
		"AddMatVecT": func() { AddMatVecT(y, x, 1, y) },
		"AddOuter":   func() { AddOuter(x, 2, 2, 2, y, 2, y, 2, 1) },
		"stride":     func() { MatVec(x[:1], y, -1, x) },
		"shape":      func() { MatMul(Matrix{y, 2, 2, 2, 1}, Matrix{x, 2, 1, 1, 1}, Matrix{x, 2, 1, 1, 1}) },
		"overlap":    func() { MatMul(Matrix{y, 2, 2, 0, 1}, Matrix{x, 2, 1, 1, 1}, Matrix{x, 1, 2, 1, 1}) },
	} {
		require.Panics(t, f, name)
	}
}

// sigmoidSlope sets dst[i] to the derivative of sigmoid at x[i].
func sigmoidSlope(dst, x []float64) {
	Sigmoid(dst, x)
	SlopeOfSigmoid(dst, dst)
}

// TestCopyApart: numbers are copied that are any distance apart.
func TestCopyApart(t *testing.T) {
	x := make([]float64, 200)
	for i := range x {
		x[i] = float64(i)
	}
	for _, by := range []int{0, 1, 2, 3, -1, -3} {
		for _, n := range []int{1, 5, 16, 25} {
			dst := make([]float64, n)
			CopyApart(dst, x, 100, by)
			for i, y := range dst {
				if want := float64(100 + i*by); y != want {
					t.Errorf("%d numbers %d apart: number %d is %v, not %v", n, by, i, y, want)
				}
			}
		}
	}
}
