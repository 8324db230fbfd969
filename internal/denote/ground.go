package denote

import (
	"fmt"
	"math"
	"math/big"

	"github.com/gram-machine/gram/term"
)

// Number is an element of ⟦R⟧: a float64, or a *big.Rat that nobody changes.
type Number any

// Ground is an interpretation of R and of the function symbols.
type Ground interface {
	// Of is the numeral r. It panics where r is not in ⟦R⟧.
	Of(r float64) Number
	Add(a, b Number) Number
	// Apply is ⟦f⟧(args). The error says where f has no value.
	Apply(f term.Symbol, args ...Number) (Number, error)
	Holds(c term.Compare, a, b Number) bool
	// Float is the nearest floating-point number.
	Float(a Number) float64
}

// UndefinedError is a symbol without a value at a point, or with one that is too large to be of use.
type UndefinedError struct {
	Symbol term.Symbol
	What   string
}

func (e *UndefinedError) Error() string { return fmt.Sprintf("%s %s", e.Symbol, e.What) }

// Floats are the floating-point numbers, with the functions of the symbols' table.
type Floats struct{}

// Of is r.
func (Floats) Of(r float64) Number { return r }

// Add is a + b.
func (Floats) Add(a, b Number) Number { return a.(float64) + b.(float64) }

// Apply is ⟦f⟧(args).
func (Floats) Apply(f term.Symbol, args ...Number) (Number, error) {
	x := make([]float64, len(args))
	for i, a := range args {
		x[i] = a.(float64)
	}
	return f.Eval(x...), nil
}

// Holds reports whether a c b.
func (Floats) Holds(c term.Compare, a, b Number) bool { return c.Holds(a.(float64), b.(float64)) }

// Float is a.
func (Floats) Float(a Number) float64 { return a.(float64) }

// Rationals are the exact rational numbers. Only symbols that map rationals to
// rationals have a value: see [Rational].
type Rationals struct{}

// maxBits bounds a rational: squaring it again and again doubles its length.
const maxBits = 1 << 14

// Of is r, which must be finite.
func (Rationals) Of(r float64) Number {
	q := new(big.Rat).SetFloat64(r)
	if q == nil {
		panic(fmt.Sprintf("denote: %v is no rational number", r))
	}
	return q
}

// Add is a + b.
func (Rationals) Add(a, b Number) Number { return new(big.Rat).Add(a.(*big.Rat), b.(*big.Rat)) }

// Holds reports whether a c b.
func (Rationals) Holds(c term.Compare, a, b Number) bool {
	return c.Holds(float64(a.(*big.Rat).Cmp(b.(*big.Rat))), 0)
}

// Float is the floating-point number nearest to a.
func (Rationals) Float(a Number) float64 {
	f, _ := a.(*big.Rat).Float64()
	return f
}

// Apply is ⟦f⟧(args).
func (q Rationals) Apply(f term.Symbol, args ...Number) (Number, error) {
	if f.Declared() {
		return q.declared(f, args)
	}
	a := args[0].(*big.Rat)
	b := a
	if len(args) > 1 {
		b = args[1].(*big.Rat)
	}
	fn, ok := exact[f]
	if !ok {
		return nil, &UndefinedError{f, "does not map rationals to rationals"}
	}
	r := fn(a, b)
	switch {
	case r == nil:
		return nil, &UndefinedError{f, "divides by zero"}
	case r.Num().BitLen()+r.Denom().BitLen() > maxBits:
		return nil, &UndefinedError{f, "gives a number that is too long"}
	}
	return r, nil
}

// declared is ⟦f⟧(args) of a declared symbol: the value of its body.
func (q Rationals) declared(f term.Symbol, args []Number) (Number, error) {
	var failed error
	v := term.Interpret(f.Info().Body, len(args), q.Of, func(i int) Number { return args[i] },
		func(g term.Symbol, x ...Number) Number {
			switch {
			case failed != nil:
			case g == term.NoSymbol:
				return q.Add(x[0], x[1])
			default:
				var y Number
				if y, failed = q.Apply(g, x...); failed == nil {
					return y
				}
			}
			return args[0]
		})
	return v, failed
}

// Rational reports whether f maps rationals to rationals.
func Rational(f term.Symbol) bool {
	if !f.Declared() {
		return exact[f] != nil
	}
	yes := true
	term.Interpret(f.Info().Body, f.Info().Arity, func(float64) bool { return true }, func(int) bool { return true },
		func(g term.Symbol, _ ...bool) bool {
			yes = yes && (g == term.NoSymbol || Rational(g))
			return true
		})
	return yes
}

func integer(n int) *big.Rat { return big.NewRat(int64(n), 1) }

func indicator(b bool) *big.Rat {
	if b {
		return integer(1)
	}
	return integer(0)
}

func larger(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) >= 0 {
		return a
	}
	return b
}

func quotient(a, b *big.Rat) *big.Rat {
	if b.Sign() == 0 {
		return nil
	}
	return new(big.Rat).Quo(a, b)
}

