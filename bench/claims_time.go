package bench

import (
	"context"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
)

// claimTime is claim 18.
func claimTime() Claim {
	var series []Series
	for _, s := range []struct {
		f        family.Family
		gradient bool
		least    int // iterations, of some ten nodes each
		most     int
	}{{family.Polynomial, true, 100, 10_000_000}, {family.Network, true, 100, 5_000_000}, {family.Loss, true, 50, 2_000_000}, {family.Network, false, 100, 10_000_000}} {
		name := s.f.Name + ", gradient"
		if !s.gradient {
			name = s.f.Name + ", value"
		}
		series = append(series, Series{Name: name, Role: Evidence, Law: Law{Kind: AtMost}, X: "nodes", Y: "time per step (ns)", Timed: true,
			Quick: family.Sizes(s.least, 100_000), Full: family.Sizes(s.least, s.most), Measure: on(s.f, nanosecondsPerStep(s.gradient))})
	}
	return Claim{
		Number: 18,
		Title:  "A step costs constant time",
		Source: "section 2.1 and section 7, on complexity",
		Family: "The polynomial, the recurrent network and map with fold, without blocks, from 10³ to 10⁸ nodes; and calls of a function whose body grows.",
		Series: append(series, copyingBodies()...),
		Meaning: "Each rule does a bounded amount of work on the graph; bodies are shared, so (3) at a λ copies nothing; the " +
			"contrast copies them, as (3) does on terms. What grows is the " +
			"memory that is visited: beyond each level of cache a step waits longer for its node, up to the last one.",
	}
}

// nanosecondsPerStep is the number of nodes, and the time of a run over its steps.
func nanosecondsPerStep(gradient bool) func(context.Context, *gram.Program) (Point, error) {
	return func(ctx context.Context, p *gram.Program) (Point, error) {
		make, err := p.NewValue, error(nil)
		if gradient {
			make = p.NewGradient
		}
		e, err := make(ctx, literal)
		if err != nil {
			return Point{}, err
		}
		defer e.Close()
		point := p.Point()
		value, jacobian := []float64{0}, append([]float64(nil), point...)
		run := func() error {
			if gradient {
				return e.Gradient(ctx, point, value, jacobian)
			}
			_, err := e.Value(ctx, point, value[:0])
			return err
		}
		time, err := TimeOf(run)
		if err != nil {
			return Point{}, err
		}
		c := e.Cost()
		return Point{X: float64(c.Nodes.Allocated), Y: float64(time.Nanoseconds()) / float64(c.Steps.Total())}, nil
	}
}
