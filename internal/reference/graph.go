package reference

import (
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/term"
)

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
		inner := level + 1
		switch {
		case t.Op == Lambda, t.Op == Fix, t.Op == Branch, t.Op == If && i >= 2:
		default:
			inner = level
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
