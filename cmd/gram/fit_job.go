package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/fault"
	"github.com/gram-machine/gram/cmd/internal/input"
	"github.com/gram-machine/gram/internal/fit"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
)

// fitJob is a program that is fitted, once with each part of the rows of its list.
type fitJob struct {
	ctx  context.Context
	load func(values map[string][]float64) (*gram.Program, error)
	src  []byte

	whole   *gram.Program // with all rows
	over    string        // the list, "" if it is not divided
	rows    []float64     // of the list, for training; width numbers each
	width   int
	train   *gram.Evaluator // on rows: of gradients, or, with batches, of values
	batch   *gram.Evaluator // nil: no batches
	size    int             // rows of a batch
	scale   float64         // of a gradient of a batch
	held    *gram.Evaluator // nil: no rows are held out
	heldOut float64         // scale of their loss
}

// newFitJob loads a program, and divides the rows of its list.
func (a *app) newFitJob(ctx context.Context, path string, f *fitFlags) (job *fitJob, err error) {
	most := f.boundMemory()
	name, dir := input.Name(path)
	j := &fitJob{ctx: ctx, over: f.over}
	if j.src, err = a.read(ctx, path, limits.New(ctx, most)); err != nil {
		return nil, err
	}
	opt := a.options(ctx, dir, &f.loadFlags, most)
	j.load = func(values map[string][]float64) (*gram.Program, error) {
		opt := opt
		opt.Values = values
		return gram.Load(ctx, name, j.src, opt)
	}
	if j.whole, err = j.load(nil); err != nil {
		return nil, err
	}
	switch s := j.whole.Shape(); {
	case s == nil || s.Kind != load.Real:
		return nil, fmt.Errorf("%s: the body has type %s; a loss has type R", name, j.whole.Type())
	case len(j.whole.Point()) == 0:
		return nil, fmt.Errorf("%s: the program has no inputs that could be fitted", name)
	}
	defer func() {
		if err != nil {
			j.close()
		}
	}()
	if j.over == "" {
		j.train, err = j.whole.NewGradient(ctx, gram.EvalOptions{})
		return j, err
	}
	return j, j.divide(f)
}

// divide divides the rows of the list.
func (j *fitJob) divide(f *fitFlags) error {
	i := slices.IndexFunc(j.whole.Source().Data, func(d load.Variable) bool { return d.Name == j.over })
	if i < 0 {
		return fault.Usagef("--over %s: the program has no data %s", j.over, j.over)
	}
	d := &j.whole.Source().Data[i]
	if d.Shape.Kind != load.List || d.Shape.Tagged() {
		return fault.Usagef("--over %s: this is %v, and no list of numbers", j.over, d.Shape)
	}
	if d.Used {
		return fmt.Errorf("--over %s: other values of the program are computed from it, so it cannot be divided", j.over)
	}
	n, width := d.Value.Rows, d.Shape.A.Width()
	j.rows, j.width = d.Value.Data, width
	held := int(math.Round(f.heldOut.X * float64(n)))
	if f.heldOut.X > 0 {
		held = min(max(held, 1), n-1)
	}
	if n < 4 || n-held < int(f.batch.N) {
		return fmt.Errorf("--over %s: %d rows are too few", j.over, n)
	}
	order := rand.New(rand.NewPCG(f.seed.N, math.MaxUint64)).Perm(n)
	sum, err := j.isSum(order)
	var no *notSumError
	switch {
	case errors.As(err, &no) && !f.batch.Valid:
		slices.Sort(order) // the last rows are held out
	case err != nil:
		return err
	}
	all := j.pick(order)
	j.rows = all[:(n-held)*width]
	if held > 0 {
		if j.held, err = j.evaluator(all[(n-held)*width:], (*gram.Program).NewValue); err != nil {
			return err
		}
	}
	j.scale, j.heldOut = 1, 1
	if sum {
		j.heldOut = float64(n-held) / float64(held)
	}
	if !f.batch.Valid {
		j.train, err = j.evaluator(j.rows, (*gram.Program).NewGradient)
		return err
	}
	j.size = int(f.batch.N)
	if sum {
		j.scale = float64(n-held) / float64(j.size)
	}
	if j.train, err = j.evaluator(j.rows, (*gram.Program).NewValue); err == nil {
		j.batch, err = j.evaluator(j.rows[:j.size*width], (*gram.Program).NewGradient)
	}
	return err
}

// pick returns the numbers of some rows.
func (j *fitJob) pick(rows []int) []float64 {
	out := make([]float64, 0, len(rows)*j.width)
	for _, r := range rows {
		out = append(out, j.rows[r*j.width:(r+1)*j.width]...)
	}
	return out
}

// evaluator makes an evaluator of the program with some rows.
func (j *fitJob) evaluator(rows []float64, make func(*gram.Program, context.Context, gram.EvalOptions) (*gram.Evaluator, error)) (*gram.Evaluator, error) {
	p, err := j.load(map[string][]float64{j.over: rows})
	if err != nil {
		return nil, err
	}
	if len(p.Point()) != len(j.whole.Point()) {
		return nil, fmt.Errorf("--over %s: the inputs depend on the number of rows", j.over)
	}
	return make(p, j.ctx, gram.EvalOptions{})
}

