package engine

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/engine/array"
	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
)

// nativeWork is how many instructions a loop has run when it is compiled.
var nativeWork uint64 = block.NativeWork

// bytecodeRuns is how many runs of a loop make bytecode of it worth making.
var bytecodeRuns uint64 = block.BytecodeRuns

// blockState is what a machine needs to run blocks.
type blockState struct {
	block.Runner
	// Of each template and of each dual's body: how often it ran in a block. These runs
	// are among Machine.runs and Machine.fired too.
	runs, fired   []uint64
	exts          []graph.Ref // the external duals of the block that runs
	stack         []graph.Ref
	arrived       []float64
	reached       []bool
	used          []bool
	outs          []graph.Ref // the duals of the result of the block that runs
	distinct      graph.Distinct
	firing        block.Firing
	contributions block.Contributions
	heap          graph.Heap // of blocks whose duals a job has reached, by their keys
	look          func() error
}

// host is a machine as its blocks see it.
type host Machine

func (h *host) Reserve(bytes int64) error { return (*Machine)(h).reserve(bytes) }

func (h *host) Look() error { return (*Machine)(h).lookNow() }

func (h *host) Left() uint64 {
	if done := h.occurs + h.pops + h.steps; done < h.nextLook {
		return h.nextLook - done
	}
	return 0
}

func (h *host) LookBackward(next uint64) error { return (*Machine)(h).lookFiring(next) }

func (h *host) Count(steps uint64) { h.steps += steps }

