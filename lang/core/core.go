// Package core has the form of a program between syntax and term: the calculus, before its types are known, with
// projections, vectors and comprehensions still in place. It has the types of inference, types with holes, too: their
// unification, and their text in the words of the source. When all is typed, the linear variables of core are checked,
// and the numbers that select components.
package core

import (
	"cmp"
	"math"

	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// Ref names a node of a [Core]. 0 is nil.
type Ref uint32

// Var names a variable of a [Core], or a scalar of an input. 0 is none.
type Var uint32

// InputBit marks a scalar of an input; the other bits are its number among those of all inputs.
const InputBit Var = 1 << 31

// Input reports whether x is a scalar of an input.
func (x Var) Input() bool { return x&InputBit != 0 }

// Scalar is the variable of the term for a scalar of an input: they come first.
func (x Var) Scalar() term.Var { return 1 + term.Var(x&^InputBit) }

// Op is a constructor of core.
type Op uint8

// The constructors of core. The comment gives the fields that each uses.
const (
	BadOp Op = iota // where an error has been reported
	VarOp           // x                   X
	// x.(i).(j)… X, A and B delimit the indices in Args, marked by [StaticBit] if they are static
	PathOp
	InputOp  // an input, whole     X its first scalar; or a part of B scalars, from static A on
	NumOp    // r                   Val
	LamOp    // λx.t                X, A=t
	AppOp    // t u                 A=t, B=u
	PairOp   // ⟨t,u⟩               A=t, B=u
	LetOp    // t[x:=u]             X, A=t, B=u
	TupleOp  // t[⟨x0,…⟩:=u]        X=x0, Val their number, A=t, B=u
	UnvecOp  // t[⟦x0,…⟧:=u]        the same
	FunOp    // f(t), f(t,u), t + u Sym, that of + is NoSymbol, A=t, B=u, X is 1 if they may be vectors
	SymbolOp // f(t1,…,tk), k > 2   Sym, A and B delimit t1… in Args
	LinearOp // t − u, −t, t / u    Sym, A=t, B=u; t or u depends on a linear variable
	VecOp    // ⟦t0,…⟧              A and B delimit the components in Args
	ListOp   // [t1;…]              the same
	IfOp     // if …                Val=the comparison, A and B delimit the four parts in Args
	NatOp    // #n                  Val=n, or X=n, a term.Static, in default values
	DataOp   // data                X=its index
	ProjOp   // t.(i)               A=t, Val=i, or X=i, a term.Static
	StaticOp // the numeral e       X=e, a term.Static
	FamilyOp // vec i < s -> t      X=i, Val=keyword, A=s, a term.Static, B=t
	PrimOp   // dot t u, sum t, …   Val=the [Prim], A=t, B=u or 0; of onehot k t, A=t
	ConOp    // C t                 Val=the number of C, A=t or 0
	// match t with … A=t, B=the place of the branches in Args, see [Branch], Val their number
	CaseOp
	FixOp        // fix ⟨f0,…⟩.⟨v0,…⟩   X=f0, A and B delimit v0… in Args, Val=which of them it is
	DerivativeOp // jvp t u v, grad t u Val=the [Prim], A and B delimit t… in Args

	// In default values only.
	PowerOp  // t ^ e                   A=t, X=e, a term.Static
	ScanOp   // scan i < e with y …     X=y, A the place of i, e, the first state and the next one in Args
	NativeOp // a def of the prelude Val=its number, see [eval.Native]
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
	Type  Type
	Val   float64
}

// VarInfo is a variable. Scalars of inputs are variables with consecutive numbers,
// and so are those that one pattern binds at one level.
type VarInfo struct {
	Name   string
	Type   Type
	Pos    term.Pos
	Binder Binder
	Linear bool // bound by lin, or by let to what depends on a linear variable
}

// Binder says what bound a variable whose type is one where a def would have many.
type Binder uint8

const (
	PlainBinder Binder = iota
	LetBinder          // let, around an expression whose type was not settled by itself
	DefBinder          // a def that is a let
	FunBinder          // fun, without an annotation
)

// Core is the elaborated program before its types are known: the calculus, with projections still in place. Children
// come before their parents, every binder has a variable of its own, and a node has one parent.
type Core struct {
	Nodes []Node
	Args  []Ref
	Vars  []VarInfo
	Types *Types
	// Places are those of nodes whose evaluation may fail.
	Places map[Ref]*At
}

// At is where an error of a run stands, with the notes for its message.
type At struct {
	Span  syntax.Span
	Notes []syntax.Note
}

// New returns a core with room for n nodes.
func New(n int, types *Types) *Core {
	return &Core{Nodes: make([]Node, 1, n+64), Vars: make([]VarInfo, 1, 64), Types: types, Places: map[Ref]*At{}}
}

// Add adds a node.
func (c *Core) Add(n Node) Ref {
	c.Nodes = append(c.Nodes, n)
	return Ref(len(c.Nodes) - 1)
}

// Info returns what is known of a variable; of all scalars of inputs it is the same.
func (c *Core) Info(x Var) VarInfo {
	if x.Input() {
		return VarInfo{Type: R}
	}
	return c.Vars[x]
}

// NewVar adds a variable.
func (c *Core) NewVar(v VarInfo) Var {
	c.Vars = append(c.Vars, v)
	return Var(len(c.Vars) - 1)
}

// Children calls f on the children of n whose terms become part of that of n.
func (c *Core) Children(n *Node, f func(Ref)) {
	switch n.Op {
	case LamOp, ProjOp, PowerOp:
		f(n.A)
	case FamilyOp:
		f(n.B)
	case AppOp, PairOp, LetOp, TupleOp, UnvecOp, LinearOp, ConOp, PrimOp, FunOp:
		for i, k := range [...]Ref{n.A, n.B} {
			a := c.Nodes[k].Op // of what is a variable, dot and matvec take the components straight from that
			atom := a == VarOp || a == PathOp || a == InputOp || a == DataOp
			if k != 0 && !(atom && c.Levels(n, i) != 0) {
				f(k)
			}
		}
	case VecOp, ListOp, FixOp, SymbolOp, DerivativeOp, IfOp:
		for _, k := range c.Args[n.A:n.B] {
			f(k)
		}
	case CaseOp:
		f(n.A)
		for i := range int(n.Val) {
			f(c.Branch(n, i).Body)
		}
	case ScanOp:
		f(c.Args[n.A+2])
		f(c.Args[n.A+3])
	}
}

// Branch is what a CaseOp does with one constructor: the n variables from x on are its argument, opened as a tuple if
// they are more than one.
type Branch struct {
	X    Var
	N    int
	Body Ref
}

// Branches adds branches to Args and returns their place there.
func (c *Core) Branches(list []Branch) Ref {
	off := Ref(len(c.Args))
	for _, b := range list {
		c.Args = append(c.Args, Ref(b.X), Ref(b.N), b.Body)
	}
	return off
}

// Branch returns the i-th branch of a CaseOp.
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

// Wide reports whether the operand k of the operation n is a vector of which it takes the components. The type of k is
// known.
func (c *Core) Wide(n *Node, k Ref) bool {
	return n.X != 0 && k != 0 && c.Types.At(c.Nodes[k].Type).Kind == Vec
}

// Levels returns in how many vectors that stand in one another the operation n selects components of operand i: 0 if it
// takes it as it is.
func (c *Core) Levels(n *Node, i int) int {
	switch {
	case n.Op == PrimOp:
		return prims[Prim(n.Val)].levels[i]
	case n.Op == FunOp && c.Wide(n, [...]Ref{n.A, n.B}[i]):
		return allLevels
	}
	return 0
}

// Opening is a binder that is put around a node that has been made: λx, or a let, the opening of a tuple or vector, or
// a match with the only constructor of a type, whose argument is Val variables from X on. It is a node without its A,
// and B is what it takes apart, or 0 for an occurrence of From.
type Opening struct {
	Node
	From Var
}

// Wrap puts openings around node r of type t, the last one innermost. It returns the node.
func (p *Program) Wrap(r Ref, t Type, opens []Opening) Ref {
	c := p.Core
	for i := len(opens) - 1; i >= 0; i-- {
		n := opens[i].Node
		if x := opens[i].From; n.Op != LamOp && n.B == 0 {
			n.B = c.Add(Node{Op: VarOp, X: x, Type: c.Vars[x].Type, Pos: n.Pos})
		}
		n.A = r
		switch {
		case n.Op == CaseOp:
			n.X, n.Val, n.A, n.B = 0, 1, n.B, c.Branches([]Branch{{n.X, int(n.Val), r}})
		case n.Op == LamOp && c.Vars[n.X].Linear:
			t, n.Value = p.Types.Dual(t), true
		case n.Op == LamOp:
			t, n.Value = p.Types.Arrow(c.Vars[n.X].Type, t), true
		}
		n.Type = t
		r = c.Add(n)
	}
	return r
}

// Prim is a function symbol, +, dot, matvec and the like.
type Prim uint32

const (
	PrimAdd Prim = iota
	PrimDot
	PrimMatvec
	PrimTotal
	PrimMaximum
	PrimTranspose
	PrimPick
	PrimOneHot
	PrimUniform
	PrimNormal
	PrimAlong
	PrimGrad
	PrimSymbol // and after it the symbols, by number
)

// Symbol is the function symbol that p is, if it is one.
func (p Prim) Symbol() term.Symbol { return term.Symbol(p - PrimSymbol) }

// prims has the name and the arity of what is no function symbol, and the levels of its operands.
var prims = [PrimSymbol]struct {
	name   string
	arity  int
	levels [2]int
}{
	PrimAdd: {name: "+", arity: 2}, PrimDot: {"dot", 2, [2]int{1, 1}}, PrimMatvec: {"matvec", 2, [2]int{2, 1}},
	PrimTotal: {"sum", 1, [2]int{1}}, PrimMaximum: {"maximum", 1, [2]int{1}}, PrimTranspose: {"transpose", 1, [2]int{2}},
	PrimPick: {"pick", 2, [2]int{allLevels}}, PrimOneHot: {name: "onehot", arity: 2},
	PrimUniform: {name: "uniform", arity: 2}, PrimNormal: {name: "normal", arity: 2}, PrimAlong: {name: "jvp", arity: 3},
	PrimGrad: {name: "grad", arity: 2},
}

// allLevels are as many as the operand has.
const allLevels = math.MaxInt32

// Arity is how many arguments p takes.
func (p Prim) Arity() int {
	if p < PrimSymbol {
		return prims[p].arity
	}
	return p.Symbol().Info().Arity
}

// Name is what the source calls p.
func (p Prim) Name() string {
	if p < PrimSymbol {
		return prims[p].name
	}
	return cmp.Or(p.Symbol().Info().Infix, p.Symbol().SourceName())
}

// Primitives returns all built-in functions. Operators are listed by their sign.
func Primitives() (all []Prim) {
	for p := range PrimSymbol {
		all = append(all, p)
	}
	for _, s := range append(term.Symbols(), term.Derivatives()...) {
		all = append(all, PrimSymbol+Prim(s))
	}
	return all
}
