package gram

import (
	"context"
	"errors"
	"io"

	"github.com/google/pprof/profile"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph/calls"
	literalprofile "github.com/gram-machine/gram/machine/profile"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// ProfileOptions say what is profiled.
type ProfileOptions struct {
	EvalOptions      // LIFO or Random, and Reverse; Literal goes without Time
	Gradient    bool // the gradient or Jacobian, and not the value
	Time        bool // also charge time
}

// Profile is a profile of one run of a program, in the format of pprof. It is exact: a step
// of the calculus is booked to the calls in which it was taken, from the λ whose code has it
// to the program, under the names and lines of the source. Types of samples are rewrites (the
// steps), nodes and bytes, which are those of [Result.Cost], and, if it was asked for, time,
// which is charged by a look at the clock now and then. Labels are rule, phase, as
// [Options.Phase] names them, and pass: source, or generated for what the reverse
// transformation has put around the source's own code. That of a literal run is the fold over
// its rewrites; it has the words of memory, too, that the machine has read and written, and its
// rewrites are those of the engine's profile.
type Profile struct {
	Result *Result
	pprof  *pprof
}

// Write writes the profile, compressed. Without time, equal runs give equal bytes.
func (p *Profile) Write(w io.Writer) error { return p.pprof.out.Write(w) }

// Profile runs the program once at its point, and returns where the steps went. It takes
// memory for a number for each node and for what each calling context does.
func (p *Program) Profile(ctx context.Context, opt ProfileOptions) (*Profile, error) {
	switch {
	case opt.Schedule == Parallel:
		return nil, errors.New("gram: a profile is of the schedules LIFO and Random")
	case opt.Mode != Reverse:
		return nil, errors.New("gram: a profile is of the mode Reverse")
	}
	if opt.Literal && opt.Time {
		return nil, errors.New("gram: a profile of the literal machine has no time")
	}
	prof := &profiler{out: newPprof(p.src, opt.Time, opt.Literal), kind: engine.Profile}
	if opt.Time {
		prof.kind = engine.ProfileTime
	}
	opt.profile = prof
	res, err := p.run(ctx, opt.EvalOptions, opt.Gradient, 1)
	if err != nil {
		return nil, err
	}
	return &Profile{res, prof.out}, nil
}

// profiler takes what machines record. All its methods are for a nil one too, which takes
// nothing.
type profiler struct {
	out     *pprof
	kind    engine.Recording
	literal *literalprofile.Profile // of a literal run
}

func (p *profiler) recording() engine.Recording {
	if p == nil {
		return engine.NoProfile
	}
	return p.kind
}

// collectRun takes what the evaluator's machine has recorded.
func (p *profiler) collectRun(e *Evaluator) {
	switch {
	case p == nil:
	case p.literal != nil:
		p.literal.Samples(e.literal.Stats().Nodes, func(s calls.Sample) { p.out.add(&s, inPlace) })
	default:
		p.collect(e.m, inPlace)
	}
}

// collect takes what the machine has recorded. place returns the program's place for one of
// the term that the machine ran.
func (p *profiler) collect(m *engine.Machine, place func(term.Pos) term.Pos) {
	if p == nil {
		return
	}
	m.Samples(func(s calls.Sample) { p.out.add(&s, place) })
}

// inPlace is for terms whose places are the program's.
func inPlace(at term.Pos) term.Pos { return at }

// passNames are the values of the label pass; what is not told apart has none.
var passNames = map[calls.Origin]string{calls.SourceCode: "source", calls.GeneratedCode: "generated"}

// add adds a sample of a machine.
func (o *pprof) add(s *calls.Sample, place func(term.Pos) term.Pos) {
	var stack []*profile.Location
	if s.Input >= 0 {
		stack = o.inputStack(s.Input)
	} else {
		for _, f := range s.Stack {
			stack = append(stack, o.location(place(f.Func), place(f.At)))
		}
	}
	key := sampleKey{stackKey(stack), sampleLabels{phase: s.Phase.String(), pass: passNames[s.Origin]}}
	for r, n := range s.Counts {
		if n != 0 {
			key.rule = rule.Rule(r).String()
			o.sample(stack, key)[inRewrites] += int64(n)
		}
	}
	key.rule = ""
	if s.Nodes != 0 {
		v := o.sample(stack, key)
		v[inNodes] += int64(s.Nodes)
		v[inBytes] += int64(s.Nodes * o.nodeBytes)
	}
	if s.Words != 0 {
		o.sample(stack, key)[inWords] += int64(s.Words)
	}
	if s.Time != 0 {
		o.sample(stack, key)[inNanoseconds] += s.Time.Nanoseconds()
	}
}
