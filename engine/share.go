package engine

import (
	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/graph/calls"
)

// done says how far a run has got.
type done struct {
	phase     calls.Phase
	share     float64 // of the phase, or unknown, which is negative
	job, jobs int     // of a backward phase: the output, of how many
}

const unknown = -1

// longLoop is how many steps a loop makes whose share tells of the run's.
const longLoop = 1 << 26

// tellShare tells the share of the phase that is done.
func (m *Machine) tellShare() {
	if m.opt.Share != nil {
		m.opt.Share(m.done.phase, m.done.share)
	}
}

// ranOf says that i runs of a piece of a loop are done. A loop within another starts again, so only a long one counts.
func (m *Machine) ranOf(l *block.Loop, i uint64) {
	if m.opt.Share != nil && float64(l.All)*float64(l.PerRun) >= longLoop {
		m.done.share = 1 - float64(l.Left-i)/float64(l.All)
	}
}

// reached says that a discovery or a backward phase has come to a cell or block. They come to the newest first, so its place in the
// arena is the share that is left, and where workers have made some its place in the order.
func (m *Machine) reached(r graph.Ref) {
	if m.opt.Share == nil || m.top <= m.base || r < m.base {
		return
	}
	left := float64(r-m.base) / float64(m.top-m.base)
	if m.order != nil {
		left = m.order.Place(r)
	}
	m.done.share = (float64(m.done.job) + 1 - left) / float64(max(1, m.done.jobs))
}
