package gradbench

import (
	"encoding/json"
	"fmt"

	"github.com/gram-machine/gram"
)

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
