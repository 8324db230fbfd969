package property

import (
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/term"
)

// maxExpanded bounds the symbols of the expansion of what Families makes.
const maxExpanded = 4000

// Families makes a program with families, sums and lists of all values of indices, with components at static
// indices, and with numerals that are static expressions.
func Families(t *rapid.T, opt Options) *Program {
	opt.families = true
	return drawAtMost(t, opt, maxExpanded)
}

// indexed is an index in scope, whose values are all below most.
type indexed struct {
	e    term.Static
	most int
}

// group is n consecutive variables of one type.
type group struct {
	first term.Var
	n     int
}

// grouped makes a term with the consecutive variables xs in scope.
func (g *generator) grouped(xs []term.Var, ty term.Type, depth int) term.Ref {
	n := len(g.groups)
	g.groups = append(g.groups, group{xs[0], len(xs)})
	if g.opt.scale > 0 {
		xs = xs[:1]
	}
	r := g.scoped(xs, ty, depth)
	g.groups = g.groups[:n]
	return r
}

func (g *generator) constant(n int) term.Static {
	return g.q.Static(term.StaticNode{Op: term.StaticNum, Val: float64(n)})
}

func (g *generator) static(op term.StaticOp, a, b term.Static) term.Static {
	return g.q.Static(term.StaticNode{Op: op, A: a, B: b})
}

// below makes an expression whose values are all below n.
func (g *generator) below(n int) term.Static {
	choices := []term.Static{g.constant(g.choose(n, "constant"))}
	for _, i := range g.indices {
		if i.most > n || i.most == 0 {
			continue
		}
		choices = append(choices, i.e, g.static(term.StaticSub, g.constant(n-1), i.e))
		for _, j := range g.indices {
			if j.most > 0 && i.most*j.most <= n {
				choices = append(choices, g.static(term.StaticAdd, g.static(term.StaticMul, i.e, g.constant(j.most)), j.e))
			}
		}
	}
	return choices[g.choose(len(choices), "static")]
}

// bound makes the bound of an index.
func (g *generator) bound() (s term.Static, most int) {
	if k := len(g.indices); k > 0 && g.choose(3, "bound") == 0 {
		i := g.indices[g.choose(k, "index")]
		return g.static(term.StaticAdd, i.e, g.constant(0)), i.most
	}
	n := g.length(0, 4, "bound")
	if g.opt.scale == 0 && g.choose(6, "many") == 0 {
		n += 8
	}
	return g.constant(n), n
}

// comprehended makes a term in the scope of a new index below most.
func (g *generator) comprehended(most int, ty term.Type, depth int) (term.Index, term.Ref) {
	i := g.q.NewIndex(term.IndexInfo{Name: string(rune('i' + len(g.indices)%10))})
	n := len(g.indices)
	g.indices = append(g.indices, indexed{g.q.Static(term.StaticNode{Op: term.StaticIndex, Index: i}), most})
	r := g.term(ty, depth)
	g.indices = g.indices[:n]
	return i, r
}

// family makes a comprehension of type ty, R or a vector.
func (g *generator) family(ty term.Type, depth int) term.Ref {
	if g.tt.Kind(ty) == term.VecKind {
		n := g.tt.Len(ty)
		i, body := g.comprehended(n, g.tt.Left(ty), depth-1)
		return g.q.Family(g.pos(), i, g.constant(n), body)
	}
	s, most := g.bound()
	i, body := g.comprehended(most, ty, depth-1)
	return g.q.Sum(g.pos(), i, s, body)
}

// listFamily makes a list of all values of an index.
func (g *generator) listFamily(elem, res term.Type, depth int) term.Ref {
	s, most := g.bound()
	i, body := g.comprehended(most, elem, depth-1)
	return g.q.ListFamily(g.pos(), i, s, elem, res, body)
}

// indexedLeaf makes a component of type ty at a static index, or a static numeral; 0 if there is none.
func (g *generator) indexedLeaf(ty term.Type) term.Ref {
	var fit []group
	for _, k := range g.groups {
		if g.q.TypeOf(k.first) == ty {
			fit = append(fit, k)
		}
	}
	switch {
	case len(fit) > 0 && g.choose(3, "a component") > 0:
		k := fit[g.choose(len(fit), "group")]
		return g.q.Component(g.pos(), k.first, k.n, g.below(k.n))
	case ty == term.R:
		return g.q.IndexNum(g.pos(), g.static(term.StaticDiv, g.below(9), g.constant(4)))
	}
	return 0
}

// Sized makes a program of the choices of a source, whose numbers of inputs, components, elements, iterations and
// lets of a chain grow with the scale, each of them or some: the same choices give the same program at each scale but
// for these numbers. It has families and no data, and at most about opt.Size nodes before they are expanded. From
// scale 4 on lengths with and without the scale are different types.
func Sized(s Source, scale int, opt Options) *Program {
	opt.families, opt.scale = true, max(1, scale)
	return draw(s, opt)
}

// length is one of so many numbers from least on. At a scale, half of them are multiplied by it.
func (g *generator) length(least, choices int, label string) int {
	n := least + g.choose(choices, label)
	if g.opt.scale > 0 && g.choose(2, "scaled") == 0 {
		n *= g.opt.scale
	}
	return n
}

// chain makes lets x0 = u, x1 = t, x2 = t with x1 for x0, and so on, and a term with the last of them.
func (g *generator) chain(ty term.Type, depth int) term.Ref {
	a, n := g.typ(1), g.length(1, 3, "lets")
	us, xs := []term.Ref{g.term(a, depth-1)}, []term.Var{g.fresh(a)}
	step := g.scoped(xs, a, depth-2)
	for i := range n {
		if i > 0 {
			step = g.q.Graft(g.q, us[i], func(x term.Var) term.Var {
				if x == xs[i-1] {
					return xs[i]
				}
				return x
			})
		}
		us, xs = append(us, step), append(xs, g.fresh(a))
	}
	r := g.scoped(xs[n:], ty, depth-1)
	for i := n; i >= 0; i-- {
		r = g.q.Let(g.pos(), xs[i], us[i], r)
	}
	return r
}
