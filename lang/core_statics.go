package lang

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/term"
)

// statics has the static expressions of a program, and the indices of families on which they depend.
type statics struct {
	nodes   []term.StaticNode
	indices []term.IndexInfo
	bounds  []term.Static // by index
}

func (f *statics) add(n term.StaticNode) term.Static {
	if len(f.nodes) == 0 {
		f.nodes = make([]term.StaticNode, 1, 64)
	}
	f.nodes = append(f.nodes, n)
	return term.Static(len(f.nodes) - 1)
}

func (f *statics) number(r float64) term.Static {
	return f.add(term.StaticNode{Op: term.StaticNum, Val: r})
}

// newIndex makes an index below s, and the expression that is its value.
func (f *statics) newIndex(name string, pos term.Pos, s term.Static) (term.Index, term.Static) {
	if len(f.indices) == 0 {
		f.indices, f.bounds = make([]term.IndexInfo, 1, 16), make([]term.Static, 1, 16)
	}
	i := term.Index(len(f.indices))
	f.indices, f.bounds = append(f.indices, term.IndexInfo{Name: name, Pos: pos}), append(f.bounds, s)
	return i, f.add(term.StaticNode{Op: term.StaticIndex, Index: i})
}

// interval is a range that the values of an expression are in.
type interval struct{ lo, hi float64 }

func (f *statics) interval(e term.Static) interval {
	n := &f.nodes[e]
	switch n.Op {
	case term.StaticNum:
		return interval{n.Val, n.Val}
	case term.StaticIndex:
		return interval{0, max(0, f.interval(f.bounds[n.Index]).hi-1)}
	}
	a := f.interval(n.A)
	if n.Op == term.StaticNeg {
		return interval{-a.hi, -a.lo}
	}
	b := f.interval(n.B)
	switch n.Op {
	case term.StaticAdd:
		return interval{a.lo + b.lo, a.hi + b.hi}
	case term.StaticSub:
		return interval{a.lo - b.hi, a.hi - b.lo}
	case term.StaticMul:
		p := []float64{a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi}
		return interval{slices.Min(p), slices.Max(p)}
	}
	if b.lo <= 0 && b.hi >= 0 {
		return interval{math.Inf(-1), math.Inf(1)}
	}
	p := []float64{a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi}
	return interval{slices.Min(p), slices.Max(p)}
}

// nesting is how deep an expression nests.
func (f *statics) nesting(e term.Static) int {
	n := &f.nodes[e]
	if n.Op == term.StaticNum || n.Op == term.StaticIndex {
		return 1
	}
	d := f.nesting(n.A)
	if n.B != 0 {
		d = max(d, f.nesting(n.B))
	}
	return d + 1
}

// each calls g with the values of the expressions, for all values of the indices on which they depend.
func (f *statics) each(es []term.Static, g func(values []float64)) {
	needed := map[term.Index]bool{}
	var mention func(e term.Static)
	mention = func(e term.Static) {
		if e == 0 {
			return
		}
		n := &f.nodes[e]
		if n.Op == term.StaticIndex && !needed[n.Index] {
			needed[n.Index] = true
			mention(f.bounds[n.Index])
		}
		mention(n.A)
		mention(n.B)
	}
	for _, e := range es {
		mention(e)
	}
	var chain []term.Index // an index is made before those in its scope
	for i := range needed {
		chain = append(chain, i)
	}
	slices.Sort(chain)
	t := term.Term{Statics: f.nodes}
	at, values := make([]float64, len(f.indices)), make([]float64, len(es))
	var loop func(chain []term.Index)
	loop = func(chain []term.Index) {
		if len(chain) == 0 {
			for k, e := range es {
				values[k] = t.Value(e, at)
			}
			g(values)
			return
		}
		i := chain[0]
		for k := range int(t.Value(f.bounds[i], at)) {
			at[i] = float64(k)
			loop(chain[1:])
		}
	}
	loop(chain)
}

// first returns the first value of e that is at least n.
func (f *statics) first(e term.Static, n int) int {
	found := -1
	f.each([]term.Static{e}, func(v []float64) {
		if found < 0 && int(v[0]) >= n {
			found = int(v[0])
		}
	})
	return found
}

// A static index among those of a path is marked by this bit.
const staticBit node = 1 << 31
