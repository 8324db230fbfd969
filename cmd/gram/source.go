package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/fault"
	"github.com/gram-machine/gram/cmd/internal/input"
	"github.com/gram-machine/gram/cmd/internal/progress"
	"github.com/gram-machine/gram/limits"
)

// loaded is a program that is ready to be run.
type loaded struct {
	*gram.Program
	reading time.Duration // that reading the file took
}

// load reads the program that the command line names, and types and elaborates it.
func (a *app) load(ctx context.Context, path string, f *loadFlags) (*loaded, error) {
	most := f.boundMemory()
	start := time.Now()
	name, dir := input.Name(path)
	src, err := a.read(ctx, path, limits.New(ctx, most))
	if err != nil {
		return nil, err
	}
	reading := time.Since(start)
	p, err := gram.Load(ctx, name, src, a.options(ctx, dir, f, most))
	if err != nil {
		return nil, err
	}
	if orders := f.seedOrders != nil && f.seedOrders(); f.seed.Valid && !orders && !p.Random() {
		return nil, fault.Usagef("--seed is for random default values, of which the program takes none%s",
			map[bool]string{true: ", and for --schedule random"}[f.seedOrders != nil])
	}
	return &loaded{p, reading}, nil
}

// options returns how a program is loaded.
func (a *app) options(ctx context.Context, dir string, f *loadFlags, most uint64) gram.Options {
	return gram.Options{
		Params: f.params, Sets: f.sets, Inputs: f.inputs, Dir: dir, MaxMemory: most, Cache: a.cache, Progress: a.progress, Phase: a.phase, Share: a.share,
		Stream: f.stream, Seed: f.seed.N, Body: f.body,
		Open: func(path string) (fs.File, error) { return input.Open(ctx, path) },
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

// boundMemory sets the bound on the memory of the process, and returns it.
func (f *loadFlags) boundMemory() uint64 {
	most := uint64(f.maxMemory)
	if most == 0 {
		most = limits.DefaultMemory()
	}
	// The collector keeps garbage below the bound, so that what reaches it is live.
	debug.SetMemoryLimit(int64(most / 10 * 9))
	return most
}

// read returns the text of the program; path "-" is standard input.
func (a *app) read(ctx context.Context, path string, meter *limits.Meter) ([]byte, error) {
	return input.Read(ctx, a.stdin, path, meter)
}

// reads completes a command that reads the program in FILE and calls work with its path. flags, if not nil, checks the
// command line first. The work has a bound on its time and shows its progress.
func (a *app) reads(cmd *cobra.Command, f *loadFlags, flags func(*cobra.Command) error, work func(ctx context.Context, path string) error) *cobra.Command {
	cmd.Args, cmd.ValidArgsFunction = oneFile, gramFiles
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if flags != nil {
			if err := flags(cmd); err != nil {
				return err
			}
		}
		if err := cmp.Or(checkSchedule(cmd), checkOutputs(cmd, args[0])); err != nil {
			return err
		}
		a.accepted = true
		ctx := cmd.Context()
		if f.timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, time.Duration(f.timeout))
			defer cancel()
		}
		o, err := f.observe.Start(ctx)
		if err != nil {
			return err
		}
		if o != nil {
			a.phase = o.Phase
		}
		bar := progress.New(a.stderr, !f.json && isTerminal(a.stderr), progress.Delay)
		a.progress, a.note, a.share = bar.Phase, bar.SetNote, bar.SetShare
		inTime := a.endLate(ctx, cmd.CommandPath())
		err = work(ctx, args[0])
		inTime()
		bar.Close()
		var limit *gram.LimitError
		if err != nil && ctx.Err() != nil && !errors.As(err, &limit) {
			err = fault.Limit(ctx.Err(), "loading") // reading of data was cut off
		}
		return o.End(err)
	}
	return cmd
}
