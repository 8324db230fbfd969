package engine

import (
	"errors"
	"math"

	"github.com/gram-machine/gram/graph"
)

// Ablation takes a piece of the machine away, to show what it is there for. Ablations
// are for measurements of their cost and for nothing else: values and gradients are the
// same, but for the order in which sums are added up. They run the literal form by LIFO, and
// free nothing.
type Ablation uint8

// The ablations.
const (
	Whole Ablation = iota // nothing is taken away
	// NoFactoring leaves out rule (11): x*(t) + x*(u) stays as it is, and each application
	// of a dual fires by itself. Exponential where values are shared (section 5.2, Lemma main).
	NoFactoring
	// SubstituteFirst lets (3) put the λ of a dual in place of each occurrence of its
	// variable before (11) has made them one: (11) then meets at the inputs alone. Exponential in
	// time and in memory where values are shared (Theorem 1 is of the other order).
	SubstituteFirst
	// Rescan searches for each redex from the result on, through the nodes that wait, in
	// place of taking it from the worklist. Each node that it visits is search (section 7).
	Rescan
	// CopyBodies copies the whole body of a λ when it is applied, its branches and inner
	// λs with it, as (3) does on terms. Each instruction is overhead, and a node.
	CopyBodies
)

// Ablations are all of them, in order; the first takes nothing away.
var Ablations = []Ablation{Whole, NoFactoring, SubstituteFirst, Rescan, CopyBodies}

// String is the ablation's name.
func (a Ablation) String() string {
	return [...]string{"none", "no-factoring", "substitute-first", "rescan", "copy-bodies"}[a]
}

// checkAblation reports programs and schedules that an ablation can't be of.
func checkAblation(p *graph.Program, opt Options) error {
	switch {
	case opt.Ablation == Whole:
		return nil
	case opt.Schedule != LIFO:
		return errors.New("an ablation is of the schedule LIFO")
	case p.Open || p.Late:
		return errors.New("an ablation is of programs without symbolic inputs or hand-written duals")
	}
	return nil
}

// reduceAblated is reduce for Rescan and CopyBodies.
func (m *Machine) reduceAblated() error {
	s := scan{at: map[graph.Ref]int{}}
	for len(m.work) > 0 {
		s.note(m.work)
		if m.steps+m.pops >= m.nextLook || m.top > m.nodeTop {
			m.pos = m.place(m.work[len(m.work)-1])
			if err := m.look(); err != nil {
				return err
			}
		}
		if m.opt.Ablation == Rescan {
			s.toLast(m.work, m.search(&s))
		}
		r := m.take()
		s.known = len(m.work)
		delete(s.at, r)
		if m.opt.Ablation == CopyBodies && m.nodes[r].Kind() == graph.Apply {
			if err := m.copyBodyOf(m.words[4*uint64(r)+graph.WaitWords]); err != nil {
				return err
			}
		}
		if err := m.fire(r); err != nil {
			return err
		}
	}
	return nil
}

// scan is what a search knows: where each redex stands on the worklist, and which nodes
// it has visited.
type scan struct {
	at    map[graph.Ref]int
	known int      // entries of the worklist that are in at
	seen  []uint32 // the number of the search that visited a node last
	turn  uint32
	stack []graph.Ref
}

func (s *scan) note(work []graph.Ref) {
	for i := s.known; i < len(work); i++ {
		s.at[work[i]] = i
	}
	s.known = len(work)
}

// toLast moves the redex at i to the end of the worklist.
func (s *scan) toLast(work []graph.Ref, i int) {
	last := len(work) - 1
	work[i], work[last] = work[last], work[i]
	s.at[work[i]] = i
}

// search goes through the nodes that wait, from the result on, to the first redex, and
// returns its place on the worklist; that of the last if none is below the result.
func (m *Machine) search(s *scan) int {
	if n := int(m.top) - len(s.seen); n > 0 {
		s.seen = append(s.seen, make([]uint32, n)...)
	}
	s.turn++
	s.stack = append(s.stack[:0], m.root)
	for len(s.stack) > 0 {
		r := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if m.isValue(r) || s.seen[r] == s.turn {
			continue
		}
		s.seen[r] = s.turn
		if i, ok := s.at[r]; ok {
			return i
		}
		m.pops++
		waiters := 4*uint64(r) + 2
		m.references(r, func(w uint64) {
			if w > waiters {
				s.stack = append(s.stack, m.words[w])
			}
		})
	}
	return s.known - 1
}

