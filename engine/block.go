package engine

import (
	"math"

	"github.com/gram-machine/gram/engine/array"
	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
	"github.com/gram-machine/gram/term/elementary"
)

// blockState is what a machine needs to run blocks.
type blockState struct {
	// Of each template and of each dual's body: how often it ran in a block. These runs
	// are among Machine.runs and Machine.fired too.
	runs, fired   []uint64
	regs          []float64
	exts          []graph.Ref // the external duals of the block that runs
	stack         []graph.Ref
	tmp           []float64
	arrived       []float64
	reached       []bool
	used          []bool
	wirings       []*graph.Wiring
	outs          []graph.Ref // the duals of the result of the block that runs
	distinct      graph.Distinct
	firing        firingBlock
	contributions contributions
	heap          graph.Heap // of blocks whose duals a job has reached, by their keys
	look          func() error
	paths         pathPatterns
	times         []uint64 // how often the paths of a block ran, or its backward codes
	kept          *keptRows
	rows          []float64 // of an object whose rows are computed again
	window        window
	native        *native.Memory
	streams       [3][]float64 // scratch
	numbers       []int32      // of the backward codes of runs
	chosen        []float64    // of the paths of runs, or of the nodes that compiled code begins with
}

// The words of a BlockRun, behind its head. In the second, a job counts the duals of its
// result that are reached and wait for arrivals.
const (
	blockRuns  = 2
	blockKind  = 3 // graph.LoopKind
	blockData  = 4 // the data list
	blockFirst = 5 // of its elements, how many are left before the first run
	// blockShared is 1 if two of the external duals are one.
	blockShared = 6
	blockLoop   = 7 // 1 + the number of the checkpoints that the object has in place of rows; 0: it has rows
)

// chainBit marks the kind of the runs of a chain, which read the first element first.
const chainBit = 1 << 8

// reachedBit marks a BlockDual that the job has reached.
const reachedBit = 1 << 31

// fusedBlock returns the block of a closure that takes so many arguments at once.
func (m *Machine) fusedBlock(f graph.Ref, args int) *graph.Block {
	n := &m.nodes[f]
	if n.Kind() != graph.Closure || m.literal {
		return nil
	}
	b := m.prog.Blocks[m.prog.Templates[n.Head>>graph.KindShift].Block]
	if b == nil || len(b.Params) != args {
		return nil
	}
	return b
}

// applyBlock is fireApply for a closure that is a block.
func (m *Machine) applyBlock(r, f graph.Ref, b *graph.Block, args []graph.Ref) error {
	m.bound(args)
	m.ranBlock(b, 1)
	if err := m.enterBlock(b, f); err != nil {
		return err
	}
	for i := range b.Params {
		m.loadLeaves(&b.Params[i], args[i])
	}
	if b.Arrays != nil {
		if err := array.Run(b.Arrays.Code, m.block.regs, m.block.look); err != nil {
			return err
		}
	}
	run(b.Code, m.block.regs)
	m.block.outs = m.block.outs[:0]
	if len(b.OutDuals) > 0 {
		plan, err := m.planOf(b, graph.OneRun)
		if err != nil {
			return err
		}
		base, row, err := m.newBlockRun(b, plan, graph.OneRun, 1, nil)
		if err != nil {
			return err
		}
		floats := m.arena.Floats()[row:]
		if b.Arrays != nil {
			array.Store(floats, m.block.regs, plan.Spans)
		} else {
			for c, reg := range plan.Row {
				floats[c] = m.block.regs[reg]
			}
		}
		m.setOuts(base, m.wiringOf(base, plan, m.block.exts))
	}
	return m.settleLeaves(r, &b.Out, b.Out.Regs)
}

// ranBlock counts runs of the block's templates.
func (m *Machine) ranBlock(b *graph.Block, times uint64) {
	if m.record != nil {
		m.record.Ran(b, times)
	}
	m.steps += times * b.Steps
	m.applied += times * b.Applied
	for _, id := range b.Templates {
		m.runs[id] += times
		m.block.runs[id] += times
	}
}

// blockUnits is where the duals of a BlockRun's result begin, in nodes.
const blockUnits = graph.BlockWords / 4

