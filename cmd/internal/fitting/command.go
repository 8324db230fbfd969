// Package fitting has the command gram fit: it minimises a program over its inputs, and says how good the result is.
package fitting

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/result"
	"github.com/gram-machine/gram/internal/fit"
	"github.com/gram-machine/gram/lang/load"
)

// app is one run of the command.
type app struct{ *command.App }

// fitFlags are the flags of gram fit.
type fitFlags struct {
	command.LoadFlags
	method             command.Choice[string]
	iterations         command.Count
	rate               command.Number
	over               string
	batch              command.Count
	heldOut            command.Number
	checkpoint, output string
	html, predict      string
	ranges             []string
}

// check reports flags that do not go together.
func (f *fitFlags) check(*cobra.Command) error {
	adam := f.method.Is == "adam"
	return cmp.Or(
		command.Misfit(!adam && f.batch.Valid,
			"--batch is for --method adam: %s searches along lines, where the loss has to stay the same", &f.method),
		command.Misfit(!adam && f.checkpoint != "",
			"--checkpoint is for --method adam: the state of %s cannot be saved; -o saves its point, from which "+
				"--inputs goes on", &f.method),
		command.Misfit(!adam && f.rate.X != 0.01, "--rate is for --method adam: %s searches for the size of its steps",
			&f.method),
		command.Misfit(f.over == "" && f.batch.Valid, "--batch needs --over, the list that is divided"),
		command.Misfit(f.over == "" && f.heldOut.X > 0, "--held-out needs --over, the list that is divided"),
		command.Misfit(f.over != "" && !f.batch.Valid && f.heldOut.X == 0,
			"--over is the list that --batch or --held-out divides"),
		result.CheckInputs(f.output),
	)
}

// Command returns the command gram fit.
func Command(base *command.App) *cobra.Command {
	a := &app{base}
	var f fitFlags
	cmd := command.New("fit FILE", "Fit the inputs of a program to its data", command.LimitsHelp)
	fs := cmd.Flags()
	f.Add(fs)
	f.method.Add(cmd, "method", "`how` the loss is minimised: lbfgs, gd or newton-cg, with a search along a\nline; or "+
		"adam, by batches with --batch", fit.Methods, strings.Fields(fit.Methods)...)
	f.method.Is = "lbfgs"
	f.iterations = command.Count{N: 1000, Valid: true}
	fs.Var(&f.iterations, "iterations",
		"stop after so many points that a search along a line has reached, or updates by\nadam: a `count`")
	f.rate = command.Number{X: 0.01, Below: 1e6}
	f.heldOut.Below = 1
	fs.Var(&f.rate, "rate", "of adam: the `size` of its updates")
	fs.StringVar(&f.over, "over", "", "the data `list` that --batch and --held-out divide")
	f.batch.Least = 1
	fs.Var(&f.batch, "batch", "of adam: update by so many rows of --over at a time, a `count`")
	fs.Var(&f.heldOut, "held-out",
		"hold out this `share` of the rows of --over, like 0.2, and take the point with the\nleast loss on them")
	fs.StringArrayVar(&f.ranges, "range", nil,
		"keep an input between two numbers: `name=low..high`, one of which may be left out\n(repeatable)")
	fs.Var(&f.Seed, "seed", "the `number` that random default values and the order of the rows start from\n(default 0)")
	fs.StringVar(&f.checkpoint, "checkpoint", "",
		"of adam: keep the state in a `file`, and go on from it where it is there")
	fs.StringVar(&f.html, "html", "",
		"also write a report to `file`: a page with the loss curves, the inputs and,\nwith --predict, predictions")
	_ = cmd.MarkFlagFilename("html", "html")
	fs.StringVar(&f.predict, "predict", "",
		"judge predictions, for standard errors, R², accuracy and AUC: an `expression` with a\npair for each row, "+
			"(prediction, data), evaluated as that of --body")
	fs.StringVarP(&f.output, "output", "o", "", "write the fitted inputs to a `file`, .json or .npz, which --inputs reads")
	return a.Reads(cmd, &f.LoadFlags, f.check,
		func(ctx context.Context, path string) error { return a.fit(ctx, path, &f) })
}

// checkpoint is what --checkpoint writes.
type checkpoint struct {
	Run   string     `json:"run"` // a digest of what the state belongs to
	State *fit.State `json:"state"`
}

