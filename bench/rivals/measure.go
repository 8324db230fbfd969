package rivals

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/internal/bridge"
)

// Gram is the name of the machine among the rivals.
const Gram = "gram"

// Report is what the machine and its rivals take for the gradients of families of programs.
type Report struct {
	Families []*Measured `json:"families"`
	// Parts are the steps of each rival for one program, by rules and words.
	Parts Parts `json:"parts"`
}

// Measured is a family with its points, by size.
type Measured struct {
	Name   string   `json:"name"`
	Points []*Point `json:"points"`
}

// Point is the program of a size: m and |G| of Theorem 1, what the program itself takes, and what each rival takes that
// ended within its limit.
type Point struct {
	Size   uint64           `json:"size"`
	Inputs uint64           `json:"inputs"`
	M      uint64           `json:"m"`
	Graph  uint64           `json:"graph"`
	Source uint64           `json:"source"` // steps and captures of the program, by the evaluator of the rivals
	Costs  map[string]Spent `json:"costs"`
}

// Spent is what a gradient takes, on one meter. Of the literal machine, bookkeeping is its units but those that
// copy, and captures are the nodes of bodies that are copied, too; of a rival bookkeeping is the words of its
// primitives.
type Spent struct {
	Steps       uint64 `json:"steps"`
	Bookkeeping uint64 `json:"bookkeeping"`
	Captures    uint64 `json:"captures"`
}

// All is the sum.
func (s Spent) All() uint64 { return s.Steps + s.Bookkeeping + s.Captures }

// Nodes is m + |G|.
func (p *Point) Nodes() float64 { return float64(p.M + p.Graph) }

// Parts are costs by rival, of one program.
type Parts struct {
	Program string          `json:"program"`
	Costs   map[string]Cost `json:"costs"`
}

// Families returns the families that are measured, the examples of the papers first.
func Families() []bench.Family {
	return slices.Concat(bench.Named("doubled", "projections", "a branch not taken", "log-sum-exp", "chain", "squares",
		"fibonacci", "fan-out", "least squares"), []bench.Family{bench.RandomGraph}, bench.HigherOrder())
}

// Scale says how far measurements go.
type Scale struct {
	Nodes uint64 // sizes grow until a program has so many, m + |G|
	Steps uint64 // a rival may take so many and 50 for each node
}

// The scales of a quick run and of a full one.
var (
	Quick = Scale{2_000, 200_000}
	Full  = Scale{100_000, 2_000_000}
)

// Measure takes the steps for the families at sizes 1, 2, 5, 10 and so on, as far as the scale says. It tells
// progress of each family. A rival that passes its limit at a size is not run at larger ones. The error is a
// [*LimitError] of the context, or one of the machine.
func Measure(ctx context.Context, families []bench.Family, scale Scale,
	progress func(done int, f *bench.Family)) (*Report, error) {
	out := &Report{}
	for i, f := range families {
		progress(i, &f)
		m := &Measured{Name: f.Name}
		passed := map[string]bool{}
		for _, n := range bench.Sizes(1, f.Full[len(f.Full)-1]) {
			p, _, err := measurePoint(ctx, &f, n, scale, passed)
			if err != nil {
				return nil, fmt.Errorf("%s, n = %d: %w", f.Name, n, err)
			}
			m.Points = append(m.Points, p)
			if p.M+p.Graph >= scale.Nodes {
				break
			}
		}
		out.Families = append(out.Families, m)
	}
	const n = 1000
	_, costs, err := measurePoint(ctx, &bench.Network, n, Full, map[string]bool{})
	out.Parts = Parts{Program: fmt.Sprintf("%s, n = %d", bench.Network.Name, n), Costs: costs}
	return out, err
}

