package engine

import (
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
)

// runsPerPath is how many runs of an iteration make the code of one more path worth making.
var runsPerPath uint64 = 16

// The function of a block with paths captures at most maxClosures closures.
const maxClosures = 64

// loopBlock returns the block with paths of the iteration that begins at r, if there is one. chain says that its function takes one
// argument more.
func (m *Machine) loopBlock(r graph.Ref) (b *graph.Block, chain bool) {
	kind := m.nodes[r].Kind()
	if m.literal || m.record != nil || kind == graph.IterList || m.left(r) < runsPerPath {
		return nil, false
	}
	f := m.words[4*uint64(r)+graph.IterFunction]
	args := iterArgs(kind == graph.IterNat)
	if m.nodes[f].Kind() != graph.Closure || m.fusedBlock(f, args) != nil {
		return nil, false
	}
	return m.specialBlock(f, args, m.left(r)), m.prog.Templates[m.nodes[f].Head>>graph.KindShift].Params > uint32(args)
}

// specialBlock returns the block with paths of a closure that an iteration applies to args arguments, n times, if there is one.
func (m *Machine) specialBlock(f graph.Ref, args int, n uint64) *graph.Block {
	id := m.nodes[f].Head >> graph.KindShift
	if n := int(m.prog.Templates[id].Params); n != args && n != args+1 {
		return nil
	}
	closures, ok := m.closures(f)
	if !ok {
		return nil
	}
	return m.prog.LoopBlock(id, args, closures, int(min(n/runsPerPath, graph.MaxPaths)))
}

// makeChain is startIteration where the function f takes one argument more than an element and what has come of those behind it:
// f a1 (… (f an x)) is a function. Its steps are counted at once, and no closure is made.
func (m *Machine) makeChain(r graph.Ref, b *graph.Block, source, f, x graph.Ref, n uint64) {
	m.addSteps(rule.Subst, n)
	args := uint64(1)
	if m.nodes[source].Kind() == graph.DataList {
		m.addSteps(rule.GC, n*uint64(b.Params[0].Duals))
		args = 2
	}
	m.applied += args * n
	m.steps += 2 * args * n
	v := m.top
	m.top++
	m.nodes[v] = graph.Node{Head: uint32(graph.Chain), A: f, V: uint64(source) | uint64(x)<<32}
	m.settle(r, v)
}

// applyChain applies a chain: each of its functions to the result of that before, and the innermost function to what comes of it.
func (m *Machine) applyChain(r graph.Ref) error {
	w := 4*uint64(r) + graph.WaitWords
	chain := m.nodes[m.words[w]]
	f, source, inner := chain.A, graph.Ref(chain.V), graph.Ref(chain.V>>32)
	d := m.nodes[source]
	nat := d.Kind() == graph.Nat
	n := d.V
	if !nat {
		n = uint64(m.prog.Data[d.A].Rows)
	}
	if err := m.ensure(2); err != nil {
		return err
	}
	end := m.placeholder()
	if err := m.iterateBlock(end, m.specialBlock(f, iterArgs(nat), n), f, source, m.words[w+1], n, true); err != nil {
		return err
	}
	m.words[w], m.words[w+1] = inner, m.Resolve(end)
	m.push(r)
	return nil
}

// closures returns the templates of the closures that a closure captures, and of those that these capture, in preorder.
func (m *Machine) closures(f graph.Ref) (ids []uint32, ok bool) {
	for stack := []graph.Ref{f}; len(stack) > 0; {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		id := m.nodes[f].Head >> graph.KindShift
		if len(ids) > maxClosures {
			return nil, false
		}
		ids = append(ids, id)
		w := 4*uint64(f) + graph.ValueWords
		for _, v := range slices.Backward(m.words[w : w+uint64(m.prog.Templates[id].Caps)]) {
			switch m.nodes[v].Kind() {
			case graph.Closure:
				stack = append(stack, v)
			case graph.Partial, graph.Chain, graph.List, graph.Nat, graph.DataList, graph.Neutral:
				return nil, false
			}
		}
	}
	return ids[1:], true
}

// pathLoop is what an iteration keeps of a block with paths.
type pathLoop struct {
	first  []*graph.Wiring // of the first run, by its path
	wiring *graph.Wiring   // of the last run
	next   []uint32        // by the number of the wiring of the run before, and by the path: that of the run; 0: not known yet
}

