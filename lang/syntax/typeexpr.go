package syntax

import "strings"

// typeOperand is a parsed type with its extent, parentheses included.
type typeOperand struct {
	t    TypeExpr
	span Span
}

// typeFrame is an open part of a type: a parenthesis, List, or an operator that
// waits for its right side.
type typeFrame struct {
	op   Token // LParenTok, ListTok, StarTok, ArrowTok, LolliTok
	at   uint32
	left typeOperand
}

// typePrec is the precedence of an open part.
func typePrec(t Token) uint8 {
	switch t {
	case ListTok:
		return 3
	case StarTok:
		return 2
	case ArrowTok, LolliTok:
		return 1
	}
	return 0
}

// typ parses a type. After an error the result is bad and the current token is
// where it was found.
func (p *parser) typ() typeOperand {
	depth := 0
	for {
		cur, opened := p.typeOperand()
		if opened {
			if p.types[len(p.types)-1].op == LParenTok {
				depth++
			}
			continue
		}
		if cur.t == 0 {
			return p.typeFail(depth)
		}
		for p.at(CaretTok) || depth > 0 && p.at(RParenTok) {
			if p.at(CaretTok) {
				cur = p.vecType(cur)
				continue
			}
			cur = p.reduceType(cur, 1)
			open := p.types[len(p.types)-1]
			p.types = p.types[:len(p.types)-1]
			cur.span = Span{open.at, p.tok.end}
			depth--
			p.next()
		}
		p.s.lolli(&p.tok)
		prec := typePrec(p.tok.kind)
		if prec == 0 || p.at(ListTok) {
			if depth > 0 {
				p.expected("`)`", p.typeHint(), p.opener(LParenTok, p.lastTypeParen()))
				return p.typeFail(depth)
			}
			return p.reduceType(cur, 1)
		}
		cur = p.reduceType(cur, prec+1) // to the right
		p.types = append(p.types, typeFrame{op: p.tok.kind, at: p.tok.start, left: cur})
		p.next()
	}
}

// typeOperand parses a type's name, or opens a parenthesis or a List.
func (p *parser) typeOperand() (cur typeOperand, opened bool) {
	switch p.tok.kind {
	case LParenTok:
		p.types = append(p.types, typeFrame{op: LParenTok, at: p.tok.start})
		p.next()
		return cur, true
	case IdentTok:
		switch n := (TypeNode{Span: p.span()}); p.text() {
		case "List":
			p.types = append(p.types, typeFrame{op: ListTok, at: p.tok.start})
			p.next()
			return cur, true
		case "R":
			n.Kind = RType
			return p.typeName(n), false
		case "Nat":
			n.Kind = NatType
			return p.typeName(n), false
		}
		p.unknownType()
		return p.typeName(TypeNode{Kind: BadType, Span: p.span()}), false
	}
	p.expected("a type", p.typeHint())
	return cur, false
}

func (p *parser) typeName(n TypeNode) typeOperand {
	p.next()
	return typeOperand{p.addType(n), n.Span}
}

// unknownType reports a name that is no type.
func (p *parser) unknownType() {
	name := p.text()
	hint := "the types are R, Nat, List T, T * T, T -> T, R -o R and T^s"
	switch strings.ToLower(name) {
	case "r", "real", "float", "float64", "double", "num", "number", "scalar":
		hint = "the type of numbers is R"
	case "int", "nat", "natural":
		hint = "the type of natural numbers `#s` is Nat; other numbers are R"
	case "list":
		hint = "lists are written List T"
	case "vec", "vector", "matrix", "array":
		hint = "vectors are written T^s, as in R^3 or R^n^m"
	}
	p.report(Diagnostic{Span: p.span(), Headline: "unknown type `" + clip(name) + "`", Label: hint})
}

// typeHint explains a token that does not belong to a type.
func (p *parser) typeHint() string {
	switch p.tok.kind {
	case ListTok:
		return "the type of lists is List, with a capital letter"
	case VecTok:
		return "vectors are written T^s, as in R^3"
	case CommaTok:
		return "a product of types is written T * T"
	case fatArrowTok:
		return "a type of functions is written T -> T"
	}
	return ""
}

// vecType parses ^s after a type.
func (p *parser) vecType(cur typeOperand) typeOperand {
	p.next()
	s := p.size(true)
	p.closeOpen()
	span := Span{cur.span.Start, s.span.End}
	return typeOperand{p.addType(TypeNode{Kind: VecType, Span: span, A: cur.t, Size: s.e}), span}
}

// reduceType closes the open parts before cur that bind at least as tightly as prec.
func (p *parser) reduceType(cur typeOperand, prec uint8) typeOperand {
	for len(p.types) > 0 {
		fr := p.types[len(p.types)-1]
		if fr.op == LParenTok || typePrec(fr.op) < prec {
			break
		}
		p.types = p.types[:len(p.types)-1]
		n := TypeNode{Span: Span{fr.left.span.Start, cur.span.End}, A: fr.left.t, B: cur.t}
		switch fr.op {
		case ListTok:
			n = TypeNode{Kind: ListType, Span: Span{fr.at, cur.span.End}, A: cur.t}
		case StarTok:
			n.Kind = ProdType
		case ArrowTok:
			n.Kind = ArrowType
		case LolliTok:
			n.Kind = LinType
			p.checkLolli(fr.left, cur)
		}
		cur = typeOperand{p.addType(n), n.Span}
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

// typeFail gives up on a type with depth open parentheses.
func (p *parser) typeFail(depth int) typeOperand {
	p.open += depth
	p.types = p.types[:0]
	return typeOperand{p.addType(TypeNode{Kind: BadType, Span: p.span()}), p.span()}
}

// lastTypeParen returns where the innermost open parenthesis stands.
func (p *parser) lastTypeParen() uint32 {
	i := len(p.types) - 1
	for p.types[i].op != LParenTok {
		i--
	}
	return p.types[i].at
}
