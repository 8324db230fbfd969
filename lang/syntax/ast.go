package syntax

import "slices"

// Expr names an expression of a [File]. 0 is nil.
type Expr uint32

// Pat names a pattern of a [File]. 0 is nil.
type Pat uint32

// TypeExpr names a type expression of a [File]. 0 is nil.
type TypeExpr uint32

// Span is a range of bytes [Start, End) of the source.
type Span struct{ Start, End uint32 }

// ExprKind is the form of an expression.
type ExprKind uint8

// The forms. The comment gives the fields of [ExprNode] that each uses; Kids are
// reached by [File.Kids], patterns by [File.Pats].
const (
	BadExpr    ExprKind = iota
	NameExpr            // x                          Text
	NumExpr             // 3, 0.5, 1e-3               Num, Text as written
	ChurchExpr          // #s                         Kids: s
	OpExpr              // (+) (-) ( * ) (/)          Op
	BinExpr             // a + b, a - b, a * b, a / b Op, Kids: a, b
	NegExpr             // - e                        Kids: e
	PowExpr             // e ^ s                      Kids: e, s
	AppExpr             // f e                        Kids: f, e; e.(r..s), that is slice e r s, with Op: DotParenTok
	ProjExpr            // e.(s)                      Kids: e, s; e.(r, s) is e.(r).(s), the outer one with Op: CommaTok
	FunExpr             // fun p … -> e               Pats, Kids: e
	LinExpr             // lin a -> e                 Pats (one name), Kids: e
	LetExpr             // let p … = e in body        Pats, Kids: e, body; more than one
	//                    pattern: a function whose name is the first
	RecExpr     // let rec … and … in body   Kids: one or more BindExpr, body
	BindExpr    // f p … = e, of let rec     Pats: f (a name), p …, Kids: e
	MatchExpr   // match e with | p -> e …   Pats: one for each case, Kids: e, the cases'
	IfExpr      // if c then e1 else e2     Kids: c, which is one of the next two, e1, e2
	CompareExpr // a c b                     Op, Kids: a, b
	LogicExpr   // c and d, c or d, not c    Text, TextSpan, Kids: c, d
	CompExpr    // vec|sum|list i < s -> e    Op (VecTok, SumTok, ListTok), Text=i, TextSpan, Kids: s, e
	ScanExpr    // scan i < s with p = a -> e Text=i, TextSpan, Pats: p, Kids: s, a, e
	AnnotExpr   // (e : T)                    Type, Kids: e
	TupleExpr   // (e1, e2, …)                Kids, two or more
	ListExpr    // [e1; e2; …]                Kids, may be none
	VectorExpr  // [| e1, e2, … |]            Kids, one or more
	SizeExpr    // size x                     Text=x, TextSpan
	FileExpr    // csv "f" "a" 3 skip, npy "f"   Text=the format, Words: all that follows
)

// OpenEnded reports whether an expression of the form goes on as far to the right as it can.
func (k ExprKind) OpenEnded() bool {
	return FunExpr <= k && k <= IfExpr || k == CompExpr || k == ScanExpr
}

// ExprNode is an expression. Its span covers the whole expression without
// parentheses around it; Op, where there is one, stands at OpPos.
type ExprNode struct {
	Kind     ExprKind
	Op       Token
	Span     Span
	OpPos    uint32
	TextSpan Span // where Text stands, if it is not the whole span
	Text     string
	Num      float64
	Type     TypeExpr
	off, n   uint32 // Kids
	poff, pn uint32 // Pats
	Words    []Word
}

// Word is a part of a [FileExpr].
type Word struct {
	Kind Token  // StringTok, NumberTok or IdentTok
	Text string // a string without its quotes, a number with its sign
	Span Span
}

// PatKind is the form of a pattern.
type PatKind uint8

const (
	BadPat   PatKind = iota
	NamePat          // x            Text
	WildPat          // _
	TuplePat         // (p, p, …)    Kids, two or more
	VecPat           // [| p, … |]   Kids, one or more
	AnnotPat         // (p : T)      Kids: p; Type; also let x : T = …
	ConPat           // C, C p       Text=C, which starts it, Kids: none or p
)

// PatNode is a pattern.
type PatNode struct {
	Kind   PatKind
	Span   Span
	Text   string
	Type   TypeExpr
	off, n uint32
}

