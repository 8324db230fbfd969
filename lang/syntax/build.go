package syntax

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

// add adds an expression without patterns whose kids are given.
func (p *parser) add(n ExprNode, kids ...Expr) Expr {
	p.guard.Step()
	f := p.f
	n.off, n.n = uint32(len(f.exprKids)), uint32(len(kids))
	f.exprKids = append(Room(p.guard, f.exprKids, len(kids)), kids...)
	f.exprs = append(Room(p.guard, f.exprs, 1), n)
	return Expr(len(f.exprs) - 1)
}

// bad adds a BadExpr.
func (p *parser) bad(s Span) operand {
	return operand{e: p.add(ExprNode{Kind: BadExpr, Span: s}), span: s}
}

// isBad reports whether o stands for something that has been reported.
func (p *parser) isBad(o operand) bool { return p.f.exprs[o.e].Kind == BadExpr }

// join adds a op b.
func (p *parser) join(op Token, at uint32, a, b operand) operand {
	span := Span{a.span.Start, b.span.End}
	return operand{e: p.add(ExprNode{Kind: BinExpr, Op: op, OpPos: at, Span: span}, a.e, b.e), span: span}
}

// addPats stores a list of patterns for an expression.
func (p *parser) addPats(pats []Pat) (off, n uint32) {
	f := p.f
	off, n = uint32(len(f.patKids)), uint32(len(pats))
	f.patKids = append(f.patKids, pats...)
	return off, n
}

func (p *parser) addPat(n PatNode, kids []Pat) Pat {
	p.guard.Step()
	f := p.f
	n.off, n.n = uint32(len(f.patKids)), uint32(len(kids))
	f.patKids = append(f.patKids, kids...)
	f.pats = append(Room(p.guard, f.pats, 1), n)
	return Pat(len(f.pats) - 1)
}

func (p *parser) addType(n TypeNode, kids ...TypeExpr) TypeExpr {
	p.guard.Step()
	n.off, n.n = uint32(len(p.f.typeKids)), uint32(len(kids))
	p.f.typeKids = append(p.f.typeKids, kids...)
	p.f.types = append(Room(p.guard, p.f.types, 1), n)
	return TypeExpr(len(p.f.types) - 1)
}
