package term

import (
	"math"
	"unsafe"
)

// Ref names a node of a [Term]. 0 is nil.
type Ref uint32

// Var names a variable of a [Term]. 0 is none.
type Var uint32

// Pos is a place in the source: a byte offset plus one, or 0 where there is none.
type Pos uint32

// Op is the constructor of a term.
type Op uint8

// The constructors. The comment gives the fields of [Node] that each uses.
const (
	NoOp   Op = iota
	VarOp     // x                       X
	NumOp     // r                       Val
	LamOp     // λx.t                    X, A=t; a linear x makes a dual
	AppOp     // t u                     A=t, B=u
	PairOp    // ⟨t,u⟩                   A=t, B=u
	LetOp     // t[x:=u]                 X, A=t, B=u; x exponential or linear
	AddOp     // t + u                   A=t, B=u; on R, or on R^d
	FunOp     // f(t1,…,tk)              Sym, Args=t1…tk
	ZeroOp    // 0⃗ of type R^d, abstract d; the body of λa.0⃗
	VecOp     // ⟦t0,…⟧                  Args=t0…
	// t[⟦x0,…⟧:=u] A=t, B=u, X=x0, the first of N consecutive variables; or X=0, Args=the variables
	UnvecOp
	UntupleOp // t[⟨x0,…,xk⟩:=u]         the same; opens k pairs, whose tails have no names: mostly one
	IfOp      // if s c s' then t else u Cmp, Args=s,s',t,u
	ListOp    // [t1;…;tn]               Args=t1…tn, Elem, Res
	NatOp     // #n                      Count, Res
	DataOp    // a constant of Data      A=its index, Elem=its element type, Res
	ConOp     // C t                     A=t or 0, Count=the number of C, Res=the inductive type
	CaseOp    // match t with …          Args=t and a BranchOp for each constructor, Res=the type of t
	BranchOp  // C ⟨x0,…⟩ → t            A=t, Args=the variables x0…
	FixOp     // fix ⟨f0,…⟩.⟨v0,…⟩       Args=v0… and then f0…, N of each; Count=the member that it is

	// The following stand for their expansion, see [Term.Expand]. Off is an index i and B a static expression: the
	// bound s of i, or e.
	FamilyOp     // ⟦t | i<s⟧               A=t, Off, B
	ListFamilyOp // [t | i<s]               A=t, Off, B, Elem, Res
	SumOp        // Σ(i<s) t                A=t, Off, B, Sym; with Sym, f(t0, f(t1, …)) in the order of sums, s ≥ 1
	ScanOp       // ⟦x1,…,xs⟧, xi+1 = t{xi/x}  X=x, N=x0, A=t, Off, B
	ComponentOp  // x_e                     X the first of N consecutive variables, B=e
	IndexNumOp   // the numeral e           B=e
)

// Opens reports whether a node is a substitution t[p:=u], of a variable or of what a pattern opens: A is t, and B is u.
func (op Op) Opens() bool { return op == LetOp || op == UntupleOp || op == UnvecOp }

// Node is a constructor with its children.
type Node struct {
	Op   Op
	Cmp  Compare
	Sym  Symbol
	Pos  Pos
	X    Var
	A, B Ref
	// Off and N delimit the children in the arena's Args.
	Off, N uint32
	// Elem and Res are A and X of List(A, X); Res alone is X of a numeral.
	// For data that is a number or a vector, Res is 0 and Elem its type. Res of a constructor is the type that it makes.
	Elem, Res Type
	Val       float64 // NumOp
	Count     uint64  // NatOp, ConOp, FixOp
}

// VarInfo describes a variable.
type VarInfo struct {
	Name   string
	Type   Type
	Linear bool // an annotated variable x^R; otherwise x^!A
	// Generated says that no variable of the source stands behind it: a transformation or read-back has made it.
	Generated bool
	Pos       Pos
}

// Data is a constant that does not stand in the term: Rows elements of Width
// numbers each, row by row in Values. A list has List set; otherwise Rows is 1.
type Data struct {
	Name   string
	List   bool
	Rows   int
	Width  int
	Values []float64
	// Chunk, if not nil, computes the numbers of elements into dst, those of the element from first; Values is nil
	// then. It calls look now and then, whose error it returns, and may be called in several goroutines.
	Chunk func(dst []float64, from int, look func() error) error
}

