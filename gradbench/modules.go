package gradbench

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gram-machine/gram"
)

// modules are the functions of each module.
var modules = map[string]map[string]function{
	"hello": {
		"square": {problem: hello},
		"double": {problem: hello, gradient: true},
	},
	"lse": {
		"primal":   {problem: lse},
		"gradient": {problem: lse, gradient: true},
	},
	"llsq": {
		"primal":   {problem: llsq},
		"gradient": {problem: llsq, gradient: true},
	},
	"ode": {
		"primal":   {problem: odeSolution, body: "solution"},
		"gradient": {problem: ode, gradient: true},
	},
	"det": {
		"primal":   {problem: det},
		"gradient": {problem: det, gradient: true},
	},
	"lstm": {
		"objective": {problem: lstm},
		"jacobian":  {problem: lstm, gradient: true},
	},
	"gmm": {
		"objective": {problem: gmm},
		"jacobian":  {problem: gmm, gradient: true},
	},
	"kmeans": {
		"cost": {problem: kmeans},
		"dir":  {problem: direction, gradient: true},
	},
	"ba": {
		"objective": {problem: bundleErrors},
		"jacobian":  {problem: bundleJacobian, gradient: true},
	},
}

// value is the value of a program of type R, or its gradient.
func value(res *gram.Result) any {
	if res.Jacobian != nil {
		return res.Jacobian
	}
	return res.Values[0]
}

func hello(input json.RawMessage) (*problem, error) {
	x, err := decode[float64](input)
	return &problem{inputs: map[string][]float64{"x": {x}}, output: func(res *gram.Result) any {
		if res.Jacobian != nil {
			return res.Jacobian[0]
		}
		return res.Values[0]
	}}, err
}

func lse(input json.RawMessage) (*problem, error) {
	in, err := decode[struct{ X []float64 }](input)
	if err == nil && len(in.X) == 0 {
		err = fmt.Errorf("x is empty")
	}
	return &problem{params: map[string]int{"n": len(in.X)}, inputs: map[string][]float64{"x": in.X}, output: value}, err
}

func llsq(input json.RawMessage) (*problem, error) {
	in, err := decode[struct {
		X []float64
		N int
	}](input)
	if err == nil && (len(in.X) == 0 || in.N < 2) {
		err = fmt.Errorf("x is empty, or n is less than 2")
	}
	return &problem{params: map[string]int{"n": in.N, "m": len(in.X)}, inputs: map[string][]float64{"x": in.X}, output: value}, err
}

func ode(input json.RawMessage) (*problem, error) {
	in, err := decode[struct {
		X []float64
		S int
	}](input)
	if err == nil && (len(in.X) == 0 || in.S < 1) {
		err = fmt.Errorf("x is empty, or s is less than 1")
	}
	return &problem{params: map[string]int{"n": len(in.X), "s": in.S}, inputs: map[string][]float64{"x": in.X}, output: value}, err
}

// odeSolution has all components as its output.
func odeSolution(input json.RawMessage) (*problem, error) {
	p, err := ode(input)
	if err == nil {
		p.output = func(res *gram.Result) any { return res.Values }
	}
	return p, err
}

func det(input json.RawMessage) (*problem, error) {
	in, err := decode[struct {
		A   []float64
		Ell int
	}](input)
	if err == nil && in.Ell < 1 {
		err = fmt.Errorf("ell is %d", in.Ell)
	}
	if err == nil {
		err = length("A", in.A, in.Ell*in.Ell)
	}
	return &problem{params: map[string]int{"ell": in.Ell}, inputs: map[string][]float64{"A": in.A}, output: value}, err
}

func kmeans(input json.RawMessage) (*problem, error) {
	in, err := decode[struct{ Points, Centroids [][]float64 }](input)
	if err != nil {
		return nil, err
	}
	points, d, err := flat("points", in.Points)
	if err != nil {
		return nil, err
	}
	centroids, _, err := flat("centroids", in.Centroids)
	if err == nil {
		err = length("centroids", centroids, d*len(in.Centroids))
	}
	return &problem{
		params: map[string]int{"n": len(in.Points), "k": len(in.Centroids), "d": d},
		inputs: map[string][]float64{"centroids": centroids},
		lists:  map[string][]float64{"points": points}, output: value,
	}, err
}

