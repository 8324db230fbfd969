package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// figure is a part of the gradient: bars, or a heat map or several.
type figure struct {
	Caption string // what it is of: the name of an input as the source has it
	Type    string // of that; "" if the caption is no such name
	Note    string
	Bars    *bars
	Heat    *heat
}

// gradient returns the figures of a gradient. Scalars that are declared one after the other
// share one; all scalars share a scale.
func gradient(arrays []Array) []figure {
	common := scaleOf(scalarsOf(arrays))
	return figures(arrays, func(f *figure, group []Array) {
		switch a := &group[0]; len(a.Dims) {
		case 0:
			f.Bars = newBars(scalarsOf(group), func(i int) string { return group[i].Name }, common)
		case 1:
			f.Note = normNote(a.Values)
			f.Bars = newBars(a.Values, a.component, scaleOf(a.Values))
		default:
			f.Note = normNote(a.Values)
			f.Heat = newHeat(matricesOf(a, mostMaps), a.matrices(), a.Values)
		}
	})
}

// figures makes the figures of arrays. draw draws one of an array, or of scalars that stand one after the other.
func figures(arrays []Array, draw func(f *figure, group []Array)) []figure {
	var out []figure
	for len(arrays) > 0 {
		n := slices.IndexFunc(arrays, func(a Array) bool { return len(a.Dims) > 0 }) // the scalars before it
		if n < 0 {
			n = len(arrays)
		}
		n = max(1, n)
		f := figure{Caption: arrays[0].Name, Type: arrays[0].Type}
		if n > 1 {
			f.Caption, f.Type = "Scalars", ""
		}
		draw(&f, arrays[:n])
		out = append(out, f)
		arrays = arrays[n:]
	}
	return out
}

// scalarsOf returns the values of the scalars among the arrays.
func scalarsOf(arrays []Array) []float64 {
	var out []float64
	for i := range arrays {
		if len(arrays[i].Dims) == 0 {
			out = append(out, arrays[i].Values...)
		}
	}
	return out
}

// component names the i-th component of a vector.
func (a *Array) component(i int) string { return fmt.Sprintf("%s.(%d)", a.Name, i) }

func normNote(values []float64) string { return "Euclidean norm " + short(Norm(values)) + "." }

// matrices returns of how many matrices an array of two or more dimensions consists.
func (a *Array) matrices() int {
	n := 1
	for _, d := range a.Dims[:len(a.Dims)-2] {
		n *= d
	}
	return n
}

// matricesOf returns the first matrices that an array consists of, so many at most.
func matricesOf(a *Array, most int) []heatMatrix {
	rows, columns := a.Dims[len(a.Dims)-2], a.Dims[len(a.Dims)-1]
	out := make([]heatMatrix, min(most, a.matrices()))
	for k := range out {
		name := a.Name + index(k, a.Dims[:len(a.Dims)-2])
		out[k] = heatMatrix{Title: name, Rows: rows, Columns: columns, Values: a.Values[k*rows*columns : (k+1)*rows*columns],
			RowName: strconv.Itoa, ColumnName: strconv.Itoa,
			Name: func(i, j int) string { return fmt.Sprintf("%s.(%d).(%d)", name, i, j) }}
	}
	if a.matrices() == 1 {
		out[0].Title = "" // the caption says it
	}
	return out
}

// index is the k-th index, in row-major order, of an array of these dimensions.
func index(k int, dims []int) string {
	text := ""
	for d := len(dims) - 1; d >= 0; d-- {
		text = ".(" + strconv.Itoa(k%dims[d]) + ")" + text
		k /= dims[d]
	}
	return text
}

