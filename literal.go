package gram

import (
	"errors"

	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/machine/profile"
	"github.com/gram-machine/gram/rule"
)

// reducer is what an evaluator needs of a machine: of the engine, or of the literal machine.
type reducer interface {
	Value(point []float64) error
	Gradient(point, values, jacobian []float64) error
	Read(out []float64, lengths []int) ([]float64, []int, error)
	Close() error
}

// checkLiteral reports options that the literal machine doesn't have.
func (o *EvalOptions) checkLiteral() error {
	switch {
	case !o.Literal && o.Work:
		return errors.New("gram: only the literal machine measures its work")
	case !o.Literal:
		return nil
	case o.Schedule == Parallel:
		return errors.New("gram: the literal machine has the schedules LIFO and Random")
	case o.Mode != Reverse:
		return errors.New("gram: the literal machine has the mode Reverse only")
	case o.Strategy != Direct:
		return errors.New("gram: the literal machine has the strategy Direct only")
	case o.NoFuse:
		return errors.New("gram: the literal machine has no blocks that NoFuse could leave out")
	}
	return nil
}

// literalProgram makes t, or D(t), ready for the literal machine.
func (p *Program) literalProgram(meter *limits.Meter, gradient bool) (*literal.Program, error) {
	check := p.opt.check("compile", meter)
	if !gradient {
		return p.literal.get(p, func() (*literal.Program, error) {
			p.setSize(p.src.Term.Size(), 0)
			prog, err := literal.NewValue(p.src.Term, p.ScalarInputs(), check)
			return prog, p.locate(err, "compiling")
		})
	}
	return p.literalGradient.get(p, func() (*literal.Program, error) {
		d, err := p.reversed(meter)
		if err != nil {
			return nil, err
		}
		k := 0
		if s := p.src.Shape; s.Kind == VectorShape {
			k = s.Size
		}
		prog, err := literal.NewGradient(d, p.ScalarInputs(), k, check)
		return prog, p.locate(err, "compiling")
	})
}

// startLiteral makes the literal machine of the evaluator's program.
func (e *Evaluator) startLiteral(bounds limits.Bounds) error {
	prog, err := e.p.literalProgram(e.meter, e.grad)
	if err != nil {
		return err
	}
	opt := machine.Options{Seed: e.opt.Seed, Finite: e.opt.Finite, Measure: e.opt.Work, Limits: bounds}
	if e.opt.Schedule == Random {
		opt.Schedule = machine.Random
	}
	if e.opt.profile != nil {
		e.opt.profile.literal = profile.New(prog)
		opt.Events = e.opt.profile.literal.Event
	}
	m, err := machine.New(prog, opt)
	if err != nil {
		return e.p.locate(err, "starting")
	}
	e.literal, e.run, e.outputs = m, m, max(1, prog.Outputs)
	return nil
}

// tellPhase tells that a run of the literal machine begins; the engine tells its phases itself.
func (e *Evaluator) tellPhase() {
	if e.opt.Literal {
		e.p.opt.phase("reduce")
	}
}

// literalStats are the statistics of the literal machine in the terms of the engine's. Each
// rewrite is taken off the worklist, like the units that are no copying and no reading.
func literalStats(s *machine.Stats) engine.Stats {
	units := func(u machine.Unit) uint64 { return s.Work[machine.Move(rule.Count)+machine.Move(u)].Fired }
	return engine.Stats{Counts: s.Counts, Instantiate: units(machine.Instantiate), Readback: units(machine.ReadBack),
		Search: s.Counts.Total() + units(machine.Wake) + units(machine.Search) + units(machine.FreeUnit),
		Nodes:  s.Nodes, Freed: s.Freed, PeakNodes: s.PeakNodes, ArenaBytes: s.ArenaBytes}
}

// Work is what the literal machine has read and written, in words of 32 bits: in rewrites,
// by the names of their rules, and in units of the work beside them, by those of [UnitNames].
type Work struct {
	Rules map[string]MoveWork `json:"rules"`
	Units map[string]MoveWork `json:"units"`
}

// MoveWork is the work of all rewrites by a rule, or of all units of a kind.
type MoveWork struct {
	Fired uint64 `json:"fired"` // how often
	Words uint64 `json:"words"` // in all
	Most  uint64 `json:"most"`  // by a single one
}

// UnitNames returns the names of the units of work beside the rewrites.
func UnitNames() []string {
	names := make([]string, machine.NumUnits)
	for u := range names {
		names[u] = machine.Unit(u).String()
	}
	return names
}

// literalWork returns the work of a run that was measured.
func literalWork(s *machine.Stats) *Work {
	out := &Work{Rules: map[string]MoveWork{}, Units: map[string]MoveWork{}}
	for i, w := range s.Work {
		to := out.Units
		if _, ok := machine.Move(i).Rule(); ok {
			to = out.Rules
		}
		to[machine.Move(i).String()] = MoveWork(w)
	}
	return out
}
