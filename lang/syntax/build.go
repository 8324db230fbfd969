package syntax

import (
	"reflect"
	"slices"
)

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
	p.step()
	f := p.f
	n.off, n.n = uint32(len(f.exprKids)), uint32(len(kids))
	f.exprKids = append(room(&p.opt, f.exprKids), kids...)
	f.exprs = append(room(&p.opt, f.exprs), n)
	return Expr(len(f.exprs) - 1)
}

// addMany adds an expression whose kids are the operands.
func (p *parser) addMany(n ExprNode, kids []operand) Expr {
	p.step()
	f := p.f
	n.off, n.n = uint32(len(f.exprKids)), uint32(len(kids))
	for _, k := range kids {
		f.exprKids = append(room(&p.opt, f.exprKids), k.e)
	}
	f.exprs = append(room(&p.opt, f.exprs), n)
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
	p.step()
	f := p.f
	n.off, n.n = uint32(len(f.patKids)), uint32(len(kids))
	f.patKids = append(f.patKids, kids...)
	f.pats = append(room(&p.opt, f.pats), n)
	return Pat(len(f.pats) - 1)
}

func (p *parser) addType(n TypeNode) TypeExpr {
	p.step()
	p.f.types = append(room(&p.opt, p.f.types), n)
	return TypeExpr(len(p.f.types) - 1)
}

// reserveFrom is the size in bytes from which a slice is announced to [Options.Reserve].
const reserveFrom = 1 << 20

// aborted is the panic value of an error of [Options.Reserve].
type aborted struct{ err error }

// catch makes an [aborted] the error.
func catch(err *error) {
	switch fault := recover().(type) {
	case nil:
	case aborted:
		*err = fault.err
	default:
		panic(fault)
	}
}

// room doubles the capacity of a full slice, so that growing large arenas copies little.
// It panics with an [aborted] if the options don't allow that.
func room[T any](o *Options, s []T) []T {
	if len(s) < cap(s) {
		return s
	}
	if bytes := 2 * int64(len(s)) * int64(reflect.TypeFor[T]().Size()); bytes >= reserveFrom && o.Reserve != nil {
		if err := o.Reserve(bytes); err != nil {
			panic(aborted{err})
		}
	}
	return slices.Grow(s, len(s)+1)
}
