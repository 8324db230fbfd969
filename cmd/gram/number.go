package main

import (
	"math"
	"strconv"

	"github.com/gram-machine/gram"
)

// appendNumber writes x with the fewest digits that read back to the same
// float64, as JSON and the language do: 0.1, 1e-7, -0, 100000.
func appendNumber(b []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(b, "NaN"...)
	case math.IsInf(x, 1):
		return append(b, "+Inf"...)
	case math.IsInf(x, -1):
		return append(b, "-Inf"...)
	}
	format := byte('f')
	if size := math.Abs(x); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	b = strconv.AppendFloat(b, x, format, -1, 64)
	if n := len(b); format == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b = append(b[:n-2], b[n-1]) // e-09 is e-9
	}
	return b
}

// appendJSONNumber is [appendNumber], with what JSON has no number for in quotes.
func appendJSONNumber(b []byte, x float64) []byte {
	if !math.IsNaN(x) && !math.IsInf(x, 0) {
		return appendNumber(b, x)
	}
	return append(appendNumber(append(b, '"'), x), '"')
}

// notation is how a value is written: numbers, and what opens, separates and
// closes a tuple, a vector and a list.
type notation struct {
	number              func([]byte, float64) []byte
	tuple, vector, list [3]string
}

var (
	jsonArray = [3]string{"[", ", ", "]"}

	// languageNotation writes values as a program does.
	languageNotation = notation{
		appendNumber,
		[3]string{"(", ", ", ")"},
		[3]string{"[| ", ", ", " |]"},
		[3]string{"[", "; ", "]"},
	}
	// jsonNotation writes all three as arrays.
	jsonNotation = notation{appendJSONNumber, jsonArray, jsonArray, jsonArray}
)

// flat is a value that is still to be written: its numbers from left to right, and
// the lengths of its lists, outer ones before inner ones.
type flat struct {
	values  []float64
	lengths []int
}

// write takes a value of shape s off f. A product in the second component of a
// product belongs to the same tuple: (a, (b, c)) is (a, b, c).
func (n *notation) write(b []byte, f *flat, s *gram.Shape) []byte {
	switch s.Kind {
	case gram.ProductShape:
		b = append(b, n.tuple[0]...)
		for ; s.Kind == gram.ProductShape; s = s.B {
			b = n.write(b, f, s.A)
			b = append(b, n.tuple[1]...)
		}
		b = n.write(b, f, s)
		return append(b, n.tuple[2]...)
	case gram.VectorShape:
		return n.row(b, f, s.A, s.Size, &n.vector)
	case gram.ListShape:
		length := f.lengths[0]
		f.lengths = f.lengths[1:]
		return n.row(b, f, s.A, length, &n.list)
	}
	x := f.values[0]
	f.values = f.values[1:]
	return n.number(b, x)
}

func (n *notation) row(b []byte, f *flat, s *gram.Shape, length int, marks *[3]string) []byte {
	b = append(b, marks[0]...)
	for i := range length {
		if i > 0 {
			b = append(b, marks[1]...)
		}
		b = n.write(b, f, s)
	}
	return append(b, marks[2]...)
}
