package fitting

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/fit"
	"github.com/gram-machine/gram/lang/load"
)

// fitJob is a program that is fitted, once with each part of the rows of its list.
type fitJob struct {
	ctx  context.Context
	load func(body string, rows []float64) (*gram.Program, error) // body "": the program's; rows nil: all
	src  []byte

	whole *gram.Program // with all rows
	divideOptions
	rows      []float64 // of the list, for training; width numbers each
	width     int
	train     *gram.Evaluator // on rows: of gradients, or, with batches, of values
	batch     *gram.Evaluator // nil: no batches
	scale     float64         // of a gradient of a batch
	held      *gram.Evaluator // nil: no rows are held out
	heldScale float64         // of their loss
	heldRows  []float64
	predicted []*gram.Evaluator // of predictions on the rows, and on those that are held out
	Notes     []string          // what is to be said of the rows that are left out or held out
	Skipped   map[string]int    // by data: how many rows of the file are left out, since a value is missing
}

// divideOptions say how the rows of a list are divided.
type divideOptions struct {
	Over    string  // the list; "" if none is divided
	Batch   int     // rows of a batch; 0: no batches
	HeldOut float64 // the share of the rows that are held out
	Seed    uint64  // of the order of the rows
}

// newJob loads the program src with opt, divides the rows of its list, and loads an expression for predictions, unless
// that is "".
func newJob(ctx context.Context, name string, src []byte, opt gram.Options, predict string,
	f divideOptions) (job *fitJob, err error) {
	j := &fitJob{ctx: ctx, src: src, divideOptions: f}
	j.load = func(body string, rows []float64) (*gram.Program, error) {
		opt := opt
		opt.Body = cmp.Or(body, opt.Body)
		if rows != nil {
			opt.Values = map[string][]float64{f.Over: rows}
		}
		return gram.Load(ctx, name, j.src, opt)
	}
	if j.whole, err = j.load("", nil); err != nil {
		return nil, err
	}
	switch s := j.whole.Shape(); {
	case s == nil || s.Kind != load.Real:
		return nil, fmt.Errorf("%s: the body has type %s; a loss has type R", name, j.whole.Type())
	case len(j.whole.Point()) == 0:
		return nil, fmt.Errorf("%s: the program has no inputs that could be fitted", name)
	}
	j.Skipped = map[string]int{}
	for _, d := range bridge.Of(j.whole).Source().Data {
		if v := d.Value; v.Skipped > 0 {
			j.Skipped[d.Name] = v.Skipped
		}
	}
	j.Notes = bridge.Of(j.whole).Source().Notes()
	defer func() {
		if err != nil {
			j.Close()
		}
	}()
	if j.Over == "" {
		j.train, err = j.whole.NewGradient(ctx, gram.EvalOptions{})
	} else {
		err = j.divide()
	}
	if err == nil && predict != "" {
		err = j.predict(predict)
	}
	return j, err
}