// copyBodyOf copies the body of the λ f, and those of its inner λs and branches.
func (m *Machine) copyBodyOf(f graph.Ref) error {
	head := m.nodes[f].Head
	if graph.Kind(head&graph.KindMask) != graph.Closure {
		return nil
	}
	for pending := []uint32{head >> graph.KindShift}; len(pending) > 0; {
		t := &m.prog.Templates[pending[len(pending)-1]]
		pending = pending[:len(pending)-1]
		if err := m.ensure(t.End - t.Start); err != nil {
			return err
		}
		for i := t.Start; i < t.End; i++ {
			in := &m.prog.Code[i]
			m.nodes[m.top] = graph.Node{A: in.D, V: uint64(in.A) | uint64(in.B)<<32}
			m.top++
			m.copied++
			switch in.Op {
			case graph.OpClosure, graph.OpList:
				pending = append(pending, in.Tmpl)
			case graph.OpIf:
				pending = append(pending, in.Tmpl, in.Else)
			}
		}
	}
	return nil
}

// fireUnfactored is the backward phase of the seed d 1 without rule (11): each
// application of a dual is a firing of its own, and so is each at an input, whose numbers
// are added as they are read back.
func (m *Machine) fireUnfactored(seed graph.Ref) error {
	type application struct {
		dual graph.Ref
		at   float64
	}
	for pending := []application{{seed, 1}}; len(pending) > 0; {
		if m.occurs+m.pops+m.steps >= m.nextLook {
			if err := m.lookBackward(); err != nil {
				return err
			}
		}
		d := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		m.pops++
		n := &m.nodes[d.dual]
		index := n.Head >> graph.KindShift
		if n.Kind() == graph.Input {
			m.grad[index] += d.at
			m.firedIn++
			m.steps += 3
			m.readback++
			continue
		}
		id := m.prog.Duals[index].Body
		body := &m.prog.Bodies[id]
		m.fired[id]++
		m.steps += body.Steps
		heads := m.loadBody(d.dual, body, d.at)
		for i := range body.Code {
			in := &body.Code[i]
			switch in.Op {
			case graph.LinScale:
				pending = append(pending, application{heads[in.D], float64(m.regs[in.A] * m.regs[in.B])})
			case graph.LinArrive:
				pending = append(pending, application{heads[in.D], m.regs[in.A]})
			default:
				m.regs[in.D] = linear(in, m.regs)
			}
		}
	}
	return nil
}

// unshare copies the duals that the seed reaches, one copy for each occurrence: the tree
// that (3) on dual variables makes. It returns the copy of the seed.
func (m *Machine) unshare(seed graph.Ref) (graph.Ref, error) {
	type occurrence struct {
		of graph.Ref // a dual
		in uint64    // the word that is to refer to its copy
	}
	const result = math.MaxUint64
	var root graph.Ref
	for pending := []occurrence{{seed, result}}; len(pending) > 0; {
		o := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		to, heads := o.of, uint64(0)
		if n := &m.nodes[o.of]; n.Kind() == graph.DualCell {
			body := &m.prog.Bodies[m.prog.Duals[n.Head>>graph.KindShift].Body]
			units := graph.Units(graph.DualWords, int(body.Heads+body.Nums))
			if err := m.ensure(units); err != nil {
				return 0, err
			}
			if m.occurs+m.pops+m.steps >= m.nextLook || m.top > m.nodeTop {
				if err := m.lookBackward(); err != nil {
					return 0, err
				}
			}
			to, heads = m.top, uint64(body.Heads)
			m.top += units
			copy(m.nodes[to:to+units], m.nodes[o.of:o.of+units])
			m.copied++
			m.occurs++
		}
		if o.in == result {
			root = to
		} else {
			m.words[o.in] = to
		}
		first := 4*uint64(to) + graph.DualWords
		for w := first; w < first+heads; w++ {
			pending = append(pending, occurrence{m.words[w], w})
		}
	}
	return root, nil
}
