package syntax

import (
	"bytes"
	"slices"
	"strings"
)

// typeOperand is a parsed type with its extent, parentheses included.
type typeOperand struct {
	t    TypeExpr
	span Span
}

// madeType adds a type and returns it as an operand.
func (p *parser) madeType(n TypeNode, kids ...TypeExpr) typeOperand {
	return typeOperand{p.addType(n, kids...), n.Span}
}

// typ parses a type. After an error the result is bad and the current token is
// where it was found, with the parentheses around that left open.
func (p *parser) typ() typeOperand {
	t, ok := p.typeOperators(1)
	if !ok {
		return p.madeType(TypeNode{Kind: BadType, Span: p.span()})
	}
	return t
}

type typeForm struct {
	op   Token // EOF if it has none
	prec uint8
}

// typeForms has the operator of each form of types and its precedence.
var typeForms = [...]typeForm{
	ArrowType: {ArrowTok, 1}, LinType: {LolliTok, 1}, ProdType: {StarTok, 2},
	ListType: {EOF, 3}, NamedType: {EOF, 3}, VecType: {EOF, 4}, RType: {EOF, 5}, NatType: {EOF, 5}, VarType: {EOF, 5},
}

// Form returns the operator of a form of types, EOF if it has none, and its precedence.
func (k TypeKind) Form() (op Token, prec uint8) { return typeForms[k].op, typeForms[k].prec }

// typeOperators parses operators that bind at least as tightly as prec. They associate to the right.
func (p *parser) typeOperators(prec uint8) (typeOperand, bool) {
	defer p.leave()
	if !p.enter() {
		return typeOperand{}, false
	}
	left, ok := p.typeOperand(false)
	p.s.lolli(&p.tok)
	for ok {
		k := TypeKind(max(0, slices.IndexFunc(typeForms[:], func(f typeForm) bool { return f.op == p.tok.kind })))
		if typeForms[k].prec < prec {
			break
		}
		p.next()
		var right typeOperand
		if right, ok = p.typeOperators(typeForms[k].prec); !ok {
			break
		}
		if k == LinType {
			p.checkLolli(left, right)
		}
		left = p.madeType(TypeNode{Kind: k, Span: Span{left.span.Start, right.span.End}, A: left.t, B: right.t})
	}
	return left, ok
}

// typeOperand parses a name, List T or a parenthesis, and the sizes of vectors after it. A name that is an argument has
// none.
func (p *parser) typeOperand(argument bool) (cur typeOperand, ok bool) {
	switch k := p.tok.kind; {
	case k == LParenTok:
		cur, ok = p.typeParen()
	case k == TypeVarTok:
		cur, ok = p.typeName(VarType), true
	case k != IdentTok:
		p.expected("a type", typeHints[k])
	case p.text() == "List":
		return p.listType()
	case p.text() == "R":
		cur, ok = p.typeName(RType), true
	case p.text() == "Nat":
		cur, ok = p.typeName(NatType), true
	case argument:
		cur, ok = p.typeName(NamedType), true
	default:
		cur, ok = p.named()
	}
	for ok && p.at(CaretTok) {
		cur = p.vecType(cur)
	}
	return cur, ok
}

func (p *parser) listType() (typeOperand, bool) {
	defer p.leave()
	if !p.enter() {
		return typeOperand{}, false
	}
	start := p.tok.start
	p.next()
	elem, ok := p.typeOperand(false)
	if !ok {
		return elem, false
	}
	return p.madeType(TypeNode{Kind: ListType, Span: Span{start, elem.span.End}, A: elem.t}), true
}

// typeParen parses a type in parentheses. One that fails is left open.
func (p *parser) typeParen() (typeOperand, bool) {
	start := p.tok.start
	p.next()
	t, ok := p.typeOperators(1)
	if ok && !p.at(RParenTok) {
		p.expected("`)`", typeHints[p.tok.kind], p.opener(LParenTok, start))
		ok = false
	}
	if !ok {
		p.open++
		return t, false
	}
	t.span = Span{start, p.tok.end}
	p.next()
	return t, true
}

func (p *parser) typeName(k TypeKind) typeOperand {
	n := TypeNode{Kind: k, Span: p.span(), Text: p.text()}
	p.next()
	return p.madeType(n)
}

