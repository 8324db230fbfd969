package revgrad

import "github.com/gram-machine/gram/term"

// A contribution is a part of the component of a variable x: what the occurrences of
// x in a subterm add up to by ⊕.
type contribution struct {
	expr  term.Ref
	at    term.Ref // a node of the source in that subterm
	join  int32    // the depth of the least node above this contribution and the one below
	below int32    // the contribution of x before it, 0 for none
}

// contribute adds expr, from node r, to the component of x. Contributions on the
// stack of x that meet below the node where the new one meets them are summed first,
// so that the sum has the shape of the term: this is F1 ⊕ G1 of all the nodes that
// have been left since the last occurrence of x.
func (w *backprop) contribute(x term.Var, expr, r term.Ref) {
	c := contribution{expr: expr, at: r, below: w.last[x]}
	if c.below != 0 {
		c.join = w.sets.depth(w.contributions[c.below].at)
		for w.contributions[c.below].below != 0 && w.contributions[c.below].join >= c.join {
			c.below = w.merge(c.below)
		}
	}
	w.contributions = append(w.contributions, c)
	w.last[x] = int32(len(w.contributions) - 1)
}

// merge adds contribution i to the one below it, which it returns.
func (w *backprop) merge(i int32) int32 {
	c := &w.contributions[i]
	p := &w.contributions[c.below]
	p.expr = w.dst.Add(w.dst.Nodes[c.expr].Pos, p.expr, c.expr)
	return c.below
}

// component returns the component of x when all its occurrences have been visited,
// and 0 where it is the numeral 0.
func (w *backprop) component(x term.Var) term.Ref {
	i := w.last[x]
	for w.contributions[i].below != 0 {
		i = w.merge(i)
	}
	expr := w.contributions[i].expr
	if w.ablated != nil && w.isZero(expr) {
		return 0
	}
	return expr
}