// firstWirings returns the wirings of a first run, by its path.
func (m *Machine) firstWirings(base graph.Ref, plan *graph.Plan, exts []graph.Ref) []*graph.Wiring {
	w := 4 * uint64(base)
	if m.words[w+blockShared] == 0 {
		return plan.Wirings
	}
	var first []*graph.Wiring
	for _, path := range m.prog.Block(m.words[w] >> graph.KindShift).Paths {
		first = append(first, path.Wiring(graph.LoopKind(m.words[w+blockKind]), exts))
	}
	return first
}

// wiring returns the wiring of a run on a path after one of the wiring w; nil is that of no run.
func (l *loop) wiring(w *graph.Wiring, path int) *graph.Wiring {
	if w == nil {
		return l.paths.first[path]
	}
	if to := w.To(path); to != nil {
		return to
	}
	return l.b.Paths[path].After(w, l.kind)
}

// wire is [loop.wiring] by numbers; 0 is that of no run. The wirings of first runs are those of an object, so they are not in the table.
func (l *loop) wire(last uint32, path int) uint32 {
	if last == 0 {
		return l.paths.first[path].Number
	}
	at := int(last)*len(l.b.Paths) + path
	if at < len(l.paths.next) && l.paths.next[at] != 0 {
		return l.paths.next[at]
	}
	next := l.wiring(l.b.States()[last], path).Number
	l.paths.next = grow(l.paths.next, at)
	l.paths.next[at] = next
	return next
}

