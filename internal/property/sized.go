package property

import "github.com/gram-machine/gram/term"

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
