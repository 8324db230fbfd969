package command

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWatch(t *testing.T) {
	signals := make(chan os.Signal, 2)
	ctx, cancel := context.WithCancel(context.Background())
	exits := make(chan int, 1)
	go watch(signals, cancel, func(status int) { exits <- status })
	p := probe(make(chan struct{}))
	signals <- os.Interrupt
	signals <- p
	<-p
	require.Error(t, ctx.Err(), "the signal in front of the probe has been handled")
	select {
	case <-exits:
		t.Fatal("the first signal ended the process")
	case <-time.After(20 * time.Millisecond):
	}
	signals <- os.Interrupt
	require.Equal(t, StatusInterrupted, <-exits)
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{"n=1..2": "n=1..2", "": "''", "q=[1,2]": "'q=[1,2]'", "it's": `'it'\''s'`, "xs=@a.csv:b": "xs=@a.csv:b"} {
		require.Equal(t, want, Quote(text))
	}
}
