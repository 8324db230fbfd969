package explore

import (
	"slices"
	"sync"
)

// How many runs are kept, and how large they may be together if there are several, in
// steps. What is known of a run takes memory in proportion to its steps, and to its program,
// a byte of which takes as much as sourceSteps.
const (
	maxRuns      = 8
	maxKeptSteps = 20e6
	sourceSteps  = 20
)

// run is a run that is explored, or is to be.
type run struct {
	id   string
	turn chan struct{} // has a token while a request works with what follows
	*started
	windows []window // that were sent last, the latest first

	kept bool   // of the shelf
	size uint64 // in steps, of a run that is kept, with its program
}

// shelf has the runs that were used last, those in front first. One that leaves it while
// it is in use remains with its users.
type shelf struct {
	mu   sync.Mutex
	runs []*run
}

// take returns the run of an id. If there is none it is nil, or with create a new one, which
// is not kept yet.
func (s *shelf) take(id string, create bool) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.runs, func(r *run) bool { return r.id == id })
	if i >= 0 {
		r := s.runs[i]
		s.runs = slices.Insert(slices.Delete(s.runs, i, i+1), 0, r)
		return r
	}
	if !create {
		return nil
	}
	r := &run{id: id, turn: make(chan struct{}, 1)}
	s.runs = slices.Insert(s.runs, 0, r)
	return r
}

// keep puts a run of so many steps, of a program of so many bytes, in front, and drops those
// that are too many then.
func (s *shelf) keep(r *run, steps uint64, source int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.kept, r.size = true, steps+sourceSteps*uint64(source)
	others := slices.DeleteFunc(s.runs, func(o *run) bool { return o.id == r.id })
	s.runs = slices.Insert(others, 0, r)
	runs, total := 0, uint64(0)
	s.runs = slices.DeleteFunc(s.runs, func(o *run) bool {
		if !o.kept {
			return false
		}
		runs++
		total += o.size
		return runs > maxRuns || runs > 1 && total > maxKeptSteps
	})
}

// forget takes a run off the shelf that has not been kept.
func (s *shelf) forget(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = slices.DeleteFunc(s.runs, func(o *run) bool { return o == r && !o.kept })
}

// drop takes a run off the shelf.
func (s *shelf) drop(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = slices.DeleteFunc(s.runs, func(o *run) bool { return o == r })
}
