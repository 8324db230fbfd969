package adversary

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/unparse"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Figures are the counts of one program: of the reduction to its graph, and of its gradient on the literal machine. A
// program with dual λs of its own has no graph and no gradient; its counts are those of its value.
type Figures struct {
	Scale    int    `json:"scale"`
	Symbols  uint64 `json:"symbols"` // |t| with the n inputs of its start
	Inputs   uint64 `json:"inputs"`
	M        uint64 `json:"m"`
	Graph    uint64 `json:"graph"`
	Steps    uint64 `json:"steps"`
	Made     uint64 `json:"instantiate"` // units
	Searched uint64 `json:"search"`      // units of search and wake
	Units    uint64 `json:"units"`       // of every kind
	Most     uint64 `json:"most"`        // words of one rewrite or unit
	OneStep  uint64 `json:"oneStep"`     // the most steps of D(t) for one of t; 0 where that was not measured
}

// Limits of one measurement. What exceeds them is counted, and has no figures.
const (
	maxSymbols = 2000
	farSymbols = 50_000 // of a program that is reported
	maxSteps   = 200_000
	maxNodes   = 1_000_000
)

// errTooLarge says that a program exceeds a limit.
var errTooLarge = errors.New("adversary: a limit is reached")

// kind is what is measured of a program.
type kind uint8

const (
	gradients kind = iota // programs with a gradient
	duals                 // values of programs with dual λs of their own
	commuting             // the steps of D(t) for one of t
)

// program makes the program of the choices at a scale.
func (k kind) program(choices []int, scale int) *property.Program {
	s := &source{choices: choices}
	size := s.Int(8, 40, "size")
	switch k {
	case duals:
		return &property.Program{Term: property.LinearOf(s, size)}
	case commuting:
		return property.Sized(s, 1, property.Options{Size: size / 2})
	}
	return property.Sized(s, scale, property.Options{Size: size, Recursive: s.Int(0, 2, "recursive") == 0})
}

// source gives the choices of a program, and 0 after the last.
type source struct {
	choices []int
	used    int
}

func (s *source) Int(least, most int, _ string) int {
	s.used++
	if s.used > len(s.choices) {
		return max(least, min(0, most))
	}
	return least + s.choices[s.used-1]%(most-least+1)
}

// hooks are what tests change.
type hooks struct {
	reversed func(*term.Term) *term.Term // D(t), before it is run
	source   func(*term.Term) *term.Term // t, before it is reduced to its graph
}

// measure counts a program. The error is errTooLarge or that of the context.
func (k kind) measure(ctx context.Context, p *property.Program, scale int, symbols float64, h hooks) (*Figures, error) {
	if p.Term.ExpandedSize() > symbols {
		return nil, errTooLarge
	}
	t, err := p.Term.Expand(nil, nil)
	if err != nil {
		return nil, err
	}
	f := &Figures{Scale: scale, Symbols: uint64(t.Size()) + uint64(len(p.Inputs)), Inputs: uint64(len(p.Inputs))}
	switch k {
	case gradients:
		err = errors.Join(f.bound(ctx, t, p, h), f.gradient(ctx, t, p, h))
	case duals:
		var prog *compile.Program
		if prog, err = compile.NewValue(t, nil, ctx.Err); err == nil {
			err = f.run(ctx, prog, func(m *machine.Machine) error {
				if err := m.Value(nil); err != nil {
					return err
				}
				_, _, err := m.Read(nil, nil)
				return err
			})
		}
	case commuting:
		err = f.lockstep(ctx, t, p)
	}
	return f, tooLarge(err)
}

// tooLarge is the error, or errTooLarge for those of limits.
func tooLarge(err error) error {
	var limit *limits.ReachedError
	var steps *reference.LimitError
	if errors.As(err, &limit) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &steps) {
		return errTooLarge
	}
	return err
}

