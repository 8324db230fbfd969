package explore

import (
	"slices"
	"sync"
)

// How many runs are kept, and how large several runs may be together, in steps. The memory of a
// run is proportional to its steps and to the size of its program; a byte of the program takes as
// much as sourceSteps steps.
const (
	maxRuns      = 8
	maxKeptSteps = 20e6
	sourceSteps  = 20
)

// run is a run that is explored, or will be.
type run struct {
	id   string
	turn chan struct{} // holds a token while a request uses the fields below
	*started
	windows []window // the last ones that were sent, the latest first

	kept bool   // guarded by the shelf
	size uint64 // of a kept run and its program, in steps
}

// shelf holds the runs that were used last, the latest first. A run that is removed while it is
// in use stays valid for its users.
type shelf struct {
	mu   sync.Mutex
	runs []*run
}

// take returns the run with an id. If there is none it returns nil, or with create a new run, which
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

// keep moves a run to the front, and removes the last runs if there are too many. The run has so
// many steps, and its program so many bytes.
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

// drop removes a run, with unkept unless it has been kept.
func (s *shelf) drop(r *run, unkept bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = slices.DeleteFunc(s.runs, func(o *run) bool { return o == r && !(unkept && o.kept) })
}
