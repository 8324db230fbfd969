package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/gram-machine/gram/internal/property"
)

// scales are the mean and the deviation of each column of a table as people have them: years, incomes, shares, calendar years, grams, °C.
var scales = [][2]float64{{45, 15}, {52000, 21000}, {0.004, 0.002}, {2008, 9}, {71000, 12000}, {11, 8}}

// logisticTable writes a table with the columns of scales and a class, and returns its rows, the class first and 1 last.
func logisticTable(t *testing.T, rows int) (file string, table [][]float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("y,age,income,share,year,weight,temperature\n")
	for range rows {
		row := make([]float64, len(scales)+2)
		odds := -0.5
		for j, s := range scales {
			z := rng.NormFloat64()
			odds += []float64{0.8, -0.5, 0.3, 0.4, -0.9, 0.2}[j] * z
			row[j+1] = s[0] + s[1]*z
		}
		row[len(row)-1] = 1
		if rng.Float64() < 1/(1+math.Exp(-odds)) {
			row[0] = 1
		}
		for j, x := range row[:len(row)-1] {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%v", x)
		}
		b.WriteByte('\n')
		table = append(table, row)
	}
	file = filepath.Join(t.TempDir(), "table.csv")
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o666))
	return file, table
}

const logistic = `data  rows : List R^7 = csv %q "y" "age" "income" "share" "year" "weight" "temperature"
input w : R^6 = vec i < 6 -> 0
input c = 0
def score v = c + sum j < 6 -> w.(j) * v.(j + 1)
def loss v = softplus (score v) - v.(0) * score v
foldl (fun total v -> total + loss v) 0 rows / size rows
`

// newton fits a logistic regression by Newton's method, on columns that it standardises itself. It returns the coefficients of the columns as
// they are, the intercept last, with their standard errors, and the mean of the cross entropy.
func newton(rows [][]float64) (w, errs []float64, loss float64) {
	k := len(rows[0]) - 1
	scaled := mat.NewDense(len(rows), k, nil)
	for i, row := range rows {
		for j, x := range row[1:] {
			if j < len(scales) {
				x = (x - scales[j][0]) / scales[j][1]
			}
			scaled.Set(i, j, x)
		}
	}
	beta := mat.NewVecDense(k, nil)
	var inverse mat.Dense
	for range 30 {
		gradient, hessian := mat.NewVecDense(k, nil), mat.NewDense(k, k, nil)
		loss = 0
		for i, row := range rows {
			x := scaled.RowView(i)
			z := mat.Dot(x, beta)
			p := 1 / (1 + math.Exp(-z))
			loss += math.Log1p(math.Exp(z)) - row[0]*z
			gradient.AddScaledVec(gradient, p-row[0], x)
			hessian.RankOne(hessian, p*(1-p), x, x)
		}
		if err := inverse.Inverse(hessian); err != nil {
			panic(err)
		}
		var step mat.VecDense
		step.MulVec(&inverse, gradient)
		beta.SubVec(beta, &step)
	}
	// In the units of the columns the coefficients are A·beta.
	a := mat.NewDense(k, k, nil)
	a.Set(k-1, k-1, 1)
	for j, s := range scales {
		a.Set(j, j, 1/s[1])
		a.Set(k-1, j, -s[0]/s[1])
	}
	var b mat.VecDense
	b.MulVec(a, beta)
	var covariance mat.Dense
	covariance.Mul(a, &inverse)
	covariance.Mul(&covariance, a.T())
	for j := range k {
		w, errs = append(w, b.AtVec(j)), append(errs, math.Sqrt(covariance.At(j, j)))
	}
	return w, errs, loss / float64(len(rows))
}

