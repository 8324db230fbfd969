package compile

import (
	"slices"

	"github.com/gram-machine/gram/compile/block"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// A comprehension in D(t) that reads the result of an application waits for it. Its block then makes all dual λs at once, in the order of
// the code. The expansion makes each as soon as its operands are there: when the vector that it waits for is opened, component by component,
// and for each of them all that needs nothing more, down to the results. The order in which arrivals are added depends on the order of
// the dual λs that one dual occurs in. It is the same where
//
//   - all that is waited for is opened by one instruction, and nothing else mentions it, so that nothing else happens in between;
//   - the result is a vector, for which others wait until all is there, and all dual λs are part of it;
//   - each dual occurs in one dual λ, or is waited for and occurs in those of one instruction, whose other operands are there before:
//     they are made in the order of the code when it arrives.
//
// A comprehension with conditionals that waits for nothing has its dual λs in the order of the code, but for those that depend on conditionals.
// These are made behind other code; the result of the block is there then, too. The order is the same where what they reach is made in
// the comprehension, and each such dual occurs in one dual λ.

// cascade finds out whether that is so for the code of a template.
type cascade struct {
	c       *compiler
	b       *builder
	waiting bool
	waits   []bool // by captured variable
	slots   map[slot]awaited
	roots   []cascadeRoot
	around  []int    // the loops around the instruction
	sides   []choice // the branches around it
}

// choice is a branch of a conditional.
type choice struct {
	test  uint32
	no    bool
	waits bool // the conditional waits
}

// awaited is what is known of a slot.
type awaited struct {
	waits bool
	late  bool // it depends on a conditional
	part  int  // 1 + the captured variable or instruction of which it is a part, itself; 0: of none
	roots []choiceOf
}

// choiceOf is a dual that a slot has in the given branches.
type choiceOf struct {
	root int
	when []choice
}

// cascadeRoot is a dual, for all instances of the loops around it.
type cascadeRoot struct {
	own    bool // it is made here, in the loop
	loop   int
	used   [][]choice // where it occurs
	waits  bool
	part   int           // as of [awaited]
	at     *block.Affine // of a component: which one it is
	first  slot          // of others: where their components are
	n      int
	stride int
}

// cascades reports whether the template on top, of the comprehension n, makes dual λs in the order of the expansion, though it waits, or
// has conditionals.
func (c *compiler) cascades(n *term.Node, waiting bool) bool {
	b := c.top()
	outer := c.stack[len(c.stack)-2]
	k := &cascade{c: c, b: b, waiting: waiting, waits: make([]bool, len(b.captured)), slots: map[slot]awaited{}}
	event := -1
	for i, x := range b.captured {
		if outer.ready(x.from) {
			continue
		}
		k.waits[i] = true
		at := int(outer.locals.of(uint32(x.from & indexMask)).at)
		if event < 0 {
			event = at
		}
		if at != event || c.mentioned(x.x) != 1 {
			return false
		}
	}
	for i := range b.code {
		if !k.instr(uint32(i), &b.code[i]) {
			return false
		}
	}
	return !waiting || n.Op == term.FamilyOp && !slices.ContainsFunc(k.roots, func(r cascadeRoot) bool { return r.own && len(r.used) == 0 })
}

// mentioned returns how many nodes mention a variable, in a component perhaps.
func (c *compiler) mentioned(x term.Var) int {
	if c.mentions == nil {
		c.mentions = make([]int32, c.t.NumVars()+1)
		for r := range c.t.Nodes {
			n := &c.t.Nodes[r]
			if c.types[r] == 0 { // not under the root
				continue
			}
			switch n.Op {
			case term.VarOp:
				c.mentions[n.X]++
				c.mentions[n.X+1]--
			case term.ComponentOp:
				c.mentions[n.X]++
				c.mentions[n.X+term.Var(n.N)]--
			}
		}
		for i := range len(c.mentions) - 1 {
			c.mentions[i+1] += c.mentions[i]
		}
	}
	return int(c.mentions[x])
}

// slot returns what is known of a slot.
func (k *cascade) slot(s slot) awaited {
	if a, ok := k.slots[s]; ok {
		return a
	}
	a := awaited{}
	switch s & classMask {
	case captureClass:
		i := int(s & indexMask)
		a = awaited{waits: k.waits[i], part: 1 + len(k.b.code) + i}
		a.roots = k.root(cascadeRoot{waits: a.waits, part: a.part, first: s, n: 1, stride: 1})
	case globalClass:
		a.roots = k.root(cascadeRoot{first: s, n: 1, stride: 1})
	}
	k.slots[s] = a
	return a
}

func (k *cascade) root(r cascadeRoot) []choiceOf {
	k.roots = append(k.roots, r)
	return []choiceOf{{root: len(k.roots) - 1}}
}

// made is a dual that is made at the instruction.
func (k *cascade) made() []choiceOf { return k.root(cascadeRoot{own: true, loop: k.loop()}) }

// loop is the innermost loop around the instruction.
func (k *cascade) loop() int {
	if len(k.around) == 0 {
		return -1
	}
	return k.around[len(k.around)-1]
}

// of is what is known of a result of the operands.
func (k *cascade) of(ops ...awaited) awaited {
	d := awaited{late: len(k.sides) > 0}
	for _, a := range ops {
		d.waits, d.late = d.waits || a.waits, d.late || a.late
	}
	return d
}

// instr follows an instruction, and reports whether the order is still that of the expansion.
func (k *cascade) instr(pc uint32, in *graph.Instr) bool {
	a, b, d := k.slot(slot(in.A)), awaited{}, slot(in.D)
	if in.NumOperands() == 2 || in.Op == graph.OpTotal || in.Op == graph.OpTest || in.Op == graph.OpJoin {
		b = k.slot(slot(in.B))
	}
	v := k.of(a, b)
	switch in.Op {
	case graph.OpLoop:
		k.around = append(k.around, int(in.Tmpl))
	case graph.OpIndexNum:
	case graph.OpComponent:
		if slot(in.A)&classMask == localClass {
			return false
		}
		a.part = 1 + int(pc)
		a.roots = k.root(cascadeRoot{waits: a.waits, part: a.part, at: &k.b.loops.Indices[in.Tmpl], first: slot(in.A), n: int(in.N), stride: int(in.Split)})
		k.slots[d] = a
	case graph.OpUnpair:
		k.slots[d], k.slots[d+1] = a, a
	case graph.OpPair:
		v.roots = append(slices.Clip(a.roots), b.roots...)
		k.slots[d] = v
	case graph.OpMul, graph.OpAdd, graph.OpSub, graph.OpFun1, graph.OpFun2:
		k.slots[d] = v
	case graph.OpDual:
		return k.dual(in)
	case graph.OpTotal:
		if !k.use(b, nil, v.late) {
			return false
		}
		k.around = k.around[:len(k.around)-1]
		k.slots[d] = v
		v.roots = k.made()
		k.slots[d+1] = v
	case graph.OpFamily:
		if !k.use(a, nil, false) {
			return false
		}
		k.around = k.around[:len(k.around)-1]
		v.roots = k.made()
		if len(k.around) == 0 {
			k.roots[v.roots[0].root].used = [][]choice{nil}
		}
		k.slots[d] = v
	case graph.OpTest:
		k.sides = append(k.sides, choice{test: pc, waits: a.waits || b.waits})
		return in.Split == 0
	case graph.OpElse:
		k.sides[len(k.sides)-1].no = true
	case graph.OpJoin:
		k.join(in, a, b)
	default:
		return false
	}
	return true
}

// join follows the end of a conditional whose branches have given a and b.
func (k *cascade) join(in *graph.Instr, yes, no awaited) {
	last := len(k.sides) - 1
	side := k.sides[last]
	k.sides = k.sides[:last]
	v := awaited{waits: yes.waits || no.waits || side.waits, late: true}
	for i, a := range []awaited{yes, no} {
		side.no = i == 1
		for _, r := range a.roots {
			v.roots = append(v.roots, choiceOf{r.root, append(slices.Clip(r.when), side)})
		}
	}
	k.slots[slot(in.D)] = v
}

// dual follows an instruction that makes dual λs.
func (k *cascade) dual(in *graph.Instr) bool {
	ops := k.b.args[in.Off : in.Off+in.N]
	heads := int(k.c.out.Bodies[k.c.out.Duals[in.Tmpl].Body].Heads)
	made := k.of()
	for _, s := range ops {
		made = k.of(made, k.slot(slot(s)))
	}
	for _, s := range ops[:heads] {
		if k.waiting && !made.waits || !k.use(k.slot(slot(s)), ops, made.late) {
			return false
		}
	}
	if heads > 0 { // one that reaches nothing is made at any time
		made.roots = k.made()
	}
	k.slots[slot(in.D)] = made
	return true
}

// use follows an occurrence of duals, in a dual λ of the operands ops, or in a sum or vector.
func (k *cascade) use(a awaited, ops []uint32, late bool) bool {
	for _, o := range a.roots {
		r := &k.roots[o.root]
		when := slices.Concat(k.sides, o.when)
		switch {
		case r.own:
			if r.loop != k.loop() || slices.ContainsFunc(r.used, func(w []choice) bool { return !exclusive(w, when) }) {
				return false
			}
		case !k.waiting:
			if late {
				return false
			}
		case len(r.used) > 0 || k.overlaps(o.root) || !k.distinct(r.at) && !k.direct(r, ops):
			return false
		}
		r.used = append(r.used, when)
	}
	return true
}

// exclusive reports whether what is in some branches is not there together with what is in others.
func exclusive(a, b []choice) bool {
	return slices.ContainsFunc(a, func(x choice) bool {
		return slices.ContainsFunc(b, func(y choice) bool { return x.test == y.test && x.no != y.no })
	})
}

// direct reports whether the operands of dual λs that r occurs in are there before it.
func (k *cascade) direct(r *cascadeRoot, ops []uint32) bool {
	return r.waits && ops != nil && len(k.sides) == 0 && !slices.ContainsFunc(ops, func(s uint32) bool {
		a := k.slot(slot(s))
		return a.waits && a.part != r.part
	})
}

// overlaps reports whether another dual that has been used may be the same as root i.
func (k *cascade) overlaps(i int) bool {
	r := &k.roots[i]
	return slices.ContainsFunc(k.roots, func(o cascadeRoot) bool {
		return !o.own && len(o.used) > 0 && o.first&classMask == r.first&classMask &&
			o.first < r.first+slot(r.n*r.stride) && r.first < o.first+slot(o.n*o.stride)
	})
}

// distinct reports whether a component is another one in each instance of the loops around the instruction.
func (k *cascade) distinct(at *block.Affine) bool {
	left := slices.Clone(k.around)
	if at == nil {
		return len(left) == 0
	}
	coef := func(loop int) int {
		if loop < len(at.Coef) {
			return max(at.Coef[loop], -at.Coef[loop])
		}
		return 0
	}
	slices.SortFunc(left, func(x, y int) int { return coef(x) - coef(y) })
	reach := 0
	for _, loop := range left {
		if coef(loop) <= reach {
			return false
		}
		reach += coef(loop) * (k.b.loops.All[loop].Size - 1)
	}
	return true
}
