package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cmd/internal/benchmark"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/explore"
	"github.com/gram-machine/gram/cmd/internal/fitting"
)

// run runs a command line of gram.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return command.Run(ctx, args, stdin, stdout, stderr, everyCommand)
}

// companions are the commands that are programs of their own.
var companions = map[string]func(*command.App) *cobra.Command{
	"bench": benchmark.Command, "explore": explore.Command, "fit": fitting.Command,
}

// everyCommand returns gram's commands, with those that are programs of their own.
func everyCommand(a *command.App) []*cobra.Command {
	all := commands(a)
	for i, c := range all {
		if own := companions[c.Name()]; own != nil {
			all[i] = own(a)
		}
	}
	return all
}

// TestCompanions: gram says of a command that is a program of its own what the program says.
func TestCompanions(t *testing.T) {
	a := &command.App{}
	all := everyCommand(a)
	found := 0
	for i, c := range commands(a) {
		require.Equal(t, c.Name(), all[i].Name())
		require.Equal(t, c.Short, all[i].Short)
		if companions[c.Name()] != nil {
			found++
			require.FileExists(t, "../gram-"+c.Name()+"/main.go")
		}
	}
	require.Len(t, companions, found)
}

// failing is a stream that gives or takes nothing.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
func (f failing) Read([]byte) (int, error)  { return 0, f.err }

// gone is a context that is done.
func gone() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestDeliver(t *testing.T) {
	for _, c := range []struct {
		name   string
		err    error
		status int
		text   string
	}{
		{"a reader that went away", &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, command.StatusDone, ""},
		{"a closed pipe", io.ErrClosedPipe, command.StatusDone, ""},
		{"a full disk", &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}, command.StatusWrong, "gram: cannot write the result: no space left on device\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var errs bytes.Buffer
			require.Equal(t, c.status, run(context.Background(), []string{"version"}, nil, failing{c.err}, &errs))
			require.Equal(t, c.text, errs.String())
		})
	}
}

func TestInterruptedBeforePrinting(t *testing.T) {
	var out, errs bytes.Buffer
	require.Equal(t, command.StatusInterrupted, run(gone(), []string{"version"}, nil, &out, &errs))
	require.Empty(t, out.String())
	require.Equal(t, "gram: interrupted while printing\n", errs.String())
}

func TestUnreadableInput(t *testing.T) {
	var out, errs bytes.Buffer
	status := run(context.Background(), []string{"eval", "-"}, failing{errors.New("it is broken")}, &out, &errs)
	require.Equal(t, command.StatusWrong, status)
	require.Empty(t, out.String())
	require.Equal(t, "gram: standard input: it is broken\n", errs.String())
}

func TestStandardInputThatWaits(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	var out, errs bytes.Buffer
	status := run(context.Background(), []string{"eval", "-", "--timeout", "30ms"}, r, &out, &errs)
	require.Equal(t, command.StatusWrong, status)
	require.Equal(t, "gram: time limit reached while reading standard input\n", errs.String())
}

func TestPanic(t *testing.T) {
	var errs bytes.Buffer
	require.Equal(t, command.StatusWrong, run(context.Background(), []string{"version"}, nil, nil, &errs))
	require.Contains(t, errs.String(), "gram: internal error: ")
}