// measurePoint takes the steps at a size, also by rules and words. passed has the rivals that have passed their limits.
func measurePoint(ctx context.Context, f *bench.Family, n int, scale Scale, passed map[string]bool) (*Point,
	map[string]Cost, error) {
	program, err := gram.Load(ctx, f.Name, []byte(f.Source(n)), gram.Options{})
	if err != nil {
		return nil, nil, err
	}
	bound, err := program.Bound(ctx, gram.EvalOptions{})
	if err != nil {
		return nil, nil, err
	}
	res, err := program.Gradient(ctx, gram.EvalOptions{Literal: true})
	if err != nil {
		return nil, nil, err
	}
	inside := bridge.Of(program)
	gradient := func(r *Rival, maxSteps uint64) (*Result, error) {
		return r.Gradient(ctx, inside.Term(), inside.ScalarInputs(), program.Point(), maxSteps)
	}
	source, err := gradient(&Rival{calculus: calculus{transform: func(c *code, _ []*variable) *code { return c },
		start: func(_ *machine, r float64, _ *variable, _ *gamma) value { return r },
		read:  func(*machine, value, int) (float64, []float64) { return 0, nil }}}, 0)
	if err != nil {
		return nil, nil, err
	}
	own, over, steps := source.Cost.spent(), res.Cost.Overhead, res.Cost.Steps.Total()
	p := &Point{Size: uint64(n), Inputs: uint64(len(inside.ScalarInputs())), M: bound.M, Graph: bound.Graph,
		Source: own.All(),
		Costs:  map[string]Spent{Gram: {steps, over.Search - steps + over.Readback, over.Instantiate}}}
	costs := map[string]Cost{Gram: {Steps: res.Cost.Steps, Captures: over.Instantiate}}
	for _, r := range All() {
		if passed[r.Name] {
			continue
		}
		got, err := gradient(r, scale.Steps+50*(p.M+p.Graph))
		var limit *LimitError
		switch {
		case errors.As(err, &limit) && limit.Err == nil:
			passed[r.Name] = true
			continue
		case err != nil:
			return nil, nil, err
		}
		if err := same(res.Jacobian, got.Gradient); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		p.Costs[r.Name], costs[r.Name] = got.Cost.spent(), got.Cost
	}
	return p, costs, nil
}

// same holds a gradient against the machine's.
func same(want, got []float64) error {
	for i := range want {
		if d := math.Abs(want[i] - got[i]); d > 1e-6*max(1, math.Abs(want[i])) {
			return fmt.Errorf("derivative %d is %v, and the machine's %v", i, got[i], want[i])
		}
	}
	return nil
}

// Names returns the name of the machine and those of the rivals.
func Names() []string {
	out := []string{Gram}
	for _, r := range All() {
		out = append(out, r.Name)
	}
	return out
}

// Growth is how what a rival takes for a family, all of it, grows with N = m + |G|.
type Growth struct {
	// Ratio is that over N at the largest size that ended, Size; 0 if there is none. Parts are what it is the sum of.
	Ratio float64    `json:"ratio"`
	Parts [3]float64 `json:"parts"`
	Size  uint64     `json:"size"`
	// Form is the form of growth that leaves the least residuals through the upper two decades of N, after its terms of
	// lower order have been taken off. Exponent is that of N in it, beside its logarithm if it has one, ± Half, at 95 %.
	// Without Form there are fewer than four points.
	Form     string  `json:"form,omitempty"`
	Exponent float64 `json:"exponent,omitempty"`
	Half     float64 `json:"half,omitempty"`
}

// Growth fits what a rival takes.
func (m *Measured) Growth(rival string) Growth {
	var g Growth
	var points []bench.Point
	for _, p := range m.Points {
		if c, ok := p.Costs[rival]; ok {
			all := float64(c.All())
			points = append(points, bench.Point{X: p.Nodes(), Y: all})
			g.Ratio, g.Size = all/p.Nodes(), p.Size
			g.Parts = [3]float64{float64(c.Steps) / p.Nodes(), float64(c.Bookkeeping) / p.Nodes(),
				float64(c.Captures) / p.Nodes()}
		}
	}
	d := bench.NewData(points)
	if d.Distinct() < 4 {
		return g
	}
	d = d.Upper()
	least := math.Inf(1)
	for _, form := range []bench.Law{bench.LinearGrowth, bench.NLogN, bench.QuadraticGrowth, bench.CubicGrowth,
		bench.ExponentialGrowth} {
		c := form.Correct(d)
		if r := bench.Rank(c.Data, form)[0].Residual; r < least/2 { // a later form needs to be far better
			least, g.Form = r, form.Form()
			line := form.Exponent(c.Data)
			g.Exponent, g.Half = line.Slope, line.Half
		}
	}
	return g
}

// Bound is steps + bookkeeping + captures ≤ c0·m + c1·|G| + c2·(m + |G|)·log₂(m + |G|) + c3, over all runs of a rival
// that ended: with constants for which no run is above it, and those of least squares of the relative deviations.
type Bound struct {
	Rival string `json:"rival"`
	bench.FittedBound
	// Passed is how many families have a size at which the limit was passed.
	Passed int `json:"passed"`
}

// Bounds fits the bounds of the machine and of all rivals.
func (r *Report) Bounds() ([]Bound, error) {
	var out []Bound
	for _, name := range Names() {
		b := Bound{Rival: name}
		var samples []bench.Sample
		for _, m := range r.Families {
			for _, p := range m.Points {
				if c, ok := p.Costs[name]; ok {
					samples = append(samples, bench.Sample{Y: float64(c.All()),
						X: []float64{float64(p.M), float64(p.Graph), p.Nodes() * math.Log2(p.Nodes()), 1}})
				}
			}
			if _, ok := m.Points[len(m.Points)-1].Costs[name]; !ok {
				b.Passed++
			}
		}
		var err error
		if b.FittedBound, err = bench.FitBound(samples); err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}
