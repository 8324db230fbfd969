// Package adversary searches for programs that break a bound of a claim.
//
// A program is what a list of choices makes of package generate, at any scale: a factor of its numbers of inputs,
// components, elements, iterations and lets in a row. The search draws lists, mutates those whose programs have the
// largest ratios or whose ratios grow most from scale to scale, and keeps the worst. A ratio that is large does not
// break a bound with some constant; one that grows with the scale does. In the end the worst programs are made as short
// as can be.
//
// found.json has the result of one search, which BENCHMARKS.md and the pages of the claims print. A test measures its
// programs again.
package adversary

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// Objective is a ratio that a claim bounds, and that the search makes as large as it can.
type Objective struct {
	Claim int
	Name  string
	Bound float64 // the constant that the claim states
	kinds []kind
	of    func(*Figures) float64
}

// ratio of two counts.
func ratio(a, b uint64) float64 { return float64(a) / float64(b) }

// Objectives are the ratios of the claims that print the worst program found.
var Objectives = []Objective{
	{8, "steps of D(t) for one of t", 31, []kind{commuting}, func(f *Figures) float64 { return float64(f.OneStep) }},
	{10, "steps / (m + |G| + n + 1)", 43, []kind{gradients}, func(f *Figures) float64 {
		return ratio(f.Steps, f.M+f.Graph+f.Inputs+1)
	}},
	{10, "(steps + units) / ((|t| + n)·(steps + 1))", 3, []kind{gradients, duals}, func(f *Figures) float64 {
		return ratio(f.Steps+f.Units, f.Symbols*(f.Steps+1))
	}},
	{17, "(search + wake) / (steps + instantiate)", 4, []kind{gradients, duals}, func(f *Figures) float64 {
		return ratio(f.Searched, max(1, f.Steps+f.Made))
	}},
	{18, "most words of a rewrite or unit", 88, []kind{gradients, duals},
		func(f *Figures) float64 { return float64(f.Most) }},
}

// Options say how long to search.
type Options struct {
	Seed     uint64
	Programs int           // how many programs are measured; 0: no bound
	Time     time.Duration // how long; 0: no bound
	// Progress, if not nil, is called often: with how many programs have been measured, and the objective for which a
	// worse program has been found, or nil.
	Progress func(measured int, better *Finding)

	hooks      hooks
	objectives []Objective // of tests; nil: Objectives
}

// Finding is the worst program for an objective, reduced to few symbols.
type Finding struct {
	*Objective `json:"-"`
	Of         string     `json:"of"`    // the objective's name
	Ratio      float64    `json:"ratio"` // the largest at any scale that was measured
	Grows      bool       `json:"grows"` // it grows with the scale
	Text       string     `json:"text"`  // the program at the least scale
	Figures    []*Figures `json:"figures"`
}

// Result is what a search has found.
type Result struct {
	Seed     uint64 `json:"seed"`
	Measured int    `json:"measured"`
	TooLarge int    `json:"tooLarge"` // programs that exceeded a limit, among those measured
	// Findings are by objective; a program whose ratio grows stands before one whose ratio is larger.
	Findings []*Finding `json:"findings"`
}

// least is the scale of the program that is printed.
const least = 4

// The scales at which programs are compared, and those at which a program is measured whose ratio seems to grow.
var (
	scales = []int{least, 4 * least, 16 * least}
	far    = []int{least, 2 * least, 4 * least, 8 * least, 16 * least, 32 * least, 64 * least}
)

const (
	poolSize  = 24  // programs that are kept for each ranking
	batchSize = 64  // programs that are made before the next are chosen
	newShare  = 0.2 // of the programs that are no mutations
	maxLength = 300 // choices of a program
	// growth is by how much a ratio grows, at least, each time that the scale doubles, in its last two doublings, if it
	// grows.
	growth = 1.2
)

// subject is a program with its ratios: at the largest scale, by objective.
type subject struct {
	kind    kind
	choices []int
	figures []*Figures // by scale
	large   bool       // a limit was reached
}

// score is the largest ratio of an objective, or by how much it grows from one scale to the next.
func (s *subject) score(o *Objective, grows bool) float64 {
	most := 0.0
	for i, f := range s.figures {
		r := o.of(f)
		if grows {
			if i < len(s.figures)-1 || i == 0 {
				continue
			}
			r /= o.of(s.figures[i-1])
		}
		if r > most && !math.IsInf(r, 0) {
			most = r
		}
	}
	return most
}

// ranking is the worst programs of a kind by one score.
type ranking struct {
	objective *Objective
	grows     bool
	kind      kind
	worst     []*subject
}

