// Package equiv compares terms up to the structural equivalence ≡ of the paper. Tests
// use it.
package equiv

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gram-machine/gram/term"
)

// Options say what [Difference] looks past. The zero value looks past nothing.
type Options struct {
	// IgnoreGarbage leaves out substitutions whose variables have no occurrence, and
	// those that only such substitutions mention: what (4) and (5') would collect.
	IgnoreGarbage bool
}

// Difference returns "" if t and u are one graph: equal up to α, structural
// equivalence without dup (Table 2b; comm, esub, app1, app2), and associativity,
// commutativity and unit of sums. Otherwise it says where they first differ, seen
// from the root.
//
// # What is compared
//
// A term is read as a graph. An occurrence of x in t[x:=u] is an edge to the node of
// u, so the substitution itself has no place, and none is moved or unfolded. What is
// equal is then:
//
//   - Sharing counts. let x = sin y in x·x is one sine and sin y·sin y are two: they
//     differ, for there is no dup. A let whose variable occurs once is no sharing:
//     f(x)[x:=u] is f(u).
//   - Atoms have no identity: variables, numerals, data, #n and zero tuples. A let of
//     one is transparent, let z = 3 in z·z is 3·3, since every occurrence of a closed
//     atom is one node of the machine. All else, a λ or a pair too, counts as above:
//     (3) and (4) on those are steps, not ≡.
//   - The body of a λ, the functions of a fix, the branches of a conditional or a match and the elements of a list are
//     scopes: what stands in them is computed when they run. A let inside one is not
//     the same let outside.
//   - t[⟨x,y⟩:=u] is a node that opens u, and x and y are its components. An
//     [term.UntupleOp] is the nested openings that it stands for.
//   - A maximal sum is a bag. A sum that has a name is part of the sum around it if
//     that is its only occurrence, in the same scope; otherwise it is one summand.
//     Zeros (0, −0, 0⃗, tuples of them) are dropped, and a sum of one is its summand.
//   - A let without occurrences belongs to the scope in which it stands.
//
// Free variables and data are compared by name, numerals by their bits. Types are
// not compared, nor whether a let is linear.
//
// # How
//
// Nodes get classes from the leaves up, equal where the unfoldings are; bags are
// sorted by class. Then the classes are refined by who shares what, to the coarsest
// partition in which equal nodes have equally many edges of each kind to and from
// every class (colour refinement), and each class must have as many nodes of t as of
// u. Equal terms are always found equal. Different ones are found different, except
// for graphs of many nodes with one unfolding, in bags, that colour refinement cannot
// tell apart; to decide those is to decide the isomorphism of graphs.
//
// It takes time O(n log n) and no Go stack.
func Difference(t, u *term.Term, opt Options) string {
	d, _ := difference(t, u, opt)
	return d
}

// difference also returns how many elementary operations that took: nodes visited,
// parts of keys written, edges looked at.
func difference(t, u *term.Term, opt Options) (string, int) {
	c := newClasses()
	a := buildShared(t, opt)
	b := buildShared(u, opt)
	c.classify(a)
	c.classify(b)
	work := a.work + b.work + c.work
	if a.class[a.root] != b.class[b.root] {
		return c.firstDifference(a, b), work
	}
	p := newPartition(a, b)
	p.refine()
	return p.unbalanced(), work + p.work
}

// firstDifference walks down from the roots, whose classes differ.
func (c *classes) firstDifference(a, b *shared) string {
	x, y := a.root, b.root
	for {
		n, m := &a.nodes[x], &b.nodes[y]
		if n.label != m.label || len(n.kids) != len(m.kids) || len(n.bag) != len(m.bag) {
			return fmt.Sprintf("%s against %s", a.describe(x), b.describe(y))
		}
		i, j, ok := c.differing(a, b, n, m)
		if !ok {
			return fmt.Sprintf("the parts of %s against those of %s", a.describe(x), b.describe(y))
		}
		if i.up != j.up {
			return fmt.Sprintf("%s against %s, of another scope", a.describe(i.to), b.describe(j.to))
		}
		x, y = i.to, j.to
	}
}

// differing returns the first children of n and m that differ; of bags, the ones that
// only one has, if that is one each.
func (c *classes) differing(a, b *shared, n, m *sharedNode) (i, j link, ok bool) {
	for k, e := range n.kids {
		if f := m.kids[k]; c.part(a, e) != c.part(b, f) {
			return e, f, true
		}
	}
	left := map[part]int{}
	for _, e := range n.bag {
		left[c.part(a, e)]++
	}
	var right []link
	for _, f := range m.bag {
		if k := c.part(b, f); left[k] > 0 {
			left[k]--
		} else {
			right = append(right, f)
		}
	}
	if len(right) != 1 {
		return i, j, false
	}
	for _, e := range n.bag {
		if left[c.part(a, e)] > 0 {
			return e, right[0], true
		}
	}
	return i, j, false
}

// describe names a node for a message.
func (s *shared) describe(v vertex) string {
	n := &s.nodes[v]
	l := &n.label
	switch l.kind {
	case sumKind:
		return fmt.Sprintf("a sum of %d", len(n.bag))
	case scopeKind:
		return fmt.Sprintf("a body with %d lets that nothing mentions", len(n.bag))
	case openKind:
		return fmt.Sprintf("an opening of %d components", l.width)
	case partKind:
		return fmt.Sprintf("component %d of an opening", l.n)
	}
	switch l.op {
	case term.VarOp:
		if l.name == boundName {
			return "a bound variable"
		}
		return "the variable " + l.name[1:]
	case term.NumOp:
		return "the numeral " + strconv.FormatFloat(math.Float64frombits(l.n), 'g', -1, 64)
	case term.NatOp:
		return fmt.Sprintf("#%d", l.n)
	case term.DataOp:
		return "the data " + l.name
	case term.FunOp:
		return fmt.Sprintf("%s of %d", l.sym, len(n.kids))
	}
	return fmt.Sprintf("%s of %d", opNames[l.op], len(n.kids))
}

var opNames = map[term.Op]string{term.LamOp: "a λ", term.AppOp: "an application", term.PairOp: "a pair",
	term.ZeroOp: "0⃗", term.VecOp: "a vector",
	term.IfOp: "a conditional", term.ListOp: "a list",
	term.CaseOp: "a match", term.FixOp: "a fix", term.BranchOp: "a case", term.ConOp: "a constructor"}