// fit fits a program, and prints what came of it.
func (a *app) fit(ctx context.Context, path string, f *fitFlags) error {
	job, err := a.trainingJob(ctx, path, f)
	if err != nil {
		return err
	}
	defer job.Close()
	var out *command.OutFile
	if f.output != "" {
		if out, err = command.CreateFile(f.output); err != nil {
			return err
		}
		defer out.Discard()
	}
	for _, note := range job.Notes {
		fmt.Fprintf(a.Stderr, "gram: note: %s\n", note)
	}
	ranges, err := job.Ranges(f.ranges)
	if err != nil {
		return err
	}
	c := &checkpoint{Run: job.Digest(f.method.String(), f.rate.X, ranges), State: &fit.State{}}
	if f.checkpoint != "" {
		if err := c.read(f.checkpoint); err != nil {
			return err
		}
	}
	p, point := job.Problem().Within(ranges)
	p.Report = a.reportFitting(ctx, f, c)
	why, failed := fit.Minimise(p,
		fit.Options{Method: f.method.Is, Iterations: int(f.iterations.N), Rate: f.rate.X, Seed: f.Seed.N}, c.State)
	if errors.Is(failed, fit.ErrNotFinite) {
		failed = cmp.Or(job.NotFinite(point(c.State.Point)), failed)
	}
	if len(c.State.Curve) == 0 {
		return failed // there is no loss yet
	}
	if f.checkpoint != "" {
		if err := c.write(f.checkpoint); err != nil {
			return err
		}
	}
	inputs := job.Named(point(c.State.BestPoint))
	if out != nil {
		text, err := result.InputsFile(f.output, inputs)
		if err != nil {
			return err
		}
		if err := out.Finish(text); err != nil {
			return err
		}
	}
	if failed != nil {
		return a.endedEarly(f, c.State, failed)
	}
	r := &fitReport{State: c.State, inputs: inputs, skipped: job.Skipped, why: why}
	if f.predict != "" {
		if err := r.judge(job, point(c.State.BestPoint), ranges); err != nil {
			return err
		}
	}
	if f.html != "" {
		if err := f.writePage(path, r); err != nil {
			return err
		}
	}
	a.printFitted(f, r)
	return nil
}

// fitReport is what is told of a fit.
type fitReport struct {
	*fit.State
	inputs    []gram.Input
	skipped   map[string]int
	why       string
	pairs     [][]float64 // of --predict, see [fitJob.Predictions]
	inference *Inference
}

// judge computes the predictions at the result and, at a minimum, the standard errors.
func (r *fitReport) judge(job *fitJob, point []float64, ranges []fit.Range) (err error) {
	if r.pairs, err = job.Predictions(point); err != nil {
		return err
	}
	r.inference = &Inference{Why: "the fit has not come to a minimum"}
	if r.Converged {
		r.inference, err = job.Inference(point, ranges)
	}
	return err
}

// partName names part i of the pairs.
func (r *fitReport) partName(i int) string {
	if len(r.pairs) == 1 {
		return "rows"
	}
	return []string{"training", "held out"}[i]
}

// coefficient is a number of the inputs with its standard error.
type coefficient struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Error float64 `json:"standardError"`
	Low   float64 `json:"low"` // the 95 % interval
	High  float64 `json:"high"`
}

// coefficients are those that have a standard error.
func (r *fitReport) coefficients() (out []coefficient) {
	if r.inference == nil || r.inference.Likelihood == "" {
		return nil
	}
	errs := r.inference.Errors
	for _, in := range r.inputs {
		for i, name := range result.Components(in) {
			if se := errs[i]; !math.IsNaN(se) {
				half := normal95 * se
				out = append(out, coefficient{name, in.Values[i], se, in.Values[i] - half, in.Values[i] + half})
			}
		}
		errs = errs[len(in.Values):]
	}
	return out
}

// normal95 is the quantile of the normal distribution at 0.975.
const normal95 = 1.959963984540054