// scratch makes n numbers that lie in cache lines of their own: two workers that write
// theirs in turn would slow each other down.
func scratch(n int) []float64 {
	const line = 16 // two lines: processors fetch them in pairs
	return make([]float64, (n+line-1)/line*line)[:n]
}

// enterBlock loads what is the same in every run of the block.
func (m *Machine) enterBlock(b *graph.Block, f graph.Ref) error {
	k := &m.block
	if err := m.registers(b.Regs); err != nil {
		return err
	}
	k.exts = k.exts[:0]
	for _, c := range b.Consts {
		k.regs[c.Reg] = c.Val
	}
	w := 4*uint64(f) + graph.ValueWords
	for i := range b.Caps {
		m.loadLeaves(&b.Caps[i], m.words[w+uint64(i)])
	}
	for _, g := range b.Globals {
		for i := range g.N {
			if r := m.slots[g.Slot+i*g.Stride]; g.Reg != 0 {
				k.regs[g.Reg+i] = m.nodes[r].Number()
			} else {
				k.exts = append(k.exts, r)
			}
		}
	}
	if b.Arrays != nil {
		array.PreparePicks(b.Arrays.Picked, k.regs)
	}
	return nil
}

// loadLeaves puts the numbers of the value r into registers, and its duals among the
// external ones.
func (m *Machine) loadLeaves(l *graph.Leaves, r graph.Ref) {
	k := &m.block
	stack := append(k.stack[:0], r)
	next := 0
	for _, n := range l.Layout {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch n.Kind {
		case graph.NumLeaf:
			k.regs[l.Regs[next]] = m.nodes[r].Number()
			if m.prog.Open {
				m.open.held[l.Regs[next]] = m.held(r)
			}
			next++
		case graph.DualLeaf:
			k.exts = append(k.exts, r)
		case graph.PairLayout:
			v := m.nodes[r].V
			stack = append(stack, graph.Ref(v>>32), graph.Ref(v))
		case graph.VecLayout, graph.ClosureLayout:
			w := 4*uint64(r) + graph.ValueWords
			for i := int(n.N) - 1; i >= 0; i-- {
				stack = append(stack, m.words[w+uint64(i)])
			}
		}
	}
	k.stack = stack
}

// setOuts finds the duals of the result of the BlockRun base, whose last run has the wiring.
func (m *Machine) setOuts(base graph.Ref, w *graph.Wiring) {
	k := &m.block
	k.outs = k.outs[:0]
	for _, d := range w.Outs {
		if d < 0 {
			k.outs = append(k.outs, base+blockUnits+graph.Ref(^d))
		} else {
			k.outs = append(k.outs, k.exts[d])
		}
	}
}

// settleLeaves gives r the value of the layout whose numbers are in the registers and
// whose duals are those of the block that has run.
func (m *Machine) settleLeaves(r graph.Ref, l *graph.Leaves, regs []uint32) error {
	k := &m.block
	units := uint32(0)
	for _, n := range l.Layout {
		units += graph.Units(graph.ValueWords, int(n.N))
	}
	if m.prog.Open {
		units *= 2 // for inert numbers
	}
	if err := m.ensure(units + spareUnits); err != nil {
		return err
	}
	// From the right: what stands on the stack are the values behind this one, the
	// next on top.
	stack := k.stack[:0]
	num, dual := len(regs), len(k.outs)
	for i := len(l.Layout) - 1; i >= 0; i-- {
		n := l.Layout[i]
		v := m.top
		switch n.Kind {
		case graph.NumLeaf:
			num--
			if m.prog.Open {
				v = m.openLeaf(regs[num])
				break
			}
			m.top++
			m.nodes[v] = graph.Node{Head: uint32(graph.Num), V: math.Float64bits(k.regs[regs[num]])}
		case graph.DualLeaf:
			dual--
			v = k.outs[dual]
		case graph.PairLayout:
			last := len(stack) - 1
			m.top++
			m.nodes[v] = graph.Node{Head: uint32(graph.Pair), V: uint64(stack[last]) | uint64(stack[last-1])<<32}
			stack = stack[:last-1]
		case graph.VecLayout:
			m.top += graph.Units(graph.ValueWords, int(n.N))
			m.nodes[v] = graph.Node{Head: uint32(graph.Vec) | n.N<<graph.KindShift}
			w := 4*uint64(v) + graph.ValueWords
			for c := range uint64(n.N) {
				m.words[w+c] = stack[len(stack)-1]
				stack = stack[:len(stack)-1]
			}
		}
		if m.prog.Open && (n.Kind == graph.PairLayout || n.Kind == graph.VecLayout) {
			m.openTuple(v, n.Named)
		}
		stack = append(stack, v)
	}
	k.stack = stack[:0]
	m.settle(r, stack[0])
	return nil
}

