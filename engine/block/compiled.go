package block

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/graph"
)

// NativeWork is how many instructions a loop has run when it is compiled. Each run counts as runWork more. A loop of more than
// longCode instructions waits in proportion, since compiling takes time for each of them, and one of more than maxCode is not compiled.
const NativeWork = 400_000

const (
	runWork  = 8
	overByte = 5 // how many times as much a loop has run that runs as bytecode until then
	longCode = 200
	maxCode  = 1 << 13
)

// worthCompiling reports whether a loop of so many instructions that has run so much is compiled.
func (r *Runner) worthCompiling(instructions int, work uint64) bool {
	return instructions <= maxCode && work >= r.opt.NativeWork*max(1, uint64(instructions)/longCode)
}

// BytecodeRuns is how many runs of a loop make bytecode of it worth making.
const BytecodeRuns = 64

// shareWork is by how much less than what makes a loop worth compiling it is worth finding out which loops have equal code.
const shareWork = 64

// compiled is the code of a loop, or of all loops with equal code: machine code, and bytecode.
type compiled struct {
	shared         bool
	work           atomic.Uint64 // instructions that have run
	once, bytecode sync.Once
	code, bytes    *native.Code // nil: there is none
}

// loopCode returns the code of a loop of so many instructions, nil if those of the block are to be interpreted one by one. It is to make
// n runs now, and at least left in all.
func (r *Runner) loopCode(of *graph.Compiled, instructions int, n, left uint64, loop func() *native.Loop) (*native.Code, error) {
	c, ok := of.Load().(*compiled)
	if !ok {
		of.CompareAndSwap(nil, new(compiled))
		c = of.Load().(*compiled)
	}
	each := uint64(instructions + runWork)
	if !c.shared && r.worthCompiling(instructions, shareWork*(c.work.Load()+left*each)) {
		shared, _ := r.prog.Loops.LoadOrStore(loop().Key(), &compiled{shared: true})
		own := c.work.Load()
		c = shared.(*compiled)
		c.work.Add(own)
		of.Store(c)
	}
	work := c.work.Load() + left*each
	c.work.Add(n * each)
	if !r.opt.NoNative && r.worthCompiling(instructions, work) && (r.worthCompiling(instructions, work/overByte) || !c.hasBytecode(loop)) {
		c.once.Do(func() { c.code = native.Compile(loop()) })
		if c.code != nil {
			return c.code, r.nativeMemory(c.code)
		}
	}
	if work < r.opt.BytecodeRuns*each {
		return nil, nil
	}
	if !c.hasBytecode(loop) {
		return nil, nil
	}
	return c.bytes, r.nativeMemory(c.bytes)
}

// hasBytecode makes bytecode of the loop, and reports whether there is any.
func (c *compiled) hasBytecode(loop func() *native.Loop) bool {
	c.bytecode.Do(func() { c.bytes = native.Interpret(loop()) })
	return c.bytes != nil
}

// nativeMemory makes sure that there is room for the memory of the code.
func (r *Runner) nativeMemory(code *native.Code) error {
	if r.native == nil {
		r.native = native.NewMemory(r.front)
	}
	if bytes := r.native.Needs(code); bytes > 0 {
		return r.host.Reserve(int64(bytes))
	}
	return nil
}

// cells says that the registers have a stream's numbers from at on.
func cells(regs []uint32, at int) []native.Cell {
	all := make([]native.Cell, len(regs))
	for i, reg := range regs {
		all[i] = native.Cell{Reg: reg, At: at + i}
	}
	return all
}

// moves moves the results to the state.
func moves(state, results []uint32) []native.Move {
	all := make([]native.Move, len(state))
	for j, reg := range state {
		all[j] = native.Move{D: reg, A: results[j]}
	}
	return all
}

// forward returns the machine code of the runs of a loop.
func (r *Runner) forward(l *Loop, plan *graph.Plan) (*native.Code, error) {
	b := l.Block
	if b.Arrays != nil {
		return nil, nil
	}
	of := 0
	if l.Chain {
		of = 1
	}
	if len(plan.Row) > 0 {
		of += 2
	}
	code := b.Code
	if b.Paths != nil {
		code = b.Paths[0].Code
	}
	return r.loopCode(&b.Compiled[of], len(code), l.N, l.Left, func() *native.Loop {
		n := &native.Loop{Consts: b.Consts}
		if l.Data != nil {
			n.Streams = append(n.Streams, native.Stream{Width: l.Data.Width, Down: !l.Chain, Load: cells(b.Params[0].Regs, 0)})
		}
		row := plan.Row
		if b.Paths == nil {
			n.Nodes = []native.Node{{Code: b.Code, End: moves(l.State(), b.Out.Regs)}}
		} else if n.Nodes = pathNodes(l); len(row) == 0 {
			row = []uint32{b.State}
		}
		if len(row) > 0 {
			n.Streams = append(n.Streams, native.Stream{Width: len(row), Store: cells(row, 0)})
		}
		return n
	})
}