// add adds a subject; it reports whether it is the worst of all.
func (r *ranking) add(s *subject) bool {
	v := s.score(r.objective, r.grows)
	if s.kind != r.kind || v == 0 {
		return false
	}
	at, same := slices.BinarySearchFunc(r.worst, v, func(t *subject, v float64) int {
		return cmp.Compare(v, t.score(r.objective, r.grows))
	})
	switch {
	case same && len(r.worst[at].choices) <= len(s.choices), at == poolSize:
		return false
	case same:
		r.worst[at] = s
		return false
	}
	r.worst = slices.Insert(r.worst, at, s)
	r.worst = r.worst[:min(len(r.worst), poolSize)]
	return at == 0
}

// Search searches until the budget is spent or the context ends. An interrupted search returns what it has found,
// reduced as far as it has come, and no error. The programs of a seed are the same in each run, and with a budget of
// programs so is the result.
func Search(ctx context.Context, opt Options) (*Result, error) {
	s := &search{opt: opt, rng: rand.New(rand.NewPCG(opt.Seed, 0)), result: &Result{Seed: opt.Seed}}
	if opt.Progress == nil {
		s.opt.Progress = func(int, *Finding) {}
	}
	if opt.objectives == nil {
		s.opt.objectives = Objectives
	}
	for i := range s.opt.objectives {
		o := &s.opt.objectives[i]
		for _, k := range o.kinds {
			s.rankings = append(s.rankings, &ranking{o, false, k, nil})
			if k == gradients {
				s.rankings = append(s.rankings, &ranking{o, true, k, nil})
			}
		}
	}
	timed := ctx
	if opt.Time > 0 {
		var cancel context.CancelFunc
		timed, cancel = context.WithTimeout(ctx, opt.Time)
		defer cancel()
	}
	for (opt.Programs == 0 || s.result.Measured < opt.Programs) && timed.Err() == nil {
		if err := s.batch(timed); err != nil && timed.Err() == nil {
			return nil, err
		}
	}
	return s.result, s.reduceAll(ctx)
}

type search struct {
	opt      Options
	rng      *rand.Rand
	rankings []*ranking
	result   *Result
}

