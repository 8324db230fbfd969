package syntax

import (
	"cmp"
	"slices"
)

// level is how tightly an expression holds together.
func (fm *formatter) level(e Expr) uint8 {
	n := fm.f.Expr(e)
	if n.Kind.OpenEnded() || n.Kind == FileExpr {
		return PrecPrefix
	}
	switch n.Kind {
	case BinExpr:
		return n.Op.Precedence()
	case NegExpr:
		return PrecNeg
	case PowExpr, SizeExpr:
		return PrecPow
	case AppExpr:
		if n.Op != DotParenTok {
			return PrecApp
		}
	}
	return PrecAtom
}

// node writes an expression in a place that takes those of level prec or more.
func (fm *formatter) node(e Expr, prec uint8) {
	fm.steps++
	fm.doc.guard.Step()
	if fm.level(e) < prec {
		fm.doc.text("(")
		fm.form(e)
		fm.doc.text(")")
		return
	}
	fm.form(e)
}

// form writes an expression without parentheses around it.
func (fm *formatter) form(e Expr) {
	n, kids := fm.f.Expr(e), fm.f.Kids(e)
	switch n.Kind {
	case NameExpr, NumExpr:
		fm.leaf(n.Span.Start, n.Text)
	case OpExpr:
		fm.leaf(n.Span.Start, opNames[n.Op])
	case ChurchExpr:
		fm.leaf(n.Span.Start, "#")
		fm.node(kids[0], PrecAtom)
	case BinExpr: // and operators of the same precedence to its left
		prec := n.Op.Precedence()
		fm.spine(e, prec, func(n *ExprNode) bool { return n.Kind == BinExpr && n.Op.Precedence() == prec }, fm.operator)
	case NegExpr:
		fm.leaf(n.Span.Start, "-")
		if fm.f.Expr(kids[0]).Kind == NegExpr {
			fm.doc.text(" ")
		}
		fm.node(kids[0], PrecNeg)
	case PowExpr:
		fm.node(kids[0], PrecApp)
		fm.leaf(n.OpPos, "^")
		fm.node(kids[1], PrecAtom)
	case AppExpr:
		fm.apply(e)
	case ProjExpr:
		fm.projections(e)
	case FunExpr, LinExpr, CompExpr, ScanExpr:
		fm.binders(e)
	case LetExpr, RecExpr:
		fm.lets(e)
	case MatchExpr:
		fm.match(e)
	case IfExpr:
		fm.ifs(e)
	case AnnotExpr:
		fm.leaf(n.Span.Start, "(")
		fm.doc.begin(1)
		fm.node(kids[0], 0)
		fm.doc.text(" :")
		fm.doc.brk(fillBreak, 1, 0)
		fm.typeNode(n.Type, 0)
		fm.doc.end()
		fm.leaf(n.Span.End-1, ")")
	case TupleExpr:
		fm.elements(e, "(", ",", ")", 0)
	case ListExpr:
		fm.elements(e, "[", ";", "]", 0)
	case VectorExpr:
		fm.elements(e, "[|", ",", "|]", 1)
	case SizeExpr:
		fm.leaf(n.Span.Start, "size ")
		fm.leaf(n.TextSpan.Start, n.Text)
	case FileExpr:
		fm.leaf(n.Span.Start, n.Text)
		fm.words(n.Words)
	}
}

var opNames = map[Token]string{PlusTok: "(+)", MinusTok: "(-)", StarTok: "( * )",
	SlashTok: "(/)"}

// sizeAtoms writes the sizes of vectors that stand in the same parentheses.
func (fm *formatter) sizeAtoms(vecs []*TypeNode) {
	if len(vecs) == 1 {
		fm.node(vecs[0].Size, PrecAtom)
		return
	}
	for i, v := range vecs {
		fm.doc.text([]string{"(", ", "}[min(i, 1)])
		fm.node(v.Size, 0)
	}
	fm.doc.text(")")
}

