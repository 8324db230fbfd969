package gram

import (
	"slices"
	"time"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
)

// Strategy is when a program is differentiated (sections 6.2 and 7): what the paper
// calls the interplay of D and evaluation. Values and gradients don't depend on it.
type Strategy uint8

// The strategies.
const (
	// Direct reduces D(t) as it is.
	Direct Strategy = iota
	// Unfold first reduces t to its graph G, its inputs left open, and then D(G):
	// backpropagation through time. If the program branches on its inputs, G is made for
	// each point anew.
	Unfold
	// Modular first normalises the λs of D(t) whose free variables are inputs or
	// normalised λs, once each, before anything copies them.
	Modular
)

// String returns the strategy's name.
func (s Strategy) String() string { return [...]string{"direct", "unfold", "modular"}[s] }

// prepare makes the program of a gradient by the strategy, for the point.
func (e *Evaluator) prepare(point []float64) error {
	var err error
	switch e.opt.Strategy {
	case Unfold:
		err = e.unfold(point)
	case Modular:
		e.prog, err = e.p.modularProgram(e.meter)
		if err == nil {
			e.before, e.normalised = e.p.modularised.stats, &e.p.modularised.report
		}
	default:
		e.prog, err = e.p.reverseProgram(e.meter)
	}
	return err
}

// unfold reduces the program to its graph at the point, and compiles D of that.
func (e *Evaluator) unfold(point []float64) error {
	p := e.p
	if err := p.gradientType(); err != nil {
		return err
	}
	start := time.Now()
	m, _, err := p.open(e.meter, point, e.opt)
	if err != nil {
		return err
	}
	defer m.Close()
	p.terms.Lock()
	defer p.terms.Unlock()
	check := p.opt.check("compile", e.meter)
	st := &stage{p: p, check: check, inputs: p.ScalarInputs()}
	if err := st.ground(m); err != nil {
		return p.locate(err, "making the graph")
	}
	d, err := revgrad.Reverse(st.t, check)
	if err != nil {
		return p.locate(err, "differentiating")
	}
	p.setSize(p.src.Term.Size(), d.Size())
	e.prog, err = compile.Compile(d, compile.Options{Inputs: st.inputs, Reversed: true, Check: check})
	if err != nil {
		return p.locate(err, "compiling")
	}
	e.before, e.unfoldedAt, e.making = m.Stats(), slices.Clone(point), time.Since(start)
	return nil
}

// modularProgram compiles D(t) with its λs normalised.
func (p *Program) modularProgram(meter *limits.Meter) (*graph.Program, error) {
	return p.get(&p.modularly, func() (*graph.Program, error) {
		d, err := p.reversed(meter)
		if err != nil {
			return nil, err
		}
		m, err := p.modular(d, meter)
		if err != nil {
			return nil, err
		}
		p.modularised = m
		prog, err := compile.Compile(m.t, compile.Options{Inputs: p.ScalarInputs(), Reversed: true, Check: p.opt.check("compile", meter)})
		return prog, p.locate(err, "compiling")
	})
}

// again makes the program anew if it is one of another point.
func (e *Evaluator) again(point []float64) error {
	if e.opt.Strategy != Unfold || !e.p.Branches() || slices.Equal(point, e.unfoldedAt) {
		return nil
	}
	if err := e.unfold(point); err != nil {
		return err
	}
	e.cleanup.Stop()
	if err := e.m.Close(); err != nil {
		return err
	}
	return e.start()
}

// addStats adds what was done before the run to its cost.
func addStats(s, before machine.Stats) machine.Stats {
	s.Counts.AddTimes(&before.Counts, 1)
	s.Instantiate += before.Instantiate
	s.Search += before.Search
	return s
}
