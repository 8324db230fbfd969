package span

import (
	"cmp"

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
