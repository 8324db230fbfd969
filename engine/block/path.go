package block

import (
	"slices"

	"github.com/gram-machine/gram/graph"
)

// wiring returns the wiring of a run on a path after one of the wiring w; nil is that of no run.
func (l *Loop) wiring(w *graph.Wiring, path int) *graph.Wiring {
	if w == nil {
		return l.First[path]
	}
	if to := w.To(path); to != nil {
		return to
	}
	return l.Block.Paths[path].After(w, l.Kind)
}

// wire is [Loop.wiring] by numbers; 0 is that of no run. The wirings of first runs are those of an object, so they are not in the table.
func (l *Loop) wire(last uint32, path int) uint32 {
	if last == 0 {
		return l.First[path].Number
	}
	at := int(last)*len(l.Block.Paths) + path
	if at < len(l.next) && l.next[at] != 0 {
		return l.next[at]
	}
	next := l.wiring(l.Block.States()[last], path).Number
	l.next = grow(l.next, at)
	l.next[at] = next
	return next
}

// runPaths runs the runs [i, end) of a block with paths. values are the numbers of the data from number first on.
func (r *Runner) runPaths(l *Loop, plan *graph.Plan, rows []float64, i, end uint64, values []float64, first int) {
	regs, tree, w, state := r.Regs, l.Block.Tree, l.Last, l.State()
	columns := uint64(len(plan.Row))
	var element []uint32
	width := 0
	if l.Data != nil {
		element, width = l.Block.Params[0].Regs, l.Data.Width
	}
	for ; i < end; i++ {
		if len(element) > 0 {
			at := l.element(i)*width - first
			for c, reg := range element {
				regs[reg] = values[at+c]
			}
		}
		n := &tree[0]
		run(n.Code, regs)
		for n.Test != nil {
			next := n.Else
			if n.Test.Cmp.Holds(regs[n.Test.A], regs[n.Test.B]) {
				next = n.Then
			}
			if n = &tree[next]; len(n.Code) > 0 {
				run(n.Code, regs)
			}
		}
		r.Ran[n.Path]++
		if l.First != nil {
			w = l.wiring(w, n.Path)
		}
		if columns > 0 {
			regs[l.Block.State] = float64(w.Number)
			row := rows[i*columns : (i+1)*columns]
			for c, reg := range plan.Row {
				row[c] = regs[reg]
			}
		}
		if results := l.Block.Paths[n.Path].Out.Regs; len(results) == 1 {
			regs[state[0]] = regs[results[0]]
		} else {
			r.moveState(state, results)
		}
	}
	l.Last = w
}

// Paths goes through the runs of a block with paths, the last first, and finds the backward code of each: the code of the
// run behind it and its own wiring determine it.
type Paths struct {
	of      *graph.Block
	states  []*graph.Wiring
	codes   []*graph.Backward // by their numbers, from 1
	next    [][]int32         // by the wiring, and by the number of the code of the run behind: the number of the code; 0: not known yet
	reached []bool            // of the duals of the result, where there is none
	rows    []float64
	columns uint64
}

// begin sets q up for the duals of the block's result that the job has reached. more reports whether there are any.
func (q *Paths) begin(p *Object, rows []float64, reached []bool) (more bool) {
	if q.of != p.Block {
		q.of, q.codes, q.next = p.Block, append(q.codes[:0], nil), q.next[:0]
	}
	q.states = p.Block.States()
	q.next = grow(q.next, len(q.states)-1)
	for _, next := range q.next { // what a job reaches is its own
		if len(next) > 0 {
			next[0] = 0
		}
	}
	q.columns, q.rows, q.reached = uint64(len(p.Plan.Row)), rows, reached
	return slices.Contains(reached, true)
}

// pathCodes finds the backward codes of all runs: the numbers of those from the run first on, and in r.times how often each occurs. The
// rows are those of the object, of whose result the job has reached some duals.
func (r *Runner) pathCodes(p *Object, rows []float64, reached []bool) (q *Paths, numbers []int32, first uint64, err error) {
	q = &r.paths
	more := q.begin(p, rows, reached)
	numbers = Resize(&r.numbers, int(p.N))
	times := Resize(&r.times, len(q.codes))
	last := int32(0)
	for first = p.N; first > 0 && more; {
		if first%LookEvery == 0 {
			if err := r.host.Look(); err != nil {
				return nil, nil, 0, err
			}
		}
		wiring := int(q.rows[first*q.columns-1]) // it is in the last column
		next := int32(0)
		if of := q.next[wiring]; int(last) < len(of) {
			next = of[last]
		}
		if next == 0 {
			if next, err = q.find(r, wiring, int(last)); err != nil {
				return nil, nil, 0, err
			}
			times = grow(times, int(next))
		}
		last = next
		first--
		numbers[first] = last
		times[last]++
		more = q.codes[last].More
	}
	r.times = times
	return q, numbers, first, nil
}

// find finds the code of a run of the wiring, and of the number of the code of the run behind.
func (q *Paths) find(r *Runner, wiring, last int) (int32, error) {
	reached := q.reached
	if behind := q.codes[last]; behind != nil {
		reached = behind.Next
	}
	w, err := q.states[wiring].Backward(r.prog, reached, false, false, r.look)
	if err == nil && w.Decided {
		err = graph.ErrFamilies
	}
	if err != nil {
		return 0, err
	}
	number := slices.Index(q.codes, w)
	if number < 0 {
		number = len(q.codes)
		q.codes = append(q.codes, w)
	}
	q.next[wiring] = grow(q.next[wiring], last)
	q.next[wiring][last] = int32(number)
	return int32(number), nil
}

