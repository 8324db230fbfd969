package core

import (
	"github.com/gram-machine/gram/lang/eval"
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/term"
)

// Ref names a node of [core]. 0 is nil.
type Ref uint32

// Var names a variable of [core], or a scalar of an input. 0 is none.
type Var uint32

// InputBit marks a scalar of an input; the other bits are its number among those of all inputs.
const InputBit Var = 1 << 31

// Input reports whether x is a scalar of an input.
func (x Var) Input() bool { return x&InputBit != 0 }

// Scalar is the variable of the term for a scalar of an input: they come first.
func (x Var) Scalar() term.Var { return 1 + term.Var(x&^InputBit) }

type Op uint8

// The constructors of core. The comment gives the fields that each uses.
const (
	BadOp       Op = iota // where an error has been reported
	VarOp                 // x                   x
	PathOp                // x.(i).(j)…          x, a and b delimit the indices in args, see stepOf
	InputOp               // an input, whole     x its first scalar, typ; or from static a on of b scalars
	NumOp                 // r                   val
	LamOp                 // λx.t                x, a=t
	AppOp                 // t u                 a=t, b=u, typ of t
	PairOp                // ⟨t,u⟩               a=t, b=u
	LetOp                 // t[x:=u]             x, a=t, b=u
	TupleOp               // t[⟨x0,…⟩:=u]        x=x0, val their number, a=t, b=u
	UnvecOp               // t[⟦x0,…⟧:=u]        the same
	AddOp                 // t + u               a=t, b=u, x its place in wide or 0, typ if it has one
	FunOp                 // f(t), f(t,u)        the same, and sym
	LinearOp              // t − u, −t, t / u    sym, a=t, b=u; t or u depends on a linear variable
	VecOp                 // ⟦t0,…⟧              a and b delimit the components in args
	ListOp                // [t1;…]              the same; typ
	IfOp                  // if …                val=the comparison, a the place of the four parts in args
	NatOp                 // #n                  val=n, typ
	DataOp                // data                x=its index, typ
	ProjOp                // t.(i)               a=t, val=i, or x=i, a term.Static, typ of t
	StaticOp              // the numeral e       x=e, a term.Static
	ComponentOp           // an input's scalar   x the first of b scalars, a=the static number of the one
	FamilyOp              // vec i < s -> t      x=i, val=keyword, a=s, a term.Static, b=t, typ of a list
	DotOp                 // dot t u             a=t, b=u, typ of t
	MatvecOp              // matvec t u          a=t, b=u, typ of t
	TotalOp               // sum t               a=t, typ of t
	MaximumOp             // maximum t           the same
	TransposeOp           // transpose t         the same
	ConOp                 // C t                 val=the number of C, a=t or 0, typ
	CaseOp                // match t with …      a=t, b=the place of the branches in args, see [branch], val their number, typ of t
	FixOp                 // fix ⟨f0,…⟩.⟨v0,…⟩   x=f0, a and b delimit v0… in args, val=which of them it is
	PickOp                // pick t u            a=t, b=u, typ of t
	OneHotOp              // onehot k t          a=t, typ the result's
	AlongOp               // jvp t u v           a the place of t, u and v in args, typ of u
	GradOp                // grad t u            the same, without v

	// In default values only, see [elaborator.values]. An index is a variable there, and
	// a natural number a node that is a number, an index or an operation on them.
	ArithmeticOp // m op n               val=op, a=m, b=n
	ChurchOp     // #n                   a=n, typ
	PowerOp      // t ^ n                a=t, b=n
	LateProjOp   // t.(n)                a=t, b=n, typ of t
	LateFamilyOp // vec i < n -> t       x=i, val=keyword, a=n, b=t
	ScanOp       // scan i < n with y … x=i, x+1=y, a the place of n, the first state and the next one in args
	RandomOp     // uniform or normal    val=its prim, a, b
	NativeOp     // a def of the prelude val=its global
	NumOps
)

// Node is a constructor with its children.
type Node struct {
	Op Op
	// Value tells that the node is an atom, or a syntactic value.
	Value bool
	Sym   term.Symbol
	Pos   term.Pos
	X     Var
	A, B  Ref
	Type  infer.Type
	Val   float64
}

// VarInfo is a variable. Scalars of inputs are variables with consecutive numbers,
// and so are those that one pattern binds at one level.
type VarInfo struct {
	Name   string
	Type   infer.Type
	Pos    term.Pos
	Binder binder
	Linear bool // bound by lin, or by let to what depends on a linear variable
}

// binder says what bound a variable whose type is one where a def would have many.
type binder uint8

const (
	PlainBinder binder = iota
	LetBinder          // let, around an expression whose type was not settled by itself
	DefBinder          // a def that is a let
	FunBinder          // fun, without an annotation
)

