package infer

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

// Text prints types as the user writes them. An open type is R, which it will
// be if nothing else settles it; or it has a name, 'a, 'b, …, in the order in which
// one Text meets them.
type Text struct {
	tt    *Types
	long  bool // List and Nat as the arrows that they stand for
	Named bool // open types have names
	Lists bool // functions that are lists, see listElement, as lists
	names map[Type]string
	Limit int
}

type typeItem struct {
	text  string
	t     Type
	level int
}

func (tt *Types) Text() *Text {
	return &Text{tt: tt, names: map[Type]string{}, Limit: maxTypeText}
}

func (p *Text) name(t Type) string {
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

func (p *Text) Of(t Type) string {
	var b strings.Builder
	stack := []typeItem{{t: t}}
	for len(stack) > 0 {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b.Len() > p.Limit {
			b.WriteString("…")
			break
		}
		if it.t == 0 {
			b.WriteString(it.text)
			continue
		}
		parts, level := p.parts(p.tt.Find(it.t))
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

func (p *Text) parts(t Type) ([]typeItem, int) {
	n := p.tt.Nodes[t]
	switch n.Kind {
	case Real:
		return []typeItem{{text: "R"}}, atomLevel
	case Prod:
		return []typeItem{{t: n.A, level: listLevel}, {text: " * "}, {t: n.B, level: prodLevel}}, prodLevel
	case Arrow:
		if elem, ok := p.tt.listElement(t); ok && p.Lists {
			return []typeItem{{text: "List "}, {t: elem, level: listLevel}}, listLevel
		}
		return []typeItem{{t: n.A, level: prodLevel}, {text: " -> "}, {t: n.B, level: arrowLevel}}, arrowLevel
	case Vec:
		return []typeItem{{t: n.A, level: atomLevel}, {text: "^" + p.Size(Size(n.N))}}, atomLevel
	case Dual:
		return []typeItem{{text: "R -o "}, {t: n.A, level: arrowLevel}}, arrowLevel
	case List, Nat:
		if p.long {
			return []typeItem{{t: p.tt.arrowOf(t), level: arrowLevel}}, arrowLevel
		}
		if n.Kind == Nat {
			return []typeItem{{text: "Nat"}}, atomLevel
		}
		return []typeItem{{text: "List "}, {t: n.A, level: listLevel}}, listLevel
	}
	if p.Named {
		return []typeItem{{text: p.name(t)}}, atomLevel
	}
	return []typeItem{{text: "R"}}, atomLevel
}

func (p *Text) Size(n Size) string {
	if s := p.tt.SizeAt(n); s.Known {
		return strconv.Itoa(s.N)
	}
	return "n"
}

// Both prints two types that differ so that the difference shows: if only the
// results of lists and numerals differ, in full.
func (p *Text) Both(a, b Type) (string, string) {
	x, y := p.Of(a), p.Of(b)
	if x == y {
		p.long = true
		x, y = p.Of(a), p.Of(b)
		p.long = false
	}
	return x, y
}