// Term is a term of the calculus: an arena of nodes, and its root.
type Term struct {
	Types *Types
	Nodes []Node // Nodes[0] is unused
	Args  []Ref  // children of nodes that may have many; variables for UnvecOp and UntupleOp
	vars  variables
	Data  []Data
	Root  Ref
	// Indices are those of families, and Statics the expressions of them. The first of each is unused.
	Indices []IndexInfo
	Statics []StaticNode
}

// New returns an empty arena over the universe tt.
func New(tt *Types) *Term {
	return &Term{Types: tt, Nodes: make([]Node, 1, 64), vars: variables{rest: make([]VarInfo, 1, 16)}}
}

// Children returns the many children of n: those of FunOp, VecOp, IfOp, ListOp, CaseOp and FixOp.
func (t *Term) Children(n *Node) []Ref { return t.Args[n.Off : n.Off+n.N] }

// bind makes count variables those that n opens a vector or a tuple with.
func (t *Term) bind(n *Node, count int, x func(i int) Var) {
	n.N, n.X, n.Off = uint32(count), 0, 0
	if count == 0 {
		return
	}
	first := x(0)
	for i := range count {
		if x(i) != first+Var(i) {
			n.Off = uint32(len(t.Args))
			for i := range count {
				t.Args = append(t.Args, Ref(x(i)))
			}
			return
		}
	}
	n.X = first
}

// add is not copied to the hundreds of places that call it.
//
//go:noinline
func (t *Term) add(n Node) Ref {
	t.Nodes = append(t.Nodes, n)
	return Ref(len(t.Nodes) - 1)
}

func (t *Term) many(n Node, kids []Ref) Ref {
	n.Off, n.N = uint32(len(t.Args)), uint32(len(kids))
	t.Args = append(t.Args, kids...)
	return t.add(n)
}

// Variable adds an occurrence of x.
//
//go:noinline
func (t *Term) Variable(p Pos, x Var) Ref { return t.add(Node{Op: VarOp, Pos: p, X: x}) }

// Num adds the numeral r.
func (t *Term) Num(p Pos, r float64) Ref { return t.add(Node{Op: NumOp, Pos: p, Val: r}) }

// Lam adds λx.body.
func (t *Term) Lam(p Pos, x Var, body Ref) Ref { return t.add(Node{Op: LamOp, Pos: p, X: x, A: body}) }

// App adds f u.
//
//go:noinline
func (t *Term) App(p Pos, f, u Ref) Ref { return t.add(Node{Op: AppOp, Pos: p, A: f, B: u}) }

// Pair adds ⟨a,b⟩.
func (t *Term) Pair(p Pos, a, b Ref) Ref { return t.add(Node{Op: PairOp, Pos: p, A: a, B: b}) }

// Let adds body[x:=u].
//
//go:noinline
func (t *Term) Let(p Pos, x Var, u, body Ref) Ref {
	return t.add(Node{Op: LetOp, Pos: p, X: x, A: body, B: u})
}

// Unpair adds body[⟨x,y⟩:=u].
func (t *Term) Unpair(p Pos, x, y Var, u, body Ref) Ref {
	return t.Untuple(p, []Var{x, y}, u, body)
}

// Add adds a + b.
func (t *Term) Add(p Pos, a, b Ref) Ref { return t.add(Node{Op: AddOp, Pos: p, A: a, B: b}) }

// Plus adds a + b, where 0 stands for a summand that is left out.
func (t *Term) Plus(p Pos, a, b Ref) Ref {
	if a == 0 || b == 0 {
		return a | b
	}
	return t.Add(p, a, b)
}

// Operation adds f(args), or the sum of two where f is [NoSymbol].
func (t *Term) Operation(p Pos, f Symbol, args ...Ref) Ref {
	if f == NoSymbol {
		return t.Add(p, args[0], args[1])
	}
	return t.Fun(p, f, args...)
}

// Fun adds f(args).
func (t *Term) Fun(p Pos, f Symbol, args ...Ref) Ref {
	return t.many(Node{Op: FunOp, Pos: p, Sym: f}, args)
}

// Dual adds λa.body(a) for a fresh linear a.
func (t *Term) Dual(p Pos, body func(a Var) Ref) Ref {
	a := t.NewVar(VarInfo{Name: "a", Type: R, Linear: true, Generated: true, Pos: p})
	return t.Lam(p, a, body(a))
}

