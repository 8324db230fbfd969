package benchmark

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/adversary"
	"github.com/gram-machine/gram/bench/rivals"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/lang/load"
)

// rivals prints the steps of the machine and of its rivals. With --page it writes the page of the repository.
func (a *app) rivals(ctx context.Context, f *benchFlags) error {
	report, err := a.measureRivals(ctx, f)
	if err != nil {
		return err
	}
	if f.repository != "" {
		data, err := json.MarshalIndent(report, "", " ")
		if err != nil {
			return err
		}
		text, err := rivals.Page(report)
		if err != nil {
			return err
		}
		page := filepath.Join(f.repository, filepath.FromSlash(rivals.PageFile))
		file := filepath.Join(f.repository, filepath.FromSlash(rivals.ReportFile))
		err = errors.Join(command.WriteFile(file, append(data, '\n')), command.WriteFile(page, text))
		if err != nil {
			return err
		}
	}
	if f.json {
		text, err := rivals.JSON(report)
		a.Out.Write(text)
		return err
	}
	text, err := rivals.Text(report)
	a.Out.WriteString(text)
	if f.repository != "" {
		fmt.Fprintf(&a.Out, "\nwritten to %s\n", filepath.Join(f.repository, filepath.FromSlash(rivals.PageFile)))
	}
	return err
}

// measureRivals measures the rivals, or with --render reads the report of the repository.
func (a *app) measureRivals(ctx context.Context, f *benchFlags) (*rivals.Report, error) {
	if f.render {
		text, err := os.ReadFile(filepath.Join(f.repository, filepath.FromSlash(rivals.ReportFile)))
		if err != nil {
			return nil, err
		}
		report := &rivals.Report{}
		return report, json.Unmarshal(text, report)
	}
	scale := rivals.Full
	if f.quick {
		scale = rivals.Quick
	}
	bar, families, done := a.NewLine(true), rivals.Families(), 0
	report, err := rivals.Measure(ctx, families, scale, func(i int, of *bench.Family) {
		done = i
		bar.Show(i, len(families), "rivals: "+of.Name, "rivals, "+of.Name)
	})
	bar.Close()
	if err != nil && ctx.Err() != nil {
		return nil, &gram.LimitError{Limit: "interrupt", Err: ctx.Err(),
			Phase: fmt.Sprintf("measuring; %d of %d families are done, and none is kept", done, len(families))}
	}
	return report, err
}

// budget is how long a search takes: a number of programs, or a time.
type budget struct {
	programs command.Count
	time     command.Duration
}

// Type implements pflag.Value.
func (b *budget) Type() string { return "budget" }

// String returns the value as Set reads it.
func (b *budget) String() string {
	if b.time > 0 {
		return b.time.String()
	}
	return b.programs.String()
}

// Set implements pflag.Value.
func (b *budget) Set(text string) error {
	if b.programs.Set(text) == nil {
		b.time = 0
		return nil
	}
	b.programs = command.Count{Least: 1, Most: 1 << 31}
	if b.time.Set(text) != nil {
		return fmt.Errorf("this is neither a number of programs, like 1e4, nor a time, like 10m")
	}
	return nil
}

// adversary searches for programs that break a bound, and prints the worst. An interrupt ends the search. With --page
// it keeps the result in the repository.
func (a *app) adversary(ctx context.Context, f *benchFlags) error {
	bar, total, done := a.NewLine(true), int(f.budget.programs.N), 0
	r, err := adversary.Search(ctx, adversary.Options{Seed: f.seed.N, Programs: total, Time: time.Duration(f.budget.time),
		Progress: func(measured int, better *adversary.Finding) {
			line := ""
			if better != nil {
				line = fmt.Sprintf("%s: %s is %.4g", load.Counted(measured, "program"), better.Of, better.Ratio)
			}
			if line != "" || measured-done >= 100 {
				done = measured
				bar.Show(measured, max(total, measured), line, "searching")
			}
		}})
	bar.Close()
	if err != nil {
		return err
	}
	a.Partial = ctx.Err() != nil
	text, err := r.JSON()
	if err != nil {
		return err
	}
	if f.repository != "" {
		if err := command.WriteFile(filepath.Join(f.repository, filepath.FromSlash(adversary.File)), text); err != nil {
			return err
		}
	}
	if f.json {
		a.Out.Write(text)
	} else {
		a.Out.WriteString(r.Text())
	}
	return nil
}