// operator writes the operator of a chain; a product that the author wrote without spaces, as in 16*i, has none.
func (fm *formatter) operator(e Expr) {
	f := fm.f
	n := f.Expr(e)
	right := fm.firstToken(f.Kids(e)[1])
	if n.Op.Precedence() == PrecMul && !fm.newlineBetween(n.OpPos, right) && !fm.commentBefore(n.OpPos) &&
		!isSpace(f.Src[n.OpPos-1]) && !isSpace(f.Src[n.OpPos+1]) {
		fm.doc.text(n.Op.String())
		return
	}
	fm.doc.brk(fillBreak, 1, 0)
	fm.leaf(n.OpPos, n.Op.String()+" ")
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// spine writes what nests to the left, all of the form and of level prec, from left to right. between writes what
// stands before the right side of each.
func (fm *formatter) spine(e Expr, prec uint8, form func(n *ExprNode) bool, between func(e Expr)) {
	spine, e := fm.f.spine(e, form)
	fm.doc.begin(2)
	fm.node(e, prec)
	for _, op := range slices.Backward(spine) {
		between(op)
		fm.node(fm.f.Kids(op)[1], prec+1)
	}
	fm.doc.end()
}

// projections writes components of components, from the inside out.
func (fm *formatter) projections(e Expr) {
	f := fm.f
	spine, e := f.Spine(e, ProjExpr)
	fm.node(e, PrecAtom)
	for i, p := range slices.Backward(spine) {
		open := ".("
		if f.Expr(p).Op == CommaTok {
			open = ", "
		}
		fm.leaf(f.Expr(p).OpPos, open)
		fm.node(f.Kids(p)[1], 0)
		if i == 0 || f.Expr(spine[i-1]).Op != CommaTok {
			fm.leaf(f.Expr(p).Span.End-1, ")")
		}
	}
}

// apply writes f a b …, or v.(a..b).
func (fm *formatter) apply(e Expr) {
	f, n := fm.f, fm.f.Expr(e)
	if n.Op != DotParenTok {
		fm.spine(e, PrecApp, func(n *ExprNode) bool { return n.Kind == AppExpr && n.Op != DotParenTok },
			func(Expr) { fm.doc.brk(fillBreak, 1, 0) })
		return
	}
	from := f.Kids(f.Kids(e)[0])
	fm.node(f.Kids(from[0])[1], PrecAtom)
	fm.leaf(n.OpPos, ".(")
	fm.node(from[1], 0)
	fm.doc.text("..")
	fm.node(f.Kids(e)[1], 0)
	fm.leaf(n.Span.End-1, ")")
}

// binders writes the heads of fun, lin, vec, sum and list that follow one another, and the body of the last.
func (fm *formatter) binders(e Expr) {
	f := fm.f
	fm.doc.begin(0)
	arrow := uint32(0)
	for {
		if _, ok := binderWords[f.Expr(e).Kind]; !ok {
			break
		}
		if arrow > 0 {
			fm.doc.brk(fillBreak, 1, 0)
		}
		arrow = f.Expr(e).OpPos
		fm.binder(e)
		kids := f.Kids(e)
		e = kids[len(kids)-1]
	}
	fm.doc.end()
	fm.broken(2, fm.lineBreak(arrow, e), e)
}

// broken writes an expression after a line break, or a space where it fits.
func (fm *formatter) broken(indent int8, k breakKind, e Expr) {
	fm.doc.begin(indent)
	fm.doc.brk(k, 1, 0)
	fm.node(e, 0)
	fm.doc.end()
}

// lineBreak is the break before e: the one that the author has put there, after from.
func (fm *formatter) lineBreak(from uint32, e Expr) breakKind {
	return min(fm.breakFor(from, fm.firstToken(e)), hardBreak)
}

// binderWords are the words of forms that bind; of vec, sum and list, which have Op, it is empty.
var binderWords = map[ExprKind]string{FunExpr: "fun", LinExpr: "lin", CompExpr: "", ScanExpr: "scan"}

// binder writes fun p … ->, lin a ->, vec i < s -> or scan i < s with p = e ->.
func (fm *formatter) binder(e Expr) {
	n, kids, pats := fm.f.Expr(e), fm.f.Kids(e), fm.f.Pats(e)
	fm.doc.begin(0)
	fm.leaf(n.Span.Start, cmp.Or(binderWords[n.Kind], n.Op.String()))
	if n.Kind == CompExpr || n.Kind == ScanExpr {
		fm.leaf(n.TextSpan.Start, " "+n.Text+" < ")
		fm.node(kids[0], 0)
	}
	if n.Kind == ScanExpr {
		fm.doc.brk(fillBreak, 1, 2)
		fm.doc.text("with ")
		fm.patNode(pats[0], false)
		fm.doc.text(" =")
		fm.doc.brk(fillBreak, 1, 2)
		fm.node(kids[1], 0)
		pats = nil
	}
	fm.params(pats, false)
	fm.doc.end()
	fm.doc.text(" ->")
}

// lets writes a let and those that follow in its body, one a line unless all fit on one.
func (fm *formatter) lets(e Expr) {
	f := fm.f
	fm.doc.begin(0)
	for f.Expr(e).Kind == LetExpr || f.Expr(e).Kind == RecExpr {
		n, kids := f.Expr(e), f.Kids(e)
		last := len(kids) - 1
		if n.Kind == LetExpr {
			fm.binding("let", n.Span.Start, e)
		} else {
			fm.binding("let rec", n.Span.Start, kids[0])
			for _, b := range kids[1:last] {
				fm.doc.brk(groupBreak, 1, 0)
				fm.binding("and", f.Expr(b).Span.Start, b)
			}
		}
		fm.doc.text(" in")
		fm.doc.brk(fm.breakFor(f.Expr(kids[last-1]).Span.End, fm.firstToken(kids[last])), 1, 0)
		e = kids[last]
	}
	fm.node(e, 0)
	fm.doc.end()
}

// binding writes a keyword and p … = e.
func (fm *formatter) binding(keyword string, start uint32, e Expr) {
	fm.doc.begin(0)
	fm.leaf(start, keyword)
	value := fm.letHead(e)
	fm.doc.end()
	fm.doc.text(" =")
	fm.broken(2, fm.lineBreak(fm.f.Expr(e).OpPos, value), value)
}

// match writes match e with and the cases: all on one line, or one a line.
func (fm *formatter) match(e Expr) {
	f := fm.f
	n, kids, pats := f.Expr(e), f.Kids(e), f.Pats(e)
	fm.doc.begin(0)
	fm.leaf(n.Span.Start, "match ")
	fm.node(kids[0], PrecAdd)
	fm.doc.text(" with")
	between := fm.breakFor(n.OpPos, f.Pat(pats[0]).Span.Start)
	for i, p := range pats {
		fm.doc.brk(min(between, hardBreak), 1, 0)
		fm.leaf(f.Pat(p).Span.Start, "| ")
		fm.patNode(p, true)
		fm.doc.text(" ->")
		value := kids[i+1]
		k := fm.lineBreak(f.Pat(p).Span.End, value)
		if i < len(pats)-1 && fm.endsInMatch(value) {
			fm.doc.text(" (")
			fm.doc.begin(2)
			fm.form(value)
			fm.doc.end()
			fm.doc.text(")")
			continue
		}
		fm.broken(2, k, value)
	}
	fm.doc.end()
}

// endsInMatch reports whether the cases of a match stand at the end of e: a case behind it would be taken for one of
// them.
func (fm *formatter) endsInMatch(e Expr) bool {
	for fm.level(e) == PrecPrefix && len(fm.f.Kids(e)) > 0 {
		if fm.f.Expr(e).Kind == MatchExpr {
			return true
		}
		kids := fm.f.Kids(e)
		e = kids[len(kids)-1]
	}
	return false
}

// letHead writes the patterns of a let, and the type of a function's result, which
// the tree has as an annotation of the value. It returns the value that is left.
func (fm *formatter) letHead(e Expr) Expr {
	f := fm.f
	pats, value := f.Pats(e), f.Kids(e)[0]
	if len(pats) == 1 && f.Pat(pats[0]).Kind == AnnotPat {
		fm.doc.text(" ")
		fm.annotPat(pats[0])
		return value
	}
	fm.params(pats, len(pats) == 1)
	if n := f.Expr(value); len(pats) > 1 && n.Kind == AnnotExpr {
		fm.annotation(n.Type)
		return f.Kids(value)[0]
	}
	return value
}

// ifs writes an if and those that follow in its else.
func (fm *formatter) ifs(e Expr) {
	f := fm.f
	fm.doc.begin(0)
	for {
		n, kids := f.Expr(e), f.Kids(e)
		fm.leaf(n.Span.Start, "if ")
		fm.doc.begin(4)
		fm.condition(kids[0], 0)
		fm.doc.end()
		fm.doc.text(" then")
		fm.broken(2, groupBreak, kids[1])
		fm.doc.brk(fm.lineBreak(f.Expr(kids[1]).Span.End, kids[2]), 1, 0)
		fm.doc.text("else")
		e = kids[2]
		if f.Expr(e).Kind != IfExpr {
			break
		}
		fm.doc.text(" ")
	}
	fm.broken(2, groupBreak, e)
	fm.doc.end()
}

// elements writes a tuple, a list or a vector; flat is the space inside the brackets.
func (fm *formatter) elements(e Expr, open, sep, closing string, flat uint8) {
	f := fm.f
	n, kids := f.Expr(e), f.Kids(e)
	fm.leaf(n.Span.Start, open)
	if len(kids) == 0 {
		fm.leaf(n.Span.End-uint32(len(closing)), closing)
		return
	}
	between, edge := groupBreak, groupBreak
	if fm.allLeaves(kids) {
		between = fillBreak
	} else if k := fm.breakFor(n.Span.Start, fm.firstToken(kids[0])); k != groupBreak {
		edge = hardBreak
	}
	fm.doc.begin(2)
	fm.doc.brk(edge, flat, 0)
	for i, k := range kids {
		if i > 0 {
			fm.doc.text(sep)
			fm.doc.brk(between, 1, 0)
		}
		fm.node(k, 0)
	}
	fm.doc.brk(groupBreak, flat, -2)
	fm.doc.end()
	fm.leaf(n.Span.End-uint32(len(closing)), closing)
}

// allLeaves reports whether all are names or numbers, with or without a sign.
func (fm *formatter) allLeaves(list []Expr) bool {
	return !slices.ContainsFunc(list, func(e Expr) bool {
		if fm.f.Expr(e).Kind == NegExpr {
			e = fm.f.Kids(e)[0]
		}
		k := fm.f.Expr(e).Kind
		return k != NameExpr && k != NumExpr
	})
}

// condition writes a condition in a place that takes those of level prec or more: or, and, or a single one.
func (fm *formatter) condition(e Expr, prec uint8) {
	n, kids := fm.f.Expr(e), fm.f.Kids(e)
	level := map[string]uint8{"or": 0, "and": 1}
	at, ok := level[n.Text]
	parens := n.Kind == LogicExpr && ok && at < prec
	if parens {
		fm.doc.text("(")
	}
	switch {
	case n.Kind == CompareExpr:
		fm.node(kids[0], PrecAdd)
		fm.doc.brk(fillBreak, 1, 0)
		fm.leaf(n.OpPos, n.Op.String()+" ")
		fm.node(kids[1], PrecAdd)
	case len(kids) == 1:
		fm.leaf(n.TextSpan.Start, "not ")
		fm.condition(kids[0], 2)
	default:
		fm.condition(kids[0], at)
		fm.doc.brk(fillBreak, 1, 0)
		fm.leaf(n.TextSpan.Start, n.Text+" ")
		fm.condition(kids[1], at+1)
	}
	if parens {
		fm.doc.text(")")
	}
}
