package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/limits"
)

// loaded is a program that is ready to be run.
type loaded struct {
	*gram.Program
	bridge.Inside
	reading time.Duration // that reading the file took
}

// load reads the program that the command line names, and types and elaborates it.
func (a *app) load(ctx context.Context, path string, f *loadFlags) (*loaded, error) {
	most := f.BoundMemory()
	start := time.Now()
	name, dir := command.ProgramName(path)
	src, err := a.ReadProgram(ctx, path, limits.New(ctx, most))
	if err != nil {
		return nil, err
	}
	reading := time.Since(start)
	p, err := gram.Load(ctx, name, src, a.options(ctx, dir, f, most))
	if err != nil {
		return nil, err
	}
	if orders := f.SeedOrders != nil && f.SeedOrders(); f.Seed.Valid && !orders && !bridge.Of(p).Random() {
		return nil, command.Usagef("--seed is for random default values, of which the program takes none%s",
			map[bool]string{true: ", and for --schedule random"}[f.SeedOrders != nil])
	}
	for _, note := range bridge.Of(p).Source().Notes() {
		if f.tellsSkipped && !strings.Contains(note, " leave out ") {
			continue
		}
		fmt.Fprintf(a.Stderr, "gram: note: %s\n", note)
	}
	return &loaded{p, bridge.Of(p), reading}, nil
}

// options returns how a program is loaded.
func (a *app) options(ctx context.Context, dir string, f *loadFlags, most uint64) gram.Options {
	return gram.Options{
		Params: f.Params, Sets: f.Sets, Inputs: f.Inputs, Dir: dir, MaxMemory: most, Cache: a.cache,
		Progress: a.progress, Phase: a.phase,
		Stream: f.stream, Seed: f.Seed.N, Body: f.body,
		Open: func(path string) (fs.File, error) { return command.Open(ctx, path) },
	}
}

// loadTerm is load for commands that need the program's term.
func (a *app) loadTerm(ctx context.Context, path string, f *loadFlags) (*loaded, error) {
	p, err := a.load(ctx, path, f)
	if err == nil {
		err = p.Expand(ctx)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// reads completes a command that reads the program in FILE and calls work with its path. flags, if not nil, checks the
// command line first. The work has a bound on its time and shows its progress.
func (a *app) reads(cmd *cobra.Command, f *loadFlags, flags func(*cobra.Command) error,
	work func(ctx context.Context, path string) error) *cobra.Command {
	cmd.Args, cmd.ValidArgsFunction = command.OneFile, command.GramFiles
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if flags != nil {
			if err := flags(cmd); err != nil {
				return err
			}
		}
		if err := cmp.Or(command.CheckSchedule(cmd), command.CheckOutputs(cmd, args[0])); err != nil {
			return err
		}
		a.Accepted = true
		ctx := cmd.Context()
		if f.Timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, time.Duration(f.Timeout))
			defer cancel()
		}
		o, err := f.Observe.Start(ctx)
		if err != nil {
			return err
		}
		if o != nil {
			a.phase = o.Phase
		}
		bar := command.NewLine(a.Stderr, !f.json && command.IsTerminal(a.Stderr), command.ProgressDelay)
		a.progress, a.note = bar.Phase, bar.SetNote
		inTime := a.EndLate(ctx, cmd.CommandPath())
		err = work(ctx, args[0])
		inTime()
		bar.Close()
		var limit *gram.LimitError
		if err != nil && ctx.Err() != nil && !errors.As(err, &limit) {
			err = command.LimitError(ctx.Err(), "loading") // reading of data was cut off
		}
		return o.End(err)
	}
	return cmd
}