// named parses the name of a declared type with its arguments, which are atoms with sizes.
func (p *parser) named() (typeOperand, bool) {
	n := TypeNode{Kind: NamedType, Span: p.span(), Text: p.text()}
	p.next()
	defer p.leave()
	if !p.enter() {
		return typeOperand{}, false
	}
	var args []TypeExpr
	for p.at(LParenTok) || p.at(TypeVarTok) || p.at(IdentTok) && p.text() != "of" {
		arg, ok := p.typeOperand(true)
		if !ok {
			return arg, false
		}
		args, n.Span.End = append(args, arg.t), arg.span.End
	}
	return p.madeType(n, args...), true
}

// unknownTypes reports the names of types that the file does not declare.
func (p *parser) unknownTypes() {
	declared := map[string]bool{}
	for i := range p.f.Decls {
		declared[p.f.Decls[i].Name] = p.f.Decls[i].Kind == TypeDecl || declared[p.f.Decls[i].Name]
	}
	for i := range p.f.types {
		if n := &p.f.types[i]; n.Kind == NamedType && !declared[n.Text] && !p.stopped() {
			n.Kind = BadType
			span := Span{n.Span.Start, n.Span.Start + uint32(len(n.Text))}
			d := Diagnostic{Span: span, Headline: "unknown type `" + clip(n.Text) + "`", Label: typeHintFor(n.Text)}
			line := p.s.src[bytes.LastIndexByte(p.s.src[:span.Start], '\n')+1 : span.Start]
			if bytes.Contains(line, []byte("lambda ")) {
				d.Notes = []Note{{Text: Elsewhere["lambda"]}}
			}
			p.s.diags = append(p.s.diags, d)
		}
	}
}

// typeHintFor says what may be meant by a name that is no type.
func typeHintFor(name string) string {
	switch strings.ToLower(name) {
	case "r", "real", "float", "float64", "double", "num", "number", "scalar":
		return "the type of numbers is R"
	case "int", "nat", "natural":
		return "the type of natural numbers `#s` is Nat; other numbers are R"
	case "list":
		return "lists are written List T"
	case "vec", "vector", "matrix", "array":
		return "vectors are written T^s, as in R^3 or R^n^m"
	}
	return "the types are R, Nat, List T, T * T, T -> T, R -o R and T^s, and those that `type` declares"
}

// typeHints explain tokens that do not belong to a type.
var typeHints = map[Token]string{
	ListTok:     "the type of lists is List, with a capital letter",
	VecTok:      "vectors are written T^s, as in R^3",
	CommaTok:    "a product of types is written T * T, and a pair with a type for each part ((a : T), (b : T))",
	fatArrowTok: "a type of functions is written T -> T",
}

// vecType parses ^s or ^(r, s) after a type.
func (p *parser) vecType(cur typeOperand) typeOperand {
	p.next()
	if !p.at(LParenTok) {
		s := p.size(PrecAtom)
		return p.madeType(TypeNode{Kind: VecType, Span: Span{cur.span.Start, s.span.End}, A: cur.t, Size: s.e})
	}
	list, at, ok := p.sizeList(MaxNest)
	if !ok {
		list, at = []operand{p.bad(p.span())}, p.span()
	}
	p.closeOpen()
	cur.span.End = at.End
	for i := len(list) - 1; i >= 0; i-- {
		cur.t = p.addType(TypeNode{Kind: VecType, Span: cur.span, A: cur.t, Size: list[i].e, Rows: i < len(list)-1})
	}
	return cur
}

// checkLolli reports sides of -o that are not R, and R or R^s.
func (p *parser) checkLolli(a, b typeOperand) {
	f := p.f
	d := Diagnostic{Headline: "`-o` is between R and R, or R and R^s"}
	if k := f.types[a.t].Kind; k != RType && k != BadType {
		d.Span, d.Label = a.span, "this must be R"
		p.report(d)
		return
	}
	n := f.types[b.t]
	if n.Kind == VecType {
		n = f.types[n.A]
	}
	if n.Kind != RType && n.Kind != BadType {
		d.Span, d.Label = b.span, "this must be R or R^s"
		p.report(d)
	}
}
