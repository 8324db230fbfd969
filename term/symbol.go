package term

import (
	"fmt"
	"math"

	"github.com/gram-machine/gram/term/elementary"
)

// Symbol is a function symbol of F or F′ (section 5): an index into the table, or behind it that of a symbol that a
// program declares.
type Symbol uint16

// The function symbols of F, and after them those of F′ that are only partial
// derivatives. The table functions, below, has a line for each symbol of F.
const (
	NoSymbol Symbol = iota
	Mul             // t · u: counted by rule (8), every other symbol by (12)
	Sub
	Div
	Neg
	Sin
	Cos
	Tan
	Exp
	Log
	Sqrt
	Tanh
	Sigmoid
	Relu
	Step
	Abs
	Sign
	Atan
	Asin
	Sinh
	Cosh
	Softplus
	Erf
	Lgamma
	Floor
	Pow
	Min
	Max
	Same

	// The partial derivatives: DSin is ∂1 sin, DPow2 is ∂2 pow.
	DDiv1
	DDiv2
	DSin
	DCos
	DTan
	DExp
	DLog
	DSqrt
	DTanh
	DSigmoid
	DRelu
	DAbs
	DAtan
	DAsin
	DSinh
	DCosh
	DSoftplus
	DErf
	DLgamma
	DPow1
	DPow2
	DMin1
	DMin2
	DMax1
	DMax2
	Polygamma // ψ⁽ⁿ⁾(x), n a natural number: the derivatives of digamma, which is DLgamma

	// What only Slopes name: ∂1 pow of x, y and xʸ, and log x · xʸ of both.
	PowSlope
	TimesLog
	numSymbols

	firstDerivative = DDiv1
)

// PartialKind says what ∂_i f(x1,…,xk) is in D(f(…)).
type PartialKind uint8

// The forms of a partial derivative.
const (
	PartialConst PartialKind = iota // a numeral
	PartialVar                      // a variable of x1,…,xk
	PartialFun                      // a symbol applied to x1,…,xk or, with Args, to what these are
)

// Partial is ∂_i f(x1,…,xk): hypothesis (⋆⋆) of section 5. Those of the symbols of F are a numeral, a variable or one
// symbol of F′. Those of the other symbols of F′ are terms over the symbols and, as NoSymbol, +.
type Partial struct {
	Kind  PartialKind
	Const float64   // PartialConst
	Var   int       // PartialVar: the position of the variable, from 0
	Fun   Symbol    // PartialFun
	Args  []Partial // PartialFun: the operands; nil for x1,…,xk
	eval1 func(x float64) float64
	eval2 func(x, y float64) float64
	again []Partial // what Fun, a symbol of F′, has for partial derivatives
}

// Interpret returns what p stands for, for f of k arguments: number, variable and apply say what its parts stand for.
// NoSymbol is +.
func Interpret[T any](p *Partial, k int, number func(r float64) T, variable func(i int) T,
	apply func(f Symbol, args ...T) T) T {
	switch p.Kind {
	case PartialConst:
		return number(p.Const)
	case PartialVar:
		return variable(p.Var)
	}
	args := make([]T, 0, 2)
	if p.Args == nil {
		for i := range k {
			args = append(args, variable(i))
		}
	}
	for i := range p.Args {
		args = append(args, Interpret(&p.Args[i], k, number, variable, apply))
	}
	return apply(p.Fun, args...)
}

// At returns the value of p at x1,…,xk.
func (p *Partial) At(x ...float64) float64 {
	return Interpret(p, len(x), func(r float64) float64 { return r }, func(i int) float64 { return x[i] }, Symbol.Eval)
}

// Zero reports whether p is the numeral 0.
func (p *Partial) Zero() bool { return p.Kind == PartialConst && p.Const == 0 }

// Size is the number of nodes of p as a term, for f of k arguments.
func (p *Partial) Size(k int) int {
	return Interpret(p, k, func(float64) int { return 1 }, func(int) int { return 1 }, func(_ Symbol, args ...int) int {
		n := 1
		for _, a := range args {
			n += a
		}
		return n
	})
}

// Reads calls do for each occurrence of an argument in p, for f of k arguments.
func (p *Partial) Reads(k int, do func(i int)) {
	Interpret(p, k, func(float64) (_ struct{}) { return }, func(i int) (_ struct{}) { do(i); return },
		func(Symbol, ...struct{}) (_ struct{}) { return })
}

