package elaborate

import (
	"maps"
	"math"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// A comprehension whose body is the same for all values of its index but for numerals, components and bounds becomes
// one node, a family: its body is elaborated once. Where that is not so, or where something is wrong, the attempt is
// given up: nothing is elaborated or reported any more up to the outermost family, which restores the state before it.
// Where a number that depends on an index was wrong, the comprehension of that index is elaborated for each value at
// the next attempt. Else the outermost one is, which finds the error and says it.

// families is what the elaborator knows of indices of families.
type families struct {
	// depth is how many families are around what is being elaborated.
	depth int
	// written has the comprehensions that are elaborated for each value of their index.
	written map[comprehended]bool
	// failed says that the attempt has been given up: because of that index, if it is not 0.
	failed bool
	blamed term.Index
	// off says that no comprehension becomes a family.
	off bool
	// saved is how many nodes the expansion has more than core, and instances how many instances what is being
	// elaborated has.
	saved, instances float64
}

// comprehended names a comprehension of the source.
type comprehended struct {
	unit *unit
	x    syntax.Expr
}

// giveUp gives up the attempt to make a family, if there is one.
func (e *Elaborator) giveUp() { e.fam.failed = e.fam.depth > 0 }

// giveUpAt gives up the attempt because of a number that depends on indices. The innermost of these is blamed.
func (e *Elaborator) giveUpAt(s term.Static) {
	if e.fam.depth > 0 && !e.fam.failed {
		e.Static.Mentions(s, func(i term.Index) { e.fam.blamed = max(e.fam.blamed, i) })
	}
	e.giveUp()
}

// staticOps has the operations of static expressions.
var staticOps = map[syntax.Token]term.StaticOp{syntax.PlusTok: term.StaticAdd, syntax.MinusTok: term.StaticSub,
	syntax.StarTok: term.StaticMul, syntax.SlashTok: term.StaticDiv}

// arithmetic makes a op b of static expressions.
func (e *Elaborator) arithmetic(op syntax.Token, a, b term.Static) term.Static {
	s := e.Static.Add(term.StaticNode{Op: staticOps[op], A: a, B: b})
	if e.Static.Nesting(s) > term.MaxStatic {
		e.giveUp()
		return a
	}
	return s
}

// finite is s. The attempt is given up if a value is not finite.
func (e *Elaborator) finite(s term.Static) term.Static {
	finite := func(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
	if lo, hi, _ := e.Static.Interval(s); finite(lo) && finite(hi) {
		return s
	}
	for v := range e.Static.Values(s) {
		if !finite(v[0]) {
			e.giveUpAt(s)
			break
		}
	}
	return s
}

// below is s where it is a natural number below n. Elsewhere it is 0, if what is being elaborated is not reached there;
// otherwise the attempt is given up.
func (e *Elaborator) below(s term.Static, n float64) term.Static {
	outside, _, wrong := e.outside(s, n)
	if wrong {
		e.giveUpAt(s)
	}
	if !outside {
		return s
	}
	return e.Static.Add(term.StaticNode{Op: term.StaticBelow, A: s, Val: n})
}

// outside reports whether s has values that are no natural numbers below n. If what is being elaborated is reached with
// one of them, that is wrong, and first is the first one.
func (e *Elaborator) outside(s term.Static, n float64) (outside bool, first float64, wrong bool) {
	lo, hi, whole := e.Static.Interval(s)
	if lo >= 0 && hi < n && whole {
		return false, 0, false
	}
	es, facts := []term.Static{s}, e.factsOf(s)
	for _, f := range [2][]fact{nil, facts} {
		if whole && e.follows(f, 0, 1, s) && e.follows(f, n-1, -1, s) {
			return f != nil, 0, false
		}
	}
	for _, f := range facts {
		for _, c := range f {
			es = append(es, c.a, c.b)
		}
	}
	for v := range e.Static.Values(es...) {
		e.Tick()
		if x := v[0]; x >= 0 && x < n && x == math.Trunc(x) {
			continue
		}
		if outside = true; all(facts, v[1:]) {
			return true, v[0], true
		}
	}
	return outside, 0, false
}

// staticOf is a natural number as a static expression.
func (e *Elaborator) staticOf(n natural) term.Static {
	if n.static != 0 {
		return n.static
	}
	return e.Static.Number(float64(n.n))
}

// numeral returns the static expression of a node that is a numeral, and whether it depends on an index of a family.
func (e *Elaborator) numeral(r core.Ref) (s term.Static, depends, ok bool) {
	switch n := &e.Core.Nodes[r]; n.Op {
	case core.NumOp:
		return e.Static.Number(n.Val), false, true
	case core.StaticOp:
		return term.Static(n.X), true, !e.values
	}
	return 0, false, false
}

func (e *Elaborator) staticNumber(s term.Static, span syntax.Span) val {
	return e.add(core.Node{Op: core.StaticOp, X: core.Var(s), Pos: core.PosOf(span), Value: true}, core.R, span)
}

// maxInstances bounds the instances of what stands in families.
const maxInstances = 1 << 31

// family makes the comprehension or scan x, with its index in slot, one node, if it can: the one that node makes, which
// elaborates the body.
func (e *Elaborator) family(x syntax.Expr, slot int, s natural,
	node func(i term.Index, bound term.Static) (core.Node, core.Type)) (v val, ok bool) {
	c := comprehended{e.act.unit, x}
	if e.fam.off || e.user.Duals || e.fam.written[c] {
		return val{}, false
	}
	outermost, before := e.fam.depth == 0, snapshot{}
	if outermost {
		before = e.snapshot()
		e.fam.instances = 1
	}
	i, bound := e.index(x, slot, s)
	e.binders[i] = c
	_, most, _ := e.Static.Interval(bound)
	made := e.expanded()
	e.fam.depth++
	if e.fam.instances *= max(1, most); e.fam.instances > maxInstances {
		e.giveUp()
	}
	e.work++
	f, t := node(i, bound)
	e.fam.saved += (e.expanded() - made) * (most - 1)
	switch { // additions; lets and occurrences
	case f.Op == core.ScanOp:
		e.fam.saved += 2 * (most - 1)
	case syntax.Token(f.Val) == syntax.SumTok:
		e.fam.saved += max(0, most-1)
	}
	e.step()
	if outermost && e.fam.failed {
		blamed, ok := e.binders[e.fam.blamed]
		e.restore(before)
		if e.fam.written == nil {
			e.fam.written = map[comprehended]bool{}
		}
		if ok && blamed != c && !e.fam.written[blamed] {
			e.fam.written[blamed] = true
			return e.family(x, slot, s, node)
		}
		e.fam.written[c] = true
		return val{}, false
	}
	e.fam.instances /= max(1, most)
	e.fam.depth--
	return e.finish(x, f, t), true
}

// expanded is how many nodes and rounds of comprehensions there would be so far without families.
func (e *Elaborator) expanded() float64 { return float64(e.work+len(e.Core.Nodes)) + e.fam.saved }

// snapshot is the state before an attempt. A copy of the slices cuts them to their lengths; the slot of the index is
// written again. Three things are not restored. The types of variables that the attempt has found are those that the
// second elaboration finds, since types do not depend on an index. Static expressions that nothing uses cost nothing.
// The types that are noted for places of the source are written again.
type snapshot struct {
	attempt
	nodes, args, vars int
}

func (e *Elaborator) snapshot() snapshot {
	s := snapshot{e.attempt, len(e.Core.Nodes), len(e.Core.Args), len(e.Core.Vars)}
	s.reported = maps.Clone(e.reported)
	return s
}

func (e *Elaborator) restore(s snapshot) {
	c := e.Core
	c.Nodes, c.Args, c.Vars = c.Nodes[:s.nodes], c.Args[:s.args], c.Vars[:s.vars]
	e.attempt = s.attempt
}

// scan makes scan i < s with p = a -> e, which stands for let p = a in let p = e{0/i} in … let p = e{s−1/i} in the
// vector of the states but for the first.
func (e *Elaborator) scan(x syntax.Expr) val {
	p := e.act.unit.File.Pats(x)[0]
	s, slot, ok := e.indexBound(x, true)
	if !ok {
		return e.bad(e.span(x))
	}
	opens, start := len(e.opens), e.eval(e.kids(x)[1], 0)
	if !e.takesApart(p) { // its name stands for a variable, which may occur more than once
		start = e.openState(x, p, start)
	}
	v, ok := e.overIndex(x, slot, s, func(i term.Index, bound term.Static) (core.Node, core.Type) {
		state, opens := e.patternVar(p, start.typ), len(e.opens)
		e.bindPattern(patternItem{p: p, t: start.typ, x: state, span: start.span})
		next := e.wrap(e.nextState(x, start), opens)
		at := core.Ref(len(e.Core.Args))
		e.Core.Args = append(e.Core.Args, core.Ref(i), core.Ref(bound), start.node, next.node)
		return core.Node{Op: core.ScanOp, X: state, A: at}, e.Types.Vec(start.typ, e.Types.KnownSize(int(s.n)))
	})
	if ok {
		return e.wrap(v, opens)
	}
	states := syntax.Each(int(s.n), func(i int) val {
		e.setIndex(slot, i)
		e.work++
		it := patternItem{p: p, t: start.typ, span: start.span}
		if i == 0 && e.takesApart(p) {
			it.u = start.node
		} else {
			it.x = e.Core.Nodes[start.node].X
		}
		e.bindPattern(it)
		start = e.openState(x, p, e.nextState(x, start))
		return start
	})
	v = e.wrap(e.vector(x, states), opens)
	v.span = e.span(x)
	return e.result(v)
}

// openState binds a variable for pattern p of scan x to a state around what follows, and returns an occurrence.
func (e *Elaborator) openState(x syntax.Expr, p syntax.Pat, v val) val {
	state := e.patternVar(p, v.typ)
	e.opens = append(e.opens, core.Opening{
		Node: core.Node{Op: core.LetOp, X: state, B: v.node, Pos: e.at(e.expr(x).Span.Start)}})
	return e.occurrence(e.bound(state), v.span)
}

// nextState elaborates the next state of a scan that starts with start.
func (e *Elaborator) nextState(x syntax.Expr, start val) val {
	v := e.eval(e.kids(x)[2], 0)
	e.want(v, start.typ, reason{text: "the state before it is"})
	return v
}
