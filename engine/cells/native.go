package cells

import (
	"sync"
	"sync/atomic"

	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/graph"
)

// compiled is the machine code of a program's dual λs.
type compiled struct {
	work atomic.Uint64 // that was interpreted
	once sync.Once
	code atomic.Pointer[native.Cells] // nil: there is none yet, or it can't be compiled
}

// HasCode reports whether machine code has fired cells.
func (f *Firing) HasCode() bool { return f.code != nil }

func (f *Firing) shared() *compiled {
	of := &f.Prog.DualCode
	c, ok := of.Load().(*compiled)
	if !ok {
		of.CompareAndSwap(nil, new(compiled))
		c = of.Load().(*compiled)
	}
	return c
}

// worked counts work that was interpreted.
func (f *Firing) worked(w *Work) {
	if f.Worth != nil {
		f.shared().work.Add(w.Total())
	}
}

// compile makes machine code fire the cells, and reports whether it does, which is where that is worth it. The set takes n words.
func (f *Firing) compile(n int, top graph.Ref, reserve func(bytes int64) error) bool {
	if f.Worth == nil {
		return false
	}
	instructions := len(f.Prog.Duals)
	for i := range f.Prog.Bodies {
		instructions += len(f.Prog.Bodies[i].Code)
	}
	c := f.shared()
	if !f.Worth(instructions, c.work.Load()) {
		return false
	}
	c.once.Do(func() { c.code.Store(native.CompileCells(f.Prog)) })
	code := c.code.Load()
	if code == nil {
		return false
	}
	bodies := len(f.Prog.Bodies)
	window, memory := f.Stack.Window(bodies+n, top, reserve)
	if window == nil {
		return false
	}
	if f.code == nil {
		f.code = code.In(window)
	}
	clear(memory)
	f.waits = newSet(memory[bodies:])
	return true
}

// runCode is run by machine code.
func (f *Firing) runCode(most uint64) (w Work, other graph.Ref, done bool) {
	other, f.waits.at, done = f.code.Run(len(f.waits.bits), f.waits.at, most)
	fired := f.code.Counters()
	for i, n := range fired {
		if n > 0 {
			b := &f.Prog.Bodies[i]
			f.Fired[i] += n
			w.Cells, w.Arrivals, w.Steps = w.Cells+n, w.Arrivals+n*uint64(b.Heads), w.Steps+n*b.Steps
			fired[i] = 0
		}
	}
	return w, other, done
}
