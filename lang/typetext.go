package lang

import (
	"strconv"
	"strings"
)

// maxTypeText bounds the length of a type in a message.
const maxTypeText = 400

// Levels at which a type stands without parentheses, loosest first.
const (
	arrowLevel = iota
	prodLevel
	listLevel
	atomLevel
)

// typeText prints types as the user writes them. An open type is R, which it will
// be if nothing else settles it; or it has a name, 'a, 'b, …, in the order in which
// one typeText meets them.
type typeText struct {
	tt    *types
	long  bool // List and Nat as the arrows that they stand for
	named bool // open types have names
	lists bool // functions that are lists, see listElement, as lists
	names map[typ]string
	limit int
}

type typeItem struct {
	text  string
	t     typ
	level int
}

func (tt *types) text() *typeText {
	return &typeText{tt: tt, names: map[typ]string{}, limit: maxTypeText}
}

func (p *typeText) name(t typ) string {
	s, ok := p.names[t]
	if !ok {
		n := len(p.names)
		s = "'" + string(rune('a'+n%26))
		if n >= 26 {
			s += strconv.Itoa(n / 26)
		}
		p.names[t] = s
	}
	return s
}

func (p *typeText) of(t typ) string {
	var b strings.Builder
	stack := []typeItem{{t: t}}
	for len(stack) > 0 {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b.Len() > p.limit {
			b.WriteString("…")
			break
		}
		if it.t == 0 {
			b.WriteString(it.text)
			continue
		}
		parts, level := p.parts(p.tt.find(it.t))
		if level < it.level {
			stack = append(stack, typeItem{text: ")"})
			b.WriteByte('(')
		}
		for i := len(parts) - 1; i >= 0; i-- {
			stack = append(stack, parts[i])
		}
	}
	return b.String()
}

func (p *typeText) parts(t typ) ([]typeItem, int) {
	n := p.tt.nodes[t]
	switch n.kind {
	case realType:
		return []typeItem{{text: "R"}}, atomLevel
	case prodType:
		return []typeItem{{t: n.a, level: listLevel}, {text: " * "}, {t: n.b, level: prodLevel}}, prodLevel
	case arrowType:
		if elem, ok := p.tt.listElement(t); ok && p.lists {
			return []typeItem{{text: "List "}, {t: elem, level: listLevel}}, listLevel
		}
		return []typeItem{{t: n.a, level: prodLevel}, {text: " -> "}, {t: n.b, level: arrowLevel}}, arrowLevel
	case vecType:
		return []typeItem{{t: n.a, level: atomLevel}, {text: "^" + p.size(size(n.n))}}, atomLevel
	case dualType:
		return []typeItem{{text: "R -o "}, {t: n.a, level: arrowLevel}}, arrowLevel
	case listType, natType:
		if p.long {
			return []typeItem{{t: p.tt.arrowOf(t), level: arrowLevel}}, arrowLevel
		}
		if n.kind == natType {
			return []typeItem{{text: "Nat"}}, atomLevel
		}
		return []typeItem{{text: "List "}, {t: n.a, level: listLevel}}, listLevel
	}
	if p.named {
		return []typeItem{{text: p.name(t)}}, atomLevel
	}
	return []typeItem{{text: "R"}}, atomLevel
}

func (p *typeText) size(n size) string {
	if s := p.tt.sizeAt(n); s.known {
		return strconv.Itoa(s.n)
	}
	return "n"
}

// both prints two types that differ so that the difference shows: if only the
// results of lists and numerals differ, in full.
func (p *typeText) both(a, b typ) (string, string) {
	x, y := p.of(a), p.of(b)
	if x == y {
		p.long = true
		x, y = p.of(a), p.of(b)
		p.long = false
	}
	return x, y
}
