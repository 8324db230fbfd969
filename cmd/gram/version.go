package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/cmd/internal/command"
)

func newVersion(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print what this build is",
		Args:  command.NoArguments, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.Accepted = true
			if asJSON {
				text, err := json.MarshalIndent(command.BuildInfo(), "", "  ")
				a.Out.Write(append(text, '\n'))
				return err
			}
			command.PrintVersion(&a.Out)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
