package compile

import (
	"errors"
	"slices"

	"github.com/gram-machine/gram/compile/block"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// A λ, a branch or a program that has families and is no block has them outlined: each comprehension in it that stands in no other is
// a template of its own, without parameters, whose block runs where the comprehension stands. It counts nothing beside its code.

// familiesError is a [graph.ErrFamilies] that says what is to be done about it: the templates of the nodes outline are to have their
// families outlined; if there are none, the comprehensions expand are to be expanded. If there are none either, all are.
type familiesError struct{ outline, expand []term.Ref }

func (e *familiesError) Error() string { return graph.ErrFamilies.Error() }
func (e *familiesError) Unwrap() error { return graph.ErrFamilies }

// maxRounds bounds how often a term with families is compiled.
const maxRounds = 24

// A term that takes largePart bytes or more, and partOf for each node and variable of the whole expansion, is not made: to expand the rest, too,
// takes less time. The expansion has some 50 for each.
const (
	largePart = 1 << 24
	partOf    = 12
)

// Families is [Compile] for a term with families. Those in code that is no block are outlined, and those that no block can hold are
// expanded. The error is [graph.ErrFamilies] if all are to be expanded.
func Families(t *term.Term, opt Options) (*graph.Program, error) {
	opt.outline = map[term.Ref]bool{}
	whole := t.ExpandedSize()
	for range maxRounds {
		p, err := Compile(t, opt)
		var e *familiesError
		switch {
		case !errors.As(err, &e):
			return p, err
		case len(e.outline) > 0:
			for _, r := range e.outline {
				opt.outline[r] = true
			}
			continue
		case len(e.expand) == 0:
			return nil, graph.ErrFamilies
		}
		chosen := make([]bool, len(t.Nodes))
		for _, r := range e.expand {
			chosen[r] = true
		}
		reserve := func(bytes int64) error {
			if bytes > largePart && float64(bytes) > partOf*whole {
				return graph.ErrFamilies
			}
			if opt.Reserve == nil {
				return nil
			}
			return opt.Reserve(bytes)
		}
		if t, err = t.ExpandSome(chosen, reserve, opt.Check); err != nil {
			return nil, err
		}
		clear(opt.outline)
	}
	return nil, graph.ErrFamilies
}

// unheld says that no block holds what is compiled: the innermost comprehension that it stands in is to be expanded.
func (c *compiler) unheld() {
	b, e := c.top(), &familiesError{}
	n := &c.t.Nodes[c.at]
	switch l := &b.loops; {
	case n.Comprehends() && len(c.t.IndicesOf(n.Static())) == 0:
		e.expand = []term.Ref{c.at}
	case l.open():
		e.expand = []term.Ref{l.nodes[l.around[len(l.around)-1]]}
	case b.inline || b.element != 0:
		e.expand = []term.Ref{b.node}
	}
	c.err = e
}

// within returns the nodes that comprehend in the term at r, with r.
func (c *compiler) within(r term.Ref) (out []term.Ref) {
	for stack := []term.Ref{r}; len(stack) > 0; {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &c.t.Nodes[r]
		if n.Comprehends() {
			out = append(out, r)
		}
		c.t.Kids(n, func(k term.Ref) { stack = append(stack, k) })
	}
	return out
}

// missing is the error for templates with families that have no block.
func (c *compiler) missing(err error) error {
	var m *block.MissingError
	if !errors.As(err, &m) || c.opt.outline == nil || c.late {
		return err
	}
	e := &familiesError{}
	for _, id := range m.Templates {
		r := c.nodes[id]
		switch t := &c.out.Templates[id]; {
		case r == 0 || c.opt.outline[r]:
			return graph.ErrFamilies
		case t.Inline || t.Elements > 0:
			e.expand = append(e.expand, r)
		default:
			e.outline = append(e.outline, r)
		}
	}
	return e
}

// outlines reports whether the comprehension that is compiled is to be a template of its own.
func (c *compiler) outlines() bool {
	b := c.top()
	return !b.loops.open() && c.opt.outline[b.node] && !b.inline
}

// outlineStep is the step of a comprehension whose template has been compiled.
const outlineStep = 2

// beginInline begins the template of the comprehension at r.
func (c *compiler) beginInline(r term.Ref, n *term.Node) {
	c.open("comprehension", n.Pos, nil)
	b := c.top()
	b.node, b.inline = r, true
	c.push(r, outlineStep)
	c.openLoop(r, n)
}

// endInline ends it, and runs its block.
func (c *compiler) endInline(n *term.Node) {
	b := c.top()
	result := c.popValue()
	c.slot(result) // which may capture more
	tests := slices.ContainsFunc(b.code, func(in graph.Instr) bool { return in.Op == graph.OpTest })
	waits := slices.ContainsFunc(b.captured, func(x capture) bool { return !c.stack[len(c.stack)-2].ready(x.from) })
	disorder := c.opt.Reversed && (tests || waits) && !c.cascades(n, waits)
	id, captured := c.close(result)
	if disorder { // the dual λs would be made in another order
		c.err = &familiesError{expand: c.within(c.at)}
		return
	}
	c.closure(id, captured, n.Pos)
	in := graph.Instr{Op: graph.OpRun, A: uint32(c.popSlots(1)[0]), Pos: n.Pos}
	if tests && c.opt.Reversed {
		in.Flags = graph.Late
	}
	c.yieldSlot(c.emit(in, nil))
}
