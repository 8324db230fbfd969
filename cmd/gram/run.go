package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/fault"
	"github.com/gram-machine/gram/cmd/internal/outfile"
)

// The exit statuses.
const (
	statusDone        = 0
	statusWrong       = 1
	statusUsage       = 2
	statusInterrupted = 130
)

// app is one run of the command.
type app struct {
	stdin  io.Reader
	stdout io.Writer // for answers that are too long to be kept; others go to out
	stderr io.Writer
	out    bytes.Buffer // the answer
	color  bool         // the answer goes to a terminal with colours
	cache  *gram.Cache  // for all programs of the process, made at first use
	phase  func(string) // if not nil, is called when a phase of the work begins
	// progress, if not nil, is called now and then with the current phase.
	progress func(string)
	note     func(string) // if not nil, sets what the line of progress shows instead of the phase
	// share, if not nil, is called now and then with a part of the reduction and the share of it that is done.
	share func(part string, share float64)
	// accepted reports that the flags and arguments are right. An error before that is
	// a usage error.
	accepted bool
	// incomplete reports that the answer lacks something: it is printed, but the exit
	// status is statusWrong.
	incomplete bool
	// partial reports that the answer is what was found up to an interrupt: it is printed, but the
	// exit status is statusInterrupted.
	partial bool
}

// run runs the command line and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (status int) {
	defer func() {
		// The runtime would exit with 2, the status of a wrong command line.
		if fault := recover(); fault != nil {
			fmt.Fprintf(stderr, "gram: internal error: %v\n%s", fault, debug.Stack())
			status = statusWrong
		}
	}()
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, color: hasColor(stdout)}
	defer func() { a.cache.Close() }()
	root := newRoot(a)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		plainUsages(root)
	}
	root.SetArgs(append([]string{}, args...))
	root.SetIn(stdin)
	root.SetOut(&a.out)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil && ctx.Err() != nil && !a.partial {
		err = &gram.LimitError{Limit: "interrupt", Phase: "printing", Err: ctx.Err()}
	}
	if err != nil {
		return a.fail(cmd.CommandPath(), err)
	}
	status = a.deliver(stdout)
	switch {
	case status == statusDone && a.partial:
		status = statusInterrupted
	case status == statusDone && a.incomplete:
		status = statusWrong
	}
	return status
}

// fail prints the error of the command at path and returns its exit status.
func (a *app) fail(path string, err error) int {
	var program *gram.Error
	var limit *gram.LimitError
	var value *gram.UsageError
	switch {
	case a.isUsage(err):
		text := err.Error()
		if errors.As(err, &value) {
			text = value.Message("--")
		}
		fmt.Fprintf(a.stderr, "gram: %s\n", strings.TrimRight(text, "\n"))
		fmt.Fprintf(a.stderr, "Run '%s --help' for usage.\n", path)
		return statusUsage
	case errors.As(err, &limit) && limit.Limit == "interrupt":
		fmt.Fprintf(a.stderr, "gram: %s\n", limit)
		return statusInterrupted
	case errors.As(err, &program):
		fmt.Fprintln(a.stderr, strings.TrimRight(program.Text, "\n"))
	default:
		fmt.Fprintf(a.stderr, "gram: %v\n", err)
	}
	return statusWrong
}

// isUsage reports whether an error is about the command line.
func (a *app) isUsage(err error) bool {
	var own *fault.UsageError
	var value *gram.UsageError
	return !a.accepted || errors.As(err, &own) || errors.As(err, &value)
}

// deliver writes the whole answer and returns the exit status.
func (a *app) deliver(stdout io.Writer) int {
	if a.out.Len() == 0 {
		return statusDone
	}
	_, err := stdout.Write(a.out.Bytes())
	if err == nil || outfile.ReaderGone(err) {
		return statusDone
	}
	fmt.Fprintf(a.stderr, "gram: %v\n", outfile.ResultError(err))
	return statusWrong
}
