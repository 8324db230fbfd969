package pool

// Tally is the counters of a task that are not zero.
type Tally []tallied

type tallied struct {
	index int
	n     uint64
}

// TallyOf returns the counters that are not zero.
func TallyOf(counters []uint64) Tally {
	var t Tally
	for i, n := range counters {
		if n != 0 {
			t = append(t, tallied{i, n})
		}
	}
	return t
}

// AddTo adds the tally to the counters.
func (t Tally) AddTo(counters []uint64) {
	for _, c := range t {
		counters[c.index] += c.n
	}
}
