package explore

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/reduction"
	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Exploration is a run of the literal machine whose states can be shown: state k is the heap after rewrite k and the
// units of work that follow it, and state 0 the heap before the first rewrite. It keeps no states: it runs the program
// again up to the states that are asked for. It may be used by several goroutines at once.
type Exploration struct {
	p        *gram.Program
	src      *lang.Program
	gradient bool // the run is that of the gradient, and not of the value
	opt      gram.EvalOptions
	info     Info
	names    map[term.Pos]string // that lets give to the results at places of the source
	inputs   []string
	// expressions are the texts of the source by places. words are the names of generated variables.
	expressions map[term.Pos]string
	// constructors are the names of constructors of inductive types by the places where they are applied.
	constructors map[constructor]string
	words        struct {
		sync.Mutex
		*vocabulary
	}
	// places and factors are what the graph of operations shows of the run, in so many events.
	places  map[term.Pos]*GraphPlace
	factors []uint64
	events  int
	peaks   []uint64 // the most live nodes of the states from i·wholeSteps to (i+1)·wholeSteps
}

// RuleSteps is a rule and how often it fired.
type RuleSteps struct {
	rule.Info
	Steps uint64 `json:"steps"`
}

// Info describes a run as a whole.
type Info struct {
	Steps    uint64      `json:"steps"`           // all that were taken
	Backward uint64      `json:"backward"`        // the first step of the first backward phase, 0 if there is none
	Turns    []uint64    `json:"turns,omitempty"` // the first steps of backward and primal phases: mostTurns
	Rules    []RuleSteps `json:"rules"`           // all rules, and how often each fired
	Stopped  string      `json:"stopped"`         // what ended the run early, "" if nothing did
	// Defs are the names of the defs by their lines: the page puts objects in groups by them.
	Defs map[int]string `json:"defs,omitempty"`
	// Values, Lengths and Jacobian are those of [gram.Result] if the run was not stopped. A value
	// with a function in it has none.
	Values   []float64 `json:"-"`
	Lengths  []int     `json:"-"`
	Jacobian []float64 `json:"-"`
	// Operations is the graph of a gradient, if it is not too large. NoOperations says why it is not there.
	Operations   *Operations `json:"operations,omitempty"`
	NoOperations string      `json:"noOperations,omitempty"`
	// Smaller are the numbers in which the program that was run is smaller than the one that was asked for: n = 10.
	Smaller []string `json:"smaller,omitempty"`
}

// How many steps a window has at most: all of a phase, if there are at most allSteps; else wholeSteps.
const (
	allSteps   = 500
	wholeSteps = 250
)

// mostTurns bounds the changes of phase that are told.
const mostTurns = 24

// errWindowEnd ends a run when its remaining states are not needed.
var errWindowEnd = errors.New("the end of the window")