// batch makes programs, measures them, and ranks them.
func (s *search) batch(ctx context.Context) error {
	n := batchSize
	if s.opt.Programs > 0 {
		n = min(n, s.opt.Programs-s.result.Measured)
	}
	made := make([]*subject, n)
	for i := range made {
		made[i] = s.make()
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, m := range made {
		g.Go(func() error { return m.measure(ctx, scales, maxSymbols, s.opt.hooks) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, m := range made {
		s.result.Measured++
		if m.large {
			s.result.TooLarge++
		}
		var better *Finding
		for _, r := range s.rankings {
			if r.add(m) && !r.grows {
				better = &Finding{Objective: r.objective, Of: r.objective.Name, Ratio: m.score(r.objective, false)}
			}
		}
		s.opt.Progress(s.result.Measured, better)
	}
	return nil
}

// measure takes the figures at scales, up to the first at which a limit is reached.
func (m *subject) measure(ctx context.Context, scales []int, symbols float64, h hooks) error {
	if m.kind != gradients {
		scales = scales[:1]
	}
	m.figures, m.large = nil, false
	for _, k := range scales {
		f, err := m.kind.measure(ctx, m.kind.program(m.choices, k), k, symbols, h)
		if errors.Is(err, errTooLarge) {
			m.large = true
			return nil
		} else if err != nil {
			return err
		}
		m.figures = append(m.figures, f)
	}
	return nil
}

// make makes a new program or mutates one that is among the worst.
func (s *search) make() *subject {
	r := s.rankings[s.rng.IntN(len(s.rankings))]
	if len(r.worst) == 0 || s.rng.Float64() < newShare {
		return &subject{kind: r.kind, choices: s.choices(1 + s.rng.IntN(maxLength))}
	}
	pick := func() []int { return r.worst[min(s.rng.IntN(len(r.worst)), s.rng.IntN(len(r.worst)))].choices }
	c := slices.Clone(pick())
	for range 1 + s.rng.IntN(3) {
		c = s.mutate(c, pick())
	}
	return &subject{kind: r.kind, choices: c[:min(len(c), maxLength)]}
}

// choices are random ones.
func (s *search) choices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = s.rng.IntN(1 << 12)
	}
	return out
}

// mutate changes, inserts, deletes or repeats some choices, or takes some of another program.
func (s *search) mutate(c, other []int) []int {
	at := s.rng.IntN(len(c) + 1)
	end := min(len(c), at+1+s.rng.IntN(8))
	switch s.rng.IntN(6) {
	case 0, 1:
		if at < len(c) {
			c[at] = s.rng.IntN(1 << 12)
		}
		return c
	case 2:
		return slices.Insert(c, at, s.choices(1+s.rng.IntN(4))...)
	case 3:
		return slices.Delete(c, at, end)
	case 4:
		return slices.Insert(c, at, slices.Clone(c[at:end])...)
	}
	from := s.rng.IntN(len(other) + 1)
	return slices.Replace(c, at, end, other[from:min(len(other), from+1+s.rng.IntN(20))]...)
}

// reduceAll reduces the worst program of each objective: one whose ratio grows, or else one with the largest.
func (s *search) reduceAll(ctx context.Context) error {
	for i := range s.opt.objectives {
		o := &s.opt.objectives[i]
		var worst *subject
		grows := false
		for _, r := range s.rankings {
			if r.objective != o || len(r.worst) == 0 {
				continue
			}
			switch m := r.worst[0]; {
			case r.grows && m.grown(o):
				worst, grows = m, true
			case !grows && !r.grows && (worst == nil || m.score(o, false) > worst.score(o, false)):
				worst = m
			}
		}
		if worst == nil {
			continue
		}
		f, err := s.reduce(ctx, o, worst, grows)
		if err != nil {
			return err
		}
		s.result.Findings = append(s.result.Findings, f)
	}
	return nil
}

// maxReductions bounds how often a program is measured while it is reduced.
const maxReductions = 1000

// reduce makes a program as short as it can without making its score less. When the context ends it stays as it is.
func (s *search) reduce(ctx context.Context, o *Objective, m *subject, grows bool) (*Finding, error) {
	goal := m.score(o, grows)
	if grows {
		goal = math.Pow(growth, 2)
	}
	left := maxReductions
	try := func(c []int) bool {
		if left--; left < 0 || ctx.Err() != nil {
			return false
		}
		t := &subject{kind: m.kind, choices: c}
		if t.measure(ctx, scales, maxSymbols, s.opt.hooks) != nil || len(t.figures) == 0 || t.score(o, grows) < goal ||
			cmp.Or(cmp.Compare(t.figures[0].Symbols, m.figures[0].Symbols), cmp.Compare(len(c), len(m.choices)),
				slices.Compare(c, m.choices)) >= 0 {
			return false
		}
		m = t
		return true
	}
	for again := true; again && left > 0; {
		again = false
		for size := 64; size > 0; size /= 2 {
			for at := 0; at+size <= len(m.choices); {
				zeros := slices.Replace(slices.Clone(m.choices), at, at+size, make([]int, size)...)
				if try(slices.Delete(slices.Clone(m.choices), at, at+size)) || try(zeros) {
					again = true
				} else {
					at += size
				}
			}
		}
		for i := 0; i < len(m.choices); i++ {
			again = m.lower(i, try) || again
		}
	}
	return s.finding(context.WithoutCancel(ctx), o, m)
}

// lower makes a choice less, and leaves out some of those after it, which are then choices of nothing.
func (m *subject) lower(i int, try func([]int) bool) bool {
	for v := range min(8, m.choices[i]) {
		for gone := range min(4, len(m.choices)-i) {
			c := slices.Delete(slices.Clone(m.choices), i+1, i+1+gone)
			if c[i] = v; try(c) {
				return true
			}
		}
	}
	return false
}

// finding is the program with its figures at all scales up to a limit.
func (s *search) finding(ctx context.Context, o *Objective, m *subject) (*Finding, error) {
	f := &Finding{Objective: o, Of: o.Name}
	var err error
	if f.Text, err = text(m.kind.program(m.choices, least)); err != nil {
		return nil, err
	}
	if err := m.measure(ctx, far, farSymbols, s.opt.hooks); err != nil {
		return nil, err
	}
	f.Figures, f.Ratio, f.Grows = m.figures, m.score(o, false), m.grown(o)
	return f, nil
}

// grown reports whether the ratio has grown in the last two steps from one scale to the next, and enough in each for
// the scale's factor.
func (m *subject) grown(o *Objective) bool {
	n := len(m.figures)
	if n < 3 {
		return false
	}
	for i := n - 2; i < n; i++ {
		a, b := m.figures[i-1], m.figures[i]
		if o.of(b) < o.of(a)*math.Pow(growth, math.Log2(float64(b.Scale)/float64(a.Scale))) {
			return false
		}
	}
	return true
}
