package machine

import (
	"math"
	"unsafe"

	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/graph"
)

// Ref is the index of a node in the arena. 0 is nil.
type Ref = uint32

// Place is an operand of a node: the node's Ref times two, plus the number of the operand.
type Place = uint32

// NodeWords is how many words of 32 bits a node has. A rewrite that touches a node
// counts all of them.
const NodeWords = 8

// NodeBytes is how many bytes a node has.
const NodeBytes = 4 * NodeWords

const (
	nodeBytes  = NodeBytes
	arenaBytes = graph.NodeBytes // the unit in which an arena is measured
)

// Tag says what an operand is.
type Tag uint8

// The tags of operands.
const (
	Empty    Tag = iota // it has not come yet
	Number              // a numeral
	Value               // a Ref to a Lam, Pair, Nat, List, Data or Fold
	Name                // a Ref to a Cell or a FreeDual: a dual variable
	Variable            // an occurrence: a Ref to a Sub, Linear or Cell, and the next that waits for it
	Late                // a Ref to an App of a dual, an Add or a Pair of such: a sum that no job has run
	Zero                // the zero tuple
	Taken               // of a Sub: its last occurrence has taken the value
)

// node is a constructor of the term, with its operands or the one place that waits for it.
//
//	kind          up              c                  val[0]         val[1]
//	Fun1 … App    waiting place                      operand        operand
//	If            waiting place   first Captures     operand        operand
//	Summand       its job                            operand
//	Open                                             u              x, y (an Open or a Sub)
//	Sub                                              u              occurrences, first waiter
//	Linear        of a body: its  the λ to be        u              occurrences, first waiter
//	              waiting place   copied
//	Cell          cell before     arrived App        λ, cell after  occurrences, first waiter
//	Iter          waiting place   its Captures       accumulator
//	Job           waiting place   job below          the sum        heap of arrivals
//	Lam, List     waiting place   next waiter, then  captures       captures
//	                              references
//	Pair          waiting place   references         operand        operand
//	Nat, Data                     references         count, index
//	Fold                          references         list, f
//	Captures      owner           next waiter        captures       captures
//	  of an Iter                                     list, f        elements left
//	FreeDual                      arrived App
type node struct {
	kind literal.Kind
	tag  [2]Tag
	bits uint8  // the operands that are missing, and flags
	code uint32 // the instruction that made it
	up   uint32
	c    uint32
	val  [2]uint64
}

const _ = uint(nodeBytes - unsafe.Sizeof(node{})) // a node has NodeWords words

// The bits of a node.
const (
	missing       = 3      // how many operands are missing
	isFired       = 1 << 2 // of a Linear: (5) has fired; of an App of a dual: it has arrived
	isLate        = 1 << 3 // of a Pair: a component is a sum that no job has run
	capturesShift = 4      // how many captures are in the node: 0 to 4
	hasMore       = 1 << 7 // the last word of val is a Captures node
	isWaiter      = 1      // of a link to a waiter: it is a λ that waits for what it captures
)

func lo(v uint64) uint32       { return uint32(v) }
func hi(v uint64) uint32       { return uint32(v >> 32) }
func both(a, b uint32) uint64  { return uint64(a) | uint64(b)<<32 }
func number(v uint64) float64  { return math.Float64frombits(v) }
func numeral(x float64) uint64 { return math.Float64bits(x) }
func (n *node) capture(i int) *uint32 {
	return (*uint32)(unsafe.Add(unsafe.Pointer(&n.val), 4*uintptr(i&3)))
}

// captures is how many captures are in the node itself.
func (n *node) captures() int { return int(n.bits >> capturesShift & 7) }

// view returns the memory of an arena as nodes.
func view(a *graph.Arena) []node {
	all := a.Nodes()
	return unsafe.Slice((*node)(unsafe.Pointer(unsafe.SliceData(all))), len(all)*arenaBytes/nodeBytes)
}
