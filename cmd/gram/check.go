package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
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

func newCheckGradient(a *app) *cobra.Command {
	var f command.LoadFlags
	cmd := command.New("check-gradient FILE",
		"Compare a gradient with forward mode and with differences", command.LimitsHelp)
	f.Add(cmd.Flags())
	f.AddSeed(cmd.Flags())
	return a.Reads(cmd, &f, nil, func(ctx context.Context, path string) error {
		p, err := a.load(ctx, path, &f)
		if err != nil {
			return err
		}
		all, err := checkDerivatives(ctx, p.Program)
		if err != nil {
			return err
		}
		counts := map[string]int{"ok": 0, "kink": 0, "unsure": 0, "wrong": 0}
		for _, d := range all {
			counts[d.Verdict]++
		}
		a.Incomplete = counts["wrong"] > 0
		if f.JSON {
			result.Answer(&a.Out, func(o *result.Object) {
				o.Field("counts", counts)
				o.Field("derivatives", all)
			})
			return nil
		}
		a.derivatives(p.Program, all, counts)
		return nil
	})
}

// derivatives prints the derivatives that are not ok, or else those with the largest differences.
func (a *app) derivatives(p *gram.Program, all []*derivative, counts map[string]int) {
	r := result.NewReport(a.App)
	r.Heading("checked")
	fmt.Fprintf(r.Out, "  %s", load.Counted(len(all), "derivative"))
	verdicts := []string{"ok", "kink", "unsure", "wrong"}
	for _, verdict := range verdicts {
		if counts[verdict] > 0 {
			fmt.Fprintf(r.Out, ", %d %s", counts[verdict], verdict)
		}
	}
	r.Out.WriteString("\n\n")
	sorted := slices.SortedStableFunc(slices.Values(all), func(d, e *derivative) int {
		return cmp.Or(slices.Index(verdicts, e.Verdict)-slices.Index(verdicts, d.Verdict), cmp.Compare(e.Off, d.Off))
	})
	const shown = 12
	lines := [][]string{{"", "input", "gradient", "forward mode", "difference", "verdict"}}
	for _, d := range sorted[:min(shown, len(sorted))] {
		name := d.Input
		if result.IsJacobian(p) {
			name = fmt.Sprintf("output %d, %s", d.Output, name)
		}
		number := func(x load.JSONNumber) string { return string(load.AppendNumber(nil, float64(x))) }
		lines = append(lines, []string{"", name, number(d.Gradient), number(d.Forward), number(d.Difference), d.Verdict})
	}
	r.Table(lines, 1)
	if more := len(sorted) - shown; more > 0 {
		better := ""
		if sorted[len(sorted)-1].Verdict != sorted[shown].Verdict {
			better = " or better"
		}
		fmt.Fprintf(r.Out, "  and %d more, which are %s%s\n", more, sorted[shown].Verdict, better)
	}
}

// derivative is a derivative of a program, computed in three ways. Numbers that are not finite are strings in JSON.
type derivative struct {
	Input      string          `json:"input"`
	Output     int             `json:"output"`
	Gradient   load.JSONNumber `json:"gradient"`
	Forward    load.JSONNumber `json:"forward"`
	Difference load.JSONNumber `json:"difference"`
	Verdict    string          `json:"verdict"`
	Off        float64         `json:"-"` // how far the difference is from the gradient, relative to them
}

// differenceStep is the relative step of a central difference: ε^⅓ balances the error of the formula, O(h²), against
// that of rounding, O(ε/h).
var differenceStep = math.Cbrt(0x1p-52)

// checkDerivatives computes all derivatives at the program's point in three ways: output by output, in the order of the
// inputs.
func checkDerivatives(ctx context.Context, p *gram.Program) ([]*derivative, error) {
	gradient, err := p.Gradient(ctx, gram.EvalOptions{})
	if err != nil {
		return nil, err
	}
	forward, err := p.Gradient(ctx, gram.EvalOptions{Mode: gram.Forward})
	if err != nil {
		return nil, err
	}
	e, err := p.NewValue(ctx, gram.EvalOptions{})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	point, names := p.Point(), bridge.Of(p).Source().ScalarNames()
	out := make([]*derivative, len(gradient.Jacobian))
	for j, x := range point {
		h := differenceStep * max(1, math.Abs(x))
		var at [5][]float64 // values at x-2h, …, x+2h
		for k := range at {
			point[j] = x + float64(k-2)*h
			res, err := e.Value(ctx, point)
			if err != nil {
				return nil, err
			}
			at[k] = slices.Clone(res.Values)
		}
		point[j] = x
		for i := range gradient.Values {
			k := i*len(point) + j
			out[k] = compareDerivative(gradient.Jacobian[k], forward.Jacobian[k], h,
				[5]float64{at[0][i], at[1][i], at[2][i], at[3][i], at[4][i]})
			out[k].Input, out[k].Output = names[j], i
		}
	}
	return out, nil
}

// compareDerivative judges a derivative by forward mode and by the values at five points with distance h.
func compareDerivative(gradient, forward, h float64, at [5]float64) *derivative {
	near := (at[3] - at[1]) / (2 * h)
	far := (at[4] - at[0]) / (4 * h)
	left, right := (at[2]-at[1])/h, (at[3]-at[2])/h
	largest := max(-slices.Min(at[:]), slices.Max(at[:]))
	rounding := 8 * 0x1p-52 * largest / h
	allowed := 1e-6*max(math.Abs(gradient), math.Abs(near)) + rounding + 2*math.Abs(near-far)
	d := &derivative{Gradient: load.JSONNumber(gradient), Forward: load.JSONNumber(forward),
		Difference: load.JSONNumber(near), Verdict: "wrong"}
	d.Off = math.Abs(gradient-near) / max(math.Abs(gradient), math.Abs(near), math.SmallestNonzeroFloat64)
	same := gradient == forward || math.IsNaN(gradient) && math.IsNaN(forward) ||
		math.Abs(gradient-forward) <= 1e-9*max(math.Abs(gradient), math.Abs(forward))+1e-3*rounding
	// Where the function is smooth, the slopes to the two sides differ twice as much over twice the distance.
	bend, farBend := math.Abs(right-left), math.Abs(at[4]-2*at[2]+at[0])/(2*h)
	bent := bend > 1e-3*max(math.Abs(left), math.Abs(right))+4*rounding && farBend < 1.5*bend
	switch {
	case !same:
	case math.IsNaN(near) || math.IsInf(near, 0) || math.IsNaN(far) || math.IsInf(far, 0):
		d.Verdict = "unsure"
	case bent && gradient >= min(left, right)-allowed && gradient <= max(left, right)+allowed:
		d.Verdict = "kink"
	case math.Abs(near-far) > 1e-3*max(math.Abs(near), math.Abs(far))+rounding,
		rounding > 1e-3*math.Abs(gradient) && math.Abs(gradient-near) > 1e-3*math.Abs(gradient) && gradient != 0:
		d.Verdict = "unsure"
	case math.Abs(gradient-near) <= allowed:
		d.Verdict = "ok"
	case math.Abs(gradient-near) <= 4/h*math.Abs(at[0]-4*at[1]+6*at[2]-4*at[3]+at[4]): // that of the values' errors
		d.Verdict = "unsure"
	}
	return d
}
