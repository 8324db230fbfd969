package elaborate

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

// waiting is an application of f to u, where the type of f was open: it may become that of a function or that of a
// dual. So the application waits, as a projection waits for the type of its vector, until the type is known or
// everything else is typed. Then f is a dual if u depends on a linear variable, which is all that can be linear, and
// otherwise a function.
type waiting struct {
	f, u   val
	result val
	notes  []syntax.Note // the chain of uses that led there
	done   bool
	// An operation on f and u waits until it is known whether they are vectors; see [Elaborator.operands].
	operation bool
	why       reason
}

// mayBeDual reports whether a dual could take u. Where neither lin nor -o stands in the program there is none.
func (e *Elaborator) mayBeDual(u val) bool {
	k := e.Types.At(u.typ).Kind
	return e.user.Duals && (k == core.Open || k == core.Real)
}

// applyWaiting settles the applications from n on. Under the roots is what has been elaborated since the first of them.
func (e *Elaborator) applyWaiting(n int, roots []core.Ref) {
	all := e.waiting[n:]
	if len(all) == 0 {
		return
	}
	var depends *core.Dependence
	if e.user.Duals {
		depends = core.Depends(e.Program, roots)
	}
	e.Types.Watched = map[core.Type][]int{}
	var ready []int
	for i := range all {
		e.watch(all, i, &ready)
	}
	for next := 0; ; {
		for len(ready) > 0 {
			i := ready[len(ready)-1]
			ready = ready[:len(ready)-1]
			e.applyNow(&all[i], depends, false)
			e.resume(&ready)
		}
		for next < len(all) && all[next].done {
			next++
		}
		if next == len(all) {
			break
		}
		e.applyNow(&all[next], depends, true)
		e.resume(&ready)
	}
	e.Types.Watched, e.Types.Settled = nil, nil
	e.waiting = e.waiting[:n]
}

// watch puts application i on the list of its function's type, or makes it ready.
func (e *Elaborator) watch(all []waiting, i int, ready *[]int) {
	if w := &all[i]; w.operation {
		for _, t := range []core.Type{w.f.typ, w.u.typ, w.result.typ} {
			if t = e.Types.Find(t); e.Types.Nodes[t].Kind == core.Open {
				e.Types.Watched[t] = append(e.Types.Watched[t], i)
			}
		}
		*ready = append(*ready, i)
		return
	}
	f := e.Types.Find(all[i].f.typ)
	if e.Types.Nodes[f].Kind != core.Open {
		*ready = append(*ready, i)
		return
	}
	e.Types.Watched[f] = append(e.Types.Watched[f], i)
}

// resume looks again at the applications whose types have been settled or merged.
func (e *Elaborator) resume(ready *[]int) {
	for _, t := range e.Types.Settled {
		if e.Types.Nodes[t].Link == 0 {
			continue // the unification was undone
		}
		list := e.Types.Watched[t]
		delete(e.Types.Watched, t)
		f := e.Types.Find(t)
		if e.Types.Nodes[f].Kind != core.Open {
			*ready = append(*ready, list...)
			continue
		}
		more := e.Types.Watched[f]
		if len(more) < len(list) {
			list, more = more, list
		}
		e.Types.Watched[f] = append(more, list...)
	}
	e.Types.Settled = e.Types.Settled[:0]
}

// applyNow types an application once, or an operation as far as it can.
func (e *Elaborator) applyNow(w *waiting, depends *core.Dependence, last bool) {
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
	takes, gives, ok := e.Types.Application(w.f.typ)
	switch {
	case ok:
		e.want(w.u, takes, e.takes(w.f))
		v := w.result
		v.typ = gives
		e.want(v, w.result.typ, reason{kind: annotReason, text: "what is around it takes"})
	case e.Types.At(w.f.typ).Kind != core.Open:
		e.notFunction(w.f, w.u)
	case depends.Outer[w.u.node] != 0 && e.Types.Numeric(w.result.typ):
		e.Types.Unify(w.f.typ, e.Types.Dual(w.result.typ))
		e.want(w.u, core.R, e.takes(w.f))
		e.euclidean(w.result, "what "+e.headText(w.f.head)+" gives")
	default:
		e.asFunction(w.f, w.u, w.result.typ)
	}
}