// TypeKind is the form of a type expression.
type TypeKind uint8

const (
	BadType   TypeKind = iota
	RType              // R            Text
	NatType            // Nat          Text
	ListType           // List T       A
	ProdType           // T * T        A, B
	ArrowType          // T -> T       A, B
	LinType            // R -o R, R -o R^s   A, B
	VecType            // T^s          A, Size
	NamedType          // t T …        Text=t, which starts it, Kids by [File.TypeKids]
	VarType            // 'a           Text
)

// TypeNode is a type expression.
type TypeNode struct {
	Kind   TypeKind
	Span   Span
	A, B   TypeExpr
	Size   Expr // a static expression
	Text   string
	off, n uint32
	Rows   bool // a vector whose component is a vector in the same parentheses: R^(m, n) is (R^n)^m
}

// DeclKind is the keyword of a declaration.
type DeclKind uint8

const (
	ParamDecl  DeclKind = iota // param n = e
	InputDecl                  // input x [: T] = e      Type may be 0
	DataDecl                   // data xs [: T] = e      Type may be 0
	DefDecl                    // def f p … [: T] = e    Params may be none; Type is the result's
	TypeDecl                   // type t 'a … = C of T | …   Vars, Cons
	SymbolDecl                 // symbol f x … = e with p, …   Params; Value is the tuple of e, p, …
)

// Decl is a declaration.
type Decl struct {
	Kind     DeclKind
	Span     Span
	Name     string
	NameSpan Span
	Params   []Pat
	Named    []Word // of an input: the names of its numbers, in quotes, or levels xs "column"
	Type     TypeExpr
	Value    Expr
	Rec      bool          // def rec; all of a group that and joins
	And      bool          // it starts with and: it is of the group of the declaration before it
	Vars     []Word        // the parameters of a type, with their '
	Cons     []Constructor // of a type
}

type Constructor struct {
	Name string
	Span Span     // of the name
	Type TypeExpr // of its argument, 0 if it has none
}

// File is a parsed program: its declarations, its body and the arenas in which
// their parts stand. In each arena children come before their parents.
type File struct {
	Name     string
	Src      []byte
	Decls    []Decl
	Body     Expr   // 0 only where the source has errors
	Comments []Span // each with its "--", without the line break
	// Imports are the imports of the program's own text. Where [Options.Open] follows them, Decls has the declarations
	// of the imported files too, and their texts stand in Src behind the program's own.
	Imports []Import

	exprs    []ExprNode
	pats     []PatNode
	types    []TypeNode
	exprKids []Expr
	patKids  []Pat
	typeKids []TypeExpr
	text     []byte // the program's own part of Src
	parts    []part
	lines    []uint32 // offsets of the starts of the lines of text
	broken   bool     // there were errors
	runes    []uint32 // how many runes start before each multiple of runeStride
}

// Expr returns the node of e.
func (f *File) Expr(e Expr) *ExprNode { return &f.exprs[e] }

// Pat returns the node of p.
func (f *File) Pat(p Pat) *PatNode { return &f.pats[p] }

// Type returns the node of t.
func (f *File) Type(t TypeExpr) *TypeNode { return &f.types[t] }

// Kids returns the subexpressions of e, in source order.
func (f *File) Kids(e Expr) []Expr {
	n := &f.exprs[e]
	return f.exprKids[n.off : n.off+n.n]
}

// Spine returns e and the first kids of one another as long as they are of one of the kinds, the outermost first, and
// what the innermost begins with.
func (f *File) Spine(e Expr, kinds ...ExprKind) (spine []Expr, head Expr) {
	return f.spine(e, func(n *ExprNode) bool { return slices.Contains(kinds, n.Kind) })
}

func (f *File) spine(e Expr, form func(n *ExprNode) bool) (spine []Expr, head Expr) {
	for ; form(&f.exprs[e]); e = f.Kids(e)[0] {
		spine = append(spine, e)
	}
	return spine, e
}

// Pats returns the patterns of a fun, lin or let expression.
func (f *File) Pats(e Expr) []Pat {
	n := &f.exprs[e]
	return f.patKids[n.poff : n.poff+n.pn]
}

