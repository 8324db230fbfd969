package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// Otherwise the runtime ends the process at a write to a closed pipe. Now the
	// write fails with EPIPE.
	signal.Ignore(syscall.SIGPIPE)

	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go watch(signals, cancel, func(status int) {
		fmt.Fprintln(os.Stderr, "gram: interrupted, and ended at once")
		pending.exit(status)
	})

	pending.exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// watch cancels the run at the first signal, and exits at the second if the run has
// not ended by then.
func watch(signals <-chan os.Signal, cancel func(), exit func(int)) {
	<-signals
	cancel()
	<-signals
	exit(statusInterrupted)
}
