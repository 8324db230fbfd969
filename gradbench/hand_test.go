package gradbench_test

import (
	"testing"

	"github.com/gram-machine/gram/internal/property"
)

type matrix4 [4][4]dual

func product(a, b matrix4) (c matrix4) {
	for i := range 4 {
		for j := range 4 {
			for k := range 4 {
				c[i][j] = add(c[i][j], mul(a[i][k], b[k][j]))
			}
		}
	}
	return c
}

func constant(rows [][]float64) (m matrix4) {
	for i := range 4 {
		for j := range 4 {
			m[i][j] = number(rows[i][j])
		}
	}
	return m
}

// turn is the rotation by an angle around the axis a.
func turn(a int, angle dual) matrix4 {
	m := constant([][]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}})
	b, c := (a+1)%3, (a+2)%3
	m[b][b], m[c][c] = cosine(angle), cosine(angle)
	m[b][c], m[c][b] = scale(-1, sine(angle)), sine(angle)
	return m
}

// about is the rotation of p by the angle |v| around v, by Rodrigues' formula.
func about(v, p [3]dual) (q [3]dual) {
	angle := sqrt(add(add(mul(v[0], v[0]), mul(v[1], v[1])), mul(v[2], v[2])))
	if angle.v < 1e-4 {
		return p
	}
	axis := [3]dual{div(v[0], angle), div(v[1], angle), div(v[2], angle)}
	along := add(add(mul(axis[0], p[0]), mul(axis[1], p[1])), mul(axis[2], p[2]))
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		cross := sub(mul(axis[j], p[k]), mul(axis[k], p[j]))
		q[i] = add(add(mul(p[i], cosine(angle)), mul(cross, sine(angle))), mul(mul(axis[i], along), sub(number(1), cosine(angle))))
	}
	return q
}

func TestHand(t *testing.T) {
	const bones, vertices, points = 22, 7, 5
	for _, tt := range []struct {
		coordinates, mirrored bool
		angle                 float64
	}{{true, false, 1}, {false, true, 1}, {true, true, 0}} {
		var relatives, inverses [][][]float64
		parents := make([]int, bones)
		all := matrix(8*bones, 4)
		for b := range bones {
			relatives, inverses = append(relatives, all[8*b:8*b+4]), append(inverses, all[8*b+4:8*b+8])
			parents[b] = max(-1, b-1-b%3)
		}
		places, weights := matrix(vertices, 4), matrix(vertices, bones)
		for _, place := range places {
			place[3] = 1
		}
		theta, measured, us := randoms(26), matrix(points, 3), matrix(points, 2)
		for i := range 3 {
			theta[i] *= tt.angle
		}
		triangles, corresponding := [][]int{{0, 1, 2}, {3, 6, 5}, {4, 4, 1}}, []int{2, 0, 1, 1, 2}
		side := number(1)
		if tt.mirrored {
			side = number(-1)
		}
		if !tt.coordinates {
			us = [][]float64{}
		}
		errors := func(v []dual) (all []dual) { // v has the shift of the coordinates, and theta
			theta := v[2:]
			var absolute [bones]matrix4
			for b := range bones {
				angles := [3]dual{}
				if finger, joint := (b-2)/4, (b-2)%4; b >= 2 && joint < 3 {
					angles[0] = theta[6+4*finger+joint+min(joint, 1)]
					if joint == 0 {
						angles[2] = theta[7+4*finger]
					}
				}
				rotation := product(product(turn(2, angles[2]), turn(1, angles[1])), turn(0, angles[0]))
				absolute[b] = product(constant(relatives[b]), rotation)
				if parents[b] >= 0 {
					absolute[b] = product(absolute[parents[b]], absolute[b])
				}
			}
			vertex := func(at int) (p [3]dual) {
				for b := range bones {
					m := product(absolute[b], constant(inverses[b]))
					for i := range 3 {
						for k := range 4 {
							p[i] = add(p[i], scale(weights[at][b]*places[at][k], m[i][k]))
						}
					}
				}
				p[0] = mul(side, p[0])
				p = about([3]dual(theta[:3]), p)
				for i := range 3 {
					p[i] = add(p[i], theta[3+i])
				}
				return p
			}
			for n, at := range corresponding {
				corners, coordinates := [3]int{at, at, at}, [2]dual{number(1), {}}
				if tt.coordinates {
					corners = [3]int(triangles[at])
					coordinates = [2]dual{add(number(us[n][0]), v[0]), add(number(us[n][1]), v[1])}
				}
				third := sub(sub(number(1), coordinates[0]), coordinates[1])
				for i := range 3 {
					q := add(mul(coordinates[0], vertex(corners[0])[i]), mul(coordinates[1], vertex(corners[1])[i]))
					all = append(all, sub(number(measured[n][i]), add(q, mul(third, vertex(corners[2])[i]))))
				}
			}
			return all
		}
		at := append([]float64{0, 0}, theta...)
		var value, jacobian []float64
		for row := range 3 * points {
			v, gradient := gradientOf(at, func(v []dual) dual { return errors(v)[row] })
			value = append(value, v...)
			if !tt.coordinates {
				gradient = gradient[2:]
			}
			jacobian = append(jacobian, gradient...)
		}
		input := map[string]any{"theta": theta, "us": us, "data": map[string]any{"correspondences": corresponding, "points": measured, "model": map[string]any{
			"bone_count": bones, "parents": parents, "base_relatives": relatives, "inverse_base_absolutes": inverses, "base_positions": places,
			"weights": weights, "triangles": triangles, "is_mirrored": tt.mirrored,
		}}}
		compare(t, "objective", numbers(evaluate(t, "ht", "objective", input)), value)
		if property.Full() { // it takes some 10 s
			compare(t, "jacobian", numbers(evaluate(t, "ht", "jacobian", input)), jacobian)
		}
		if tt.coordinates {
			corresponding[4] = len(triangles)
			if _, got := answer(t, "ht", "objective", input); got != "wrong input: point 4 corresponds to triangle 3, of 3" {
				t.Errorf("no error of a triangle that there is not: %q", got)
			}
		}
	}
}
