package reference

import (
	"fmt"
	"math"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/term"
)

// Class is a number that terms share if they are equal up to ≡: comm, esub, app1 and app2, by which a substitution
// has no place within the scope of a λ or a branch in which it stands; sums as bags, with 0⃗ as unit; and the
// names of bound variables. There is no dup. Free variables are known by their addresses.
//
// A term is read as a graph: an occurrence of x is an edge to the substitution of x. Nodes get colours, three times
// in turn of what is below them and of what is above them: Class is made of these. Different graphs have different
// classes, but for those that such a refinement of colours cannot tell apart, which have many equal parts in bags.
func (t *Term) Class() uint64 {
	g := &classifier{env: map[*Var]binding{}}
	return g.colour(g.scope(t, 0))
}

// A classifier makes the graph of a term. The nodes below a node come before it.
type classifier struct {
	env   map[*Var]binding
	nodes []vertex
	subs  []int // the substitutions of the scope; with sharing, those that have no occurrence
	*sharing
}

// binding is what an occurrence of a variable leads to, and the scope in which that stands.
type binding struct {
	node, level int
	label       uint64 // which component of a pattern
	value       bool   // the node is the value itself
}

type vertex struct {
	label  uint64
	below  []edge
	colour uint64
}

// edge leads to a node, that stands so many scopes further out. The edges of a bag have no places.
type edge struct {
	to, up int
	place  uint64
}

const inBag = 1 << 32 // the place of the edges of a bag