// newBlockRun makes the object of n runs of the block whose external duals are loaded,
// and returns where its rows begin, in numbers. With checkpoints it has no rows.
func (m *Machine) newBlockRun(b *graph.Block, plan *graph.Plan, kind graph.LoopKind, n uint64, c *checkpoints) (base graph.Ref, row uint64, err error) {
	k := &m.block
	rows := n
	if len(plan.Last) > 0 {
		rows++
	}
	outs := uint64(len(b.OutDuals))
	exts := uint64(graph.Units(0, len(k.exts)))
	invariant := uint64(plan.Fixed)
	numbers := invariant + rows*uint64(len(plan.Row))
	if c != nil {
		m.dropped += (numbers+1)/2 - (invariant+1)/2
		numbers = invariant
	}
	units := blockUnits + outs + exts + (numbers+1)/2
	if units > math.MaxUint32 {
		return 0, 0, m.limitError("memory", m.arena.Bytes(), nil)
	}
	if err := m.ensure(uint32(units)); err != nil {
		return 0, 0, err
	}
	base = m.top
	if m.record != nil {
		m.record.MadeBlock(base)
	}
	m.top += uint32(units)
	w := 4 * uint64(base)
	clear(m.words[w : w+graph.BlockWords])
	m.words[w] = uint32(graph.BlockRun) | b.ID<<graph.KindShift
	m.words[w+blockRuns], m.words[w+blockKind] = uint32(n), uint32(kind)
	if !k.distinct.All(k.exts) {
		m.words[w+blockShared] = 1
	}
	for j := range uint32(outs) {
		m.nodes[base+blockUnits+j] = graph.Node{Head: uint32(graph.BlockDual) | j<<graph.KindShift}
	}
	copy(m.words[w+graph.BlockWords+4*outs:], k.exts)
	row = 2 * (uint64(base) + blockUnits + outs + exts)
	array.Store(m.arena.Floats()[row:], k.regs, plan.Invariant)
	if c != nil {
		if c.first == 0 {
			c.first, c.units = base, uint32(units)
		}
		m.words[w+blockLoop] = c.id
	}
	return base, row + invariant, nil
}

// loop is the iteration of a block.
type loop struct {
	b       *graph.Block
	chain   bool
	kind    graph.LoopKind
	n       uint64 // runs of one object
	left    uint64 // runs
	all     uint64 // runs of the whole loop
	data    *term.Data
	state   []uint32 // registers of the last parameter
	results []uint32
	perRun  uint64 // steps
	zeros   uint64 // duals λa.0⃗ of an element
	again   bool   // see rowsOf
	paths   pathLoop
	code    *native.Code // nil: the runs are interpreted
}

// element returns the number of the element that run i reads.
func (l *loop) element(i uint64) int {
	if l.chain {
		return int(l.all - l.left + i)
	}
	return int(l.left - 1 - i)
}

