package span

import (
	"cmp"
	"container/heap"

	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// value is a value, or the constructor of one, with the time at which it exists.
type value struct {
	at  uint64
	num float64
	of  any // nil of a number; *pair, *constructed, *closure, *fixed, *list, *applied, *dual, *sum or zero
}

// pair is ⟨a,b⟩. Its components have times of their own.
type pair struct {
	a, b  value
	ready uint64 // the time at which both are values
	sums  bool   // a component is or has a sum that has not been run
}

// constructed is C v or, if arg is nil, C. C has a number.
type constructed struct {
	con uint64
	arg *value
}

// fixed is a member of fix ⟨f,…⟩.⟨v,…⟩.
type fixed struct {
	node   term.Ref
	frame  *frame
	member uint64
}

// zero is 0⃗, and null λa.0⃗, which has no name.
type (
	zero struct{}
	null struct{}
)

// frame has the values of the variables that the body of a λ binds, and its parameter, or the functions that a fix
// binds. The body of the λ around it has its own.
type frame struct {
	outer *frame
	vals  []value
}

// closure is λx.t.
type closure struct {
	node  term.Ref
	frame *frame
}

// list is a list literal, data, or a numeral.
type list struct {
	n     uint64
	node  term.Ref
	frame *frame
}

// applied is a list or numeral that has been applied to f.
type applied struct {
	list *list
	f    value
}

// dual is a name that is bound to a dual λ, or a free dual variable, whose closure has no node.
type dual struct {
	closure
	order uint64 // of the duals, in which they have been made
	at    uint64 // the time at which the λ exists
	null  bool   // it is a variable that was bound to λa.0⃗
	due   *arrivals
}

// arrivals are the applications of a dual in one sum that is run, or in more of them, one inside the other.
type arrivals struct {
	in    *job
	chain application   // their sum so far
	tree  []application // or all, where they are added in a tree
	outer *arrivals
}

// application is x t, for a dual x.
type application struct {
	at  uint64
	arg value
}

// sum is a sum with applications of duals, which has not been run.
type sum struct{ summands []summand }

// summand is the application of a dual, or a value.
type summand struct {
	dual *dual // or nil
	application
}

// ready returns the time at which all of v is a value.
func (v value) ready() uint64 {
	switch x := v.of.(type) {
	case *pair:
		return max(v.at, x.ready)
	case *constructed:
		if x.arg != nil {
			return max(v.at, x.arg.ready())
		}
	}
	return v.at
}

// after returns v as it is found at a time: not before it.
func (v value) after(at uint64) value {
	v.at = max(v.at, at)
	return v
}

func newPair(at uint64, a, b value) value {
	return value{at: at, of: &pair{a: a, b: b, ready: max(a.ready(), b.ready()), sums: a.hasSum() || b.hasSum()}}
}

// hasSum reports whether v is or has a sum that has not been run.
func (v value) hasSum() bool {
	switch x := v.of.(type) {
	case *sum:
		return true
	case *pair:
		return x.sums
	}
	return false
}

// summands returns v as the summands of a sum.
func (v value) summands() []summand {
	if s, ok := v.of.(*sum); ok {
		return s.summands
	}
	return []summand{{application: application{at: v.at, arg: v}}}
}

// queue is a heap of the duals at which something has arrived, the newest first.
type queue []*dual

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return cmp.Less(q[j].order, q[i].order) }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*dual)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	d := (*q)[last]
	*q = (*q)[:last]
	return d
}

// sum is t + u. Sums may be long, and are nested to the left.
func (e *evaluator) sum(r term.Ref, f *frame, at uint64) value {
	var right []term.Ref
	for ; e.Nodes[r].Op == term.AddOp; r = e.Nodes[r].A {
		right = append(right, e.Nodes[r].B)
	}
	v := e.eval(r, f, at)
	for i := len(right) - 1; i >= 0; i-- {
		v = e.add(v, e.eval(right[i], f, at))
	}
	return v
}