// SymbolInfo describes a function symbol.
type SymbolInfo struct {
	Name     string
	Arity    int    // 1 or 2; a declared symbol may have more, and PowSlope has 3
	Infix    string // "-", "*", "/" where the source has an operator for it
	LaTeX    string
	source   string                        // see SourceName
	Eval1    func(x float64) float64       // of a symbol of arity 1
	Eval2    func(x, y float64) float64    // of a symbol of arity 2
	Eval3    func(x, y, v float64) float64 // of PowSlope
	Partials []Partial                     // one for each argument
	// Slopes are the partial derivatives as code computes them, with the value as argument k, behind x1,…,xk.
	Slopes []Partial
	// Body is the expression that Eval1 and Eval2 of a declared symbol compute, nil for those of the table. Base is the
	// symbol of which it is a partial derivative.
	Body *Partial
	Base Symbol
	code *straight
}

// Info returns the entry of the table for s. The table is not to be modified.
func (s Symbol) Info() *SymbolInfo {
	if s < numSymbols {
		return &symbols[s]
	}
	return declaredInfo(s)
}

// String returns the name of s.
func (s Symbol) String() string { return s.Info().Name }

// Symbols returns all symbols of F: those that a program may name without declaring them.
func Symbols() []Symbol { return between(Mul, firstDerivative) }

// Derivatives returns the symbols of F′ that are not in F.
func Derivatives() []Symbol { return between(firstDerivative, PowSlope) }

func between(first, end Symbol) []Symbol {
	var out []Symbol
	for s := first; s < end; s++ {
		out = append(out, s)
	}
	return out
}

// Eval returns the value of s at its arguments. NoSymbol is +.
func (s Symbol) Eval(x ...float64) float64 {
	if s == NoSymbol {
		return x[0] + x[1]
	}
	info := s.Info()
	switch {
	case info.Eval1 != nil:
		return info.Eval1(x[0])
	case info.Eval2 != nil:
		return info.Eval2(x[0], x[1])
	case info.Eval3 != nil:
		return info.Eval3(x[0], x[1], x[2])
	}
	return info.code.run(nil, x...)
}

// Kink reports whether x1,…,xk is a point where the derivatives of s are a choice, or infinite.
func (s Symbol) Kink(x ...float64) bool {
	switch s {
	case Relu, Step, Abs, Sign, Sqrt, DRelu, DAbs:
		return x[0] == 0
	case Floor:
		return x[0] == math.Floor(x[0])
	case Min, Max, DMin1, DMin2, DMax1, DMax2:
		return x[0] == x[1]
	case Pow:
		return x[0] == 0 && !(x[1] >= 0 && x[1] == math.Floor(x[1]))
	}
	return s.Declared() && s.Info().kink(x)
}

// SourceName returns the name of s in the language: ∂1 sin is sin', ∂2 pow is pow'2.
func (s Symbol) SourceName() string { return s.Info().source }

func evalStep(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x <= 0:
		return 0
	}
	return x // NaN
}

func evalSign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x * 0 // 0, and NaN for NaN
}

func evalRelu(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return x
}

func partials(p ...Partial) []Partial { return p }

func constant(r float64) Partial { return Partial{Kind: PartialConst, Const: r} }
func argument(i int) Partial     { return Partial{Kind: PartialVar, Var: i} }

// apply is f of the operands, or of x1,…,xk if there are none.
func apply(f Symbol, operands ...Partial) Partial {
	return Partial{Kind: PartialFun, Fun: f, Args: operands}
}

// slope is a symbol of F′ with its partial derivatives.
func slope(f Symbol, eval func(x float64) float64, again Partial) Partial {
	return Partial{Kind: PartialFun, Fun: f, eval1: eval, again: partials(again)}
}

func slope2(f Symbol, eval func(x, y float64) float64, again1, again2 Partial) Partial {
	return Partial{Kind: PartialFun, Fun: f, eval2: eval, again: partials(again1, again2)}
}

// x1 and x2 are the arguments of a symbol, in its partial derivatives.
var x1, x2 = argument(0), argument(1)

func times(a, b Partial) Partial { return apply(Mul, a, b) }
func minus(a, b Partial) Partial { return apply(Sub, a, b) }

// powBoth is ∂1 ∂2 pow: x^(y−1) + y·x^(y−1)·log x.
var powBoth = minus(apply(Pow, x1, minus(x2, constant(1))),
	apply(Neg, times(x2, apply(DPow2, x1, minus(x2, constant(1))))))

func evalTanSlope(x float64) float64 {
	c := elementary.Cos(x)
	return 1 / (c * c)
}

func evalPow1(x, y float64) float64 {
	if y == 0 {
		return 0
	}
	return y * elementary.Pow(x, y-1)
}

// evalPowSlope is evalPow1 of x and y, where v is x^y: without a power if no number is near an end of its range.
func evalPowSlope(x, y, v float64) float64 {
	q := v / x
	if math.Abs(v) > 0x1p-1000 && math.Abs(q) > 0x1p-1000 && math.Abs(q) < 0x1p1000 {
		return y * q
	}
	return evalPow1(x, y)
}

