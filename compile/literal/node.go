package literal

// Tag says what an operand of a node is.
type Tag uint8

// The tags of operands.
const (
	Empty    Tag = iota // it has not come yet
	Number              // a numeral
	Value               // a Lam, Pair, Nat, List, Data or Fold
	Name                // a Cell or a FreeDual: a dual variable
	Variable            // an occurrence: a Sub, Linear or Cell, and the next that waits for it
	Late                // an App of a dual, an Add or a Pair of such: a sum that no job has run
	Zero                // the zero tuple
	Taken               // of a Sub: its last occurrence has taken the value
)

// Head is the first 8 bytes of a node.
type Head struct {
	Kind Kind
	Tag  [2]Tag
	Bits uint8  // the operands that are missing, and flags
	Code uint32 // the instruction that made it
}

// The bits of a node.
const (
	Missing       = 3      // how many operands are missing
	CapturesShift = 4      // how many captures are in the node: 0 to 4
	HasMore       = 1 << 7 // the last word of its operands is a Captures node
	IsDue         = 1 << 3 // of an App or an If: its turn has come, so it is a redex when it has its operands
)

// Waits is, in the place of an operand, that of a λ that waits for what it captures.
const Waits = 2

// Image is a node as it is made: the words of the node behind its head are these, and what the frame has at From is
// added. The words are up and c, and the halves of the two operands, the lower before the upper ones.
type Image struct {
	Head
	Up, C uint32
	Val   [2]uint64
	From  [6]uint32
}

// ActionOp says what an [Action] does.
type ActionOp uint8

// The actions.
const (
	Occur         ActionOp = iota // an occurrence of the variable X
	DeliverNumber                 // the numeral Val
	DeliverParam                  // the number of the parameter
	DeliverInput                  // the numeral of input X
	DeliverDatum                  // number X of the element of data
	DeliverZero                   // the zero tuple
	DeliverValue                  // the node X
	Await                         // the λ X waits for what it captures, or is a value
)

// Action gives an operand, where an image can't have it.
type Action struct {
	Op    ActionOp
	Slot  uint8  // the operand of the node Up
	Up, X uint32 // frame indices
	Code  uint32 // its instruction
	Val   uint64
}