// add is (6), or (7) and the sums of the components. A sum in which duals are applied waits until it is run.
func (e *evaluator) add(a, b value) value {
	if _, ok := a.of.(zero); ok {
		return b
	}
	if _, ok := b.of.(zero); ok {
		return a
	}
	if a.of == nil && b.of == nil {
		return value{at: e.step(rule.Plus, max(a.at, b.at)), num: a.num + b.num}
	}
	p, isPair := a.of.(*pair)
	q, arePairs := b.of.(*pair)
	if isPair && arePairs {
		at := e.step(rule.PlusPair, max(a.at, b.at))
		left := e.add(p.a.after(at), q.a.after(at))
		return newPair(at, left, e.add(p.b.after(at), q.b.after(at)))
	}
	return value{at: max(a.at, b.at), of: &sum{append(a.summands(), b.summands()...)}} // a is used once
}

// force runs the sums of a value.
func (e *evaluator) force(v value) value {
	if !v.hasSum() {
		return v
	}
	if p, ok := v.of.(*pair); ok {
		return newPair(v.at, e.force(p.a), e.force(p.b))
	}
	j := &job{evaluator: e}
	j.contribute(v)
	j.run()
	return e.force(j.total)
}

// job runs a maximal sum: the duals at which something arrives fire, the newest first, and what is no application of a
// dual is added.
type job struct {
	*evaluator
	total value
	found bool // total has a value
	due   queue
}

func (j *job) contribute(v value) {
	for _, s := range v.summands() {
		switch {
		case s.dual != nil:
			j.arrive(s.dual, s.application)
		case !j.found:
			j.total, j.found = s.arg, true
		default:
			j.total = j.add(j.total, s.arg)
		}
	}
}

func (j *job) arrive(d *dual, a application) {
	first := d.due == nil || d.due.in != j
	if first {
		d.due = &arrivals{in: j, outer: d.due, chain: a}
		if d.order > 0 {
			heap.Push(&j.due, d)
		}
	}
	switch {
	case j.opt.Tree:
		d.due.tree = append(d.due.tree, a)
	case !first:
		d.due.chain = j.join(d.due.chain, a)
	}
}

func (j *job) run() {
	for len(j.due) > 0 {
		j.contribute(j.fire(heap.Pop(&j.due).(*dual)))
	}
	if !j.found {
		j.total = value{of: zero{}}
	}
}

// fire makes (3), (1) and (5) of a dual at which all has arrived. It returns the body.
func (e *evaluator) fire(d *dual) value {
	a := e.factor(d)
	at := e.step(rule.Subst, max(a.at, d.at))
	e.res.Span = max(e.res.Span, at+1) // (4)
	at = e.step(rule.Lambda, at)
	arg := e.force(a.arg)
	arg.at = e.step(rule.Lin, max(at, arg.at))
	if d.null {
		return value{at: at, of: zero{}}
	}
	f := &frame{outer: d.frame, vals: make([]value, e.size[d.node])}
	n := &e.Nodes[d.node]
	f.vals[e.slot[n.X]] = arg
	return e.eval(n.A, f, at)
}

// factor returns the sum, by (11), of all that has arrived at a dual.
func (e *evaluator) factor(d *dual) application {
	a := d.due
	d.due = a.outer
	if e.opt.Tree {
		return e.tree(a.tree)
	}
	return a.chain
}

func (e *evaluator) tree(list []application) application {
	if len(list) == 1 {
		return list[0]
	}
	half := len(list) / 2
	left := e.tree(list[:half])
	return e.join(left, e.tree(list[half:]))
}

// join is (11), and the sum that it makes.
func (e *evaluator) join(a, b application) application {
	at := e.step(rule.Factor, max(a.at, b.at))
	return application{at, e.add(a.arg.after(at), b.arg.after(at))}
}

// backward runs the backward phase of each seed.
func (e *evaluator) backward(seeds []value, f *frame) {
	e.res.Values = make([]float64, e.outputs)
	for z, i := range e.start.Outputs {
		e.res.Values[i] = f.vals[e.slot[z]].num
	}
	e.res.Jacobian = make([]float64, e.outputs*len(e.stars))
	for i, seed := range seeds {
		j := &job{evaluator: e}
		j.contribute(seed)
		j.run()
		for k, d := range e.stars {
			if d.due != nil {
				e.res.Jacobian[i*len(e.stars)+k] = e.force(e.factor(d).arg).num
			}
		}
	}
}
