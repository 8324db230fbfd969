package core

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// Statics has the static expressions of a program, and the indices of families on which they depend.
type Statics struct {
	term.Expressions
	Indices []term.IndexInfo
	// Places are those of operations whose evaluation may fail.
	Places map[term.Static]*At
}

// Add adds a static expression.
func (f *Statics) Add(n term.StaticNode) term.Static {
	if len(f.Nodes) == 0 {
		f.Nodes = make([]term.StaticNode, 1, 8)
	}
	f.Nodes = append(f.Nodes, n)
	return term.Static(len(f.Nodes) - 1)
}

// Number is the static expression that is a number.
func (f *Statics) Number(r float64) term.Static {
	return f.Add(term.StaticNode{Op: term.StaticNum, Val: r})
}

// NewIndex makes an index below s, and the expression that is its value.
func (f *Statics) NewIndex(name string, pos term.Pos, s term.Static) (term.Index, term.Static) {
	if len(f.Indices) == 0 {
		f.Indices, f.Bounds = make([]term.IndexInfo, 1, 4), make([]term.Static, 1, 4)
	}
	i := term.Index(len(f.Indices))
	f.Indices, f.Bounds = append(f.Indices, term.IndexInfo{Name: name, Pos: pos}), append(f.Bounds, s)
	return i, f.Add(term.StaticNode{Op: term.StaticIndex, Index: i})
}

// Nesting is how deep an expression nests.
func (f *Statics) Nesting(e term.Static) int {
	n := &f.Nodes[e]
	if n.Op == term.StaticNum || n.Op == term.StaticIndex {
		return 1
	}
	d := f.Nesting(n.A)
	if n.B != 0 {
		d = max(d, f.Nesting(n.B))
	}
	return d + 1
}

// mentioned returns the indices on which the expressions depend.
func (f *Statics) mentioned(es []term.Static) map[term.Index]bool {
	needed := map[term.Index]bool{}
	var need func(i term.Index)
	need = func(i term.Index) {
		if !needed[i] {
			needed[i] = true
			f.Mentions(f.Bounds[i], need)
		}
	}
	for _, e := range es {
		f.Mentions(e, need)
	}
	return needed
}

// Range returns the range of whole numbers, from begin to before end, that e goes through for each value of the other
// expressions. ok says that it is known.
func (f *Statics) Range(e term.Static, others []term.Static) (begin, end int, ok bool) {
	switch n := &f.Nodes[e]; n.Op {
	case term.StaticNum:
		return int(n.Val), int(n.Val) + 1, true
	case term.StaticIndex:
		bound := &f.Nodes[f.Bounds[n.Index]]
		return 0, int(bound.Val), bound.Op == term.StaticNum && !f.mentioned(others)[n.Index]
	case term.StaticAdd, term.StaticSub:
		by := &f.Nodes[n.B]
		begin, end, ok = f.Range(n.A, others)
		d := int(by.Val)
		if n.Op == term.StaticSub {
			d = -d
		}
		return begin + d, end + d, ok && by.Op == term.StaticNum
	}
	return 0, 0, false
}

// Values goes through the values of the expressions, for all values of the indices on which they depend.
func (f *Statics) Values(es ...term.Static) iter.Seq[[]float64] {
	return func(yield func(values []float64) bool) {
		chain := slices.Sorted(maps.Keys(f.mentioned(es))) // an index is made before those in its scope
		at, values := make([]float64, len(f.Bounds)), make([]float64, len(es))
		f.Each(chain, at, func() bool {
			for k, e := range es {
				values[k] = f.Value(e, at)
			}
			return yield(values)
		})
	}
}

// A static index among those of a path is marked by this bit.
const StaticBit Ref = 1 << 31

// Arithmetic computes a op b on the natural numbers up to 2^53, exactly, or says why there is no result.
func Arithmetic(op term.StaticOp, a, b uint64) (c uint64, problem string) {
	switch op {
	case term.StaticAdd:
		if c = a + b; c <= load.MaxNat {
			return c, ""
		}
		return 0, fmt.Sprintf("%d + %d is larger than 2^53", a, b)
	case term.StaticSub:
		if a >= b {
			return a - b, ""
		}
		return 0, fmt.Sprintf("%d - %d is negative", a, b)
	default:
		if a == 0 || b <= load.MaxNat/a {
			return a * b, ""
		}
		return 0, fmt.Sprintf("%d * %d is larger than 2^53", a, b)
	}
}

// RangeLabel says that i is no index of a vector of n components, whose type is of.
func RangeLabel(i, n uint64, of string) string {
	if n == 1 {
		return fmt.Sprintf("%d is not an index of %s: its only one is 0", i, of)
	}
	return fmt.Sprintf("%d is not an index of %s: they go from 0 to %d", i, of, n-1)
}

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
