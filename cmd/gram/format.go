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
	cmd := command.New("fmt FILE", "Format a program")
	cmd.Args, cmd.ValidArgsFunction = command.OneFile, command.GramFiles
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
	most := new(command.LoadFlags).BoundMemory()
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