func evalTimesLog(log, v float64) float64 {
	if v == 0 && math.IsInf(log, -1) {
		return 0 // the limit of x^y·log x
	}
	return v * log
}

func evalPow2(x, y float64) float64 {
	if x == 0 && y > 0 {
		return 0 // the limit of x^y·log x
	}
	return elementary.Pow(x, y) * elementary.Log(x)
}

// symbols is the table: a line for each symbol of F, from which complete makes those of its derivatives. Derivatives at
// a kink: relu, abs, step and sign have 0, min and max that of their first argument.
var symbols = complete([numSymbols]SymbolInfo{
	NoSymbol: {Name: "?"},
	Mul: {Name: "mul", Infix: "*", Eval2: func(x, y float64) float64 { return x * y },
		Partials: partials(argument(1), argument(0))},
	Sub: {Name: "sub", Infix: "-", Eval2: func(x, y float64) float64 { return x - y },
		Partials: partials(constant(1), constant(-1))},
	Div: {Name: "div", Infix: "/", Eval2: func(x, y float64) float64 { return x / y },
		Partials: partials(
			slope2(DDiv1, func(_, y float64) float64 { return 1 / y }, constant(0), apply(DDiv2, constant(1), x2)),
			slope2(DDiv2, func(x, y float64) float64 { return -x / (y * y) },
				apply(DDiv2, constant(1), x2), times(constant(-2), apply(Div, apply(DDiv2), x2)))),
		Slopes: partials(apply(Div, constant(1), x2), times(argument(2), apply(Neg, apply(Div, constant(1), x2))))},
	Neg: {Name: "neg", Eval1: func(x float64) float64 { return -x }, Partials: partials(constant(-1))},
	Sin: {Name: "sin", LaTeX: `\sin`, Eval1: elementary.Sin, Partials: partials(slope(DSin, elementary.Cos, apply(DCos)))},
	Cos: {Name: "cos", LaTeX: `\cos`, Eval1: elementary.Cos,
		Partials: partials(slope(DCos, func(x float64) float64 { return -elementary.Sin(x) }, apply(Neg, apply(DSin))))},
	Tan: {Name: "tan", LaTeX: `\tan`, Eval1: math.Tan,
		Partials: partials(slope(DTan, evalTanSlope, times(constant(2), times(apply(Tan), apply(DTan)))))},
	Exp: {Name: "exp", LaTeX: `\exp`, Eval1: elementary.Exp, Partials: partials(slope(DExp, elementary.Exp, apply(DExp))),
		Slopes: partials(argument(1))},
	Log: {Name: "log", LaTeX: `\log`, Eval1: elementary.Log,
		Partials: partials(slope(DLog, func(x float64) float64 { return 1 / x }, apply(DDiv2, constant(1), x1)))},
	Sqrt: {Name: "sqrt", Eval1: math.Sqrt,
		Partials: partials(slope(DSqrt, func(x float64) float64 { return 0.5 / math.Sqrt(x) },
			times(constant(-0.5), apply(Div, apply(DSqrt), x1)))), Slopes: partials(apply(Div, constant(0.5), argument(1)))},
	Tanh: {Name: "tanh", LaTeX: `\tanh`, Eval1: elementary.Tanh,
		Partials: partials(slope(DTanh, elementary.TanhSlope, times(constant(-2), times(apply(Tanh), apply(DTanh)))))},
	Sigmoid: {Name: "sigmoid", Eval1: elementary.Sigmoid, Partials: partials(slope(DSigmoid, func(x float64) float64 {
		s := elementary.Sigmoid(x)
		return s * (1 - s)
	}, times(apply(DSigmoid), minus(constant(1), times(constant(2), apply(Sigmoid)))))),
		Slopes: partials(times(argument(1), minus(constant(1), argument(1))))},
	Relu: {Name: "relu", Eval1: evalRelu, Partials: partials(slope(DRelu, evalStep, constant(0)))},
	Step: {Name: "step", Eval1: evalStep, Partials: partials(constant(0))},
	Abs:  {Name: "abs", Eval1: math.Abs, Partials: partials(slope(DAbs, evalSign, constant(0)))},
	Sign: {Name: "sign", Eval1: evalSign, Partials: partials(constant(0))},
	Atan: {Name: "atan", Eval1: math.Atan,
		Partials: partials(slope(DAtan, func(x float64) float64 { return 1 / (1 + float64(x*x)) },
			times(constant(-2), times(x1, times(apply(DAtan), apply(DAtan))))))},
	Asin: {Name: "asin", LaTeX: `\arcsin`, Eval1: elementary.Asin,
		Partials: partials(slope(DAsin, func(x float64) float64 { return 1 / math.Sqrt((1-x)*(1+x)) },
			times(x1, times(apply(DAsin), times(apply(DAsin), apply(DAsin))))))},
	Sinh: {Name: "sinh", LaTeX: `\sinh`, Eval1: elementary.Sinh,
		Partials: partials(slope(DSinh, elementary.Cosh, apply(DCosh)))},
	Cosh: {Name: "cosh", LaTeX: `\cosh`, Eval1: elementary.Cosh,
		Partials: partials(slope(DCosh, elementary.Sinh, apply(DSinh)))},
	Softplus: {Name: "softplus", Eval1: elementary.Softplus,
		Partials: partials(slope(DSoftplus, elementary.Sigmoid, apply(DSigmoid)))},
	Erf: {Name: "erf", Eval1: elementary.Erf,
		Partials: partials(slope(DErf, elementary.ErfSlope, times(constant(-2), times(x1, apply(DErf)))))},
	Lgamma: {Name: "lgamma", Eval1: elementary.Lgamma,
		Partials: partials(slope(DLgamma, elementary.Digamma, apply(Polygamma, constant(1), x1)))},
	Floor: {Name: "floor", Eval1: math.Floor, Partials: partials(constant(0))},
	Pow: {Name: "pow", Eval2: elementary.Pow, Partials: partials(
		slope2(DPow1, evalPow1, times(x2, apply(DPow1, x1, minus(x2, constant(1)))), powBoth),
		slope2(DPow2, evalPow2, powBoth, times(apply(DPow2), apply(Log, x1)))),
		Slopes: partials(apply(PowSlope, x1, x2, argument(2)), apply(TimesLog, apply(Log, x1), argument(2)))},
	Min: {Name: "min", LaTeX: `\min`, Eval2: math.Min, Partials: partials(
		slope2(DMin1, func(x, y float64) float64 { return pick(x <= y) }, constant(0), constant(0)),
		slope2(DMin2, func(x, y float64) float64 { return pick(y < x) }, constant(0), constant(0)))},
	Max: {Name: "max", LaTeX: `\max`, Eval2: math.Max, Partials: partials(
		slope2(DMax1, func(x, y float64) float64 { return pick(x >= y) }, constant(0), constant(0)),
		slope2(DMax2, func(x, y float64) float64 { return pick(y > x) }, constant(0), constant(0)))},
	Same: {Name: "same", Eval2: func(x, y float64) float64 { return pick(x == y) },
		Partials: partials(constant(0), constant(0))},
	Polygamma: {Name: "polygamma", Eval2: elementary.Polygamma,
		Partials: partials(constant(0), apply(Polygamma, minus(x1, constant(-1)), x2))},
	PowSlope: {Name: "pow'1 by value", Arity: 3, Eval3: evalPowSlope},
	TimesLog: {Name: "pow'2 by value", Arity: 2, Eval2: evalTimesLog},
})

