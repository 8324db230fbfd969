package explore

import "context"

// How many requests may work at once, how many more may wait for that, and how many bodies may be
// read at once; bodies are kept in memory while they are read.
const (
	maxWorking = 2
	maxWaiting = 30
	maxReading = 4
)

// gate bounds the number of requests that are read and of those that work.
type gate struct{ reading, inside, working chan struct{} }

func newGate() gate {
	return gate{make(chan struct{}, maxReading), make(chan struct{}, maxWorking+maxWaiting),
		make(chan struct{}, maxWorking)}
}

// enter admits a request unless there are too many. leave ends it.
func (g gate) enter() bool {
	select {
	case g.inside <- struct{}{}:
		return true
	default:
		return false
	}
}

func (g gate) leave() { <-g.inside }

// wait sends a token to a channel. It returns an error if the context ends first.
func wait(ctx context.Context, tokens chan struct{}) error {
	select {
	case tokens <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
