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

// runPaths runs the runs [i, end) of a block with paths. values are the numbers of the data from number first on.
func (m *Machine) runPaths(l *loop, plan *graph.Plan, rows []float64, i, end uint64, values []float64, first int) {
	regs, tree := m.block.regs, l.b.Tree
	columns := uint64(len(plan.Row))
	ran := resize(&m.block.times, len(l.b.Paths))
	for ; i < end; i++ {
		if l.kind == graph.DataLoop {
			at := l.element(i)*l.data.Width - first
			for c, reg := range l.b.Params[0].Regs {
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
		path := l.b.Paths[n.Path]
		ran[n.Path]++
		if columns > 0 {
			w := l.paths.wiring
			if w == nil {
				w = l.paths.first[n.Path]
			} else if to := w.To(n.Path); to != nil {
				w = to
			} else {
				w = path.After(w, l.kind)
			}
			l.paths.wiring = w
			regs[l.b.State] = float64(w.Number)
			row := rows[i*columns : (i+1)*columns]
			for c, reg := range plan.Row {
				row[c] = regs[reg]
			}
		}
		if len(l.state) == 1 {
			regs[l.state[0]] = regs[path.Out.Regs[0]]
		} else {
			m.moveState(l.state, path.Out.Regs)
		}
	}
	for k, n := range ran {
		if n > 0 {
			m.ranBlock(l.b.Paths[k], n)
		}
	}
}

// pathPatterns finds the backward code of each run of a block with paths.
type pathPatterns struct {
	states  []*graph.Wiring
	codes   [][]*graph.Backward // by the code of the run behind it, and by the wiring
	rows    []float64
	columns uint64
	state   uint64 // the column of the wiring
	last    int    // 1 + the number of the code of the run behind; 0: there is none
	more    bool   // something is reached
}

func (m *Machine) pathPatterns(p *blockParts) *pathPatterns {
	t := &m.block.paths
	t.states, t.last, t.more = p.b.States(), 0, slices.Contains(m.block.reached, true)
	t.codes = t.codes[:0]
	t.columns = uint64(len(p.plan.Row))
	t.state = t.columns - 1
	t.rows = m.arena.Floats()[p.row+uint64(len(p.plan.Invariant)):]
	return t
}

// nextOnPath is next for a block with paths.
func (t *patterns) nextOnPath(m *Machine) (w *graph.Backward, times uint64, err error) {
	q := t.paths
	if t.left == 0 || !q.more {
		return nil, 0, nil
	}
	number := q.rows[(t.left-1)*q.columns+q.state]
	id := int(number)
	for len(q.codes) <= q.last {
		q.codes = append(q.codes, nil)
	}
	row := q.codes[q.last]
	if id < len(row) && row[id] != nil {
		w = row[id]
	} else {
		if w, err = q.states[id].Backward(m.prog, t.reached, false, m.block.look); err != nil {
			return nil, 0, err
		}
		if row == nil {
			row = make([]*graph.Backward, len(q.states))
			q.codes[q.last] = row
		}
		row[id] = w
	}
	times = 1
	for w.Steady && times < t.left && q.rows[(t.left-times-1)*q.columns+q.state] == number {
		times++
	}
	t.left -= times
	t.reached, q.last, q.more = w.Next, w.Number+1, w.More
	return w, times, nil
}

// firePaths fires the cells of all runs of a block with paths, the last first.
func (f *firingBlock) firePaths() error {
	m, p := f.m, &f.p
	k := &m.block
	k.times = k.times[:0]
	var codes []*graph.Backward // by their numbers
	plan, regs := p.plan, k.regs
	columns := uint64(len(plan.Row))
	for t := m.patterns(p); ; {
		w, times, err := t.nextOnPath(m)
		if err != nil {
			return err
		}
		if w == nil {
			break
		}
		for len(codes) <= w.Number {
			codes, k.times = append(codes, nil), append(k.times, 0)
		}
		if codes[w.Number] == nil {
			codes[w.Number] = w
			f.keepSums(regs)
			if err := f.enter(w); err != nil {
				return err
			}
			regs = k.regs // they may have moved
			copy(regs[p.b.Sum(0):], f.out.sums)
		} else {
			for _, c := range w.Consts {
				regs[c.Reg] = c.Val
			}
		}
		k.times[w.Number] += times
		m.steps += times * w.Steps
		if m.occurs+m.pops+m.steps >= m.nextLook {
			if err := m.lookBackward(); err != nil {
				return err
			}
		}
		if plan.Elements {
			if err := f.elements(times); err != nil {
				return err
			}
		}
		for ; times > 0; times-- {
			f.run--
			row := f.rows[f.run*columns : (f.run+1)*columns]
			for c, reg := range plan.Row {
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
	}
	f.keepSums(regs)
	for i, w := range codes {
		if w == nil {
			continue
		}
		n := k.times[i]
		f.out.arrivals += n * w.Arrivals
		f.out.cells += n * w.Cells
		for _, b := range w.Fired {
			m.fired[b.Body] += n * b.Times
			k.fired[b.Body] += n * b.Times
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