// complete fills in the arities, the names in LaTeX that are words, and the symbols of the partial derivatives.
func complete(table [numSymbols]SymbolInfo) [numSymbols]SymbolInfo {
	for s := Mul; s < numSymbols; s++ {
		f := &table[s]
		if f.Arity == 0 {
			f.Arity = len(f.Partials)
		}
		if f.Slopes == nil {
			f.Slopes = f.Partials
		}
		if f.source == "" {
			f.source = f.Name
		}
		if f.LaTeX == "" {
			f.LaTeX = `\mathrm{` + f.Name + "}"
		}
		for i, p := range f.Partials {
			if p.again == nil {
				continue
			}
			table[p.Fun] = SymbolInfo{Name: fmt.Sprintf("∂%d %s", i+1, f.Name), source: SlopeName(f.Name, i, f.Arity),
				LaTeX: fmt.Sprintf(`\partial_{%d}%s`, i+1, f.LaTeX), Eval1: p.eval1, Eval2: p.eval2, Partials: p.again}
		}
	}
	return table
}

func pick(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Compare is the relation of a conditional, rule (13).
type Compare uint8

// The relations.
const (
	Less Compare = iota
	LessEqual
	Greater
	GreaterEqual
)

// Holds reports whether x c y. NaN compares false.
func (c Compare) Holds(x, y float64) bool {
	switch c {
	case Less:
		return x < y
	case LessEqual:
		return x <= y
	case Greater:
		return x > y
	default:
		return x >= y
	}
}

// String returns the operator as the source writes it.
func (c Compare) String() string { return [...]string{"<", "<=", ">", ">="}[c] }
