package core

import (
	"strconv"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/term"
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

// Text prints types as the user writes them. An open type is R, which it will be if nothing else settles it; or it has
// a name, 'a, 'b, …, in the order in which one Text meets them.
type Text struct {
	tt    *Types
	long  bool // List and Nat as the arrows that they stand for
	Named bool // open types have names
	Lists bool // functions that are lists, see listElement, as lists
	names map[Type]string
	Limit int
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

// Of returns the text of a type.
func (p *Text) Of(t Type) string { return term.Print(uint32(t), p.Limit, p.parts) }

func text(s string) term.Item { return term.Item{Text: s} }

func part(t Type, level int) term.Item { return term.Item{Ref: uint32(t), Level: level} }

// parts returns the parts of a type and its level.
func (p *Text) parts(ref uint32) ([]term.Item, int) {
	t := p.tt.Find(Type(ref))
	n := p.tt.Nodes[t]
	switch n.Kind {
	case Real:
		return []term.Item{text("R")}, atomLevel
	case Prod:
		return []term.Item{part(n.A, listLevel), text(" * "), part(n.B, prodLevel)}, prodLevel
	case Arrow:
		if elem, ok := p.tt.listElement(t); ok && p.Lists {
			return []term.Item{text("List "), part(elem, listLevel)}, listLevel
		}
		return []term.Item{part(n.A, prodLevel), text(" -> "), part(n.B, arrowLevel)}, arrowLevel
	case Vec:
		sizes := []string{p.Size(Size(n.N))}
		for in := p.tt.At(n.A); in.Kind == Vec; in = p.tt.At(in.A) {
			sizes = append(sizes, p.Size(Size(in.N)))
			n = in
		}
		return []term.Item{part(n.A, atomLevel), text(load.Rows(sizes))}, atomLevel
	case Dual:
		return []term.Item{text("R -o "), part(n.A, arrowLevel)}, arrowLevel
	case List, Nat:
		if p.long {
			return []term.Item{part(p.tt.arrowOf(t), arrowLevel)}, arrowLevel
		}
		if n.Kind == Nat {
			return []term.Item{text("Nat")}, atomLevel
		}
		return []term.Item{text("List "), part(n.A, listLevel)}, listLevel
	case Param:
		return []term.Item{text("'" + string(rune('a'+n.N%26)))}, atomLevel
	case Named:
		items := []term.Item{text(p.tt.Inductives[n.N].Name)}
		for _, a := range p.tt.Args(t) {
			items = append(items, text(" "), part(a, atomLevel))
		}
		if n.A == 0 {
			return items, atomLevel
		}
		return items, listLevel
	}
	if p.Named {
		return []term.Item{text(p.name(t))}, atomLevel
	}
	return []term.Item{text("R")}, atomLevel
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