// pathNodes returns the code of a loop with paths. Each run has the number of its path in the register of its wiring.
func pathNodes(l *Loop) []native.Node {
	nodes := make([]native.Node, len(l.Block.Tree))
	for i, t := range l.Block.Tree {
		nodes[i] = native.Node{Code: t.Code, Test: t.Test, Then: t.Then, Else: t.Else}
		if t.Test == nil {
			nodes[i].Consts = []graph.Const{{Reg: l.Block.State, Val: float64(t.Path)}}
			nodes[i].End = moves(l.State(), l.Block.Paths[t.Path].Out.Regs)
		}
	}
	return nodes
}

// runNative makes the runs from i up to end by machine code.
func (r *Runner) runNative(l *Loop, columns int, rows, values []float64, first int, i, end uint64) {
	for i < end {
		n := min(int(end-i), l.code.Chunk())
		streams := r.streams[:0]
		if l.Data != nil {
			at := (min(l.element(i), l.element(i+uint64(n)-1)) - first) * l.Data.Width
			streams = append(streams, values[at:])
		}
		var made []float64
		switch {
		case columns > 0:
			made = rows[i*uint64(columns) : (i+uint64(n))*uint64(columns)]
			streams = append(streams, made)
		case l.Block.Paths != nil:
			made = Resize(&r.chosen, n)
			streams = append(streams, made)
		}
		r.native.Run(l.code, r.Regs, n, streams...)
		if l.Block.Paths != nil {
			r.wirePaths(l, made, max(1, columns))
		}
		i += uint64(n)
	}
}

// wirePaths counts the runs of each path. If the loop has wirings, their numbers come into the place of those of the paths, which is the
// last column of the rows.
func (r *Runner) wirePaths(l *Loop, rows []float64, columns int) {
	last := uint32(0)
	if l.Last != nil {
		last = l.Last.Number
	}
	for at := columns - 1; at < len(rows); at += columns {
		path := int(rows[at])
		r.Ran[path]++
		if l.First != nil {
			last = l.wire(last, path)
			rows[at] = float64(last)
		}
	}
	if last != 0 {
		l.Last = l.Block.States()[last]
	}
}

// backward returns the machine code of the runs of the backward code w.
func (f *firing) backward(w *graph.Backward, times uint64) (*native.Code, error) {
	if w.Arrays != nil || f.Kind == graph.OneRun {
		return nil, nil
	}
	of := 0
	if f.up != 0 {
		of = 1
	}
	return f.r.loopCode(&w.Compiled[of], len(w.Code), times, times, func() *native.Loop {
		n := &native.Loop{Consts: f.Block.Consts, Nodes: []native.Node{backwardNode(w, w.Regs)}, Streams: f.streams(w)}
		if len(w.Log) > 0 {
			log := native.Stream{Width: len(w.Log)}
			for i, s := range w.Log {
				log.Store = append(log.Store, native.Cell{Reg: s.Reg, At: i})
			}
			n.Streams = append(n.Streams, log)
		}
		return n
	})
}

// streams returns what the backward code of all runs reads, and what it keeps of the duals of elements.
func (f *firing) streams(codes ...*graph.Backward) []native.Stream {
	plan := f.Plan
	rows := native.Stream{Width: len(plan.Row), Down: true, Load: cells(plan.Row, 0)}
	for _, k := range plan.Last {
		rows.Load = append(rows.Load, native.Cell{Reg: k.Reg, At: len(plan.Row) + k.Col})
	}
	if !f.readsElements() {
		return []native.Stream{rows}
	}
	elements := native.Stream{Width: f.data.Width, Down: f.up != 0, Store: elementStores(codes, f.data.Width)}
	if plan.Elements {
		elements.Load = cells(f.Block.Params[0].Regs, 0)
	}
	return []native.Stream{rows, elements}
}

// backwardNode returns the code of a run. What has arrived at the duals of the result is in the registers from adjoint on.
func backwardNode(w *graph.Backward, adjoint uint32) native.Node {
	n := native.Node{Consts: w.Consts, Code: w.Code}
	for j, reg := range w.Out {
		at := adjoint + uint32(j)
		if reg != 0 {
			n.Start = append(n.Start, native.Move{D: reg, A: at})
		}
		n.End = append(n.End, native.Move{D: at, A: w.Before[j]})
	}
	return n
}

