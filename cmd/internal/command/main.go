package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// Main runs the command line of the process, and ends it. commands returns the commands that it may call.
func Main(commands func(*App) []*cobra.Command) {
	// Otherwise the runtime ends the process at a write to a closed pipe. Now the
	// write fails with EPIPE.
	signal.Ignore(syscall.SIGPIPE)

	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go watch(signals, cancel, func(status int) {
		fmt.Fprintln(os.Stderr, "gram: interrupted, and ended at once")
		Exit(status)
	})

	exitLate = Exit
	Exit(Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, commands))
}

// exitLate ends the process, if it is not nil: it is nil where Run is called by another program, a test.
var exitLate func(status int)

// lateness is how much processor time a command may take after a limit of time or an interrupt, and maxLateness how
// long it may take where others have the processors.
const (
	lateness    = 70 * time.Millisecond
	maxLateness = 2 * time.Second
)

var started = time.Now()

// EndLate ends the process when ctx is done and the command goes on working for too long. Every loop that is known to
// take long looks at ctx; EndLate is for the others. The command calls the function that it returns when its work is
// over.
func (a *App) EndLate(ctx context.Context, path string) (inTime func()) {
	var over atomic.Bool
	stop := context.AfterFunc(ctx, func() {
		if exitLate == nil {
			return
		}
		since, before := time.Now(), processorTime()
		for processorTime()-before < lateness && time.Since(since) < maxLateness {
			time.Sleep(lateness / 10)
		}
		if over.CompareAndSwap(false, true) {
			exitLate(a.Fail(path, LimitError(ctx.Err(), "working")))
		}
	})
	return func() {
		stop()
		if !over.CompareAndSwap(false, true) {
			select {} // the process is ending
		}
	}
}

// watch cancels the run at the first signal, and exits at the second if the run has
// not ended by then.
func watch(signals <-chan os.Signal, cancel func(), exit func(int)) {
	<-signals
	cancel()
	<-signals
	exit(StatusInterrupted)
}
