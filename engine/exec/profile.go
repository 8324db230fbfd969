package exec

import (
	"math"
	"sort"
	"time"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// A placed program has, beside its instructions, those that keep a profile. A function has a register more, for its
// activation: the function in a calling context.
const (
	enter  ir.Op = 160 + iota // D ← the activation of function N that the call made
	tally                     // the activation A enters the block N of its function
	where                     // the next statement is of the place N of the activation A
	call                      // the next call is from the place N of the activation A
	finite                    // the register D is a finite number; of SumAdd, D + B mod M
)

// placed is what a placed program has of a function.
type placed struct {
	blocks []uint32 // those that are tallied
	places []placeOf
	nodes  []nodesAt
}

// placeOf is a place of a statement or a call.
type placeOf struct {
	ir.Place
	kind uint32 // of the statement, all of whose operands have an adjoint
}

// nodesAt are slots that a block allocates.
type nodesAt struct {
	block int // of those that are tallied
	ir.Place
	n uint64
}

// hooks are the instructions that keep a profile, before an instruction and behind it.
func (p *Program) hooks(f *ir.Func, in *ir.Instr) (before, behind []instr) {
	if !p.src.Placed {
		return nil, nil
	}
	l := &p.placed[len(p.placed)-1]
	activation := slotSize * uint32(f.Regs)
	at := ir.Place{Pos: in.Pos, Within: in.Within}
	if f.AtCall && in.Within == 0 {
		at.Pos = ir.AtCall
	}
	nodes := 0
	switch in.Op {
	case ir.Count:
		l.blocks = append(l.blocks, in.N)
		return nil, []instr{{op: tally, a: activation, n: uint32(len(l.blocks) - 1)}}
	case ir.Call, ir.TailCall, ir.Apply, ir.TailApply:
		l.places = append(l.places, placeOf{Place: at})
		return []instr{{op: call, a: activation, n: uint32(len(l.places) - 1)}}, nil
	case ir.Add, ir.Mul, ir.Fun1, ir.Fun2, ir.FunK, ir.SumAdd:
		sym := in.Sym
		if in.Op == ir.Mul {
			sym = term.Mul
		}
		if in.Taped {
			kind := p.kindsOf(sym)
			kind += 1<<p.kinds[kind].arity - 1
			l.places = append(l.places, placeOf{Place: at, kind: kind})
			before = []instr{{op: where, a: activation, n: uint32(len(l.places) - 1)}}
		}
		check := instr{op: finite, d: slotSize * uint32(in.D), m: 1, n: uint32(sym)}
		if in.Op == ir.SumAdd {
			check.b, check.m = slotSize*uint32(in.B), in.M
		}
		return before, []instr{check}
	case ir.Alloc:
		nodes = int(in.N) + 1
	case ir.MakeCon:
		nodes = len(in.Args) + 1
	case ir.MakeClosure:
		if len(in.Args) > 0 {
			nodes = len(in.Args) + 1
		}
	}
	if nodes > 0 {
		l.nodes = append(l.nodes, nodesAt{len(l.blocks) - 1, at, uint64(nodes)})
	}
	return nil, nil
}

// profile is what a run of a placed program does by activations. What a function's code counts is multiplied out at
// the end: a profile has how often each activation enters each of its blocks.
type profile struct {
	p           *Program
	calls       *calls.Calls
	activations []activation
	known       map[activation]uint32 // by function, context and call
	memo        map[calledFrom]uint32
	entered     []uint64 // how often each activation enters each of its blocks
	cells       []cellCount
	booked      samples // what was done at spots that no code counts
	passed      uint64  // arguments, for the activation that is entered next
	from        uint64  // of the next call: the activation, above, and the place, from 1 on; 0 before the first one

	timed bool
	clock time.Time
	ticks int
	spent [2]map[int]time.Duration // by index of entered, and of cells
}

// activation is a function in a calling context.
type activation struct {
	fun     uint32
	context uint32 // of calls
	from    spot   // the call
	// Where it begins in profile.entered and profile.cells, and how many arguments the interpreter has passed to it.
	blocks, places int
	args           uint64
}

// spot is a place in a calling context.
type spot struct {
	context uint32
	pos     term.Pos
}

// calledFrom is a call of a function, from the place of an activation.
type calledFrom struct {
	from uint64
	fun  uint32
}

// cellCount is what the cells of a place of an activation, or of an input, have done.
type cellCount struct{ fired, arrived, nulls uint64 }

// clockEvery is how many events pass between two looks at the clock.
const clockEvery = 256

// newProfile begins a profile. Inputs have the first cells.
func newProfile(p *Program, timed bool) *profile {
	f := &profile{p: p, calls: calls.NewCalls(calls.Call{Pos: p.src.Bodies[0].Pos}), known: map[activation]uint32{},
		memo: map[calledFrom]uint32{}, cells: make([]cellCount, 1+p.src.Inputs), booked: newSamples(), timed: timed,
		clock: time.Now(), ticks: clockEvery, spent: [2]map[int]time.Duration{{}, {}}}
	f.memo[calledFrom{}] = f.activation(0, f.caller(), 0)
	return f
}

// activation adds a function in a context.
func (f *profile) activation(fun uint32, from spot, context uint32) uint32 {
	k := activation{fun: fun, from: from, context: context}
	a, ok := f.known[k]
	if !ok {
		a = uint32(len(f.activations))
		f.known[k] = a
		k.blocks, k.places = len(f.entered), len(f.cells)
		f.activations = append(f.activations, k)
		l := &f.p.placed[fun]
		f.entered = append(f.entered, make([]uint64, len(l.blocks))...)
		f.cells = append(f.cells, make([]cellCount, len(l.places))...)
	}
	return a
}

// enter returns the activation of a function that is called.
func (f *profile) enter(fun uint32) uint64 {
	k := calledFrom{f.from, fun}
	a, ok := f.memo[k]
	if !ok {
		from := f.caller()
		context := from.context
		if g := &f.p.funs[fun]; !g.atCall {
			context = f.calls.Callee(calls.Call{Caller: from.context, Pos: from.pos, Template: g.body})
		}
		a = f.activation(fun, from, context)
		f.memo[k] = a
	}
	f.activations[a].args += f.passed
	f.passed = 0
	return uint64(a)
}

// caller is the place of the next call.
func (f *profile) caller() spot {
	if f.from == 0 {
		return spot{pos: f.p.src.Bodies[0].Pos}
	}
	a := uint32(f.from >> 32)
	return f.spot(a, f.p.placed[f.activations[a].fun].places[uint32(f.from)-1].Place)
}

// spot is a place of an activation.
func (f *profile) spot(a uint32, at ir.Place) spot {
	switch k := &f.activations[a]; {
	case at.Within != 0:
		in := &f.p.src.Inlined[at.Within]
		from := f.spot(a, in.From)
		return spot{f.calls.Callee(calls.Call{Caller: from.context, Pos: from.pos, Template: in.Body}), at.Pos}
	case at.Pos == ir.AtCall:
		return k.from
	default:
		return spot{k.context, at.Pos}
	}
}

// partial books, at the next call, that a function has got so many arguments, and not all; that this has made nodes;
// and, if it is a member of a fix that has got its first ones, that it is unfolded.
func (f *profile) partial(g *fun, args, nodes int, unfold bool) {
	b := f.booked.at(sampleKey{spot: f.caller()})
	passArgs(b, uint64(args))
	b.Nodes += uint64(nodes)
	if unfold {
		b.Counts.AddTimes(&f.p.src.Blocks[g.block].Steps, 1)
	}
}

// passArgs adds the steps by which a function gets so many arguments.
func passArgs(x *calls.Sample, args uint64) {
	x.Counts[rule.Lambda] += args
	x.Counts[rule.GC] += args
}

// place is the cells of the statements at a place of an activation.
func (f *profile) place(a uint64, at uint32) uint32 { return uint32(f.activations[a].places) + at }

// tally notes that an activation enters a block of its function.
func (f *profile) tally(a uint64, block uint32) {
	i := f.activations[a].blocks + int(block)
	f.entered[i]++
	f.tick(0, i)
}

// tick counts an event, and charges the time since the clock was last read now and then.
func (f *profile) tick(kind, i int) {
	if f.timed {
		if f.ticks--; f.ticks <= 0 {
			now := time.Now()
			f.spent[kind][i] += now.Sub(f.clock)
			f.clock, f.ticks = now, clockEvery
		}
	}
}

// fire notes that a cell fires, at which the sum a has arrived, and what arrives at the cells to. With parts, the
// slopes are others than 1. The error is that a derivative has to be finite.
func (m *Machine) fire(i int, k *kind, a float64, to []uint32, slopes []float64) error {
	f, at := m.profile, m.tape.where
	c := &f.cells[at[i]]
	c.fired++
	c.nulls += uint64(k.arity - k.args)
	check := func(v float64) error {
		if !m.Finite || !notFinite(v) {
			return nil
		}
		return &limits.NotFiniteError{Value: v, What: "a derivative", Pos: f.cellPos(int(at[i]))}
	}
	for j, t := range to {
		f.cells[at[t]].arrived++
		v := a
		if !k.plain {
			v *= slopes[j]
		}
		if err := check(v); err != nil {
			return err
		}
	}
	f.tick(1, int(at[i]))
	return check(a)
}

// cellPos is the place in the source of a cell.
func (f *profile) cellPos(cell int) term.Pos {
	a := sort.Search(len(f.activations), func(i int) bool { return f.activations[i].places > cell }) - 1
	if a < 0 {
		return f.p.src.Bodies[0].Pos
	}
	k := &f.activations[a]
	return f.p.placed[k.fun].places[cell-k.places].Pos
}

func notFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// isFinite checks the result of the operation before the instruction.
func (m *Machine) isFinite(in *instr, v float64, pc int32) error {
	if !m.Finite || !notFinite(v) {
		return nil
	}
	what := "+"
	if f := term.Symbol(in.n); f != term.NoSymbol {
		what = f.String()
	}
	return &limits.NotFiniteError{Value: v, What: what, Pos: m.p.pos[pc-1]}
}

// Samples calls f on the profile of the last run of a placed program, in an order that depends on the run alone. Their
// steps add up to those of [Stats], and so do their nodes. The stack is overwritten by the next.
func (m *Machine) Samples(f func(calls.Sample)) {
	s := sampler{m.profile, newSamples()}
	s.start(m)
	for a := range s.activations {
		s.activation(uint32(a))
	}
	for _, k := range s.booked.order {
		b, x := s.booked.by[k], s.at(k)
		x.Counts.AddTimes(&b.Counts, 1)
		x.Nodes += b.Nodes
	}
	made := m.nodes
	for _, k := range s.order {
		made -= s.by[k].Nodes
	}
	s.statements(m)
	s.at(sampleKey{spot: spot{pos: s.p.src.Bodies[0].Pos}, phase: calls.ReadBack}).Nodes += made
	var stack []calls.Frame
	for _, k := range s.order {
		x := s.by[k]
		x.Input, x.Phase, x.Bytes = int(k.input)-1, k.phase, slotSize*x.Nodes
		if k.generated {
			x.Origin = calls.GeneratedCode
		}
		if x.Counts == (rule.Counts{}) && x.Nodes == 0 && x.Time == 0 {
			continue
		}
		if x.Input < 0 {
			stack = s.calls.Stack(stack[:0], k.context, k.pos, func(body uint32) (term.Pos, bool) {
				b := &s.p.src.Bodies[body]
				return b.Pos, !b.Inner
			})
			x.Stack = stack
		}
		f(*x)
	}
}

// sampler makes samples.
type sampler struct {
	*profile
	samples
}

// samples are samples in the order in which they were begun.
type samples struct {
	by    map[sampleKey]*calls.Sample
	order []sampleKey
}

func newSamples() samples { return samples{by: map[sampleKey]*calls.Sample{}} }

type sampleKey struct {
	spot
	input     uint32 // from 1 on
	phase     calls.Phase
	generated bool
}

func (s *samples) at(k sampleKey) *calls.Sample {
	x := s.by[k]
	if x == nil {
		x = &calls.Sample{}
		s.by[k] = x
		s.order = append(s.order, k)
	}
	return x
}

// statements tells of the nodes that are statements on the tape.
func (s *sampler) statements(m *Machine) {
	made := make([]uint64, len(s.cells))
	for i := 1 + s.p.src.Inputs; i < m.tape.n; i++ {
		made[m.tape.where[i]]++
	}
	for a := range s.activations {
		k := &s.activations[a]
		for i, at := range s.p.placed[k.fun].places {
			if n := made[k.places+i]; n > 0 {
				s.at(sampleKey{spot: s.spot(uint32(a), at.Place), generated: true}).Nodes += n
			}
		}
	}
}

// start tells of the start term: of the inputs, and of what takes the outputs.
func (s *sampler) start(m *Machine) {
	rest := s.p.src.Start
	for i := range s.p.src.Inputs {
		in := sampleKey{input: uint32(i) + 1}
		s.at(in).Counts[rule.GC]++
		rest[rule.GC]--
		if !s.p.src.Taped {
			continue
		}
		in.generated = true
		s.at(in).Counts.AddTimes(&rule.Counts{rule.GC: 2, rule.SubstNumeral: 1}, 1)
		rest[rule.GC] -= 2
		rest[rule.SubstNumeral]--
		in.phase = calls.Backward
		s.at(in).Counts.AddTimes(s.cells[1+i].steps(&s.p.kinds[inputKind]), 1)
	}
	x := s.at(sampleKey{spot: spot{pos: s.p.src.Bodies[0].Pos}, phase: calls.Backward, generated: true})
	x.Counts.AddTimes(&rest, 1)
	x.Counts.AddTimes(&s.p.kinds[0].steps, m.fired[0])
}

// steps are those of cells. Each arrival beyond the first at a cell is (11), and the (6) of the sum that it makes.
func (c *cellCount) steps(k *kind) *rule.Counts {
	var s rule.Counts
	s.AddTimes(&k.steps, c.fired)
	s[rule.Lambda] += c.nulls
	s[rule.Lin] += c.nulls
	s[rule.Factor] += c.arrived - c.fired
	s[rule.Plus] += c.arrived - c.fired
	return &s
}

// activation tells of the code of an activation, and of its cells.
func (s *sampler) activation(a uint32) {
	k := &s.activations[a]
	l, src := &s.p.placed[k.fun], s.p.src
	entered := s.entered[k.blocks:][:len(l.blocks)]
	if k.args > 0 {
		at := k.from
		if g := &s.p.funs[k.fun]; !g.atCall {
			at = spot{k.context, src.Bodies[g.body].Pos}
		}
		passArgs(s.at(sampleKey{spot: at}), k.args)
	}
	for i, block := range l.blocks {
		if entered[i] == 0 {
			continue
		}
		for _, x := range src.Blocks[block].Places {
			s.at(sampleKey{spot: s.spot(a, x.Place), generated: x.Generated}).Counts[x.Rule] += x.N * entered[i]
		}
		if d := s.spent[0][k.blocks+i]; d > 0 {
			at := spot{k.context, src.Bodies[s.p.funs[k.fun].body].Pos}
			if places := src.Blocks[block].Places; len(places) > 0 {
				at = s.spot(a, places[0].Place)
			}
			s.at(sampleKey{spot: at}).Time += d
		}
	}
	for _, x := range l.nodes {
		if n := entered[x.block]; n > 0 {
			s.at(sampleKey{spot: s.spot(a, x.Place)}).Nodes += n * x.n
		}
	}
	for i, at := range l.places {
		c := &s.cells[k.places+i]
		if *c == (cellCount{}) {
			continue
		}
		x := s.at(sampleKey{spot: s.spot(a, at.Place), phase: calls.Backward, generated: true})
		x.Counts.AddTimes(c.steps(&s.p.kinds[at.kind]), 1)
		x.Time += s.spent[1][k.places+i]
	}
}