// runPaths runs the runs [i, end) of a block with paths. values are the numbers of the data from number first on.
func (m *Machine) runPaths(l *loop, plan *graph.Plan, rows []float64, i, end uint64, values []float64, first int) {
	regs, tree, w := m.block.regs, l.b.Tree, l.paths.wiring
	columns := uint64(len(plan.Row))
	ran := resize(&m.block.times, len(l.b.Paths))
	var element []uint32
	if l.kind == graph.DataLoop {
		element = l.b.Params[0].Regs
	}
	for ; i < end; i++ {
		if len(element) > 0 {
			at := l.element(i)*len(element) - first
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
		ran[n.Path]++
		if l.paths.first != nil {
			w = l.wiring(w, n.Path)
		}
		if columns > 0 {
			regs[l.b.State] = float64(w.Number)
			row := rows[i*columns : (i+1)*columns]
			for c, reg := range plan.Row {
				row[c] = regs[reg]
			}
		}
		if results := l.b.Paths[n.Path].Out.Regs; len(results) == 1 {
			regs[l.state[0]] = regs[results[0]]
		} else {
			m.moveState(l.state, results)
		}
	}
	l.paths.wiring = w
	m.ranPaths(l, ran)
}

// ranPaths counts the runs of each path. Those that are made again count as recomputed; runAgain counts the steps of the least path.
func (m *Machine) ranPaths(l *loop, ran []uint64) {
	for k, n := range ran {
		switch path := l.b.Paths[k]; {
		case n == 0:
		case l.again:
			m.recomputed += n * (path.Steps - l.b.Steps)
		default:
			m.ranBlock(path, n)
		}
	}
}

// pathPatterns goes through the runs of a block with paths, the last first, and finds the backward code of each: the code of the
// run behind it and its own wiring determine it.
type pathPatterns struct {
	of      *graph.Block
	states  []*graph.Wiring
	codes   []*graph.Backward // by their numbers, from 1
	next    [][]int32         // by the wiring, and by the number of the code of the run behind: the number of the code; 0: not known yet
	reached []bool            // of the duals of the result, where there is none
	rows    []float64
	columns uint64
}

// pathPatterns begins with what the job has reached of the block's result. more says that this is anything.
func (m *Machine) pathPatterns(p *blockParts, rows []float64) (q *pathPatterns, more bool) {
	q = &m.block.paths
	if q.of != p.b {
		q.of, q.codes, q.next = p.b, append(q.codes[:0], nil), q.next[:0]
	}
	q.states = p.b.States()
	q.next = grow(q.next, len(q.states)-1)
	for _, next := range q.next { // what a job reaches is its own
		if len(next) > 0 {
			next[0] = 0
		}
	}
	q.columns, q.reached, q.rows = uint64(len(p.plan.Row)), m.reachedOf(p), rows
	return q, slices.Contains(q.reached, true)
}

// pathCodes finds the backward codes of all runs: the numbers of those from the run first on, and in Machine.block.times how often
// each occurs.
func (m *Machine) pathCodes(p *blockParts, rows []float64) (q *pathPatterns, numbers []int32, first uint64, err error) {
	k := &m.block
	q, more := m.pathPatterns(p, rows)
	numbers = resize(&k.numbers, int(p.n))
	times := resize(&k.times, len(q.codes))
	last := int32(0)
	for first = p.n; first > 0 && more; {
		if first%LookEvery == 0 {
			if err := m.lookNow(); err != nil {
				return nil, nil, 0, err
			}
		}
		wiring := int(q.rows[first*q.columns-1]) // it is in the last column
		next := int32(0)
		if of := q.next[wiring]; int(last) < len(of) {
			next = of[last]
		}
		if next == 0 {
			if next, err = q.find(m, wiring, int(last)); err != nil {
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
	k.times = times
	return q, numbers, first, nil
}

// find finds the code of a run of the wiring, and of the number of the code of the run behind.
func (q *pathPatterns) find(m *Machine, wiring, last int) (int32, error) {
	reached := q.reached
	if behind := q.codes[last]; behind != nil {
		reached = behind.Next
	}
	w, err := q.states[wiring].Backward(m.prog, reached, false, m.block.look)
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

// discoverPaths marks the external duals that the cells of a block with paths reach.
func (m *Machine) discoverPaths(base graph.Ref, p *blockParts, used []bool) error {
	rows, err := m.rowsOf(base, p)
	if err != nil {
		return err
	}
	q, _, first, err := m.pathCodes(p, rows)
	if err != nil {
		return err
	}
	m.occurs += p.n - first
	if m.occurs+m.pops+m.steps >= m.nextLook {
		if err := m.lookBackward(); err != nil {
			return err
		}
	}
	for i, n := range m.block.times {
		if n == 0 {
			continue
		}
		for _, s := range q.codes[i].Sums {
			for e := range s.N {
				used[s.Ext+e] = true
			}
		}
	}
	return nil
}

// firePaths fires the cells of all runs of a block with paths, the last first.
func (f *firingBlock) firePaths() error {
	m, k := f.m, &f.m.block
	q, numbers, first, err := m.pathCodes(&f.p, f.rows)
	if err != nil {
		return err
	}
	if f.p.plan.Elements {
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
	f.keepSums(k.regs)
	for i, n := range k.times {
		if n == 0 {
			continue
		}
		w := q.codes[i]
		f.out.arrivals += n * w.Arrivals
		f.out.cells += n * w.Cells
		for _, b := range w.Fired {
			m.fired[b.Body] += n * b.Times
			k.fired[b.Body] += n * b.Times
		}
	}
	return nil
}

// fired counts steps, and looks at the limits.
func (f *firingBlock) fired(steps uint64) error {
	m := f.m
	m.steps += steps
	if m.occurs+m.pops+m.steps >= m.nextLook {
		return m.lookBackward()
	}
	return nil
}

// interpretPaths fires the cells of the runs down to first, whose codes have the numbers.
func (f *firingBlock) interpretPaths(q *pathPatterns, numbers []int32, first uint64) error {
	k, p := &f.m.block, &f.p
	plan, regs := p.plan, k.regs
	kept := plan.Row[:len(plan.Row)-1] // the last is the wiring
	entered := resize(&k.used, len(q.codes))
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
				regs = k.regs // they may have moved
				copy(regs[p.b.Sum(0):], f.out.sums)
				entered[number] = true
			}
			last = number
		}
		if err := f.fired(w.Steps); err != nil {
			return err
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
		for j, reg := range w.Before {
			f.adjoint[j] = regs[reg]
		}
	}
	return nil
}

// keepSums keeps the sums of external duals, which all codes of a block with paths have in the same registers.
func (f *firingBlock) keepSums(regs []float64) {
	first := f.p.b.Sum(0)
	for e, any := range f.out.any {
		if any {
			f.out.sums[e] = regs[first+uint32(e)]
		}
	}
}
