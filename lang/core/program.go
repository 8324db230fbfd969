package core

import (
	"reflect"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// Program is a program as core, with what its nodes refer to.
type Program struct {
	File  *syntax.File
	Guard *syntax.Guard
	// Report is called with what is wrong in the source.
	Report  func(span syntax.Span, headline, label string, notes ...syntax.Note)
	Types   *Types
	Core    *Core
	Static  Statics
	Inputs  []load.Variable
	Scalars int // of the inputs
	Data    []load.Variable
	// DataOf has, by data, the variable that stands for it, 0 for numbers and most lists.
	DataOf []Var
	Lets   []Let // what stands around the body, the first one outermost
	letOf  map[Var]int
	ticks  uint32
}

// Let is a let around the whole body: of a def, or of data.
type Let struct {
	X    Var
	U    Ref // the right side of a def, 0 for data
	Data int
	// Opened tells that X is a vector of data that the let opens: only its components are used.
	Opened bool
}

// AddLet adds a let inside those that are there.
func (p *Program) AddLet(l Let) {
	if p.letOf == nil {
		p.letOf = map[Var]int{}
	}
	p.letOf[l.X] = len(p.Lets)
	p.Lets = append(p.Lets, l)
}

// Let returns the let around the body that binds x, nil if there is none.
func (p *Program) Let(x Var) *Let {
	if i, ok := p.letOf[x]; ok {
		return &p.Lets[i]
	}
	return nil
}

// Roots returns what the program consists of: the body and the defs that are lets.
func (p *Program) Roots(body Ref) []Ref {
	roots := []Ref{body}
	for _, d := range p.Lets {
		if d.U != 0 {
			roots = append(roots, d.U)
		}
	}
	return roots
}

// Tick counts a step, and looks at the limits from time to time.
func (p *Program) Tick() {
	if p.ticks++; p.ticks%tickEvery == 0 {
		p.Guard.Look()
		if nodes := p.Core.Nodes; cap(nodes)-len(nodes) < tickEvery {
			Announce(p, len(nodes)+len(nodes)/4, nodes) // they will be copied to a larger slice
		}
	}
}

// tickEvery is how many ticks pass between two looks at the limits.
const tickEvery = 1 << 14

// Announce reserves memory for n more elements of a slice.
func Announce[T any](p *Program, n int, _ []T) {
	p.Guard.Announce(int64(n) * int64(reflect.TypeFor[T]().Size()))
}

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
