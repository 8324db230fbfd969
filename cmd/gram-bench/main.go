// Gram-bench is the program that gram bench runs: the command is not linked into gram, which builds and starts faster
// without it.
package main

import (
	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/cmd/internal/benchmark"
	"github.com/gram-machine/gram/cmd/internal/command"
)

func main() {
	command.Main(func(a *command.App) []*cobra.Command { return []*cobra.Command{benchmark.Command(a)} })
}
