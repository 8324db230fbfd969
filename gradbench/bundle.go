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
	weights           []float64 // of the Jacobian: the derivatives of the weights
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
	b := &bundle{n: in.N, m: in.M, p: in.P, cams: slices.Repeat(v["cam"], in.N), x: slices.Repeat(v["x"], in.M),
		w: slices.Repeat(v["w"], in.P), feats: slices.Repeat(v["feat"], in.P)}
	p.run = b.objective
	if p.gradient {
		p.run = b.jacobian
	}
	return nil
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
	const outputs = 3
	b.values = slices.Grow(b.values[:0], outputs*b.p)[:outputs*b.p]
	err := b.chunks(e, func(first, n int, points []float64) error {
		return e.Values(ctx, points, b.values[outputs*first:][:outputs*n])
	})
	return map[string]any{
		"reproj_error": map[string]any{"elements": b.values[:2], "repeated": b.p},
		"w_err":        map[string]any{"element": b.values[2], "repeated": b.p},
	}, err
}

// chunks calls f with the inputs of so many observations at once: the first of them, and how many they are. Where runs
// are counted, a call has one observation, and is a run.
func (b *bundle) chunks(e *evaluator, f func(first, n int, points []float64) error) error {
	most, inputs := 1<<9, len(e.point.Values)
	if e.count != nil {
		most = 1
	}
	points := make([]float64, most*inputs)
	for first := 0; first < b.p; first += most {
		n := min(most, b.p-first)
		for i := range n {
			b.at(points[i*inputs:], first+i)
		}
		err := f(first, n, points[:n*inputs])
		if e.add(err); err != nil {
			return err
		}
	}
	return nil
}

// jacobian is the Jacobian as a sparse matrix: two rows for each observation, and then one for each weight.
func (b *bundle) jacobian(ctx context.Context, e *evaluator) (any, error) {
	b.rowEnds, b.weights = append(b.rowEnds[:0], 0), b.weights[:0]
	b.columns = slices.Grow(b.columns[:0], b.p*(2*rowSize+1))
	b.values = slices.Grow(b.values[:0], b.p*(2*rowSize+1))
	points, weights := cameraSize*b.n, cameraSize*b.n+pointSize*b.m
	inputs, outputs := len(e.point.Values), 3
	values, jacobians := make([]float64, outputs*b.p), []float64(nil)
	err := b.chunks(e, func(first, n int, all []float64) error {
		jacobians = slices.Grow(jacobians[:0], n*outputs*inputs)[:n*outputs*inputs]
		if err := e.Gradients(ctx, all, values[:n*outputs], jacobians); err != nil {
			return err
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
		return nil
	})
	if err != nil {
		return nil, err
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