// ReverseOpen adds fresh x : R and x* : R⊥.
func (t *Term) ReverseOpen(p Pos) (x, xs Var) {
	x = t.NewVar(VarInfo{Name: "x", Type: R, Generated: true, Pos: p})
	xs = t.NewVar(VarInfo{Name: "x*", Type: AbstractDual, Generated: true, Pos: p})
	return x, xs
}

// Slope adds ∂i f(p1,…,pk), where operand adds an occurrence of pi.
func (t *Term) Slope(p Pos, partial *Partial, k int, operand func(i int) Ref) Ref {
	return Interpret(partial, k, func(r float64) Ref { return t.Num(p, r) }, operand,
		func(f Symbol, args ...Ref) Ref { return t.Operation(p, f, args...) })
}

// Zero adds 0⃗ of the abstract Euclidean type.
func (t *Term) Zero(p Pos) Ref { return t.add(Node{Op: ZeroOp, Pos: p}) }

// Vec adds the vector of the components.
func (t *Term) Vec(p Pos, comps []Ref) Ref { return t.many(Node{Op: VecOp, Pos: p}, comps) }

// Unvec adds body[⟦xs⟧:=u].
func (t *Term) Unvec(p Pos, xs []Var, u, body Ref) Ref {
	n := Node{Op: UnvecOp, Pos: p, A: body, B: u}
	t.bind(&n, len(xs), func(i int) Var { return xs[i] })
	return t.add(n)
}

// UnvecFrom is [Term.Unvec] with n variables from first on.
func (t *Term) UnvecFrom(p Pos, first Var, n int, u, body Ref) Ref {
	return t.add(Node{Op: UnvecOp, Pos: p, A: body, B: u, X: first, N: uint32(n)})
}

// Untuple adds body[⟨x0,…,xk⟩:=u], where u is a right-nested tuple. It stands for k
// nested openings of pairs; their tails have no names and count nothing.
func (t *Term) Untuple(p Pos, xs []Var, u, body Ref) Ref {
	r := t.Unvec(p, xs, u, body)
	t.Nodes[r].Op = UntupleOp
	return r
}

// If adds if a c b then yes else no.
func (t *Term) If(p Pos, c Compare, a, b, yes, no Ref) Ref {
	return t.many(Node{Op: IfOp, Pos: p, Cmp: c}, []Ref{a, b, yes, no})
}

// List adds the literal [elems] of type List(elem, res).
func (t *Term) List(p Pos, elem, res Type, elems []Ref) Ref {
	return t.many(Node{Op: ListOp, Pos: p, Elem: elem, Res: res}, elems)
}

// Nat adds #n of type Nat(res).
func (t *Term) Nat(p Pos, n uint64, res Type) Ref {
	return t.add(Node{Op: NatOp, Pos: p, Count: n, Res: res})
}

// DataRef adds an occurrence of t.Data[i]. Its element type is elem; for a list,
// res is X of List(elem, X), otherwise 0.
func (t *Term) DataRef(p Pos, i int, elem, res Type) Ref {
	return t.add(Node{Op: DataOp, Pos: p, A: Ref(i), Elem: elem, Res: res})
}

// Kids calls f on each child of n, from left to right in the order in which the calculus writes them.
func (t *Term) Kids(n *Node, f func(Ref)) {
	switch n.Op {
	case LamOp, FamilyOp, ListFamilyOp, SumOp, BranchOp:
		f(n.A)
	case ScanOp:
		f(n.First())
		f(n.A)
	case ConOp:
		if n.A != 0 {
			f(n.A)
		}
	case AppOp, PairOp, LetOp, UntupleOp, UnvecOp, AddOp:
		f(n.A)
		f(n.B)
	case FunOp, VecOp, IfOp, ListOp, CaseOp, FixOp:
		for _, c := range t.Children(n) {
			f(c)
		}
	}
}

// Binders calls f on each variable that n binds.
func (t *Term) Binders(n *Node, f func(Var)) {
	switch n.Op {
	case LamOp, LetOp, ScanOp:
		f(n.X)
	case UnvecOp, UntupleOp, BranchOp, FixOp:
		if n.X != 0 {
			for x := n.X; x < n.X+Var(n.N); x++ {
				f(x)
			}
			return
		}
		off := n.Off
		if n.Op == FixOp { // behind its functions
			off += n.N
		}
		for _, x := range t.Args[off : off+n.N] {
			f(Var(x))
		}
	}
}

// BoundVars returns the variables that n binds, from left to right.
func (t *Term) BoundVars(n *Node) []Var {
	var xs []Var
	if n.Op == UnvecOp {
		xs = make([]Var, 0, n.N)
	}
	t.Binders(n, func(x Var) { xs = append(xs, x) })
	return xs
}

