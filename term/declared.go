package term

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Declared symbols are those that a program declares. They stand behind the table, for all programs of the process:
// equal declarations are one symbol, and a symbol stays. So a term and what is compiled from it need no table of their
// own.
var declared struct {
	sync.Mutex
	known map[string]Symbol
	infos atomic.Pointer[[]*SymbolInfo] // of the symbols from numSymbols on; replaced, not modified
}

// ErrSymbols tells that the process has declared as many different symbols as there can be.
var ErrSymbols = errors.New("too many function symbols have been declared")

// Declare returns the symbol f with f(x1,…,xk) = value and ∂i f(x1,…,xk) = partials[i], where k is the number of
// partials. The symbols from [Symbol.Slope] on are its partial derivatives. In a derivative ∂i f is a symbol of its own
// unless it is a numeral or a variable.
func Declare(name string, value Partial, partials []Partial) (Symbol, error) {
	key := binary.AppendUvarint(nil, uint64(len(name)))
	key = append(key, name...)
	for _, p := range append([]Partial{value}, partials...) {
		key = p.encode(key)
	}
	declared.Lock()
	defer declared.Unlock()
	if s, ok := declared.known[string(key)]; ok {
		return s, nil
	}
	var infos []*SymbolInfo
	if old := declared.infos.Load(); old != nil {
		infos = *old
	}
	if int(numSymbols)+len(infos)+1+len(partials) > math.MaxUint16 {
		return NoSymbol, ErrSymbols
	}
	s := numSymbols + Symbol(len(infos))
	f := &SymbolInfo{Name: name, source: name, LaTeX: `\mathrm{` + strings.ReplaceAll(name, "_", `\_`) + "}", Body: &value}
	all := append(infos[:len(infos):len(infos)], f)
	for i, p := range partials {
		slope := &SymbolInfo{Name: "∂" + strconv.Itoa(i+1) + " " + name, source: SlopeName(name, i, len(partials)),
			LaTeX: `\partial_{` + strconv.Itoa(i+1) + "}" + f.LaTeX, Body: &p, Base: s}
		for j := range partials {
			slope.Partials = append(slope.Partials, p.derivative(j))
		}
		of := p
		if p.Kind == PartialFun {
			of = Partial{Kind: PartialFun, Fun: s.Slope(i)}
		}
		f.Partials = append(f.Partials, of)
		all = append(all, slope)
	}
	for _, info := range all[len(infos):] {
		info.Arity, info.Slopes = len(partials), info.Partials
		info.compile()
	}
	declared.infos.Store(&all)
	if declared.known == nil {
		declared.known = map[string]Symbol{}
	}
	declared.known[string(key)] = s
	return s, nil
}

// SlopeName is the name, in the language, of ∂i f for a symbol f of k arguments; i starts at 0.
func SlopeName(f string, i, k int) string {
	if k == 1 {
		return f + "'"
	}
	return f + "'" + strconv.Itoa(i+1)
}

// Declared reports whether a program has declared s, or the symbol of which s is a partial derivative.
func (s Symbol) Declared() bool { return s >= numSymbols }

// Slope returns the symbol ∂i s of a declared symbol s; i starts at 0.
func (s Symbol) Slope(i int) Symbol { return s + 1 + Symbol(i) }

//go:noinline
func declaredInfo(s Symbol) *SymbolInfo { return (*declared.infos.Load())[s-numSymbols] }

// encode appends p as bytes that those of no other expression begin with.
func (p *Partial) encode(out []byte) []byte {
	out = append(out, byte(p.Kind))
	switch p.Kind {
	case PartialConst:
		return binary.LittleEndian.AppendUint64(out, math.Float64bits(p.Const))
	case PartialVar:
		return binary.AppendUvarint(out, uint64(p.Var))
	}
	out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(len(p.Args))), uint64(p.Fun))
	for i := range p.Args {
		out = p.Args[i].encode(out)
	}
	return out
}

// derivative is ∂j of p, an expression of a declared symbol. What is 0 or 1 by structure is left out.
func (p *Partial) derivative(j int) Partial {
	switch p.Kind {
	case PartialConst:
		return constant(0)
	case PartialVar:
		if p.Var == j {
			return constant(1)
		}
		return constant(0)
	}
	sum := constant(0)
	for i := range p.Args {
		slope := constant(1)
		if p.Fun != NoSymbol {
			slope = Interpret(&p.Fun.Info().Partials[i], len(p.Args), constant, func(i int) Partial { return p.Args[i] }, apply)
		}
		summand := p.Args[i].derivative(j)
		switch one := constant(1); {
		case slope.Zero() || summand.Zero():
			continue
		case summand.equal(one):
			summand = slope
		case !slope.equal(one):
			summand = times(slope, summand)
		}
		if !sum.Zero() {
			summand = apply(NoSymbol, sum, summand)
		}
		sum = summand
	}
	return sum
}