// direction is the step of Newton's method: the gradient by the Hessian, which is diagonal. The second derivative by a component of a
// centroid is twice the number of points that the centroid is nearest to, and minus the derivative by shift is this number.
func direction(input json.RawMessage) (*problem, error) {
	p, err := kmeans(input)
	if err != nil {
		return nil, err
	}
	k, d := p.params["k"], p.params["d"]
	p.output = func(res *gram.Result) any {
		dir := rows(slices.Clone(res.Jacobian[:k*d]), d)
		for j := range dir {
			for l := range dir[j] {
				dir[j][l] /= -2 * res.Jacobian[k*d+j]
			}
		}
		return dir
	}
	return p, nil
}

func lstm(input json.RawMessage) (*problem, error) {
	in, err := decode[struct {
		Main     [][]float64 `json:"main_params"`
		Extra    [][]float64 `json:"extra_params"`
		State    [][]float64
		Sequence [][]float64
	}](input)
	if err != nil {
		return nil, err
	}
	text, b, err := flat("sequence", in.Sequence)
	if err != nil {
		return nil, err
	}
	layers, characters := len(in.Main)/2, len(in.Sequence)
	if layers == 0 || characters < 2 {
		return nil, fmt.Errorf("there is no layer, or less than two characters")
	}
	main, _, err1 := flat("main_params", in.Main)
	extra, _, err2 := flat("extra_params", in.Extra)
	state, _, err3 := flat("state", in.State)
	for _, err := range []error{err1, err2, err3, length("main_params", main, 8*layers*b), length("extra_params", extra, 3*b), length("state", state, 2*layers*b)} {
		if err != nil {
			return nil, err
		}
	}
	pairs := make([]float64, 0, 2*(characters-1)*b) // the last one first
	for t := characters - 2; t >= 0; t-- {
		pairs = append(pairs, text[t*b:(t+2)*b]...)
	}
	return &problem{
		params: map[string]int{"l": layers, "b": b, "n": characters - 1},
		inputs: map[string][]float64{"main": main, "extra": extra}, fixed: map[string][]float64{"state": state},
		lists: map[string][]float64{"pairs": pairs}, output: value,
	}, nil
}

func gmm(input json.RawMessage) (*problem, error) {
	in, err := decode[struct {
		D, K, N, M  int
		Gamma       float64
		Alpha       []float64
		X, Mu, Q, L [][]float64
	}](input)
	if err != nil {
		return nil, err
	}
	d, k, n := in.D, in.K, in.N
	if min(d, k, n, in.M+1) < 1 {
		return nil, fmt.Errorf("d, k, n and m are %d, %d, %d and %d", d, k, n, in.M)
	}
	x, _, err1 := flat("x", in.X)
	mu, _, err2 := flat("mu", in.Mu)
	q, _, err3 := flat("q", in.Q)
	for _, err := range []error{err1, err2, err3, length("alpha", in.Alpha, k), length("x", x, n*d), length("mu", mu, k*d), length("q", q, k*d)} {
		if err != nil {
			return nil, err
		}
	}
	if len(in.L) != k {
		return nil, fmt.Errorf("l has %d rows, not %d", len(in.L), k)
	}
	below := make([]float64, k*d*d)
	for c, column := range in.L {
		if err := length("a row of l", column, d*(d-1)/2); err != nil {
			return nil, err
		}
		triangle(d, func(at, i, j int) { below[(c*d+i)*d+j] = column[at] })
	}
	p := &problem{
		params: map[string]int{"n": n, "d": d, "k": k, "m": in.M},
		inputs: map[string][]float64{"alpha": in.Alpha, "mu": mu, "q": q, "l": below},
		fixed:  map[string][]float64{"gamma": {in.Gamma}}, lists: map[string][]float64{"x": x},
	}
	p.output = func(res *gram.Result) any {
		g := res.Jacobian
		if g == nil {
			return res.Values[0]
		}
		g = slices.Clone(g)
		slopes := make([][]float64, k) // by l
		for c := range slopes {
			slopes[c] = make([]float64, d*(d-1)/2)
			triangle(d, func(at, i, j int) { slopes[c][at] = g[k+2*k*d+(c*d+i)*d+j] })
		}
		return map[string]any{"alpha": g[:k], "mu": rows(g[k:k+k*d], d), "q": rows(g[k+k*d:k+2*k*d], d), "l": slopes}
	}
	return p, nil
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
