package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/result"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
)

// gradFlags are the flags of gram grad.
type gradFlags struct {
	runFlags
	along          string // the file with a vector for the product with the Hessian, or ""
	hessian, kinks bool
	html           string // the file of the report, or ""
	output         string // the file of the result, or ""
	quiet          bool
}

func (f *gradFlags) add(cmd *cobra.Command) {
	f.runFlags.add(cmd)
	f.addStrategy(cmd)
	cmd.Flags().Var(&f.rowsMemory, "rows-memory",
		"keep at most a `size` of the rows that loops need for the backward phase, and compute\n"+
			"other rows again (default: what --max-memory leaves)")
	f.cache.add(cmd.Flags())
	f.mode.Add(cmd, "mode", "`how` the gradient is computed: reverse, the calculus; or, over the graph of\n"+
		"the program, forward or tape",
		"reverse forward tape", gram.Reverse, gram.Forward, gram.Tape)
	cmd.Flags().StringVar(&f.along, "along", "",
		"also print the product of the Hessian with the vector in `file`, JSON like \"gradient\"")
	cmd.Flags().BoolVar(&f.hessian, "hessian", false, "also print the Hessian, a product for each scalar input")
	cmd.Flags().BoolVar(&f.kinks, "kinks", false,
		"also print where the derivative is a choice: symbols at a kink, conditions at equality")
	_ = cmd.MarkFlagFilename("along", "json")
	cmd.Flags().BoolVar(&f.quiet, "quiet", false, "print the value and the derivatives, and no cost")
	cmd.Flags().StringVar(&f.html, "html", "",
		"also write a report to `file`: a page with the gradient, the cost by rule and by\nline of the source, and "+
			"the graph")
	_ = cmd.MarkFlagFilename("html", "html")
	addResult(cmd, &f.output)
}

// check reports flags that don't go together.
func (f *gradFlags) check(cmd *cobra.Command) error {
	for _, name := range []string{"json", "repeat", "bound", "work"} {
		if f.quiet && cmd.Flags().Changed(name) {
			return command.Usagef("--quiet leaves out the cost, and --%s prints it", name)
		}
	}
	second := f.along != "" || f.hessian
	return cmp.Or(f.checkMode(), command.Misfit(f.kinks && (f.html != "" || result.IsNumbers(f.output)),
		"--kinks is printed, and written by -o as .json"),
		command.Misfit(second && f.bound,
			"--bound is for the gradient, and --along and --hessian print the cost of a product"),
		command.Misfit(second && f.html != "", "--html is a report on the gradient, without second derivatives"),
		checkResult(f.output, f.JSON),
		command.Misfit(f.quiet && f.output != "", "--quiet is for what is printed, and -o writes to a file"))
}

func newGrad(a *app) *cobra.Command {
	var f gradFlags
	cmd := command.New("grad FILE", "Print the value and gradient of a program, and what they cost", command.LimitsHelp)
	f.add(cmd)
	return a.Reads(cmd, &f.LoadFlags, f.check,
		func(ctx context.Context, path string) error { return a.grad(ctx, path, &f) })
}

// grad prints a gradient, or writes it to a file.
func (a *app) grad(ctx context.Context, path string, f *gradFlags) (err error) {
	var page *command.OutFile
	if f.html != "" {
		if page, err = command.CreateFile(f.html); err != nil {
			return err
		}
		defer page.Discard()
		f.whole = true
	}
	res, p, err := a.reduce(ctx, path, &f.runFlags, true)
	if err != nil {
		return err
	}
	more, err := a.second(ctx, p, f)
	if err != nil {
		return err
	}
	kinks, err := a.kinks(ctx, p, f)
	if err != nil {
		return err
	}
	if f.along != "" || f.hessian {
		seconds := res.Cost.Seconds
		res.Cost = more.cost
		res.Cost.Seconds.Load = seconds.Load
	}
	if page != nil {
		if err := a.writeHTML(ctx, page, path, p, res, f); err != nil {
			return err
		}
	}
	d := p.Derivatives(res.Values, res.Jacobian)
	switch {
	case result.IsNumbers(f.output):
		return a.writeResult(ctx, f.output, slices.Concat(
			[]result.Named{{Name: "value", Shape: p.Shape(), Flat: load.Flat{Values: res.Values}}},
			result.Numbers(derivativeName(p.Program)+".", d), more.numbers(p.Program)))
	case f.JSON || f.output != "":
		result.Answer(&a.Out, func(o *result.Object) {
			o.Value("value", load.Flat{Values: res.Values}, p.Shape())
			o.Object(derivativeName(p.Program)).Inputs(d)
			more.json(o, p.Program)
			if kinks != nil {
				o.Field("kinks", kinks)
			}
			o.Field("strategy", f.strategy.String())
			o.Cost(&res.Cost, f.mode.Is)
		})
	default:
		r := result.NewReport(a.App)
		r.Gradient(p.Program, res, d)
		more.text(r, p.Program)
		printKinks(r, kinks)
		if !f.quiet {
			r.Cost(&res.Cost, f.run())
		}
	}
	return a.writeOutput(ctx, f.output)
}

// derivativeName is what a derivative of a program is called in results.
func derivativeName(p *gram.Program) string {
	if result.IsJacobian(p) {
		return "jacobian"
	}
	return "gradient"
}

// maxHessian bounds the scalar inputs of a Hessian.
const maxHessian = 2000

// second is what --along and --hessian found.
type second struct {
	product []gram.Input            // in the shapes of the inputs
	hessian map[string][]gram.Input // by input: of each number of it a row, in the shapes of all inputs
	cost    gram.Cost               // of one product
}