// Bound returns what e binds in its kid number i: the patterns, and whether its index is one of the names. Where there
// are errors of syntax, patterns may be missing.
func (f *File) Bound(e Expr, i int) (pats []Pat, index bool) {
	pats = f.Pats(e)
	first := min(1, len(pats))
	switch f.Expr(e).Kind {
	case FunExpr, LinExpr:
		return pats, false
	case LetExpr, BindExpr:
		if i > 0 {
			return pats[:first], false
		}
		return pats[first:], false
	case RecExpr:
		binds, pats := f.Kids(e), []Pat(nil)
		for _, b := range binds[:len(binds)-1] {
			head := f.Pats(b)
			pats = append(pats, head[:min(1, len(head))]...)
		}
		return pats, false
	case MatchExpr:
		if i > 0 {
			return pats[i-1 : i], false
		}
	case CompExpr, ScanExpr:
		if i == len(f.Kids(e))-1 {
			return pats, true
		}
	}
	return nil, false
}

// PatKids returns the parts of a pattern.
func (f *File) PatKids(p Pat) []Pat {
	n := &f.pats[p]
	return f.patKids[n.off : n.off+n.n]
}

// TypeKids returns the arguments of a NamedType.
func (f *File) TypeKids(t TypeExpr) []TypeExpr {
	n := &f.types[t]
	return f.typeKids[n.off : n.off+n.n]
}

// Group returns the declarations that and joins to number i: those of numbers from, from + 1, … below to.
func (f *File) Group(i int) (from, to int) {
	for from = i; f.Decls[from].And; from-- {
	}
	for to = i + 1; to < len(f.Decls) && f.Decls[to].And; to++ {
	}
	return from, to
}

// Bare returns a pattern without the types around it.
func (f *File) Bare(p Pat) Pat {
	for f.Pat(p).Kind == AnnotPat {
		p = f.PatKids(p)[0]
	}
	return p
}

// NumExprs returns the number of expressions in the arena, for arrays indexed by Expr.
func (f *File) NumExprs() int { return len(f.exprs) }

// The arenas grow here; children come before their parents.

// operandForm says what an operand is where its form limits what may follow.
type operandForm uint8

const (
	plainForm operandForm = iota
	powForm               // e ^ s without parentheses
	sizeForm              // size x without parentheses
)

// operand is a parsed expression with its extent, parentheses included.
type operand struct {
	e    Expr
	span Span
	form operandForm
}

// store adds nodes to an arena of parts, and returns where they stand there.
func store[T any](g *Guard, arena *[]T, nodes []T) (off, n uint32) {
	off, n = uint32(len(*arena)), uint32(len(nodes))
	*arena = append(Room(g, *arena, len(nodes)), nodes...)
	return off, n
}

// add adds an expression without patterns whose kids are given.
func (p *parser) add(n ExprNode, kids ...Expr) Expr {
	p.guard.Step()
	n.off, n.n = store(p.guard, &p.f.exprKids, kids)
	p.f.exprs = append(Room(p.guard, p.f.exprs, 1), n)
	return Expr(len(p.f.exprs) - 1)
}

// made adds an expression and returns it as an operand.
func (p *parser) made(n ExprNode, kids ...Expr) operand {
	return operand{e: p.add(n, kids...), span: n.Span}
}

func (p *parser) bad(s Span) operand { return p.made(ExprNode{Kind: BadExpr, Span: s}) }

func (p *parser) join(op Token, at uint32, a, b operand) operand {
	return p.made(ExprNode{Kind: BinExpr, Op: op, OpPos: at, Span: Span{a.span.Start, b.span.End}}, a.e, b.e)
}

// addPats stores a list of patterns for an expression.
func (p *parser) addPats(pats []Pat) (off, n uint32) { return store(p.guard, &p.f.patKids, pats) }

func (p *parser) addPat(n PatNode, kids []Pat) Pat {
	p.guard.Step()
	n.off, n.n = store(p.guard, &p.f.patKids, kids)
	p.f.pats = append(Room(p.guard, p.f.pats, 1), n)
	return Pat(len(p.f.pats) - 1)
}

func (p *parser) addType(n TypeNode, kids ...TypeExpr) TypeExpr {
	p.guard.Step()
	n.off, n.n = store(p.guard, &p.f.typeKids, kids)
	p.f.types = append(Room(p.guard, p.f.types, 1), n)
	return TypeExpr(len(p.f.types) - 1)
}
