package command

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
)

// Reads completes a command that reads the program in FILE and calls work with its path. check, if not nil, checks the
// command line first. The work has a bound on its time and shows its progress.
func (a *App) Reads(cmd *cobra.Command, f *LoadFlags, check func(*cobra.Command) error,
	work func(ctx context.Context, path string) error) *cobra.Command {
	cmd.Args, cmd.ValidArgsFunction = OneFile, GramFiles
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if check != nil {
			if err := check(cmd); err != nil {
				return err
			}
		}
		if err := cmp.Or(checkSchedule(cmd), CheckOutputs(cmd, args[0])); err != nil {
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
		a.Line = a.NewLine(!f.JSON)
		inTime := a.EndLate(ctx, cmd.CommandPath())
		err = work(ctx, args[0])
		inTime()
		a.Line.Close()
		var limit *gram.LimitError
		if err != nil && ctx.Err() != nil && !errors.As(err, &limit) {
			err = LimitError(ctx.Err(), "loading") // reading of data was cut off
		}
		return o.End(err)
	}
	return cmd
}

// Read reads the program that the command line names. It returns its name, its text, and how it is loaded.
func (a *App) Read(ctx context.Context, path string, f *LoadFlags) (string, []byte, gram.Options, error) {
	most := f.BoundMemory()
	name, dir := ProgramName(path)
	src, err := a.ReadProgram(ctx, path, limits.New(ctx, most))
	return name, src, gram.Options{
		Params: f.Params, Sets: f.Sets, Inputs: f.Inputs, Dir: dir, MaxMemory: most, Cache: a.Cache,
		Progress: a.Line.Phase, Phase: a.phase, Stream: f.Stream, Seed: f.Seed.N, Body: f.Body,
		Open: func(path string) (fs.File, error) { return Open(ctx, path) },
	}, err
}

// CommandLine returns the command line of a command for a shell: with the program at path, and those flags of this
// command line that are wanted, or without any all. Files are named without their folders.
func (f *LoadFlags) CommandLine(command, path string, wanted ...string) string {
	if path != "-" {
		path = filepath.Base(path)
	}
	words := []string{"gram", command, path}
	f.Given(func(flag *pflag.Flag) {
		text := flag.Value.String()
		values := []string{text}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		kind, _ := pflag.UnquoteUsage(flag)
		switch {
		case wanted != nil && !slices.Contains(wanted, flag.Name):
			return
		case flag.Name == "set":
			values = f.SetsByName()
		case flag.NoOptDefVal == text:
			words, values = append(words, "--"+flag.Name), nil
		case kind == "file", kind == "FILE":
			values = []string{filepath.Base(text)}
		}
		for _, v := range values {
			words = append(words, "--"+flag.Name, v)
		}
	})
	for i, w := range words {
		words[i] = Quote(w)
	}
	return strings.Join(words, " ")
}

// SetsByName returns the values of --set, with the names of files without their folders.
func (f *LoadFlags) SetsByName() []string {
	out := slices.Clone(f.Sets)
	for i, set := range out {
		if s, err := load.ParseSet(set); err == nil && s.Path() != "" {
			out[i] = strings.Replace(set, s.Path(), filepath.Base(s.Path()), 1)
		}
	}
	return out
}
