package explore

import "context"

// How many requests may be at work at once, and how many more may wait for that; and of how
// many the bodies may be read at once, which are kept until they are whole.
const (
	maxWorking = 2
	maxWaiting = 30
	maxReading = 4
)

// gate bounds the requests that are read, and those that are at work.
type gate struct{ reading, inside, working chan struct{} }

func newGate() gate {
	return gate{make(chan struct{}, maxReading), make(chan struct{}, maxWorking+maxWaiting), make(chan struct{}, maxWorking)}
}

// enter lets a request in, if not too many are; leave lets it out again.
func (g gate) enter() bool {
	select {
	case g.inside <- struct{}{}:
		return true
	default:
		return false
	}
}

func (g gate) leave() { <-g.inside }

// wait puts a token into a channel of bounded capacity, unless the context ends first.
func wait(ctx context.Context, tokens chan struct{}) error {
	select {
	case tokens <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
