// Package cells fires the dual λs of a run in which no block has any, by machine code where that pays. The newest cell at which something
// has arrived fires next. A value refers only to older nodes, so all arrivals of that cell have come, and they are not counted first.
package cells

import (
	"math"
	"math/bits"

	"github.com/gram-machine/gram/engine/frames"
	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/graph"
)

// Firing fires the cells of an arena.
type Firing struct {
	Prog  *graph.Program
	Nodes []graph.Node
	Words []uint32 // the same memory
	Regs  []float64
	Fired []uint64 // of each dual's body
	Stack *frames.Stack
	// Worth, if not nil, reports whether machine code of so many instructions is worth it after so much [Work].
	Worth func(instructions int, work uint64) bool

	memory []uint64 // of waits where no machine code uses them, all 0 when no cell waits
	waits  set
	code   *native.CellRun
	fires  bool // the machine code fires the cells
}

// Work is what a [Firing] has done.
type Work struct {
	Cells, Arrivals, Steps uint64
}

// Total is what the limits bound: the steps, the cells that were taken, and their arrivals.
func (w *Work) Total() uint64 { return w.Cells + w.Arrivals + w.Steps }

// size is how many words the set of cells takes in an arena with nodes below top.
func size(top graph.Ref) int {
	n := int(top)/64 + 1
	return n + n/64 + 1
}

// Prepare makes room for the cells of an arena with nodes below top, of which none waits. It reports false if there is none: reserve, which is
// told what is allocated, has an error.
func (f *Firing) Prepare(top graph.Ref, reserve func(bytes int64) error) bool {
	n := size(top)
	if f.fires = f.compile(n, top, reserve); f.fires {
		return true
	}
	if n > len(f.memory) {
		if reserve(8*int64(n+n/2)) != nil {
			return false
		}
		f.memory = make([]uint64, n+n/2)
	}
	f.waits = newSet(f.memory[:n])
	return true
}

// Begin lets 1 arrive at the seed.
func (f *Firing) Begin(seed graph.Ref) {
	f.waits.add(seed)
	f.Nodes[seed].V = math.Float64bits(1)
}

// Stop drops all cells that wait.
func (f *Firing) Stop() { clear(f.memory) }

// Reached returns a node beyond which no cell is left, near the next one.
func (f *Firing) Reached() graph.Ref { return graph.Ref(64 * 64 * f.waits.at) }

// Run is run, by machine code where there is some. A cell of another kind is an input: inputs are older than all dual λs, so after the
// first of them no machine code is needed.
func (f *Firing) Run(most uint64) (w Work, other graph.Ref, done bool) {
	if f.fires {
		w, other, done = f.runCode(most)
		f.fires = other == 0
		return w, other, done
	}
	w, other, done = f.run(most)
	f.worked(&w)
	return w, other, done
}

// run fires cells until the work is as much as most, a cell comes that is no dual λ of the program, or no cell is left. It returns such a
// cell, at which all has arrived, or 0.
func (f *Firing) run(most uint64) (w Work, other graph.Ref, done bool) {
	nodes, words, regs := f.Nodes, f.Words, f.Regs
	for w.Total() < most {
		d, ok := f.waits.take()
		if !ok {
			return w, 0, true
		}
		head := nodes[d].Head
		if graph.Kind(head&graph.KindMask) != graph.DualCell {
			return w, d, false
		}
		id := f.Prog.Duals[head>>graph.KindShift].Body
		body := &f.Prog.Bodies[id]
		f.Fired[id]++
		w.Cells++
		w.Arrivals += uint64(body.Heads)
		w.Steps += body.Steps
		at := 4*uint64(d) + graph.DualWords
		heads := words[at : at+uint64(body.Heads)]
		null := uint64(0)
		regs[0] = nodes[d].Number()
		for i, r := range words[at+uint64(body.Heads) : at+uint64(body.Heads+body.Nums)] {
			regs[1+i] = nodes[r].Number()
		}
		for i := range body.Code {
			in := &body.Code[i]
			v := regs[in.A]
			switch in.Op {
			case graph.LinScale:
				v = float64(v * regs[in.B]) // rounded: no fused multiply-add
			case graph.LinArrive:
			default:
				regs[in.D] = in.Coefficient(regs)
				continue
			}
			h := heads[in.D]
			if h == graph.NullDual {
				null++
				continue
			}
			if !f.waits.add(h) {
				v = nodes[h].Number() + v
			}
			nodes[h].V = math.Float64bits(v)
		}
		if null > 0 {
			f.firedNull(&w, null)
		}
	}
	return w, 0, false
}

// firedNull counts the firings of λa.0⃗, one for each arrival there.
func (f *Firing) firedNull(w *Work, n uint64) {
	body := f.Prog.NullBody()
	f.Fired[body] += n
	w.Cells += n
	w.Steps += n * f.Prog.Bodies[body].Steps
}

// set is a set of nodes of which the greatest is taken, and only smaller ones are added then.
type set struct {
	bits []uint64 // a bit for each node
	some []uint64 // a bit for each word of bits that is not 0
	at   int      // words of some from here on are 0
}

// newSet makes an empty set in words that are 0.
func newSet(memory []uint64) set {
	n := len(memory) * 64 / 65
	return set{memory[:n], memory[n:], len(memory) - n}
}

// add adds a node, and reports whether it was not there.
func (s *set) add(r graph.Ref) bool {
	w, bit := &s.bits[r/64], uint64(1)<<(r%64)
	if *w == 0 {
		s.some[r/(64*64)] |= 1 << (r / 64 % 64)
	} else if *w&bit != 0 {
		return false
	}
	*w |= bit
	return true
}

// take takes the greatest node.
func (s *set) take() (r graph.Ref, ok bool) {
	for s.at > 0 && s.some[s.at-1] == 0 {
		s.at--
	}
	if s.at == 0 {
		return 0, false
	}
	some := &s.some[s.at-1]
	i := 64*(s.at-1) + bits.Len64(*some) - 1
	w := &s.bits[i]
	k := bits.Len64(*w) - 1
	if *w &^= 1 << k; *w == 0 {
		*some &^= 1 << (i % 64)
	}
	return graph.Ref(64*i + k), true
}