// trainingJob reads the program, and makes the job with the predictions of --predict.
func (a *app) trainingJob(ctx context.Context, path string, f *fitFlags) (*fitJob, error) {
	name, src, opt, err := a.Read(ctx, path, &f.LoadFlags)
	if err != nil {
		return nil, err
	}
	return newJob(ctx, name, src, opt, f.predict,
		divideOptions{Over: f.over, Batch: int(f.batch.N), HeldOut: f.heldOut.X, Seed: f.Seed.N})
}

// reportFitting returns what is called after each iteration: it prints how far the work is, and writes the checkpoint
// once a second.
func (a *app) reportFitting(ctx context.Context, f *fitFlags, c *checkpoint) func(*fit.State) error {
	start, saved := time.Now(), time.Now()
	from := c.State.Iteration
	return func(s *fit.State) error {
		last := s.Curve[len(s.Curve)-1]
		text := fmt.Sprintf("fitting: iteration %d, loss %.6g", s.Iteration, last.Loss)
		if last.HeldOut != nil {
			text += fmt.Sprintf(", held out %.6g", *last.HeldOut)
		}
		rate := float64(s.Iteration-from) / time.Since(start).Seconds()
		a.Line.SetNote(fmt.Sprintf("%s, %.3g iterations/s", text, rate))
		if f.checkpoint != "" && time.Since(saved) >= time.Second {
			saved = time.Now()
			return c.write(f.checkpoint)
		}
		return command.LimitError(ctx.Err(), "fitting")
	}
}

// printFitted prints the result.
func (a *app) printFitted(f *fitFlags, r *fitReport) {
	if f.JSON {
		result.Answer(&a.Out, func(o *result.Object) { r.json(o, f) })
	} else {
		a.fitText(f, r)
	}
	if r.Stuck() && !r.Converged && f.method.Is == "adam" {
		fmt.Fprintln(a.Stderr, "gram: note: the loss fell by less than 1 %: where the start is no minimum, inputs or "+
			"data of very different sizes may "+
			"be the cause (scale them, as in docs/fit.md), or a --method or --rate that does not suit the loss")
	}
}

// endedEarly adds to an error what has been reached, and where it is.
func (a *app) endedEarly(f *fitFlags, s *fit.State, err error) error {
	text := fmt.Sprintf("the best loss, %s, was at iteration %d", load.Text(s.Curve[s.Best].Loss),
		s.Curve[s.Best].Iteration)
	if f.output != "" {
		text += "; its inputs are in " + f.output
	}
	fmt.Fprintf(a.Stderr, "gram: %s\n", text)
	return err
}

// conclusion says whether the work has come to a minimum, and why it has stopped.
func (r *fitReport) conclusion() string {
	if r.Converged {
		return "converged, " + r.why
	}
	return "not converged: " + r.why
}

func (a *app) fitText(f *fitFlags, fitted *fitReport) {
	r := result.NewReport(a.App)
	best := fitted.Curve[fitted.Best]
	line := func(heading, format string, args ...any) {
		r.Heading(heading)
		fmt.Fprintf(r.Out, strings.Repeat(" ", 10-utf8.RuneCountInString(heading))+format+"\n", args...)
	}
	line("loss", "%s, from %s", load.Text(best.Loss), load.Text(fitted.Curve[0].Loss))
	if best.HeldOut != nil {
		line("held out", "%s, from %s", load.Text(*best.HeldOut), load.Text(*fitted.Curve[0].HeldOut))
	}
	line("method", "%s, iteration %d of %d: %s", f.method.String(), best.Iteration, fitted.Iteration, fitted.conclusion())
	for i, pairs := range fitted.pairs {
		q := qualityOf(pairs)
		text := ""
		for _, m := range []struct {
			name string
			x    *float64
		}{{"R²", q.RSquared}, {"accuracy", q.Accuracy}, {"AUC", q.AUC}} {
			if m.x != nil {
				text += fmt.Sprintf("%s %.4f, ", m.name, *m.x)
			}
		}
		line(fitted.partName(i), "%sroot mean square error %.4g, of %d predictions", text, q.Error, q.Rows)
	}
	r.Out.WriteByte('\n')
	r.Heading("inputs")
	r.Inputs(fitted.inputs)
	if n := fitted.inference; n != nil && n.Likelihood == "" {
		fmt.Fprintf(r.Out, "\nno standard errors: %s\n", n.Why)
	} else if n != nil {
		r.Out.WriteByte('\n')
		r.Heading("coefficients")
		fmt.Fprintf(r.Out, ", by the %s likelihood of %d rows; standard errors are asymptotic, from its Hessian\n",
			n.Likelihood, n.Rows)
		lines := [][]string{{"", "value", "standard error", "95 % interval"}}
		for _, c := range fitted.coefficients() {
			number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
			lines = append(lines, []string{c.Name, number(c.Value), strconv.FormatFloat(c.Error, 'g', 4, 64),
				number(c.Low) + " .. " + number(c.High)})
		}
		r.Table(lines, 0)
	}
	if !fitted.Converged {
		fmt.Fprintf(r.Out, "\n%s\n", fitted.conclusion())
	}
}

