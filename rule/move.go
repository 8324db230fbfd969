package rule

// Move is a move of the literal machine: a rewrite, by its rule, or a unit of work. Units are what a rewrite leaves
// that is not bounded by nature, cut into pieces that are.
type Move uint8

// The units of work.
const (
	Instantiate = Move(Count) + iota // a node of a body is made, or a captured variable loaded
	Wake                             // a value goes on to one that waits for it, or the turn of a node comes
	Search                           // a dual is found that is to fire, or one node of a sum is taken apart
	FreeUnit                         // a node that nothing refers to goes to the free list
	ReadBack                         // a number of the result is read
	NumMoves                         // how many moves there are
)

// Rule returns the rule of a rewrite; ok is false for a unit.
func (m Move) Rule() (by Rule, ok bool) { return Rule(m), m < Move(Count) }

// String returns the name of the rule or the unit.
func (m Move) String() string {
	if r, ok := m.Rule(); ok {
		return r.String()
	}
	return [...]string{"instantiate", "wake", "search", "free", "readback"}[m-Instantiate]
}

// Work is what the firings of a rule, or a unit, have cost. Its words are 8 for each time that a node of the arena was
// reached.
type Work struct {
	Fired uint64 `json:"fired"` // how often
	Words uint64 `json:"words"` // in all
	Most  uint64 `json:"most"`  // by any single one
}
