package gradbench_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// dual is a number with its derivative in one direction: forward mode, the independent form that functions are compared with.
type dual struct{ v, d float64 }

func add(a, b dual) dual           { return dual{a.v + b.v, a.d + b.d} }
func sub(a, b dual) dual           { return dual{a.v - b.v, a.d - b.d} }
func mul(a, b dual) dual           { return dual{a.v * b.v, a.d*b.v + a.v*b.d} }
func div(a, b dual) dual           { return dual{a.v / b.v, (a.d*b.v - a.v*b.d) / (b.v * b.v)} }
func scale(k float64, a dual) dual { return dual{k * a.v, k * a.d} }
func exp(a dual) dual              { return dual{math.Exp(a.v), math.Exp(a.v) * a.d} }
func log(a dual) dual              { return dual{math.Log(a.v), a.d / a.v} }
func sqrt(a dual) dual             { return dual{math.Sqrt(a.v), a.d / (2 * math.Sqrt(a.v))} }
func sine(a dual) dual             { return dual{math.Sin(a.v), math.Cos(a.v) * a.d} }
func cosine(a dual) dual           { return dual{math.Cos(a.v), -math.Sin(a.v) * a.d} }
func number(v float64) dual        { return dual{v: v} }

// evaluate returns the answer of a function.
func evaluate(t *testing.T, module, name string, input map[string]any) any {
	t.Helper()
	output, message := answer(t, module, name, input)
	if message != "" {
		t.Fatalf("%s %s: %s", module, name, message)
	}
	return output
}

// answer returns the answer of a function, or the error in it.
func answer(t *testing.T, module, name string, input map[string]any) (output any, message string) {
	t.Helper()
	line, err := json.Marshal(map[string]any{"id": 1, "kind": "evaluate", "module": module, "function": name, "input": input})
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Success bool
		Error   string
		Output  any
	}
	if err := json.Unmarshal([]byte(exchange(t, string(line))[0]), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Success == (answer.Error != "") {
		t.Fatalf("success is %v, and the error %q", answer.Success, answer.Error)
	}
	return answer.Output, answer.Error
}

// numbers returns the numbers in nested arrays.
func numbers(output any) (all []float64) {
	switch o := output.(type) {
	case float64:
		return []float64{o}
	case []any:
		for _, x := range o {
			all = append(all, numbers(x)...)
		}
	}
	return all
}

// compare reports numbers that differ by more than 10⁻⁹, relative to those above 1.
func compare(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= 1e-9*max(1, math.Abs(want[i]))) {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// gradientOf returns the value of f at x and its partial derivatives.
func gradientOf(x []float64, f func([]dual) dual) (value []float64, gradient []float64) {
	duals := make([]dual, len(x))
	for i := range x {
		for j := range x {
			duals[j] = number(x[j])
		}
		duals[i].d = 1
		y := f(duals)
		value, gradient = []float64{y.v}, append(gradient, y.d)
	}
	return value, gradient
}

// randoms returns n numbers from -1 to 1, the same each time.
func randoms(n int) []float64 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	all := make([]float64, n)
	for i := range all {
		all[i] = 2*r.Float64() - 1
	}
	return all
}

func matrix(rows, columns int) [][]float64 {
	all := randoms(rows * columns)
	m := make([][]float64, rows)
	for i := range m {
		m[i] = all[i*columns : (i+1)*columns]
	}
	return m
}

func logSumExp(x []dual) dual {
	sum := dual{}
	for _, a := range x {
		sum = add(sum, exp(a))
	}
	return log(sum)
}

func TestLSE(t *testing.T) {
	for _, n := range []int{1, 2, 9, 30} {
		x := randoms(n)
		value, gradient := gradientOf(x, logSumExp)
		compare(t, "primal", numbers(evaluate(t, "lse", "primal", map[string]any{"x": x})), value)
		compare(t, "gradient", numbers(evaluate(t, "lse", "gradient", map[string]any{"x": x})), gradient)
	}
}

