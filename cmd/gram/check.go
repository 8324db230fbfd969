package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/result"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/lang/load"
)

func newCheck(a *app) *cobra.Command {
	var f command.LoadFlags
	var output string
	cmd := command.New("check FILE",
		"Type a program, and print its type and those of its inputs and data", command.LimitsHelp)
	f.Add(cmd.Flags())
	f.TellsSkipped = true
	f.AddSeed(cmd.Flags())
	cmd.Flags().StringVarP(&output, "output", "o", "",
		"write the inputs with their values to a `file`, .json or .npz, which --inputs reads")
	check := func(*cobra.Command) error { return result.CheckInputs(output) }
	return a.Reads(cmd, &f, check, func(ctx context.Context, path string) error {
		p, err := a.load(ctx, path, &f)
		if err != nil {
			return err
		}
		if err := p.Source().CheckSymbols(); err != nil {
			return err
		}
		if output != "" {
			if err := result.WriteInputs(output, p.Inputs()); err != nil {
				return err
			}
		}
		if f.JSON {
			result.Answer(&a.Out, func(o *result.Object) { checkJSON(o, p.Program) })
		} else {
			a.checkText(p.Program)
		}
		return nil
	})
}

func (a *app) checkText(p *gram.Program) {
	out := tabwriter.NewWriter(&a.Out, 0, 0, 1, ' ', 0)
	fmt.Fprintf(out, "body\t: %s\n", p.Type())
	for _, in := range p.Inputs() {
		fmt.Fprintf(out, "input %s\t: %s\n", in.Name, in.Shape)
	}
	for _, d := range bridge.Of(p).Source().Data {
		fmt.Fprintf(out, "data %s\t: %s", d.Name, d.Shape)
		if d.Shape.Kind == load.List {
			fmt.Fprintf(out, ", size %d", d.Value.Rows)
		}
		if d.Value.Skipped > 0 {
			fmt.Fprintf(out, "; rows left out, since a value is missing: %d", d.Value.Skipped)
		}
		fmt.Fprintln(out)
	}
	out.Flush()
}

func checkJSON(o *result.Object, p *gram.Program) {
	o.Field("type", p.Type())
	inputs := o.Object("inputs")
	for _, in := range p.Inputs() {
		inputs.Field(in.Name, in.Shape.String())
	}
	inputs.End()
	data := o.Object("data")
	for _, d := range bridge.Of(p).Source().Data {
		of := data.Object(d.Name)
		of.Field("type", d.Shape.String())
		if d.Shape.Kind == load.List {
			of.Field("size", d.Value.Rows)
		}
		of.Field("skipped", d.Value.Skipped)
		of.End()
	}
	data.End()
}
