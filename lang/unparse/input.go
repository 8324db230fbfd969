package unparse

import (
	"strconv"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/term"
)

// around is a let around the term. If of is not nil, it is there only if one of these
// variables stands in the text.
type around struct {
	text string
	of   []term.Var
}

// Input declares an input and returns the expressions for its numbers in row-major
// order. Those of a shape with a product in it are variables, which a pattern binds
// around the term. The name must be reserved.
func (p *Program) Input(name string, s *load.Shape, values []float64) []string {
	p.head = p.add(p.head, "input "+name+" : "+s.String()+" = ")
	p.head, _ = p.literal(p.head, s, values)
	p.head = p.add(p.head, "\n")
	if !hasProduct(s) {
		return p.paths(nil, s, name)
	}
	var out []string
	pattern := p.shaped(nil, s, func(text []byte) []byte {
		out = append(out, p.Fresh(name+"_"+strconv.Itoa(len(out))))
		return p.add(text, out[len(out)-1])
	})
	p.lets = append(p.lets, around{text: "let " + string(pattern) + " = " + name + " in\n"})
	return out
}

// InputOf declares an input whose numbers are the variables xs of the term. A pair of the
// term that is the input, or a product in a vector of it, is printed as the input is
// written. So the term doesn't open what it makes of the text, and no pattern is needed
// unless a variable stands elsewhere.
func (p *Program) InputOf(name string, s *load.Shape, values []float64, xs []term.Var) {
	for i, text := range p.Input(name, s, values) {
		p.names[xs[i]] = text
	}
	if !hasProduct(s) {
		return
	}
	p.lets[len(p.lets)-1].of = xs
	p.findProducts(s, name, xs)
}

// findTuples finds the pairs of the term that are products of inputs.
func (p *Program) findTuples() {
	if len(p.products) == 0 {
		return
	}
	first := make([]term.Var, len(p.t.Nodes)) // of a tuple's numbers, if it may be a product
	for r := range p.t.Nodes {
		switch n := &p.t.Nodes[r]; n.Op {
		case term.VarOp:
			first[r] = n.X
		case term.VecOp:
			first[r] = first[p.t.Children(n)[0]]
		case term.PairOp:
			first[r] = first[n.A]
			if of, ok := p.products[first[r]]; ok && p.matches(term.Ref(r), of.shape, of.xs) {
				p.tuples[term.Ref(r)] = of.path
			}
		}
	}
}

// product is a part of an input that has a product for its shape, and its variables.
type product struct {
	path  string
	shape *load.Shape
	xs    []term.Var
}

// findProducts finds the products that projections of vectors lead to, by their first
// variables.
func (p *Program) findProducts(s *load.Shape, path string, xs []term.Var) {
	switch s.Kind {
	case load.Product:
		p.products[xs[0]] = product{path, s, xs}
	case load.Vector:
		w := s.A.Width()
		for i := range s.Size {
			p.findProducts(s.A, path+".("+strconv.Itoa(i)+")", xs[i*w:])
		}
	}
}

// matches reports whether node r is the tuple of a shape whose numbers are the first of xs.
func (p *Program) matches(r term.Ref, s *load.Shape, xs []term.Var) bool {
	n := &p.t.Nodes[r]
	switch s.Kind {
	case load.Product:
		return n.Op == term.PairOp && p.matches(n.A, s.A, xs) && p.matches(n.B, s.B, xs[s.A.Width():])
	case load.Vector:
		w := s.A.Width()
		for i := range s.Size {
			if n.Op != term.VecOp || int(n.N) != s.Size || !p.matches(p.t.Children(n)[i], s.A, xs[i*w:]) {
				return false
			}
		}
		return true
	}
	return n.Op == term.VarOp && n.X == xs[0]
}
