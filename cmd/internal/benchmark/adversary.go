package benchmark

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gram-machine/gram/bench/adversary"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/lang/load"
)

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
	a.Accepted = true
	if err := f.checkRoot(); err != nil {
		return err
	}
	o, err := f.observe.Start(ctx)
	if err != nil {
		return err
	}
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
	if err = o.End(err); err != nil {
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
