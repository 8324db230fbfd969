package unparse

import (
	"math"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// Number is an expression for x: a numeral that reads back to the same float64, with
// its sign; or an operation, for what no numeral is.
func Number(x float64) string {
	text, _ := number(x)
	return text
}

func number(x float64) (string, int) {
	switch {
	case math.IsNaN(x):
		return "0 / 0", levelProduct
	case math.IsInf(x, 1):
		return "1 / 0", levelProduct
	case math.IsInf(x, -1):
		return "-1 / 0", levelProduct
	}
	text := strings.ReplaceAll(strconv.FormatFloat(x, 'g', -1, 64), "e+", "e")
	if math.Signbit(x) {
		return text, levelNegation
	}
	return text, levelAtom
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
		out, values = p.add(out, Number(values[0])), values[1:]
		return out
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

// paths appends the expressions for the numbers of an input without products in its
// shape: v.(0).(1).
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
