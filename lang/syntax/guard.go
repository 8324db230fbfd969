package syntax

import "reflect"

// Guard holds the limits of long work. The zero value has none. An error of Check or Reserve
// ends the work by a panic, which [Catch] makes an error again.
type Guard struct {
	// Check, if not nil, is called often: at least every 2^16 steps.
	Check func() error
	// Reserve, if not nil, is called before a large slice is allocated.
	Reserve func(bytes int64) error

	steps int
}

// aborted is the panic value of an error of a [Guard].
type aborted struct{ err error }

// Abort ends the work with an error.
func Abort(err error) { panic(aborted{err}) }

// Catch, which is deferred, makes the error of a [Guard] or of [Abort] the error.
func Catch(err *error) {
	switch fault := recover().(type) {
	case nil:
	case aborted:
		*err = fault.err
	default:
		panic(fault)
	}
}

// checkEvery is how many steps pass between two calls of Check.
const checkEvery = 1 << 14

// Step counts a step.
func (g *Guard) Step() {
	if g.steps++; g.steps%checkEvery == 0 {
		g.Look()
	}
}

func (g *Guard) Look() {
	if g.Check != nil {
		if err := g.Check(); err != nil {
			Abort(err)
		}
	}
}

// Announce tells Reserve about an allocation.
func (g *Guard) Announce(bytes int64) {
	if g.Reserve != nil && bytes >= reserveFrom {
		if err := g.Reserve(bytes); err != nil {
			Abort(err)
		}
	}
}

// reserveFrom is the size in bytes from which an allocation is announced to Reserve.
const reserveFrom = 1 << 16

// Each returns what part returns for 0, 1, … n − 1.
func Each[T any](n int, part func(i int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = part(i)
	}
	return out
}

// Pop takes the last element off a slice.
func Pop[T any](s *[]T) T {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}

// Room makes room for n more elements: it doubles the capacity of a slice that has none, so that
// growing large arenas copies little.
func Room[T any](g *Guard, s []T, n int) []T {
	if len(s)+n <= cap(s) {
		return s
	}
	more := max(len(s), n)
	g.Announce(int64(len(s)+more) * int64(reflect.TypeFor[T]().Size()))
	out := make([]T, len(s), len(s)+more)
	for i := copy(out, s[:min(checkEvery, len(s))]); i < len(s); i += checkEvery {
		g.Look()
		copy(out[i:min(i+checkEvery, len(s))], s[i:])
	}
	return out
}
