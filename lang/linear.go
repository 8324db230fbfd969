package lang

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// linearity checks core by the two judgements of the calculus, ⊢ t : A and ⊢_Z t : R^d,
// as term.Check does, but with messages in the words of the source. A node has ⊢ just if
// outer is 0, and ⊢_Z just if lin is set and Z has its linear variables. A node in which
// something is wrong has both from then on, so that each mistake is reported once.
type linearity struct {
	*dependence
	linearReport
	tt    *infer.Types
	file  *syntax.File
	lin   []bool
	wrong []bool
}

// mark says where a node inside lin stands, for messages about linear variables.
type mark struct {
	node node
	use  int // the activation, in uses
	span syntax.Span
}

// linearReport is where nodes stand, and what is called with errors.
type linearReport struct {
	// marks are the nodes inside lin, in their order, and chain is the chain of uses of defs that an index use of a mark stands for.
	marks  []mark
	chain  func(use int) []syntax.Note
	report func(span syntax.Span, headline, label string, notes ...syntax.Note)
	// full reports whether no more errors are wanted.
	full func() bool
}

// checkLinear checks the linear variables of the nodes under the roots, all of whose types
// are known, and notes which variables are linear and which operations have a linear
// operand. It is for programs with lin and without other errors.
func checkLinear(p *elaborated, roots []node, to linearReport) {
	l := &linearity{dependence: newDependence(p, roots), linearReport: to, tt: p.tt, file: p.file,
		lin: make([]bool, len(p.core.nodes)), wrong: make([]bool, len(p.core.nodes))}
	for r := range p.core.nodes {
		if !l.live[r] {
			continue
		}
		p.tick()
		if l.full() {
			return
		}
		n := &p.core.nodes[r]
		l.outer[r] = l.of(n)
		ok := l.node(node(r), n)
		if !ok {
			l.outer[r] = 0
		}
		l.spread(node(r), n, ok)
	}
}

// spread notes that something is wrong in a node.
func (l *linearity) spread(r node, n *coreNode, ok bool) {
	wrong := !ok
	l.c.children(n, func(k node) { wrong = wrong || l.wrong[k] })
	l.wrong[r] = wrong
	l.lin[r] = l.lin[r] || wrong
}

// node judges a node, whose children have been judged. It reports whether it is right.
func (l *linearity) node(r node, n *coreNode) bool {
	switch n.op {
	case varCore, pathCore:
		l.lin[r] = l.outer[r] != 0
	case numCore:
		l.lin[r] = n.val == 0
	case lamCore:
		return l.function(n)
	case appCore:
		return l.application(r, n)
	case letCore:
		return l.let(r, n)
	case tupleCore, unvecCore:
		l.lin[r] = l.lin[n.a]
		return l.plain(n.b, "in what a pattern takes apart")
	case addCore:
		return l.each(r, "summand", n.a, n.b)
	case funCore:
		return l.symbol(r, n)
	case vecCore:
		return l.each(r, "component", l.c.args[n.a:n.b]...)
	case ifCore:
		k := l.c.args[n.a : n.a+4]
		ok := l.plain(k[0], "in a condition")
		return l.plain(k[1], "in a condition") && ok && l.each(r, "branch", k[2], k[3])
	case caseCore:
		bodies := make([]node, int(n.val))
		for i := range bodies {
			bodies[i] = l.c.branch(n, i).body
		}
		ok := l.plain(n.a, "in what match takes apart")
		return l.each(r, "case", bodies...) && ok
	default:
		return l.others(n)
	}
	return true
}

// closed are the nodes that no linear variable may occur in.
var closed = [numCoreOps]string{
	pairCore: "in a tuple", listCore: "in a list", projCore: "in a vector that is projected",
	dotCore: "under dot", matvecCore: "under matvec", totalCore: "under sum", maximumCore: "under maximum", transposeCore: "under transpose",
	conCore: "under a constructor", fixCore: "in a recursive function", pickCore: "under pick", oneHotCore: "under onehot",
	alongCore: "under jvp", gradCore: "under grad",
}

func (l *linearity) others(n *coreNode) bool {
	ok := true
	l.c.children(n, func(k node) { ok = l.plain(k, closed[n.op]) && ok })
	return ok
}

// number reports whether x is a number: only numbers are linear variables.
func (l *linearity) number(x variable) bool {
	k := l.tt.At(l.c.vars[x].typ).Kind
	return k == infer.Real || k == infer.Open
}

// plain reports an error if node k depends on a linear variable.
func (l *linearity) plain(k node, where string, notes ...syntax.Note) bool {
	x := l.outer[k]
	if x == 0 {
		return true
	}
	at := l.occurrence(k, x)
	l.wrongAt(at, l.name(x)+" is used "+where, notes...)
	return false
}

// each judges a sum, a vector or a choice by its parts: all have ⊢, or all have ⊢_Z.
func (l *linearity) each(r node, what string, parts ...node) bool {
	l.lin[r] = true
	for _, k := range parts {
		l.lin[r] = l.lin[r] && l.lin[k]
	}
	ok := true
	for _, k := range parts {
		ok = l.uses(r, k, "in this "+what) && ok
	}
	return ok
}

// uses reports an error if r depends on a linear variable and its part k drops it.
func (l *linearity) uses(r, k node, where string) bool {
	x := l.outer[r]
	if x == 0 || l.lin[k] {
		return true
	}
	l.wrongAt(k, l.name(x)+" is dropped "+where+": it must be linear in "+l.short(x)+", or zero")
	return false
}

