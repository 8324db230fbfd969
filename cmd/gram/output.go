package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
)

func addOutput(cmd *cobra.Command, output *string) {
	cmd.Flags().StringVarP(output, "output", "o", "", "write the result to a `file`, whole or not at all, instead of standard output")
}

// writeOutput writes the answer to a file, if there is one, instead of standard output.
func (a *app) writeOutput(ctx context.Context, path string) error {
	if path == "" {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return &gram.LimitError{Limit: "interrupt", Phase: "printing", Err: err}
	}
	defer a.out.Reset()
	if err := writeFile(path, a.out.Bytes()); err != nil {
		return outputError(path, err)
	}
	return nil
}

// writeFile writes a file whole or not at all.
func writeFile(path string, text []byte) error {
	f, err := newOutputFile(path)
	if err != nil {
		return err
	}
	defer f.discard()
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.keep()
}
