package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/lsp"
)

func newLSP(a *app) *cobra.Command {
	var f runFlags
	cmd := command.New("lsp", "Serve an editor by the Language Server Protocol",
		"Limits are those of each run, and the time also of each load after a change. The limit\n"+
			"on memory is of the process.")
	cmd.Args, cmd.ValidArgsFunction = command.NoArguments, cobra.NoFileCompletions
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		a.Accepted = true
		ctx := cmd.Context()
		connection := struct {
			io.Reader
			io.Writer
			io.Closer
		}{command.NewReader(ctx, a.Stdin), a.Stdout, io.NopCloser(nil)} // closing does nothing: the process ends
		err := lsp.Serve(ctx, connection, lsp.Config{
			Version: command.BuildInfo().Version, Timeout: time.Duration(f.Timeout), MaxMemory: f.ServedMemory(),
			Run: f.options(a), Open: command.Open,
		})
		if errors.Is(err, context.Canceled) {
			return command.ErrServed
		}
		return err
	}
	cmd.Flags().SortFlags = false
	f.AddBounds(cmd.Flags())
	f.AddServed(cmd, &f.LoadFlags, 16)
	return cmd
}