// function judges λx.t and λz.t.
func (l *linearity) function(n *coreNode) bool {
	v := &l.c.vars[n.x]
	if !v.linear {
		return l.plain(n.a, "inside a function")
	}
	if x := l.outer[n.a]; x != 0 && x != n.x {
		return l.plain(n.a, underLin+v.name+" is linear")
	}
	if !l.lin[n.a] {
		l.report(wordAt(l.file, v.pos), notLinear, "the linear variable "+v.name+" is not used: the body must be linear in it, or zero", l.notes(n.a)...)
		return false
	}
	return true
}

// application judges f u, by the type of f.
func (l *linearity) application(r node, n *coreNode) bool {
	ok := l.plain(n.a, "in a function that is applied")
	if l.tt.At(n.typ).Kind == infer.Dual {
		l.lin[r] = l.lin[n.b]
		return ok
	}
	if l.outer[n.b] == 0 {
		return ok
	}
	return l.plain(n.b, "in the argument of an ordinary function",
		syntax.Note{Text: "the function is " + l.tt.Text().Of(n.typ) + "; only R -o R and R -o R^s take what is linear"})
}

// let judges t[x:=u]. If u depends on a linear variable then x is one too.
func (l *linearity) let(r node, n *coreNode) bool {
	l.lin[r] = l.lin[n.a]
	if l.outer[n.b] == 0 {
		return true
	}
	if !l.number(n.x) {
		x := l.outer[n.b]
		l.wrongAt(n.b, "this is "+l.tt.Text().Of(l.c.vars[n.x].typ)+" and uses "+l.name(x)+": let can bind what is linear only if it is R")
		return false
	}
	l.c.vars[n.x].linear = true
	return l.uses(r, n.a, "in the body of this let")
}

// symbol judges f(t) and f(t,u). Products are linear in one factor; differences,
// negations and quotients with a linear operand are written out as sums and products.
func (l *linearity) symbol(r node, n *coreNode) bool {
	depends := l.outer[r] != 0
	switch n.sym {
	case term.Mul:
		return l.product(r, n)
	case term.Sub:
		if depends {
			n.op = linearCore
			return l.each(r, "summand", n.a, n.b)
		}
	case term.Neg:
		if depends {
			n.op, l.lin[r] = linearCore, true
		}
	case term.Div:
		if depends {
			n.op, l.lin[r] = linearCore, true
			return l.plain(n.b, "in a divisor")
		}
	default:
		if depends {
			ok := l.plain(n.a, "under "+n.sym.String())
			return (n.b == 0 || l.plain(n.b, "under "+n.sym.String())) && ok
		}
	}
	return true
}

func (l *linearity) product(r node, n *coreNode) bool {
	x, y := l.outer[n.a], l.outer[n.b]
	l.lin[r] = l.lin[n.a] && y == 0 || l.lin[n.b] && x == 0
	if x == 0 || y == 0 {
		return true
	}
	switch v, w := l.root(x), l.root(y); {
	case l.binder[v] > l.binder[w]:
		return l.plain(n.a, underLin+l.c.vars[w].name+" is linear")
	case l.binder[v] < l.binder[w]:
		return l.plain(n.b, underLin+l.c.vars[v].name+" is linear")
	}
	first, second := l.occurrence(n.a, x), l.occurrence(n.b, y)
	if l.hidden(x) && l.hidden(y) {
		l.wrongAt(first, l.name(x)+" is raised to a power")
		return false
	}
	l.wrongAt(second, l.name(y)+" is used in both factors of a product",
		syntax.Note{Span: l.span(first), Text: "the other factor uses " + l.short(x) + " here"})
	return false
}

const (
	notLinear = "not linear"
	underLin  = "under another lin, where only "
)

// wrongAt reports an error at node k.
func (l *linearity) wrongAt(k node, label string, notes ...syntax.Note) {
	l.report(l.span(k), notLinear, label, append(notes, l.notes(k)...)...)
}

// mark returns the place of node k, if it has been noted.
func (l *linearity) mark(k node) (mark, bool) {
	i, ok := slices.BinarySearchFunc(l.marks, k, func(m mark, k node) int { return cmp.Compare(m.node, k) })
	if !ok {
		return mark{}, false
	}
	return l.marks[i], true
}

// span returns where node k stands.
func (l *linearity) span(k node) syntax.Span {
	if m, ok := l.mark(k); ok {
		return m.span
	}
	return wordAt(l.file, l.c.nodes[k].pos)
}

// notes returns the chain of uses of defs that led to node k.
func (l *linearity) notes(k node) []syntax.Note {
	m, _ := l.mark(k)
	return l.chain(m.use)
}

// name says which variable a message is about.
func (l *linearity) name(x variable) string {
	z := l.root(x)
	text := "the linear variable " + l.c.vars[z].name
	if z == x || l.hidden(x) {
		return text
	}
	return l.c.vars[x].name + ", which depends on " + text + ","
}

// short is the name of x in the source.
func (l *linearity) short(x variable) string {
	if l.hidden(x) {
		x = l.root(x)
	}
	return l.c.vars[x].name
}

// hidden reports whether x has no name in the source.
func (l *linearity) hidden(x variable) bool {
	v := &l.c.vars[x]
	return v.name == "" || v.name == "_" || v.pos == 0 || !bytes.HasPrefix(l.file.Src[v.pos-1:], []byte(v.name))
}

// occurrence returns an occurrence of x in k, the first that is found from the left.
func (l *linearity) occurrence(k node, x variable) node {
	stack := []node{k}
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &l.c.nodes[r]
		if n.op == varCore && n.x == x {
			return r
		}
		from := len(stack)
		l.c.children(n, func(k node) {
			if l.outer[k] != 0 {
				stack = append(stack, k)
			}
		})
		for i, j := from, len(stack)-1; i < j; i, j = i+1, j-1 {
			stack[i], stack[j] = stack[j], stack[i]
		}
	}
	return k
}
