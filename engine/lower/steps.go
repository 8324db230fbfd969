package lower

import (
	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// This file has the steps that a node of the source term stands for, by D's equations (Table 3) and calculus of values
// (section 4). Those of the backward phase are in package exec.

// occurrence counts an occurrence of a variable: (3), of a number at a point (3n). In D(t) a variable of type R is a
// pair. A vector of one component is this.
func (c *compiler) occurrence(t term.Type, generated bool) { c.occurrences(c.at(), t, generated, 1) }

// occurrences counts n occurrences at a place.
func (c *compiler) occurrences(at ir.Place, t term.Type, generated bool, n int) {
	for c.t.Types.Kind(t) == term.VecKind && c.t.Types.Len(t) == 1 {
		t = c.t.Types.Left(t)
	}
	by := rule.Subst
	if t == term.R && !c.out.Taped {
		by = rule.SubstNumeral
	}
	c.countAt(at, generated, by, n)
}

// opened counts the opening of a tuple, with a variable for each component. One variable is that of a let.
func (c *compiler) opened(xs ...term.Var) {
	at, last := c.at(), len(xs)-1
	for from := 0; from <= last; {
		generated, to := c.t.Generated(xs[from]), from+1
		for to <= last && c.t.Generated(xs[to]) == generated {
			to++
		}
		c.countAt(at, generated, rule.Pair, min(to, last)-from)
		c.countAt(at, generated, rule.GC, to-from)
		from = to
	}
}

// operation counts n operations of k operands. D opens each operand, ⟨xi,xi*⟩, mentions xi once, and names the dual.
func (c *compiler) operation(by rule.Rule, k, n int) {
	c.count(by, n)
	if c.out.Taped {
		c.operands(k, n)
		c.generated(rule.GC, n)
	}
}

// operands counts, n times, that D opens k pairs ⟨xi,xi*⟩ and mentions xi once.
func (c *compiler) operands(k, n int) {
	c.generated(rule.Pair, k*n)
	c.generated(rule.SubstNumeral, k*n)
	c.generated(rule.GC, 2*k*n)
}

// unfolded counts the unfolding of a fix: (15), where one of its functions is applied, and (4) of their names.
func (c *compiler) unfolded(names []term.Var) {
	c.countAt(ir.Place{Pos: ir.AtCall}, false, rule.Unfold, 1)
	for _, f := range names {
		c.countAt(c.at(), c.t.Generated(f), rule.GC, 1)
	}
}

// ruleOf is the rule of a symbol: NoSymbol is +.
func ruleOf(f term.Symbol) rule.Rule {
	switch f {
	case term.NoSymbol:
		return rule.Plus
	case term.Mul:
		return rule.Times
	}
	return rule.Function
}

// start counts the steps of the start term: of the value t[x1:=r1]…, of the gradient those of Corollary gradient.
func start(inputs, outputs int, gradient bool) (s rule.Counts) {
	s[rule.GC] = uint64(inputs)
	if gradient {
		s[rule.GC] = uint64(3 * inputs)
		s[rule.SubstNumeral] = uint64(inputs)
		if outputs > 0 { // ⟦p0,…⟧, and each pi
			s[rule.Pair] += uint64(outputs - 1)
			s[rule.Subst] += uint64(outputs)
			s[rule.GC] += uint64(outputs)
		}
		k := uint64(max(1, outputs)) // ⟨z,z*⟩, and z* in z* 1
		s[rule.Pair] += k
		s[rule.GC] += 2 * k
		s[rule.Subst] += k
	}
	return s
}

// spot is where code is made: a place in the source, and the call that the code stands in for, of Program.Inlined.
type spot struct {
	pos    term.Pos
	within uint32
}

// places are what a placed program tells apart. Without them all is of body 0 and call 0.
type places struct {
	bodies map[term.Ref]uint32 // of λs, of λx.λy.t the innermost, of branches and of lists
	calls  map[ir.Inlined]uint32
}

func newPlaces(p *ir.Program, t *term.Term) *places {
	l := &places{bodies: map[term.Ref]uint32{}, calls: map[ir.Inlined]uint32{}}
	p.Placed, p.Inlined, p.Bodies = true, make([]ir.Inlined, 1), make([]ir.Body, 1)
	known := map[calls.Code]uint32{}
	body := func(k calls.Code, at term.Pos) uint32 {
		b, ok := known[k]
		if !ok || k.Pos == 0 {
			b = uint32(len(p.Bodies))
			known[k] = b
			p.Bodies = append(p.Bodies, ir.Body{Pos: at, Inner: k.Branch != 0})
		}
		return b
	}
	type node struct {
		r      term.Ref
		within uint32
		outer  term.Pos // of the λ λx.λy.t that the node is the body of
	}
	for todo := []node{{r: t.Root}}; len(todo) > 0; {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := &t.Nodes[k.r]
		switch n.Op {
		case term.LamOp:
			x, inner := t.Info(n.X), t.Nodes[n.A].Op == term.LamOp
			if k.outer == 0 {
				k.outer = n.Pos
			}
			b := body(calls.Code{Within: k.within, Pos: n.Pos, Name: x.Name, Bound: x.Pos}, k.outer)
			l.bodies[k.r] = b
			if !inner {
				k.outer = 0
			}
			todo = append(todo, node{n.A, b, k.outer})
			continue
		case term.ListOp, term.ListFamilyOp:
			k.within = body(calls.Code{Within: k.within, Pos: n.Pos, Branch: -1}, n.Pos)
			l.bodies[k.r] = k.within
		}
		i, branches := 0, 0 // the first kids are no branches
		switch n.Op {
		case term.IfOp:
			branches = 2
		case term.CaseOp:
			branches = 1
		}
		t.Kids(n, func(kid term.Ref) {
			within := k.within
			if i++; branches > 0 && i > branches {
				within = body(calls.Code{Within: k.within, Pos: n.Pos, Branch: i - branches}, n.Pos)
				l.bodies[kid] = within
			}
			todo = append(todo, node{r: kid, within: within})
		})
	}
	return l
}

// summand is the node r, or, of a sum of one summand, that, as an expansion has it.
func (c *compiler) summand(r term.Ref) *term.Node {
	n := &c.t.Nodes[r]
	for n.Op == term.SumOp {
		if s, ok := c.known(n.Static()); !ok || s != 1 {
			break
		}
		n = &c.t.Nodes[n.A]
	}
	return n
}

// body is that of the λ, the branch or the list r; of λx.λy.t it is that of the innermost λ.
func (c *compiler) body(r term.Ref) uint32 {
	if c.places == nil {
		return 0
	}
	for c.t.Nodes[r].Op == term.LamOp && c.t.Nodes[c.t.Nodes[r].A].Op == term.LamOp {
		r = c.t.Nodes[r].A
	}
	return c.places.bodies[r]
}

// elements is the body of the elements of a list, 0 if they are no code: numerals and data.
func (c *compiler) elements(l *value) uint32 {
	n := &c.t.Nodes[l.node]
	number := func(r term.Ref) bool {
		n := c.summand(r)
		s, ok := float64(1), false
		if n.Op == term.SumOp {
			s, ok = c.known(n.Static())
		}
		return n.Op == term.NumOp || n.Op == term.IndexNumOp || ok && s == 0
	}
	switch n.Op {
	case term.ListOp:
		for _, k := range c.t.Children(n) {
			if !number(k) {
				return c.body(l.node)
			}
		}
	case term.ListFamilyOp:
		if s, ok := c.known(n.Static()); !number(n.A) && !(ok && s == 0) {
			return c.body(l.node)
		}
	}
	return 0
}

// at is the place where code is made.
func (c *compiler) at() ir.Place {
	if c.f.out.AtCall && c.within == 0 {
		return ir.Place{Pos: ir.AtCall}
	}
	return ir.Place{Pos: c.pos, Within: c.within}
}

// called is the call of a body from here; of body 0 that in which the code is made.
func (c *compiler) called(body uint32) uint32 {
	if body == 0 {
		return c.within
	}
	k := ir.Inlined{From: c.at(), Body: body}
	call, ok := c.places.calls[k]
	if !ok {
		call = uint32(len(c.out.Inlined))
		c.places.calls[k] = call
		c.out.Inlined = append(c.out.Inlined, k)
	}
	return call
}

// branch is the call of a branch, whose condition stands here.
func (c *compiler) branch(r term.Ref) uint32 { return c.called(c.body(r)) }

// in makes code that stands in for a call.
func (c *compiler) in(call uint32, f func() *value) *value {
	at := c.spot
	c.within = call
	v := f()
	c.spot = at
	return v
}

// count adds steps to the block that is made, which the source has here; generated those that D has put here.
func (c *compiler) count(r rule.Rule, n int)     { c.countAt(c.at(), false, r, n) }
func (c *compiler) generated(r rule.Rule, n int) { c.countAt(c.at(), true, r, n) }

func (c *compiler) countAt(at ir.Place, generated bool, r rule.Rule, n int) {
	if c.reading {
		return
	}
	b := &c.out.Blocks[c.f.block]
	b.Steps[r] += uint64(n)
	if c.places != nil && n > 0 {
		b.Places = append(b.Places, ir.PlaceSteps{Place: at, Generated: generated, Rule: r, N: uint64(n)})
	}
}

// passed counts n applications of a function to an argument: (1), and (4) of its variable. If the function gets all
// its parameters, they are of its body.
func (c *compiler) passed(n int, all bool, body uint32) {
	at := c.at()
	if all && body != 0 {
		at = ir.Place{Pos: c.out.Bodies[body].Pos, Within: c.called(body)}
	}
	c.countAt(at, false, rule.Lambda, n)
	c.countAt(at, false, rule.GC, n)
}