func TestLLSQ(t *testing.T) {
	for _, size := range [][2]int{{2, 1}, {7, 3}, {20, 11}} {
		n, x := size[0], randoms(size[1])
		value, gradient := gradientOf(x, func(x []dual) dual {
			sum := dual{}
			for i := range n {
				at := -1 + float64(2*i)/float64(n-1)
				p, power := dual{}, 1.0
				for _, a := range x {
					p, power = add(p, scale(power, a)), power*at
				}
				s := number(0)
				if at != 0 {
					s = number(math.Copysign(1, at))
				}
				sum = add(sum, mul(sub(s, p), sub(s, p)))
			}
			return scale(0.5, sum)
		})
		input := map[string]any{"x": x, "n": n}
		compare(t, "primal", numbers(evaluate(t, "llsq", "primal", input)), value)
		compare(t, "gradient", numbers(evaluate(t, "llsq", "gradient", input)), gradient)
	}
}

// minor is the determinant of the rows from row on and the columns that are not gone, by permutations.
func minor(a []dual, n, row int, gone []bool) dual {
	if row == n {
		return number(1)
	}
	sum, sign := dual{}, 1.0
	for j := range n {
		if gone[j] {
			continue
		}
		gone[j] = true
		sum = add(sum, scale(sign, mul(a[row*n+j], minor(a, n, row+1, gone))))
		gone[j] = false
		sign = -sign
	}
	return sum
}

func TestDet(t *testing.T) {
	for n := 1; n <= 5; n++ {
		a := randoms(n * n)
		value, gradient := gradientOf(a, func(a []dual) dual { return minor(a, n, 0, make([]bool, n)) })
		input := map[string]any{"A": a, "ell": n}
		compare(t, "primal", numbers(evaluate(t, "det", "primal", input)), value)
		compare(t, "gradient", numbers(evaluate(t, "det", "gradient", input)), gradient)
	}
}

func TestKMeans(t *testing.T) {
	for _, size := range [][3]int{{5, 1, 2}, {20, 3, 2}, {30, 12, 4}} {
		n, k, d := size[0], size[1], size[2]
		points := matrix(n, d)
		centroids := points[n-k:]
		cost, counts, means := 0.0, make([]float64, k), make([]float64, k*d)
		for _, p := range points {
			nearest, least := 0, math.Inf(1)
			for j, c := range centroids {
				distance := 0.0
				for l := range d {
					distance += (p[l] - c[l]) * (p[l] - c[l])
				}
				if distance < least {
					nearest, least = j, distance
				}
			}
			cost += least
			counts[nearest]++
			for l := range d {
				means[nearest*d+l] += p[l]
			}
		}
		for j := range k {
			for l := range d {
				means[j*d+l] = centroids[j][l] - means[j*d+l]/counts[j]
			}
		}
		input := map[string]any{"points": points, "centroids": centroids}
		compare(t, "cost", numbers(evaluate(t, "kmeans", "cost", input)), []float64{cost})
		compare(t, "dir", numbers(evaluate(t, "kmeans", "dir", input)), means)
	}
}

// observe returns the three errors of an observation, of the eleven numbers of a camera, three of a point, the weight and the feature.
func observe(v []dual) [3]dual {
	dot := func(a, b []dual) dual { return add(add(mul(a[0], b[0]), mul(a[1], b[1])), mul(a[2], b[2])) }
	cross := func(a, b []dual) []dual {
		return []dual{sub(mul(a[1], b[2]), mul(a[2], b[1])), sub(mul(a[2], b[0]), mul(a[0], b[2])), sub(mul(a[0], b[1]), mul(a[1], b[0]))}
	}
	cam, x, w, feat := v[:11], v[11:14], v[14], v[15:]
	p := []dual{sub(x[0], cam[3]), sub(x[1], cam[4]), sub(x[2], cam[5])}
	r := cam[:3]
	turned := make([]dual, 3)
	if square := dot(r, r); square.v > 0 {
		angle := sqrt(square)
		axis := []dual{div(r[0], angle), div(r[1], angle), div(r[2], angle)}
		side, along := cross(axis, p), mul(dot(axis, p), sub(number(1), cosine(angle)))
		for i := range turned {
			turned[i] = add(add(mul(p[i], cosine(angle)), mul(side[i], sine(angle))), mul(axis[i], along))
		}
	} else {
		for i, c := range cross(r, p) {
			turned[i] = add(p[i], c)
		}
	}
	a, b := div(turned[0], turned[2]), div(turned[1], turned[2])
	square := add(mul(a, a), mul(b, b))
	distortion := add(number(1), add(mul(cam[9], square), mul(cam[10], mul(square, square))))
	a, b = add(mul(mul(a, distortion), cam[6]), cam[7]), add(mul(mul(b, distortion), cam[6]), cam[8])
	return [3]dual{mul(w, sub(a, feat[0])), mul(w, sub(b, feat[1])), sub(number(1), mul(w, w))}
}

