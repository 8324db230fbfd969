package denote

import (
	"math"

	"github.com/gram-machine/gram/term"
)

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
