// Gram-explore is the program that gram explore runs: the command is not linked into gram, which builds and starts
// faster without it.
package main

import (
	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/explore"
)

func main() {
	command.Main(func(a *command.App) []*cobra.Command { return []*cobra.Command{explore.Command(a)} })
}