// notSumError says that a program is no sum and no mean over the rows of a list.
type notSumError struct {
	over             string
	whole, mean, sum float64
}

func (e *notSumError) Error() string {
	return fmt.Sprintf("the program is neither a mean nor a sum over %s, so it has no batches: at a point its value on all rows is %s; "+
		"of its values on parts of the rows, in another order, the mean is %s, and the sum %s", e.over, number(e.whole), number(e.mean), number(e.sum))
}

// isSum reports whether the program is a sum over the rows, or else a mean: it compares the value on all rows with those on two
// and on three parts, in the given order, at a point near that of the program. If it is neither, the error is a *notSumError.
func (j *fitJob) isSum(order []int) (bool, error) {
	point := j.whole.Point()
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range point {
		point[i] += 0.1 * rng.NormFloat64()
	}
	value := func(rows []float64) (float64, error) {
		e, err := j.evaluator(rows, (*gram.Program).NewValue)
		if err != nil {
			return 0, err
		}
		defer e.Close()
		res, err := e.Value(j.ctx, point)
		if err != nil {
			return 0, err
		}
		return res.Values[0], nil
	}
	whole, err := value(j.rows)
	if err != nil {
		return false, err
	}
	isSum, isMean := true, true
	no := &notSumError{over: j.over, whole: whole}
	for _, parts := range []int{2, 3} {
		no.mean, no.sum = 0, 0
		size := 0.0
		from := 0
		for k := range parts {
			to := len(order) * (k + 1) / parts
			if k == 0 {
				to++ // parts of different sizes tell sums and means apart
			}
			to = max(to, from+1)
			x, err := value(j.pick(order[from:to]))
			if err != nil {
				return false, err
			}
			no.sum += x
			no.mean += x * float64(to-from) / float64(len(order))
			size += math.Abs(x)
			from = to
		}
		near := func(x float64) bool { return math.Abs(x-whole) <= 1e-9*size }
		isSum, isMean = isSum && near(no.sum), isMean && near(no.mean)
		if !isSum && !isMean {
			return false, no
		}
	}
	return !isMean, nil
}

// problem is the program as a problem of optimisation.
func (j *fitJob) problem() *fit.Problem {
	p := &fit.Problem{Point: j.whole.Point(), Size: j.size, Loss: func(x []float64) (float64, []float64, error) {
		run := j.train.Gradient
		if j.batch != nil {
			run = j.train.Value
		}
		res, err := run(j.ctx, x)
		if err != nil {
			return 0, nil, err
		}
		return res.Values[0], res.Jacobian, nil
	}}
	p.Product = func(x, v []float64) ([]float64, error) {
		res, err := j.train.HessianVector(j.ctx, x, v)
		if err != nil {
			return nil, err
		}
		return res.Jacobian, nil
	}
	if j.batch != nil {
		p.Rows = len(j.rows) / j.width
		batch := make([]float64, j.size*j.width)
		p.Batch = func(x []float64, rows []int) ([]float64, error) {
			for i, r := range rows {
				copy(batch[i*j.width:(i+1)*j.width], j.rows[r*j.width:])
			}
			if err := j.batch.SetData(j.over, batch); err != nil {
				return nil, err
			}
			res, err := j.batch.Gradient(j.ctx, x)
			if err != nil {
				return nil, err
			}
			for i := range res.Jacobian {
				res.Jacobian[i] *= j.scale
			}
			return res.Jacobian, nil
		}
	}
	if j.held != nil {
		p.HeldOut = func(x []float64) (float64, error) {
			res, err := j.held.Value(j.ctx, x)
			if err != nil {
				return 0, err
			}
			return res.Values[0] * j.heldOut, nil
		}
	}
	return p
}

// named are the inputs of the program with their values at a point.
func (j *fitJob) named(point []float64) []gram.Input {
	inputs := j.whole.Inputs()
	for i := range inputs {
		n := len(inputs[i].Values)
		inputs[i].Values, point = point[:n], point[n:]
	}
	return inputs
}

// digest identifies what a state belongs to: the program, its params, data and point, and the flags.
func (j *fitJob) digest(f *fitFlags) string {
	h := sha256.New()
	fmt.Fprintln(h, f.method.String(), f.rate.X, f.over, f.batch.N, f.heldOut.X, f.seed.N, j.whole.Source().Params, j.whole.Point())
	for _, d := range j.whole.Source().Data {
		fmt.Fprintln(h, d.Name, d.Value.Data)
	}
	h.Write(j.whole.Source().File.Src) // with what it imports
	return hex.EncodeToString(h.Sum(nil))
}

// close returns the memory of the evaluators.
func (j *fitJob) close() {
	for _, e := range []*gram.Evaluator{j.train, j.batch, j.held} {
		if e != nil {
			_ = e.Close()
		}
	}
}