func TestBA(t *testing.T) {
	const n, m, p = 2, 3, 4
	for _, turned := range []bool{true, false} {
		all := randoms(17)
		if !turned {
			clear(all[:3])
		}
		input := map[string]any{"n": n, "m": m, "p": p, "cam": all[:11], "x": all[11:14], "w": all[14], "feat": all[15:]}
		var errors []float64
		rows := make([][]float64, 3)
		for k := range rows {
			value, gradient := gradientOf(all, func(v []dual) dual { return observe(v)[k] })
			errors, rows[k] = append(errors, value...), gradient[:15]
		}
		answer := evaluate(t, "ba", "objective", input).(map[string]any)
		of := answer["reproj_error"].(map[string]any)
		compare(t, "errors", numbers(of["elements"]), errors[:2])
		weight := answer["w_err"].(map[string]any)
		compare(t, "error of the weight", numbers(weight["element"]), errors[2:])
		if of["repeated"] != float64(p) || weight["repeated"] != float64(p) {
			t.Errorf("repeated %v and %v times, not %d", of["repeated"], weight["repeated"], p)
		}
		answer = evaluate(t, "ba", "jacobian", input).(map[string]any)
		compare(t, "values", numbers(answer["vals"]), append(append(rows[0], rows[1]...), rows[2][14]))
		var ends, columns []float64
		for row := range 2*p + p + 1 {
			ends = append(ends, float64(15*min(row, 2*p)+max(0, row-2*p)))
		}
		for range 2 {
			for k := range 11 {
				columns = append(columns, float64(k))
			}
			columns = append(columns, 11*n, 11*n+1, 11*n+2, 11*n+3*m)
		}
		compare(t, "rows", numbers(answer["rows"]), append(ends, ends[len(ends)-1]))
		compare(t, "columns", numbers(answer["cols"]), append(columns, float64(11*n+3*m+p-1)))
	}
}

// TestLarge: a message of many numbers, and other sizes after it.
func TestLarge(t *testing.T) {
	for _, n := range []int{20000, 3, 20000} {
		x := make([]float64, n)
		got := numbers(evaluate(t, "lse", "primal", map[string]any{"x": x}))
		compare(t, fmt.Sprint("primal of ", n), got, []float64{math.Log(float64(n))})
	}
}

func sigmoid(a dual) dual { return div(number(1), add(number(1), exp(scale(-1, a)))) }

func tanh(a dual) dual {
	t := math.Tanh(a.v)
	return dual{t, (1 - t*t) * a.d}
}

func TestLSTM(t *testing.T) {
	for _, size := range [][3]int{{1, 2, 3}, {2, 5, 3}, {3, 4, 2}} {
		layers, characters, b := size[0], size[1], size[2]
		main, extra, state := matrix(2*layers, 4*b), matrix(3, b), matrix(2*layers, b)
		text := matrix(characters, b)
		parameters := append(randoms(8*layers*b), randoms(3*b)...)
		value, gradient := gradientOf(parameters, func(v []dual) dual {
			loss, s := dual{}, make([]dual, 2*layers*b)
			for i := range s {
				s[i] = number(state[i/b][i%b])
			}
			ex := v[8*layers*b:]
			for t := range characters - 1 {
				y := make([]dual, b)
				for j := range y {
					y[j] = scale(text[t][j], ex[j])
				}
				for i := range layers {
					w, bias := v[8*i*b:], v[(8*i+4)*b:]
					h, c := s[2*i*b:(2*i+1)*b], s[(2*i+1)*b:(2*i+2)*b]
					for j := range y {
						gate := func(k int, x dual) dual { return add(mul(x, w[k*b+j]), bias[k*b+j]) }
						change := mul(sigmoid(gate(1, h[j])), tanh(gate(3, h[j])))
						out := sigmoid(gate(2, y[j]))
						c[j] = add(mul(c[j], sigmoid(gate(0, y[j]))), change)
						h[j] = mul(out, tanh(c[j]))
						y[j] = h[j]
					}
				}
				sum := number(2)
				for j := range y {
					y[j] = add(mul(y[j], ex[b+j]), ex[2*b+j])
					sum = add(sum, exp(y[j]))
				}
				for j := range y {
					loss = sub(loss, scale(text[t+1][j], sub(y[j], log(sum))))
				}
			}
			return scale(1/float64((characters-1)*b), loss)
		})
		input := map[string]any{"main_params": main, "extra_params": extra, "state": state, "sequence": text}
		compare(t, "objective", numbers(evaluate(t, "lstm", "objective", input)), value)
		compare(t, "jacobian", numbers(evaluate(t, "lstm", "jacobian", input)), gradient)
	}
}

