package load

import (
	"strconv"
	"unicode/utf8"
)

// piece is a part of an inductive value that is still to be written: a text, or a value of a shape.
type piece struct {
	shape    *Shape
	text     string
	argument bool // it stands behind a constructor
}

// most is how many bytes of an inductive value a short notation writes.
const most = 200

// inductive writes a value of an inductive type. It nests as deep as it likes: in JSON "Nil", {"Leaf": 1} and {"Node":
// [l, r]}, in the language Nil, Leaf 1 and Node (l, r).
func (n *Notation) inductive(b []byte, f *Flat, s *Shape) []byte {
	start := len(b)
	stack := []piece{{shape: s}}
	texts := func(parts ...piece) {
		for i := len(parts) - 1; i >= 0; i-- {
			stack = append(stack, parts[i])
		}
	}
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if p.shape == nil {
			b = append(b, p.text...)
			continue
		}
		switch s := p.shape; s.Kind {
		case Inductive:
			c := s.Cons[f.Lengths[0]]
			f.Lengths = f.Lengths[1:]
			argument := piece{shape: c.Arg, argument: true}
			switch {
			case n.json && c.Arg == nil:
				b = strconv.AppendQuote(b, c.Name)
			case n.json:
				texts(piece{text: "{" + strconv.Quote(c.Name) + ": "}, argument, piece{text: "}"})
			case c.Arg == nil:
				b = append(b, c.Name...)
			case p.argument:
				texts(piece{text: "(" + c.Name + " "}, argument, piece{text: ")"})
			default:
				texts(piece{text: c.Name + " "}, argument)
			}
		case Product:
			parts := []piece{{text: n.tuple[0]}}
			for ; s.Kind == Product; s = s.B {
				parts = append(parts, piece{shape: s.A}, piece{text: n.tuple[1]})
			}
			texts(append(parts, piece{shape: s}, piece{text: n.tuple[2]})...)
		case Vector:
			parts := []piece{{text: n.vector[0]}}
			for i := range s.Size {
				if i > 0 {
					parts = append(parts, piece{text: n.vector[1]})
				}
				parts = append(parts, piece{shape: s.A})
			}
			texts(append(parts, piece{text: n.vector[2]})...)
		default:
			at := len(b)
			if b = n.Append(b, f, s); p.argument && !n.json && b[at] == '-' {
				b = append(b[:at], append([]byte("("), append(b[at:len(b):len(b)], ')')...)...)
			}
		}
	}
	if n.most > 0 && len(b)-start > most {
		end := start + most
		for !utf8.RuneStart(b[end]) {
			end--
		}
		b = append(b[:end], "…"...)
	}
	return b
}
