// Gradbench is a tool for GradBench (github.com/gradbench/gradbench): it reads the messages of an eval from standard
// input, a line each, and writes the answers to standard output.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/gram-machine/gram/gradbench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := gradbench.Serve(ctx, os.Stdin, os.Stdout); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "gradbench:", err)
		os.Exit(1)
	}
}
