package engine

import (
	"math"

	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
)

// nativeWork is how many instructions a loop has run when it is compiled, and bytecodeRuns how many runs make bytecode of it worth making.
var nativeWork, bytecodeRuns uint64 = block.NativeWork, block.BytecodeRuns

// block returns the options of blocks.
func (o *Options) block() block.Options {
	if o.Eager {
		return block.Options{NoNative: o.NoNative}
	}
	return block.Options{NoNative: o.NoNative, NativeWork: nativeWork, BytecodeRuns: bytecodeRuns}
}

// blockState is what a machine needs to run blocks.
type blockState struct {
	block.Runner
	// Of each template and of each dual's body: how often it ran in a block. These runs
	// are among Machine.runs and Machine.fired too.
	runs, fired   []uint64
	used          []bool
	contributions block.Contributions
	heap          graph.Heap // of blocks whose duals a job has reached, by their keys
	look          func() error
	inline        uint32 // nodes that OpRun has taken
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
		h.FiredBody(b.Body, times*b.Times)
	}
}

func (h *host) FiredBody(body uint32, times uint64) {
	h.fired[body] += times
	h.block.fired[body] += times
}

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
	if err := m.runBlock(f, b, args); err != nil {
		return err
	}
	return m.settleLeaves(r, &b.Out, b.Out.Regs)
}

// runInline fires an OpRun: the block runs at once, so that its duals are made where the code stands.
func (m *Machine) runInline(in *graph.Instr, into graph.Ref, flags uint8) error {
	f := m.Resolve(m.slots[in.A])
	b := m.fusedBlock(f, 0)
	if b == nil || m.opt.Schedule == Parallel {
		return graph.ErrFamilies
	}
	top := m.top
	if err := m.runBlock(f, b, nil); err != nil {
		return err
	}
	if err := m.ensure(m.block.Units(&b.Out) + in.Else + spareUnits); err != nil {
		return err
	}
	v, next := m.block.Value(&b.Out, b.Out.Regs, m.top)
	m.slots[in.D], m.top = v, next
	switch root := flags&graph.Root != 0; {
	case in.Flags&graph.Ready != 0 && in.Flags&graph.Late != 0:
		if !root {
			into = m.placeholder()
			m.slots[in.D] = into
		}
		m.nodes[into].Head = uint32(graph.Copy)
		m.words[4*uint64(into)+4] = v
		m.push(into)
	case root:
		m.become(into, v)
	}
	m.block.inline += m.top - top
	return nil
}

