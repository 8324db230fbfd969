package denote

import (
	"fmt"
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
