// Gram-fit is the program that gram fit runs: the command is not linked into gram, which is smaller without the
// optimisers and their linear algebra.
package main

import (
	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/fitting"
)

func main() {
	command.Main(func(a *command.App) []*cobra.Command { return []*cobra.Command{fitting.Command(a)} })
}
