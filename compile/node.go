package compile

import "unsafe"

// Kind is the constructor of a node.
type Kind uint8

// The kinds of nodes. Those before Lam wait for their operands.
const (
	Free     Kind = iota // on the free list
	Fun1                 // f(t)
	Fun2                 // f(t,u), or f(t,⟨u,…⟩) of more than two
	Mul                  // t·u
	Add                  // t + u
	App                  // t u
	If                   // if s c s' then … else …
	Case                 // match t with …
	Open                 // [⟨x,y⟩:=u]: operand 0 is u
	Sub                  // [x:=u], x exponential: operand 0 is u
	Linear               // [x:=u], x linear
	Cell                 // [d:=λa.u]: the name of a dual λ
	Iter                 // f t1 (… (f ti ∎)): what is left of a list or numeral that was applied
	Job                  // a maximal sum, whose duals fire
	Seed                 // z* 1, the start of a backward phase
	Summand              // a variable that is a summand of a Job
	Result               // the value of the program
	Lam                  // λx.t: its code, and the substitutions of its free variables
	Pair                 // ⟨t,u⟩
	Con                  // C t
	Nat                  // #n
	List                 // [t1;…;tn]
	Data                 // a list of data
	Fold                 // a list or numeral that has been applied to f: λx.f t1 (…)
	Captures             // more free variables of a Lam, a List or an If; the state of an Iter
	FreeDual             // x*, a free dual variable
	Symbol               // a free variable that stands for a number: an input that is symbolic
	Names                // [⟨y,y'⟩:=u] of (10), for the tail u of a vector
)

var kindNames = [...]string{"free", "fun1", "fun2", "mul", "add", "app", "if", "case", "open", "sub", "linear", "cell",
	"iter", "job", "seed", "summand", "result", "lam", "pair", "con", "nat", "list", "data", "fold", "captures",
	"freeDual", "symbol", "names"}

// String returns the kind's name.
func (k Kind) String() string { return kindNames[k] }

// Ref is the number of a node in the arena. 0 is nil.
type Ref = uint32

// Place is an operand of a node: the node's Ref times four, plus the number of the operand. Nodes refer to each other
// by the places of their first operands.
type Place = uint32

// NodeWords is how many words of 32 bits a node has. A move counts all of them each time that it reaches a node.
const NodeWords = 8

// NodeBytes is how many bytes a node has.
const NodeBytes = 4 * NodeWords

// Tag says what an operand of a node is.
type Tag uint8

// The tags of operands.
const (
	Empty    Tag = iota // it has not come yet
	Number              // a numeral
	Value               // a Lam, Pair, Con, Nat, List, Data or Fold
	Name                // a Cell or a FreeDual: a dual variable
	Variable            // an occurrence: a Sub, Linear or Cell, and the next that waits for it
	Late                // an App of a dual, an Add or a Pair of such: a sum that no job has run
	Zero                // the zero tuple
	// Inert is a variable that stands for a number that is not known: a Symbol, or the name of an operation of G.
	Inert
	Operation // an operation of G, which has no name yet
	Taken     // of a Sub or a Cell: its last occurrence has taken the value, whose tag the next operand has
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
	Missing = 3 // how many operands are missing
	// IsFired: of a Linear, (5) has fired; of an App of a dual, it has arrived; of a recursive function, (15) has fired.
	IsFired       = 1 << 2
	CapturesShift = 4      // how many captures are in the node: 0 to 4
	HasMore       = 1 << 7 // the last word of its operands is a Captures node
	IsDue         = 1 << 3 // of an App, an If or a Case: its turn has come, so it is a redex when it has its operands
	IsLate        = 1 << 3 // of a Pair: a component is a sum that no job has run
	IsGraph       = 1 << 2 // of Fun1, Fun2, Mul, Add: it is an operation of G; up and c are its number at the point
	IsOpen        = 1 << 4 // of a Pair: it has an inert part
	IsNamed       = 1 << 5 // of a Pair: (10) has named its components
	IsDual        = 1 << 3 // of a Sub: it binds a dual variable
)

// Waits is, in the place of an operand, that of a λ that waits for what it captures.
const Waits = 2

// Node is a constructor of the term, with its operands or the one place that waits for it.
//
//	kind          Up              C                  Val[0]         Val[1]
//	Fun1 … App    waiting place                      operand        operand
//	If, Case      waiting place   first Captures     operand        operand
//	Summand       its job                            operand
//	Open                                             u              x, y (an Open or a Sub)
//	Sub                           output, plus one   u              occurrences, first waiter
//	Linear        of a body: its  the λ to be        u              occurrences, first waiter
//	              waiting place   copied
//	Cell                          arrived App        λ              occurrences, first waiter; once bound: rank
//	Iter          waiting place   its Captures       accumulator
//	Job           waiting place   its Captures       the sum        summand
//	Lam, List     waiting place   next waiter, then  captures       captures
//	                              references
//	Pair          waiting place   references         operand        operand
//	Con           waiting place   references         operand        its number
//	Nat, Data                     references         count, index
//	Fold                          references         list, f
//	Captures      owner           next waiter        captures       captures
//	  of an Iter                  captures of next   list, f        elements left
//	  of a Job    job below                          arrivals, App
//	FreeDual                      arrived App
//	Symbol                        its index          its number at
//	                                                 the point
//	Names         waiting place                      u
type Node struct {
	Head
	Up  Place
	C   uint32
	Val [2]uint64
}

const _ = uint(NodeBytes - unsafe.Sizeof(Node{})) // a node has NodeWords words

// Captures returns the four words of a node that captures, and how many of them are captures.
func (n *Node) Captures() ([4]Place, int) {
	v, w := n.Val[0], n.Val[1]
	return [4]Place{Place(v), Place(v >> 32), Place(w), Place(w >> 32)}, int(n.Bits >> CapturesShift & 7)
}

// More returns the node that has the other captures, or 0.
func (n *Node) More() Place {
	if n.Bits&HasMore == 0 {
		return 0
	}
	return Place(n.Val[1] >> 32)
}

// Image is a node as it is made: the words of the node behind its head are these, and what the frame has at From is
// added. The words are up and c, and the halves of the two operands, the lower before the upper ones.
type Image struct {
	Head
	Up, C uint32
	Val   [2]uint64
	From  [6]uint32
	// Occurs are the instructions of the occurrences of variables that are its operands, or 0.
	Occurs [2]uint32
}

// Node returns the node that the image makes with the frame.
func (im *Image) Node(frame []uint32) Node {
	at := func(i int) uint64 { return uint64(frame[im.From[i]]) }
	return Node{Head: im.Head, Up: im.Up + Place(at(0)), C: im.C + Place(at(1)),
		Val: [2]uint64{im.Val[0] + at(2) + at(3)<<32, im.Val[1] + at(4) + at(5)<<32}}
}

// Outer is a variable that the body does not bind itself, and that is no dual. Its occurrences stand in images, and
// wait for it in a list, like those of a variable that the body binds.
type Outer struct {
	Index       uint32 // the frame index of its substitution
	First, Last Link   // of the list
}

// Link is an operand of a node: its frame index, and the number of the operand.
type Link struct{ Index, Slot uint32 }

// Action gives an operand, where an image can't have it.
type Action struct {
	Op    Op
	Slot  uint8  // the operand of the node Up
	Up, X uint32 // frame indices
	Code  uint32 // its instruction
	Val   uint64
}
