package block

import "github.com/gram-machine/gram/graph"

// In a block with arrays the runs may decide whether something arrives at a dual. Discovery counts such an arrival as due. Where it does not
// come, it is missed: a cell at which all arrivals were missed does not fire, and misses those at its heads.

// keepReached keeps where something has arrived at the duals of the result of the run before.
func (f *firing) keepReached(w *graph.Backward) {
	if w.BeforeReach != 0 {
		copy(f.nonzero, f.r.Regs[w.BeforeReach:])
		return
	}
	for j, next := range w.Next {
		f.nonzero[j] = 0
		if next {
			f.nonzero[j] = 1
		}
	}
}

// noteReached notes the external duals at which something has arrived.
func (f *firing) noteReached(w *graph.Backward) {
	if f.Block.Arrays == nil {
		return
	}
	certain := w.Sums
	if len(w.Partial) > 0 {
		certain = w.Certain
	}
	for _, s := range certain {
		for e := range s.N {
			f.out.reached[s.Ext+e] = true
		}
	}
	for j, reg := range w.Elements {
		if reg != 0 {
			f.out.reached[f.Block.ParamExt(0)+j] = true
		}
	}
	for i := range w.Partial {
		p := &w.Partial[i]
		reach := make([]int, graph.Instances(p.Dims))
		p.Reach.Each(p.Dims, func(instance, reg int) { reach[instance] = reg })
		p.At.Each(p.Dims, func(instance, e int) {
			if f.r.Regs[reach[instance]] != 0 {
				f.out.reached[e] = true
			}
		})
	}
}

// Missed reports whether nothing arrives at external dual k, at which something may.
func (c *Contributions) Missed(k int) bool { return len(c.reached) > 0 && !c.reached[k] }

// Doubt notes the external duals at which the runs of an object decide whether something arrives.
func (r *Runner) Doubt(p *Object, w *graph.Backward) {
	for i := range w.Partial {
		at := &w.Partial[i]
		at.At.Distinct(at.Dims, func(e int) { r.doubted = append(r.doubted, p.Exts[e]) })
	}
}

// Settle notes how many arrivals are due at the duals that were doubted, and at those that they reach. The error is [graph.ErrFamilies] where
// that is the result of a block.
func (r *Runner) Settle(state []graph.Node) error {
	if len(r.doubted) == 0 {
		return nil
	}
	r.due = map[graph.Ref]uint32{}
	for len(r.doubted) > 0 {
		h := r.doubted[len(r.doubted)-1]
		r.doubted = r.doubted[:len(r.doubted)-1]
		if _, ok := r.due[h]; ok {
			continue
		}
		r.due[h] = state[h].A
		switch r.nodes[h].Kind() {
		case graph.Input:
		case graph.DualCell:
			r.doubted = append(r.doubted, r.heads(h)...)
		default:
			r.doubted = r.doubted[:0]
			return graph.ErrFamilies
		}
	}
	return nil
}

// heads are those of a dual λ.
func (r *Runner) heads(d graph.Ref) []graph.Ref {
	body := &r.prog.Bodies[r.prog.Duals[r.nodes[d].Head>>graph.KindShift].Body]
	w := 4*uint64(d) + graph.DualWords
	return r.words[w : w+uint64(body.Heads)]
}

// Miss says that an arrival at a dual does not come. It calls arrived with the duals at which all others have.
func (r *Runner) Miss(h graph.Ref, state []graph.Node, arrived func(h graph.Ref) error) error {
	for stack := []graph.Ref{h}; len(stack) > 0; {
		h := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if h == graph.NullDual {
			continue
		}
		state[h].A--
		r.due[h]--
		switch {
		case state[h].A > 0:
		case r.due[h] > 0:
			if err := arrived(h); err != nil {
				return err
			}
		case r.nodes[h].Kind() == graph.DualCell:
			stack = append(stack, r.heads(h)...)
		}
	}
	return nil
}
