package load

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/gram-machine/gram/lang/syntax"
)

// MaxNat is the largest static natural: all up to it are exact as reals.
const MaxNat = 1 << 53

// maxNest bounds the nesting of expressions and types.
const maxNest = 10_000

// maxWidth bounds the scalars of one type; where an int has 32 bits, to 1 GiB of them.
const maxWidth = min(1<<32, math.MaxInt/16+1)

// tooWide is said of a type of more scalars. The bound is a power of two.
var tooWide = fmt.Sprintf("this has more than 2^%d numbers", bits.TrailingZeros64(maxWidth))

// NameKind says what a name stands for.
type NameKind uint8

// The kinds of names.
const (
	UnknownName NameKind = iota
	ParamName            // Nat is its number
	IndexName            // of a comprehension; Nat is its present number
	InputName
	DataName   // if List, Nat is its number of elements
	DefName    // of the file
	LocalName  // bound by fun, lin or let
	SymbolName // a function symbol or a name of the prelude
	BadName    // an error about its declaration has been reported
)

// Name is what a name means at a place.
type Name struct {
	Kind NameKind
	Nat  uint64
	List bool // DataName: it is a list
	Decl int  // the declaration of a declared name: an index into File.Decls

	slot int  // IndexName in compiled code: its place in the frame
	late bool // IndexName in compiled code: Nat is not known yet
}

// Static evaluates static expressions. The elaborator makes one with a Lookup
// that tries its own scopes first and then [Program.Lookup].
type Static struct {
	File   *syntax.File
	Lookup func(name string) Name
	// Names, if not nil, lists the names in scope, for suggestions.
	Names func() []string
}

// Nat returns the number of the static expression e. An error is an *[Error].
func (s *Static) Nat(e syntax.Expr) (uint64, error) {
	n, p := s.compile(e, 0)
	if p != nil {
		return 0, p.asError()
	}
	return n.c, nil
}

// Size returns the number of the static expression e as the size of a vector:
// at least 1. An error is an *[Error].
func (s *Static) Size(e syntax.Expr) (int, error) {
	n, err := s.Nat(e)
	if err != nil {
		return 0, err
	}
	if label := badSize(n); label != "" {
		return 0, s.problem(e, "not a size", label).asError()
	}
	return int(n), nil
}

func badSize(n uint64) string {
	switch {
	case n == 0:
		return "this is 0, but a vector has at least one component"
	case n > maxWidth:
		return fmt.Sprintf("a vector of %d components is too large", n)
	}
	return ""
}

// nat is a compiled static expression: the constant c, or f on a frame.
type nat struct {
	c uint64
	f func(fr []value) uint64
}

func (n nat) at(fr []value) uint64 {
	if n.f == nil {
		return n.c
	}
	return n.f(fr)
}

func (s *Static) problem(e syntax.Expr, headline, label string) *Problem {
	return &Problem{File: s.File, Diagnostic: syntax.Diagnostic{
		Span: s.File.Expr(e).Span, Headline: headline, Label: label,
	}}
}

const notStatic = "not a static number"

// compile turns e into a nat. It is a constant unless Lookup finds an index
// whose number is not known yet.
func (s *Static) compile(e syntax.Expr, nest int) (nat, *Problem) {
	if nest > maxNest {
		return nat{}, s.problem(e, "too deep", fmt.Sprintf("more than %d expressions in one another", maxNest))
	}
	n := s.File.Expr(e)
	switch n.Kind {
	case syntax.NumExpr:
		if n.Num != math.Trunc(n.Num) || n.Num < 0 || n.Num > MaxNat {
			return nat{}, s.problem(e, "not a natural number", literalLabel(n))
		}
		return nat{c: uint64(n.Num)}, nil
	case syntax.NameExpr:
		return s.name(e, n.Text)
	case syntax.SizeExpr:
		size, p := s.size(e)
		return nat{c: size}, p
	case syntax.BinExpr:
		if n.Op == syntax.SlashTok {
			return nat{}, s.problem(e, notStatic, "sizes and indices have only + - *, no division")
		}
		return s.binary(e, n, nest)
	case syntax.AnnotExpr:
		return nat{}, s.problem(e, notStatic, "sizes and indices take no annotation")
	case syntax.NegExpr:
		return nat{}, s.problem(e, "not a natural number", "sizes and indices are natural numbers: nothing is negative")
	case syntax.PowExpr:
		return nat{}, s.problem(e, notStatic, "sizes and indices have only + - *, no ^")
	case syntax.BadExpr:
		return nat{}, &Problem{}
	}
	return nat{}, s.problem(e, notStatic,
		"a size or an index is made of numerals, params, indices, size x, + - * and parentheses")
}

