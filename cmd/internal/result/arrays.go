package result

import (
	"slices"
	"strconv"

	"github.com/gram-machine/gram/lang/load"
)

// part is a part of an input, with its derivatives. It has the shape, in vectors of the sizes
// dims, and all that once for each output.
type part struct {
	name   string
	shape  *load.Shape
	dims   []int
	values []float64
}

// Arrays splits the derivatives by an input at its products, so that arrays remain. A vector of
// products is treated as a product of vectors.
func Arrays(name string, s *load.Shape, values []float64) []Array {
	return part{name: name, shape: s, values: values}.arrays()
}

func (x part) arrays() (out []Array) {
	switch x.shape.Kind {
	case load.Vector:
		dims := append(slices.Clip(x.dims), x.shape.Size)
		return part{x.name, x.shape.A, dims, x.values}.arrays()
	case load.Product:
		for _, c := range x.components() {
			out = append(out, c.arrays()...)
		}
		return out
	}
	return []Array{{Name: x.name, Type: arrayType(x.dims), Dims: x.dims, Values: x.values}}
}

// components returns the components of a product: three for (a, (b, c)).
func (x part) components() []part {
	var out []part
	whole, at := x.shape.Width(), 0
	for s := x.shape; s != nil; {
		component := s
		if s.Kind == load.Product {
			component, s = s.A, s.B
		} else {
			s = nil
		}
		w := component.Width()
		column := make([]float64, 0, len(x.values)/whole*w)
		for from := at; from < len(x.values); from += whole {
			column = append(column, x.values[from:from+w]...)
		}
		out = append(out, part{x.name + ", " + strconv.Itoa(len(out)+1), component, x.dims, column})
		at += w
	}
	return out
}

// arrayType is the type of an array of numbers, as the language writes it.
func arrayType(dims []int) string {
	if len(dims) == 0 {
		return "R"
	}
	sizes := make([]string, len(dims))
	for i, n := range dims {
		sizes[i] = strconv.Itoa(n)
	}
	return "R" + load.Rows(sizes)
}
