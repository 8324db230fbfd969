package gradbench

import (
	"context"
	"encoding/json"
	"fmt"
)

// slots returns the places of the 26 parameters in the program's pose: of rotation and translation, and of each of five
// fingers those of two angles of the first bone and of one of the next two.
func slots() (all []int) {
	for i := range 6 {
		all = append(all, i)
	}
	for finger := range 5 {
		first := 6 + 2*(2+4*finger)
		all = append(all, first, first+1, first+2, first+4)
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
	delete(p.params, "vertices")
	delete(p.params, "faces")
	if bones < 21 {
		return fmt.Errorf("there are %d bones, less than 21", bones)
	}
	if m := len(in.Us); m != 0 && m != n {
		return fmt.Errorf("us has %d elements, not %d", m, n)
	}
	pose := make([]float64, 6+2*bones)
	for i, slot := range slots() {
		pose[slot] = v["theta"][i]
	}
	side := 1.0
	if in.Data.Model.IsMirrored {
		side = -1
	}
	var skeleton, points []float64
	for b := range bones {
		parent := v["parents"][b] + 1
		if !(parent >= 0 && parent <= float64(b)) {
			return fmt.Errorf("the parent of bone %d is %v", b, parent-1)
		}
		at := len(skeleton)
		skeleton = append(append(skeleton, make([]float64, 1+2*bones)...), v["base_relatives"][16*b:16*(b+1)]...)
		skeleton[at+int(parent)], skeleton[at+1+bones+b] = 1, 1
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
			corners = v["triangles"][3*int(at):]
		}
		for _, c := range corners[:3] {
			if !(c >= 0 && c < float64(vertices)) {
				return fmt.Errorf("point %d corresponds to %v, with vertex %v", i, at, c)
			}
			points = append(append(points, v["base_positions"][4*int(c):][:4]...), v["weights"][bones*int(c):][:bones]...)
		}
	}
	p.values[input]["pose"], p.values[input]["side"] = pose, []float64{side}
	p.values[list] = map[string][]float64{"skeleton": skeleton, "points": points}
	if p.body != "" {
		p.run = handJacobian(n, 2+len(pose), len(in.Us) > 0)
	}
	return nil
}

// handJacobian computes the Jacobian of the errors of n points column by column: by the two coordinates in all
// triangles, if there are any, and by the parameters. A direction has so many numbers.
func handJacobian(n, direction int, coordinates bool) func(context.Context, *evaluator) (any, error) {
	columns := []int{0, 1}
	if !coordinates {
		columns = nil
	}
	for _, slot := range slots() {
		columns = append(columns, 2+slot)
	}
	jacobian := rows(make([]float64, 3*n*len(columns)), len(columns))
	return func(ctx context.Context, e *evaluator) (any, error) {
		along := make([]float64, direction)
		for k, column := range columns {
			clear(along)
			along[column] = 1
			if err := e.point.Set("along", along...); err != nil {
				return nil, err
			}
			res, err := e.Value(ctx, e.point.Values)
			if err != nil {
				return nil, err
			}
			for i, x := range res.Values {
				jacobian[i][k] = x
			}
		}
		return jacobian, nil
	}
}
