package gradbench

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gram-machine/gram"
)

// module is a program, with the names of the functions that an eval asks for.
type module struct {
	value, gradient string  // the functions: the value, and what is made of the derivatives
	body            string  // of the value, in place of the program's, if not empty
	fields          []field // of the input
	// more, if not nil, does what the fields do not say.
	more func(p *problem, text json.RawMessage) error
	// answer makes the output of a result. If it is nil, the output is the first number of a value, and all numbers of a gradient.
	answer func(p *problem, res *gram.Result) any
}

var modules = map[string]module{
	"hello": {value: "square", gradient: "double", fields: []field{{input, "", ""}}, answer: number},
	"lse":   {value: "primal", gradient: "gradient", fields: []field{{input, "x", "n"}}},
	"llsq":  {value: "primal", gradient: "gradient", fields: []field{{param, "n", ""}, {input, "x", "m"}}},
	"ode":   {value: "primal", gradient: "gradient", body: "solution", fields: []field{{param, "s", ""}, {input, "x", "n"}}, answer: array},
	"det":   {value: "primal", gradient: "gradient", fields: []field{{param, "ell", ""}, {input, "A", "ell*ell"}}},
	"lstm": {
		value: "objective", gradient: "jacobian", more: pairs,
		fields: []field{{list, "sequence", "n b"}, {input, "main_params", "2*l 4*b"}, {input, "extra_params", "3 b"}, {constant, "state", "2*l b"}},
	},
	"gmm": {
		value: "objective", gradient: "jacobian", more: matrices, answer: mixture,
		fields: []field{
			{param, "d", ""}, {param, "k", ""}, {param, "n", ""}, {param, "m", ""}, {constant, "gamma", ""}, {list, "x", "n d"},
			{input, "alpha", "k"}, {input, "mu", "k d"}, {input, "q", "k d"},
		},
	},
	"kmeans": {value: "cost", gradient: "dir", fields: []field{{list, "points", "n d"}, {input, "centroids", "k d"}}, answer: direction},
	"ba": {
		value: "objective", gradient: "jacobian", more: bundleAdjustment,
		fields: []field{{input, "cam", "11"}, {input, "x", "3"}, {input, "w", ""}, {input, "feat", "2"}},
	},
}

// array has all numbers of a gradient, or of a value.
func array(_ *problem, res *gram.Result) any {
	if res.Jacobian != nil {
		return res.Jacobian
	}
	return res.Values
}

// number has the only number.
func number(p *problem, res *gram.Result) any { return array(p, res).([]float64)[0] }

// direction is the step of Newton's method: the gradient by the Hessian, which is diagonal. The second derivative by a component of a
// centroid is twice the number of points that the centroid is nearest to, and minus the derivative by shift is this number.
func direction(p *problem, res *gram.Result) any {
	if res.Jacobian == nil {
		return res.Values[0]
	}
	k, d := p.params["k"], p.params["d"]
	dir := slices.Clone(res.Jacobian[:k*d])
	for i := range dir {
		dir[i] /= -2 * res.Jacobian[k*d+i/d]
	}
	return rows(dir, d)
}

// pairs makes pairs of a character and the next one, the last pair first.
func pairs(p *problem, _ json.RawMessage) error {
	text, n, b := p.values[list]["sequence"], p.params["n"]-1, p.params["b"]
	if n == 0 {
		return fmt.Errorf("there are less than two characters")
	}
	all := make([]float64, 0, 2*n*b)
	for t := n - 1; t >= 0; t-- {
		all = append(all, text[t*b:(t+2)*b]...)
	}
	p.params["n"], p.values[list] = n, map[string][]float64{"pairs": all}
	return nil
}

// matrices makes full matrices of the triangles below the diagonals.
func matrices(p *problem, text json.RawMessage) error {
	in, err := decode[struct{ L [][]float64 }](text)
	if err != nil {
		return err
	}
	k, d := p.params["k"], p.params["d"]
	if len(in.L) != k {
		return fmt.Errorf("l has %d rows, not %d", len(in.L), k)
	}
	full := make([]float64, k*d*d)
	for c, column := range in.L {
		if want := d * (d - 1) / 2; len(column) != want {
			return fmt.Errorf("row %d of l has %d numbers, not %d", c, len(column), want)
		}
		triangle(d, func(at, i, j int) { full[(c*d+i)*d+j] = column[at] })
	}
	p.values[input]["l"] = full
	return nil
}

// mixture has the derivatives by each parameter.
func mixture(p *problem, res *gram.Result) any {
	if res.Jacobian == nil {
		return res.Values[0]
	}
	g, k, d := slices.Clone(res.Jacobian), p.params["k"], p.params["d"]
	slopes := make([][]float64, k) // by l
	for c := range slopes {
		slopes[c] = make([]float64, d*(d-1)/2)
		triangle(d, func(at, i, j int) { slopes[c][at] = g[k+2*k*d+(c*d+i)*d+j] })
	}
	return map[string]any{"alpha": g[:k], "mu": rows(g[k:k+k*d], d), "q": rows(g[k+k*d:k+2*k*d], d), "l": slopes}
}

// triangle calls f with each place below the diagonal of a d × d matrix, column by column: how many are before it, its row and its column.
func triangle(d int, f func(at, i, j int)) {
	at := 0
	for j := range d {
		for i := j + 1; i < d; i++ {
			f(at, i, j)
			at++
		}
	}
}

// rows cuts numbers into rows.
func rows(all []float64, width int) [][]float64 {
	return slices.Collect(slices.Chunk(all, width))
}
