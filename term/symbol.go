package term

import (
	"math"
	"strings"

	"github.com/gram-machine/gram/term/elementary"
)

// Symbol is a function symbol of F or F′ (section 5): an index into the table.
type Symbol uint8

// The function symbols of F, and after them those of F′ that are only partial
// derivatives.
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
	Pow
	Min
	Max

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
	DPow1
	DPow2
	DMin1
	DMin2
	DMax1
	DMax2
	numSymbols
)

// PartialKind says what ∂_i f(x1,…,xk) is in D(f(…)).
type PartialKind uint8

// The forms of a partial derivative.
const (
	NoPartial    PartialKind = iota // f is in F′ only
	PartialConst                    // a numeral
	PartialVar                      // a variable of x1,…,xk
	PartialFun                      // a symbol of F′ applied to x1,…,xk
)

// Partial is ∂_i f: hypothesis (⋆⋆) of section 5.
type Partial struct {
	Kind  PartialKind
	Const float64 // PartialConst
	Var   int     // PartialVar: the position of the variable, from 0
	Fun   Symbol  // PartialFun
}

// SymbolInfo describes a function symbol.
type SymbolInfo struct {
	Name     string
	Arity    int
	Infix    string // "+", "-", "*", "/" where the source has an operator for it
	Eval1    func(x float64) float64
	Eval2    func(x, y float64) float64
	Partials []Partial // one for each argument; nil for symbols of F′ only
}

// Info returns the entry of the table for s. The table is not to be modified.
func (s Symbol) Info() *SymbolInfo { return &symbols[s] }

// String returns the name of s.
func (s Symbol) String() string { return symbols[s].Name }

// Symbols returns all symbols of F: those that a program may name.
func Symbols() []Symbol {
	var out []Symbol
	for s := Mul; s < numSymbols; s++ {
		if symbols[s].Partials != nil {
			out = append(out, s)
		}
	}
	return out
}

// Derivatives returns the symbols of F′ that are not in F: partial derivatives, which
// have none themselves.
func Derivatives() []Symbol {
	var out []Symbol
	for s := Mul; s < numSymbols; s++ {
		if symbols[s].Partials == nil {
			out = append(out, s)
		}
	}
	return out
}

// SourceName returns the name of s in the language: ∂1 sin is sin', ∂2 pow is pow'2.
func (s Symbol) SourceName() string {
	name, ok := strings.CutPrefix(s.String(), "∂")
	if !ok {
		return name
	}
	i, of, _ := strings.Cut(name, " ")
	if s.Info().Arity == 1 {
		i = ""
	}
	return of + "'" + i
}

func fun(s Symbol) Partial            { return Partial{Kind: PartialFun, Fun: s} }
func constant(r float64) Partial      { return Partial{Kind: PartialConst, Const: r} }
func argument(i int) Partial          { return Partial{Kind: PartialVar, Var: i} }
func partials(p ...Partial) []Partial { return p }

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

