// Package bundle runs the elements of a bundle side by side. Runners give a worker one element after the other.
package bundle

import (
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Group is the elements of a bundle that are worked on, each with a result of type T under a key. A DoFn embeds it.
type Group[T any] struct {
	work *errgroup.Group
	mu   sync.Mutex
	done []result[T]
}

type result[T any] struct {
	key   int
	value T
}

// StartBundle begins a bundle.
func (g *Group[T]) StartBundle(_ func(int, T)) {
	g.work = new(errgroup.Group)
	g.work.SetLimit(runtime.GOMAXPROCS(0))
}

// Do begins with an element as soon as a processor is free, and emits the results that there are.
func (g *Group[T]) Do(work func() (int, T), emit func(int, T)) {
	g.work.Go(func() error {
		key, value := work()
		g.mu.Lock()
		defer g.mu.Unlock()
		g.done = append(g.done, result[T]{key, value})
		return nil
	})
	g.emit(emit)
}

// FinishBundle waits for all elements, and emits the results that are left.
func (g *Group[T]) FinishBundle(emit func(int, T)) {
	_ = g.work.Wait()
	g.emit(emit)
}

func (g *Group[T]) emit(emit func(int, T)) {
	g.mu.Lock()
	done := g.done
	g.done = nil
	g.mu.Unlock()
	for _, x := range done {
		emit(x.key, x.value)
	}
}