// divide divides the rows of the list.
func (j *fitJob) divide() error {
	i := slices.IndexFunc(bridge.Of(j.whole).Source().Data, func(d load.Variable) bool { return d.Name == j.Over })
	if i < 0 {
		return command.Usagef("--over %s: the program has no data %s", j.Over, j.Over)
	}
	d := &bridge.Of(j.whole).Source().Data[i]
	if d.Shape.Kind != load.List || d.Shape.Tagged() {
		return command.Usagef("--over %s: this is %v, and no list of numbers", j.Over, d.Shape)
	}
	if d.Used {
		return fmt.Errorf("--over %s: other values of the program are computed from it, so it cannot be divided", j.Over)
	}
	n, width := d.Value.Rows, d.Shape.A.Width()
	j.rows, j.width = d.Value.Data, width
	held := int(math.Round(j.HeldOut * float64(n)))
	if j.HeldOut > 0 {
		held = min(max(held, 1), n-1)
	}
	if n < 4 || n-held < j.Batch {
		return fmt.Errorf("--over %s: %d rows are too few", j.Over, n)
	}
	order := rand.New(rand.NewPCG(j.Seed, math.MaxUint64)).Perm(n)
	sum, err := j.isSum(order)
	var no notSumError
	switch {
	case errors.As(err, &no) && j.Batch == 0:
		slices.Sort(order)
		j.Notes = append(j.Notes, fmt.Sprintf("the loss is neither a mean nor a sum over %s: the last %d of its %d "+
			"rows are held out, and what the program computes "+
			"from %s, like means, it computes from them alone", j.Over, held, n, j.Over))
	case err != nil:
		return err
	}
	all := j.pick(order)
	j.rows = all[:(n-held)*width]
	if held > 0 {
		j.heldRows = all[(n-held)*width:]
		if j.held, err = j.evaluator(j.heldRows, (*gram.Program).NewValue); err != nil {
			return err
		}
	}
	j.scale, j.heldScale = 1, 1
	if sum {
		j.heldScale = float64(n-held) / float64(held)
	}
	if j.Batch == 0 {
		j.train, err = j.evaluator(j.rows, (*gram.Program).NewGradient)
		return err
	}
	if sum {
		j.scale = float64(n-held) / float64(j.Batch)
	}
	if j.train, err = j.evaluator(j.rows, (*gram.Program).NewValue); err == nil {
		j.batch, err = j.evaluator(j.rows[:j.Batch*width], (*gram.Program).NewGradient)
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
func (j *fitJob) evaluator(rows []float64,
	make func(*gram.Program, context.Context, gram.EvalOptions) (*gram.Evaluator, error)) (*gram.Evaluator, error) {
	p, err := j.load("", rows)
	if err != nil {
		return nil, err
	}
	if len(p.Point()) != len(j.whole.Point()) {
		return nil, fmt.Errorf("--over %s: the inputs depend on the number of rows", j.Over)
	}
	return make(p, j.ctx, gram.EvalOptions{})
}

// notSumError says that a program is no sum and no mean over the rows of a list.
type notSumError string

func (e notSumError) Error() string { return string(e) }

// isSum reports whether the program is a sum over the rows, or else a mean: it compares the value on all rows with
// those on two and on three parts, in the given order, at a point near that of the program. If it is neither, the error
// is a notSumError.
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
		return j.value(e, point)
	}
	whole, err := value(j.rows)
	if err != nil {
		return false, err
	}
	isSum, isMean := true, true
	for _, parts := range []int{2, 3} {
		mean, sum, size, from := 0.0, 0.0, 0.0, 0
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
			sum += x
			mean += x * float64(to-from) / float64(len(order))
			size += math.Abs(x)
			from = to
		}
		near := func(x float64) bool { return math.Abs(x-whole) <= 1e-9*size }
		isSum, isMean = isSum && near(sum), isMean && near(mean)
		if !isSum && !isMean {
			return false, notSumError(fmt.Sprintf("the program is neither a mean nor a sum over %s, so it has no batches: at a "+
				"point its value on all rows is %s; of its values on parts of the rows, in another order, the mean is %s, and "+
				"the sum %s", j.Over, load.Text(whole), load.Text(mean), load.Text(sum)))
		}
	}
	return !isMean, nil
}

// value is the value of an evaluator at a point.
func (j *fitJob) value(e *gram.Evaluator, point []float64) (float64, error) {
	res, err := e.Value(j.ctx, point)
	if err != nil {
		return 0, err
	}
	return res.Values[0], nil
}

