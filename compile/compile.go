package compile

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gram-machine/gram/compile/block"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// Options says what is to be compiled. Inputs are the scalar inputs of the
// program, in order: they are the free variables that the term may have.
type Options struct {
	Inputs []term.Var
	// Reversed says that the term is D(t).
	Reversed bool
	// Open makes the inputs symbolic, for the reduction of t to G; with Reversed, for
	// that of D(t) to its normal form.
	Open bool
	// Straight says that the term, with its families, is straight-line arithmetic: data vectors are families, too.
	Straight bool
	// Places asks for the templates' steps by place in the source.
	Places bool
	// Plain says that no family has conditionals or applications.
	Plain bool
	// Check, if not nil, is called at least every 2¹⁶ nodes; its error ends the
	// compilation.
	Check func() error
	// Reserve, if not nil, is called before memory is allocated for an expansion, with its bytes. Its error ends the compilation.
	Reserve func(bytes int64) error

	outline map[term.Ref]bool // nodes whose templates have their families outlined
}

// LimitError says that the term is too large for the machine's formats.
type LimitError struct {
	Pos  term.Pos
	What string
}

func (e *LimitError) Error() string { return e.What }

// UnsupportedError is a well-typed term that has no program: linear variables where
// the inputs are symbolic, or a sum of a type other than R and R^d.
type UnsupportedError struct {
	Pos  term.Pos
	What string
}

func (e *UnsupportedError) Error() string { return e.What }

// checkEvery is how many tasks, or units of a long loop in one, pass between two calls of Check.
const checkEvery = 1 << 12

// Compile returns the program of a well-typed term. The error is a [*LimitError],
// an [*UnsupportedError], or Check's; or [graph.ErrFamilies], if the term has families that are
// not in straight-line arithmetic of a λ.
func Compile(t *term.Term, opt Options) (*graph.Program, error) {
	c := &compiler{
		t: t, opt: opt,
		out:    &graph.Program{Loops: new(sync.Map), Inlined: make([]graph.InlinedCall, 1), Data: slices.Clone(t.Data), Reversed: opt.Reversed, Open: opt.Open, Types: t.Types},
		vars:   make([]binding, t.NumVars()+len(t.Indices)),
		pairs:  make([]virtualPair, 1),
		nums:   map[uint64]slot{},
		bodies: map[string]uint32{},
		data:   map[dataKey]slot{},

		families:    map[uint32]*block.Families{},
		frees:       map[term.Ref][]term.Var{},
		callNumbers: map[graph.InlinedCall]uint32{},
	}
	types, err := t.Typing(opt.Check)
	if err != nil {
		return nil, err
	}
	c.types = types
	c.out.Type = types[t.Root]
	c.findLinear()
	if err := c.inputs(); err != nil {
		return nil, err
	}
	if opt.Reversed {
		c.out.ZeroDual = c.newDual(0, &dualBuilder{})
		c.out.Null = uint32(c.addGlobal(graph.Global{Kind: graph.DualCell, Index: c.out.ZeroDual}))
	} else {
		c.readList()
	}
	if err := c.run(); err != nil {
		return nil, err
	}
	if c.link(); c.err != nil {
		return nil, c.err
	}
	c.result()
	err = block.Compile(block.Source{Program: c.out, Types: t.Types, SlotTypes: c.slotTypes, Families: c.families, Check: opt.Check})
	if err != nil {
		return nil, c.missing(err)
	}
	return c.out, nil
}

type dataKey struct {
	index uint32
	shape graph.DataShape
	typ   term.Type // in an open program
}

type compiler struct {
	t     *term.Term
	types []term.Type // of t's nodes
	// slotTypes are, of each template, the types of its captured variables and
	// parameters.
	slotTypes [][]term.Type
	nodes     []term.Ref // of each template: the λ, branch, program, list or comprehension that it is of; 0 of others
	opt       Options
	out       *graph.Program
	stack     []*builder
	vars      []binding
	many      []manyBindings // in the order of variables
	pairs     []virtualPair
	tasks     []task
	vals      []operand // results of finished tasks
	nums      map[uint64]slot
	bodies    map[string]uint32
	data      map[dataKey]slot
	families  map[uint32]*block.Families // of templates with families
	inOrder   bool                       // the inputs are variables in order, without a gap
	err       error
	// late says that the program has sums that may have to be put off.
	late bool
	pos  term.Pos // of the term that is compiled
	at   term.Ref // the node that is compiled
	// branches are the first branches of conditionals whose second is compiled.
	branches []closedBranch
	// mentions are the numbers of [compiler.mentioned], nil before they are needed.
	mentions []int32
	// Of applications in families: those that are compiled, the innermost one last, what is known there, and what their bodies have bound.
	calls       []call
	knowns      []known
	undo        []saved
	frees       map[term.Ref][]term.Var
	indices     map[term.Index]float64 // those of lists
	inlined     uint32                 // the number of the call of a function of theirs, as graph.Dual has it
	callNumbers map[graph.InlinedCall]uint32
	// group are the functions of a fix whose last is compiled.
	group []uint32
}

// task is a term to be compiled, or the rest of its compilation once its parts
// have been: step 0 starts, higher steps are the constructor's own.
type task struct {
	r    term.Ref
	step uint8
	n    uint32 // AppOp: number of arguments
}

func (c *compiler) addGlobal(g graph.Global) slot {
	c.out.Globals = append(c.out.Globals, g)
	return slot(c.out.NumGlobals() - 1)
}

