package machine

import (
	"math"
	"unsafe"

	"github.com/gram-machine/gram/compile/literal"
)

// Ref is the number of a node in the arena. 0 is nil.
type Ref = uint32

// Place is an operand of a node: the node's Ref times four, plus the number of the operand. Nodes refer to each other
// by the places of their first operands.
type Place = uint32

// nodeOf returns the place of the first operand of the same node.
func nodeOf(p Place) Place { return p &^ 3 }

// NodeWords is how many words of 32 bits a node has. A rewrite that touches a node
// counts all of them.
const NodeWords = 8

// NodeBytes is how many bytes a node has.
const NodeBytes = 4 * NodeWords

// Tag says what an operand is.
type Tag = literal.Tag

// The tags of operands.
const (
	Empty    = literal.Empty
	Number   = literal.Number
	Value    = literal.Value
	Name     = literal.Name
	Variable = literal.Variable
	Late     = literal.Late
	Zero     = literal.Zero
	Taken    = literal.Taken
)

// node is a constructor of the term, with its operands or the one place that waits for it.
//
//	kind          up              c                  val[0]         val[1]
//	Fun1 … App    waiting place                      operand        operand
//	If            waiting place   first Captures     operand        operand
//	Summand       its job                            operand
//	Open                                             u              x, y (an Open or a Sub)
//	Sub                           output, plus one   u              occurrences, first waiter
//	Linear        of a body: its  the λ to be        u              occurrences, first waiter
//	              waiting place   copied
//	Cell          cell before     arrived App        λ, cell after  occurrences, first waiter
//	Iter          waiting place   its Captures       accumulator
//	Job           waiting place   its Captures       the sum        summand
//	Lam, List     waiting place   next waiter, then  captures       captures
//	                              references
//	Pair          waiting place   references         operand        operand
//	Nat, Data                     references         count, index
//	Fold                          references         list, f
//	Captures      owner           next waiter        captures       captures
//	  of an Iter                                     list, f        elements left
//	  of a Job    job below                          arrivals, App
//	FreeDual                      arrived App
type node struct {
	literal.Head
	up  Place
	c   uint32
	val [2]uint64
}

const _ = uint(NodeBytes - unsafe.Sizeof(node{})) // a node has NodeWords words

// The bits of a node.
const (
	missing = literal.Missing // how many operands are missing
	isFired = 1 << 2          // of a Linear: (5) has fired; of an App of a dual: it has arrived
	isLate  = 1 << 3          // of a Pair: a component is a sum that no job has run
	isDue   = literal.IsDue
	hasMore = literal.HasMore
)

func lo(v uint64) uint32       { return uint32(v) }
func hi(v uint64) uint32       { return uint32(v >> 32) }
func both(a, b uint32) uint64  { return uint64(a) | uint64(b)<<32 }
func number(v uint64) float64  { return math.Float64frombits(v) }
func numeral(x float64) uint64 { return math.Float64bits(x) }

// captures returns the four words of a node that captures, and how many of them are captures.
func (n *node) captures() ([4]Place, int) {
	v, w := n.val[0], n.val[1]
	return [4]Place{lo(v), hi(v), lo(w), hi(w)}, int(n.Bits >> literal.CapturesShift & 7)
}

// more returns the node that has the other captures, or 0.
func (n *node) more() Place {
	if n.Bits&hasMore == 0 {
		return 0
	}
	return hi(n.val[1])
}
