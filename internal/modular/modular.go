// Package modular is the strategy of sections 6.2 and 7 in which the λs of D(t) are normalised
// once, each alone, before anything copies them. A cache keeps their normal forms.
//
// # Normal forms
//
// [Normal] computes normal forms of terms, under λ too, and counts the rewrites. The strategy is that of package
// machine with symbolic inputs: weak, by value, (3) and (4) for values, (10) for pairs with an inert component that are
// bound, and the steps of a dual in one pass in which (11) adds what arrives at a variable. When no redex is left, it
// goes on under each λ that the result has, the dual λs among them. The variable of a λ is inert, as an input is. Going
// under a λ is no step.
//
// What has no value and is of the type of a tuple stands for the tuple of its components, as an input does. It is
// opened once; this is no step. So the applications of the dual of a variable meet by (11).
//
// A λ that several places of the result have is normalised once, and a let binds it. The rewriter would have
// copied it by (3), which counts, and would have normalised each copy.
package modular

import (
	"errors"
	"math"
	"sort"
	"strconv"
	"unsafe"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// BudgetFactor is c in the budget c·|D(L)| of steps within which the reverse image of a λ is normalised.
const BudgetFactor = 64

// Report says what was done before a program runs.
type Report struct {
	Lambdas int    `json:"lambdas"` // that were normalised
	Kept    int    `json:"kept"`    // that stayed as they were: their budget was used up
	Budget  int    `json:"budget"`  // c: a λ has c·|D(λ)| steps
	Steps   uint64 `json:"steps"`   // taken; they are among the steps of the cost
}

// Program is D(t) with its λs normalised, at a point if t branches, and what that cost.
type Program struct {
	Code   *compile.Program
	Size   int64 // |D(t)|
	Report Report
	Reuse  Reuse
	Counts rule.Counts // of the steps before the run
}

// normalForm is what is made of a closed λ, in isolation: its inputs are the variables from 1 on. It is not modified.
type normalForm struct {
	// t is the normal form of D(λ), or, if that took too many steps, D(λ) under lets of the λs that it names.
	t       *term.Term
	used    selection // what of the λ's tables t's numbers stand for
	kept    bool
	image   int64 // |D(λ)|, without those
	symbols int64 // |t|
	counts  rule.Counts
}

// Env is what the work is done with.
type Env struct {
	Meter *limits.Meter
	Cache *Cache
	// Samples, if not nil, is given the samples of a profile. Then nothing is taken from the cache.
	Samples func(calls.Sample)
	// Locate words an error of a phase, whose place is one of the program.
	Locate func(err error, phase string) error
}

// Compile makes the program in which the closed λs of D(t) are normalised: the outermost ones
// whose free variables are inputs or names of such λs. Lists, numerals and data stay folded. A λ
// that takes more steps than its budget stays as it was. D of the rest of t is made around them:
// D(t) has the closed λs that t has. D must be defined for t, the term of src, whose scalar
// inputs are at the point, and outputs is k for a body of type R^k, 0 for one of type R.
func (e *Env) Compile(src *lang.Program, inputs []term.Var, outputs int, point []float64) (*Program, error) {
	e.Meter.Begin("compile")
	t := src.Term()
	check := e.Meter.During("compile")
	m := &Program{Report: Report{Budget: BudgetFactor}}
	c := newCloser(t, inputs, point, check)
	given := map[term.Ref]func(*term.Term) (term.Ref, error){}
	var replaced, image int64 // symbols of the given terms, and of what they stand for
	lambdas, err := t.ClosedLambdas(inputs, check)
	if err != nil {
		return nil, e.Locate(err, "normalising")
	}
	for _, at := range lambdas {
		l, err := c.lambda(at)
		if err != nil {
			return nil, e.Locate(err, "normalising")
		}
		if err := e.normalise(l, point, &m.Reuse); err != nil {
			return nil, err
		}
		n := l.normal
		m.Counts.AddTimes(&n.counts, 1)
		m.Report.Steps += n.counts.Total()
		if n.kept {
			m.Report.Kept++
			continue
		}
		m.Report.Lambdas++
		replaced, image = replaced+n.symbols, image+n.image
		given[l.at] = func(d *term.Term) (term.Ref, error) { // D of the program, whose variables keep their numbers
			return d.Import(n.t, term.Import{
				Look: check,
				Free: func(x term.Var) term.Var { return inputs[l.inputs[x-1]] },
				Data: func(i int) int { return l.data[i] },
				Pos:  l.place,
				Name: func(s string) string { return numbered(s, func(i int) string { return l.labels[i-1] }) },
			})
		}
	}
	e.Meter.Begin("compile")
	d, err := revgrad.ReverseAround(t, given, check)
	if err != nil {
		return nil, e.Locate(err, "differentiating")
	}
	if m.Size, err = d.Symbols(check); err != nil {
		return nil, e.Locate(err, "compiling")
	}
	if m.Size < math.MaxInt64 { // where sizes saturate
		m.Size += image - replaced
	}
	m.Reuse.Rebuilt = m.Size - m.Reuse.Reused
	m.Code, err = compile.NewGradient(d, inputs, outputs, check)
	return m, e.Locate(err, "compiling")
}

// normalise finds the normal form of a λ in the cache, or makes it.
func (e *Env) normalise(l *closedLambda, point []float64, r *Reuse) error {
	var n *normalForm
	if e.Samples == nil {
		n = e.Cache.get(l.key)
	}
	if n != nil {
		r.Hits++
		if !n.kept { // D of one that was kept is made with that of the rest
			r.Reused += n.image
		}
	} else {
		r.Misses++
		var err error
		if n, err = e.makeNormal(l, point); err != nil {
			return err
		}
		e.Cache.put(l.key, n)
	}
	l.settle(n)
	return nil
}

// makeNormal makes the normal form of a λ, in isolation: so it depends on nothing that the key leaves out.
func (e *Env) makeNormal(l *closedLambda, point []float64) (*normalForm, error) {
	check := e.Meter.During("compile")
	d, err := revgrad.Reverse(l.alone, check)
	if err != nil {
		return nil, e.Locate(relocate(err, l.place), "differentiating")
	}
	out := &normalForm{}
	if out.image, err = d.Symbols(check); err != nil {
		return nil, e.Locate(err, "normalising")
	}
	if err := l.bindNames(d, check); err != nil {
		return nil, e.Locate(err, "normalising")
	}
	whole, err := d.Symbols(check)
	if err != nil {
		return nil, e.Locate(err, "normalising")
	}
	n, counts, err := e.normalForm(d, l.vars, pick(point, l.inputs), l.place,
		Options{Limits: limits.Bounds{MaxSteps: uint64(BudgetFactor * whole)}})
	var limit *limits.ReachedError
	if errors.As(err, &limit) && limit.Limit == "steps" {
		n, out.kept, err = d, true, nil
	}
	if err != nil {
		return nil, e.Locate(relocate(err, l.place), "normalising")
	}
	out.counts = counts
	if out.t, out.used, err = compact(n, l.vars, check); err == nil {
		out.symbols, err = out.t.Symbols(check)
	}
	return out, e.Locate(err, "normalising")
}

// Normal returns the normal form of d, an image of D whose inputs have these values. Lists are applied, and recursive
// functions unfolded. The limits are those of steps and nodes, 0 for none.
func (e *Env) Normal(d *term.Term, inputs []term.Var, point []float64, maxSteps, maxNodes uint64) (*term.Term, error) {
	n, _, err := e.normalForm(d, inputs, point, nil, Options{Unfold: true,
		Limits: limits.Bounds{MaxSteps: maxSteps, MaxNodes: maxNodes}})
	return n, e.Locate(err, "normalising")
}

// normalForm normalises, and returns the steps, also if a limit has ended it. place, if not nil, returns the program's
// place for one of d.
func (e *Env) normalForm(d *term.Term, inputs []term.Var, point []float64, place func(term.Pos) term.Pos,
	opt Options) (*term.Term, rule.Counts, error) {
	e.Meter.Begin("normalise")
	opt.Limits.Look = e.Meter.During("normalise")
	samples := map[calls.Frame]*rule.Counts{}
	var order []calls.Frame
	if e.Samples != nil {
		opt.Step = func(by rule.Rule, n uint64, in, at term.Pos) {
			f := calls.Frame{Func: in, At: at}
			if samples[f] == nil {
				samples[f] = &rule.Counts{}
				order = append(order, f)
			}
			samples[f][by] += n
		}
	}
	n, counts, err := Normal(d, inputs, point, opt)
	for _, f := range order {
		s := calls.Sample{Input: -1, Phase: calls.Normalise, Origin: calls.NormalCode, Counts: *samples[f]}
		if place != nil {
			f = calls.Frame{Func: place(f.Func), At: place(f.At)}
		}
		if s.Stack = []calls.Frame{f}; f.Func != 0 {
			s.Stack = append(s.Stack, calls.Frame{At: f.Func})
		}
		e.Samples(s)
	}
	return n, counts, err
}

// relocate moves the place of an error that a stage has just made.
func relocate(err error, place func(term.Pos) term.Pos) error {
	var stopped *limits.ReachedError
	var undefined *revgrad.UndefinedError
	switch {
	case errors.As(err, &stopped):
		stopped.Pos = place(stopped.Pos)
	case errors.As(err, &undefined):
		undefined.Pos = place(undefined.Pos)
	}
	return err
}

// bindNames puts d, D of the λ in isolation, under lets of the λs that it names. Their
// tables stand behind the λ's own. The error is that of a look.
func (l *closedLambda) bindNames(d *term.Term, look func() error) error {
	for _, m := range l.free {
		n := m.lambda
		if n == nil {
			continue
		}
		u, err := d.Import(n.normal.t, term.Import{
			Look: look,
			Free: func(x term.Var) term.Var { return l.vars[l.rank(n.inputs[x-1])] },
			Data: func(k int) int { return m.data + k },
			Pos:  func(p term.Pos) term.Pos { return p + term.Pos(m.places) },
			Name: func(s string) string {
				return numbered(s, func(k int) string { return strconv.Itoa(m.labels + k) })
			},
		})
		if err != nil {
			return err
		}
		d.Root = d.Let(0, m.x, u, d.Root)
	}
	return nil
}

// compact returns t in an arena that holds nothing else, over a universe of its own, and
// without the elements of data lists. Its inputs are the variables from 1 on; its numbers
// are those of the entries that it uses of the λ's tables. The error is that of a look.
func compact(t *term.Term, inputs []term.Var, look func() error) (out *term.Term, used selection, err error) {
	out = term.New(term.NewTypes())
	number := map[term.Var]term.Var{}
	rank := map[term.Var]int{}
	for i, x := range inputs {
		rank[x] = i
	}
	free, err := t.Free(look)
	if err != nil {
		return nil, used, err
	}
	sort.Slice(free, func(i, j int) bool { return rank[free[i]] < rank[free[j]] })
	for _, x := range free {
		used.inputs = append(used.inputs, rank[x])
		number[x] = out.NewVar(term.VarInfo{Type: out.Types.Reverse(term.R)})
	}
	places, labels := numbering(&used.places), numbering(&used.labels)
	out.Root, err = out.Import(t, term.Import{
		Look: look,
		Free: func(x term.Var) term.Var { return number[x] },
		Data: numbering(&used.data),
		Pos:  func(p term.Pos) term.Pos { return term.Pos(places(int(p-1)) + 1) },
		Name: func(s string) string {
			return numbered(s, func(k int) string { return strconv.Itoa(labels(k-1) + 1) })
		},
	})
	for _, i := range used.data {
		d := t.Data[i]
		d.Name = ""
		if d.List {
			d.Values = nil
		}
		out.Data = append(out.Data, d)
	}
	return out, used, err
}

// numbering returns a function that numbers what it is given, from 0 on, as it is met; the
// list says what has each number.
func numbering(list *[]int) func(int) int {
	numbers := map[int]int{}
	return func(k int) int {
		n, ok := numbers[k]
		if !ok {
			n = len(*list)
			numbers[k] = n
			*list = append(*list, k)
		}
		return n
	}
}

// bytes is about what the normal form takes in memory.
func (n *normalForm) bytes() int64 {
	ints := cap(n.used.inputs) + cap(n.used.data) + cap(n.used.places) + cap(n.used.labels)
	return int64(unsafe.Sizeof(*n)) + n.t.Bytes() + int64(ints)*int64(unsafe.Sizeof(0))
}
