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

// cascade finds out whether that is so for the code of a template.
type cascade struct {
	c      *compiler
	b      *builder
	waits  []bool // by captured variable
	slots  map[slot]awaited
	roots  []cascadeRoot
	around []int // the loops around the instruction
}

// awaited is what is known of a slot.
type awaited struct {
	waits bool
	part  int   // 1 + the captured variable or instruction of which it is a part, itself; 0: of none
	roots []int // the duals that are in it
}

// cascadeRoot is a dual, for all instances of the loops around it.
type cascadeRoot struct {
	own     bool // it is made here, in the loop
	loop    int
	used    bool
	waits   bool
	part    int           // as of [awaited]
	at      *block.Affine // of a component: which one it is
	first   slot          // of others: where their components are
	n       int
	strides int
}

// cascades reports whether the template on top, of the comprehension n, makes dual λs in the order of the expansion, though it waits.
func (c *compiler) cascades(n *term.Node) bool {
	b := c.top()
	outer := c.stack[len(c.stack)-2]
	k := &cascade{c: c, b: b, waits: make([]bool, len(b.captured)), slots: map[slot]awaited{}}
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
	return n.Op == term.FamilyOp && !slices.ContainsFunc(k.roots, func(r cascadeRoot) bool { return r.own && !r.used })
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
		a.roots = k.root(cascadeRoot{waits: a.waits, part: a.part, first: s, n: 1, strides: 1})
	case globalClass:
		a.roots = k.root(cascadeRoot{first: s, n: 1, strides: 1})
	}
	k.slots[s] = a
	return a
}

func (k *cascade) root(r cascadeRoot) []int {
	k.roots = append(k.roots, r)
	return []int{len(k.roots) - 1}
}

// loop is the innermost loop around the instruction.
func (k *cascade) loop() int {
	if len(k.around) == 0 {
		return -1
	}
	return k.around[len(k.around)-1]
}

// instr follows an instruction, and reports whether the order is still that of the expansion.
func (k *cascade) instr(pc uint32, in *graph.Instr) bool {
	a, d := k.slot(slot(in.A)), slot(in.D)
	switch in.Op {
	case graph.OpLoop:
		k.around = append(k.around, int(in.Tmpl))
	case graph.OpIndexNum:
	case graph.OpComponent:
		if slot(in.A)&classMask == localClass {
			return false
		}
		part := 1 + int(pc)
		k.slots[d] = awaited{a.waits, part, k.root(cascadeRoot{waits: a.waits, part: part, at: &k.b.loops.Indices[in.Tmpl], first: slot(in.A), n: int(in.N), strides: int(in.Split)})}
	case graph.OpUnpair:
		k.slots[d], k.slots[d+1] = a, a
	case graph.OpPair:
		b := k.slot(slot(in.B))
		k.slots[d] = awaited{waits: a.waits || b.waits, roots: append(slices.Clip(a.roots), b.roots...)}
	case graph.OpMul, graph.OpAdd, graph.OpSub, graph.OpFun2:
		k.slots[d] = awaited{waits: a.waits || k.slot(slot(in.B)).waits}
	case graph.OpFun1:
		k.slots[d] = awaited{waits: a.waits}
	case graph.OpDual:
		return k.dual(in)
	case graph.OpTotal:
		b := k.slot(slot(in.B))
		if !k.use(b, nil) {
			return false
		}
		k.around = k.around[:len(k.around)-1]
		k.slots[d] = awaited{waits: a.waits}
		k.slots[d+1] = awaited{waits: b.waits, roots: k.root(cascadeRoot{own: true, loop: k.loop()})}
	case graph.OpFamily:
		if !k.use(a, nil) {
			return false
		}
		k.around = k.around[:len(k.around)-1]
		k.slots[d] = awaited{waits: a.waits, roots: k.root(cascadeRoot{own: true, loop: k.loop(), used: len(k.around) == 0})}
	default:
		return false
	}
	return true
}

// dual follows an instruction that makes dual λs.
func (k *cascade) dual(in *graph.Instr) bool {
	ops := k.b.args[in.Off : in.Off+in.N]
	heads := int(k.c.out.Bodies[k.c.out.Duals[in.Tmpl].Body].Heads)
	made := awaited{}
	for _, s := range ops {
		made.waits = made.waits || k.slot(slot(s)).waits
	}
	for _, s := range ops[:heads] {
		if !made.waits || !k.use(k.slot(slot(s)), ops) {
			return false
		}
	}
	if heads > 0 { // one that reaches nothing is made at any time
		made.roots = k.root(cascadeRoot{own: true, loop: k.loop()})
	}
	k.slots[slot(in.D)] = made
	return true
}

// use follows an occurrence of duals, in a dual λ of the operands ops, or in a sum or vector.
func (k *cascade) use(a awaited, ops []uint32) bool {
	for _, i := range a.roots {
		r := &k.roots[i]
		switch {
		case r.used, r.own && r.loop != k.loop(), !r.own && k.overlaps(i):
			return false
		case r.own, k.distinct(r.at):
		case !r.waits || ops == nil:
			return false
		}
		r.used = true
		for _, s := range ops {
			if o := k.slot(slot(s)); !r.own && !k.distinct(r.at) && o.waits && o.part != r.part {
				return false
			}
		}
	}
	return true
}

// overlaps reports whether another dual that has been used may be the same as root i.
func (k *cascade) overlaps(i int) bool {
	r := &k.roots[i]
	return slices.ContainsFunc(k.roots, func(o cascadeRoot) bool {
		return !o.own && o.used && o.first&classMask == r.first&classMask &&
			o.first < r.first+slot(r.n*r.strides) && r.first < o.first+slot(o.n*o.strides)
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
