package gram

import (
	"fmt"
	"slices"
	"time"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
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
	// normalised λs, once each, before anything copies them. If the program branches on its
	// inputs, they are normalised for each point anew.
	Modular
)

// String returns the strategy's name.
func (s Strategy) String() string {
	names := [...]string{"direct", "unfold", "modular"}
	if int(s) >= len(names) {
		return fmt.Sprintf("Strategy(%d)", uint8(s))
	}
	return names[s]
}

// prepare makes the program of a gradient by the strategy, for the point.
func (e *Evaluator) prepare(point []float64) error {
	var err error
	switch e.opt.Strategy {
	case Unfold:
		err = e.unfold(point)
	case Modular:
		err = e.modular(point)
	default:
		e.prog, err = e.p.reverseProgram(e.meter, e.opt.placed())
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
	e.opt.profile.collect(m, inPlace)
	p.terms.Lock()
	defer p.terms.Unlock()
	p.opt.phase("compile")
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
	e.prog, err = compile.Compile(d, compile.Options{Inputs: st.inputs, Reversed: true, Places: e.opt.placed(), Check: check})
	if err != nil {
		return p.locate(err, "compiling")
	}
	e.before, e.madeAt, e.making = m.Stats(), slices.Clone(point), time.Since(start)
	return nil
}

// modular takes the program whose λs are normalised, at the point: that of the program's
// point is kept.
func (e *Evaluator) modular(point []float64) error {
	p := e.p
	var m *modularProgram
	if slices.Equal(point, p.Point()) && e.opt.profile == nil {
		_, err := p.modularly.get(p, func() (*graph.Program, error) {
			var err error
			if p.modularised, err = p.modular(point, e.meter, nil); err != nil {
				return nil, err
			}
			return p.modularised.prog, nil
		})
		if err != nil {
			return err
		}
		m = p.modularised
	} else {
		start := time.Now()
		p.terms.Lock()
		defer p.terms.Unlock()
		var err error
		if m, err = p.modular(point, e.meter, e.opt.profile); err != nil {
			return err
		}
		e.making = time.Since(start)
	}
	e.prog, e.before, e.modularised, e.madeAt = m.prog, m.stats, m, slices.Clone(point)
	return nil
}

// again makes the program anew if it is one of another point.
func (e *Evaluator) again(point []float64) error {
	if e.opt.Strategy == Direct || !e.p.Branches() || slices.Equal(point, e.madeAt) {
		return nil
	}
	if err := e.prepare(point); err != nil {
		return err
	}
	if err := e.start(); err != nil {
		e.madeAt = nil // the machine is still that of the last point
		return err
	}
	return nil
}

// addStats adds what was done before the run to its cost.
func addStats(s, before engine.Stats) engine.Stats {
	s.Counts.AddTimes(&before.Counts, 1)
	s.Instantiate += before.Instantiate
	s.Search += before.Search
	return s
}
