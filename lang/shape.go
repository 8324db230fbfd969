package lang

import (
	"strconv"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// maxShape bounds the nodes of the shape of a program's value.
const maxShape = 4 << 20

// valueShape returns the shape of the values of a type that is built of R,
// products, vectors and lists, and nil for any other. A function that has every
// type (a -> x -> x) -> x -> x, for an x that is still open, is a List a: what map
// and rev return. It is to be called before open types are closed. A type too large
// to be written out, as shared products can be, has no shape.
func (tt *types) valueShape(t typ) *load.Shape {
	type item struct {
		t    typ
		done bool
	}
	stack := []item{{t: t}}
	var out []*load.Shape
	for budget := maxShape; len(stack) > 0; budget-- {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := tt.at(it.t)
		if budget == 0 {
			return nil
		}
		if n.kind == arrowType {
			elem, ok := tt.listElement(it.t)
			if !ok {
				return nil
			}
			n = typeNode{kind: listType, a: elem}
		}
		k := len(out)
		switch {
		case n.kind == realType || n.kind == openType:
			out = append(out, load.RealShape())
		case n.kind != prodType && n.kind != vecType && n.kind != listType:
			return nil
		case !it.done && n.kind == prodType:
			stack = append(stack, item{it.t, true}, item{t: n.b}, item{t: n.a})
		case !it.done:
			stack = append(stack, item{it.t, true}, item{t: n.a})
		case n.kind == prodType:
			out = append(out[:k-2], load.ProductShape(out[k-2], out[k-1]))
		case n.kind == vecType:
			out[k-1] = load.VectorShape(out[k-1], tt.sizeAt(size(n.n)).n)
		default:
			out[k-1] = load.ListShape(out[k-1])
		}
	}
	return out[0]
}

// listElement returns a of (a -> x -> x) -> x -> x, if x is open.
func (tt *types) listElement(t typ) (typ, bool) {
	whole := tt.at(t)
	step, rest := tt.at(whole.a), tt.at(whole.b)
	if step.kind != arrowType || rest.kind != arrowType {
		return 0, false
	}
	inner := tt.at(step.b)
	x := tt.find(rest.a)
	if inner.kind != arrowType || tt.nodes[x].kind != openType {
		return 0, false
	}
	return step.a, tt.find(rest.b) == x && tt.find(inner.a) == x && tt.find(inner.b) == x
}

// Place returns the line and column of pos as text, such as "5:22".
func (p *Program) Place(pos term.Pos) string {
	if pos == 0 {
		return "-"
	}
	line, col := p.Position(pos)
	return strconv.Itoa(line) + ":" + strconv.Itoa(col)
}

// Render shows an error at pos as the language's own errors are shown.
func (p *Program) Render(pos term.Pos, headline, label string) string {
	if pos == 0 {
		return p.Name + ": " + headline + ": " + label
	}
	return p.File.Render(p.Diagnostic(pos, headline, label))
}

// Diagnostic returns what Render shows at pos, which isn't 0.
func (p *Program) Diagnostic(pos term.Pos, headline, label string) syntax.Diagnostic {
	return syntax.Diagnostic{Span: wordAt(p.File, pos), Headline: headline, Label: label}
}

// wordAt returns the span of the name or number at pos, or of one byte of anything else.
func wordAt(f *syntax.File, pos term.Pos) syntax.Span {
	at := uint32(pos) - 1
	end := at + 1
	for int(end) < len(f.Src) && isWord(f.Src[at]) && isWord(f.Src[end]) {
		end++
	}
	return syntax.Span{Start: at, End: end}
}

// isWord reports whether b is part of a name or a number; all bytes of a rune that
// is not ASCII are.
func isWord(b byte) bool {
	return b >= 0x80 || b == '_' || b == '\'' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

// BodyPos is where the program's body begins.
func (p *Program) BodyPos() term.Pos { return term.Pos(p.File.Expr(p.File.Body).Span.Start + 1) }