// mix is a hash of a and b.
func mix(a, b uint64) uint64 {
	x := a ^ (b+0x9e3779b97f4a7c15)*0xbf58476d1ce4e5b9
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func text(s string) uint64 {
	h := uint64(len(s))
	for _, b := range []byte(s) {
		h = mix(h, uint64(b))
	}
	return h
}

func (g *classifier) add(label uint64, edges ...edge) int {
	g.nodes = append(g.nodes, vertex{label: label, below: edges})
	return len(g.nodes) - 1
}

// labels of nodes that are no constructors
const (
	labelScope uint64 = iota + 100
	labelSub
	labelPattern
	labelBound
	labelFree
)

// scope is the node of a λ's body, a branch or the whole term. Its substitutions are a bag.
func (g *classifier) scope(t *Term, level int) int {
	outer := g.subs
	g.subs = nil
	edges := []edge{{to: g.term(t, level)}}
	for _, s := range g.subs {
		edges = append(edges, edge{to: s, place: inBag})
	}
	g.subs = outer
	return g.add(labelScope, edges...)
}

// under is scope for a child of t, in which t binds variables.
func (g *classifier) under(t *Term, kid, level int) int {
	place := uint64(0)
	t.binders(func(x *Var) {
		label := mix(labelBound, place)
		if x.Linear {
			label = mix(label, 1)
		}
		g.env[x] = binding{node: g.add(label), level: level + 1}
		place++
	})
	return g.scope(t.Kids[kid], level+1)
}

// let adds the substitutions of tα, and returns t.
func (g *classifier) let(t *Term, level int) *Term {
	for ; t.Op == Let; t = t.Kids[0] {
		if g.sharing != nil {
			g.share(t, level)
			continue
		}
		label := mix(labelSub, shape(t.P))
		s := g.add(label, edge{to: g.term(t.Kids[1], level)})
		g.subs = append(g.subs, s)
		place := uint64(0)
		t.P.Vars(func(x *Var) {
			g.env[x] = binding{node: s, level: level, label: place}
			place++
		})
	}
	return t
}

func shape(p *Pattern) uint64 {
	switch {
	case p.X == nil:
		return mix(mix(labelPattern, shape(p.Left)), shape(p.Right))
	case p.X.Linear:
		return 2
	}
	return 1
}

// summands appends the edges to the summands of a sum, without 0⃗.
func (g *classifier) summands(edges []edge, t *Term, level int) []edge {
	t = g.let(t, level)
	if g.sharing != nil {
		if t = g.resolve(t, level); isZero(t) {
			return edges
		}
	}
	switch t.Op {
	case Plus:
		return g.summands(g.summands(edges, t.Kids[0], level), t.Kids[1], level)
	case Zero:
		return edges
	}
	return append(edges, edge{to: g.term(t, level), place: inBag})
}

func (g *classifier) term(t *Term, level int) int {
	t = g.let(t, level)
	if g.sharing != nil {
		t = g.resolve(t, level)
	}
	label := uint64(t.Op)
	switch t.Op {
	case Variable:
		b, ok := g.env[t.X]
		switch {
		case !ok && g.sharing != nil:
			return g.add(mix(labelFree, text(t.X.Name)))
		case !ok:
			return g.add(mix(labelFree, text(fmt.Sprintf("%p", t.X))))
		case b.value && b.level == level:
			return b.node
		}
		return g.add(mix(label, b.label), edge{to: b.node, up: level - b.level})
	case Numeral:
		if r, ok := t.Num.(float64); ok {
			return g.add(mix(label, math.Float64bits(r)))
		}
		return g.add(mix(label, text(fmt.Sprint(t.Num))))
	case Plus:
		switch edges := g.summands(nil, t, level); len(edges) {
		case 0:
			return g.add(uint64(Zero))
		case 1:
			return edges[0].to
		default:
			return g.add(label, edges...)
		}
	case Function:
		label = mix(label, uint64(t.Sym))
	case If:
		label = mix(label, uint64(t.Cmp))
	case Construct, Fix:
		label = mix(label, uint64(t.At))
	case Branch:
		return g.under(t, 0, level)
	}
	edges := make([]edge, 0, 4)
	for i, k := range t.Kids {
		e := edge{place: uint64(i)}
		if t.encloses(i) {
			e.to = g.under(t, i, level)
		} else {
			e.to = g.term(k, level)
		}
		edges = append(edges, e)
	}
	return g.add(label, edges...)
}

// colour refines the colours of what the root leads to, and returns the hash of all.
func (g *classifier) colour(root int) uint64 {
	above, reached := make([]uint64, len(g.nodes)), make([]bool, len(g.nodes))
	reached[root] = true
	for i := len(g.nodes) - 1; i >= 0; i-- {
		g.nodes[i].colour = g.nodes[i].label
		for _, e := range g.nodes[i].below {
			reached[e.to] = reached[e.to] || reached[i]
		}
	}
	for range 3 {
		for i := range g.nodes {
			v := &g.nodes[i]
			bag, c := uint64(0), v.colour
			for _, e := range v.below {
				below := mix(mix(e.place, uint64(e.up)), g.nodes[e.to].colour)
				if e.place == inBag {
					bag += below
				} else {
					c = mix(c, below)
				}
			}
			v.colour = mix(c, bag)
		}
		clear(above)
		for i := len(g.nodes) - 1; i >= 0; i-- {
			v := &g.nodes[i]
			v.colour = mix(v.colour, above[i])
			for _, e := range v.below {
				if reached[i] {
					above[e.to] += mix(mix(e.place, uint64(e.up)), v.colour)
				}
			}
		}
	}
	sum := g.nodes[root].colour
	for i := range g.nodes {
		if reached[i] {
			sum += mix(g.nodes[i].colour, 1)
		}
	}
	return sum
}

// SameGraph reports whether two terms are one graph, in which an occurrence of x in t[x:=u] is an edge to u: equal up
// to ≡ as [Term.Class] has it, and up to these. Tests use it.
//
//   - A substitution whose variable occurs once, in the scope in which it stands, is no sharing: f(x)[x:=u] is f(u).
//     One of a variable, a numeral, 0⃗ or a tuple of zeros is none either: (3·x)[x:=3] is 3·3. All else counts, there
//     is no dup.
//   - A tuple that is opened is its pairs, opened one after the other.
//   - Zeros are left out of sums, those of numerals too. A sum that has a name and occurs once, in a sum of its scope,
//     is a part of that.
//   - With collected, what (4) and (5') would collect is left out: substitutions whose variables have no occurrence,
//     and those that only such ones mention.
//
// Free variables are known by their names, and vectors are pairs.
func SameGraph(t, u *term.Term, collected bool) bool {
	class := func(t *term.Term) uint64 {
		c := Convert(t, denote.Floats{}).Term
		g := &classifier{env: map[*Var]binding{}, sharing: &sharing{collected: collected, uses: map[*Var]use{},
			names: map[*Var]*Term{}, resolved: map[*Term]bool{}}}
		g.count(c, 0)
		return g.colour(g.scope(c, 0))
	}
	return class(t) == class(u)
}

// sharing is what a classifier knows that leaves out substitutions which share nothing.
type sharing struct {
	collected bool
	uses      map[*Var]use
	names     map[*Var]*Term // what an occurrence of a variable stands for
	resolved  map[*Term]bool // terms that stand for themselves, and their parts
}

// use is how often a variable occurs, and the level of the scope of the last occurrence.
type use struct{ times, level int }

// count counts the occurrences of variables in a term at a level; with collected not those in what is collected.
func (g *sharing) count(t *Term, level int) {
	switch t.Op {
	case Variable:
		g.uses[t.X] = use{g.uses[t.X].times + 1, level}
	case Let:
		g.count(t.Kids[0], level)
		if g.used(t.P) || !g.collected {
			g.count(t.Kids[1], level)
		}
		return
	}
	for i, k := range t.Kids {
		inner := level
		if t.encloses(i) {
			inner++
		}
		g.count(k, inner)
	}
}

// used reports whether a variable of a pattern occurs.
func (g *sharing) used(p *Pattern) (found bool) {
	p.Vars(func(x *Var) { found = found || g.uses[x].times > 0 })
	return found
}

// share makes the variables of a substitution lead to its value.
func (g *classifier) share(t *Term, level int) {
	switch used := g.used(t.P); {
	case !used && g.collected:
	case !used:
		g.subs = append(g.subs, g.term(t.Kids[1], level))
	case t.P.X == nil:
		g.open(t.P, g.term(t.Kids[1], level), level)
	default:
		u, x := g.resolve(t.Kids[1], level), t.P.X
		switch {
		case u.Op == Variable, u.Op == Numeral, isZero(u), u.Op == Plus && g.uses[x] == use{1, level}:
			g.names[x] = u
		default:
			g.env[x] = binding{node: g.term(u, level), level: level, value: true}
		}
	}
}

// open makes the variables of a pattern lead to the parts of a node.
func (g *classifier) open(p *Pattern, node, level int) {
	if p.X != nil {
		g.env[p.X] = binding{node: node, level: level, value: true}
		return
	}
	opened := g.add(labelPattern, edge{to: node})
	for place, part := range []*Pattern{p.Left, p.Right} {
		if g.used(part) {
			g.open(part, g.add(mix(labelPattern, uint64(place+1)), edge{to: opened}), level)
		}
	}
}

// resolve returns what a term stands for: that of a name, and of a sum with one summand that one.
func (g *classifier) resolve(t *Term, level int) *Term {
	switch t = g.let(t, level); {
	case g.resolved[t]:
		return t
	case t.Op == Variable && g.names[t.X] != nil:
		return g.names[t.X]
	case t.Op == Plus, t.Op == MakePair:
		left, right := g.resolve(t.Kids[0], level), g.resolve(t.Kids[1], level)
		switch {
		case t.Op == Plus && isZero(left) && isZero(right):
			return &Term{Op: Zero} // whichever shape each has
		case t.Op == Plus && isZero(left):
			return right
		case t.Op == Plus && isZero(right):
			return left
		}
		t = &Term{Op: t.Op, Kids: []*Term{left, right}}
		g.resolved[t] = true
	}
	return t
}

// isZero reports whether a term that stands for itself is 0⃗, the numeral 0 or a tuple of them.
func isZero(t *Term) bool {
	switch t.Op {
	case Numeral:
		r, ok := t.Num.(float64)
		return ok && r == 0
	case MakePair:
		return isZero(t.Kids[0]) && isZero(t.Kids[1])
	}
	return t.Op == Zero
}
