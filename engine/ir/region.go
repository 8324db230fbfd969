package ir

import "slices"

// regions makes vectors of straight code with several nests of loops.
func (w *vectorizer) regions() {
	code := w.f.Code
	for i := 0; i < len(code); {
		to := w.extent(i)
		if to <= i+1 {
			i++
			continue
		}
		w.region(i, to)
		i = to
	}
}

// extent is how far a region may reach that begins at an instruction.
func (w *vectorizer) extent(from int) int {
	code := w.f.Code
	to := from
	w.begin(from, from-1)
	w.v.Region = true
	for to < len(code) {
		end := to
		in := &code[to]
		if in.Op == Label {
			last, ok := w.ends[to]
			if ok {
				end = last
			} else if !w.loopEnd(to) {
				return to
			}
		} else if in.Op == Next || in.Op == Prev || in.Sets() == 1 && w.sets[in.D] > 1 && !w.starts(to) {
			return to
		}
		for k := to; k <= end; k++ {
			in := &code[k]
			if !in.Op.laneable() {
				return to
			}
			for r := range in.Sets() {
				w.inside[in.D+Reg(r)] = true
			}
		}
		if w.parse(to, end+1, -1); w.failed {
			return to
		}
		to = end + 1
	}
	return to
}

// loopEnd reports whether a label is that behind a loop that counts up: only that goes there.
func (w *vectorizer) loopEnd(i int) bool {
	if i == 0 || w.f.Code[i-1].Op != Next {
		return false
	}
	for k := range w.f.Code {
		if in := &w.f.Code[k]; slices.Contains(in.Targets(), w.f.Code[i].N) {
			return false
		}
	}
	return true
}

// starts reports whether an instruction sets the index of the next loop.
func (w *vectorizer) starts(i int) bool {
	if op := w.f.Code[i].Op; op != Const && op != Move {
		return false
	}
	k := w.head(i)
	return k >= 0 && w.f.Code[w.ends[k]].D == w.f.Code[i].D
}

// head is where the next loop begins behind an instruction, −1 if other labels come before it.
func (w *vectorizer) head(i int) int {
	for k := i + 1; k < len(w.f.Code) && w.f.Code[k].Op.laneable(); k++ {
		if w.f.Code[k].Op == Label {
			if _, ok := w.ends[k]; ok {
				return k
			}
			break
		}
	}
	return -1
}

// region makes a vector of the code from from to below to, where it ends in straight code.
func (w *vectorizer) region(from, to int) {
	code := w.f.Code
	for from < to && code[from].Op != Alloc && !w.isHead(from) {
		from++
	}
	for to > from && (code[to-1].Op == Count || code[to-1].Op == Const || code[to-1].Op == Move) {
		to--
	}
	if from >= to {
		return
	}
	w.begin(from, to-1)
	w.v.Region = true
	var moved []int
	ahead := map[Reg]bool{}
	for i := from; i < to; i++ {
		in := &code[i]
		if end, ok := w.ends[i]; ok {
			i = end
			continue
		}
		free := in.pure() && in.Op != Move && in.Op != IndexDiv && w.sets[in.D] == 1 && !w.summed[in.D]
		in.Uses(func(r *Reg) { free = free && (!w.inside[*r] || ahead[*r]) })
		if free {
			moved, ahead[in.D] = append(moved, i), true
		}
	}
	for r := range ahead {
		delete(w.inside, r)
	}
	loops := 0
	for i := from; i < to && !w.failed; i++ {
		if slices.Contains(moved, i) {
			continue
		}
		end := i
		if last, ok := w.ends[i]; ok {
			end, loops = last, loops+1
		} else if in := &code[i]; (in.Op == Copy || in.Op == CopyX) && in.K >= longCopy {
			loops += 2
		}
		w.parse(i, end+1, -1)
		i = end
	}
	if w.failed && w.again() {
		w.region(from, to)
		return
	}
	if w.failed || loops == 0 {
		return
	}
	if cut, ok := w.results(from, to); !ok {
		if cut >= 0 {
			w.region(from, cut)
		}
		return
	}
	if loops < 2 && len(w.v.Results) < 2 || !w.products() || !w.small() { // one loop with one result is a nest
		return
	}
	if w.findWindows() {
		w.region(from, to)
		return
	}
	in := Instr{Op: VectorLoop, M: uint32(len(w.p.Vectors)), K: uint32(len(w.v.Results)), D: Reg(w.f.Regs), Args: w.args,
		Pos: code[from].Pos}
	if w.named == nil {
		w.named = map[Reg]Reg{}
	}
	for i, r := range w.order {
		w.named[r] = in.D + Reg(i)
	}
	w.f.Regs += len(w.v.Results)
	w.p.Vectors = append(w.p.Vectors, w.v.prune())
	w.v.Rows = w.v.rows()
	for _, i := range moved {
		w.edits = append(w.edits, &edit{before: i, drop: true}, &edit{before: from, in: code[i]})
	}
	w.behind(&in, to)
	w.edits = append(w.edits, &edit{before: from, in: in})
}

// isHead reports whether a loop begins at an instruction.
func (w *vectorizer) isHead(i int) bool {
	_, ok := w.ends[i]
	return ok
}

// small reports whether a region has few lanes, and enough.
func (w *vectorizer) small() bool {
	n, least := 0, 0
	for i := range w.v.Lanes {
		l := &w.v.Lanes[i]
		switch {
		case !l.computed():
		case w.v.Packed(l.Loop):
			least = max(least, w.v.Count(l.Loop))
		default:
			n = max(n, w.v.Count(l.Loop))
		}
		if least = max(least, n); l.Op == LaneOneHot { // in place of so many
			least = max(least, w.v.Count(l.B))
		}
	}
	return least >= minLanes && n <= maxRegion
}

// results finds what is read behind a region, and reports whether the vector can make it. If it cannot because a vector
// is not complete, cut is where that is allocated.
func (w *vectorizer) results(from, to int) (cut int, ok bool) {
	for i := range w.locals {
		if l := &w.locals[i]; l.loop == -1 && l.stored < l.slots {
			return l.at, false
		}
	}
	read := map[Reg]bool{}
	for i := range w.f.Code {
		if i < from || i >= to {
			w.f.Code[i].Uses(func(r *Reg) { read[*r] = true })
		}
	}
	stores := map[Reg]*local{}
	for i := range w.locals {
		stores[w.locals[i].reg] = &w.locals[i]
	}
	for r := range w.inside {
		if !read[r] {
			continue
		}
		v := w.vals[r]
		if l := stores[r]; l != nil && l.loop == -1 && w.sets[r] == 1 {
			continue
		}
		if w.sets[r] != 1 || v.kind != laneNumber || v.loop != -1 || w.v.Lanes[v.lane].Op < LaneAdd {
			return -1, false
		}
	}
	for i := from; i < to; i++ { // in the order of the code
		in := &w.f.Code[i]
		if in.Sets() != 1 || !read[in.D] || !w.inside[in.D] {
			continue
		}
		if l := stores[in.D]; l != nil {
			for _, p := range l.parts {
				w.v.Lanes[p.store].Arg = len(w.v.Results)
			}
			w.v.Results = append(w.v.Results, Result{l.slots, -1})
		} else {
			w.v.Results = append(w.v.Results, Result{0, w.vals[in.D].lane})
		}
		w.order = append(w.order, in.D)
	}
	w.drop()
	return -1, len(w.v.Results) > 0
}
