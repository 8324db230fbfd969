package compile

import (
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// match goes through the branches of a match: its k.n-th one has been compiled, if k.n > 0.
func (c *compiler) match(k task, n *term.Node) {
	kids := c.t.Children(n)
	if k.n > 0 {
		c.branches = append(c.branches, c.closeBranch())
	}
	if int(k.n) < len(kids)-1 {
		b := &c.t.Nodes[kids[1+k.n]]
		c.open("case", b.Pos, nil)
		c.top().typ, c.top().node = c.types[k.r], kids[1+k.n]
		if b.N > 0 {
			c.top().extra = 1
			c.openTuple(b, operand{slot: paramClass})
		}
		c.tasks = append(c.tasks, task{r: k.r, step: 1, n: k.n + 1})
		c.push(b.A, 0)
		return
	}
	first := len(c.branches) - int(k.n)
	args := c.popSlots(1)
	var cases []graph.Branch
	var late term.Type
	for _, b := range c.branches[first:] {
		from := uint32(len(args))
		args = append(args, b.captured...)
		cases = append(cases, graph.Branch{Template: b.id, From: from, To: uint32(len(args))})
		late = max(late, b.late) // all have one type
	}
	c.branches = c.branches[:first]
	c.out.Cases = append(c.out.Cases, cases)
	c.count(rule.Case, 1)
	s := c.emit(graph.Instr{Op: graph.OpCase, Tmpl: uint32(len(c.out.Cases) - 1), Pos: n.Pos}, args)
	c.yield(operand{slot: s, late: late})
}

// openFix begins the i-th function of a fix. Its template counts the (4) of the functions' names, which are slots behind the
// parameters; the machine counts (15).
func (c *compiler) openFix(r term.Ref, n *term.Node, i uint32) {
	fs, lam := c.t.Bound(n), c.t.Children(n)[i]
	params, body := c.parameters(lam)
	c.open(c.t.Info(term.Var(fs[i])).Name, c.t.Nodes[lam].Pos, params)
	c.top().extra, c.top().typ, c.top().node = n.N, c.types[body], lam
	c.pos = c.t.Nodes[lam].Pos
	for j, f := range fs {
		c.bind(term.Var(f), operand{slot: paramClass | slot(len(params)+j)})
		c.countOf(term.Var(f), rule.GC, 1)
	}
	if n.N > 1 {
		c.captureAll(r)
	}
	c.tasks = append(c.tasks, task{r: r, step: 1, n: i + 1})
	c.push(body, 0)
}

// captureAll captures the free variables of node r, so that functions that are defined together capture the same.
func (c *compiler) captureAll(r term.Ref) {
	seen := map[term.Var]bool{}
	for stack, visited := []term.Ref{r}, 1; len(stack) > 0 && c.check(visited); visited++ {
		n := &c.t.Nodes[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		last := n.X
		switch n.Op {
		case term.VarOp:
			last++
		case term.ComponentOp:
			last += term.Var(n.N)
		}
		for x := n.X; x < last; x++ {
			if !seen[x] && c.bound(x) {
				seen[x] = true
				if c.vars[x].depth < c.depth() {
					c.slot(c.variable(x))
				}
			}
		}
		c.t.Kids(n, func(k term.Ref) { stack = append(stack, k) })
	}
}

// closeFix ends the k.n-th function of a fix, and begins the next one or makes the closure of the member that is meant.
func (c *compiler) closeFix(k task, n *term.Node) {
	id, captured := c.close(c.pop())
	c.group = append(c.group, id)
	if k.n < n.N {
		c.openFix(k.r, n, k.n)
		return
	}
	group := append([]uint32(nil), c.group[len(c.group)-int(n.N):]...)
	c.group = c.group[:len(c.group)-int(n.N)]
	for _, id := range group {
		c.out.Templates[id].Group = group
	}
	c.closure(group[n.Count], captured, n.Pos)
}
