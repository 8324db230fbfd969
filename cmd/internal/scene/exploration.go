// Package scene shows the states of a run of the literal machine: windows of some hundred steps, with
// the objects that are seen in each state, described in the words of the calculus.
package scene

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/picture"
	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/cmd/internal/trace"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Exploration is a run of the literal machine whose states can be looked at: state k is its
// heap after rewrite k and the units of work that follow it, state 0 the one before the first.
// It keeps no states: it runs the program again up to those that are asked for. It may be used
// by several goroutines at once.
type Exploration struct {
	p        *gram.Program
	src      *lang.Program
	gradient bool // the run is that of the gradient, and not of the value
	opt      gram.EvalOptions
	info     Info
	names    map[term.Pos]string // of what is computed at a place of the source: a let's, or the operation
	inputs   []string
	peaks    []uint64 // the most live nodes of the states from i·wholeSteps to (i+1)·wholeSteps
}

// RuleSteps is a rule and how often it fired.
type RuleSteps struct {
	Number string `json:"number"`
	Name   string `json:"name"`
	Text   string `json:"text"`
	Steps  uint64 `json:"steps"`
}

// Info is what is known of a run as a whole.
type Info struct {
	Steps    uint64      `json:"steps"`    // all that were taken
	Backward uint64      `json:"backward"` // the first step of the first backward phase, 0 if there is none
	Rules    []RuleSteps `json:"rules"`    // all rules, and how often each fired
	Stopped  string      `json:"stopped"`  // what ended the run before its end, "" if nothing did
	// Values, Lengths and Jacobian are those of [gram.Result], of a run that has come to its
	// end: of a value with a function in it there are none.
	Values   []float64 `json:"-"`
	Lengths  []int     `json:"-"`
	Jacobian []float64 `json:"-"`
}

// How many steps a window has: all, if there are no more than allSteps; wholeSteps where it
// shows all objects; and nearSteps where it shows the neighbourhood of the redex.
const (
	allSteps   = 500
	wholeSteps = 250
	nearSteps  = 250
)

// errWindowEnd ends a run of which no more is looked at.
var errWindowEnd = errors.New("the end of what is looked at")

// Explore runs the program once, for the gradient or the value. Of opt it takes the schedule, LIFO or
// Random, the seed and the limits. What ends the run early, a limit or a number that isn't
// finite, is told by [Info]; the error is that of a run that cannot begin, or
// that the context has ended.
func Explore(ctx context.Context, p *gram.Program, gradient bool, opt gram.EvalOptions) (*Exploration, error) {
	x := &Exploration{p: p, src: p.Source(), gradient: gradient, opt: opt, names: namesByPlace(p.Term()),
		inputs: stage.InputNames(p.Source())}
	var counts rule.Counts
	live := uint64(0)
	first := func(f *machine.Fired) error {
		if rule, ok := f.Move.Rule(); ok {
			x.peak(f.N-1, live)
			counts[rule]++
			x.info.Steps = f.N
			if f.Backward() && x.info.Backward == 0 {
				x.info.Backward = f.N
			}
		}
		live = f.Live()
		return nil
	}
	run, err := x.again(ctx, first, nil)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	if err = run.Run(ctx); err == nil {
		err = x.read(run)
	}
	if err != nil {
		var limit *gram.LimitError
		begun := x.info.Steps > 0 || errors.As(err, &limit) && limit.Limit == "steps"
		if !begun || errors.Is(err, context.Canceled) {
			return nil, err
		}
		x.info.Stopped = inOneLine(err)
	}
	x.peak(x.info.Steps, live)
	for r, n := range counts {
		info := &rule.Table[r]
		x.info.Rules = append(x.info.Rules, RuleSteps{Number: info.Number, Name: info.Name, Text: info.Text, Steps: n})
	}
	return x, nil
}

// read reads what a run has come to.
func (x *Exploration) read(run *trace.Run) (err error) {
	switch {
	case x.gradient:
		x.info.Values, x.info.Jacobian = run.Values, run.Jacobian
	case x.p.Shape() != nil:
		x.info.Values, err = run.Read(nil)
		x.info.Lengths = run.Lengths()
	}
	return err
}

// inOneLine words an error of a run without its place.
func inOneLine(err error) string {
	var limit *gram.LimitError
	var wrong *gram.Error
	switch {
	case errors.As(err, &limit):
		return limit.Error()
	case errors.As(err, &wrong) && len(wrong.Diagnostics) > 0:
		return wrong.Diagnostics[0].Headline + ": " + wrong.Diagnostics[0].Label
	}
	return err.Error()
}

// Info returns what is known of the whole run.
func (x *Exploration) Info() Info { return x.info }

