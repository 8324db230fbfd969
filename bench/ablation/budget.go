package ablation

import "fmt"

// SizeError says that a term would be larger than it may be.
type SizeError struct{ Nodes int }

func (e *SizeError) Error() string { return fmt.Sprintf("more than %d nodes", e.Nodes) }

// budget is how many nodes may be made.
type budget struct {
	nodes int // that are made, or under way
	limit int
	check func() error
	err   error
}

// checkEvery is how many nodes or steps there are between two checks.
const checkEvery = 1 << 16

// full counts a node, and reports whether the copy is to end: it is too large, or the check says so.
func (b *budget) full() bool {
	switch {
	case b.err != nil:
	case b.nodes >= b.limit:
		b.err = &SizeError{b.limit}
	case b.nodes%checkEvery == 0 && b.check != nil:
		b.err = b.check()
	}
	b.nodes++
	return b.err != nil
}
