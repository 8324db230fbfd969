package core

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/gram-machine/gram/lang/load"
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

// VectorSize says why a vector can't have n components, or is empty.
func VectorSize(n uint64) string {
	switch {
	case n == 0:
		return "this is 0, but a vector has at least one component"
	case n > load.MaxWidth:
		return fmt.Sprintf("a vector of %d components is too large", n)
	}
	return ""
}

// RangeLabel says that i is no index of a vector of n components, whose type is of.
func RangeLabel(i, n uint64, of string) string {
	if n == 1 {
		return fmt.Sprintf("%d is not an index of %s: its only one is 0", i, of)
	}
	return fmt.Sprintf("%d is not an index of %s: they go from 0 to %d", i, of, n-1)
}
