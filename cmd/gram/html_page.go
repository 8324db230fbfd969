package main

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/profile"
	"github.com/gram-machine/gram/cmd/internal/result"
	"github.com/gram-machine/gram/internal/notation"
	"github.com/gram-machine/gram/lang/load"
)

// newPage returns a report with the value, the gradient and the cost of a run.
func newPage(path string, p *gram.Program, res *gram.Result, f *gradFlags) *result.Page {
	r := &result.Page{Program: programName(path), Version: command.BuildInfo().Version, Run: f.facts(path)}
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

// programName returns the name of the program without its folder.
func programName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return filepath.Base(path)
}

// facts describe how the program was run. Files are named without their folders.
func (f *gradFlags) facts(path string) []result.Fact {
	out := f.commandFacts("grad", path)
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
		add("schedule", "parallel, "+notation.Counted(int(f.workers.N), "worker"))
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
		add("set", strings.Join(withoutFolders(f.Sets), ", "))
	}
	return out
}

// commandFacts are the command line, with names of files instead of their paths, and the date.
func (f *loadFlags) commandFacts(command, path string) []result.Fact {
	words := []string{"gram", command, path}
	if path != "-" {
		words[2] = filepath.Base(path)
	}
	f.Given(func(flag *pflag.Flag) {
		switch flag.Name {
		case "param":
			words = append(words, prefixed("--param", f.Params)...)
		case "set":
			words = append(words, prefixed("--set", withoutFolders(f.Sets))...)
		default:
			text := flag.Value.String()
			switch unquoted, _ := pflag.UnquoteUsage(flag); {
			case flag.NoOptDefVal == text:
				words = append(words, "--"+flag.Name)
				return
			case unquoted == "file", unquoted == "FILE":
				text = filepath.Base(text)
			}
			words = append(words, "--"+flag.Name, text)
		}
	})
	return []result.Fact{{Name: "command", Text: quoted(words)},
		{Name: "date", Text: time.Now().Format("2006-01-02 15:04 -07:00")}}
}

// prefixed returns each of the values after the flag.
func prefixed(flag string, values []string) []string {
	var out []string
	for _, v := range values {
		out = append(out, flag, v)
	}
	return out
}

// quoted returns the words as a line for a shell.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = command.Quote(w)
	}
	return strings.Join(out, " ")
}

// withoutFolders removes the folders of files from the values of --set.
func withoutFolders(sets []string) []string {
	out := make([]string, len(sets))
	for i, set := range sets {
		out[i] = set
		if s, err := load.ParseSet(set); err == nil && s.Path() != "" {
			out[i] = strings.Replace(set, s.Path(), filepath.Base(s.Path()), 1)
		}
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
