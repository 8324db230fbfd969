package gram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/gram-machine/gram/cmd/internal/picture"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// ExploreOptions say which run is explored. The zero value explores an evaluation.
type ExploreOptions struct {
	EvalOptions      // schedule, LIFO or Random, seed and limits; the literal machine runs
	Gradient    bool // the run is that of the gradient, and not of the value
}

// Exploration is a run of the literal machine whose states can be looked at: state k is its
// heap after rewrite k and the units of work that follow it, state 0 the one before the first.
// It keeps no states: it runs the program again up to those that are asked for. It may be used
// by several goroutines at once.
type Exploration struct {
	p      *Program
	opt    ExploreOptions
	info   ExplorationInfo
	names  map[term.Pos]string // of what is computed at a place of the source: a let's, or the operation
	inputs []string

	mu   sync.Mutex
	many map[uint64]bool // windows that would show too many objects, by their first state
}

// RuleSteps is a rule and how often it fired.
type RuleSteps struct {
	Number, Name, Text string
	Steps              uint64
}

// ExplorationInfo is what is known of a run as a whole.
type ExplorationInfo struct {
	Steps    uint64      // all that were taken
	Backward uint64      // the first step of the first backward phase, 0 if there is none
	Rules    []RuleSteps // all rules, and how often each fired
	Stopped  string      // what ended the run before its end, "" if nothing did
	// Values, Lengths and Jacobian are those of [Result], of a run that has come to its
	// end: of a value with a function in it there are none.
	Values   []float64
	Lengths  []int
	Jacobian []float64
}

// How many steps a window has: all, if there are no more than allSteps; wholeSteps where it
// shows all objects; and nearSteps where it shows the neighbourhood of the redex.
const (
	allSteps   = 500
	wholeSteps = 250
	nearSteps  = 250
)

// errWindowEnd ends a run of which no more is looked at.
var errWindowEnd = errors.New("gram: the end of what is looked at")

// Explore runs the program once. What ends the run early, a limit or a number that isn't
// finite, is told by [ExplorationInfo]; the error is that of a run that cannot begin, or
// that the context has ended.
func (p *Program) Explore(ctx context.Context, opt ExploreOptions) (*Exploration, error) {
	x := &Exploration{p: p, opt: opt, names: p.namesByPlace(), many: map[uint64]bool{}}
	for _, v := range p.ScalarInputs() {
		x.inputs = append(x.inputs, p.src.Term.Vars[v].Name)
	}
	var counts rule.Counts
	first := func(f *machine.Fired) error {
		if rule, ok := f.Move.Rule(); ok {
			counts[rule]++
			x.info.Steps = f.N
			if f.Backward && x.info.Backward == 0 {
				x.info.Backward = f.N
			}
		}
		return nil
	}
	run, err := x.again(ctx, machine.Options{Events: first})
	if err != nil {
		return nil, err
	}
	defer run.Close()
	if err = run.reduce(); err == nil {
		err = x.read(run)
	}
	if err != nil {
		var limit *LimitError
		begun := x.info.Steps > 0 || errors.As(err, &limit) && limit.Limit == "steps"
		if !begun || errors.Is(err, context.Canceled) {
			return nil, err
		}
		x.info.Stopped = inOneLine(err)
	}
	for r, n := range counts {
		info := &rule.Table[r]
		x.info.Rules = append(x.info.Rules, RuleSteps{Number: info.Number, Name: info.Name, Text: info.Text, Steps: n})
	}
	return x, nil
}

// read reads what a run has come to.
func (x *Exploration) read(run *literalRun) (err error) {
	switch {
	case x.opt.Gradient:
		x.info.Values, x.info.Jacobian = run.values, run.jacobian
	case x.p.Shape() != nil:
		x.info.Values, x.info.Lengths, err = run.Read(nil, nil)
	}
	return x.p.locate(err, "reading the value")
}

// inOneLine words an error of a run without its place.
func inOneLine(err error) string {
	var limit *LimitError
	var wrong *Error
	switch {
	case errors.As(err, &limit):
		return limit.Error()
	case errors.As(err, &wrong) && len(wrong.Diagnostics) > 0:
		return wrong.Diagnostics[0].Headline + ": " + wrong.Diagnostics[0].Label
	}
	return err.Error()
}

// Info returns what is known of the whole run.
func (x *Exploration) Info() ExplorationInfo { return x.info }

