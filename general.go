package gram

import (
	"cmp"
	"math"
	"slices"

	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/term"
)

// A program runs as code of the compiler if its comprehensions and its lists are short, if it recurs, or if it has data
// that is not stored. One with short comprehensions and long lists does so if there is machine code for its loops, and one
// of vectors. Others are blocks and arrays of the machine.
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
// Profiles, and runs whose results have to be finite, do where the compiler has code.
func (p *Program) general(opt *EvalOptions, gradient bool) bool {
	if gradient && opt.Strategy != Direct {
		return false
	}
	f := cmp.Or(p.force, force)
	if f < 0 {
		return false
	}
	g := &p.isGeneral
	g.once.Do(func() { g.has, g.is, g.lists = isGeneral(p.src.Written()) })
	return g.is || g.has && (f > 0 || opt.placed() || g.lists || opt.vectors())
}

// linear reports whether the program has dual λs of its own.
func (p *Program) linear() bool {
	p.isLinear.once.Do(func() {
		t := p.src.Written()
		p.isLinear.is = slices.ContainsFunc(t.Nodes, func(n term.Node) bool { return n.Op == term.LamOp && t.Linear(n.X) })
	})
	return p.isLinear.is
}

// tooSlow reports whether a program has long loops that are neither vectors nor loops over lists for which there is
// machine code.
func (p *Program) tooSlow(opt *EvalOptions, code *exec.Program, gradient bool) bool {
	return !p.isGeneral.is && !opt.placed() && cmp.Or(p.force, force) == 0 && !(p.isGeneral.lists && code.Fast()) &&
		!(opt.vectors() && vectorised(code, gradient))
}

// vectors reports whether vectors may take the place of the machine's arrays, which several goroutines may run.
func (opt *EvalOptions) vectors() bool {
	return opt.Schedule != Parallel && !opt.NoFuse && opt.RowsMemory == 0
}

// Vectors are taken if they do nearly all of the work, and have so many lanes that they take no longer than arrays. Their
// tape must not take much memory: the machine can do with less.
const (
	vectorLanes = 256     // for each vector
	opLanes     = 20      // for each operation in one
	fewLanes    = 8       // for an instruction of the interpreter
	longestTape = 1 << 25 // lanes
)

// vectorised reports whether vectors do the work of the value or the gradient.
func vectorised(code *exec.Program, gradient bool) bool {
	w := code.Weight()
	return w.Lanes >= vectorLanes*w.Vectors+opLanes*w.Operations && w.Lanes >= fewLanes*w.Instructions &&
		(w.Lanes < longestTape || !gradient)
}

// isGeneral is whether the compiler has code for a term, whether that is what the term needs, and whether nothing in it is
// long but lists.
func isGeneral(t *term.Term) (has, is, lists bool) {
	recurs, streamed, long, wide := false, false, false, false
	runs := make([]float64, len(t.Nodes)) // of the comprehensions around a node and its own
	depth := make([]int32, len(t.Nodes))
	for r := len(t.Nodes) - 1; r > 0; r-- {
		n := &t.Nodes[r]
		if depth[r] > maxDepth {
			return false, false, false
		}
		runs[r] = max(1, runs[r])
		switch n.Op {
		case term.FixOp, term.CaseOp:
			recurs = true
		case term.LamOp:
			if t.Linear(n.X) { // a dual λ that is written is the machine's
				return false, false, false
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
			if s >= short || runs[r] >= manyRuns {
				long = true
				wide = wide || s >= short && n.Op != term.ListFamilyOp
			}
		case term.ListOp:
			long = long || n.N >= shortList
		case term.NatOp:
			long = long || n.Count >= shortList
		case term.DataOp:
			d := &t.Data[n.A]
			streamed = streamed || d.Chunk != nil
			wide = wide || d.Width >= shortComprehension
			long = long || wide || d.List && d.Rows >= shortList
		}
		t.Kids(n, func(k term.Ref) { runs[k], depth[k] = runs[r], depth[r]+1 })
		switch n.Op {
		case term.LetOp, term.UnpairOp, term.UnvecOp, term.UntupleOp: // gone through in a loop
			depth[n.A] = depth[r]
		}
	}
	return true, recurs || streamed || !long, !wide
}
