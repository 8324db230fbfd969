// Package bundle runs the elements of a bundle side by side. Runners give a worker one element after the other.
package bundle

import (
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Group is the elements of a bundle that are worked on, each with a result of type T.
type Group[T any] struct {
	work *errgroup.Group
	mu   sync.Mutex
	done []T
}

// Start begins a bundle.
func (g *Group[T]) Start() {
	g.work = new(errgroup.Group)
	g.work.SetLimit(runtime.GOMAXPROCS(0))
}

// Do begins with an element as soon as a processor is free, and emits the results that there are.
func (g *Group[T]) Do(work func() T, emit func(T)) {
	g.work.Go(func() error {
		x := work()
		g.mu.Lock()
		defer g.mu.Unlock()
		g.done = append(g.done, x)
		return nil
	})
	g.emit(emit)
}

// Finish waits for all elements, and emits the results that are left.
func (g *Group[T]) Finish(emit func(T)) {
	_ = g.work.Wait()
	g.emit(emit)
}

func (g *Group[T]) emit(emit func(T)) {
	g.mu.Lock()
	done := g.done
	g.done = nil
	g.mu.Unlock()
	for _, x := range done {
		emit(x)
	}
}