func (c *compiler) fail(p term.Pos, format string, args ...any) {
	if c.err == nil {
		c.err = &LimitError{Pos: p, What: fmt.Sprintf(format, args...)}
	}
}

func (c *compiler) unsupported(p term.Pos, what string) {
	if c.err == nil {
		c.err = &UnsupportedError{Pos: p, What: what}
	}
}

// inputs binds the inputs to globals: a number, or ⟨x0,d⟩ in a reversed program. Inputs that are variables in order are bound
// where they are used first.
func (c *compiler) inputs() error {
	n := len(c.opt.Inputs)
	c.inOrder = n > 0
	c.out.Inputs = n
	for i, x := range c.opt.Inputs {
		if i%checkEvery == 0 && c.opt.Check != nil {
			if err := c.opt.Check(); err != nil {
				return err
			}
		}
		c.inOrder = c.inOrder && x == c.opt.Inputs[0]+term.Var(i)
	}
	if !c.inOrder {
		for i, x := range c.opt.Inputs {
			c.bindInput(x, i)
		}
	}
	if len(c.opt.Inputs) > graph.MaxIndex {
		c.fail(0, "more than %d scalar inputs", graph.MaxIndex)
	}
	return nil
}

// bound reports whether a variable is bound; an input, or a component of a long vector that has been opened, is from now on.
func (c *compiler) bound(x term.Var) bool {
	if !c.vars[x].bound {
		if i, ok := c.inputRange(x, 1); ok {
			c.bindInput(x, i)
		} else if m := c.among(x); m != nil {
			c.vars[x] = binding{op: operand{slot: m.slot + slot(x-m.first)}, depth: m.depth, bound: true}
		}
	}
	return c.vars[x].bound
}

// bindInput binds a variable to an input, before there are builders.
func (c *compiler) bindInput(x term.Var, i int) {
	num, _ := c.out.InputSlot(i)
	op := operand{slot: slot(num)}
	if c.opt.Reversed {
		c.pairs = append(c.pairs, virtualPair{a: op, b: operand{slot: slot(num + 1)}})
		op = operand{pair: uint32(len(c.pairs) - 1)}
	}
	c.vars[x] = binding{op: op, depth: -1, bound: true}
}

// newPair yields ⟨a,b⟩, which is not built before somebody needs it. In an open
// program it is built at once: whether it is a value is looked at.
func (c *compiler) newPair(a, b operand, p term.Pos) operand {
	if c.opt.Open {
		return operand{slot: c.emit(graph.Instr{Op: graph.OpPair, A: uint32(c.slot(a)), B: uint32(c.slot(b)), Pos: p}, nil)}
	}
	c.pairs = append(c.pairs, virtualPair{a: a, b: b, pos: p})
	return operand{pair: uint32(len(c.pairs) - 1)}
}

func (c *compiler) number(r float64) slot {
	bits := math.Float64bits(r)
	s, ok := c.nums[bits]
	if !ok {
		s = c.addGlobal(graph.Global{Kind: graph.Num, Val: r})
		c.nums[bits] = s
	}
	return s
}

func (c *compiler) push(r term.Ref, step uint8) { c.tasks = append(c.tasks, task{r: r, step: step}) }

func (c *compiler) pop() operand {
	v := c.vals[len(c.vals)-1]
	c.vals = c.vals[:len(c.vals)-1]
	return v
}

// popValue takes the result of the last task, which is to be a value.
func (c *compiler) popValue() operand { return c.value(c.pop()) }

// popSlots takes the results of the last n tasks, as slots of values.
func (c *compiler) popSlots(n int) []slot {
	out := make([]slot, n)
	base := len(c.vals) - n
	for i, v := range c.vals[base:] {
		out[i] = c.slot(c.value(v))
	}
	c.vals = c.vals[:base]
	return out
}

func (c *compiler) yield(op operand) { c.vals = append(c.vals, op) }
func (c *compiler) yieldSlot(s slot) { c.vals = append(c.vals, operand{slot: s}) }

func (c *compiler) run() error {
	if c.err != nil {
		return c.err
	}
	c.open("program", c.t.Nodes[c.t.Root].Pos, nil)
	c.top().node = c.t.Root
	c.push(c.t.Root, 0)
	for n := 0; len(c.tasks) > 0; n++ {
		if !c.check(n) {
			return c.err
		}
		t := c.tasks[len(c.tasks)-1]
		c.tasks = c.tasks[:len(c.tasks)-1]
		c.at, c.pos = t.r, c.t.Nodes[t.r].Pos
		if t.step == 0 {
			c.start(t.r)
		} else {
			c.resume(t)
		}
		if c.err != nil {
			return c.err
		}
	}
	c.out.Main, _ = c.close(c.popValue())
	return c.err
}

// check calls Check at each unit of a loop that is a multiple of checkEvery, and reports whether the compilation goes on.
func (c *compiler) check(unit int) bool {
	if unit%checkEvery == 0 && c.opt.Check != nil && c.err == nil {
		c.err = c.opt.Check()
	}
	return c.err == nil
}

// open starts a template with the given parameters.
func (c *compiler) open(name string, p term.Pos, params []term.Var) {
	b := &builder{name: name, pos: p, params: uint32(len(params)), open: c.opt.Open}
	b.vars = params
	c.stack = append(c.stack, b)
	for i, x := range params {
		c.bind(x, operand{slot: paramClass | slot(i)})
	}
}
