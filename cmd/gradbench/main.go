// Gradbench is a tool for GradBench (github.com/gradbench/gradbench): it reads the messages of an eval from standard
// input, a line each, and writes the answers to standard output.
//
// With -clone it measures evals: gram, and tools that are built in a clone of GradBench, one after the other on one
// thread. It writes a line of JSON for each measurement, and prints tables of seconds and scores.
//
//	go run ./cmd/gradbench -clone ~/gradbench -tools manual,codipack,adept -o results.jsonl
//
// A tool is a folder tools/NAME of the clone with programs in bin, which `make` makes there. Each takes the name of a
// file with an input, and that of a function. The answers are compared with those of the first tool.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gram-machine/gram/gradbench"
)

var (
	clone   = flag.String("clone", "", "measure with the tools in this folder of GradBench")
	tools   = flag.String("tools", "manual,codipack", "the tools, the first of which is right")
	names   = flag.String("evals", "", "the evals; all that are in the command if empty")
	most    = flag.Int("sizes", math.MaxInt, "how many sizes of each eval, from the smallest on")
	seconds = flag.Float64("seconds", 1, "for how long a function is run at least")
	timeout = flag.Duration("timeout", 10*time.Minute, "how long a tool may take for a function")
	counts  = flag.Int("counts", 2, "for how many sizes of each eval m, |G| and the steps of gram are counted")
	out     = flag.String("o", "", "the file of the measurements, to which lines are added")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if *clone != "" {
		err = measureAll(ctx)
	} else if err = gradbench.Serve(ctx, os.Stdin, os.Stdout); errors.Is(err, context.Canceled) {
		err = nil
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gradbench:", err)
		os.Exit(1)
	}
}