// iterateBlock runs an iteration whose function is a block, or a chain, all n steps of it.
func (m *Machine) iterateBlock(r graph.Ref, b *graph.Block, f, source, acc graph.Ref, n uint64, chain bool) error {
	l := loop{b: b, chain: chain, all: n, kind: graph.NatLoop, n: n, left: n, state: b.Params[len(b.Params)-1].Regs, results: b.Out.Regs}
	if err := m.enterBlock(b, f); err != nil {
		return err
	}
	if len(b.Params) == 2 {
		l.kind = graph.DataLoop
		d := m.nodes[source]
		l.data = &m.prog.Data[d.A]
		l.zeros = uint64(b.Params[0].Duals)
		for range b.Params[0].Duals {
			m.block.exts = append(m.block.exts, 0)
		}
	}
	m.loadLeaves(&b.Params[len(b.Params)-1], acc)
	// Each run counts (3) of f, (1) and (4) of its arguments, the (4) of each dual of an
	// element, and its template's steps.
	l.perRun = b.Steps
	if !chain {
		l.perRun += 1 + 2*uint64(len(b.Params)) + l.zeros
	}
	m.stateScratch(&l)
	if len(b.OutDuals) == 0 {
		if err := m.runLoop(&l, &graph.Plan{}, nil); err != nil {
			return err
		}
		m.block.outs = m.block.outs[:0]
	} else if err := m.runRecorded(&l, source, f); err != nil {
		return err
	}
	m.done.share = unknown
	return m.settleLeaves(r, &b.Out, l.state)
}

// runRecorded runs a loop that keeps what its backward phase needs, in one object for
// at most maxRuns runs.
func (m *Machine) runRecorded(l *loop, source, f graph.Ref) error {
	plan, err := m.planOf(l.b, l.kind)
	if err != nil {
		return err
	}
	c, err := m.checkpoints(l, plan, f)
	if err != nil {
		return err
	}
	kept := plan
	if c != nil {
		kept = &graph.Plan{}
	}
	next := uint64(0) // the object before which a state is kept
	state := m.block.exts[l.b.ParamExt(len(l.b.Params)-1):]
	for total := l.n; total > 0; total -= l.n {
		if m.top > m.nodeTop {
			m.pos = m.prog.Templates[l.b.Templates[0]].Pos
			if err := m.Look(); err != nil {
				return err
			}
		}
		l.n, l.left = min(total, m.maxRuns(plan)), total
		if c != nil {
			l.n = min(total, c.each)
			if i := (c.loop.n - total) / c.each; i == next {
				c.keep(i, m.block.regs)
				next = c.next(i, c.objects-1)
			}
		}
		base, row, err := m.newBlockRun(l.b, plan, l.kind, l.n, c)
		if err != nil {
			return err
		}
		m.words[4*uint64(base)+blockData], m.words[4*uint64(base)+blockFirst] = source, uint32(l.left)
		if l.chain {
			m.words[4*uint64(base)+blockKind] |= chainBit
		}
		if l.b.Paths != nil {
			l.paths.first = m.firstWirings(base, plan, m.block.exts)
			l.paths.wiring = nil
		}
		if err := m.runLoop(l, kept, m.arena.Floats()[row:]); err != nil {
			return err
		}
		last := l.paths.wiring
		if last == nil {
			wirings := m.wirings(l.b, m.wiringOf(base, plan, m.block.exts), l.kind, l.n)
			last = wirings[len(wirings)-1]
		}
		m.setOuts(base, last)
		copy(state, m.block.outs)
	}
	return nil
}

// objectNumbers is how many numbers the rows of one object have: 512 KiB.
const objectNumbers = 1 << 16

// maxRuns is how many runs one object holds. Its rows have objectNumbers numbers. Each object also takes time for every external dual and for
// every number that all runs share; where these are many, its rows have four times as many numbers. There are no more rows than the
// limit of nodes allows.
func (m *Machine) maxRuns(plan *graph.Plan) uint64 {
	room := uint64(max(0, int64(m.nodeTop)-int64(m.top)))
	numbers := max(m.block.kept.numbers, 4*uint64(len(m.block.exts)+plan.Fixed))
	return max(1, min(numbers, 2*room)/uint64(max(1, len(plan.Row))))
}

// stateScratch makes room for a copy of the loop's state.
func (m *Machine) stateScratch(l *loop) {
	if len(m.block.tmp) < len(l.state) {
		m.block.tmp = scratch(len(l.state))
	}
}