func TestGMM(t *testing.T) {
	for _, size := range [][4]int{{3, 1, 1, 0}, {5, 3, 2, 0}, {4, 2, 10, 2}} {
		n, d, k, m := size[0], size[1], size[2], size[3]
		const gamma = 1.5
		triangle := d * (d - 1) / 2
		x := matrix(n, d)
		alpha, mu, q, l := randoms(k), matrix(k, d), matrix(k, d), matrix(k, triangle)
		all := append(append(append(randoms(k), randoms(k*d)...), randoms(k*d)...), randoms(k*triangle)...)
		value, gradient := gradientOf(all, func(v []dual) dual {
			alpha, mu, q, l := v[:k], v[k:k+k*d], v[k+k*d:k+2*k*d], v[k+2*k*d:]
			total := scale(-float64(n), logSumExp(alpha))
			total.v -= float64(n*d) / 2 * math.Log(2*math.Pi)
			for _, p := range x {
				var terms []dual
				for c := range k {
					r := make([]dual, d)
					score := alpha[c]
					for i := range d {
						r[i] = mul(exp(q[c*d+i]), sub(number(p[i]), mu[c*d+i]))
						score = add(score, q[c*d+i])
					}
					at := c * triangle
					for j := range d {
						for i := j + 1; i < d; i++ {
							r[i] = add(r[i], mul(l[at], sub(number(p[j]), mu[c*d+j])))
							at++
						}
					}
					for i := range d {
						score = sub(score, scale(0.5, mul(r[i], r[i])))
					}
					terms = append(terms, score)
				}
				total = add(total, logSumExp(terms))
			}
			freedom := float64(d + m + 1)
			constant := freedom*float64(d)*(math.Log(gamma)-math.Log(2)/2) - float64(d*(d-1))/4*math.Log(math.Pi)
			for j := range d {
				g, _ := math.Lgamma((freedom - float64(j)) / 2)
				constant -= g
			}
			total.v += float64(k) * constant
			for i := range k * d {
				total = add(total, scale(float64(m), q[i]))
				total = sub(total, scale(gamma*gamma/2, exp(scale(2, q[i]))))
			}
			for _, a := range l {
				total = sub(total, scale(gamma*gamma/2, mul(a, a)))
			}
			return total
		})
		input := map[string]any{"d": d, "k": k, "n": n, "m": m, "gamma": gamma, "x": x, "alpha": alpha, "mu": mu, "q": q, "l": l}
		compare(t, "objective", numbers(evaluate(t, "gmm", "objective", input)), value)
		answer := evaluate(t, "gmm", "jacobian", input).(map[string]any)
		var got []float64
		for _, name := range []string{"alpha", "mu", "q", "l"} {
			got = append(got, numbers(answer[name])...)
		}
		compare(t, "jacobian", got, gradient)
	}
}

