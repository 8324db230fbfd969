package exec

import (
	"math"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/kernel"
	"github.com/gram-machine/gram/term"
)

// This file has the symbols on lanes: those that kernels have, and others number by number. A partial derivative is an
// expression of symbols, so it is computed by them.

// elementwise are the symbols of one argument that kernels have.
var elementwise = map[term.Symbol]func(dst, x []float64){
	term.Exp: kernel.Exp, term.DExp: kernel.Exp, term.Log: kernel.Log, term.Sin: kernel.Sin, term.Cos: kernel.Cos,
	term.DSin: kernel.Cos, term.Tanh: kernel.Tanh, term.DTanh: kernel.TanhSlope, term.Sigmoid: kernel.Sigmoid,
	term.DSoftplus: kernel.Sigmoid, term.Sqrt: kernel.Sqrt, term.Abs: kernel.Abs, term.DAbs: kernel.Sign,
	term.Sign: kernel.Sign,
	term.Neg:  func(dst, x []float64) { kernel.MulScalar(dst, x, -1) },
	term.DLog: func(dst, x []float64) { kernel.ScalarDiv(dst, 1, x) },
	term.DCos: func(dst, x []float64) {
		kernel.Sin(dst, x)
		kernel.MulScalar(dst, dst, -1)
	},
	term.DSqrt: func(dst, x []float64) {
		kernel.Sqrt(dst, x)
		kernel.ScalarDiv(dst, 0.5, dst)
	},
	term.DSigmoid: func(dst, x []float64) {
		kernel.Sigmoid(dst, x)
		kernel.SlopeOfSigmoid(dst, dst)
	},
}

// onLanes is a symbol of one argument on lanes.
func onLanes(f term.Symbol) func(dst, x []float64) {
	if all := elementwise[f]; all != nil {
		return all
	}
	value := f.Info().Eval1
	return func(dst, x []float64) { kernel.Apply(dst, x, value) }
}

// kernels compute an operation of two operands: of lanes, or where the left one, a, or the right one, b, is one number.
type kernels struct {
	both  func(dst, a, b []float64)
	left  func(dst, b []float64, a float64)
	right func(dst, a []float64, b float64)
}

var (
	sums     = kernels{kernel.Add, kernel.AddScalar, kernel.AddScalar}
	products = kernels{kernel.Mul, kernel.MulScalar, kernel.MulScalar}
	pairwise = map[term.Symbol]kernels{
		term.NoSymbol: sums,
		term.Mul:      products,
		// A difference of lanes and a number is a sum.
		term.Sub: {kernel.Sub, func(dst, b []float64, a float64) { kernel.ScalarSub(dst, a, b) },
			func(dst, a []float64, b float64) { kernel.AddScalar(dst, a, -b) }},
		term.Div:   {kernel.Div, func(dst, b []float64, a float64) { kernel.ScalarDiv(dst, a, b) }, kernel.DivScalar},
		term.DDiv1: widened(func(dst, _, b []float64) { kernel.ScalarDiv(dst, 1, b) }),
		term.DDiv2: {func(dst, a, b []float64) {
			kernel.Mul(dst, b, b)
			kernel.Div(dst, a, dst)
			kernel.MulScalar(dst, dst, -1)
		}, func(dst, b []float64, a float64) {
			kernel.Mul(dst, b, b)
			kernel.ScalarDiv(dst, -a, dst)
		}, func(dst, a []float64, b float64) { kernel.MulScalar(dst, a, -1/(b*b)) }},
		term.Pow:   widened(kernel.Pow),
		term.Same:  widened(kernel.Equal),
		term.Max:   widened(kernel.Larger),
		term.DMax1: widened(func(dst, a, b []float64) { kernel.LessEqual(dst, b, a) }),
		term.DMax2: widened(kernel.Less),
		term.DMin1: widened(kernel.LessEqual),
		term.DMin2: widened(func(dst, a, b []float64) { kernel.Less(dst, b, a) }),
	}
)

// widened makes kernels of one that takes lanes only.
func widened(both func(dst, a, b []float64)) kernels {
	return kernels{both,
		func(dst, b []float64, a float64) { both(dst, wide([]float64{a}, dst), b) },
		func(dst, a []float64, b float64) { both(dst, a, wide([]float64{b}, dst)) }}
}

// kernelsOf are those of a symbol of two arguments, or of +.
func kernelsOf(f term.Symbol) kernels {
	if k, ok := pairwise[f]; ok {
		return k
	}
	value := f.Info().Eval2
	return widened(func(dst, a, b []float64) { kernel.Apply2(dst, a, b, value) })
}

// partial is the value of a partial derivative in lanes: x are the arguments and the value of the symbol. Each may have
// one number for all lanes, and so has the result if all have.
func (s *laneState) partial(p *term.Partial, x ...[]float64) []float64 {
	used := 0
	return term.Interpret(p, len(x)-1, func(r float64) []float64 { return []float64{r} },
		func(i int) []float64 { return x[i] },
		func(f term.Symbol, args ...[]float64) []float64 {
			size := 1
			for _, a := range args {
				size = max(size, len(a))
			}
			if used++; used > len(s.partials) {
				s.partials = append(s.partials, nil)
			}
			dst := sized(&s.partials[used-1], size)
			switch {
			case len(args) == 1:
				onLanes(f)(dst, args[0])
			case f == term.PowSlope:
				value := f.Info().Eval3
				for k := range dst {
					dst[k] = value(args[0][k*apart(args[0])], args[1][k*apart(args[1])], args[2][k*apart(args[2])])
				}
			case len(args) > 2 || size == 1:
				at := make([]float64, len(args))
				for k := range dst {
					for i, a := range args {
						at[i] = a[k*apart(a)]
					}
					dst[k] = f.Eval(at...)
				}
			case len(args[0]) < size:
				kernelsOf(f).left(dst, args[1], args[0][0])
			case len(args[1]) < size:
				kernelsOf(f).right(dst, args[0], args[1][0])
			default:
				kernelsOf(f).both(dst, args[0], args[1])
			}
			return dst
		})
}

// sum is the sum of numbers, or what a symbol makes of them, in the order of sums.
func (l *lane) sum(x []float64) float64 {
	switch {
	case l.two == nil:
		return kernel.Sum(x)
	case l.sym == term.Max:
		return kernel.Max(x)
	}
	return ir.Sum(x, l.two.value)
}

// reduceBack adds to dst what arrives at the numbers x if a arrives at what a symbol makes of them; fresh says that it
// sets dst. tmp has twice as many numbers as x.
func (l *lane) reduceBack(dst, x []float64, a float64, tmp []float64, fresh bool) {
	if l.sym == term.Max && !math.IsInf(a, 0) && !math.IsNaN(a) {
		if k := ir.Largest(x, kernel.Max(x)); k >= 0 {
			if fresh {
				clear(dst)
			}
			dst[k] += a
			return
		}
	}
	out := tmp[:len(x)]
	ir.SumBack(out, x, tmp[len(x):], a, l.two.value, l.two.slopes)
	if fresh {
		copy(dst, out)
	} else {
		kernel.Add(dst, dst, out)
	}
}
