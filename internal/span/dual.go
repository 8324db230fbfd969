package span

import (
	"container/heap"

	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

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