// Explore runs the program once, for the gradient or the value. Of opt it uses the schedule, LIFO or
// Random, the seed and the limits. If a limit or a number that is not finite ends the run early,
// [Info] says so. The error is that of a run that cannot begin, or that of the context.
func Explore(ctx context.Context, p *gram.Program, gradient bool, opt gram.EvalOptions) (*Exploration, error) {
	if err := bridge.Of(p).Expand(ctx); err != nil {
		return nil, err
	}
	src, t := bridge.Of(p).Source(), bridge.Of(p).Term()
	x := &Exploration{p: p, src: src, gradient: gradient, opt: opt, names: show.LetNames(t), inputs: src.ScalarNames(),
		expressions: expressions(src.File), constructors: constructors(t), places: map[term.Pos]*GraphPlace{}}
	x.info.Defs = defLines(src.File)
	var counts rule.Counts
	live := uint64(0)
	var run *reduction.Run
	first := func(f *machine.Fired) error {
		if rule, ok := f.Move.Rule(); ok {
			x.peak(f.N-1, live)
			x.note(f, rule, run.Heap())
			counts[rule]++
			x.info.Steps = f.N
			if f.Backward() == (len(x.info.Turns)%2 == 0) && len(x.info.Turns) < mostTurns {
				x.info.Turns = append(x.info.Turns, f.N)
				x.info.Backward = x.info.Turns[0]
			}
		}
		live = f.Live()
		return nil
	}
	var err error
	if run, err = x.again(ctx, first, nil); err != nil {
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
	x.info.Rules = syntax.Each(len(counts), func(r int) RuleSteps { return RuleSteps{rule.Table[r], counts[r]} })
	if gradient {
		x.info.Operations, x.info.NoOperations = x.operations(ctx)
	}
	return x, nil
}

// read reads the result of a run.
func (x *Exploration) read(run *reduction.Run) (err error) {
	res := run.Result
	if !x.gradient {
		if x.p.Shape() == nil {
			return nil
		}
		if res, err = run.Read(); err != nil {
			return err
		}
	}
	x.info.Values, x.info.Lengths, x.info.Jacobian = res.Values, res.Lengths, res.Jacobian
	return nil
}

// Info describes the whole run.
func (x *Exploration) Info() Info { return x.info }

// again repeats the run. Limits end it where they did at first, except the limit of time.
func (x *Exploration) again(ctx context.Context, events func(*machine.Fired) error,
	before func(uint64) error) (*reduction.Run, error) {
	opt := bridge.Watch(x.opt, bridge.Hooks{Events: events, Before: before})
	return reduction.Start(ctx, x.p, x.gradient, opt)
}

// Find describes the step to find. A zero field matches every step.
type Find struct {
	From uint64
	Back bool   // find the last step before From instead of the first after it
	Rule string // numbers or names, with commas between them
	Line int    // of the source
}

// Find returns the nearest step that matches. The error is a [*gram.UsageError] for an unknown
// rule, or that of the context.
func (x *Exploration) Find(ctx context.Context, find Find) (step uint64, ok bool, err error) {
	opt := reduction.TraceOptions{Line: find.Line}
	if find.Rule != "" {
		opt.Rules = strings.Split(find.Rule, ",")
	}
	f, err := reduction.NewFilter(x.p, &opt)
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

// ended returns nil if a run has ended at the end of the window, or where the first run was stopped.
func (x *Exploration) ended(err error) error {
	late := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if errors.Is(err, errWindowEnd) || x.info.Stopped != "" && !late {
		return nil
	}
	return err
}

// Window returns the window that holds a state of the run, with as many of the states before and after it as
// can be shown at once. Adjacent windows of a run share a state: the last of one is the first of
// the next. The error is that of the context.
func (x *Exploration) Window(ctx context.Context, at uint64) (*Window, error) {
	wide := uint64(wholeSteps)
	if x.info.Steps <= allSteps {
		wide = allSteps
	}
	from, to := x.around(at, wide)
	most := wholeObjects
	if slices.Max(x.peaks[from/wholeSteps:max(to-1, from)/wholeSteps+1]) > wholeObjects {
		most = nearObjects
	}
	return x.show(ctx, from, to, most)
}

// peak records the live nodes of a state.
func (x *Exploration) peak(state, live uint64) {
	for _, i := range []uint64{state / wholeSteps, (max(state, 1) - 1) / wholeSteps} {
		if i == uint64(len(x.peaks)) {
			x.peaks = append(x.peaks, 0)
		}
		x.peaks[i] = max(x.peaks[i], live)
	}
}

// around returns the first and the last state of the window of that width that holds a state. A window ends where the
// backward phase begins: many objects of the primal phase are gone then, and those that are left stand closer together.
func (x *Exploration) around(at, wide uint64) (from, to uint64) {
	i := at / wide
	if i > 0 && i*wide == x.info.Steps {
		i--
	}
	from, to = i*wide, min((i+1)*wide, x.info.Steps)
	if turn := max(x.info.Backward, 1) - 1; from < turn && turn < to {
		if at < turn {
			to = turn
		} else {
			from = turn
		}
	}
	return from, to
}

// show makes a window with at most most objects in a state.
func (x *Exploration) show(ctx context.Context, from, to uint64, most int) (*Window, error) {
	x.words.Lock() // names are found while objects are looked at
	defer x.words.Unlock()
	s := &scenes{x: x, from: from, to: to, most: most, next: from, known: map[int]*shown{},
		out: Window{From: from, To: to, Counts: make([]uint64, rule.Count), Steps: []Step{}, Nodes: []Node{},
			Arrivals: []Arrival{}}}
	run, err := x.again(ctx, s.event, s.before)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	s.heap = run.Heap
	if err = run.Run(ctx); !errors.Is(err, errWindowEnd) {
		s.finish()
	}
	if err = x.ended(err); err != nil {
		return nil, err
	}
	w := s.window()
	place(w)
	return w, nil
}

// vocabulary returns the names of the variables of a run. All runs of the program have the same.
func (x *Exploration) vocabulary(prog *compile.Program) *vocabulary {
	if x.words.vocabulary != nil {
		return x.words.vocabulary
	}
	v := &vocabulary{x: x, prog: prog, binders: map[term.Var]*term.Node{}, names: map[term.Var]string{}}
	for i := range prog.Term.Nodes {
		n := &prog.Term.Nodes[i]
		if xs := prog.Term.BoundVars(n); n.Op == term.UntupleOp && len(xs) == 2 && prog.Term.Generated(xs[0]) {
			v.binders[xs[0]], v.binders[xs[1]] = n, n
		}
	}
	x.words.vocabulary = v
	return v
}

// Window is a part of an [Exploration]: the states From to To, and what is seen in them.
type Window struct {
	From     uint64    `json:"from"`
	To       uint64    `json:"to"`
	Counts   []uint64  `json:"counts"` // steps by rule before state From, in the order of [Info.Rules]
	Steps    []Step    `json:"steps"`  // the steps From+1 to To
	Nodes    []Node    `json:"nodes"`
	Arrivals []Arrival `json:"arrivals"`
	// The edges that are not straight, and the size of the picture, in pixels.
	Bends  []bend  `json:"bends"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// bend is an edge that goes around other nodes. It is drawn from To, the node that is referred to, to From, the node
// that refers to it. Via are the ends of its straight pieces, as [show.Curve] has them.
type bend struct {
	From int          `json:"from"`
	To   int          `json:"to"`
	Via  [][2]float64 `json:"via"`
}

// Step is a step.
type Step struct {
	Rule   int    `json:"rule"`   // its number in [Info.Rules]
	Phase  string `json:"phase"`  // primal or backward
	Line   int    `json:"line"`   // 0: it has no place in the source
	Column int    `json:"column"` // in runes, from 1 on
	// Node is the redex, or, if that is gone, the object to which its value went; −1: neither is shown. Operands are
	// the other objects that the rewrite has touched, as far as they are shown.
	Node     int    `json:"node"`
	Operands []int  `json:"operands,omitempty"`
	Live     uint64 `json:"live"` // nodes in memory after it
	// Says describes this step with its numbers, or is "" if its redex is not shown.
	Says string `json:"says,omitempty"`
	// Left are the objects that are not shown behind it; −1: it isn't known how many, for
	// only the neighbourhood of the redex is.
	Left int `json:"left"`
}

// Arrival is an argument that arrives at a dual in the backward phase.
type Arrival struct {
	Step  uint64 `json:"step"` // the state from which on it has arrived
	From  int    `json:"from"` // the application
	To    int    `json:"to"`   // the dual
	Value string `json:"value"`
}

// Node is an object: a node of the arena from when it is taken into use until it is
// free. Its ID counts the uses of nodes: it is the same in all windows of a run.
type Node struct {
	ID       int       `json:"id"`
	Made     uint64    `json:"made,omitempty"` // the step that made it
	Versions []Version `json:"versions"`       // in order; no two at once
	X        float64   `json:"x"`              // of its centre, in all states, in pixels
	Y        float64   `json:"y"`
	W        float64   `json:"w"`
	H        float64   `json:"h"`
}

// Version is how an object is in the states From to Until−1.
type Version struct {
	From   uint64 `json:"from"`
	Until  uint64 `json:"until"`
	Kind   string `json:"kind"`            // as [compile.Kind] names it
	Role   string `json:"role"`            // primal, or dual: of backpropagation
	Waits  bool   `json:"waits,omitempty"` // for an operand
	Spent  bool   `json:"spent,omitempty"` // a substitution whose value has been taken
	Label  string `json:"label"`           // the constructor with its operands
	Value  string `json:"value,omitempty"` // of the result; of a dual, what has arrived
	Text   string `json:"text"`            // all that is known
	Line   int    `json:"line,omitempty"`  // the place in the source that it is from
	Column int    `json:"column,omitempty"`
	Root   bool   `json:"root,omitempty"` // it is the result
	Edges  []Edge `json:"edges,omitempty"`
}

// Edge is a reference of an object to another.
type Edge struct {
	To int `json:"to"`
	// As is "holds" for an operand, the λ of a dual, or what has been applied; "occurs" for the substitution that an
	// occurrence of a variable refers to; "captures" for a substitution that a λ captures; "head" for the dual that an
	// application calls. Of the others the value goes the other way: "waits" for what waits for the object, "binds" for
	// the substitutions that an opening makes, and "arrived" for the application that has arrived at a dual.
	As string `json:"as"`
}

// mostOperations bounds the inputs and the operations of a graph that is shown. The page draws a large one in groups.
const mostOperations = 40000

// Operations is the computational graph of a program: its inputs, then operations and numerals, operands before what
// uses them.
type Operations struct {
	Places  []*GraphPlace `json:"places"`
	Nodes   []GraphNode   `json:"nodes"`
	Inputs  int           `json:"inputs"`
	Output  int           `json:"output"`
	Factors []uint64      `json:"factors,omitempty"` // the steps by (11)
}

// GraphPlace is a place of the source with operations, and the steps there: those of the primal phase that compute a
// number, with the number if it stands where the step has put it, and those by (5) in backward phases.
type GraphPlace struct {
	Text    string   `json:"text,omitempty"` // the expression
	Line    int      `json:"line,omitempty"`
	Column  int      `json:"column,omitempty"`
	Def     string   `json:"def,omitempty"` // in which it stands
	Values  []uint64 `json:"values,omitempty"`
	Numbers []string `json:"numbers,omitempty"`
	Fires   []uint64 `json:"fires,omitempty"`
}

// GraphNode is a node of the graph.
type GraphNode struct {
	At         int               `json:"at"`             // its place, −1 of inputs and numerals
	Name       string            `json:"name,omitempty"` // that a let gives it, or that of the input
	Symbol     string            `json:"symbol,omitempty"`
	Of         []hypergraph.Node `json:"of,omitempty"`
	Value      string            `json:"value"`
	Derivative string            `json:"derivative,omitempty"`
}

// mostEvents bounds the steps of a graph that are kept.
const mostEvents = 8 * mostOperations

// note keeps a step that the graph of operations shows.
func (x *Exploration) note(f *machine.Fired, by rule.Rule, h *graph.Heap) {
	computes := !f.Backward() && (by == rule.Plus || by == rule.Times || by == rule.Function)
	fires := f.Backward() && by == rule.Lin
	if !computes && !fires && by != rule.Factor || x.events > mostEvents {
		return
	}
	x.events++
	if x.places[f.Pos()] == nil {
		x.places[f.Pos()] = &GraphPlace{}
	}
	switch at := x.places[f.Pos()]; {
	case by == rule.Factor:
		x.factors = append(x.factors, f.N)
	case fires:
		at.Fires = append(at.Fires, f.N)
	default:
		number := ""
		if to, i := h.Node(f.Result>>2), int(f.Result&3); i < len(to.Operands) && to.Operands[i].Tag == compile.Number {
			number = show.Number(to.Operands[i].Number)
		}
		at.Values, at.Numbers = append(at.Values, f.N), append(at.Numbers, number)
	}
}

// operations makes the graph of the program. Where it has none that can be shown, it may say why in a few words.
func (x *Exploration) operations(ctx context.Context) (out *Operations, why string) {
	p := show.Program{Program: x.p, Inside: bridge.Of(x.p), MaxSteps: x.opt.MaxSteps, MaxNodes: x.opt.MaxNodes}
	var c *show.Computation
	var derivatives []float64
	var err error
	if x.info.Stopped == "" && x.events <= mostEvents {
		c, derivatives, err = p.Operations(ctx, mostOperations)
	}
	switch {
	case err != nil || x.info.Stopped != "":
		return nil, ""
	case c == nil:
		return nil, "it would have more than " + load.Grouped(mostOperations)
	case derivatives == nil:
		return nil, "the value has several components"
	}
	out = &Operations{Inputs: c.Graph.Inputs(), Output: int(c.Graph.Outputs()[0]), Factors: x.factors}
	places := map[term.Pos]int{}
	for w := range c.Graph.Len() {
		n := GraphNode{At: -1, Name: c.Names[w], Value: show.Number(c.Values[w]), Derivative: show.Number(derivatives[w])}
		if f, sources, pos, ok := c.Graph.Edge(hypergraph.Node(w)); ok {
			i, known := places[pos]
			if !known {
				i = len(out.Places)
				places[pos] = i
				out.Places = append(out.Places, cmp.Or(x.places[pos], &GraphPlace{}))
				at := out.Places[i]
				at.Text = brief(x.expressions[pos], textLetters)
				at.Line, at.Column = x.src.Position(pos)
				at.Def = x.info.Defs[at.Line]
			}
			n.At, n.Symbol, n.Of = i, show.Symbol(f), sources
		} else if w >= c.Graph.Inputs() {
			n.Derivative = ""
		}
		out.Nodes = append(out.Nodes, n)
	}
	return out, ""
}