// again makes the run again. Limits end it where they did at first, but for time.
func (x *Exploration) again(ctx context.Context, events func(*machine.Fired) error, before func(uint64) error) (*trace.Run, error) {
	opt := x.opt
	opt.Events, opt.Before = events, before
	return trace.Start(ctx, x.p, x.gradient, opt)
}

// Find says which step is looked for. What is zero fits all.
type Find struct {
	From  uint64
	Back  bool   // the last step before From, and not the first behind it
	Rule  string // a number or a name
	Line  int    // of the source
	Phase string // "primal" or "backward"
}

// Find returns the nearest step that fits. The error is a [*gram.UsageError] for a rule that
// there isn't, or that of the context.
func (x *Exploration) Find(ctx context.Context, find Find) (step uint64, ok bool, err error) {
	opt := trace.Options{Line: find.Line, Phase: find.Phase}
	if find.Rule != "" {
		opt.Rules = []string{find.Rule}
	}
	f, err := trace.NewFilter(x.p, &opt)
	if err != nil {
		return 0, false, err
	}
	look := func(r *machine.Fired) error {
		if _, rewrite := r.Move.Rule(); !rewrite {
			return nil
		}
		if find.Back && r.N >= find.From {
			return errWindowEnd
		}
		if (find.Back || r.N > find.From) && f.Fired(r) {
			step, ok = r.N, true
			if !find.Back {
				return errWindowEnd
			}
		}
		return nil
	}
	run, err := x.again(ctx, look, nil)
	if err != nil {
		return 0, false, err
	}
	defer run.Close()
	err = x.ended(run.Run(ctx))
	return step, ok, err
}

// ended is the error of a run that was stopped where it was to stop, or where it once was.
func (x *Exploration) ended(err error) error {
	if errors.Is(err, errWindowEnd) || x.info.Stopped != "" && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// Window returns the window that holds a state: of the states before and behind it as
// many as can be shown at once. Windows of one run meet: the last state of one is the
// first of the next. The error is that of a state that there isn't, or of the context.
func (x *Exploration) Window(ctx context.Context, at uint64) (*Window, error) {
	if at > x.info.Steps {
		return nil, fmt.Errorf("the run has %d steps, and no state %d", x.info.Steps, at)
	}
	wide := uint64(wholeSteps)
	if x.info.Steps <= allSteps {
		wide = allSteps
	}
	from, to := x.around(at, wide)
	if slices.Max(x.peaks[from/wholeSteps:max(to-1, from)/wholeSteps+1]) <= wholeObjects {
		w, err := x.show(ctx, from, to, wholeObjects)
		if !errors.Is(err, errTooMany) {
			return w, err
		}
	}
	from, to = x.around(at, nearSteps)
	return x.show(ctx, from, to, nearObjects)
}

// peak takes the live nodes of a state.
func (x *Exploration) peak(state, live uint64) {
	for _, i := range []uint64{state / wholeSteps, (max(state, 1) - 1) / wholeSteps} {
		if i == uint64(len(x.peaks)) {
			x.peaks = append(x.peaks, 0)
		}
		x.peaks[i] = max(x.peaks[i], live)
	}
}

// around returns the first and the last state of the window of a width that holds a state.
func (x *Exploration) around(at, wide uint64) (from, to uint64) {
	i := at / wide
	if i > 0 && i*wide == x.info.Steps {
		i--
	}
	return i * wide, min((i+1)*wide, x.info.Steps)
}

// show makes a window with at most so many objects in a state. The error is errTooMany if
// it is to show all, and there are more.
func (x *Exploration) show(ctx context.Context, from, to uint64, most int) (*Window, error) {
	s := newScenes(x, from, to, most)
	run, err := x.again(ctx, s.event, s.before)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	s.heap = run.Heap
	if err = run.Run(ctx); !errors.Is(err, errWindowEnd) && !errors.Is(err, errTooMany) {
		err = cmp.Or(s.finish(), err)
	}
	if errors.Is(err, errTooMany) {
		return nil, errTooMany
	}
	if err = x.ended(err); err != nil {
		return nil, err
	}
	return s.window(), nil
}

// namesByPlace returns the names that lets of the source give to what is computed at a place,
// and else the operations.
func namesByPlace(t *term.Term) map[term.Pos]string {
	names := map[term.Pos]string{}
	for i := range t.Nodes {
		switch n := &t.Nodes[i]; n.Op {
		case term.FunOp:
			names[n.Pos] = picture.Symbol(n.Sym)
		case term.AddOp:
			names[n.Pos] = picture.Symbol(term.NoSymbol)
		}
	}
	maps.Copy(names, show.LetNames(t))
	return names
}
