package syntax

import (
	"fmt"
	"strings"
)

// sexprs prints small trees for tests; it recurses.
type sexprs struct{ f *File }

func (s sexprs) file() string {
	var b strings.Builder
	for _, d := range s.f.Decls {
		if d.And {
			b.WriteString("(and")
		}
		if d.Rec {
			b.WriteString("(rec")
		}
		fmt.Fprintf(&b, "(%s %s", d.Kind, d.Name)
		if d.Kind == TypeDecl {
			for _, v := range d.Vars {
				b.WriteString(" " + v.Text)
			}
			for _, c := range d.Cons {
				b.WriteString(" | " + c.Name)
				if c.Type != 0 {
					b.WriteString(" of " + s.typ(c.Type))
				}
			}
			b.WriteString(")\n")
			continue
		}
		for _, p := range d.Params {
			b.WriteString(" " + s.pat(p))
		}
		if d.Type != 0 {
			b.WriteString(" : " + s.typ(d.Type))
		}
		b.WriteString(" = " + s.expr(d.Value) + ")\n")
	}
	if s.f.Body != 0 {
		b.WriteString(s.expr(s.f.Body))
	}
	return b.String()
}

func (s sexprs) expr(e Expr) string {
	n := s.f.Expr(e)
	var kids, pats []string
	for _, k := range s.f.Kids(e) {
		kids = append(kids, s.expr(k))
	}
	for _, p := range s.f.Pats(e) {
		pats = append(pats, s.pat(p))
	}
	all := strings.Join(kids, " ")
	switch n.Kind {
	case NameExpr, NumExpr:
		return n.Text
	case ChurchExpr:
		return "#" + all
	case OpExpr:
		return "(" + n.Op.String() + ")"
	case BinExpr:
		return "(" + n.Op.String() + " " + all + ")"
	case NegExpr:
		return "(neg " + all + ")"
	case PowExpr:
		return "(^ " + all + ")"
	case AppExpr:
		return "(" + all + ")"
	case ProjExpr:
		return "(." + all + ")"
	case FunExpr, LinExpr:
		return "(" + map[ExprKind]string{FunExpr: "fun", LinExpr: "lin"}[n.Kind] + " " + strings.Join(pats, " ") + " -> " + all + ")"
	case LetExpr:
		return "(let " + strings.Join(pats, " ") + " = " + kids[0] + " in " + kids[1] + ")"
	case RecExpr:
		return "(rec " + all + ")"
	case BindExpr:
		return "(bind " + strings.Join(pats, " ") + " = " + all + ")"
	case MatchExpr:
		out := "(match " + kids[0]
		for i, p := range pats {
			out += " | " + p + " -> " + kids[i+1]
		}
		return out + ")"
	case CompareExpr:
		return "(" + n.Op.String() + " " + all + ")"
	case LogicExpr:
		return "(" + n.Text + " " + all + ")"
	case IfExpr:
		if s.f.Expr(s.f.Kids(e)[0]).Kind == CompareExpr { // without its parentheses
			all = strings.Replace(strings.TrimPrefix(all, "("), kids[0][1:], kids[0][1:len(kids[0])-1], 1)
		}
		return "(if " + all + ")"
	case CompExpr:
		return "(" + n.Op.String() + " " + n.Text + " < " + all + ")"
	case ScanExpr:
		return "(scan " + n.Text + " < " + kids[0] + " with " + pats[0] + " = " + kids[1] + " -> " + kids[2] + ")"
	case AnnotExpr:
		return "(" + all + " : " + s.typ(n.Type) + ")"
	case TupleExpr:
		return "<" + strings.Join(kids, ", ") + ">"
	case ListExpr:
		return "[" + strings.Join(kids, "; ") + "]"
	case VectorExpr:
		return "[|" + strings.Join(kids, ", ") + "|]"
	case SizeExpr:
		return "(size " + n.Text + ")"
	case FileExpr:
		out := []string{n.Text}
		for _, w := range n.Words {
			if w.Kind == StringTok {
				w.Text = fmt.Sprintf("%q", w.Text)
			}
			out = append(out, w.Text)
		}
		return "(" + strings.Join(out, " ") + ")"
	}
	return "BAD"
}

func (s sexprs) pat(p Pat) string {
	n := s.f.Pat(p)
	var kids []string
	for _, k := range s.f.PatKids(p) {
		kids = append(kids, s.pat(k))
	}
	switch n.Kind {
	case NamePat:
		return n.Text
	case WildPat:
		return "_"
	case TuplePat:
		return "<" + strings.Join(kids, ", ") + ">"
	case VecPat:
		return "[|" + strings.Join(kids, ", ") + "|]"
	case ConPat:
		return strings.TrimSpace("{"+n.Text+" "+strings.Join(kids, " ")) + "}"
	case AnnotPat:
		return "(" + kids[0] + " : " + s.typ(n.Type) + ")"
	}
	return "BAD"
}

func (s sexprs) typ(t TypeExpr) string {
	n := s.f.Type(t)
	switch n.Kind {
	case RType:
		return "R"
	case NatType:
		return "Nat"
	case ListType:
		return "(List " + s.typ(n.A) + ")"
	case ProdType:
		return "(" + s.typ(n.A) + " * " + s.typ(n.B) + ")"
	case ArrowType:
		return "(" + s.typ(n.A) + " -> " + s.typ(n.B) + ")"
	case LinType:
		return "(" + s.typ(n.A) + " -o " + s.typ(n.B) + ")"
	case NamedType:
		out := "{" + n.Text
		for _, k := range s.f.TypeKids(t) {
			out += " " + s.typ(k)
		}
		return out + "}"
	case VarType:
		return n.Text
	case VecType:
		return "(" + s.typ(n.A) + "^" + s.expr(n.Size) + ")"
	}
	return "BAD"
}
