package main

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/limits"
)

func newFmt(a *app) *cobra.Command {
	var write bool
	cmd := &cobra.Command{
		Use:   "fmt FILE",
		Short: "Format a program",
		Long: `Fmt prints a program in canonical form: the same program, with its comments, its
lines broken at 110 columns. Formatting twice changes nothing. A program with
syntax errors is not touched. With -w the file is rewritten in place, whole or not
at all, if its form changes. FILE - is standard input.`,
		Annotations: command.More(command.StatusHelp),
		Example: `  gram fmt rnn.gram
  gram fmt -w rnn.gram`,
		Args:              command.OneFile,
		ValidArgsFunction: command.GramFiles,
	}
	cmd.Flags().BoolVarP(&write, "write", "w", false, "write the result to FILE instead of standard output")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if write && args[0] == "-" {
			return command.Usagef("-w needs a file: standard input cannot be written")
		}
		a.Accepted = true
		return a.format(cmd.Context(), args[0], write)
	}
	return cmd
}

func (a *app) format(ctx context.Context, path string, write bool) error {
	name, _ := command.ProgramName(path)
	most := new(loadFlags).BoundMemory()
	src, err := a.ReadProgram(ctx, path, limits.New(ctx, most))
	if err != nil {
		return err
	}
	text, err := gram.Format(ctx, name, src)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return &gram.LimitError{Limit: "interrupt", Phase: "formatting", Err: err}
	}
	switch {
	case !write:
		a.Out.Write(text)
	case !bytes.Equal(src, text):
		return command.WriteFile(path, text)
	}
	return nil
}
