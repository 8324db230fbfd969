package compile

import (
	"cmp"
	"slices"
	"sort"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// bindLocal binds a variable of a let or a pattern and counts its (4).
func (c *compiler) bindLocal(x term.Var, op operand) {
	c.bind(x, op)
	if c.opt.Open && c.mayBeInert(c.t.TypeOf(x)) {
		c.tally(c.slot(op), graph.Weight{Binders: 1})
		return
	}
	c.countOf(x, rule.GC, 1)
}

// bindMany is bindLocal for n variables from first on, whose operands are slots from s on, in a program that is not open. They are bound when
// they are used.
func (c *compiler) bindMany(first term.Var, n uint32, s slot) {
	i, again := slices.BinarySearchFunc(c.many, first, func(m manyBindings, x term.Var) int { return cmp.Compare(m.first, x) })
	if again { // by another instance of the body
		clear(c.vars[first : first+term.Var(n)])
	} else {
		c.many = slices.Insert(c.many, i, manyBindings{})
	}
	c.many[i] = manyBindings{first: first, end: first + term.Var(n), slot: s, depth: c.depth()}
	c.countOf(first, rule.GC, uint64(n))
}

// manyBindings are those of the variables from first on, before end.
type manyBindings struct {
	first, end term.Var
	slot       slot
	depth      int32
}

// among returns the bindings that x is among, nil if there are none.
func (c *compiler) among(x term.Var) *manyBindings {
	i := sort.Search(len(c.many), func(i int) bool { return x < c.many[i].first })
	if i == 0 || x >= c.many[i-1].end {
		return nil
	}
	return &c.many[i-1]
}

// mayBeInert reports whether a value of the type can have an inert part: every
// type but that of functions.
func (c *compiler) mayBeInert(t term.Type) bool { return c.t.Types.Kind(t) != term.ArrowKind }

// tally books binders and occurrences that an open program counts when it runs: for all instances of the loops around, in a branch
// for those in one instance of it.
func (c *compiler) tally(s slot, w graph.Weight) {
	l := &c.top().loops
	t, times := &c.top().tallies, l.times()
	if last := len(l.sides) - 1; last >= 0 {
		t = &l.sides[last].tallies
		times /= l.sides[last].times
	}
	i, ok := t.at[s]
	if !ok {
		if t.at == nil {
			t.at = map[slot]int{}
		}
		i = len(t.weights)
		t.at[s] = i
		t.weights = append(t.weights, graph.Weight{})
		t.slots = append(t.slots, s)
	}
	t.weights[i].Binders += w.Binders * times
	t.weights[i].Occurrences += w.Occurrences * times
}

// emitTally ends the code that the tallies are of.
func (c *compiler) emitTally(t *tallies, p term.Pos) {
	if len(t.weights) > 0 {
		c.emit(graph.Instr{Op: graph.OpTally, Tmpl: uint32(len(c.out.Weights)), Pos: p}, t.slots)
		c.out.Weights = append(c.out.Weights, t.weights...)
	}
}

// counted counts binders and occurrences of variables of a type that stand for op.
func (c *compiler) counted(op operand, t term.Type, w graph.Weight) {
	if c.opt.Open && c.mayBeInert(t) {
		c.tally(c.slot(op), w)
		return
	}
	by := rule.Subst
	if c.isNumber(t) {
		by = rule.SubstNumeral
	}
	c.count(by, w.Occurrences)
	c.count(rule.GC, w.Binders)
}

// occurrence counts the (3) of an occurrence of an exponential variable, whose operand is op: by
// value, it meets a value exactly once in each run of the body. A linear variable counts
// none, and neither does the name of a dual λ.
func (c *compiler) occurrence(x term.Var, op operand) {
	if c.t.Linear(x) || c.vars[x].name {
		return
	}
	if c.opt.Open && c.mayBeInert(c.t.TypeOf(x)) {
		c.tally(c.slot(op), graph.Weight{Occurrences: 1})
		return
	}
	if c.isNumber(c.t.TypeOf(x)) {
		c.countOf(x, rule.SubstNumeral, 1)
	} else {
		c.countOf(x, rule.Subst, 1)
	}
}

// operation counts an operation; in an open program the machine does, if it fires.
func (c *compiler) operation(r rule.Rule) { c.operations(r, 1) }

func (c *compiler) operations(r rule.Rule, n uint64) {
	if !c.opt.Open {
		c.count(r, n)
	}
}

// isNumber reports whether the values of the type are numerals: R, and vectors of
// one such component, which are the component itself as tuples of the calculus.
func (c *compiler) isNumber(t term.Type) bool {
	for c.t.Types.Kind(t) == term.VecKind && c.t.Types.Len(t) == 1 {
		t = c.t.Types.Left(t)
	}
	return t == term.R
}

// count counts steps of the code that the source has at the present place, and generated
// those of code that D has put there.
func (c *compiler) count(r rule.Rule, n uint64)     { c.countAt(r, n, false) }
func (c *compiler) generated(r rule.Rule, n uint64) { c.countAt(r, n, true) }

// countOf counts steps about the variable x.
func (c *compiler) countOf(x term.Var, r rule.Rule, n uint64) {
	c.countAt(r, n, c.t.Generated(x))
}

func (c *compiler) countAt(r rule.Rule, n uint64, generated bool) {
	l := &c.top().loops
	to := &c.top().steps
	n *= l.times()
	if last := len(l.sides) - 1; last >= 0 {
		to = &l.sides[last].steps
		n /= l.sides[last].times
	}
	to.counts[r] += n
	if !c.opt.Places || n == 0 {
		return
	}
	at := graph.PlaceCount{Pos: c.pos, Inlined: c.inlined, Rule: r, Generated: generated}
	i, ok := to.placed[at]
	if !ok {
		if to.placed == nil {
			to.placed = map[graph.PlaceCount]int{}
		}
		i = len(to.places)
		to.placed[at] = i
		to.places = append(to.places, at)
	}
	to.places[i].N += n
}