func (r *fitReport) json(o *result.Object, f *fitFlags) {
	best := r.Curve[r.Best]
	o.Field("method", f.method.String())
	o.Field("loss", best.Loss)
	if best.HeldOut != nil {
		o.Field("heldOut", *best.HeldOut)
	}
	o.Field("iteration", best.Iteration)
	o.Field("iterations", r.Iteration)
	o.Field("converged", r.Converged)
	o.Field("stopped", r.why)
	o.Field("skipped", r.skipped)
	o.Object("inputs").Inputs(r.inputs)
	if n := r.inference; n != nil && n.Likelihood != "" {
		o.Field("likelihood", n.Likelihood)
		o.Field("coefficients", r.coefficients())
	} else if n != nil {
		o.Field("noStandardErrors", n.Why)
	}
	if len(r.pairs) > 0 {
		sub := o.Object("predictions")
		for i, pairs := range r.pairs {
			sub.Field([]string{"training", "heldOut"}[i], qualityOf(pairs))
		}
		sub.End()
	}
	o.Field("curve", r.Curve)
}

// writePage writes the report.
func (f *fitFlags) writePage(path string, s *fitReport) error {
	best := s.Curve[s.Best]
	r := result.NewPage(&f.LoadFlags, "fit", path)
	r.Value = result.Array{Type: "R", Values: []float64{best.Loss}}
	fact := func(name, format string, args ...any) {
		r.Run = append(r.Run, result.Fact{Name: name, Text: fmt.Sprintf(format, args...)})
	}
	fact("method", "%s", &f.method)
	fact("result", "of iteration %d of %d", best.Iteration, s.Iteration)
	fact("stopped", "%s", s.conclusion())
	if f.batch.Valid {
		fact("batches", "of %d rows of %s, seed %d, rate %g", f.batch.N, f.over, f.Seed.N, f.rate.X)
	} else if f.method.Is == "adam" {
		fact("rate", "%g", f.rate.X)
	}
	r.Curves = []result.Curve{{Name: "loss", Best: s.Best}}
	if best.HeldOut != nil {
		fact("held-out loss", "%s, on %g of the rows of %s", load.Text(*best.HeldOut), f.heldOut.X, f.over)
		r.Curves = append(r.Curves, result.Curve{Name: "held out", Best: s.Best})
	}
	for _, x := range s.Curve {
		for i, y := range []*float64{&x.Loss, x.HeldOut}[:len(r.Curves)] {
			c := &r.Curves[i]
			c.At, c.Loss = append(c.At, x.Iteration), append(c.Loss, *y)
		}
	}
	for _, in := range s.inputs {
		r.Gradient = append(r.Gradient, result.Arrays(in.Name, in.Shape, in.Values)...)
	}
	for i, p := range s.pairs {
		points := result.Points{Name: s.partName(i), Pairs: p}
		points.False, points.True, points.Area = positives(p)
		r.Predictions = append(r.Predictions, points)
	}
	return command.WriteFile(f.html, r.HTML())
}

func (c *checkpoint) write(path string) error {
	return command.WriteFile(path, append(result.Encode(c), '\n'))
}

// read reads a checkpoint, if the file is there. It must be of the same run.
func (c *checkpoint) read(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return command.FileError(path, err)
	}
	run := c.Run
	c.Run, c.State = "", nil
	if err := json.Unmarshal(text, c); err != nil || c.State == nil {
		return fmt.Errorf("%s: this is no checkpoint of gram fit", path)
	}
	if c.Run != run {
		return fmt.Errorf("%s: this is a checkpoint of another program, other data or other flags", path)
	}
	return nil
}