// Core is the elaborated program before its types are known: the calculus, with
// projections still in place. Children come before their parents, every binder has
// a variable of its own, and a node has one parent.
type Core struct {
	Nodes []Node
	Args  []Ref
	Vars  []VarInfo
	// Wide has what is known of operations on what may be vectors.
	Wide []Wide
	// Places are those of nodes whose evaluation may fail.
	Places map[Ref]*eval.At
}

// New returns a core with room for n nodes.
func New(n int) *Core {
	return &Core{Nodes: make([]Node, 1, n+64), Vars: make([]VarInfo, 1, 64), Wide: make([]Wide, 1, 64), Places: map[Ref]*eval.At{}}
}

func (c *Core) Add(n Node) Ref {
	c.Nodes = append(c.Nodes, n)
	return Ref(len(c.Nodes) - 1)
}

// Info returns what is known of a variable; of all scalars of inputs it is the same.
func (c *Core) Info(x Var) VarInfo {
	if x.Input() {
		return VarInfo{Type: infer.R}
	}
	return c.Vars[x]
}

func (c *Core) NewVar(v VarInfo) Var {
	c.Vars = append(c.Vars, v)
	return Var(len(c.Vars) - 1)
}

// vectorAtom reports whether dot and matvec take the components of a node straight
// from the variable that it is.
func (n *Node) vectorAtom() bool {
	switch n.Op {
	case VarOp, PathOp, InputOp, DataOp:
		return true
	}
	return false
}

// Children calls f on the children of n whose terms become part of that of n.
func (c *Core) Children(n *Node, f func(Ref)) {
	switch n.Op {
	case LamOp, ProjOp, ChurchOp, OneHotOp:
		f(n.A)
	case PickOp:
		if !c.Nodes[n.A].vectorAtom() {
			f(n.A)
		}
		f(n.B)
	case FamilyOp:
		f(n.B)
	case AppOp, PairOp, LetOp, TupleOp, UnvecOp, ArithmeticOp, PowerOp, LateProjOp, LateFamilyOp, RandomOp:
		f(n.A)
		f(n.B)
	case DotOp, MatvecOp, TotalOp, MaximumOp, TransposeOp:
		for _, k := range [...]Ref{n.A, n.B} {
			if k != 0 && !c.Nodes[k].vectorAtom() {
				f(k)
			}
		}
	case AddOp, FunOp:
		w := c.Wide[n.X]
		if !w.VecA || !c.Nodes[n.A].vectorAtom() {
			f(n.A)
		}
		if n.B != 0 && !(w.VecB && c.Nodes[n.B].vectorAtom()) {
			f(n.B)
		}
	case LinearOp:
		f(n.A)
		if n.B != 0 {
			f(n.B)
		}
	case VecOp, ListOp, FixOp:
		for _, k := range c.Args[n.A:n.B] {
			f(k)
		}
	case ConOp:
		if n.A != 0 {
			f(n.A)
		}
	case CaseOp:
		f(n.A)
		for i := range int(n.Val) {
			f(c.Branch(n, i).Body)
		}
	case IfOp:
		for _, k := range c.Args[n.A : n.A+4] {
			f(k)
		}
	case ScanOp, AlongOp:
		for _, k := range c.Args[n.A : n.A+3] {
			f(k)
		}
	case GradOp:
		for _, k := range c.Args[n.A : n.A+2] {
			f(k)
		}
	}
}

// Branch is what a caseCore does with one constructor: the n variables from x on are its argument, opened as a tuple if they are
// more than one.
type Branch struct {
	X    Var
	N    int
	Body Ref
}

// Branches adds branches to args and returns their place there.
func (c *Core) Branches(list []Branch) Ref {
	off := Ref(len(c.Args))
	for _, b := range list {
		c.Args = append(c.Args, Ref(b.X), Ref(b.N), b.Body)
	}
	return off
}

// Branch returns the i-th branch of a caseCore.
func (c *Core) Branch(n *Node, i int) Branch {
	k := c.Args[int(n.B)+3*i:]
	return Branch{Var(k[0]), int(k[1]), k[2]}
}

// Drop forgets a node that was built but has no parent.
func (c *Core) Drop(r Ref) {
	if int(r) == len(c.Nodes)-1 {
		c.Nodes = c.Nodes[:r]
	}
}

// Live marks the nodes under the roots: children come before their parents. It calls tick for each node.
func (c *Core) Live(roots []Ref, tick func()) []bool {
	live := make([]bool, len(c.Nodes))
	for _, r := range roots {
		live[r] = true
	}
	mark := func(k Ref) { live[k] = true }
	for r := len(c.Nodes) - 1; r > 0; r-- {
		tick()
		if live[r] {
			c.Children(&c.Nodes[r], mark)
		}
	}
	return live
}

// Wide has the types of the operands of an operation that may be on vectors. Once all is typed, vecA and vecB tell which of
// them are vectors.
type Wide struct {
	A, B       infer.Type
	VecA, VecB bool
}
