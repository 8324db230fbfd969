package core

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// The check of the numbers by which pick and onehot select. Each is one of data as it stands there, or a
// numeral, so that all of them are known before the program runs.
//
// The types of a program tell where a number may come from. Each occurrence of data, and each numeral, has types R of
// its own, which are the one type [R] only once a computation takes or gives the number. What has a type that is
// equal to that of an index is a value that the index may have.

// Numbers are those that a program takes from elsewhere: numerals, and data by its number, with their types.
type Numbers struct {
	Types    *Types
	data     []occurrence[int]
	numerals []occurrence[float64]
}

type occurrence[T any] struct {
	t  Type
	of T
}

// Data returns a type for an occurrence of data i, or of its elements, of shape s.
func (n *Numbers) Data(i int, s *load.Shape) Type {
	t := n.Types.shapeType(s, n.Types.Real)
	n.data = append(n.data, occurrence[int]{t, i})
	return t
}

// Numeral returns a type for an occurrence of the numeral x.
func (n *Numbers) Numeral(x float64) Type {
	t := n.Types.Real()
	n.numerals = append(n.numerals, occurrence[float64]{t, x})
	return t
}

// Selection is an index: a number of type T selects a component of a vector of type Of.
type Selection struct {
	T, Of Type
	Span  syntax.Span // of the number
	At    syntax.Span // of the selection
	Name  string      // pick or onehot
	Notes []syntax.Note
}

// Headlines of errors.
const (
	indexComputed = "index not known"
	outOfRange    = "index out of range"
	sizeOpen      = "size not known"
)

// Limits are the bounds of the numbers of data: for each number of a row, below which natural number it has to be, 0 if
// that is not said.
type Limits []int

// CheckAll checks the indices of p, whose types are all known but for those of later, which are numbers or vectors of
// numbers that operations give. It reports what is wrong, also with the present values of data, and returns the limits
// of data.
func (n *Numbers) CheckAll(p *Program, indices []Selection, later []Type) map[int]Limits {
	for _, t := range later {
		elem, _, _ := n.Types.Element(t)
		n.Types.Unify(elem, R)
	}
	limits := map[int]Limits{}
	for i := range indices {
		u := &indices[i]
		if headline, label := n.check(u, p.Data, limits); label != "" {
			span := u.Span
			if headline == sizeOpen {
				span = u.At
			}
			p.Report(span, headline, label, u.Notes...)
		}
	}
	for i := range p.Data {
		x := &p.Data[i]
		if limits[i] == nil || x.Bad {
			continue
		}
		wrong, err := limits[i].Value(x.Name, &x.Value, p.Guard.Check)
		if err != nil {
			syntax.Abort(err)
		}
		if wrong != nil {
			p.Report(p.File.Decls[x.Decl].NameSpan, outOfRange, wrong.Error()+"; it is an index of pick or onehot")
		}
	}
	return limits
}

// check says why u is wrong, if it is. Otherwise it adds to the limits of the data from which the index comes.
func (n *Numbers) check(u *Selection, data []load.Variable, limits map[int]Limits) (headline, label string) {
	size, ok := n.Types.VectorSize(u.Of)
	if elem, _, sized := n.Types.Element(u.Of); !ok || !sized || n.Types.At(elem).Kind != Real {
		return sizeOpen, u.Name + " takes a vector of numbers or of vectors, whose sizes are known: annotate it, as " +
			"in (v : R^3)"
	}
	class := n.Types.Find(u.T)
	if class == n.Types.Find(R) {
		return indexComputed, "this number is computed, or an input; an index is a number " +
			"of data as it stands there, or a numeral. The component of an index i of vec, sum, list or scan is x.(i); for " +
			"numbers of range n, write data is : List R = range n"
	}
	wrong := func(t Type, x float64) bool {
		if n.Types.Find(t) != class || within(x, size) {
			return false
		}
		headline, label = outOfRange, fmt.Sprintf("%s is among the values of this, %s", numberText(x), indices(size))
		return true
	}
	for _, x := range n.numerals {
		if wrong(x.t, x.of) {
			return headline, label
		}
	}
	for _, d := range n.data {
		s := data[d.of].Shape
		if s.Tagged() {
			if n.numbers(&data[d.of], d.t, wrong); label != "" {
				return headline, label
			}
			continue
		}
		if s.Kind == load.List {
			s = s.A
		}
		n.limit(class, d.t, s, 0, func(offset int) {
			if limits[d.of] == nil {
				limits[d.of] = make(Limits, s.Width())
			}
			if k := &limits[d.of][offset]; *k == 0 || size < *k {
				*k = size
			}
		})
	}
	return "", ""
}