// grow returns s with an element i.
func grow[T any](s []T, i int) []T {
	if i < len(s) {
		return s
	}
	return append(s, make([]T, i+1-len(s))...)
}

// DiscoverPaths marks the external duals that the cells of a block with paths reach, and returns how many runs these are of.
// reached are the duals of its result that the job has reached. The error is that of the host.
func (r *Runner) DiscoverPaths(p *Object, reached, used []bool) (runs uint64, err error) {
	rows, err := r.rowsOf(p)
	if err != nil {
		return 0, err
	}
	q, _, first, err := r.pathCodes(p, rows, reached)
	if err != nil {
		return 0, err
	}
	for i, n := range r.times {
		if n == 0 {
			continue
		}
		r.ReachElements(p, q.codes[i], used)
		for _, s := range q.codes[i].Sums {
			for e := range s.N {
				used[s.Ext+e] = true
			}
		}
	}
	return p.N - first, nil
}

// firePaths fires the cells of all runs of a block with paths, the last first.
func (f *firing) firePaths() error {
	r := f.r
	q, numbers, first, err := r.pathCodes(&f.Object, f.rows, f.reached)
	if err != nil {
		return err
	}
	if f.readsElements() {
		if err := f.elements(f.run); err != nil {
			return err
		}
	}
	code, err := f.pathCode(q, f.run-first)
	if err != nil {
		return err
	}
	if code != nil {
		err = f.firePathsNative(code, q, numbers, first)
	} else {
		err = f.interpretPaths(q, numbers, first)
	}
	if err != nil {
		return err
	}
	f.keepSums(r.Regs)
	for i, n := range r.times {
		if n == 0 {
			continue
		}
		w := q.codes[i]
		f.out.Arrivals += n * w.Arrivals
		f.out.Cells += n * w.Cells
		r.host.Fired(w, n)
	}
	return nil
}

// fired counts steps, and looks at the limits if it is time.
func (f *firing) fired(steps uint64) error {
	h := f.r.host
	h.Count(steps)
	if h.Left() == 0 {
		return h.LookBackward(LookEvery)
	}
	return nil
}

// interpretPaths fires the cells of the runs down to first, whose codes have the numbers.
func (f *firing) interpretPaths(q *Paths, numbers []int32, first uint64) error {
	r, plan := f.r, f.Plan
	regs, spent, left := r.Regs, uint64(0), r.host.Left()
	kept := plan.Row[:len(plan.Row)-1] // the last is the wiring
	entered := Resize(&r.used, len(q.codes))
	last := 0
	for f.run > first {
		f.run--
		number := int(numbers[f.run])
		w := q.codes[number]
		if number != last {
			if entered[number] {
				for _, c := range w.Consts {
					regs[c.Reg] = c.Val
				}
			} else {
				f.keepSums(regs)
				if err := f.enter(w); err != nil {
					return err
				}
				regs = r.Regs // they may have moved
				copy(regs[f.Block.Sum(0):], f.out.Sums)
				entered[number] = true
			}
			last = number
		}
		if spent += w.Steps; spent >= left {
			if err := f.fired(spent); err != nil {
				return err
			}
			spent, left = 0, r.host.Left()
		}
		row := f.rows[f.run*q.columns:]
		for c, reg := range kept {
			regs[reg] = row[c]
		}
		if plan.Elements {
			f.loadElement(regs)
		}
		for j, reg := range w.Out {
			regs[reg] = f.adjoint[j]
		}
		regs[0] = 0
		run(w.Code, regs)
		f.keepElement(w, regs)
		for j, reg := range w.Before {
			f.adjoint[j] = regs[reg]
		}
	}
	r.host.Count(spent)
	return nil
}

// keepSums keeps the sums of external duals, which all codes of a block with paths have in the same registers.
func (f *firing) keepSums(regs []float64) {
	first := f.Block.Sum(0)
	for e, any := range f.out.Any {
		if any {
			f.out.Sums[e] = regs[first+uint32(e)]
		}
	}
}

// PathsBlock returns the block with paths of a closure that an iteration applies to args arguments, n times, if there is one. So many runs
// make the code of one more path worth making.
func (r *Runner) PathsBlock(f graph.Ref, args int, n, runsPerPath uint64) *graph.Block {
	id := r.nodes[f].Head >> graph.KindShift
	if n := int(r.prog.Templates[id].Params); n != args && n != args+1 {
		return nil
	}
	closures, ok := r.closures(f)
	if !ok {
		return nil
	}
	return r.prog.LoopBlock(id, args, closures, int(min(n/runsPerPath, graph.MaxPaths)))
}

// The function of a block with paths captures at most maxClosures closures.
const maxClosures = 64

// closures returns the templates of the closures that a closure captures, and of those that these capture, in preorder; false if they are too
// many for a block with paths, or not all of them are closures.
func (r *Runner) closures(f graph.Ref) (ids []uint32, ok bool) {
	for stack := []graph.Ref{f}; len(stack) > 0; {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		id := r.nodes[f].Head >> graph.KindShift
		if len(ids) > maxClosures {
			return nil, false
		}
		ids = append(ids, id)
		w := 4*uint64(f) + graph.ValueWords
		for _, v := range slices.Backward(r.words[w : w+uint64(r.prog.Templates[id].Caps)]) {
			switch r.nodes[v].Kind() {
			case graph.Closure:
				stack = append(stack, v)
			case graph.Partial, graph.Chain, graph.List, graph.Nat, graph.DataList, graph.Neutral:
				return nil, false
			}
		}
	}
	return ids[1:], true
}