// TestFitLogistic: a regression on columns of very different scale comes to the optimum of an independent solver, with its standard
// errors, in the units of the columns, also where rows are held out.
func TestFitLogistic(t *testing.T) {
	file, table := logisticTable(t, 5000)
	program := fmt.Sprintf(logistic, file)
	order := rand.New(rand.NewPCG(0, math.MaxUint64)).Perm(len(table)) // that of the job
	var training [][]float64
	for _, i := range order[:4000] {
		training = append(training, table[i])
	}
	predict := []string{"--predict", "map (fun v -> (sigmoid (score v), v.(0))) rows"}
	for _, c := range []struct {
		rows [][]float64
		args string
	}{{table, ""}, {table, "--method newton-cg"}, {training, "--over rows --held-out 0.2"}} {
		if c.args == "--method newton-cg" && !property.Full() {
			continue
		}
		f := fittedJSON(t, program, append(predict, strings.Fields(c.args)...)...)
		w, errs, loss := newton(c.rows)
		require.True(t, f.Converged, "%s: %s", c.args, f.Stopped)
		require.InDelta(t, loss, f.Loss, 1e-12, c.args)
		require.Equal(t, "Bernoulli", f.Likelihood, f.NoStandardErrors)
		require.Len(t, f.Coefficients, 7)
		for j, got := range f.Coefficients {
			require.InEpsilon(t, w[j], got.Value, 1e-5, "%s: %s", c.args, got.Name)
			require.InEpsilon(t, errs[j], got.StandardError, 1e-5, "%s: %s", c.args, got.Name)
			require.InDelta(t, got.Value+1.959964*got.StandardError, got.High, 1e-6*math.Abs(got.High))
		}
		require.Greater(t, f.Predictions["training"].AUC, 0.8)
	}
	f := fittedJSON(t, program, "--method", "gd", "--iterations", "50")
	require.False(t, f.Converged)
	require.Equal(t, "the number of iterations is reached", f.Stopped)
}

// TestFitLinear: standard errors of a linear regression are those of the textbook: s²(XᵀX)⁻¹, with n − k degrees of freedom, whatever
// multiple of the sum of squares the loss is.
func TestFitLinear(t *testing.T) {
	const x, y = "[| 1, 2, 4, 5, 7, 9 |]", "[| 2.1, 2.9, 5.2, 5.8, 8.3, 9.7 |]"
	xs, ys := []float64{1, 2, 4, 5, 7, 9}, []float64{2.1, 2.9, 5.2, 5.8, 8.3, 9.7}
	n := float64(len(xs))
	var mx, my, sxx, sxy, rss, tss float64
	for i := range xs {
		mx, my = mx+xs[i]/n, my+ys[i]/n
	}
	for i := range xs {
		sxx, sxy = sxx+(xs[i]-mx)*(xs[i]-mx), sxy+(xs[i]-mx)*(ys[i]-my)
	}
	slope := sxy / sxx
	for i := range xs {
		r := ys[i] - my - slope*(xs[i]-mx)
		rss, tss = rss+r*r, tss+(ys[i]-my)*(ys[i]-my)
	}
	for _, by := range []string{"", " / 6", " * 0.5", " * 1e6"} {
		program := "input a = 0\ninput b = 0\ndata x : R^6 = " + x + "\ndata y : R^6 = " + y + "\nsum ((a * x + b - y)^2)" + by
		f := fittedJSON(t, program, "--predict", "vec i < 6 -> (a * x.(i) + b, y.(i))")
		require.True(t, f.Converged)
		require.Equal(t, "normal", f.Likelihood)
		require.InEpsilon(t, slope, f.Coefficients[0].Value, 1e-9)
		require.InEpsilon(t, math.Sqrt(rss/(n-2)/sxx), f.Coefficients[0].StandardError, 1e-9)
		require.InEpsilon(t, math.Sqrt(rss/(n-2)*(1/n+mx*mx/sxx)), f.Coefficients[1].StandardError, 1e-9)
		require.InEpsilon(t, 1-rss/tss, f.Predictions["training"].RSquared, 1e-12)
	}
	// With a penalty, the loss is no likelihood's.
	f := fittedJSON(t, "input a = 0\ndata x : R^6 = "+x+"\ndata y : R^6 = "+y+"\nsum ((a * x - y)^2) + a^2", "--predict", "vec i < 6 -> (a * x.(i), y.(i))")
	require.True(t, f.Converged)
	require.Contains(t, f.NoStandardErrors, "no multiple of the negative logarithm")
}

// TestFitNoMinimum: a fit that comes to no minimum says why, and so does its last line.
func TestFitNoMinimum(t *testing.T) {
	for program, want := range map[string]string{
		"input x = 1\nx":                        "the loss is unbounded: it falls without end",
		"input x = 1\nx^3":                      "the Hessian has a zero direction, along which the loss may fall on",
		"input x = 1\ninput y = 0\nx*x + cos y": "the Hessian has a negative direction: this is no minimum",
	} {
		f := fittedJSON(t, program)
		require.False(t, f.Converged, program)
		_, out, _ := runFit(t.Context(), program)
		require.Contains(t, []string{want, "the loss is unbounded: it falls without end"}, f.Stopped, program)
		require.True(t, strings.HasSuffix(out, "\nnot converged: "+f.Stopped+"\n"), out)
	}
	f := fittedJSON(t, line, "--iterations", "1")
	require.False(t, f.Converged)
	require.Equal(t, "the number of iterations is reached", f.Stopped)
}
