package engine

import (
	"sync"
	"sync/atomic"

	"github.com/gram-machine/gram/engine/native"
)

// compiledRoutines is the machine code of the routines of a table.
type compiledRoutines struct {
	work atomic.Uint64 // steps that were interpreted
	once sync.Once
	code atomic.Pointer[native.Routines] // nil: there is none yet, or it can't be compiled
}

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
	if m.block.WorthCompiling(size, c.work.Load()) {
		c.once.Do(func() { c.code.Store(native.CompileRoutines(s.Table, m.slots[:m.prog.NumGlobals()])) })
		if code := c.code.Load(); code != nil {
			s.SetCode(code)
			return nil
		}
	}
	return c
}
