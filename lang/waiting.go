package lang

import (
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/syntax"
)

// waiting is an application of f to u, where the type of f was open: it may become that
// of a function or that of a dual. So the application waits, as a projection waits for
// the type of its vector, until the type is known or everything else is typed. Then f
// is a dual if u depends on a linear variable, which is all that can be linear, and
// otherwise a function.
type waiting struct {
	f, u   val
	result val
	notes  []syntax.Note // the chain of uses that led there
	done   bool
	// An operation on f and u waits until it is known whether they are vectors; see [elaborator.operands].
	operation bool
	why       reason
}

// mayBeDual reports whether a dual could take u. Where neither lin nor -o stands in the
// program there is none.
func (e *elaborator) mayBeDual(u val) bool {
	k := e.tt.At(u.typ).Kind
	return e.user.Duals && (k == infer.Open || k == infer.Real)
}

// applyWaiting settles the applications from n on. Under the roots is what has been
// elaborated since the first of them.
func (e *elaborator) applyWaiting(n int, roots []node) {
	all := e.waiting[n:]
	if len(all) == 0 {
		return
	}
	var linear *dependence
	if e.user.Duals {
		linear = depends(e.elaborated, roots)
	}
	e.tt.Watched = map[infer.Type][]int{}
	var ready []int
	for i := range all {
		e.watch(all, i, &ready)
	}
	for next := 0; ; {
		for len(ready) > 0 {
			i := ready[len(ready)-1]
			ready = ready[:len(ready)-1]
			e.applyNow(&all[i], linear, false)
			e.resume(&ready)
		}
		for next < len(all) && all[next].done {
			next++
		}
		if next == len(all) {
			break
		}
		e.applyNow(&all[next], linear, true)
		e.resume(&ready)
	}
	e.tt.Watched, e.tt.Settled = nil, nil
	e.waiting = e.waiting[:n]
}

// watch puts application i on the list of its function's type, or makes it ready.
func (e *elaborator) watch(all []waiting, i int, ready *[]int) {
	if w := &all[i]; w.operation {
		for _, t := range []infer.Type{w.f.typ, w.u.typ, w.result.typ} {
			if t = e.tt.Find(t); e.tt.Nodes[t].Kind == infer.Open {
				e.tt.Watched[t] = append(e.tt.Watched[t], i)
			}
		}
		*ready = append(*ready, i)
		return
	}
	f := e.tt.Find(all[i].f.typ)
	if e.tt.Nodes[f].Kind != infer.Open {
		*ready = append(*ready, i)
		return
	}
	e.tt.Watched[f] = append(e.tt.Watched[f], i)
}

// resume looks again at the applications whose types have been settled or merged.
func (e *elaborator) resume(ready *[]int) {
	for _, t := range e.tt.Settled {
		if e.tt.Nodes[t].Link == 0 {
			continue // the unification was undone
		}
		list := e.tt.Watched[t]
		delete(e.tt.Watched, t)
		f := e.tt.Find(t)
		if e.tt.Nodes[f].Kind != infer.Open {
			*ready = append(*ready, list...)
			continue
		}
		more := e.tt.Watched[f]
		if len(more) < len(list) {
			list, more = more, list
		}
		e.tt.Watched[f] = append(more, list...)
	}
	e.tt.Settled = e.tt.Settled[:0]
}

// applyNow types an application once, or an operation as far as it can.
func (e *elaborator) applyNow(w *waiting, linear *dependence, last bool) {
	if w.done {
		return
	}
	e.chained = w.notes
	defer func() { e.chained = nil }()
	if w.operation {
		errors := len(e.diags)
		w.done = e.operands(w, last)
		if errors > 0 { // types may be wrong because of them
			e.diags = e.diags[:errors]
		}
		return
	}
	w.done = true
	takes, gives, ok := e.tt.Application(w.f.typ)
	switch {
	case ok:
		e.want(w.u, takes, e.takes(w.f))
		v := w.result
		v.typ = gives
		e.want(v, w.result.typ, reason{kind: annotReason, text: "what is around it takes"})
	case e.tt.At(w.f.typ).Kind != infer.Open:
		e.notFunction(w.f, w.u)
	case linear.outer[w.u.node] != 0 && e.tt.Numeric(w.result.typ):
		e.tt.Unify(w.f.typ, e.tt.Dual(w.result.typ))
		e.want(w.u, infer.R, e.takes(w.f))
		e.euclidean(w.result, "what "+e.headText(w.f.head)+" gives")
	default:
		e.asFunction(w.f, w.u, w.result.typ)
	}
}