// jacobian returns the figures of a Jacobian of k outputs: a row for each scalar input of
// scalars and vectors, and a column for each output.
func jacobian(arrays []Array, k int) []figure {
	return figures(arrays, func(f *figure, group []Array) {
		f.Note = "A row for each input, a column for each output."
		switch a := &group[0]; len(a.Dims) {
		case 0:
			f.Heat = byInput(scalarsOf(group), func(i int) string { return group[i].Name }, k)
		case 1:
			var transposed []float64 // k rows become k columns
			for i := range len(a.Values) / k {
				for row := range k {
					transposed = append(transposed, a.Values[row*(len(a.Values)/k)+i])
				}
			}
			f.Heat = byInput(transposed, a.component, k)
		default:
			f.Note = "A matrix for each output."
			f.Heat = newHeat(byOutput(a, k), k*a.matrices(), a.Values)
		}
	})
}

// outputName names the i-th output of a body of type R^k.
func outputName(i int) string { return "y" + strconv.Itoa(i+1) }

// byInput is the heat map of the derivatives of k outputs by scalar inputs of these names.
func byInput(values []float64, name func(i int) string, k int) *heat {
	m := heatMatrix{Rows: len(values) / k, Columns: k, Values: values, RowName: name, ColumnName: outputName}
	m.Name = func(i, j int) string { return fmt.Sprintf("∂%s/∂%s", outputName(j), name(i)) }
	return newHeat([]heatMatrix{m}, 1, values)
}

// byOutput returns the first matrices of the derivatives of each output by an array.
func byOutput(a *Array, k int) []heatMatrix {
	var out []heatMatrix
	w := len(a.Values) / k
	for i := 0; i < k && len(out) < mostMaps; i++ {
		part := *a
		part.Values = a.Values[i*w : (i+1)*w]
		for _, m := range matricesOf(&part, mostMaps-len(out)) {
			name := m.Name
			m.Name = func(r, c int) string { return "∂" + outputName(i) + "/∂" + name(r, c) }
			m.Title = "∂" + outputName(i) + "/∂" + cmp.Or(m.Title, a.Name)
			out = append(out, m)
		}
	}
	return out
}

// Arrays splits the derivatives by an input at its products, so that arrays remain. A vector of
// products is treated as a product of vectors.
func Arrays(name string, s *load.Shape, values []float64) []Array {
	return arrays(name, s, nil, values)
}

// arrays is Arrays for values of the shape in vectors of the sizes dims, and all that once for each output.
func arrays(name string, s *load.Shape, dims []int, values []float64) (out []Array) {
	switch s.Kind {
	case load.Vector:
		return arrays(name, s.A, append(slices.Clip(dims), s.Size), values)
	case load.Product:
		at := 0
		for i, component := range factors(s) {
			w := component.Width()
			var column []float64
			for whole := range slices.Chunk(values, s.Width()) {
				column = append(column, whole[at:at+w]...)
			}
			out = append(out, arrays(name+", "+strconv.Itoa(i+1), component, dims, column)...)
			at += w
		}
		return out
	}
	return []Array{{Name: name, Type: arrayType(dims), Dims: dims, Values: values}}
}

// factors returns the components of a product: three for (a, (b, c)).
func factors(s *load.Shape) (out []*load.Shape) {
	for ; s.Kind == load.Product; s = s.B {
		out = append(out, s.A)
	}
	return append(out, s)
}

// arrayType is the type of an array of numbers, as the language writes it.
func arrayType(dims []int) string {
	s := load.RealShape()
	for _, n := range slices.Backward(dims) {
		s = load.VectorShape(s, n)
	}
	return s.String()
}

// bars are numbers with bars from zero.
type bars struct {
	Rows []bar
	Note string // what is left out
}

// bar is one of them. Left and Width are parts of the width for all.
type bar struct {
	Name string
	number
	Infinite          bool
	Left, Width, Zero string
}

// mostBars is how many bars a figure has.
const mostBars = 32

