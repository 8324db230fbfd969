package syntax

import "fmt"

// workKind is what is still to be written.
type workKind uint8

const (
	workText  workKind = iota // text
	workLeaf                  // text, which stands at ref in the source
	workExpr                  // the expression ref, where prec binds from outside
	workSize                  // the static expression ref, in parentheses unless it is an atom
	workPat                   // the pattern ref
	workType                  // the type ref, where prec binds from outside
	workOp                    // the operator of the expression ref
	workBreak                 // a line break or spaces
	workBegin                 // the start of a group
	workEnd                   // its end
)

// work is a part that is still to be written, on the formatter's stack.
type work struct {
	kind  workKind
	prec  uint8
	brk   breakKind
	flat  uint8
	delta int8
	ref   uint32
	text  string
}

// The functions below add to the batch that commit puts on the stack.

func (fm *formatter) text(s string) { fm.batch = append(fm.batch, work{kind: workText, text: s}) }

func (fm *formatter) token(pos uint32, s string) {
	fm.batch = append(fm.batch, work{kind: workLeaf, ref: pos, text: s})
}

func (fm *formatter) sub(e Expr, prec uint8) {
	fm.batch = append(fm.batch, work{kind: workExpr, ref: uint32(e), prec: prec})
}

func (fm *formatter) op(e Expr) { fm.batch = append(fm.batch, work{kind: workOp, ref: uint32(e)}) }

func (fm *formatter) size(e Expr) {
	fm.batch = append(fm.batch, work{kind: workSize, ref: uint32(e)})
}

func (fm *formatter) pat(p Pat) { fm.batch = append(fm.batch, work{kind: workPat, ref: uint32(p)}) }

func (fm *formatter) typ(t TypeExpr, prec uint8) {
	fm.batch = append(fm.batch, work{kind: workType, ref: uint32(t), prec: prec})
}

func (fm *formatter) brk(k breakKind, flat uint8, delta int8) {
	fm.batch = append(fm.batch, work{kind: workBreak, brk: k, flat: flat, delta: delta})
}

func (fm *formatter) begin(indent int8) {
	fm.batch = append(fm.batch, work{kind: workBegin, delta: indent})
}

func (fm *formatter) end() { fm.batch = append(fm.batch, work{kind: workEnd}) }

// commit puts the batch on the stack, its first part on top.
func (fm *formatter) commit() {
	for i := len(fm.batch) - 1; i >= 0; i-- {
		fm.work = append(room(&fm.opt, fm.work), fm.batch[i])
	}
	fm.batch = fm.batch[:0]
}

// run writes everything on the stack.
func (fm *formatter) run() {
	fm.commit()
	for n := 1; len(fm.work) > 0; n++ {
		if fm.stopped(n) {
			fm.work = fm.work[:0]
			return
		}
		fm.steps++
		w := fm.work[len(fm.work)-1]
		fm.work = fm.work[:len(fm.work)-1]
		switch w.kind {
		case workText:
			fm.doc.text(w.text)
		case workLeaf:
			fm.leaf(w.ref, w.text)
		case workExpr:
			fm.node(Expr(w.ref), w.prec)
		case workSize:
			fm.sizeAtom(Expr(w.ref))
		case workPat:
			fm.patNode(Pat(w.ref))
		case workType:
			fm.typeNode(TypeExpr(w.ref), w.prec)
		case workOp:
			fm.operator(Expr(w.ref))
		case workBreak:
			fm.doc.brk(w.brk, w.flat, w.delta)
		case workBegin:
			fm.doc.begin(w.delta)
		case workEnd:
			fm.doc.end()
		}
		fm.commit()
	}
}

// expr writes an expression.
func (fm *formatter) expr(e Expr) {
	fm.sub(e, 0)
	fm.run()
}

// decl writes a declaration.
func (fm *formatter) decl(d *Decl) {
	f := fm.f
	head := d.NameSpan.End
	fm.begin(2)
	fm.begin(0)
	fm.token(d.Span.Start, fmt.Sprintf("%-6s", d.Kind)) // the names stand in one column
	fm.token(d.NameSpan.Start, d.Name)
	for _, p := range d.Params {
		fm.brk(fillBreak, 1, 2)
		fm.pat(p)
		head = f.Pat(p).Span.End
	}
	if d.Type != 0 {
		fm.text(" : ")
		fm.begin(2)
		fm.typ(d.Type, 0)
		fm.end()
		head = f.Type(d.Type).Span.End
	}
	fm.end()
	fm.text(" =")
	fm.begin(0)
	fm.brk(min(fm.breakFor(groupBreak, head, fm.firstToken(d.Value)), hardBreak), 1, 0)
	fm.sub(d.Value, 0)
	fm.end()
	fm.end()
	fm.run()
}

// firstToken returns where the first token that is written of an expression stands:
// what is left of it are parentheses.
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

// patNode writes a pattern.
func (fm *formatter) patNode(p Pat) {
	n := fm.f.Pat(p)
	switch n.Kind {
	case NamePat:
		fm.token(n.Span.Start, n.Text)
	case WildPat:
		fm.token(n.Span.Start, "_")
	case AnnotPat:
		fm.token(n.Span.Start, "(")
		fm.annotPat(p)
		fm.token(n.Span.End-1, ")")
	case TuplePat, VecPat:
		open, closing := "(", ")"
		if n.Kind == VecPat {
			open, closing = "[| ", "|]"
		}
		fm.token(n.Span.Start, open)
		fm.begin(2)
		for i, k := range fm.f.PatKids(p) {
			if i > 0 {
				fm.text(",")
				fm.brk(fillBreak, 1, 0)
			}
			fm.pat(k)
		}
		fm.end()
		if n.Kind == VecPat {
			fm.text(" ")
		}
		fm.token(n.Span.End-uint32(len(closing)), closing)
	}
}

// annotPat writes p : T.
func (fm *formatter) annotPat(p Pat) {
	fm.pat(fm.f.PatKids(p)[0])
	fm.text(" : ")
	fm.begin(2)
	fm.typ(fm.f.Pat(p).Type, 0)
	fm.end()
}

// typeLevels are the precedences of types.
var typeLevels = map[TypeKind]uint8{
	ArrowType: 1, LinType: 1, ProdType: 2, ListType: 3, VecType: 4, RType: 5, NatType: 5,
}

// typeNode writes a type.
func (fm *formatter) typeNode(t TypeExpr, prec uint8) {
	n := fm.f.Type(t)
	level := typeLevels[n.Kind]
	if level < prec {
		fm.text("(")
		fm.begin(2)
	}
	switch n.Kind {
	case RType:
		fm.token(n.Span.Start, "R")
	case NatType:
		fm.token(n.Span.Start, "Nat")
	case ListType:
		fm.token(n.Span.Start, "List")
		fm.brk(fillBreak, 1, 0)
		fm.typ(n.A, level)
	case VecType:
		fm.typ(n.A, level)
		fm.text("^")
		fm.size(n.Size)
	default:
		op := map[TypeKind]string{ArrowType: " ->", LinType: " -o", ProdType: " *"}[n.Kind]
		fm.typ(n.A, level+1)
		fm.text(op)
		fm.brk(fillBreak, 1, 0)
		fm.typ(n.B, level)
	}
	if level < prec {
		fm.end()
		fm.text(")")
	}
}
