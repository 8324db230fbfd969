package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
		{"a reader that went away", &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, statusDone, ""},
		{"a closed pipe", io.ErrClosedPipe, statusDone, ""},
		{"a full disk", &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}, statusWrong, "gram: cannot write the result: no space left on device\n"},
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
	require.Equal(t, statusInterrupted, run(gone(), []string{"version"}, nil, &out, &errs))
	require.Empty(t, out.String())
	require.Equal(t, "gram: interrupted while printing\n", errs.String())
}

func TestUnreadableInput(t *testing.T) {
	var out, errs bytes.Buffer
	status := run(context.Background(), []string{"eval", "-"}, failing{errors.New("it is broken")}, &out, &errs)
	require.Equal(t, statusWrong, status)
	require.Empty(t, out.String())
	require.Equal(t, "gram: standard input: it is broken\n", errs.String())
}

func TestStandardInputThatWaits(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	var out, errs bytes.Buffer
	status := run(context.Background(), []string{"eval", "-", "--timeout", "30ms"}, r, &out, &errs)
	require.Equal(t, statusWrong, status)
	require.Equal(t, "gram: time limit reached while reading standard input\n", errs.String())
}

func TestPanic(t *testing.T) {
	var errs bytes.Buffer
	require.Equal(t, statusWrong, run(context.Background(), []string{"version"}, nil, nil, &errs))
	require.Contains(t, errs.String(), "gram: internal error: ")
}

func TestWatch(t *testing.T) {
	signals := make(chan os.Signal, 2)
	ctx, cancel := context.WithCancel(context.Background())
	exits := make(chan int, 1)
	go watch(signals, cancel, func(status int) { exits <- status })
	signals <- os.Interrupt
	<-ctx.Done()
	select {
	case <-exits:
		t.Fatal("the first signal ended the process")
	case <-time.After(20 * time.Millisecond):
	}
	signals <- os.Interrupt
	require.Equal(t, statusInterrupted, <-exits)
}
