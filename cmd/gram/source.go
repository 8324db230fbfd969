package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
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
	name, dir := nameAndDir(path)
	src, err := a.read(ctx, path, name, limits.New(ctx, most))
	if err != nil {
		return nil, err
	}
	reading := time.Since(start)
	p, err := gram.Load(ctx, name, src, a.options(ctx, dir, f, most))
	if err != nil {
		return nil, err
	}
	return &loaded{p, reading}, nil
}

// options returns how a program is loaded.
func (a *app) options(ctx context.Context, dir string, f *loadFlags, most uint64) gram.Options {
	return gram.Options{
		Params: f.params, Sets: f.sets, Inputs: f.inputs, Dir: dir, MaxMemory: most, Cache: a.cache, Progress: a.progress, Phase: a.phase, Share: a.share,
		Stream: f.stream, Seed: f.seed.N, Body: f.body,
		Open: func(path string) (fs.File, error) { return open(ctx, path) },
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

// nameAndDir returns the name of a program in messages, and the folder that its paths are
// relative to.
func nameAndDir(path string) (name, dir string) {
	if path == "-" {
		return "standard input", ""
	}
	return path, filepath.Dir(path)
}

// read returns the text of the program; path "-" is standard input.
func (a *app) read(ctx context.Context, path, name string, meter *limits.Meter) ([]byte, error) {
	if err := meter.Reserve(0); err != nil {
		return nil, readError(name, err) // a bound below what the process starts with
	}
	r := io.Reader(newReader(ctx, a.stdin))
	if path != "-" {
		f, err := open(ctx, path)
		if err != nil {
			return nil, readError(name, err)
		}
		defer f.Close()
		r = f
	}
	src := make([]byte, 0, 1<<16)
	for {
		if len(src) == cap(src) {
			if err := meter.Reserve(int64(2 * cap(src))); err != nil {
				return nil, readError(name, err)
			}
			src = append(make([]byte, 0, 2*cap(src)), src...)
		}
		if err := meter.Check(); err != nil {
			return nil, readError(name, err)
		}
		n, err := r.Read(src[len(src):cap(src)])
		src = src[:len(src)+n]
		if err == io.EOF {
			return src, nil
		}
		if err != nil {
			return nil, readError(name, err)
		}
	}
}

// readError is the error of a program that could not be read.
func readError(name string, err error) error {
	var memory *limits.MemoryError
	if errors.As(err, &memory) {
		return &gram.LimitError{Limit: "memory", Max: memory.Max, Phase: "reading " + name, Err: err}
	}
	if limit := contextLimit(err, "reading "+name); limit != nil {
		return limit
	}
	return fileError(name, err)
}

// contextLimit turns the error of a context into a limit. It returns nil for other errors.
func contextLimit(err error, phase string) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &gram.LimitError{Limit: "time", Phase: phase, Err: err}
	case errors.Is(err, context.Canceled):
		return &gram.LimitError{Limit: "interrupt", Phase: phase, Err: err}
	}
	return nil
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
		o, err := f.observe.observe(ctx)
		if err != nil {
			return err
		}
		if o != nil {
			a.phase = o.phase
		}
		bar := newProgress(a.stderr, !f.json && isTerminal(a.stderr), progressDelay)
		a.progress, a.note, a.share = bar.phase, bar.setNote, bar.setShare
		inTime := a.endLate(ctx, cmd.CommandPath())
		err = work(ctx, args[0])
		inTime()
		bar.close()
		var limit *gram.LimitError
		if err != nil && ctx.Err() != nil && !errors.As(err, &limit) {
			err = contextLimit(ctx.Err(), "loading") // reading of data was cut off
		}
		return o.end(a.stderr, err)
	}
	return cmd
}