// Size returns |t|, the number of symbols of the term (section 4): a constructor, a numeral and an occurrence of a
// variable count one each. Lists, data and numerals count as the Church terms that they stand for: 3 + Σ(3+|t_i|) for a
// list and 3 + 2n for #n. Families count as their expansion. It saturates at math.MaxInt64.
func (t *Term) Size() int64 {
	n, _ := t.Symbols(nil)
	return n
}

// Symbols is [Term.Size]. look may be nil; it is called at least every 2¹⁶ nodes, and its error is the error.
func (t *Term) Symbols(look func() error) (int64, error) {
	return t.SymbolsWith(func(*Node) int { return 0 }, look)
}

// SymbolsWith is [Term.Symbols] where each node of the expansion has so many symbols more.
func (t *Term) SymbolsWith(more func(n *Node) int, look func() error) (int64, error) {
	var size float64
	err := t.eachLive(look, func(s *nest, r Ref) { size += s.symbols(r, more) })
	switch {
	case err != nil:
		return 0, err
	case size >= math.MaxInt64:
		return math.MaxInt64, nil
	}
	return int64(size), nil
}

// eachLive calls f on the nodes under the root, children first. The error is that of a look.
func (t *Term) eachLive(look func() error, f func(s *nest, r Ref)) error {
	live, err := t.Inside(look, t.Root)
	if err != nil {
		return err
	}
	s := t.nest(live)
	for r := 1; r < len(t.Nodes); r++ {
		if err := LookAt(r, look); err != nil {
			return err
		}
		if live[r] {
			f(s, Ref(r))
		}
	}
	return nil
}

// symbolsOf is the number of symbols of a node that does not comprehend, without its parts.
func (t *Term) symbolsOf(n *Node) float64 {
	switch n.Op {
	case ListOp:
		return 3 + 3*float64(n.N)
	case NatOp:
		return 3 + 2*float64(n.Count)
	case VecOp, UnvecOp, UntupleOp:
		return float64(max(1, n.N-1))
	case BranchOp:
		return float64(max(1, n.N))
	case DataOp:
		d := &t.Data[n.A]
		if d.List {
			return 3 + float64(d.Rows)*float64(3+2*d.Width-1)
		}
		return float64(2*d.Width - 1)
	}
	return 1
}

// Bytes is about what the term takes in memory, with its types and without the values of its data.
func (t *Term) Bytes() int64 {
	const perType = 64 // in the universe and in its index
	return int64(unsafe.Sizeof(*t)) + int64(cap(t.Nodes))*int64(unsafe.Sizeof(Node{})) +
		int64(cap(t.Args))*int64(unsafe.Sizeof(Ref(0))) +
		t.vars.bytes() + int64(cap(t.Data))*int64(unsafe.Sizeof(Data{})) + int64(len(t.Types.nodes))*perType
}

// Inside marks the nodes of the subterms at the given ones: a loop from the end of the
// arena to its beginning, since children come before parents. look is as [Term.Symbols] has it.
func (t *Term) Inside(look func() error, roots ...Ref) ([]bool, error) {
	inside := make([]bool, len(t.Nodes))
	for _, r := range roots {
		inside[r] = true
	}
	mark := func(k Ref) { inside[k] = true }
	for r := len(t.Nodes) - 1; r > 0; r-- {
		if err := LookAt(r, look); err != nil {
			return nil, err
		}
		if inside[r] {
			t.Kids(&t.Nodes[r], mark)
		}
	}
	return inside, nil
}

// FreeVars returns the free variables of the term, fv(t), in the order of Vars.
func (t *Term) FreeVars() []Var {
	xs, _ := t.Free(nil)
	return xs
}

// Free is [Term.FreeVars]. look is as [Term.Symbols] has it.
func (t *Term) Free(look func() error) ([]Var, error) {
	free, bound := make([]bool, t.NumVars()), make([]bool, t.NumVars())
	err := t.eachLive(look, func(s *nest, r Ref) {
		s.mentioned(r, func(x Var) { free[x] = true })
		t.Binders(&t.Nodes[r], func(x Var) { bound[x] = true })
	})
	if err != nil {
		return nil, err
	}
	var out []Var
	for x := range free {
		if free[x] && !bound[x] {
			out = append(out, Var(x))
		}
	}
	return out, nil
}
