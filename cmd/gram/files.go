package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/result"
	"github.com/gram-machine/gram/internal/bridge"
)

func addOutput(cmd *cobra.Command, output *string) {
	cmd.Flags().StringVarP(output, "output", "o", "",
		"write the result to a `file`, whole or not at all, instead of standard output")
}

// writeOutput writes the answer to a file, if one is named, instead of standard output.
func (a *app) writeOutput(ctx context.Context, path string) error {
	if path == "" {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return &gram.LimitError{Limit: "interrupt", Phase: "printing", Err: err}
	}
	defer a.Out.Reset()
	return command.WriteFile(path, a.Out.Bytes())
}

// addResult adds the flag for a file with the numbers of a result.
func addResult(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVarP(path, "output", "o", "",
		"write the result to a `file` instead of standard output, by the end of its name:\n.json, as --json prints "+
			"it; or its numbers as .npz, .csv or .parquet")
}

// checkResult reports a file for a result with a name that does not tell its format, or one that is not JSON beside
// --json.
func checkResult(path string, json bool) error {
	return cmp.Or(
		command.Misfit(path != "" && !result.IsNumbers(path) && filepath.Ext(path) != ".json",
			"-o %s: the name of the file must end in .json, .npz, .csv or .parquet", path),
		command.Misfit(result.IsNumbers(path) && json, "--json prints JSON, and -o %s has the numbers alone", path),
	)
}

// writeResult writes the numbers of a result to a file.
func (a *app) writeResult(ctx context.Context, path string, values []result.Named) error {
	if err := result.WriteNumbers(&a.Out, path, values); err != nil {
		a.Out.Reset()
		return command.WriteError(path, err)
	}
	return a.writeOutput(ctx, path)
}

// loaded is a program that is ready to be run.
type loaded struct {
	*gram.Program
	bridge.Inside
	reading time.Duration // that reading the file took
}

// load reads the program that the command line names, and types and elaborates it.
func (a *app) load(ctx context.Context, path string, f *command.LoadFlags) (*loaded, error) {
	start := time.Now()
	name, src, opt, err := a.Read(ctx, path, f)
	if err != nil {
		return nil, err
	}
	reading := time.Since(start)
	p, err := gram.Load(ctx, name, src, opt)
	if err != nil {
		return nil, err
	}
	if orders := f.SeedOrders != nil && f.SeedOrders(); f.Seed.Valid && !orders && !bridge.Of(p).Random() {
		return nil, command.Usagef("--seed is for random default values, of which the program takes none%s",
			map[bool]string{true: ", and for --schedule random"}[f.SeedOrders != nil])
	}
	for _, note := range bridge.Of(p).Source().Notes() {
		if f.TellsSkipped && !strings.Contains(note, " leave out ") {
			continue
		}
		fmt.Fprintf(a.Stderr, "gram: note: %s\n", note)
	}
	return &loaded{p, bridge.Of(p), reading}, nil
}

// loadTerm is load for commands that need the program's term.
func (a *app) loadTerm(ctx context.Context, path string, f *command.LoadFlags) (*loaded, error) {
	p, err := a.load(ctx, path, f)
	if err == nil {
		err = p.Expand(ctx)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}
