// Package pool lends tasks to workers, in the order in which they are lent. The lender can take back a task that no worker has begun.
package pool

import (
	"sync"
	"sync/atomic"
)

// Task is what is lent to a worker of type W.
type Task[W any] struct {
	Do   func(w *W) error
	Done chan struct{} // is closed when a worker has done it
	Err  error         // of Do
	By   *W            // the worker that has done it

	begun, back bool // back: no worker is to begin it; both guarded by Pool.mu
}

// Pool is some workers, and the tasks that wait for them.
type Pool[W any] struct {
	Workers []*W
	// Stop says that tasks are to end: see [Pool.Quit].
	Stop atomic.Bool
	// Waits says that no task is taken back.
	Waits bool

	mu      sync.Mutex
	running []bool     // of each worker: a goroutine is at work
	pending []*Task[W] // lent and not begun, in the order in which they were lent
	busy    sync.WaitGroup
}

// Quit ends the tasks that are left, and waits until no worker is running.
func (p *Pool[W]) Quit() {
	p.Stop.Store(true)
	p.mu.Lock()
	p.pending = nil
	p.mu.Unlock()
	p.busy.Wait()
	p.Stop.Store(false)
}

// Give lends a task, and starts a worker if one is idle.
func (p *Pool[W]) Give(e *Task[W]) {
	e.Done = make(chan struct{})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending = append(p.pending, e)
	for len(p.running) < len(p.Workers) {
		p.running = append(p.running, false)
	}
	for i, running := range p.running {
		if !running {
			p.running[i] = true
			p.busy.Go(func() { p.work(i) })
			return
		}
	}
}

// work runs tasks, the one lent first first, until none is left.
func (p *Pool[W]) work(i int) {
	for {
		e := p.begin(i)
		if e == nil {
			return
		}
		e.By = p.Workers[i]
		e.Err = e.Do(e.By)
		close(e.Done)
	}
}

func (p *Pool[W]) begin(i int) *Task[W] {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.pending) > 0 {
		e := p.pending[0]
		p.pending = p.pending[1:]
		if !e.back {
			e.begun = true
			return e
		}
	}
	p.running[i] = false
	return nil
}

// TakeBack reports whether no worker has begun the task; then none will.
func (p *Pool[W]) TakeBack(e *Task[W]) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.begun || p.Waits {
		return false
	}
	e.back = true
	return true
}

// Begun reports whether a worker has begun the task.
func (p *Pool[W]) Begun(e *Task[W]) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return e.begun
}

// Waiting is how many tasks no worker has begun.
func (p *Pool[W]) Waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pending)
}