// runBlock runs a block once. Its results are in the Runner.
func (m *Machine) runBlock(f graph.Ref, b *graph.Block, args []graph.Ref) error {
	m.ranBlock(b, 1)
	plan, err := m.block.EnterRecorded(b, graph.OneRun, f, 1)
	if err != nil {
		return err
	}
	for i := range b.Params {
		m.block.Load(&b.Params[i], args[i])
	}
	if err := m.block.Run(b); err != nil {
		return err
	}
	m.took(b)
	m.block.Outs = m.block.Outs[:0]
	if plan != nil {
		p, err := m.newBlockRun(b, plan, graph.OneRun, 1, nil)
		if err != nil {
			return err
		}
		m.block.KeepRow(&p)
		m.block.SetOuts(&p, p.Wiring)
	}
	return nil
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

// took counts what the block's Runner has just run of branches.
func (m *Machine) took(b *graph.Block) {
	if b.Arrays == nil {
		return
	}
	if m.record != nil {
		m.record.Took(b, m.block.Taken)
	}
	for i, n := range m.block.Taken {
		id := b.Arrays.Masks[i].Template
		m.steps += n * m.prog.Templates[id].Steps
		m.runs[id] += n
		m.block.runs[id] += n
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

// settleLeaves gives r the value of the layout whose numbers are in the registers and
// whose duals are those of the block that has run.
func (m *Machine) settleLeaves(r graph.Ref, l *graph.Leaves, regs []uint32) error {
	if err := m.ensure(m.block.Units(l) + spareUnits); err != nil {
		return err
	}
	var v graph.Ref
	v, m.top = m.block.Value(l, regs, m.top)
	m.settle(r, v)
	return nil
}

// newBlockRun makes the object of n runs of the block whose external duals are loaded. With checkpoints it has no rows.
func (m *Machine) newBlockRun(b *graph.Block, plan *graph.Plan, kind graph.LoopKind, n uint64, c *block.Checkpoints) (block.Object, error) {
	units, dropped := m.block.ObjectUnits(b, plan, n, c)
	m.dropped += dropped
	base, err := m.room(units)
	if err != nil {
		return block.Object{}, err
	}
	if m.record != nil {
		m.record.MadeBlock(base)
	}
	return m.block.NewObject(base, b, plan, kind, n, c), nil
}

// room takes so many nodes for an object of a block.
func (m *Machine) room(units uint64) (base graph.Ref, err error) {
	if units > math.MaxUint32 {
		return 0, m.limitError("memory", m.arena.Bytes(), nil)
	}
	if err := m.ensure(uint32(units)); err != nil {
		return 0, err
	}
	m.top += uint32(units)
	return m.top - uint32(units), nil
}

// iterateBlock runs an iteration whose function is a block, or a chain, all n steps of it.
func (m *Machine) iterateBlock(r graph.Ref, b *graph.Block, f, source, acc graph.Ref, n uint64, chain bool) error {
	l := block.Loop{Block: b, Chain: chain, All: n, Kind: graph.NatLoop, N: n, Left: n}
	if len(b.Params) == 2 {
		l.Kind, l.Data = graph.DataLoop, &m.prog.Data[m.nodes[source].A]
	}
	return m.runIteration(r, &l, f, source, acc)
}

// runIteration runs all steps of a loop of the function f. source is the data list, the numeral, or the object of the elements.
func (m *Machine) runIteration(r graph.Ref, l *block.Loop, f, source, acc graph.Ref) error {
	b := l.Block
	plan, err := m.block.EnterRecorded(b, l.Kind, f, l.N)
	if err != nil {
		return err
	}
	if l.Data != nil {
		for k := range b.Params[0].Duals {
			dual := graph.NullDual
			if l.Kind == graph.ListLoop {
				dual = source + block.DualsAt + graph.Ref(k)
			}
			m.block.Exts = append(m.block.Exts, dual)
		}
	}
	m.block.Load(&b.Params[len(b.Params)-1], acc)
	// Each run counts (3) of f, (1) and (4) of its arguments, and its template's steps.
	l.PerRun = b.Steps
	if !l.Chain {
		l.PerRun += 1 + 2*uint64(len(b.Params))
	}
	if plan == nil {
		if err := m.runLoop(l, &graph.Plan{}, nil); err != nil {
			return err
		}
		m.block.Outs = m.block.Outs[:0]
	} else if err := m.runRecorded(l, plan, source, f); err != nil {
		return err
	}
	m.done.share = unknown
	return m.settleLeaves(r, &b.Out, l.State())
}

// runRecorded runs a loop that keeps what its backward phase needs, in one object for
// at most maxRuns runs.
func (m *Machine) runRecorded(l *block.Loop, plan *graph.Plan, source, f graph.Ref) error {
	c, err := m.block.Checkpoints(l, plan, f, m.block.MaxRuns(plan, int64(m.nodeTop)-int64(m.top)), m.roomFor)
	if err != nil {
		return err
	}
	kept := plan
	if c != nil {
		kept = &graph.Plan{}
	}
	next := uint64(0) // the object before which a state is kept
	state := m.block.Exts[l.Block.ParamExt(len(l.Block.Params)-1):]
	for total := l.N; total > 0; total -= l.N {
		if m.top > m.nodeTop {
			m.pos = m.prog.Templates[l.Block.Templates[0]].Pos
			if err := m.Look(); err != nil {
				return err
			}
		}
		l.N, l.Left = min(total, m.block.MaxRuns(plan, int64(m.nodeTop)-int64(m.top))), total
		if c != nil {
			l.N = min(total, c.Each)
			if i := (c.Loop.N - total) / c.Each; i == next {
				c.Keep(i, m.block.Regs)
				next = c.Next(i, c.Objects-1)
			}
		}
		p, err := m.newBlockRun(l.Block, plan, l.Kind, l.N, c)
		if err != nil {
			return err
		}
		m.block.Place(l, &p, source)
		if err := m.runLoop(l, kept, m.block.Floats(&p)); err != nil {
			return err
		}
		last := l.Last
		if last == nil {
			wirings := m.block.Wirings(l.Block, p.Wiring, l.Kind, l.N)
			last = wirings[len(wirings)-1]
		}
		m.block.SetOuts(&p, last)
		copy(state, m.block.Outs)
	}
	return nil
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
			m.applied += chunk * uint64(len(l.Block.Params))
			m.steps += chunk * 2 * uint64(len(l.Block.Params))
		}
		m.ranLoop(l.Block, chunk)
		m.took(l.Block)
	}
	m.block.KeepLast(l, plan, rows)
	return nil
}
