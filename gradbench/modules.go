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
	"det": {
		"primal":   {problem: det},
		"gradient": {problem: det, gradient: true},
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
