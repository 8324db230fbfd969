package block

import (
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
)

// tupleSite is where an open block makes tuples: one for each instance of the loops around.
type tupleSite struct {
	wire   arrayWire
	around []graph.Dim
	mask   graph.Address
	// joined are the results of two branches of which it is one, made there.
	joined []arrayWire
	// A variable stands for them: where they are open, (10) names their components.
	named bool
}

// made returns the wire of a tuple or a family that is made now.
func (b *arrayBuilder) made(w arrayWire) arrayWire {
	if b.c.out.Open && w.kind != closureWire {
		w.site = len(b.sites) + 1
		b.sites = append(b.sites, tupleSite{wire: w, around: b.dims(), mask: b.maskAt(b.dims())})
	}
	return w
}

// joined returns the wire of a tuple that is one of two.
func (b *arrayBuilder) joined(w arrayWire, of ...arrayWire) arrayWire {
	if b.c.out.Open {
		w.site = len(b.sites) + 1
		b.sites = append(b.sites, tupleSite{joined: of})
	}
	return w
}

// maskAt is the address of the mask of what is compiled.
func (b *arrayBuilder) maskAt(dims []graph.Dim) graph.Address {
	if m := b.mask(); m != 0 {
		return b.masks[m-1].Address(dims)
	}
	return graph.Address{}
}

// tally counts the binders and occurrences of variables that stand for tuples, which are values, and notes those that stand for
// numbers.
func (b *arrayBuilder) tally(in *graph.Instr) bool {
	t, around := b.t, []graph.Dim(nil)
	if m := b.mask(); m != 0 {
		t, around = &b.c.out.Templates[b.masks[m-1].Template], b.masks[m-1].Dims
	}
	for i, s := range b.args(in) {
		weight := b.c.out.Weights[int(in.Tmpl)+i]
		w, ok := b.wire(s)
		if !ok {
			return false
		}
		w = sole(w)
		switch w.kind {
		case closureWire, graph.DualLeaf:
			return false
		case graph.NumLeaf:
			n := graph.ArrayNumbers{Dims: slices.Clone(around)}
			for _, d := range b.dimsOf(w.at) {
				if !slices.Contains(n.Dims, d) {
					n.Dims = append(n.Dims, d)
				}
			}
			n.At, n.Mask = address(w.at, n.Dims), b.maskAt(n.Dims)
			each := uint64(graph.Instances(n.Dims) / graph.Instances(around))
			weight.Binders, weight.Occurrences = weight.Binders/each, weight.Occurrences/each
			b.tallies = append(b.tallies, graph.ArrayTally{ArrayNumbers: n, Weight: weight})
			continue
		}
		if weight.Binders > 0 {
			b.name(w)
		}
		t.Counts[rule.Subst] += weight.Occurrences
		t.Counts[rule.GC] += weight.Binders
		t.Steps += weight.Occurrences + weight.Binders
		if t == b.t {
			b.out.Steps += weight.Occurrences + weight.Binders
		}
	}
	return true
}

// dimsOf are the loops on whose indices a depends.
func (b *arrayBuilder) dimsOf(a Affine) (dims []graph.Dim) {
	for id, k := range a.Coef {
		if k != 0 {
			dims = append(dims, b.dim(id))
		}
	}
	return dims
}

// sole returns the component of a vector that has one, which is the same tuple of the calculus, and w otherwise.
func sole(w arrayWire) arrayWire {
	for w.kind == graph.VecLayout && w.loop == 0 && len(w.parts) == 1 {
		w = w.parts[0]
	}
	return w
}

// name notes that a variable stands for tuples. (10) names their components, too. Tuples from outside of the block have been named
// there.
func (b *arrayBuilder) name(w arrayWire) {
	w = sole(w)
	if w.site == 0 || b.sites[w.site-1].named {
		return
	}
	b.sites[w.site-1].named = true
	for _, p := range b.sites[w.site-1].joined {
		b.name(p)
	}
	for _, p := range w.parts {
		b.name(p)
	}
}

// named reports whether variables stand for a tuple. It is not ok if that depends on the instance.
func (b *arrayBuilder) named(w *arrayWire) (named, ok bool) {
	if w.site == 0 || b.sites[w.site-1].named {
		return true, true
	}
	ok = true
	for i := range b.sites[w.site-1].joined {
		n, known := b.named(&b.sites[w.site-1].joined[i])
		ok = ok && known && (i == 0 || n == named)
		named = n
	}
	return named, ok
}

// namedTuples are the tuples that the block makes and that variables stand for.
func (b *arrayBuilder) namedTuples() (out []graph.ArrayTuple) {
	for i := range b.sites {
		s := &b.sites[i]
		if !s.named || s.joined != nil {
			continue
		}
		t := graph.ArrayTuple{Dims: s.around, Mask: s.mask, N: uint64(len(s.wire.parts))}
		dims := s.around
		if s.wire.loop > 0 {
			last := b.dim(s.wire.loop - 1)
			dims, t.N = append(slices.Clone(dims), last), uint64(last.Size)
		}
		for _, p := range s.wire.parts {
			p = sole(p)
			if p.kind == graph.NumLeaf {
				t.Numbers = append(t.Numbers, graph.ArrayNumbers{Dims: dims, At: address(p.at, dims)})
			} else {
				t.Deep = b.numbers(t.Deep, &p, dims)
			}
		}
		out = append(out, t)
	}
	return out
}

// numbers appends the numbers of a tuple, for each instance of the dimensions.
func (b *arrayBuilder) numbers(out []graph.ArrayNumbers, w *arrayWire, dims []graph.Dim) []graph.ArrayNumbers {
	if w.kind == graph.NumLeaf {
		return append(out, graph.ArrayNumbers{Dims: dims, At: address(w.at, dims)})
	}
	if w.kind == closureWire {
		return out
	}
	if w.loop > 0 {
		dims = append(slices.Clone(dims), b.dim(w.loop-1))
	}
	for i := range w.parts {
		out = b.numbers(out, &w.parts[i], dims)
	}
	return out
}
