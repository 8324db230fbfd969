package unparse

import (
	"math"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// around is a let around the term. If of is not nil, it is there only if one of these variables stands in the text.
type around struct {
	text string
	of   []term.Var
}

// Input declares an input and returns the expressions for its numbers in row-major order. Those of a shape with a
// product in it are variables, which a pattern binds around the term. The name must be reserved.
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

// InputOf declares an input whose numbers are the variables xs of the term. A pair of the term that is the input, or a
// product in a vector of it, is printed as the input is written. So the term doesn't open what it makes of the text,
// and no pattern is needed unless a variable stands elsewhere.
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

// findProducts finds the products that projections of vectors lead to, by their first variables.
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

// number is an expression for x, with its level: a numeral that reads back to the same float64, with its sign; or an
// operation, for what no numeral is.
func number(x float64) (string, int) {
	switch {
	case math.IsNaN(x):
		return "0 / 0", syntax.PrecMul
	case math.IsInf(x, 1):
		return "1 / 0", syntax.PrecMul
	case math.IsInf(x, -1):
		return "-1 / 0", syntax.PrecMul
	}
	text := strings.ReplaceAll(strconv.FormatFloat(x, 'g', -1, 64), "e+", "e")
	if math.Signbit(x) {
		return text, syntax.PrecNeg
	}
	return text, syntax.PrecAtom
}

// shaped appends what stands for the numbers of a shape that is no list, with the brackets of a value or of a pattern.
func (p *Program) shaped(out []byte, s *load.Shape, number func(out []byte) []byte) []byte {
	switch s.Kind {
	case load.Product:
		out = p.shaped(p.add(out, "("), s.A, number)
		return p.add(p.shaped(p.add(out, ", "), s.B, number), ")")
	case load.Vector:
		out = p.add(out, "[| ")
		for i := range s.Size {
			if i > 0 {
				out = p.add(out, ", ")
			}
			out = p.shaped(out, s.A, number)
		}
		return p.add(out, " |]")
	}
	p.guard.Step()
	return number(out)
}

// literal appends numbers in a shape that is no list, and returns those that are left.
func (p *Program) literal(out []byte, s *load.Shape, values []float64) ([]byte, []float64) {
	out = p.shaped(out, s, func(out []byte) []byte {
		text, _ := number(values[0])
		values = values[1:]
		return p.add(out, text)
	})
	return out, values
}

// value appends the value of a data declaration.
func (p *Program) value(out []byte, v load.Value) []byte {
	if v.Shape.Kind != load.List {
		out, _ = p.literal(out, v.Shape, v.Data)
		return out
	}
	out = p.add(out, "[")
	rest := v.Data
	for i := range v.Rows {
		if i > 0 {
			out = p.add(out, "; ")
		}
		out, rest = p.literal(out, v.Shape.A, rest)
	}
	return p.add(out, "]")
}

// paths appends the expressions for the numbers of an input without products in its shape: v.(0).(1).
func (p *Program) paths(out []string, s *load.Shape, name string) []string {
	if s.Kind == load.Real {
		p.guard.Step()
		return append(syntax.Room(p.guard, out, 1), name)
	}
	for i := range s.Size {
		out = p.paths(out, s.A, name+".("+strconv.Itoa(i)+")")
	}
	return out
}

func hasProduct(s *load.Shape) bool {
	for ; s != nil; s = s.A {
		if s.Kind == load.Product {
			return true
		}
	}
	return false
}
