package engine

import (
	"sync"
	"sync/atomic"

	"github.com/gram-machine/gram/engine/native"
)

// compiledRoutines is the machine code of the routines of a table.
type compiledRoutines struct {
	work atomic.Uint64 // steps that were interpreted
	runs atomic.Uint64 // of the interpreter, each of which ends at what is left to the machine
	once sync.Once
	code atomic.Pointer[native.Routines] // nil: there is none yet, or it can't be compiled
}

// runSteps is how many steps a run of the interpreter makes at least, on average, where machine code is worth it: to enter and to leave
// machine code takes as long as some tens of steps.
const runSteps = 64

// compileRoutines makes the stack run machine code if that is worth it. It returns what counts the steps that are interpreted, nil where
// they are interpreted anyway.
func (m *Machine) compileRoutines() *compiledRoutines {
	s := &m.call.stack
	if m.opt.NoNative || s.Code() != nil || !s.InWindow() {
		return nil
	}
	of := s.Table.Compiled
	c, ok := of.Load().(*compiledRoutines)
	if !ok {
		of.CompareAndSwap(nil, new(compiledRoutines))
		c = of.Load().(*compiledRoutines)
	}
	size := 0
	for _, r := range s.Table.Routines {
		size += len(r.Code)
	}
	if work := c.work.Load(); work >= runSteps*c.runs.Load() && m.block.WorthCompiling(size, work) {
		c.once.Do(func() { c.code.Store(native.CompileRoutines(s.Table, m.slots[:m.prog.NumGlobals()])) })
		if code := c.code.Load(); code != nil {
			s.SetCode(code)
			return nil
		}
	}
	return c
}