// exact are the symbols on rationals, those of F′ as they stand in the table of package term: at a kink relu, abs,
// step and sign have derivative 0, min and max that of their first argument.
var exact = map[term.Symbol]func(a, b *big.Rat) *big.Rat{
	term.Mul:  func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) },
	term.Sub:  func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) },
	term.Div:  quotient,
	term.Neg:  func(a, _ *big.Rat) *big.Rat { return new(big.Rat).Neg(a) },
	term.Relu: func(a, _ *big.Rat) *big.Rat { return larger(a, integer(0)) },
	term.Step: func(a, _ *big.Rat) *big.Rat { return indicator(a.Sign() > 0) },
	term.Abs:  func(a, _ *big.Rat) *big.Rat { return new(big.Rat).Abs(a) },
	term.Sign: func(a, _ *big.Rat) *big.Rat { return integer(a.Sign()) },
	term.Max:  larger,
	term.Same: func(a, b *big.Rat) *big.Rat { return indicator(a.Cmp(b) == 0) },
	term.Min: func(a, b *big.Rat) *big.Rat {
		if a.Cmp(b) <= 0 {
			return a
		}
		return b
	},

	term.DDiv1: func(_, b *big.Rat) *big.Rat { return quotient(integer(1), b) },
	term.DDiv2: func(a, b *big.Rat) *big.Rat {
		return quotient(new(big.Rat).Neg(a), new(big.Rat).Mul(b, b))
	},
	term.DRelu: func(a, _ *big.Rat) *big.Rat { return indicator(a.Sign() > 0) },
	term.DAbs:  func(a, _ *big.Rat) *big.Rat { return integer(a.Sign()) },
	term.DMin1: func(a, b *big.Rat) *big.Rat { return indicator(a.Cmp(b) <= 0) },
	term.DMin2: func(a, b *big.Rat) *big.Rat { return indicator(b.Cmp(a) < 0) },
	term.DMax1: func(a, b *big.Rat) *big.Rat { return indicator(a.Cmp(b) >= 0) },
	term.DMax2: func(a, b *big.Rat) *big.Rat { return indicator(b.Cmp(a) > 0) },
}

// Dual is a number with its tangent.
type Dual struct {
	V, T    float64
	depends bool // on an input whose tangent isn't 0; T is 0 for others
}

// duals interpret R as the dual numbers.
type duals struct{}

func (duals) Of(r float64) Number { return Dual{V: r} }

func (duals) Add(a, b Number) Number {
	x, y := a.(Dual), b.(Dual)
	return Dual{x.V + y.V, x.T + y.T, x.depends || y.depends}
}

func (duals) Holds(c term.Compare, a, b Number) bool { return c.Holds(a.(Dual).V, b.(Dual).V) }

func (duals) Float(a Number) float64 { return a.(Dual).V }

// Apply is f on dual numbers: ⟨f(s), Σ ∂i f(s)·ti⟩, equation (eq:FwdGrad).
func (duals) Apply(f term.Symbol, args ...Number) (Number, error) {
	at := make([]float64, len(args))
	for i, x := range args {
		at[i] = x.(Dual).V
	}
	out := Dual{V: f.Eval(at...)}
	for i, p := range f.Info().Partials {
		x := args[i].(Dual)
		if !x.depends {
			continue
		}
		out.depends = true
		out.T += p.At(at...) * x.T
	}
	return out, nil
}

// Eval evaluates t, whose free variables are inputs, at a point with tangents. The
// result, which has a type built of R, products and vectors, is flat. What doesn't
// depend on an input whose tangent isn't 0 has the tangent 0, whatever the slopes are.
func Eval(t *term.Term, inputs []term.Var, point []Dual) []Dual {
	var env *Env
	for i, x := range inputs {
		d := point[i]
		d.depends = d.T != 0
		env = env.With(x, d)
	}
	v, err := Model{Ground: duals{}}.Denote(t).At(env)
	if err != nil {
		panic(err) // every symbol has a value at every dual number
	}
	var out []Dual
	for _, d := range Flatten(v) {
		out = append(out, d.(Dual))
	}
	return out
}

// Jacobian returns the value of t at the point and, row by row, the partial derivatives of each output by each input,
// by forward mode: one evaluation for each input.
func Jacobian(t *term.Term, inputs []term.Var, point []float64) (values, jacobian []float64) {
	duals := make([]Dual, len(point))
	for i, x := range point {
		duals[i].V = x
	}
	for _, d := range Eval(t, inputs, duals) {
		values = append(values, d.V)
	}
	jacobian = make([]float64, len(values)*len(point))
	for j := range point {
		duals[j].T = 1
		for i, d := range Eval(t, inputs, duals) {
			jacobian[i*len(point)+j] = d.T
		}
		duals[j].T = 0
	}
	return values, jacobian
}

// step is the relative step of a central difference: ε^{1/3} balances the error of
// the formula, O(h²), against that of rounding, O(ε/h).
var step = math.Cbrt(0x1p-52)

// Differences returns, row by row, the central differences of each output of t by
// each input at the point, with step ε^{1/3}·max(1,|x|).
func Differences(t *term.Term, inputs []term.Var, point []float64) []float64 {
	at := make([]Dual, len(point))
	for i, x := range point {
		at[i].V = x
	}
	outputs := len(Eval(t, inputs, at))
	out := make([]float64, outputs*len(point))
	for j, x := range point {
		h := step * math.Max(1, math.Abs(x))
		at[j].V = x + h
		up := Eval(t, inputs, at)
		at[j].V = x - h
		down := Eval(t, inputs, at)
		at[j].V = x
		for i := range up {
			out[i*len(point)+j] = (up[i].V - down[i].V) / ((x + h) - (x - h))
		}
	}
	return out
}
