package core

import (
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// PosOf is where a span begins.
func PosOf(s syntax.Span) term.Pos { return term.Pos(s.Start) + 1 }

// WordAt returns the span of the name or number at pos, or of one byte of anything else.
func WordAt(f *syntax.File, pos term.Pos) syntax.Span {
	at := uint32(pos) - 1
	end := at + 1
	for int(end) < len(f.Src) && isWord(f.Src[at]) && isWord(f.Src[end]) {
		end++
	}
	return syntax.Span{Start: at, End: end}
}

// isWord reports whether b is part of a name or a number; all bytes of a rune that is not ASCII are.
func isWord(b byte) bool {
	return b >= 0x80 || b == '_' || b == '\'' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}