// fireNative fires the cells of n runs by machine code, and returns the log with what it has logged.
func (f *firing) fireNative(code *native.Code, w *graph.Backward, n uint64, log []float64) []float64 {
	r := f.r
	adjoint := r.Regs[w.Regs:]
	copy(adjoint, f.adjoint)
	for n > 0 {
		runs := min(int(n), code.Chunk())
		n -= uint64(runs)
		streams := f.before(runs)
		if len(w.Log) > 0 {
			at := len(log)
			log = log[:at+runs*len(w.Log)]
			streams = append(streams, log[at:])
		}
		r.native.Run(code, r.Regs, runs, streams...)
		if slices.ContainsFunc(log[len(log)-runs*len(w.Log):], func(v float64) bool { return v != 0 }) {
			f.live = len(log)
		}
	}
	copy(f.adjoint, adjoint)
	return log
}

// before goes on to the run before the next n, and returns what their code reads.
func (f *firing) before(n int) [][]float64 {
	f.run -= uint64(n)
	streams := append(f.r.streams[:0], f.rows[f.run*uint64(len(f.Plan.Row)):])
	if f.readsElements() {
		at := (min(f.element(f.run), f.element(f.run+uint64(n)-1)) - f.from) * f.data.Width
		streams = append(streams, f.values[at:])
	}
	return streams
}

// compiledPaths is the machine code of the backward codes of a block with paths.
type compiledPaths struct {
	mu      sync.Mutex
	work    uint64
	made    int // how often it has been compiled
	codes   []*graph.Backward
	adjoint uint32 // the first register of what has arrived at the duals of the result
	code    *native.Code
}

// maxPathCompiles is how often the backward codes of a block with paths are compiled again because there are more of them.
const maxPathCompiles = 6

// pathCode returns the machine code of the backward codes of n runs, nil if they are interpreted.
func (f *firing) pathCode(q *Paths, n uint64) (*compiledPaths, error) {
	if f.r.opt.NoNative || n == 0 {
		return nil, nil
	}
	of := &f.Block.Compiled[4]
	switch {
	case f.Kind == graph.ListLoop:
		of = &f.Block.Compiled[6]
	case f.up != 0:
		of = &f.Block.Compiled[5]
	}
	c, ok := of.Load().(*compiledPaths)
	if !ok {
		of.CompareAndSwap(nil, new(compiledPaths))
		c = of.Load().(*compiledPaths)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	codes := c.codes
	for i, times := range f.r.times {
		if times > 0 && !slices.Contains(codes, q.codes[i]) {
			codes = append(codes[:len(codes):len(codes)], q.codes[i])
		}
	}
	if len(codes) > len(c.codes) {
		instructions := 0
		for _, w := range codes {
			instructions += len(w.Code)
		}
		c.work += n * uint64(instructions/len(codes)+runWork)
		if c.made == maxPathCompiles || !f.r.worthCompiling(instructions, c.work) || !f.compilePaths(c, codes) {
			return nil, nil
		}
	}
	now := &compiledPaths{codes: c.codes, adjoint: c.adjoint, code: c.code}
	return now, f.r.nativeMemory(now.code)
}

// compilePaths compiles the codes. It reports whether there is machine code now.
func (f *firing) compilePaths(c *compiledPaths, codes []*graph.Backward) bool {
	adjoint := uint32(0)
	for _, w := range codes {
		adjoint = max(adjoint, w.Regs)
	}
	l := &native.Loop{Consts: f.Block.Consts, Streams: append(f.streams(codes...), native.Stream{Width: 1, Down: true}), Chosen: true}
	for _, w := range codes {
		l.Nodes = append(l.Nodes, backwardNode(w, adjoint))
	}
	code := native.Compile(l)
	if code == nil {
		return false
	}
	c.made++
	c.codes, c.adjoint, c.code = codes, adjoint, code
	return true
}

// firePathsNative fires the cells of the runs down to first, whose codes have the numbers.
func (f *firing) firePathsNative(c *compiledPaths, q *Paths, numbers []int32, first uint64) error {
	r := f.r
	if err := r.Registers(c.adjoint + uint32(len(f.adjoint))); err != nil {
		return err
	}
	node := make([]float64, len(q.codes))
	steps, least := uint64(0), uint64(math.MaxUint64) // of all runs, and of one
	for i, n := range r.times {
		if w := q.codes[i]; n > 0 {
			node[i] = float64(slices.Index(c.codes, w))
			steps += n * w.Steps
			least = min(least, w.Steps)
			if err := f.enter(w); err != nil {
				return err
			}
		}
	}
	copy(r.Regs[f.Block.Sum(0):], f.out.Sums)
	adjoint := r.Regs[c.adjoint:]
	copy(adjoint, f.adjoint)
	for f.run > first {
		n := min(int(f.run-first), c.code.Chunk())
		chosen := Resize(&r.chosen, n)
		for i, number := range numbers[f.run-uint64(n) : f.run] {
			chosen[i] = node[number]
		}
		steps -= uint64(n) * least
		if err := f.fired(uint64(n) * least); err != nil {
			return err
		}
		r.native.Run(c.code, r.Regs, n, append(f.before(n), chosen)...)
	}
	copy(f.adjoint, adjoint)
	return f.fired(steps)
}
