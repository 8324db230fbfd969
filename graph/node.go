package graph

import "math"

// Ref is the index of a node in an arena. 0 is nil.
type Ref = uint32

// NullDual is, in a reversed program, the node of the λa.0⃗ of all numerals. It has no name: each opening of ⟨r, λa.0⃗⟩ has a cell of its
// own, at which one application arrives for each seed at most. So each arrival at the node fires: it counts one (1) and one (5) beside
// its (3), and never (11).
const NullDual Ref = 1

// Node is the unit of the arena: 16 bytes, no Go pointer. The package comment
// tells how objects lie in it.
type Node struct {
	Head uint32 // w0: the kind in the low byte
	A    uint32 // w1
	V    uint64 // w2 and w3, or a number
}

// NodeBytes is the size of a [Node].
const NodeBytes = 16

// Kind is the low byte of an object's head.
type Kind uint32

// The kinds of objects.
const (
	NoKind Kind = iota
	Num
	Pair
	Vec
	Con // a constructor of an inductive type
	Closure
	Partial
	Chain // what an iteration of a λ comes to that takes one argument more than elements give
	List
	Nat
	DataList
	DualCell
	Input
	BlockRun  // runs of a block, and what its cells need
	BlockDual // a dual of a block's result
	Forward
	SymInput // a symbolic input, with its value at the point
	Inert    // an operation on an inert operand, with its value at the point
	Neutral  // what a variable of a λ that normalisation went under keeps from firing
	LinDual  // a hand-written dual λ
	Arrival  // an application of such a dual, in a sum that no job has run yet
	Bag      // a sum that no job has run yet
	Wait     // the first kind that is not a value
	Suspended
	Apply
	Project
	Copy
	IterNat
	IterData
	IterList
	Job
)

// KindMask selects the kind in a head.
const KindMask = 0xff

// KindShift is where the rest of a head begins.
const KindShift = 8

// MaxIndex is the largest number that fits into a head beside the kind.
const MaxIndex = 1<<24 - 1

// MaxArgs is how many arguments an application node holds.
const MaxArgs = 3

var kindNames = [...]string{"none", "num", "pair", "vec", "con", "closure", "partial", "chain", "list", "nat", "data", "dual",
	"input", "block", "blockDual", "forward", "symbol", "inert", "neutral", "lin", "arrival", "bag",
	"wait", "suspended", "apply", "project", "copy", "iterNat", "iterData", "iterList", "job"}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "?"
}

// Kind returns the kind of the object that starts at n.
func (n *Node) Kind() Kind { return Kind(n.Head & KindMask) }

// Number returns the number of a Num, the value at the point of an inert node, and
// the argument of a dual.
func (n *Node) Number() float64 { return math.Float64frombits(n.V) }

// Units returns how many nodes an object takes whose words before its references
// are header, and that has refs references.
func Units(header, refs int) uint32 { return uint32((header + refs + 3) / 4) }

// Where the references of an object begin, in words.
const (
	ValueWords = 2 // Vec, Closure, Partial, List
	DualWords  = 4
	WaitWords  = 4
	BlockWords = 8
)

// The words of a node that iterates, behind its first four.
const (
	IterFunction = 4
	IterAcc      = 5
	IterSource   = 6 // the data or the vector; of a numeral the low half of the count
	IterLeft     = 7 // elements left; of a numeral the high half of the count
)

// The words of a job, behind its first four.
const (
	JobOperand = 4 // the sum to be unfolded; what the job waits for
	JobCells   = 5 // the heap of the arrivals whose cells have not fired
	JobSum     = 6 // the sum of the contributions so far, 0: there is none
	JobCell    = 7 // the dual whose argument, or the component whose value, is awaited
)

// BagOf is the node of the sum a + b that a job has not run yet.
func BagOf(a, b Ref) Node { return Node{Head: uint32(Bag), V: uint64(a) | uint64(b)<<32} }
