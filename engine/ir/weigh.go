package ir

// Weight is what a run of a program is made of, about: instructions that the interpreter runs, and vectors, the
// operations in these, and the lanes of these.
type Weight struct{ Instructions, Vectors, Operations, Lanes float64 }

// unknownSize stands for the size of a loop that is not known.
const unknownSize = 1 << 20

// weigh adds the weight of a function, whose vectors are in edits.
func (w *vectorizer) weigh() {
	type span struct {
		from, to int
		v        *Vector
	}
	labels := map[uint32]int{}
	for i := range w.f.Code {
		if in := &w.f.Code[i]; in.Op == Label {
			labels[in.N] = i
		}
	}
	ends := map[uint32]int{}
	for _, e := range w.edits {
		if e.in.Op == Label {
			ends[e.in.N] = e.before
		}
	}
	at := map[int]span{}
	for _, e := range w.edits {
		if e.in.Op != VectorLoop {
			continue
		}
		to, ok := ends[e.in.N]
		if !ok {
			to = labels[e.in.N]
		}
		if s, ok := at[e.before]; !ok || s.to < to {
			at[e.before] = span{e.before, to, w.p.Vectors[e.in.M]}
		}
	}
	out := &w.p.Weight
	var sizes []float64 // of the loops around
	var last []int
	times := 1.0
	for i := 0; i < len(w.f.Code); i++ {
		if s, ok := at[i]; ok {
			out.Vectors += times
			operations, lanes := s.v.lanes()
			out.Operations += times * operations
			out.Lanes += times * lanes
			i = s.to - 1
			continue
		}
		if end, ok := w.ends[i]; ok {
			size := float64(unknownSize)
			in := &w.f.Code[end]
			n, known := Affine{}, false
			if in.Op == Next {
				n, known = w.constant(in.A)
			} else if w.initial(i, in.D) {
				n, known = w.inits[in.D].at, true
				n.N++
			}
			if known {
				size = float64(max(n.N, 1))
			}
			sizes, last = append(sizes, size), append(last, end)
			times *= size
		}
		out.Instructions += times
		for len(last) > 0 && last[len(last)-1] == i {
			times /= sizes[len(sizes)-1]
			sizes, last = sizes[:len(sizes)-1], last[:len(last)-1]
		}
	}
}

// lanes is how many operations there are, and how many lanes these have; four of a product count as one.
func (v *Vector) lanes() (operations, n float64) {
	for i := range v.Lanes {
		l := &v.Lanes[i]
		size := 1.0
		for k := l.Loop; k >= 0; k = v.Loops[k].Parent {
			size *= float64(v.Loops[k].Size)
		}
		if l.Op >= LaneAdd && l.Op <= LaneProduct {
			operations++
		}
		switch l.Op {
		case LaneAdd, LaneMul, LaneFun1, LaneFun2, LaneTest, LaneSelect:
			n += size
		case LaneSum:
			n += float64(v.ratio(l)) * size / 2
		case LaneProduct:
			n += float64(v.ratio(l)) * size / 4
		}
	}
	return operations, n
}

// ratio is how many summands a sum has.
func (v *Vector) ratio(l *Lane) int { return v.Loops[v.Lanes[l.A].Loop].Size }
