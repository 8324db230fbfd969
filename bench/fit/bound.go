package fit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// Sample is one point of a bound in several variables: Y is to be at most Σ c_j·X[j].
// All numbers are natural, Y and the sum of X positive.
type Sample struct {
	X []float64
	Y float64
}

// LeastSquares returns the c ≥ 0 whose Σ c_j·X[j] is nearest to Y, by least squares of the
// relative residuals: a coefficient that would be negative is 0, and the others are fitted
// without it. Residual is the root mean square.
func LeastSquares(samples []Sample) (c []float64, residual float64, err error) {
	if len(samples) == 0 {
		return nil, 0, fmt.Errorf("fit: a bound needs samples")
	}
	width := len(samples[0].X)
	c = make([]float64, width)
	var active []int
	for j := range width {
		active = append(active, j)
	}
	for len(active) > 0 {
		solution, ok := solve(samples, active)
		least := len(active) - 1 // of columns that depend on each other, the last goes
		for k := range solution {
			if solution[k] < solution[least] {
				least = k
			}
		}
		if ok && solution[least] >= 0 {
			for k, j := range active {
				c[j] = solution[k]
			}
			break
		}
		active = append(active[:least:least], active[least+1:]...)
	}
	for _, s := range samples {
		d := dot(c, s.X)/s.Y - 1
		residual += d * d
	}
	return c, math.Sqrt(residual / float64(len(samples))), nil
}

// solve is the least-squares solution in the active columns.
func solve(samples []Sample, active []int) (c []float64, ok bool) {
	a := mat.NewDense(len(samples), len(active), nil)
	ones := mat.NewVecDense(len(samples), nil)
	for i, s := range samples {
		for k, j := range active {
			a.Set(i, k, s.X[j]/s.Y)
		}
		ones.SetVec(i, 1)
	}
	if len(samples) < len(active) {
		return nil, false
	}
	c, _, ok = leastSquares(a, ones)
	return c, ok
}

// Bound returns constants c ≥ 0 with Y ≤ Σ c_j·X[j] for every sample: of all that are so,
// those for which the bound is least in the mean, relative to Y. It is the linear program
//
//	minimise  Σ_i (Σ_j c_j·X_ij / Y_i)   such that   Σ_j c_j·X_ij / Y_i ≥ 1 for each i,  c ≥ 0
//
// which is solved for the few samples that matter: each round adds the one that the last
// solution violates most.
func Bound(samples []Sample) ([]float64, error) {
	if len(samples) == 0 {
		return nil, fmt.Errorf("fit: a bound needs samples")
	}
	width := len(samples[0].X)
	cost := make([]float64, width)
	rows := make([][]float64, len(samples))
	for i, s := range samples {
		rows[i] = make([]float64, width)
		for j, x := range s.X {
			rows[i][j] = x / s.Y
			cost[j] += x / s.Y / float64(len(samples))
		}
	}
	c := make([]float64, width)
	var chosen [][]float64
	for range samples {
		worst, least := -1, 1-1e-9
		for i, row := range rows {
			if at := dot(c, row); at < least {
				worst, least = i, at
			}
		}
		if worst < 0 {
			return c, nil
		}
		chosen = append(chosen, rows[worst])
		var err error
		if c, err = cover(cost, chosen); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// cover minimises cost·c such that row·c ≥ 1 for each row, and c ≥ 0.
func cover(cost []float64, rows [][]float64) ([]float64, error) {
	width := len(cost)
	var used []int // a column of zeros is in no row, and its c is 0
	for j := range width {
		for _, row := range rows {
			if row[j] > 0 {
				used = append(used, j)
				break
			}
		}
	}
	a := mat.NewDense(len(rows), len(used)+len(rows), nil)
	objective, ones := make([]float64, len(used)+len(rows)), make([]float64, len(rows))
	for k, j := range used {
		objective[k] = cost[j]
	}
	for i, row := range rows {
		for k, j := range used {
			a.Set(i, k, row[j])
		}
		a.Set(i, len(used)+i, -1) // the slack
		ones[i] = 1
	}
	_, z, err := lp.Simplex(objective, a, ones, 1e-12, nil)
	if err != nil {
		return nil, fmt.Errorf("fit: bound: %w", err)
	}
	c := make([]float64, width)
	for k, j := range used {
		c[j] = z[k]
	}
	return c, nil
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