// symbols is the table. Derivatives at a kink: relu, abs, step and sign have 0,
// min and max that of their first argument.
var symbols = [numSymbols]SymbolInfo{
	NoSymbol: {Name: "?"},
	Mul: {Name: "mul", Arity: 2, Infix: "*", Eval2: func(x, y float64) float64 { return x * y },
		Partials: partials(argument(1), argument(0))},
	Sub: {Name: "sub", Arity: 2, Infix: "-", Eval2: func(x, y float64) float64 { return x - y },
		Partials: partials(constant(1), constant(-1))},
	Div: {Name: "div", Arity: 2, Infix: "/", Eval2: func(x, y float64) float64 { return x / y },
		Partials: partials(fun(DDiv1), fun(DDiv2))},
	Neg:     {Name: "neg", Arity: 1, Eval1: func(x float64) float64 { return -x }, Partials: partials(constant(-1))},
	Sin:     {Name: "sin", Arity: 1, Eval1: elementary.Sin, Partials: partials(fun(DSin))},
	Cos:     {Name: "cos", Arity: 1, Eval1: elementary.Cos, Partials: partials(fun(DCos))},
	Tan:     {Name: "tan", Arity: 1, Eval1: math.Tan, Partials: partials(fun(DTan))},
	Exp:     {Name: "exp", Arity: 1, Eval1: elementary.Exp, Partials: partials(fun(DExp))},
	Log:     {Name: "log", Arity: 1, Eval1: elementary.Log, Partials: partials(fun(DLog))},
	Sqrt:    {Name: "sqrt", Arity: 1, Eval1: math.Sqrt, Partials: partials(fun(DSqrt))},
	Tanh:    {Name: "tanh", Arity: 1, Eval1: elementary.Tanh, Partials: partials(fun(DTanh))},
	Sigmoid: {Name: "sigmoid", Arity: 1, Eval1: elementary.Sigmoid, Partials: partials(fun(DSigmoid))},
	Relu:    {Name: "relu", Arity: 1, Eval1: evalRelu, Partials: partials(fun(DRelu))},
	Step:    {Name: "step", Arity: 1, Eval1: evalStep, Partials: partials(constant(0))},
	Abs:     {Name: "abs", Arity: 1, Eval1: math.Abs, Partials: partials(fun(DAbs))},
	Sign:    {Name: "sign", Arity: 1, Eval1: evalSign, Partials: partials(constant(0))},
	Atan:    {Name: "atan", Arity: 1, Eval1: math.Atan, Partials: partials(fun(DAtan))},
	Pow:     {Name: "pow", Arity: 2, Eval2: math.Pow, Partials: partials(fun(DPow1), fun(DPow2))},
	Min:     {Name: "min", Arity: 2, Eval2: math.Min, Partials: partials(fun(DMin1), fun(DMin2))},
	Max:     {Name: "max", Arity: 2, Eval2: math.Max, Partials: partials(fun(DMax1), fun(DMax2))},

	DDiv1: {Name: "∂1 div", Arity: 2, Eval2: func(_, y float64) float64 { return 1 / y }},
	DDiv2: {Name: "∂2 div", Arity: 2, Eval2: func(x, y float64) float64 { return -x / (y * y) }},
	DSin:  {Name: "∂1 sin", Arity: 1, Eval1: elementary.Cos},
	DCos:  {Name: "∂1 cos", Arity: 1, Eval1: func(x float64) float64 { return -elementary.Sin(x) }},
	DTan:  {Name: "∂1 tan", Arity: 1, Eval1: func(x float64) float64 { c := elementary.Cos(x); return 1 / (c * c) }},
	DExp:  {Name: "∂1 exp", Arity: 1, Eval1: elementary.Exp},
	DLog:  {Name: "∂1 log", Arity: 1, Eval1: func(x float64) float64 { return 1 / x }},
	DSqrt: {Name: "∂1 sqrt", Arity: 1, Eval1: func(x float64) float64 { return 0.5 / math.Sqrt(x) }},
	DTanh: {Name: "∂1 tanh", Arity: 1, Eval1: elementary.TanhSlope},
	DSigmoid: {Name: "∂1 sigmoid", Arity: 1, Eval1: func(x float64) float64 {
		s := elementary.Sigmoid(x)
		return s * (1 - s)
	}},
	DRelu: {Name: "∂1 relu", Arity: 1, Eval1: evalStep},
	DAbs:  {Name: "∂1 abs", Arity: 1, Eval1: evalSign},
	DAtan: {Name: "∂1 atan", Arity: 1, Eval1: func(x float64) float64 { return 1 / (1 + float64(x*x)) }},
	DPow1: {Name: "∂1 pow", Arity: 2, Eval2: func(x, y float64) float64 {
		if y == 0 {
			return 0
		}
		return y * math.Pow(x, y-1)
	}},
	DPow2: {Name: "∂2 pow", Arity: 2, Eval2: func(x, y float64) float64 {
		if x == 0 && y > 0 {
			return 0 // the limit of x^y·log x
		}
		return math.Pow(x, y) * elementary.Log(x)
	}},
	DMin1: {Name: "∂1 min", Arity: 2, Eval2: func(x, y float64) float64 { return pick(x <= y) }},
	DMin2: {Name: "∂2 min", Arity: 2, Eval2: func(x, y float64) float64 { return pick(y < x) }},
	DMax1: {Name: "∂1 max", Arity: 2, Eval2: func(x, y float64) float64 { return pick(x >= y) }},
	DMax2: {Name: "∂2 max", Arity: 2, Eval2: func(x, y float64) float64 { return pick(y > x) }},
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