// newBars makes bars of values, of which name gives the names, at a scale. Of too many, those of largest magnitude are
// shown, in their order; NaN goes first.
func newBars(values []float64, name func(i int) string, s scale) *bars {
	var b bars
	shown := foremost(len(values), mostBars, func(i int) float64 {
		if x := values[i]; x == x {
			return math.Abs(x)
		}
		return math.Inf(1)
	})
	if left := len(values) - len(shown); left > 0 {
		b.Note = fmt.Sprintf("The %d of largest magnitude are shown; %s smaller ones are left out.", mostBars,
			load.Grouped(uint64(left)))
	}
	for k, text := range align(syntax.Each(len(shown), func(k int) string { return short(values[shown[k]]) })) {
		row := s.bar(values[shown[k]])
		row.Name, row.Text = name(shown[k]), text
		b.Rows = append(b.Rows, row)
	}
	return &b
}

// foremost returns which of n things are shown where that is most of them at the most: those of highest rank, in their
// order.
func foremost(n, most int, rank func(i int) float64) []int {
	order := syntax.Each(n, func(i int) int { return i })
	if n > most {
		sort.SliceStable(order, func(i, j int) bool { return rank(order[i]) > rank(order[j]) })
		order = order[:most]
		slices.Sort(order)
	}
	return order
}

// scale maps numbers to a line. Numbers are divided by most first, as their differences may
// overflow; low ≤ 0 ≤ high are such quotients.
type scale struct{ most, low, high float64 }

// scaleOf returns the scale on which all values and zero have a place. An infinite one goes
// to the end of the line, which is beyond all finite ones.
func scaleOf(values []float64) scale {
	s := scale{most: largest(values)}
	if s.most == 0 {
		s.most = 1
	}
	for _, x := range values {
		s.low, s.high = min(s.low, s.part(x)), max(s.high, s.part(x))
	}
	if s.low == s.high {
		s.high = 1
	}
	return s
}

// part is the place of a number; that of NaN is zero.
func (s scale) part(x float64) float64 {
	switch {
	case x != x:
		return 0
	case math.IsInf(x, 0):
		return math.Copysign(1.2, x)
	}
	return x / s.most
}

func (s scale) bar(x float64) bar {
	whole, part := s.high-s.low, s.part(x)
	b := bar{number: newNumber(x), Infinite: math.IsInf(x, 0), Zero: percent(0-s.low, whole)}
	b.Left, b.Width = percent(min(part, 0)-s.low, whole), percent(math.Abs(part), whole)
	return b
}

// number is a number as the page shows it.
type number struct {
	Text  string // six digits
	Exact string // reads back to the same float64
	Class string // positive, negative, zero or none
}

func newNumber(x float64) number {
	n := number{short(x), exact(x), "zero"}
	switch {
	case x > 0:
		n.Class = "positive"
	case x < 0:
		n.Class = "negative"
	case x != x:
		n.Class = "none"
	}
	return n
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// short is a number with six digits, and a minus sign for a hyphen.
func short(x float64) string {
	return strings.ReplaceAll(strconv.FormatFloat(x, 'g', 6, 64), "-", "−")
}

// align pads texts of numbers, for a column that is set flush right in a font of fixed
// width, such that their points stand below each other. What is no number stays as it is.
func align(texts []string) []string {
	behind := make([]int, len(texts))
	most := 0
	for i, s := range texts {
		if point := strings.IndexByte(s, '.'); point >= 0 {
			behind[i] = utf8.RuneCountInString(s[point:])
		}
		most = max(most, behind[i])
	}
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = s
		if !strings.HasSuffix(s, "Inf") && s != "NaN" {
			out[i] += strings.Repeat(" ", most-behind[i])
		}
	}
	return out
}

// percent is a part of a whole as a length in CSS.
func percent[N uint64 | float64](part, whole N) string {
	if whole == 0 {
		return "0%"
	}
	return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 2, 64) + "%"
}

// largest is the largest finite magnitude.
func largest(values []float64) float64 {
	m := 0.0
	for _, x := range values {
		if x == x && !math.IsInf(x, 0) {
			m = max(m, math.Abs(x))
		}
	}
	return m
}

// Norm is the Euclidean norm. It does not overflow where the squares would.
func Norm(values []float64) float64 {
	sum := 0.0
	for _, x := range values {
		sum = math.Hypot(sum, x)
	}
	return sum
}
