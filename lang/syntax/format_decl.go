package syntax

import "fmt"

func (fm *formatter) decl(d *Decl) {
	f := fm.f
	if d.Kind == TypeDecl {
		fm.typeDecl(d)
		return
	}
	head := d.NameSpan.End
	fm.doc.begin(2)
	fm.doc.begin(0)
	switch {
	case d.And:
		fm.leaf(d.Span.Start, "and ")
	case d.Rec:
		fm.leaf(d.Span.Start, "def rec ")
	default:
		fm.leaf(d.Span.Start, fmt.Sprintf("%-5s ", d.Kind)) // most names stand in one column
	}
	fm.leaf(d.NameSpan.Start, d.Name)
	fm.params(d.Params, false)
	if n := len(d.Params); n > 0 {
		head = f.Pat(d.Params[n-1]).Span.End
	}
	if n := len(d.Named); n > 0 {
		fm.doc.text(" named")
		fm.words(d.Named)
		head = d.Named[n-1].Span.End
	}
	if d.Type != 0 {
		fm.annotation(d.Type)
		head = f.Type(d.Type).Span.End
	}
	fm.doc.end()
	fm.doc.text(" =")
	if d.Kind == SymbolDecl {
		fm.symbolValue(head, f.Kids(d.Value))
	} else {
		fm.broken(0, fm.lineBreak(head, d.Value), d.Value)
	}
	fm.doc.end()
}

// symbolValue writes e with p, … behind what ends at head.
func (fm *formatter) symbolValue(head uint32, parts []Expr) {
	fm.broken(0, fm.lineBreak(head, parts[0]), parts[0])
	for i, part := range parts[1:] {
		if i > 0 {
			fm.doc.text(",")
		}
		fm.doc.brk(fillBreak, 1, 0)
		if i == 0 {
			fm.doc.text("with ")
		}
		fm.node(part, 0)
	}
}

func (fm *formatter) typeDecl(d *Decl) {
	keyword := "type "
	if d.And {
		keyword = "and "
	}
	fm.doc.begin(2)
	fm.leaf(d.Span.Start, keyword)
	fm.leaf(d.NameSpan.Start, d.Name)
	for _, v := range d.Vars {
		fm.leaf(v.Span.Start, " "+v.Text)
	}
	fm.doc.text(" =")
	between := groupBreak
	for i, c := range d.Cons {
		if i == 0 {
			between = fm.breakFor(d.NameSpan.End, c.Span.Start)
		}
		fm.doc.brk(min(between, hardBreak), 1, 0)
		if i > 0 || between != groupBreak {
			fm.doc.text("| ")
		}
		fm.leaf(c.Span.Start, c.Name)
		if c.Type != 0 {
			fm.doc.text(" of ")
			fm.typeNode(c.Type, 0)
		}
	}
	fm.doc.end()
}

// words writes names in quotes, numbers and words, each behind a space.
func (fm *formatter) words(list []Word) {
	for _, w := range list {
		fm.doc.brk(fillBreak, 1, 2)
		if w.Kind == StringTok {
			w.Text = fm.f.Text(w.Span) // with its quotes
		}
		fm.leaf(w.Span.Start, w.Text)
	}
}

// firstToken returns the position of the first token of an expression that is written.
// Only parentheses stand before it.
func (fm *formatter) firstToken(e Expr) uint32 {
	for {
		fm.steps++
		n := fm.f.Expr(e)
		switch n.Kind {
		case BinExpr, AppExpr, PowExpr, ProjExpr:
			e = fm.f.Kids(e)[0]
		default:
			return n.Span.Start
		}
	}
}

// patNode writes a pattern. Around C p there are parentheses, unless it stands bare.
func (fm *formatter) patNode(p Pat, bare bool) {
	n, kids := fm.f.Pat(p), fm.f.PatKids(p)
	switch n.Kind {
	case NamePat:
		fm.leaf(n.Span.Start, n.Text)
	case WildPat:
		fm.leaf(n.Span.Start, "_")
	case ConPat:
		if len(kids) > 0 && !bare {
			fm.doc.text("(")
			defer fm.doc.text(")")
		}
		fm.leaf(n.Span.Start, n.Text)
		if len(kids) > 0 {
			fm.doc.text(" ")
			fm.patNode(kids[0], false)
		}
	case AnnotPat:
		fm.leaf(n.Span.Start, "(")
		fm.annotPat(p)
		fm.leaf(n.Span.End-1, ")")
	case TuplePat, VecPat:
		open, closing := "(", ")"
		if n.Kind == VecPat {
			open, closing = "[| ", "|]"
		}
		fm.leaf(n.Span.Start, open)
		fm.doc.begin(2)
		for i, k := range kids {
			if i > 0 {
				fm.doc.text(",")
				fm.doc.brk(fillBreak, 1, 0)
			}
			fm.patNode(k, true)
		}
		fm.doc.end()
		if n.Kind == VecPat {
			fm.doc.text(" ")
		}
		fm.leaf(n.Span.End-uint32(len(closing)), closing)
	}
}

func (fm *formatter) params(pats []Pat, bare bool) {
	for _, p := range pats {
		fm.doc.brk(fillBreak, 1, 2)
		fm.patNode(p, bare)
	}
}

// annotPat writes p : T.
func (fm *formatter) annotPat(p Pat) {
	fm.patNode(fm.f.PatKids(p)[0], true)
	fm.annotation(fm.f.Pat(p).Type)
}

// annotation writes : T.
func (fm *formatter) annotation(t TypeExpr) {
	fm.doc.text(" : ")
	fm.doc.begin(2)
	fm.typeNode(t, 0)
	fm.doc.end()
}

func (fm *formatter) typeNode(t TypeExpr, prec uint8) {
	n := fm.f.Type(t)
	op, level := n.Kind.Form()
	if level < prec {
		fm.doc.text("(")
		fm.doc.begin(2)
	}
	switch n.Kind {
	case RType, NatType, VarType:
		fm.leaf(n.Span.Start, n.Text)
	case NamedType:
		fm.leaf(n.Span.Start, n.Text)
		for _, k := range fm.f.TypeKids(t) {
			fm.doc.brk(fillBreak, 1, 0)
			if fm.f.Type(k).Kind == NamedType && len(fm.f.TypeKids(k)) == 0 {
				fm.typeNode(k, 0)
			} else {
				fm.typeNode(k, level+1)
			}
		}
	case ListType:
		fm.leaf(n.Span.Start, "List")
		fm.doc.brk(fillBreak, 1, 0)
		fm.typeNode(n.A, level)
	case VecType: // a type may have any number of sizes behind it
		var vecs []*TypeNode // the outermost first
		elem := t
		for v := n; v.Kind == VecType; v = fm.f.Type(elem) {
			vecs = append(vecs, v)
			elem = v.A
		}
		fm.typeNode(elem, level)
		for end := len(vecs); end > 0; {
			start := end - 1
			for start > 0 && vecs[start-1].Rows {
				start--
			}
			fm.doc.text("^")
			fm.sizeAtoms(vecs[start:end])
			end = start
		}
	default:
		fm.typeNode(n.A, level+1)
		fm.doc.text(" " + op.String())
		fm.doc.brk(fillBreak, 1, 0)
		fm.typeNode(n.B, level)
	}
	if level < prec {
		fm.doc.end()
		fm.doc.text(")")
	}
}
