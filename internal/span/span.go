// Package span measures how long a reduction would take if all steps that don't depend on each other were made at once.
//
// Every counted step has length 1. A step depends on the steps that made its redex and on the values that it reads, and
// on nothing else, so the span of a reduction is the same by every schedule:
//
//   - (1) needs its λ, and (2) the pair's constructor, not what stands in them.
//   - (3) needs the whole value. The (3)s of one binder are independent of each other.
//   - (4) needs the value and the (3)s of its binder. Nothing depends on (4).
//   - (5) needs its number, and (6), (8), (12) and (13) need their operands. (7) needs the constructors.
//   - (11) needs its two applications, not their arguments. The arrivals at a dual are added in a chain, in their
//     order, or in a balanced tree over it.
//   - The (3) of a dual needs all arrivals.
//
// The package evaluates terms in an environment, with the time at which each value exists, and counts the steps by
// rule. It shares no code with the machines, whose counts, values and gradients are its test.
package span

import (
	"cmp"

	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Result is what a reduction takes.
type Result struct {
	Span     uint64      // the length of the longest chain of steps that depend on each other
	Counts   rule.Counts // all steps, by rule
	Values   []float64   // the numbers of the result, from left to right; of a gradient, the program's values
	Jacobian []float64   // of a gradient: row by row, a row for each value
}

// Length returns the span of a reduction; of none, 0.
func (r *Result) Length() uint64 {
	if r == nil {
		return 0
	}
	return r.Span
}

// Options say how a reduction goes.
type Options struct {
	// Tree has (11) add the arrivals at a dual in a balanced tree; otherwise they are added in a chain.
	Tree     bool
	Check    func() error // is called now and then, if it is not nil; its error ends the reduction
	MaxDepth int          // bounds how deep evaluations are nested; 0 is 2²⁰: a goroutine's stack is bounded by 1 GB
}

// Value reduces t at a point, which has a number for each input. The error is that of opt.Check, or an [*UnknownError],
// if too many evaluations are nested.
func Value(t *term.Term, inputs []term.Var, point []float64, opt Options) (*Result, error) {
	return reduce(revgrad.ValueStart(t, inputs), 0, point, opt)
}

// Gradient reduces the start term of Corollary gradient for D(t) at a point. outputs is k where t has type R^k, and 0
// where it has type R.
func Gradient(d *term.Term, inputs []term.Var, outputs int, point []float64, opt Options) (*Result, error) {
	return reduce(revgrad.GradientStart(d, inputs, outputs), max(1, outputs), point, opt)
}

func reduce(s *revgrad.Start, outputs int, point []float64, opt Options) (res *Result, err error) {
	if opt.Check == nil {
		opt.Check = func() error { return nil }
	}
	opt.MaxDepth = cmp.Or(opt.MaxDepth, 1<<20)
	for r, i := range s.Inputs {
		s.Term.Nodes[r].Val = point[i]
	}
	sc, err := newScope(s.Term, s.Stars, opt.Check)
	if err != nil {
		return nil, err
	}
	e := &evaluator{Term: s.Term, scope: sc, opt: opt, start: s, outputs: outputs}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stop:
			res, err = nil, r.err
		default:
			panic(r)
		}
	}()
	e.run()
	return &e.res, nil
}

// scope says where each variable of a term is found.
type scope struct {
	size  []int32 // of a LamOp, a FixOp, and of the root: how many variables its frame has
	slot  []int32 // of each variable: its place in the frame
	depth []int32 // of each VarOp: in how many λs and fixes between its binder and itself it stands
	free  []bool  // of each variable: its occurrences make no (3)
}

// newScope resolves the variables of t.
func newScope(t *term.Term, stars []term.Var, check func() error) (*scope, error) {
	s := &scope{size: make([]int32, len(t.Nodes)), slot: make([]int32, t.NumVars()), depth: make([]int32, len(t.Nodes)),
		free: make([]bool, t.NumVars())}
	level := make([]int32, t.NumVars())
	type visit struct {
		node, body term.Ref // the node, and the λ or fix whose frame it has, or the root
		level      int32
	}
	bind := func(x term.Var, v visit) {
		level[x], s.slot[x] = v.level, s.size[v.body]
		s.size[v.body]++
		s.free[x] = t.Info(x).Linear
	}
	stack := []visit{{node: t.Root, body: t.Root}}
	for _, x := range stars {
		bind(x, stack[0])
		s.free[x] = true
	}
	for i := 0; len(stack) > 0; i++ {
		if err := term.LookAt(i, check); err != nil {
			return nil, err
		}
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &t.Nodes[v.node]
		switch n.Op {
		case term.VarOp:
			s.depth[v.node] = v.level - level[n.X]
		case term.LamOp, term.FixOp:
			v = visit{node: v.node, body: v.node, level: v.level + 1}
			s.size[v.body] = 0
		}
		t.Binders(n, func(x term.Var) { bind(x, v) })
		if n.Op == term.LetOp {
			u := &t.Nodes[n.B]
			s.free[n.X] = s.free[n.X] || u.Op == term.LamOp && t.Info(u.X).Linear && t.Nodes[u.A].Op != term.ZeroOp
		}
		t.Kids(n, func(k term.Ref) { stack = append(stack, visit{k, v.body, v.level}) })
	}
	return s, nil
}
