package main

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/result"
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
