package load

import (
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/syntax"
)

// Text is what [AppendNumber] writes.
func Text(x float64) string { return string(AppendNumber(nil, x)) }

// AppendNumber writes x with the fewest digits that read back to the same
// float64, as JSON and the language do: 0.1, 1e-7, -0, 100000.
func AppendNumber(b []byte, x float64) []byte {
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

// Grouped writes 1234567 as 1 234 567.
func Grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// Counted writes a number of things: 1 run, 2 000 runs.
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Grouped(uint64(n)) + " " + what + "s"
}

// Seconds prints a time with three or four digits: 1.234ms.
func Seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	unit := time.Duration(1)
	for d/unit >= 10000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

// JSONNumber is a number whose JSON is a string if it is not finite: "NaN", "+Inf" or "-Inf".
type JSONNumber float64

// MarshalJSON implements encoding/json.Marshaler.
func (x JSONNumber) MarshalJSON() ([]byte, error) { return AppendJSONNumber(nil, float64(x)), nil }

// AppendJSONNumber is [AppendNumber], with what JSON has no number for in quotes.
func AppendJSONNumber(b []byte, x float64) []byte {
	if !math.IsNaN(x) && !math.IsInf(x, 0) {
		return AppendNumber(b, x)
	}
	return append(AppendNumber(append(b, '"'), x), '"')
}

// Notation is how a value is written: numbers, and what opens, separates and closes a tuple, a vector and a list.
type Notation struct {
	number              func([]byte, float64) []byte
	json                bool
	tuple, vector, list [3]string
	most                int // elements of a vector or a list that are written; 0: all
}

var (
	jsonArray = [3]string{"[", ", ", "]"}

	// Language writes values as a program does.
	Language = Notation{
		number: AppendNumber,
		tuple:  [3]string{"(", ", ", ")"},
		vector: [3]string{"[| ", ", ", " |]"},
		list:   [3]string{"[", "; ", "]"},
	}
	// JSON writes all three as arrays.
	JSON = Notation{json: true, number: AppendJSONNumber, tuple: jsonArray, vector: jsonArray, list: jsonArray}
)

// Short returns the notation with an ellipsis in vectors and lists of more than most
// elements: the first most−2 are written, and the last.
func (n Notation) Short(most int) *Notation {
	n.most = most
	return &n
}

// Flat is a value that is still to be written: its numbers from left to right, and
// the lengths of its lists and the numbers of its constructors, outer ones before inner ones.
type Flat struct {
	Values  []float64
	Lengths []int
}

// Append writes a value of shape s, and takes it off f. A product in the second component of a
// product belongs to the same tuple: (a, (b, c)) is (a, b, c).
func (n *Notation) Append(b []byte, f *Flat, s *Shape) []byte {
	switch s.Kind {
	case Product:
		b = append(b, n.tuple[0]...)
		for ; s.Kind == Product; s = s.B {
			b = n.Append(b, f, s.A)
			b = append(b, n.tuple[1]...)
		}
		b = n.Append(b, f, s)
		return append(b, n.tuple[2]...)
	case Vector:
		return n.row(b, f, s.A, s.Size, &n.vector)
	case Inductive:
		return n.inductive(b, f, s)
	case List:
		length := f.Lengths[0]
		f.Lengths = f.Lengths[1:]
		return n.row(b, f, s.A, length, &n.list)
	}
	x := f.Values[0]
	f.Values = f.Values[1:]
	return n.number(b, x)
}

func (n *Notation) row(b []byte, f *Flat, s *Shape, length int, marks *[3]string) []byte {
	b = append(b, marks[0]...)
	left := func(i int) bool { return n.most > 0 && length > n.most && i >= n.most-2 && i < length-1 }
	for i := range length {
		if i > 0 && !(left(i) && left(i-1)) {
			b = append(b, marks[1]...)
		}
		start := len(b)
		b = n.Append(b, f, s)
		if left(i) {
			if b = b[:start]; !left(i - 1) {
				b = append(b, "…"...)
			}
		}
	}
	return append(b, marks[2]...)
}

// piece is a part of an inductive value that is still to be written: a text, or a value of a shape.
type piece struct {
	shape    *Shape
	text     string
	argument bool // it stands behind a constructor
}

// most is how many bytes of an inductive value a short notation writes.
const most = 200

// inductive writes a value of an inductive type. It nests as deep as it likes: in JSON "Nil", {"Leaf": 1} and {"Node":
// [l, r]}, in the language Nil, Leaf 1 and Node (l, r).
func (n *Notation) inductive(b []byte, f *Flat, s *Shape) []byte {
	start := len(b)
	stack := []piece{{shape: s}}
	texts := func(parts ...piece) {
		slices.Reverse(parts)
		stack = append(stack, parts...)
	}
	for len(stack) > 0 {
		p := syntax.Pop(&stack)
		if p.shape == nil {
			b = append(b, p.text...)
			continue
		}
		switch s := p.shape; s.Kind {
		case Inductive:
			c := s.Cons[f.Lengths[0]]
			f.Lengths = f.Lengths[1:]
			argument := piece{shape: c.Arg, argument: true}
			switch {
			case n.json && c.Arg == nil:
				b = strconv.AppendQuote(b, c.Name)
			case n.json:
				texts(piece{text: "{" + strconv.Quote(c.Name) + ": "}, argument, piece{text: "}"})
			case c.Arg == nil:
				b = append(b, c.Name...)
			case p.argument:
				texts(piece{text: "(" + c.Name + " "}, argument, piece{text: ")"})
			default:
				texts(piece{text: c.Name + " "}, argument)
			}
		case Product:
			parts := []piece{{text: n.tuple[0]}}
			for ; s.Kind == Product; s = s.B {
				parts = append(parts, piece{shape: s.A}, piece{text: n.tuple[1]})
			}
			texts(append(parts, piece{shape: s}, piece{text: n.tuple[2]})...)
		case Vector:
			parts := []piece{{text: n.vector[0]}}
			for range s.Size {
				parts = append(parts, piece{shape: s.A}, piece{text: n.vector[1]})
			}
			parts[len(parts)-1].text = n.vector[2] // there is one component at least
			texts(parts...)
		default:
			at := len(b)
			if b = n.Append(b, f, s); p.argument && !n.json && b[at] == '-' {
				b = append(slices.Insert(b, at, '('), ')')
			}
		}
	}
	if n.most > 0 && len(b)-start > most {
		end := start + most
		for !utf8.RuneStart(b[end]) {
			end--
		}
		b = append(b[:end], "…"...)
	}
	return b
}