func TestODE(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {3, 2}, {5, 12}} {
		n, s := size[0], size[1]
		x := randoms(n)
		var end []float64
		_, gradient := gradientOf(x, func(x []dual) dual {
			y, h := make([]dual, n), 2/float64(s)
			slopes := func(y []dual) []dual {
				z := []dual{x[0]}
				for i := 1; i < n; i++ {
					z = append(z, mul(x[i], y[i-1]))
				}
				return z
			}
			moved := func(by float64, k []dual) []dual {
				out := make([]dual, n)
				for i := range out {
					out[i] = add(y[i], scale(by, k[i]))
				}
				return out
			}
			for range s {
				k1 := slopes(y)
				k2 := slopes(moved(h/2, k1))
				k3 := slopes(moved(h/2, k2))
				k4 := slopes(moved(h, k3))
				for i := range y {
					y[i] = add(y[i], scale(h/6, add(add(k1[i], scale(2, k2[i])), add(scale(2, k3[i]), k4[i]))))
				}
			}
			end = end[:0]
			for _, v := range y {
				end = append(end, v.v)
			}
			return y[n-1]
		})
		input := map[string]any{"x": x, "s": s}
		compare(t, "primal", numbers(evaluate(t, "ode", "primal", input)), end)
		compare(t, "gradient", numbers(evaluate(t, "ode", "gradient", input)), gradient)
	}
}

// TestParticle: the answer of the eval, whatever derivatives are computed by.
func TestParticle(t *testing.T) {
	for _, name := range []string{"ff", "fr", "rf", "rr"} {
		compare(t, name, numbers(evaluate(t, "particle", name, map[string]any{"w": 0.0})), []float64{descend(miss, []float64{0})[0]})
	}
	compare(t, "of the eval", descend(miss, []float64{0}), []float64{0.2071918746486116})
}

// TestSaddle: the answer of the eval, whatever derivatives are computed by.
func TestSaddle(t *testing.T) {
	start := []float64{1, 1}
	f := func(v []dual) dual {
		return sub(add(mul(v[0], v[0]), mul(v[1], v[1])), add(mul(v[2], v[2]), mul(v[3], v[3])))
	}
	// The maximum by y does not depend on x, nor does its place.
	y := descend(func(y []dual) dual { return scale(-1, f(append([]dual{{}, {}}, y...))) }, start)
	x := descend(func(x []dual) dual { return f(append(x[:2:2], number(y[0]), number(y[1]))) }, start)
	for _, name := range []string{"ff", "fr", "rf", "rr"} {
		compare(t, name, numbers(evaluate(t, "saddle", name, map[string]any{"start": start})), append(x[:2:2], y...))
	}
	compare(t, "of the eval", x, []float64{8.246324826140356e-06, 8.246324826140356e-06})
}

// miss is the square of the place where the particle meets the axis. The field is the derivative by hand.
func miss(w []dual) dual {
	p, v := [2]dual{number(0), number(8)}, [2]dual{number(0.75), number(0)}
	for {
		next := [2]dual{add(p[0], scale(0.1, v[0])), add(p[1], scale(0.1, v[1]))}
		if next[1].v <= 0 {
			x := sub(next[0], mul(div(next[1], v[1]), v[0]))
			return mul(x, x)
		}
		for _, y := range []dual{sub(number(10), w[0]), number(0)} {
			a, b := sub(p[0], number(10)), sub(p[1], y)
			square := add(mul(a, a), mul(b, b))
			cube := mul(square, sqrt(square))
			v[0], v[1] = add(v[0], scale(0.1, div(a, cube))), add(v[1], scale(0.1, div(b, cube)))
		}
		p = next
	}
}

// descend is the descent of GradBench.
func descend(f func([]dual) dual, x []float64) []float64 {
	norm := func(v []float64) float64 {
		sum := 0.0
		for _, a := range v {
			sum += a * a
		}
		return math.Sqrt(sum)
	}
	value, gradient := gradientOf(x, f)
	for eta, i := 1e-5, 0; norm(gradient) > 1e-5; {
		if i == 10 {
			eta, i = 2*eta, 0
			continue
		}
		next, step := make([]float64, len(x)), make([]float64, len(x))
		for j := range x {
			next[j] = x[j] - eta*gradient[j]
			step[j] = next[j] - x[j]
		}
		if norm(step) <= 1e-5 {
			break
		}
		fnext, slopes := gradientOf(next, f)
		if fnext[0] < value[0] {
			x, value, gradient, i = next, fnext, slopes, i+1
		} else {
			eta, i = eta/2, 0
		}
	}
	return x
}