// runLoop runs l.n steps, the last element first. Between two looks at the limits it
// runs as many as the steps allow.
func (m *Machine) runLoop(l *loop, plan *graph.Plan, rows []float64) (err error) {
	if l.code, err = m.forward(l, plan); err != nil {
		return err
	}
	for i := uint64(0); i < l.n; {
		if m.steps+m.pops >= m.nextLook {
			m.pos = m.prog.Templates[l.b.Templates[0]].Pos
			m.ranOf(l, i)
			if err := m.look(lookEvery(l.b)); err != nil {
				return err
			}
		}
		chunk := min(l.n-i, (m.nextLook-m.steps-m.pops)/l.perRun+1)
		if err := m.makeRuns(l, plan, rows, i, i+chunk); err != nil {
			return err
		}
		i += chunk
		if !l.chain {
			m.addSteps(rule.Subst, chunk)
			m.addSteps(rule.GC, chunk*l.zeros)
			m.applied += chunk * uint64(len(l.b.Params))
			m.steps += chunk * 2 * uint64(len(l.b.Params))
		}
		if l.b.Paths == nil {
			m.ranBlock(l.b, chunk)
		}
	}
	m.keepLast(l, plan, rows)
	return nil
}

// makeRuns makes the runs from i up to end, and their rows.
func (m *Machine) makeRuns(l *loop, plan *graph.Plan, rows []float64, i, end uint64) error {
	regs := m.block.regs
	columns := uint64(len(plan.Row))
	var values []float64 // of the data
	var first, width int
	if l.kind == graph.DataLoop {
		var err error
		from, to := l.element(i), l.element(end-1)
		if values, first, err = m.elements(l.data, min(from, to), max(from, to)+1); err != nil {
			return err
		}
		width = l.data.Width
	}
	if l.code != nil {
		m.runNative(l, len(plan.Row), rows, values, first, i, end)
		return nil
	}
	if l.b.Paths != nil {
		m.runPaths(l, plan, rows, i, end, values, first*width)
		return nil
	}
	for ; l.b.Arrays != nil && i < end; i++ {
		if err := m.runOnArrays(l, plan, values[(l.element(i)-first)*width:], rows[i*columns:]); err != nil {
			return err
		}
	}
	for ; i < end; i++ {
		if l.kind == graph.DataLoop {
			at := (l.element(i) - first) * width
			for c, reg := range l.b.Params[0].Regs {
				regs[reg] = values[at+c]
			}
		}
		run(l.b.Code, regs)
		if columns > 0 {
			for c, reg := range plan.Row {
				rows[i*columns+uint64(c)] = regs[reg]
			}
		}
		m.moveState(l.state, l.results)
	}
	return nil
}

// keepLast keeps the results of the last run that the row of a next one would have.
func (m *Machine) keepLast(l *loop, plan *graph.Plan, rows []float64) {
	for _, k := range plan.Last {
		rows[l.n*uint64(len(plan.Row))+uint64(k.Col)] = m.block.regs[plan.Row[k.Col]]
	}
}

// moveState makes the results the arguments of the next run.
func (m *Machine) moveState(state, results []uint32) {
	regs := m.block.regs
	if len(state) == 1 {
		regs[state[0]] = regs[results[0]]
		return
	}
	tmp := m.block.tmp
	for j, reg := range results {
		tmp[j] = regs[reg]
	}
	for j, reg := range state {
		regs[reg] = tmp[j]
	}
}

// run runs a block's code.
func run(code []graph.BlockInstr, regs []float64) {
	for i := range code {
		in := &code[i]
		a := regs[in.A]
		switch in.Op {
		case graph.BlockMul:
			regs[in.D] = a * regs[in.B]
		case graph.BlockAdd:
			regs[in.D] = a + regs[in.B]
		case graph.BlockAddMul:
			regs[in.D] += float64(a * regs[in.B]) // rounded: no fused multiply-add
		case graph.BlockSub:
			regs[in.D] = a - regs[in.B]
		case graph.BlockSlope:
			regs[in.D] = a * (1 - a)
		case graph.BlockSinCos:
			regs[in.D], regs[in.B] = elementary.SinCos(a)
		case graph.BlockFun1:
			regs[in.D] = in.Sym.Info().Eval1(a)
		case graph.BlockFun2:
			regs[in.D] = in.Sym.Info().Eval2(a, regs[in.B])
		}
	}
}
