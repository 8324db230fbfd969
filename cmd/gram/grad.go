package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/result"
	"github.com/gram-machine/gram/lang/load"
)

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
	if more != nil {
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
		values := []result.Named{result.Numbers("", gram.Input{Name: "value", Shape: p.Shape(), Values: res.Values})}
		for _, in := range d {
			values = append(values, result.Numbers(derivativeName(p.Program)+".", in))
		}
		return a.writeResult(ctx, f.output, append(values, more.numbers(p.Program)...))
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
