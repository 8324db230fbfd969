package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/profile"
	"github.com/gram-machine/gram/cmd/internal/result"
	"github.com/gram-machine/gram/lang/load"
)

// newPage returns a report with the value, the gradient and the cost of a run.
func newPage(path string, p *gram.Program, res *gram.Result, f *gradFlags) *result.Page {
	r := result.NewPage(&f.LoadFlags, "grad", path)
	r.Run = append(r.Run, f.facts()...)
	r.Value = result.Array{Type: p.Type(), Values: res.Values}
	if result.IsJacobian(p) {
		r.Outputs = len(res.Values)
		r.Value.Dims = []int{r.Outputs}
	}
	for i, d := range p.Derivatives(res.Values, res.Jacobian) {
		r.Gradient = append(r.Gradient, result.Arrays(d.Name, p.Inputs()[i].Shape, d.Values)...)
	}
	for _, in := range p.Inputs() {
		r.Inputs = append(r.Inputs, result.Arrays(in.Name, in.Shape, in.Values)...)
	}
	c := &res.Cost
	if f.mode.Is == gram.Reverse {
		r.Steps = c.Steps
	}
	r.Costs = result.CostFigures(c, f.run())
	return r
}

// facts describe how the program was run. Files are named without their folders.
func (f *gradFlags) facts() (out []result.Fact) {
	add := func(name, text string) { out = append(out, result.Fact{Name: name, Text: text}) }
	if f.mode.Is == gram.Reverse {
		add("strategy", f.strategy.String())
	} else {
		add("mode", f.mode.String())
	}
	switch f.Schedule.Is {
	case gram.Random:
		add("schedule", "random, seed "+f.Seed.String())
	case gram.Parallel:
		add("schedule", "parallel, "+load.Counted(int(f.workers.N), "worker"))
	default:
		add("schedule", f.Schedule.String())
	}
	if f.noFuse {
		add("form", "without passes")
	}
	if f.literal {
		add("machine", "literal")
	}
	if len(f.Params) > 0 {
		add("params", strings.Join(f.Params, ", "))
	}
	if f.Inputs != "" {
		add("inputs", filepath.Base(f.Inputs))
	}
	if len(f.Sets) > 0 {
		add("set", strings.Join(f.SetsByName(), ", "))
	}
	return out
}

// profilePage runs the program again, with a profile, for the cost by line.
func profilePage(ctx context.Context, r *result.Page, p *gram.Program, opt gram.EvalOptions,
	mode gram.Mode) error {
	if mode != gram.Reverse {
		r.LinesNote = "Passes over the graph take no steps of the calculus, so there is nothing to show by line."
		return nil
	}
	r.LinesNote = "Rewrites, of the source’s own code and of what the reverse transformation D has put around it, and " +
		"nodes. " +
		"What a line calls is counted where that stands. The counts are exact; they are of a second run, with a " +
		"profile, and the times above of the first."
	if opt.Schedule == gram.Parallel {
		opt.Schedule = gram.LIFO
		r.LinesNote += " The second run has the schedule lifo, under which the steps are the same."
	}
	prof, err := profile.Run(ctx, p, true, false, opt)
	if err != nil {
		return err
	}
	r.Frames, r.Lines = prof.Frames(), prof.Lines()
	return nil
}
