// Package compile compiles a term to templates for the literal machine, package machine. A template has an
// instruction for each node and each operand of the body of a λ.
package compile

import (
	"github.com/gram-machine/gram/term"
)

// Op says what an instruction of a template makes, and what an [Action] gives.
type Op uint8

// The instructions. Those before MakeNode make operands. MakeParam, MakeValue and Await are of actions alone.
const (
	MakeNumber   Op = iota // a numeral in its place
	MakeInput              // the numeral of input x
	MakeDatum              // number x of an element of data
	MakeZero               // the zero tuple
	MakeArgument           // the argument of a constructor, in a branch
	MakeVariable           // an occurrence of x
	MakeParam              // the number of the parameter
	MakeValue              // the node x
	Await                  // the λ x waits for what it captures, or is a value
	MakeNode               // a node of the given kind that waits for its operands
	MakeSub                // [x:=…]
	MakeOpen               // [⟨x,y⟩:=…]
	MakeLam                // λx.t, or a list literal: code and captures
	MakeIf                 // a conditional or a match
	MakeNat                // #n, or a constructor without argument
	MakeData               // a list of data
)

// Instr makes one node of the body of a λ, or an operand of one. The place of its parent is known, for parents
// come before children.
type Instr struct {
	Op    Op
	Kind  Kind
	Slot  uint8 // the operand of the parent
	Arity uint8 // how many operands it waits for
	Sym   term.Symbol
	Cmp   term.Compare
	// Up is the frame index of the parent, or [UpIndex].
	Up   uint32
	X, Y uint32 // frame indices of variables
	// N is of a Pair: 1 if its second component is the tail of a vector; of MakeSub: occurrences; of MakeNat: the count;
	// of a Con: the number of the constructor; of MakeData: the index; of a List: 1 if its elements are numerals; of a λ:
	// 1 if its body is one; of an App: where it stands in f a1 … an, see spine.
	N       uint64
	Val     float64
	Closure *Closure  // of a λ, a conditional, a match or a list
	Body    *Template // of a λ
	Dual    bool      // of an App: its function is a dual variable; of an occurrence or a Sub: it is of one
	Self    bool      // of a λ: it is a recursive function, in the body of one that is defined together with it
	Named   bool      // of a Pair: its components have names
	Pos     term.Pos
	Name    term.Var // the variable that is bound, or that occurs
}

// Closure is what a λ, a conditional or a list captures, and its code.
type Closure struct {
	Captures []uint32 // frame indices; of a list those of its last element first
	Bodies   []uint32 // templates: of a λ one, of a conditional two, of a match its branches, of a list its elements
}

// Template is the body of a λ, of a branch or of an element of a list. Its frame holds what the copy of a body
// refers to: from [UpIndex] on what is known when the copy begins, from First on the nodes that are made, and
// from Locals on what the body captures.
type Template struct {
	From, To      uint32 // its instructions
	First, Locals uint32
	Images        []Image
	Outer         []Outer
	Actions       []Action
	// Ordered are the nodes that go on in the order of evaluation, the last first: applications, conditionals and
	// the λs of duals, but for the one that is evaluated before all others.
	Ordered []Turn
	Uses    []uint32 // how often it mentions each capture
	Param   uint64   // how often it mentions the parameter
	Linear  bool     // the λ is a dual
	Fix     term.Var // the recursive function whose λ it is, or 0: its body makes the function anew
	Direct  bool     // of a dual: no branch captures the parameter, so its number stands in the frame
	Index   uint32   // in Program.Templates
	Within  uint32   // the template in whose code it stands
	// Term is the node of the term whose code it is: a λ, a branch, an element of a list, or the data that it is an
	// element of; of a recursive function its fix; 0 of what the compiler has made itself. Captured are the variables that
	// it captures.
	Term     term.Ref
	Captured []term.Var
}

// Turn is a node that goes on in the order of evaluation.
type Turn struct {
	Index uint32 // of the frame
	Dual  bool   // it is the λ of a dual
}

// The frame of a template begins with these.
const (
	ZeroIndex   = iota // 0
	UpIndex            // the place that waits for the body
	ParamIndex         // the substitution of the parameter
	NumberIndex        // if the template is Direct, the lower and the upper half of the parameter's number
	_
	FirstIndex
)

// Program is a term that has been made ready for the machine: immutable.
type Program struct {
	Term      *term.Term
	Code      []Instr
	Templates []Template
	Frame     int // the largest frame
	Inputs    int
	Outputs   int  // of a gradient; 0 for a value
	Free      int  // free dual variables
	Symbols   int  // free variables that stand for numbers: the inputs and, of D(t), the argument of its dual
	Open      bool // its inputs are symbolic
	Start     uint32
	Recursive bool             // it has recursive functions
	Zero      uint32           // the template of λa.0⃗
	Cons      uint32           // that of λa.λr.⟨a,r⟩, which reads lists
	Pos       term.Pos         // where the term stands
	Around    map[term.Var]int // the variables of the start term: their inputs; -1: of the seeds
}

// NoCode is the instruction of nodes that no instruction has made.
const NoCode = 1<<32 - 1