// Problem is the program as a problem of optimisation.
func (j *fitJob) Problem() *fit.Problem {
	p := &fit.Problem{Point: j.whole.Point(), Size: j.Batch, Loss: func(x []float64) (float64, []float64, error) {
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
	p.Products = func(x, vectors []float64) ([]float64, error) {
		res, err := j.train.HessianVector(j.ctx, x, vectors)
		if err != nil {
			return nil, err
		}
		return res.Jacobian, nil
	}
	if j.batch != nil {
		p.Rows = len(j.rows) / j.width
		batch := make([]float64, j.Batch*j.width)
		p.Batch = func(x []float64, rows []int) ([]float64, error) {
			for i, r := range rows {
				copy(batch[i*j.width:(i+1)*j.width], j.rows[r*j.width:])
			}
			if err := j.batch.SetData(j.Over, batch); err != nil {
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
			loss, err := j.value(j.held, x)
			return loss * j.heldScale, err
		}
	}
	return p
}

// NotFinite returns the error of the place where the loss at a point becomes infinite or NaN, or nil.
func (j *fitJob) NotFinite(point []float64) error {
	for _, rows := range j.parts() {
		p, err := j.load("", rows)
		if err != nil {
			return err
		}
		e, err := p.NewValue(j.ctx, gram.EvalOptions{Finite: true})
		if err != nil {
			return err
		}
		_, err = e.Value(j.ctx, point)
		_ = e.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// parts are the rows for training and, if there are any, those that are held out; nil stands for all.
func (j *fitJob) parts() [][]float64 {
	if j.heldRows == nil {
		return [][]float64{j.rows}
	}
	return [][]float64{j.rows, j.heldRows}
}

// Named returns the inputs of the program with their values at a point.
func (j *fitJob) Named(point []float64) []gram.Input {
	inputs := j.whole.Inputs()
	for i := range inputs {
		n := len(inputs[i].Values)
		inputs[i].Values, point = point[:n], point[n:]
	}
	return inputs
}

// Ranges returns the range of each number of the point, for a list of NAME=LOW..HIGH.
func (j *fitJob) Ranges(list []string) ([]fit.Range, error) {
	ranges, inputs := slices.Repeat([]fit.Range{fit.Everywhere}, len(j.whole.Point())), j.whole.Inputs()
	for _, text := range list {
		name, bounds, _ := strings.Cut(text, "=")
		low, high, ok := strings.Cut(bounds, "..")
		r := fit.Everywhere
		for _, end := range []struct {
			text string
			x    *float64
		}{{low, &r.Low}, {high, &r.High}} {
			if end.text != "" {
				x, err := strconv.ParseFloat(end.text, 64)
				ok = ok && err == nil
				*end.x = x
			}
		}
		if !ok || !(r.Low < r.High) {
			return nil, command.Usagef("--range %s: this is no name=low..high, like w=0..1 or w=0..", text)
		}
		k := slices.IndexFunc(inputs, func(in gram.Input) bool { return in.Name == name })
		if k < 0 {
			return nil, command.Usagef("--range %s: the program has no input %s", text, name)
		}
		from := 0
		for _, in := range inputs[:k] {
			from += len(in.Values)
		}
		for i, x := range inputs[k].Values {
			if !(r.Low < x && x < r.High) {
				return nil, fmt.Errorf("--range %s: %s has the value %s, which is not between them; --set gives it another one",
					text, name, load.Text(x))
			}
			ranges[from+i] = r
		}
	}
	return ranges, nil
}

// Digest identifies what a state belongs to: the program, its params, data and point, and the flags.
func (j *fitJob) Digest(method string, rate float64, ranges []fit.Range) string {
	h := sha256.New()
	fmt.Fprintln(h, method, rate, j.Over, j.Batch, j.HeldOut, j.Seed, bridge.Of(j.whole).Source().Params, j.whole.Point())
	for _, d := range bridge.Of(j.whole).Source().Data {
		fmt.Fprintln(h, d.Name, d.Value.Data)
	}
	for i, r := range ranges {
		if !r.Free() {
			fmt.Fprintln(h, i, r)
		}
	}
	h.Write(bridge.Of(j.whole).Source().File.Src) // with what it imports
	return hex.EncodeToString(h.Sum(nil))
}

// Close returns the memory of the evaluators.
func (j *fitJob) Close() {
	for _, e := range append(j.predicted, j.train, j.batch, j.held) {
		if e != nil {
			_ = e.Close()
		}
	}
}

// predict loads an expression over the declarations of the program, with the rows for training and with those that are
// held out. Its value has a pair for each row: the prediction, and the number that it is compared with.
func (j *fitJob) predict(expression string) error {
	for _, rows := range j.parts() {
		p, err := j.load(expression, rows)
		if err != nil {
			return fmt.Errorf("--predict: %w", err)
		}
		if !pairs(p.Shape()) {
			return fmt.Errorf("--predict: the expression has type %s; it has to be a list or a vector of pairs, "+
				"(prediction, data)", p.Type())
		}
		e, err := p.NewValue(j.ctx, gram.EvalOptions{})
		if err != nil {
			return err
		}
		j.predicted = append(j.predicted, e)
	}
	return nil
}

// pairs reports whether values of a shape are pairs of numbers, in a list, a vector, or a list that the program
// declares as an inductive type.
func pairs(s *load.Shape) bool {
	switch {
	case s == nil:
		return false
	case s.Kind == load.List, s.Kind == load.Vector:
		return !s.A.Tagged() && s.A.Kind != load.List && s.A.Width() == 2
	case s.Kind != load.Inductive:
		return false
	}
	for _, c := range s.Cons {
		if a := c.Arg; a != nil && (a.Kind != load.Product || a.A.Tagged() || a.A.Kind == load.List ||
			a.A.Width() != 2 || a.B != s) {
			return false
		}
	}
	return true
}

// Predictions returns the pairs at a point, a prediction before its data: for the rows for training, and, if there are
// any, for those that are held out. Without an expression for them there are none.
func (j *fitJob) Predictions(point []float64) ([][]float64, error) {
	var out [][]float64
	for _, e := range j.predicted {
		res, err := e.Value(j.ctx, point)
		if err != nil {
			return nil, err
		}
		out = append(out, res.Values)
	}
	return out, nil
}
