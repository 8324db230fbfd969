package gram

import (
	"cmp"
	"math"

	"github.com/gram-machine/gram/term"
)

// A program runs as code of the compiler if its comprehensions and its lists are short, or if it recurs. Long loops
// of straight-line arithmetic are blocks of the machine, with kernels and machine code.
const (
	shortComprehension = 32
	shortList          = 64
	manyRuns           = 256 // of comprehensions in one another
	// maxDepth bounds how deep a term nests that is compiled: the compiler recurs on it.
	maxDepth = 512
)

// force, if not 0, makes the compiler take all programs for which it has code, 1, or none, -1. Tests set it.
var force int

// general reports whether a program runs as code of the compiler, which one goroutine does, also where several may.
// Profiles, and runs whose results have to be finite, do where the compiler has code. The random schedule is the
// machine's, and rows are.
func (p *Program) general(opt *EvalOptions, gradient bool) bool {
	if gradient && opt.Strategy != Direct || opt.Schedule == Random || opt.RowsMemory != 0 {
		return false
	}
	f := cmp.Or(p.force, force)
	if f < 0 {
		return false
	}
	p.isGeneral.once.Do(func() { p.isGeneral.has, p.isGeneral.is = isGeneral(p.src.Written()) })
	return p.isGeneral.is || p.isGeneral.has && (f > 0 || opt.placed())
}

// isGeneral is whether the compiler has code for a term, and whether that is what the term needs.
func isGeneral(t *term.Term) (has, is bool) {
	recurs, long := false, false
	runs := make([]float64, len(t.Nodes)) // of the comprehensions around a node and its own
	depth := make([]int32, len(t.Nodes))
	for r := len(t.Nodes) - 1; r > 0; r-- {
		n := &t.Nodes[r]
		if depth[r] > maxDepth {
			return false, false
		}
		runs[r] = max(1, runs[r])
		switch n.Op {
		case term.FixOp, term.CaseOp:
			recurs = true
		case term.LamOp:
			if t.Linear(n.X) { // a dual λ that is written is the machine's
				return false, false
			}
		case term.FamilyOp, term.SumOp, term.ListFamilyOp:
			s := math.Inf(1)
			if len(t.IndicesOf(n.Static())) == 0 {
				s = t.Value(n.Static(), nil)
			}
			runs[r] *= s
			short := float64(shortComprehension)
			if n.Op == term.ListFamilyOp {
				short = shortList
			}
			long = long || s >= short || runs[r] >= manyRuns
		case term.ListOp:
			long = long || n.N >= shortList
		case term.NatOp:
			long = long || n.Count >= shortList
		case term.DataOp:
			d := &t.Data[n.A]
			if d.Chunk != nil { // data that is not stored
				return false, false
			}
			long = long || d.List && d.Rows >= shortList || d.Width >= shortComprehension
		}
		t.Kids(n, func(k term.Ref) { runs[k], depth[k] = runs[r], depth[r]+1 })
		switch n.Op {
		case term.LetOp, term.UnpairOp, term.UnvecOp, term.UntupleOp: // gone through in a loop
			depth[n.A] = depth[r]
		}
	}
	return true, recurs || !long
}
