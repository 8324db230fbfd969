// Package gram runs higher-order functional programs and their gradients, and
// tells exactly what that cost. It implements the calculus of "Backpropagation in
// the simply typed lambda-calculus with linear negation" (POPL 2020).
//
// A program goes through these stages, each a package of its own:
//
//	source  ─lang→  term  ─revgrad→  term  ─compile→  templates  ─engine→  graph  ─read-back→  numbers
//
// [Load] does the first, once. [Program.Value] and [Program.Gradient] do the rest
// at the program's point; an [Evaluator] does it again and again, at many points,
// without compiling again. A [Program] may be used by several goroutines at once,
// an Evaluator by one at a time.
package gram

import (
	"context"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// Options say how a program is loaded. The zero value takes all defaults.
type Options struct {
	// Params override params: "n=1e6".
	Params []string
	// Sets override the values of inputs and data: "eps=-0.3", "q=[1,-2]",
	// "xs=@file.csv:column". Paths are relative to the current directory.
	Sets []string
	// Values override the values of inputs and data by Go slices, in row-major
	// order: a matrix row by row, a list of vectors element by element. A list may
	// have any length. The slices are not to be modified afterwards.
	Values map[string][]float64
	// Dir is the folder to which the paths in the program are relative; [LoadFile]
	// sets it.
	Dir string
	// Open opens the CSV files; nil means os.Open.
	Open func(path string) (fs.File, error)
	// MaxMemory bounds the memory of the process while loading, compiling and
	// running, in bytes; 0 means 80 % of the machine's or the container's.
	MaxMemory uint64
	// Cache, if not nil, keeps what the strategy [Modular] makes, for programs that have a
	// function of this one.
	Cache *Cache
	// Progress, if not nil, is called now and then, from the goroutine that works,
	// with the phase: "load", "compile", "reduce" or "print".
	Progress func(phase string)
	// Phase, if not nil, is called when a phase of the work begins: "load", "compile", and of
	// a run "primal", "discovery", "backward", "read-back" and "normalise", or of one of the
	// literal machine "reduce". It is called by the goroutine that does the work.
	Phase func(name string)
}

// Program is a program that has been read, typed and elaborated.
type Program struct {
	src      *lang.Program
	opt      Options
	loading  time.Duration
	value    compiled[graph.Program] // t
	gradient compiled[graph.Program] // D(t)
	// literal and literalGradient are the same for the literal machine.
	literal         compiled[literal.Program]
	literalGradient compiled[literal.Program]
	// modularly is D(t) with its λs normalised at the program's point, modularised how that
	// came.
	modularly   compiled[graph.Program]
	modularised *modularProgram
	symbolic    compiled[graph.Program] // t with its inputs left open

	// terms is held while terms are made and typed: they share a universe of types.
	terms sync.Mutex

	mu   sync.Mutex
	size sizes
}

// compiled is a program for a machine, made when it is first needed.
type compiled[P any] struct {
	mu     sync.Mutex
	prog   *P
	time   time.Duration
	placed *compiled[P] // the same with counts by place
}

// with returns c, or, for profiles and traces, what has counts by place.
func (c *compiled[P]) with(placed bool) *compiled[P] {
	if !placed {
		return c
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.placed == nil {
		c.placed = new(compiled[P])
	}
	return c.placed
}

type sizes struct{ term, reverse int64 }

// LoadFile reads, types and elaborates the program in a file; "-" is standard
// input. The error is an [*Error] if the program is wrong, a [*UsageError] if
// Params or Sets are.
func LoadFile(ctx context.Context, path string, opt Options) (*Program, error) {
	if path == "-" {
		src, err := io.ReadAll(os.Stdin)
		if err != nil {
			return nil, err
		}
		return Load(ctx, "standard input", src, opt)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if opt.Dir == "" {
		opt.Dir = filepath.Dir(path)
	}
	return Load(ctx, path, src, opt)
}

// Load reads, types and elaborates the program src; name stands in its errors.
func Load(ctx context.Context, name string, src []byte, opt Options) (*Program, error) {
	start := time.Now()
	opt.phase("load")
	meter := limits.New(ctx, opt.MaxMemory)
	lo := lang.Options{Dir: opt.Dir, Open: opt.Open, Check: opt.check("load", meter), Reserve: meter.Reserve}
	for _, text := range opt.Params {
		p, err := load.ParseParam(text)
		if err != nil {
			return nil, wrap(err)
		}
		lo.Params = append(lo.Params, p)
	}
	for _, text := range opt.Sets {
		s, err := load.ParseSet(text)
		if err != nil {
			return nil, wrap(err)
		}
		lo.Sets = append(lo.Sets, s)
	}
	for _, name := range slices.Sorted(maps.Keys(opt.Values)) {
		lo.Sets = append(lo.Sets, load.SetValues(name, opt.Values[name]))
	}
	p, err := lang.Load(name, src, lo)
	if err != nil {
		return nil, wrapLimit(err, "loading")
	}
	return &Program{src: p, opt: opt, loading: time.Since(start)}, nil
}

// phase tells that a phase of the work begins.
func (o *Options) phase(name string) {
	if o.Phase != nil {
		o.Phase(name)
	}
}

// machinePhase is what a machine calls when a phase begins, nil if nobody wants to know.
func (o *Options) machinePhase() func(engine.Phase) {
	if o.Phase == nil {
		return nil
	}
	return func(p engine.Phase) { o.Phase(p.String()) }
}

// check returns what a phase calls now and then.
func (o *Options) check(phase string, meter *limits.Meter) func() error {
	return func() error {
		if o.Progress != nil {
			o.Progress(phase)
		}
		return meter.Check()
	}
}

// Input is an input of the program: a number, or a product or vector of numbers.
type Input struct {
	Name  string
	Shape *Shape
	// Values are its numbers at the program's point, in row-major order.
	Values []float64
}

// Shape is the type of an input or of a value: R, products, vectors and lists.
type Shape = load.Shape

// The constructors of shapes.
const (
	RealShape    = load.Real
	ProductShape = load.Product
	VectorShape  = load.Vector
	ListShape    = load.List
)

// Inputs returns the program's inputs in order.
func (p *Program) Inputs() []Input {
	out := make([]Input, len(p.src.Inputs))
	for i, in := range p.src.Inputs {
		out[i] = Input{Name: in.Name, Shape: in.Shape, Values: in.Values}
	}
	return out
}

// Point returns the numbers of all inputs, one after the other.
func (p *Program) Point() []float64 {
	var point []float64
	for _, in := range p.src.Inputs {
		point = append(point, in.Values...)
	}
	return point
}

// scalars returns how many scalar inputs there are.
func (p *Program) scalars() int {
	n := 0
	for _, in := range p.src.Inputs {
		n += len(in.Vars)
	}
	return n
}

// Type returns the type of the program's body in the words of the language.
func (p *Program) Type() string { return p.src.TypeText }

// Shape returns the shape of the program's value, or nil if it has a function in it.
func (p *Program) Shape() *Shape { return p.src.Shape }

// Term returns the elaborated program. It is not to be modified.
func (p *Program) Term() *term.Term { return p.src.Term }

// ScalarInputs returns the variables of [Program.Term] that are its inputs, in the
// order of [Program.Point].
func (p *Program) ScalarInputs() []term.Var {
	var xs []term.Var
	for _, in := range p.src.Inputs {
		xs = append(xs, in.Vars...)
	}
	return xs
}

// get compiles on first use. A failure is not kept: it may be a limit's.
func (c *compiled[P]) get(p *Program, make func() (*P, error)) (*P, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.prog == nil {
		p.terms.Lock()
		defer p.terms.Unlock()
		start := time.Now()
		p.opt.phase("compile")
		prog, err := make()
		c.time = time.Since(start)
		if err != nil {
			return nil, err
		}
		c.prog = prog
	}
	return c.prog, nil
}

// took returns how long compiling took, 0 if there was none.
func (c *compiled[P]) took() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

// valueProgram compiles t, reverseProgram D(t): with the counts of templates by place, if
// placed.
func (p *Program) valueProgram(meter *limits.Meter, placed bool) (*graph.Program, error) {
	return p.value.with(placed).get(p, func() (*graph.Program, error) {
		p.setSize(p.src.Term.Size(), 0)
		prog, err := compile.Compile(p.src.Term, compile.Options{Inputs: p.ScalarInputs(), Places: placed, Check: p.opt.check("compile", meter)})
		return prog, p.locate(err, "compiling")
	})
}

func (p *Program) reverseProgram(meter *limits.Meter, placed bool) (*graph.Program, error) {
	return p.gradient.with(placed).get(p, func() (*graph.Program, error) {
		d, err := p.reversed(meter)
		if err != nil {
			return nil, err
		}
		prog, err := compile.Compile(d, compile.Options{Inputs: p.ScalarInputs(), Reversed: true, Places: placed, Check: p.opt.check("compile", meter)})
		return prog, p.locate(err, "compiling")
	})
}

// HasGradient reports whether the program has a gradient or a Jacobian: D is defined on it,
// and its body has type R or R^k.
func (p *Program) HasGradient() bool { return p.differentiable() == nil }

// differentiable reports an error unless D(t) is defined and t of type R or R^k.
func (p *Program) differentiable() error {
	if err := revgrad.Undefined(p.src.Term); err != nil {
		return p.locate(err, "differentiating")
	}
	return p.gradientType()
}

// reversed returns D(t) for t of type R or R^k.
func (p *Program) reversed(meter *limits.Meter) (*term.Term, error) {
	if err := p.differentiable(); err != nil {
		return nil, err
	}
	d, err := revgrad.Reverse(p.src.Term, p.opt.check("compile", meter))
	if err != nil {
		return nil, p.locate(err, "differentiating")
	}
	p.setSize(p.src.Term.Size(), d.Size())
	return d, nil
}

func (p *Program) setSize(t, d int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size.term = t
	p.size.reverse = max(p.size.reverse, d)
}

// gradientType reports an error unless the body has type R or R^k.
func (p *Program) gradientType() error {
	s := p.src.Shape
	if s != nil && (s.Kind == load.Real || s.Kind == load.Vector && s.A.Kind == load.Real) {
		return nil
	}
	return p.errorAt(p.src.BodyPos(), "no gradient",
		"the body has type "+p.src.TypeText+"; a gradient needs R, and a Jacobian R^k")
}

// valueType is the error of a value that has a function in it.
func (p *Program) valueType() error {
	return p.errorAt(p.src.BodyPos(), "no value to print",
		"the body has type "+p.src.TypeText+", which has a function in it")
}

// Schedule is the order in which the machine fires redexes.
type Schedule = engine.Schedule

// The schedules.
const (
	LIFO     = engine.LIFO
	Random   = engine.Random
	Parallel = engine.Parallel
)