// again makes the run again. Limits end it where they did at first, but for time.
func (x *Exploration) again(ctx context.Context, hooks machine.Options) (*literalRun, error) {
	return x.p.newLiteralRun(ctx, &x.opt.EvalOptions, x.opt.Gradient, hooks)
}

// Find says which step is looked for. What is zero fits all.
type Find struct {
	From  uint64
	Back  bool   // the last step before From, and not the first behind it
	Rule  string // a number or a name
	Line  int    // of the source
	Phase string // "primal" or "backward"
}

// Find returns the nearest step that fits. The error is a [*UsageError] for a rule that
// there isn't, or that of the context.
func (x *Exploration) Find(ctx context.Context, find Find) (step uint64, ok bool, err error) {
	opt := TraceOptions{Line: find.Line, Phase: find.Phase}
	if find.Rule != "" {
		opt.Rules = []string{find.Rule}
	}
	f, err := x.p.newFilter(&opt)
	if err != nil {
		return 0, false, err
	}
	look := func(r *machine.Fired) error {
		rule, rewrite := r.Move.Rule()
		if !rewrite {
			return nil
		}
		if find.Back && r.N >= find.From {
			return errWindowEnd
		}
		if (find.Back || r.N > find.From) && f.keep(r.N, rule, r.Pos) && (opt.Phase == "" || opt.Phase == phaseOf(r.Backward)) {
			step, ok = r.N, true
			if !find.Back {
				return errWindowEnd
			}
		}
		return nil
	}
	run, err := x.again(ctx, machine.Options{Events: look})
	if err != nil {
		return 0, false, err
	}
	defer run.Close()
	err = x.ended(run.reduce())
	return step, ok, err
}

// phaseOf names the phase of a rewrite.
func phaseOf(backward bool) string {
	if backward {
		return "backward"
	}
	return "primal"
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
		return nil, fmt.Errorf("gram: the run has %d steps, and no state %d", x.info.Steps, at)
	}
	wide := uint64(wholeSteps)
	if x.info.Steps <= allSteps {
		wide = allSteps
	}
	from, to := x.around(at, wide)
	if !x.tooMany(from) {
		w, err := x.show(ctx, from, to, wholeObjects)
		if !errors.Is(err, errTooMany) {
			return w, err
		}
		x.setTooMany(from)
	}
	from, to = x.around(at, nearSteps)
	return x.show(ctx, from, to, nearObjects)
}

// around returns the first and the last state of the window of a width that holds a state.
func (x *Exploration) around(at, wide uint64) (from, to uint64) {
	i := at / wide
	if i > 0 && i*wide == x.info.Steps {
		i--
	}
	return i * wide, min((i+1)*wide, x.info.Steps)
}

func (x *Exploration) tooMany(from uint64) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.many[from]
}

func (x *Exploration) setTooMany(from uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.many[from] = true
}

// show makes a window with at most so many objects in a state. The error is errTooMany if
// it is to show all, and there are more.
func (x *Exploration) show(ctx context.Context, from, to uint64, most int) (*Window, error) {
	s := newScenes(x, from, to, most)
	run, err := x.again(ctx, machine.Options{Events: s.event, Before: s.before})
	if err != nil {
		return nil, err
	}
	defer run.Close()
	s.heap = run.Heap
	if err = run.reduce(); !errors.Is(err, errWindowEnd) && !errors.Is(err, errTooMany) {
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
func (p *Program) namesByPlace() map[term.Pos]string {
	names := map[term.Pos]string{}
	t := p.src.Term
	for i := range t.Nodes {
		switch n := &t.Nodes[i]; n.Op {
		case term.FunOp:
			names[n.Pos] = picture.Symbol(n.Sym)
		case term.AddOp:
			names[n.Pos] = picture.Symbol(term.NoSymbol)
		}
	}
	maps.Copy(names, p.letNames())
	return names
}

// letNames returns the names that lets of the source give to what stands at a place.
func (p *Program) letNames() map[term.Pos]string {
	names := map[term.Pos]string{}
	t := p.src.Term
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Op != term.LetOp {
			continue
		}
		if u := &t.Nodes[n.B]; (u.Op == term.FunOp || u.Op == term.AddOp) && u.Pos != 0 {
			names[u.Pos] = t.Vars[n.X].Name
		}
	}
	return names
}
