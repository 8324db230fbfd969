package gram

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// ExploreOptions say which run is explored. The zero value explores an evaluation.
type ExploreOptions struct {
	EvalOptions      // schedule, seed and limits; the literal form runs, by the strategy Direct
	Gradient    bool // the run is that of the gradient, and not of the value
}

// Exploration is a run of the literal form whose states can be looked at: state k is that
// after step k, state 0 the one before the first. It keeps no states: it runs the program
// again up to those that are asked for. It may be used by several goroutines at once.
type Exploration struct {
	p    *Program
	opt  ExploreOptions
	info ExplorationInfo
	made []origin // of each object that is computed, by its node

	events   []uint64            // for each nearSteps: the first step of the event that the next one is of
	letNames map[term.Pos]string // of what stands at a place of the source
	symbols  map[term.Pos]string // of what is computed there
	inputs   []term.Var

	mu   sync.Mutex
	many map[uint64]bool // windows that would show too many objects, by their first state
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

// origin says how an object was computed.
type origin struct {
	operands [2]graph.Ref // 0: none
	pos      term.Pos
	op       graph.Op
	sym      term.Symbol
}

// How many steps a window has: all, if there are no more than allSteps; wholeSteps where it
// shows all objects; and nearSteps where it shows the neighbourhood of the redex.
const (
	allSteps   = 8000
	wholeSteps = 2000
	nearSteps  = 250
)

// errWindowEnd ends a run of which no more is looked at.
var errWindowEnd = errors.New("gram: the end of what is looked at")

// Explore runs the program once. What ends the run early, a limit or a number that isn't
// finite, is told by [ExplorationInfo]; the error is that of a run that cannot begin, or
// that the context has ended.
func (p *Program) Explore(ctx context.Context, opt ExploreOptions) (*Exploration, error) {
	x := &Exploration{p: p, opt: opt, letNames: p.letNames(), symbols: map[term.Pos]string{}, inputs: p.ScalarInputs(), many: map[uint64]bool{}}
	var counts graph.Counts
	first := &engine.Watch{Rewrite: func(r *engine.Rewrite) error {
		if r.Number%nearSteps == 1 {
			x.events = append(x.events, r.Event)
		}
		if r.Phase == engine.Backward && x.info.Backward == 0 {
			x.info.Backward = r.Number
		}
		counts[r.Rule]++
		x.info.Steps = r.Number
		x.remember(r)
		return nil
	}}
	err := p.literally(ctx, opt.EvalOptions, opt.Gradient, func(e *Evaluator, point, values, jacobian []float64) error {
		err := x.watch(e, point, values, jacobian, first)
		switch {
		case err != nil:
		case opt.Gradient:
			x.info.Values, x.info.Jacobian = values, jacobian
		case p.Shape() != nil:
			x.info.Values, x.info.Lengths, err = e.m.Read(nil, nil)
		}
		return err
	})
	if err != nil {
		var limit *LimitError
		begun := x.info.Steps > 0 || errors.As(err, &limit) && limit.Limit == "steps" // or the first event has too many
		if !begun || errors.Is(err, context.Canceled) {
			return nil, err
		}
		x.info.Stopped = inOneLine(err)
	}
	for r, n := range counts {
		info := &graph.Rules[r]
		x.info.Rules = append(x.info.Rules, RuleSteps{Number: info.Number, Name: info.Name, Text: info.Text, Steps: n})
	}
	return x, nil
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

// run runs the program again. Limits end it where they did at first, but for time.
func (x *Exploration) run(ctx context.Context, watch func(*engine.Machine) *engine.Watch) error {
	return x.p.literally(ctx, x.opt.EvalOptions, x.opt.Gradient, func(e *Evaluator, point, values, jacobian []float64) error {
		return x.watch(e, point, values, jacobian, watch(e.m))
	})
}

func (x *Exploration) watch(e *Evaluator, point, values, jacobian []float64, w *engine.Watch) error {
	if x.opt.Gradient {
		return e.m.WatchGradient(point, values, jacobian, w)
	}
	return e.m.WatchValue(point, w)
}

// remember keeps how an object is computed.
func (x *Exploration) remember(r *engine.Rewrite) {
	if !computes(r) {
		return
	}
	if n := int(r.At) + 1; n > len(x.made) {
		x.made = append(x.made, make([]origin, n-len(x.made))...)
	}
	o := origin{pos: r.Pos, op: r.Instr.Op, sym: r.Instr.Sym}
	copy(o.operands[:], r.Operands)
	x.made[r.At] = o
	if _, ok := x.symbols[r.Pos]; !ok {
		x.symbols[r.Pos] = o.symbol()
	}
}

// computes reports whether a rewrite makes a number out of numbers.
func computes(r *engine.Rewrite) bool {
	if r.Instr == nil {
		return false
	}
	switch r.Instr.Op {
	case graph.OpMul, graph.OpAdd, graph.OpSub, graph.OpFun1, graph.OpFun2:
		return true
	}
	return false
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
	err = x.run(ctx, func(*engine.Machine) *engine.Watch {
		return &engine.Watch{Rewrite: func(r *engine.Rewrite) error {
			if find.Back && r.Number >= find.From {
				return errWindowEnd
			}
			if (find.Back || r.Number > find.From) && f.keep(r.Number, r.Rule, r.Pos) && (opt.Phase == "" || opt.Phase == r.Phase.String()) {
				step, ok = r.Number, true
				if !find.Back {
					return errWindowEnd
				}
			}
			return nil
		}}
	})
	return step, ok, x.ended(err)
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
	event := uint64(1)
	if from < x.info.Steps {
		event = x.events[from/nearSteps]
	}
	s := newScenes(x, from, to, event, most)
	err := x.run(ctx, func(m *engine.Machine) *engine.Watch {
		s.m, s.view = m, m.NewView()
		return &engine.Watch{Rewrite: s.rewrite, Arrive: s.arrive, Backward: s.backward}
	})
	if errors.Is(err, errTooMany) {
		return nil, errTooMany
	}
	if err = x.ended(err); err != nil {
		return nil, err
	}
	return s.window(), nil
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