func (p *Partial) equal(q Partial) bool {
	return p.Kind == PartialConst && q.Kind == PartialConst && p.Const == q.Const
}

// An operation of the code of an expression: a symbol, + if it is NoSymbol, of the registers a and b.
type operation struct {
	f    Symbol
	a, b int
}

// straight is the code of an expression. The registers are x1,…,xk, the numerals, and the values of the operations; the
// last one of these, or else result, is that of the expression.
type straight struct {
	numerals   []float64
	operations []operation
	result     int
}

// code compiles an expression of k variables. What is equal in it is computed once. A symbol of three arguments or more
// is replaced by its expression.
func (p *Partial) code(k int) *straight {
	c := &straight{}
	registers := map[uint64]int{}
	expand(p, make([]int, k), func(r float64) int {
		if bits := math.Float64bits(r); registers[bits] == 0 {
			registers[bits] = k + len(c.numerals) + 1 // not 0
			c.numerals = append(c.numerals, r)
		}
		return 0
	}, func(Symbol, int, int) int { return 0 })
	known := map[operation]int{}
	args := make([]int, k)
	for i := range args {
		args[i] = i
	}
	c.result = expand(p, args, func(r float64) int { return registers[math.Float64bits(r)] - 1 },
		func(f Symbol, a, b int) int {
			o := operation{f, a, b}
			d, ok := known[o]
			if !ok {
				d = k + len(c.numerals) + len(c.operations)
				c.operations = append(c.operations, o)
				known[o] = d
			}
			return d
		})
	return c
}

// expand is [Interpret] with the symbols of three arguments or more replaced by their expressions. b is a where f has
// one argument.
func expand[T any](p *Partial, args []T, number func(r float64) T, apply func(f Symbol, a, b T) T) T {
	return Interpret(p, len(args), number, func(i int) T { return args[i] }, func(f Symbol, x ...T) T {
		if len(x) > 2 {
			return expand(f.Info().Body, x, number, apply)
		}
		return apply(f, x[0], x[len(x)-1])
	})
}

// Operations returns what the declared symbol f of args stands for: number says what a numeral stands for, and apply
// what an operation does, which is a symbol of one argument or two, or + if it is [NoSymbol]. Of one argument, b is a.
// What is equal is computed once.
func Operations[T any](f Symbol, args []T, number func(r float64) T, apply func(f Symbol, a, b T) T) T {
	c := f.Info().code
	regs := append(make([]T, 0, len(args)+len(c.numerals)+len(c.operations)), args...)
	for _, r := range c.numerals {
		regs = append(regs, number(r))
	}
	for _, o := range c.operations {
		regs = append(regs, apply(o.f, regs[o.a], regs[o.b]))
	}
	return regs[c.result]
}

// stackRegisters is how many registers an evaluation has without allocating memory.
const stackRegisters = 24

// run computes the value at x1,…,xk. It calls visit, if that is not nil, with each operation, its value and its
// operands.
func (c *straight) run(visit func(f Symbol, value float64, x ...float64), x ...float64) float64 {
	var room [stackRegisters]float64
	regs := append(append(room[:0], x...), c.numerals...)
	for _, o := range c.operations {
		a, b := regs[o.a], regs[o.b]
		var v float64
		switch o.f {
		case NoSymbol:
			v = a + b
		case Mul:
			v = a * b
		default:
			if f := o.f.Info(); f.Arity == 1 {
				v = f.Eval1(a)
			} else {
				v = f.Eval2(a, b)
			}
		}
		regs = append(regs, v)
		if visit != nil {
			visit(o.f, v, a, b)
		}
	}
	return regs[c.result]
}

// compile makes what evaluates a declared symbol.
func (f *SymbolInfo) compile() {
	f.code = f.Body.code(f.Arity)
	switch f.Arity {
	case 1:
		f.Eval1 = func(x float64) float64 { return f.code.run(nil, x) }
	case 2:
		f.Eval2 = func(x, y float64) float64 { return f.code.run(nil, x, y) }
	}
}

// kink reports whether an operation of the body of f is at a kink.
func (f *SymbolInfo) kink(x []float64) bool {
	found := false
	f.code.run(func(g Symbol, _ float64, x ...float64) { found = found || g.Kink(x...) }, x...)
	return found
}

// Largest returns the largest of the absolute values that are computed on the way to f(x1,…,xk), for a declared symbol
// f.
func (f *SymbolInfo) Largest(x ...float64) float64 {
	largest := 0.0
	f.code.run(func(g Symbol, value float64, x ...float64) {
		largest = max(largest, math.Abs(value))
		if g.Declared() {
			largest = max(largest, g.Info().Largest(x[:g.Info().Arity]...))
		}
	}, x...)
	return largest
}
