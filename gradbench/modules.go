package gradbench

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gram-machine/gram"
)

// module is a program, with the functions that an eval asks for.
type module struct {
	functions map[string]function
	fields    []field // of the input
	// more, if not nil, does what the fields do not say.
	more func(p *problem, text json.RawMessage) error
	// answer makes the output of a result. If it is nil, the output is the first number of a value, and all numbers of
	// a gradient.
	answer func(p *problem, res *gram.Result) any
}

// function is a body, in place of the program's if it is not empty, and whether its gradient is computed.
type function struct {
	body     string
	gradient bool
}

// plain are a program's value and gradient, by these names.
func plain(value, gradient string) map[string]function {
	return map[string]function{value: {}, gradient: {gradient: true}}
}

var modules = map[string]module{
	"hello": {functions: plain("square", "double"), fields: []field{{input, "", ""}}, answer: number},
	"lse":   {functions: plain("primal", "gradient"), fields: []field{{input, "x", "n"}}},
	"llsq":  {functions: plain("primal", "gradient"), fields: []field{{param, "n", ""}, {input, "x", "m"}}},
	"ode": {
		functions: map[string]function{"gradient": {gradient: true},
			"primal": {body: "let states = scan i < n with z = start -> next x.(i) z in vec i < n -> last states.(i)"}},
		answer: array,
		fields: []field{{param, "s", ""}, {input, "x", "n"}},
	},
	"det": {functions: plain("primal", "gradient"), fields: []field{{param, "ell", ""}, {input, "A", "ell*ell"}}},
	"lstm": {
		functions: plain("objective", "jacobian"), more: pairs,
		fields: []field{{list, "sequence", "n b"}, {input, "main_params", "2*l 4*b"}, {input, "extra_params", "3 b"},
			{constant, "state", "2*l b"}},
	},
	"gmm": {
		functions: plain("objective", "jacobian"), more: matrices, answer: mixture,
		fields: []field{
			{param, "d", ""}, {param, "k", ""}, {param, "n", ""}, {param, "m", ""}, {constant, "gamma", ""}, {list, "x", "n d"},
			{input, "alpha", "k"}, {input, "mu", "k d"}, {input, "q", "k d"},
		},
	},
	"kmeans": {functions: plain("cost", "dir"), fields: []field{{list, "points", "n d"}, {input, "centroids", "k d"}},
		answer: direction},
	"ba": {
		functions: plain("objective", "jacobian"), more: bundleAdjustment,
		fields: []field{{input, "cam", "11"}, {input, "x", "3"}, {input, "w", ""}, {input, "feat", "2"}},
	},
	"particle": {functions: map[string]function{
		"ff": {body: "particle along forward"}, "fr": {body: "particle along grad"},
		"rf": {body: "particle grad forward"}, "rr": {body: "particle grad grad"},
	}, fields: []field{{input, "w", ""}}},
	"saddle": {functions: map[string]function{
		"ff": {body: "saddle forward forward"}, "fr": {body: "saddle forward grad"},
		"rf": {body: "saddle grad forward"}, "rr": {body: "saddle grad grad"},
	}, fields: []field{{input, "start", "2"}}, answer: array},
	"ht": {
		functions: map[string]function{"objective": {}, "jacobian": {body: "slopes points"}}, more: hand, answer: array,
		fields: []field{
			{other, "theta", "26"}, {other, "data.model.parents", "bones"}, {other, "data.model.base_relatives", "bones 4 4"},
			{input, "data.model.inverse_base_absolutes", "bones 4 4"}, {input, "data.model.base_positions", "vertices 4"},
			{input, "data.model.weights", "vertices bones"}, {other, "data.model.triangles", "faces 3"},
			{other, "data.correspondences", "n"}, {other, "data.points", "n 3"},
		},
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

// direction is the step of Newton's method: the gradient by the Hessian, which is diagonal. The second derivative by a
// component of a centroid is twice the number of points that the centroid is nearest to, and minus the derivative by
// shift is this number.
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

// triangle calls f with each place below the diagonal of a d × d matrix, column by column: how many are before it, its
// row and its column.
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

// angles returns the numbers in theta of the two angles of each bone, len(theta) where a bone has none: theta begins
// with rotation and translation, and then has of each of five fingers those of two angles of the first bone and of one
// of the next two.
func angles(theta []float64, bones int) [][2]int {
	all := make([][2]int, bones)
	for b := range all {
		all[b] = [2]int{len(theta), len(theta)}
	}
	for finger := range 5 {
		first, b := 6+4*finger, 2+4*finger
		all[b] = [2]int{first, first + 1}
		all[b+1][0], all[b+2][0] = first+2, first+3
	}
	return all
}

// hand makes a problem of hand tracking.
func hand(p *problem, text json.RawMessage) error {
	in, err := decode[struct {
		Us   [][2]float64
		Data struct {
			Model struct {
				IsMirrored bool `json:"is_mirrored"`
			}
		}
	}](text)
	if err != nil {
		return err
	}
	v, bones, n, vertices, faces := p.values[other], p.params["bones"], p.params["n"], p.params["vertices"],
		p.params["faces"]
	delete(p.params, "faces")
	if bones < 21 {
		return fmt.Errorf("there are %d bones, less than 21", bones)
	}
	if m := len(in.Us); m != 0 && m != n {
		return fmt.Errorf("us has %d elements, not %d", m, n)
	}
	side := 1.0
	if in.Data.Model.IsMirrored {
		side = -1
	}
	theta := v["theta"]
	p.params["angles"] = len(theta) - 6
	var skeleton, points []float64
	for b, angles := range angles(theta, bones) {
		parent := v["parents"][b]
		switch {
		case !(parent >= -1 && parent < float64(b)):
			return fmt.Errorf("the parent of bone %d is %v", b, parent)
		case parent < 0:
			parent = float64(bones)
		}
		skeleton = append(skeleton, parent, float64(b), float64(angles[0]), float64(angles[1]))
		skeleton = append(skeleton, v["base_relatives"][16*b:16*(b+1)]...)
	}
	for i := range n {
		points = append(points, v["points"][3*i:3*(i+1)]...)
		at := v["correspondences"][i]
		corners := []float64{at, at, at}
		if len(in.Us) == 0 {
			points = append(points, 1, 0)
		} else {
			if !(at >= 0 && at < float64(faces)) {
				return fmt.Errorf("point %d corresponds to triangle %v, of %d", i, at, faces)
			}
			points = append(points, in.Us[i][:]...)
			corners = v["triangles"][3*int(at):][:3]
		}
		for _, c := range corners {
			if !(c >= 0 && c < float64(vertices)) {
				return fmt.Errorf("point %d corresponds to %v, with vertex %v", i, at, c)
			}
		}
		points = append(points, corners...)
	}
	p.values[input]["theta"], p.values[input]["side"] = append(theta, 0), []float64{side}
	p.values[list] = map[string][]float64{"skeleton": skeleton, "points": points}
	if p.body != "" {
		p.answer = func(_ *problem, res *gram.Result) any {
			return &handJacobian{values: res.Values, points: n, coordinates: len(in.Us) > 0}
		}
	}
	return nil
}

// handJacobian is the Jacobian of the errors of points, with the derivatives by the two coordinates or without them:
// values has them column by column for one point after the other.
type handJacobian struct {
	values      []float64
	points      int
	coordinates bool
}

// MarshalJSON writes a row for each error, with its derivatives by the two coordinates, if there are any, and by theta.
func (h *handJacobian) MarshalJSON() ([]byte, error) {
	columns := len(h.values) / (3 * h.points)
	first := 0
	if !h.coordinates {
		first = 2
	}
	jacobian := rows(make([]float64, 3*h.points*(columns-first)), columns-first)
	for i, row := range jacobian {
		from := h.values[i/3*3*columns:][:3*columns]
		for k := range row {
			row[k] = from[3*(first+k)+i%3]
		}
	}
	return json.Marshal(jacobian)
}