func literalLabel(n *syntax.ExprNode) string {
	text := n.Text
	if text == "" {
		text = formatNumber(n.Num)
	}
	if n.Num == math.Trunc(n.Num) && n.Num > MaxNat {
		return text + " is larger than 2^53"
	}
	return "a size or an index is a natural number, " + text + " is not"
}

func (s *Static) binary(e syntax.Expr, n *syntax.ExprNode, nest int) (nat, *Problem) {
	kids := s.File.Kids(e)
	a, p := s.compile(kids[0], nest+1)
	if p != nil {
		return nat{}, p
	}
	b, p := s.compile(kids[1], nest+1)
	if p != nil {
		return nat{}, p
	}
	op := n.Op
	if a.f == nil && b.f == nil {
		c, label := natOp(op, a.c, b.c)
		if label != "" {
			return nat{}, s.problem(e, "not a natural number", label)
		}
		return nat{c: c}, nil
	}
	at := place{s.File, n.Span}
	return nat{f: func(fr []value) uint64 {
		c, label := natOp(op, a.at(fr), b.at(fr))
		if label != "" {
			fail(at, "not a natural number", label)
		}
		return c
	}}, nil
}

// natOp computes a op b, or says why it has no result.
func natOp(op syntax.Token, a, b uint64) (c uint64, label string) {
	switch op {
	case syntax.PlusTok:
		if c = a + b; c <= MaxNat {
			return c, ""
		}
		return 0, fmt.Sprintf("%d + %d is larger than 2^53", a, b)
	case syntax.MinusTok:
		if a >= b {
			return a - b, ""
		}
		return 0, fmt.Sprintf("%d - %d is negative", a, b)
	default:
		if a == 0 || b <= MaxNat/a {
			return a * b, ""
		}
		return 0, fmt.Sprintf("%d * %d is larger than 2^53", a, b)
	}
}

func (s *Static) name(e syntax.Expr, text string) (nat, *Problem) {
	x := s.Lookup(text)
	why := ""
	var notes []syntax.Note
	switch x.Kind {
	case ParamName:
		return nat{c: x.Nat}, nil
	case IndexName:
		if x.late {
			slot := x.slot
			return nat{f: func(fr []value) uint64 { return uint64(fr[slot].num) }}, nil
		}
		return nat{c: x.Nat}, nil
	case BadName:
		return nat{}, &Problem{}
	case UnknownName:
		return nat{}, s.unknown(e, text)
	case DataName:
		why = text + " is data, known to the program as a real"
		if x.List {
			why = text + " is a list"
			notes = []syntax.Note{{Text: "its number of elements is: size " + text}}
		}
	case InputName:
		why = text + " is an input"
	case DefName:
		why = text + " is a def"
		notes = []syntax.Note{{Text: "a static number is declared with param: param " + text + " = …"}}
	case LocalName:
		why = text + " is a variable of fun or let"
	case SymbolName:
		why = text + " is a function"
	}
	p := s.problem(e, notStatic, why+"; a size or an index is made of params and the indices of vec, sum and list")
	p.Notes = notes
	return nat{}, p
}

func (s *Static) unknown(e syntax.Expr, text string) *Problem {
	p := s.problem(e, "unknown name", text+" is not declared")
	if s.Names != nil {
		if near := Closest(text, s.Names()); near != "" {
			p.Notes = []syntax.Note{{Text: "did you mean " + near + "?"}}
		}
	}
	return p
}

// size evaluates size x.
func (s *Static) size(e syntax.Expr) (uint64, *Problem) {
	n := s.File.Expr(e)
	x := s.Lookup(n.Text)
	if x.Kind == DataName && x.List {
		return x.Nat, nil
	}
	var p *Problem
	switch x.Kind {
	case BadName:
		return 0, &Problem{}
	case UnknownName:
		p = s.unknown(e, n.Text)
	case DataName:
		p = s.problem(e, "no size", "size takes a data list, "+n.Text+" is no list")
	default:
		p = s.problem(e, "no size", "size takes a data list, "+n.Text+" is "+x.Kind.phrase())
	}
	if n.TextSpan.End > 0 {
		p.Span = n.TextSpan
	}
	return 0, p
}

// phrase describes the kind in a sentence.
func (k NameKind) phrase() string {
	return [...]string{
		"unknown", "a param", "an index", "an input", "data", "a def", "a variable", "a function", "wrong",
	}[k]
}
