package engine

import (
	"sync"
	"sync/atomic"

	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/graph"
)

// nativeWork is how many instructions a loop has run when it is compiled. Each run counts as runWork more.
var nativeWork uint64 = 200_000

const runWork = 8

// compiled is the machine code of a loop.
type compiled struct {
	work atomic.Uint64 // instructions that were interpreted
	once sync.Once
	code *native.Code // nil: it can't be compiled
}

// nativeCode returns the machine code of a loop of so many instructions, nil if it is interpreted. It is to make n runs now, and at
// least left in all.
func (m *Machine) nativeCode(of *graph.Compiled, instructions int, n, left uint64, loop func() *native.Loop) (*native.Code, error) {
	if m.opt.NoNative {
		return nil, nil
	}
	c, ok := of.Load().(*compiled)
	if !ok {
		of.CompareAndSwap(nil, new(compiled))
		c = of.Load().(*compiled)
	}
	each := uint64(instructions + runWork)
	if c.work.Load()+left*each < nativeWork {
		c.work.Add(n * each)
		return nil, nil
	}
	c.once.Do(func() { c.code = native.Compile(loop()) })
	if c.code == nil {
		return nil, nil
	}
	k := &m.block
	if k.native == nil {
		k.native = native.NewMemory()
	}
	if bytes := k.native.Needs(c.code); bytes > 0 {
		return c.code, m.reserve(int64(bytes))
	}
	return c.code, nil
}

// cells says that the registers have a stream's numbers from at on.
func cells(regs []uint32, at int) []native.Cell {
	all := make([]native.Cell, len(regs))
	for i, reg := range regs {
		all[i] = native.Cell{Reg: reg, At: at + i}
	}
	return all
}

// forward returns the machine code of the runs of a loop.
func (m *Machine) forward(l *loop, plan *graph.Plan) (*native.Code, error) {
	b := l.b
	if b.Arrays != nil || b.Paths != nil {
		return nil, nil
	}
	of := 0
	if l.chain {
		of = 1
	}
	if len(plan.Row) > 0 {
		of += 2
	}
	return m.nativeCode(&b.Compiled[of], len(b.Code), l.n, l.left, func() *native.Loop {
		n := &native.Loop{Code: b.Code, Consts: b.Consts}
		if l.kind == graph.DataLoop {
			n.Streams = append(n.Streams, native.Stream{Width: l.data.Width, Down: !l.chain, Load: cells(b.Params[0].Regs, 0)})
		}
		if len(plan.Row) > 0 {
			n.Streams = append(n.Streams, native.Stream{Width: len(plan.Row), Store: cells(plan.Row, 0)})
		}
		for j, reg := range l.state {
			n.End = append(n.End, native.Move{D: reg, A: l.results[j]})
		}
		return n
	})
}

// runNative makes the runs from i up to end by machine code.
func (m *Machine) runNative(l *loop, columns int, rows, values []float64, first int, i, end uint64) {
	k := &m.block
	for i < end {
		n := min(int(end-i), l.code.Chunk())
		streams := k.streams[:0]
		if l.kind == graph.DataLoop {
			at := (min(l.element(i), l.element(i+uint64(n)-1)) - first) * l.data.Width
			streams = append(streams, values[at:])
		}
		if columns > 0 {
			streams = append(streams, rows[i*uint64(columns):])
		}
		k.native.Run(l.code, k.regs, n, streams...)
		i += uint64(n)
	}
}

// backward returns the machine code of the runs of the backward code w.
func (f *firingBlock) backward(w *graph.Backward, times uint64) (*native.Code, error) {
	if w.Arrays != nil || f.p.kind == graph.OneRun {
		return nil, nil
	}
	of := 0
	if f.up != 0 {
		of = 1
	}
	return f.m.nativeCode(&w.Compiled[of], len(w.Code), times, times, func() *native.Loop {
		plan, b := f.p.plan, f.p.b
		n := &native.Loop{Code: w.Code, Consts: append(b.Consts[:len(b.Consts):len(b.Consts)], w.Consts...)}
		rows := native.Stream{Width: len(plan.Row), Down: true, Load: cells(plan.Row, 0)}
		for _, k := range plan.Last {
			rows.Load = append(rows.Load, native.Cell{Reg: k.Reg, At: len(plan.Row) + k.Col})
		}
		n.Streams = append(n.Streams, rows)
		if plan.Elements {
			n.Streams = append(n.Streams, native.Stream{Width: f.data.Width, Down: f.up != 0, Load: cells(b.Params[0].Regs, 0)})
		}
		if len(w.Log) > 0 {
			log := native.Stream{Width: len(w.Log)}
			for i, s := range w.Log {
				log.Store = append(log.Store, native.Cell{Reg: s.Reg, At: i})
			}
			n.Streams = append(n.Streams, log)
		}
		for j, reg := range w.Out {
			adjoint := w.Regs + uint32(j)
			if reg != 0 {
				n.Start = append(n.Start, native.Move{D: reg, A: adjoint})
			}
			n.End = append(n.End, native.Move{D: adjoint, A: w.Before[j]})
		}
		return n
	})
}

// fireNative fires the cells of n runs by machine code, and returns the log with what it has logged.
func (f *firingBlock) fireNative(code *native.Code, w *graph.Backward, n uint64, log []float64) []float64 {
	k := &f.m.block
	columns := uint64(len(f.p.plan.Row))
	adjoint := k.regs[w.Regs:]
	copy(adjoint, f.adjoint)
	for n > 0 {
		runs := min(int(n), code.Chunk())
		n -= uint64(runs)
		f.run -= uint64(runs)
		streams := append(k.streams[:0], f.rows[f.run*columns:])
		if f.p.plan.Elements {
			at := (min(f.element(f.run), f.element(f.run+uint64(runs)-1)) - f.from) * f.data.Width
			streams = append(streams, f.values[at:])
		}
		if len(w.Log) > 0 {
			at := len(log)
			log = log[:at+runs*len(w.Log)]
			streams = append(streams, log[at:])
		}
		k.native.Run(code, k.regs, runs, streams...)
	}
	copy(f.adjoint, adjoint)
	return log
}