// onMachine runs a program on the literal machine.
func onMachine(ctx context.Context, prog *compile.Program, opt machine.Options,
	run func(*machine.Machine) error) error {
	opt.Limits = limits.Bounds{MaxSteps: maxSteps, MaxNodes: maxNodes, Look: ctx.Err}
	m, err := machine.New(prog, opt)
	if err != nil {
		return err
	}
	defer m.Close()
	return run(m)
}

// bound counts the reduction of t to its graph.
func (f *Figures) bound(ctx context.Context, t *term.Term, p *property.Program, h hooks) error {
	if h.source != nil {
		t = h.source(t)
	}
	prog, err := compile.NewOpen(t, p.Inputs, ctx.Err)
	if err != nil {
		return err
	}
	return onMachine(ctx, prog, machine.Options{}, func(m *machine.Machine) error {
		err := m.Graph(p.Point)
		f.M, f.Graph = m.Stats().Counts.Total(), m.GraphSize().Total()
		return err
	})
}

// gradient counts the gradient.
func (f *Figures) gradient(ctx context.Context, t *term.Term, p *property.Program, h hooks) error {
	d, err := revgrad.Reverse(t, ctx.Err)
	if err != nil {
		return err
	}
	if h.reversed != nil {
		d = h.reversed(d)
	}
	prog, err := compile.NewGradient(d, p.Inputs, 0, ctx.Err)
	if err != nil {
		return err
	}
	return f.run(ctx, prog, func(m *machine.Machine) error {
		return m.Gradient(p.Point, make([]float64, 1), make([]float64, len(p.Point)))
	})
}

// run counts a run of the literal machine.
func (f *Figures) run(ctx context.Context, prog *compile.Program, run func(*machine.Machine) error) error {
	return onMachine(ctx, prog, machine.Options{Measure: true}, func(m *machine.Machine) error {
		err := run(m)
		stats := m.Stats()
		f.Steps, f.Made = stats.Counts.Total(), stats.Work[rule.Instantiate].Fired
		f.Searched = stats.Work[rule.Search].Fired + stats.Work[rule.Wake].Fired
		for i, w := range stats.Work {
			f.Most = max(f.Most, w.Most)
			if _, ok := rule.Move(i).Rule(); !ok {
				f.Units += w.Fired
			}
		}
		return err
	})
}

// The limits of a reduction of terms.
const (
	commutingSymbols = 60
	commutingSteps   = 40
)

// lockstep reduces t in a random order and D(t) behind, and takes the most steps of D(t) for one of t.
func (f *Figures) lockstep(ctx context.Context, t *term.Term, p *property.Program) error {
	if t.Size() > commutingSymbols {
		return errTooLarge
	}
	start := reference.Convert(t, denote.Floats{}).ValueStart(p.Inputs, p.Point)
	d, next := start.Reverser(), reference.Random(rand.New(rand.NewPCG(uint64(t.Size()), 0)))
	u := start.Term
	for range commutingSteps {
		if err := ctx.Err(); err != nil {
			return err
		}
		st := start.State(u, false)
		r := next(st)
		if r == nil {
			break
		}
		v, err := st.Fire(r)
		if err != nil {
			return errTooLarge // a number that is none
		}
		k, err := d.Commute(st, r, v)
		if err != nil {
			return err
		}
		f.Steps, f.OneStep, u = f.Steps+1, max(f.OneStep, uint64(k)), v
	}
	return nil
}

// text prints a program, expanded, as one of the language.
func text(p *property.Program) (string, error) {
	t, err := p.Term.Expand(nil, nil)
	if err != nil {
		return "", err
	}
	t.Data = nil
	out := unparse.New(t, unparse.Options{})
	for i, x := range p.Inputs {
		name := t.Info(x).Name
		out.Reserve(name)
		out.Bind(x, out.Input(name, load.RealShape(), p.Point[i:])[0])
	}
	var b strings.Builder
	err = out.Write(&b)
	return b.String(), err
}
