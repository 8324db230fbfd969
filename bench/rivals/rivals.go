// Package rivals computes gradients as other calculi do, and counts the steps on the meter of the machine: CHAD, as it
// was published and in its efficient form, and dual numbers with backpropagators, without staging, staged in a map or
// in an array, and with a trace.
//
// # Programs
//
// A term is read as a program of a small language: the calculus without literals. Lists, data and numerals are
// the λ-terms that they stand for. Each rival is a transformation from this language to itself with added primitives;
// [Rival.Gradient] transforms a term, evaluates the result at a point, and reads the gradient.
//
// # Steps
//
// An evaluator of its own makes the steps, by value, on environments. page.md has the model: which rules count where,
// and which words an added primitive touches, one step each ([Words]).
//
// Transformations and the evaluator recurse in Go: programs and evaluations that nest too deep end with a
// [*LimitError].
package rivals

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"slices"

	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// Rival is a way to compute gradients that is measured beside the calculus.
type Rival struct {
	Name  string `json:"name"` // unique
	Title string `json:"title"`
	Paper string `json:"paper"` // whose it is
	Text  string `json:"pays"`  // what it pays for sums, in a sentence
	calculus
}

// calculus is how a rival computes.
type calculus struct {
	transform func(c *code, inputs []*variable) *code
	// start is the value of an input, the number r. inputs are Γ.
	start func(m *machine, r float64, input *variable, inputs *gamma) value
	// read is the value and the gradient, from the value of the transformed program. d is the number of inputs.
	read func(m *machine, v value, d int) (float64, []float64)
}

// efficient is the name of the efficient form of CHAD.
const efficient = "chad-efficient"

// described has the rivals with their names and what people are told of them.
//
//go:embed rivals.json
var described []byte

// calculi are by the names of the rivals.
var calculi = map[string]calculus{
	"chad":    byChad(false),
	efficient: byChad(true),
	"dual": byDual(unstaged, func(m *machine, v value, d int) []float64 {
		return gradientTuple(m.apply(v, 1.0), d)
	}),
	"dual-map": byDual(staged, resolved(func(m *machine) calls { return &tree{touched: &m.cost.Words.Map} })),
	"dual-array": byDual(staged, resolved(func(m *machine) calls {
		return newArray(m.idents, &m.cost.Words.Array)
	})),
	"trace": byDual(recorded, func(m *machine, v value, d int) []float64 {
		seed, ok := v.(ident)
		if !ok {
			seed = noIdent
		}
		return m.replay(seed, d)
	}),
}

// All returns the rivals.
func All() (all []*Rival) {
	if err := json.Unmarshal(described, &all); err != nil {
		panic(err) // the file is wrong
	}
	for _, r := range all {
		r.calculus = calculi[r.Name]
	}
	return all
}

// resolved reads a gradient by resolving the calls that the output's makes.
func resolved(begin func(m *machine) calls) func(m *machine, v value, d int) []float64 {
	return func(m *machine, v value, d int) []float64 {
		m.calls = begin(m)
		m.callWith(v.(*pair), 1)
		return m.resolve(d)
	}
}

// byDual is the calculus of dual numbers. row is the gradient of an output whose linear map is v.
func byDual(s style, row func(m *machine, v value, d int) []float64) calculus {
	return calculus{
		transform: func(c *code, _ []*variable) *code { return s.dual(c) },
		start: func(m *machine, r float64, input *variable, inputs *gamma) value {
			a, calls := linear("a"), linear("s")
			switch s {
			case unstaged:
				inject := (&chad{gamma: inputs}).tuple(input, use(a))
				return &pair{r, m.eval(link(lam(a, inject), nil).kids[0], &frame{})}
			case staged:
				return &pair{r, &pair{m.fresh(), m.eval(link(lam(a, lam(calls, use(calls))), nil).kids[0], &frame{})}}
			}
			return &pair{r, m.fresh()}
		},
		read: func(m *machine, v value, d int) (float64, []float64) {
			p := v.(*pair)
			return p.left.(float64), row(m, p.right, d)
		}}
}

// byChad is CHAD.
func byChad(cells bool) calculus {
	return calculus{
		transform: func(c *code, inputs []*variable) *code { return transform(cells, c, inputs) },
		start:     func(_ *machine, r float64, _ *variable, _ *gamma) value { return r },
		read: func(m *machine, v value, d int) (float64, []float64) {
			p := v.(*pair)
			if !cells {
				return p.left.(float64), gradientTuple(m.apply(p.right, 1.0), d)
			}
			m.cells = make([]value, d)
			m.cost.Words.Cells += 2 * uint64(d)
			m.apply(p.right, 1.0)
			out := make([]float64, d)
			for i, v := range m.cells {
				out[i], _ = v.(float64)
			}
			return p.left.(float64), out
		}}
}

// gradientTuple reads a cotangent ⟨⟨0,x̄1⟩,…,x̄d⟩ of the inputs.
func gradientTuple(v value, d int) []float64 {
	out := make([]float64, d)
	for i := range slices.Backward(out) {
		left, right := halves(v)
		out[i], _ = right.(float64)
		v = left
	}
	return out
}

// halves are the parts of a pair, and 0 those of 0.
func halves(v value) (left, right value) {
	if p, ok := v.(*pair); ok {
		return p.left, p.right
	}
	return nil, nil
}

// Result is a gradient.
type Result struct {
	Value    float64
	Gradient []float64
	Cost     Cost
}

// Gradient evaluates the transformed term, of type R, at a point: the value of t and its derivatives by each of the
// inputs, in at most so many steps if that is not 0. The error is a [*LimitError], that of typing, or a
// [*revgrad.UndefinedError].
func (r *Rival) Gradient(ctx context.Context, t *term.Term, inputs []term.Var, point []float64,
	maxSteps uint64) (res *Result, err error) {
	if err := revgrad.Undefined(t, nil); err != nil {
		return nil, err
	}
	if typ, err := t.Check(); err != nil {
		return nil, err
	} else if typ != term.R {
		return nil, errors.New("rivals: the type of a program is R")
	}
	defer func() {
		if p := recover(); p != nil {
			limit, ok := p.(*LimitError)
			if !ok {
				panic(p)
			}
			res, err = nil, limit
		}
	}()
	c, vars := read(t, inputs)
	program := link(r.transform(c, vars), vars)
	m := &machine{ctx: ctx, limit: maxSteps}
	f := &frame{slots: make([]value, program.frame)}
	var scope *gamma
	for _, x := range vars {
		scope = &gamma{scope, x}
	}
	for i, x := range vars {
		m.bind(x, r.start(m, point[i], x, scope), f)
	}
	v := m.eval(program.kids[0], f)
	res = &Result{}
	res.Value, res.Gradient = r.read(m, v, len(vars))
	m.check()
	res.Cost = m.cost
	return res, nil
}