// limit calls f with the offsets of the numbers of a value whose types are in the class.
func (n *Numbers) limit(class, t Type, s *load.Shape, at int, f func(offset int)) {
	switch node := n.Types.At(t); {
	case node.Kind == Real:
		if n.Types.Find(t) == class {
			f(at)
		}
	case s.Kind == load.Product:
		n.limit(class, node.A, s.A, at, f)
		n.limit(class, node.B, s.B, at+s.A.Width(), f)
	default:
		for k := range s.Size {
			n.limit(class, node.A, s.A, at+k*s.A.Width(), f)
		}
	}
}

// numbers calls f with the types and the numbers of data of a tagged shape, until it returns true. The data may nest
// deep.
func (n *Numbers) numbers(x *load.Variable, t Type, f func(t Type, x float64) bool) {
	type part struct {
		s *load.Shape
		t Type
	}
	tags, data := x.Value.Tags, x.Value.Data
	for stack := []part{{x.Shape, t}}; len(stack) > 0; {
		p := syntax.Pop(&stack)
		size, elem := p.s.Size, n.Types.At(p.t).A
		switch p.s.Kind {
		case load.Real:
			if f(p.t, data[0]) {
				return
			}
			data = data[1:]
		case load.Product:
			stack = append(stack, part{p.s.B, n.Types.At(p.t).B})
			size = 1
		case load.Inductive:
			if arg := p.s.Cons[tags[0]].Arg; arg != nil {
				stack = append(stack, part{arg, n.Types.Argument(p.t, tags[0])})
			}
			tags = tags[1:]
		case load.List:
			elem, _ = n.Types.ListOf(p.t)
			size, tags = tags[0], tags[1:]
		}
		for range size {
			stack = append(stack, part{p.s.A, elem})
		}
	}
}

func within(x float64, n int) bool { return x >= 0 && x < float64(n) && x == math.Trunc(x) }

func numberText(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func indices(n int) string {
	if n == 1 {
		return "and the only index is 0"
	}
	return fmt.Sprintf("and indices are 0 to %d", n-1)
}

// Numbers looks for a number of rows that is not below its limit. Row first is the first of them. The error tells which
// one.
func (l Limits) Numbers(name string, list bool, first int, values []float64) error {
	for k, x := range values {
		n := l[k%len(l)]
		if n == 0 || within(x, n) {
			continue
		}
		where := name
		if list {
			where = fmt.Sprintf("row %d of %s, counted from 0,", first+k/len(l), name)
		}
		if len(l) > 1 {
			where = fmt.Sprintf("number %d of %s", k%len(l), where)
		}
		return fmt.Errorf("%s is %s, %s", where, numberText(x), indices(n))
	}
	return nil
}

// atOnce is how many numbers are read at a time.
const atOnce = 1 << 16

// Value looks for a number of data that is not below its limit. look is called at least every 2¹⁶ numbers; its error is
// returned.
func (l Limits) Value(name string, v *load.Value, look func() error) (wrong, err error) {
	w := len(l)
	rows := max(1, atOnce/w)
	list := v.Shape.Kind == load.List
	for first := 0; first < v.Rows; first += rows {
		rows := min(rows, v.Rows-first)
		if look != nil {
			err = look()
		}
		var part []float64
		if v.Chunk == nil {
			part = v.Data[first*w : (first+rows)*w]
		} else {
			part = make([]float64, rows*w)
			err = errors.Join(err, v.Chunk(part, first, look))
		}
		if err != nil {
			return nil, err
		}
		if wrong := l.Numbers(name, list, first, part); wrong != nil {
			return wrong, nil
		}
	}
	return nil, nil
}
