package gram

import (
	"slices"
	"time"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/limits"
)

// Mode is how a gradient is computed.
type Mode uint8

// The modes. Forward and Tape work on the computational graph G to which the program
// reduces when its inputs are left open. It is made once, or, if the program branches
// on its inputs, for each point anew.
const (
	Reverse Mode = iota // D(t) is reduced: sections 4 and 5
	Forward             // forward mode on G, a pass for each scalar input: section 2.2
	Tape                // backpropagation on G, a pass forward and one back for each output: section 2.4
)

// passes compute gradients by passes over the graph of a program.
type passes struct {
	p      *Program
	opt    EvalOptions
	meter  *limits.Meter
	g      *hypergraph.Graph
	memory *hypergraph.Memory
	point  []float64     // at which g was made
	making time.Duration // of g
	// Of the last run:
	last       time.Duration
	operations uint64
}

// newPasses reduces the program to its graph at the program's point.
func (p *Program) newPasses(meter *limits.Meter, opt EvalOptions) (*passes, error) {
	if err := p.gradientType(); err != nil {
		return nil, err
	}
	s := &passes{p: p, opt: opt, meter: meter}
	return s, s.make(p.Point())
}

// bytesPerOperation bounds what an operation takes: its node, its sources, and its
// primal, tangent or adjoint, and mark.
const bytesPerOperation = 96

// make reduces the program to its graph at a point.
func (s *passes) make(point []float64) error {
	start := time.Now()
	m, size, err := s.p.open(s.meter, point, s.opt)
	if err != nil {
		return err
	}
	defer m.Close()
	if err := s.meter.Reserve(bytesPerOperation * int64(size.Operations)); err != nil {
		return s.p.locate(err, "making the graph")
	}
	check := s.p.opt.check("reduce", s.meter)
	b := hypergraph.NewBuilder(len(point))
	i := 0
	m.Ground(func(op engine.Operation) bool {
		if i++; i%(1<<14) == 0 {
			if err = check(); err != nil {
				return false
			}
		}
		b.Operation(op.Symbol, op.Pos, operands(op.Args)...)
		return true
	})
	if err != nil {
		return s.p.locate(err, "making the graph")
	}
	for _, o := range operands(m.GroundOutputs()) {
		b.Output(o)
	}
	if s.g, err = b.Graph(); err != nil {
		return err
	}
	s.memory = hypergraph.NewMemory(s.g, check)
	s.memory.Finite = s.opt.Finite
	s.point = slices.Clone(point)
	s.making += time.Since(start)
	return nil
}

func operands(args []engine.Operand) []hypergraph.Operand {
	out := make([]hypergraph.Operand, len(args))
	for i, a := range args {
		out[i] = hypergraph.Operand(a)
	}
	return out
}

// gradient puts values and Jacobian at the point where they belong, and returns how
// long the passes took.
func (s *passes) gradient(point, values, jacobian []float64) (time.Duration, error) {
	if s.p.Branches() && !slices.Equal(point, s.point) {
		if err := s.make(point); err != nil {
			return 0, err
		}
	}
	start := time.Now()
	run := s.memory.ForwardMode
	if s.opt.Mode == Tape {
		run = s.memory.Backpropagation
	}
	res, err := run(point)
	if err != nil {
		return 0, s.p.locate(err, "running over the graph")
	}
	copy(values, res.Values)
	copy(jacobian, res.Jacobian)
	s.operations, s.last = res.Operations, time.Since(start)
	return s.last, nil
}

// cost is that of the last run.
func (s *passes) cost() Cost {
	n := uint64(s.g.Len())
	c := Cost{Inputs: s.g.Inputs(), Operations: s.operations, Nodes: Nodes{Allocated: n, Peak: n},
		Seconds: Seconds{Load: s.p.loading.Seconds(), Compile: s.making.Seconds()}}
	c.setTimes(s.last, s.last)
	return c
}
