package gradbench

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// bundle is a problem of bundle adjustment: n cameras, m points and p observations of a point by a camera.
type bundle struct {
	n, m, p           int
	cams, x, w, feats []float64
	errors, weights   []float64 // of the observations, two each, and of their weights
	rowEnds, columns  []int32   // of the Jacobian: where each row ends, and the column of each number in it
	values            []float64
}

const (
	cameraSize = 11
	pointSize  = 3
	// rowSize is how many numbers a row of the Jacobian of an observation's error has: those of camera, point and weight.
	rowSize = cameraSize + pointSize + 1
)

// bundleAdjustment makes a problem whose cameras, points, weights and features are all alike. Each observation is
// computed for itself.
func bundleAdjustment(p *problem, text json.RawMessage) error {
	in, err := decode[struct{ N, M, P int }](text)
	if err != nil {
		return err
	}
	const most = 1 << 26
	if min(in.N, in.M, in.P) < 1 || max(in.N, in.M, in.P) > most {
		return fmt.Errorf("n, m and p are %d, %d and %d, not from 1 to %d", in.N, in.M, in.P, most)
	}
	v := p.values[input]
	b := &bundle{n: in.N, m: in.M, p: in.P, cams: repeat(v["cam"], in.N), x: repeat(v["x"], in.M),
		w: repeat(v["w"], in.P), feats: repeat(v["feat"], in.P)}
	p.run = b.objective
	if p.gradient {
		p.run = b.jacobian
	}
	return nil
}

func repeat(list []float64, n int) []float64 {
	all := make([]float64, 0, n*len(list))
	for range n {
		all = append(all, list...)
	}
	return all
}

// at puts the inputs of observation i in a point of the program.
func (b *bundle) at(point []float64, i int) {
	cam, x := b.camera(i), b.point(i)
	copy(point, b.cams[cam*cameraSize:][:cameraSize])
	copy(point[cameraSize:], b.x[x*pointSize:][:pointSize])
	point[rowSize-1] = b.w[i]
	copy(point[rowSize:], b.feats[2*i:][:2])
}

// camera and point return the camera and the point of an observation.
func (b *bundle) camera(i int) int { return i % b.n }
func (b *bundle) point(i int) int  { return i % b.m }

func (b *bundle) objective(ctx context.Context, e *evaluator) (any, error) {
	b.errors, b.weights = b.errors[:0], b.weights[:0]
	for i := range b.p {
		b.at(e.point.Values, i)
		res, err := e.Value(ctx, e.point.Values)
		if err != nil {
			return nil, err
		}
		b.errors = append(b.errors, res.Values[:2]...)
		b.weights = append(b.weights, res.Values[2])
	}
	return map[string]any{
		"reproj_error": map[string]any{"elements": b.errors[:2], "repeated": b.p},
		"w_err":        map[string]any{"element": b.weights[0], "repeated": b.p},
	}, nil
}

// jacobian is the Jacobian as a sparse matrix: two rows for each observation, and then one for each weight.
func (b *bundle) jacobian(ctx context.Context, e *evaluator) (any, error) {
	b.rowEnds, b.weights = append(b.rowEnds[:0], 0), b.weights[:0]
	b.columns = slices.Grow(b.columns[:0], b.p*(2*rowSize+1))
	b.values = slices.Grow(b.values[:0], b.p*(2*rowSize+1))
	points, weights := cameraSize*b.n, cameraSize*b.n+pointSize*b.m
	chunk := 1 << 9 // observations
	if e.count != nil {
		chunk = 1
	}
	inputs, outputs := len(e.point.Values), 3
	all := make([]float64, chunk*inputs)
	values, jacobians := make([]float64, chunk*outputs), make([]float64, chunk*outputs*inputs)
	for first := 0; first < b.p; first += chunk {
		n := min(chunk, b.p-first)
		for i := range n {
			b.at(all[i*inputs:], first+i)
		}
		if err := e.Gradients(ctx, all[:n*inputs], values[:n*outputs], jacobians[:n*outputs*inputs]); err != nil {
			return nil, err
		}
		for i := range n {
			jacobian, i := jacobians[i*outputs*inputs:], first+i
			end := len(b.columns)
			b.columns = b.columns[:end+2*rowSize]
			row := b.columns[end:][:rowSize]
			for k := range cameraSize {
				row[k] = int32(cameraSize*b.camera(i) + k)
			}
			for k := range pointSize {
				row[cameraSize+k] = int32(points + pointSize*b.point(i) + k)
			}
			row[rowSize-1] = int32(weights + i)
			copy(b.columns[end+rowSize:], row)
			b.values = append(append(b.values, jacobian[:rowSize]...), jacobian[inputs:][:rowSize]...)
			b.rowEnds = append(b.rowEnds, int32(end+rowSize), int32(end+2*rowSize))
			b.weights = append(b.weights, jacobian[2*inputs+rowSize-1])
		}
	}
	for i, w := range b.weights {
		b.columns, b.values = append(b.columns, int32(weights+i)), append(b.values, w)
		b.rowEnds = append(b.rowEnds, int32(len(b.values)))
	}
	// As all observations are alike, the eval asks for a part.
	return map[string]any{"rows": part(b.rowEnds), "cols": part(b.columns), "vals": part(b.values)}, nil
}

// part returns the numbers of the first observation and the last number.
func part[T any](list []T) []T {
	n := min(2*rowSize, len(list))
	return append(list[:n:n], list[len(list)-1])
}