func (h *host) Fired(w *graph.Backward, times uint64) {
	for _, b := range w.Fired {
		h.fired[b.Body] += times * b.Times
		h.block.fired[b.Body] += times * b.Times
	}
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
	if err := m.block.Run(b); err != nil {
		return err
	}
	m.block.outs = m.block.outs[:0]
	if len(b.OutDuals) > 0 {
		plan, err := m.block.PlanOf(b, graph.OneRun)
		if err != nil {
			return err
		}
		base, row, err := m.newBlockRun(b, plan, graph.OneRun, 1, nil)
		if err != nil {
			return err
		}
		floats := m.arena.Floats()[row:]
		if b.Arrays != nil {
			array.Store(floats, m.block.Regs, plan.Spans)
		} else {
			for c, reg := range plan.Row {
				floats[c] = m.block.Regs[reg]
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

// ranLoop counts runs of a loop, which the block's Runner has just made.
func (m *Machine) ranLoop(b *graph.Block, times uint64) {
	if b.Paths == nil {
		m.ranBlock(b, times)
		return
	}
	for k, n := range m.block.Ran {
		if n > 0 {
			m.ranBlock(b.Paths[k], n)
		}
	}
}

// blockUnits is where the duals of a BlockRun's result begin, in nodes.
const blockUnits = graph.BlockWords / 4

// enterBlock loads what is the same in every run of the block.
func (m *Machine) enterBlock(b *graph.Block, f graph.Ref) error {
	k := &m.block
	if err := m.block.Registers(b.Regs); err != nil {
		return err
	}
	k.exts = slices.Grow(k.exts[:0], b.Exts)
	for _, c := range b.Consts {
		k.Regs[c.Reg] = c.Val
	}
	w := 4*uint64(f) + graph.ValueWords
	for i := range b.Caps {
		m.loadLeaves(&b.Caps[i], m.words[w+uint64(i)])
	}
	for _, g := range b.Globals {
		for i := range g.N {
			if i%LookEvery == LookEvery-1 {
				if err := m.Look(); err != nil {
					return err
				}
			}
			if r := m.slots[g.Slot+i*g.Stride]; g.Reg != 0 {
				k.Regs[g.Reg+i] = m.nodes[r].Number()
			} else {
				k.exts = append(k.exts, r)
			}
		}
	}
	if b.Arrays != nil {
		array.PreparePicks(b.Arrays.Picked, k.Regs)
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
			k.Regs[l.Regs[next]] = m.nodes[r].Number()
			if m.prog.Open {
				m.open.Held[l.Regs[next]] = m.held(r)
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
			m.nodes[v] = graph.Node{Head: uint32(graph.Num), V: math.Float64bits(k.Regs[regs[num]])}
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
func (m *Machine) newBlockRun(b *graph.Block, plan *graph.Plan, kind graph.LoopKind, n uint64, c *block.Checkpoints) (base graph.Ref, row uint64, err error) {
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
	array.Store(m.arena.Floats()[row:], k.Regs, plan.Invariant)
	if c != nil {
		if c.First == 0 {
			c.First, c.Units = base, uint32(units)
		}
		m.words[w+blockLoop] = c.ID
	}
	return base, row + invariant, nil
}

// iterateBlock runs an iteration whose function is a block, or a chain, all n steps of it.
func (m *Machine) iterateBlock(r graph.Ref, b *graph.Block, f, source, acc graph.Ref, n uint64, chain bool) error {
	l := block.Loop{Block: b, Chain: chain, All: n, Kind: graph.NatLoop, N: n, Left: n}
	if err := m.enterBlock(b, f); err != nil {
		return err
	}
	if len(b.Params) == 2 {
		l.Kind = graph.DataLoop
		d := m.nodes[source]
		l.Data = &m.prog.Data[d.A]
		for range b.Params[0].Duals {
			m.block.exts = append(m.block.exts, 0)
		}
	}
	m.loadLeaves(&b.Params[len(b.Params)-1], acc)
	// Each run counts (3) of f, (1) and (4) of its arguments, the (4) of each dual of an
	// element, and its template's steps.
	l.PerRun = b.Steps
	if !chain {
		l.PerRun += 1 + 2*uint64(len(b.Params)) + l.Zeros()
	}
	if len(b.OutDuals) == 0 {
		if err := m.runLoop(&l, &graph.Plan{}, nil); err != nil {
			return err
		}
		m.block.outs = m.block.outs[:0]
	} else if err := m.runRecorded(&l, source, f); err != nil {
		return err
	}
	m.done.share = unknown
	return m.settleLeaves(r, &b.Out, l.State())
}

// runRecorded runs a loop that keeps what its backward phase needs, in one object for
// at most maxRuns runs.
func (m *Machine) runRecorded(l *block.Loop, source, f graph.Ref) error {
	plan, err := m.block.PlanOf(l.Block, l.Kind)
	if err != nil {
		return err
	}
	c, err := m.block.Checkpoints(l, plan, f, m.maxRuns(plan), m.roomFor)
	if err != nil {
		return err
	}
	kept := plan
	if c != nil {
		kept = &graph.Plan{}
	}
	next := uint64(0) // the object before which a state is kept
	state := m.block.exts[l.Block.ParamExt(len(l.Block.Params)-1):]
	for total := l.N; total > 0; total -= l.N {
		if m.top > m.nodeTop {
			m.pos = m.prog.Templates[l.Block.Templates[0]].Pos
			if err := m.Look(); err != nil {
				return err
			}
		}
		l.N, l.Left = min(total, m.maxRuns(plan)), total
		if c != nil {
			l.N = min(total, c.Each)
			if i := (c.Loop.N - total) / c.Each; i == next {
				c.Keep(i, m.block.Regs)
				next = c.Next(i, c.Objects-1)
			}
		}
		base, row, err := m.newBlockRun(l.Block, plan, l.Kind, l.N, c)
		if err != nil {
			return err
		}
		m.words[4*uint64(base)+blockData], m.words[4*uint64(base)+blockFirst] = source, uint32(l.Left)
		if l.Chain {
			m.words[4*uint64(base)+blockKind] |= chainBit
		}
		if l.Block.Paths != nil {
			l.First = m.firstWirings(base, plan, m.block.exts)
			l.Last = nil
		}
		if err := m.runLoop(l, kept, m.arena.Floats()[row:]); err != nil {
			return err
		}
		last := l.Last
		if last == nil {
			wirings := m.block.Wirings(l.Block, m.wiringOf(base, plan, m.block.exts), l.Kind, l.N)
			last = wirings[len(wirings)-1]
		}
		m.setOuts(base, last)
		copy(state, m.block.outs)
	}
	return nil
}

// maxRuns is how many runs one object holds. Its rows have [block.Kept.Numbers]. Each object also takes time for every external dual and for
// every number that all runs share; where these are many, its rows have four times as many numbers. There are no more rows than the
// limit of nodes allows.
func (m *Machine) maxRuns(plan *graph.Plan) uint64 {
	room := uint64(max(0, int64(m.nodeTop)-int64(m.top)))
	numbers := max(m.block.Kept.Numbers, 4*uint64(len(m.block.exts)+plan.Fixed))
	return max(1, min(numbers, 2*room)/uint64(max(1, len(plan.Row))))
}

// runLoop runs l.N steps, the last element first. Between two looks at the limits it
// runs as many as the steps allow.
func (m *Machine) runLoop(l *block.Loop, plan *graph.Plan, rows []float64) error {
	if err := m.block.Begin(l, plan); err != nil {
		return err
	}
	for i := uint64(0); i < l.N; {
		if m.steps+m.pops >= m.nextLook {
			m.pos = m.prog.Templates[l.Block.Templates[0]].Pos
			m.ranOf(l, i)
			if err := m.look(block.StepsPerLook(l.Block)); err != nil {
				return err
			}
		}
		chunk := min(l.N-i, (m.nextLook-m.steps-m.pops)/l.PerRun+1)
		if err := m.block.MakeRuns(l, plan, rows, i, i+chunk); err != nil {
			return err
		}
		i += chunk
		if !l.Chain {
			m.addSteps(rule.Subst, chunk)
			m.addSteps(rule.GC, chunk*l.Zeros())
			m.applied += chunk * uint64(len(l.Block.Params))
			m.steps += chunk * 2 * uint64(len(l.Block.Params))
		}
		m.ranLoop(l.Block, chunk)
	}
	m.block.KeepLast(l, plan, rows)
	return nil
}
