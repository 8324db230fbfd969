package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/result"
)

func newVersion(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print what this build is",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return command.Usagef("gram version takes no arguments")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.Accepted = true
			if asJSON {
				printVersionJSON(&a.Out)
			} else {
				command.PrintVersion(&a.Out)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func printVersionJSON(out *bytes.Buffer) {
	b := command.BuildInfo()
	o := result.Begin(out, "")
	o.Field("version", b.Version)
	o.Field("commit", b.Commit)
	switch b.Modified {
	case command.Unknown:
		o.Field("modified", nil)
	default:
		o.Field("modified", b.Modified == "true")
	}
	o.Field("go", b.Go)
	o.Field("platform", b.Platform)
	o.Field("kernel", b.Kernel)
	o.End()
	out.WriteByte('\n')
}
