package rivals

import (
	"context"
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

	transform func(c *code, inputs []*variable) *code
	// start is the value of an input, the number r. inputs are Γ.
	start func(m *machine, r float64, input *variable, inputs *gamma) value
	// read is the value and the gradient, from the value of the transformed program. d is the number of inputs.
	read func(m *machine, v value, d int) (float64, []float64)
}

// efficient is the name of the efficient form of CHAD.
const efficient = "chad-efficient"

// All returns the rivals.
func All() []*Rival {
	const (
		chadPaper      = "Vákár and Smeding, CHAD: Combinatory Homomorphic Automatic Differentiation, TOPLAS 2022"
		efficientPaper = "Smeding and Vákár, Efficient CHAD, POPL 2024"
		dualPaper      = "Smeding and Vákár, Efficient Dual-Numbers Reverse AD via Well-Known Program Transformations, " +
			"POPL 2023"
		tracePaper = "Krawiec, Peyton Jones, Krishnaswami, Ellis, Eisenberg, Fitzgibbon, Provably Correct, " +
			"Asymptotically Efficient, Higher-Order Reverse-Mode Automatic Differentiation, POPL 2022"
	)
	return []*Rival{
		newChad("chad", "CHAD", chadPaper, "a tuple over all variables in scope for each subterm, and a λ evaluated again "+
			"for each of its calls", false),
		newChad(efficient, "CHAD, efficient", efficientPaper,
			"a cell for each variable in scope, and for each call of a function one for each variable that it captures", true),
		newDual("dual", "dual numbers", dualPaper+", before staging",
			"a backpropagator called once for each path to it, and a tuple of all inputs for each sum",
			unstaged, func(m *machine, v value, d int) []float64 {
				return gradientTuple(m.apply(v, 1.0), d)
			}),
		newDual("dual-map", "dual numbers, map", dualPaper+", with a map",
			"a path in a balanced tree of the calls that wait, for each call",
			staged, func(m *machine, v value, d int) []float64 {
				m.calls = &tree{touched: &m.cost.Words.Map}
				m.callWith(v.(*pair), 1)
				return m.resolve(d)
			}),
		newDual("dual-array", "dual numbers, array", dualPaper+", with arrays",
			"two components of an array for each identifier, and for each call",
			staged, func(m *machine, v value, d int) []float64 {
				m.calls = newArray(m.idents, &m.cost.Words.Array)
				m.callWith(v.(*pair), 1)
				return m.resolve(d)
			}),
		newDual("trace", "dual numbers, trace", tracePaper,
			"an entry of the trace for each operation, of a word for each operand and slope",
			recorded, func(m *machine, v value, d int) []float64 {
				seed, ok := v.(ident)
				if !ok {
					seed = noIdent
				}
				return m.replay(seed, d)
			}),
	}
}

// newDual is a rival by dual numbers. row is the gradient of an output whose linear map is v.
func newDual(name, title, paper, text string, s style, row func(m *machine, v value, d int) []float64) *Rival {
	return &Rival{Name: name, Title: title, Paper: paper, Text: text,
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

// newChad is a rival by CHAD.
func newChad(name, title, paper, text string, cells bool) *Rival {
	return &Rival{Name: name, Title: title, Paper: paper, Text: text,
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
		m.bind(x, program.slots[i], r.start(m, point[i], x, scope), f)
	}
	v := m.eval(program.kids[0], f)
	res = &Result{}
	res.Value, res.Gradient = r.read(m, v, len(vars))
	m.check()
	res.Cost = m.cost
	return res, nil
}