// second computes what the flags ask for.
func (a *app) second(ctx context.Context, p *loaded, f *gradFlags) (*second, error) {
	out := &second{}
	if f.along == "" && !f.hessian {
		return out, nil
	}
	x := p.Point()
	v := p.NewPoint()
	clear(v.Values)
	if f.along != "" {
		text, err := a.ReadProgram(ctx, f.along, limits.New(ctx, 0))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, v); err != nil {
			return nil, fmt.Errorf("%s: %w", f.along, err)
		}
	}
	if f.hessian && len(x) > maxHessian {
		return nil, fmt.Errorf("a Hessian of %d scalar inputs; --hessian is for at most %d, and --along for any number",
			len(x), maxHessian)
	}
	e, err := p.NewGradient(ctx, f.options(a))
	if err != nil {
		return nil, err
	}
	defer e.Close()
	product := func(v []float64) ([]float64, error) {
		res, err := e.HessianVector(ctx, x, v)
		if err != nil {
			return nil, err
		}
		out.cost = e.Cost()
		return res.Jacobian, nil
	}
	if f.hessian {
		if out.hessian, err = hessian(p.Program, product); err != nil {
			return nil, err
		}
	}
	if f.along != "" {
		hv, err := product(v.Values)
		if err != nil {
			return nil, err
		}
		out.product = p.Derivatives([]float64{0}, hv)
	}
	return out, nil
}

// hessian makes the Hessian row by row.
func hessian(p *gram.Program, product func(v []float64) ([]float64, error)) (map[string][]gram.Input, error) {
	out := map[string][]gram.Input{}
	unit := make([]float64, len(p.Point()))
	at := 0
	for _, in := range p.Inputs() {
		var rows []gram.Input
		for range in.Values {
			unit[at] = 1
			row, err := product(unit)
			if err != nil {
				return nil, err
			}
			unit[at] = 0
			at++
			for i, d := range p.Derivatives([]float64{0}, row) {
				if len(rows) <= i {
					rows = append(rows, gram.Input{Name: d.Name, Shape: nest(in.Shape, d.Shape)})
				}
				rows[i].Values = append(rows[i].Values, d.Values...)
			}
		}
		out[in.Name] = rows
	}
	return out, nil
}

// nest is the shape a with b in place of each number.
func nest(a, b *gram.Shape) *gram.Shape {
	switch a.Kind {
	case load.Product:
		return load.ProductShape(nest(a.A, b), nest(a.B, b))
	case load.Vector:
		return load.VectorShape(nest(a.A, b), a.Size)
	}
	return b
}

// json prints second derivatives.
func (s *second) json(o *result.Object, p *gram.Program) {
	if s.product != nil {
		o.Object("hessianVector").Inputs(s.product)
	}
	if s.hessian != nil {
		rows := o.Object("hessian")
		for _, in := range p.Inputs() {
			rows.Object(in.Name).Inputs(s.hessian[in.Name])
		}
		rows.End()
	}
}

// text prints them for people.
func (s *second) text(r *result.Report, p *gram.Program) {
	if s.product != nil {
		r.Out.WriteByte('\n')
		r.Heading("Hessian-vector product")
		r.Inputs(s.product)
	}
	if s.hessian != nil {
		var rows []gram.Input
		for _, in := range p.Inputs() {
			for _, d := range s.hessian[in.Name] {
				d.Name = in.Name + " " + d.Name
				rows = append(rows, d)
			}
		}
		r.Out.WriteByte('\n')
		r.Heading("Hessian")
		r.Inputs(rows)
	}
}

// numbers are second derivatives as arrays with names.
func (s *second) numbers(p *gram.Program) []result.Named {
	out := result.Numbers("hessianVector.", s.product)
	for _, in := range p.Inputs() {
		out = append(out, result.Numbers("hessian."+in.Name+".", s.hessian[in.Name])...)
	}
	return out
}

// kink is where the derivative of a run is a choice.
type kink struct {
	Kind  string `json:"kind"` // a symbol, or "if"
	Pos   string `json:"pos"`  // line:column
	Count int    `json:"count"`
}

// kinks finds the kinks of the run in the order of the source, if they are asked for.
func (a *app) kinks(ctx context.Context, p *loaded, f *gradFlags) ([]*kink, error) {
	if !f.kinks {
		return nil, nil
	}
	counts, err := p.Kinks(ctx, gram.EvalOptions{MaxSteps: f.MaxSteps.N, MaxNodes: f.MaxNodes.N})
	if err != nil {
		return nil, err
	}
	out := []*kink{}
	for _, at := range slices.SortedFunc(maps.Keys(counts), func(x, y gram.Diagnostic) int {
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column), cmp.Compare(x.Headline, y.Headline))
	}) {
		out = append(out, &kink{at.Headline, fmt.Sprintf("%d:%d", at.Line, at.Column), counts[at]})
	}
	return out, nil
}

// printKinks prints them for people.
func printKinks(r *result.Report, ks []*kink) {
	if ks == nil {
		return
	}
	r.Out.WriteByte('\n')
	r.Heading("kinks")
	if len(ks) == 0 {
		r.Out.WriteString("  none\n")
		return
	}
	r.Out.WriteString("\n")
	for _, k := range ks {
		times := "once"
		if k.Count > 1 {
			times = fmt.Sprintf("%d times", k.Count)
		}
		fmt.Fprintf(r.Out, "  %-7s  %-8s  %s\n", k.Pos, k.Kind, times)
	}
}
