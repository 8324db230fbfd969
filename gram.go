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
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/format"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// Program is a program that has been read, typed and elaborated.
type Program struct {
	src        *lang.Program
	inputs     []term.Var // the scalar inputs
	opt        Options
	loading    time.Duration
	value      compiled[graph.Program]   // t
	gradient   compiled[graph.Program]   // D(t)
	withArrays [2]arrayForm              // t and D(t) with their families
	code       [8]compiled[exec.Program] // by [EvalOptions.codeForm]
	isLinear   struct {                  // see linear
		once sync.Once
		is   bool
	}
	isGeneral struct { // see isGeneral
		once           sync.Once
		has, is, lists bool
	}
	// literal and literalGradient are the same for the literal machine.
	literal         compiled[literal.Program]
	literalGradient compiled[literal.Program]
	// modularly is D(t) with its λs normalised at the program's point, modularised how that
	// came.
	modularly   compiled[literal.Program]
	modularised *modular.Program
	symbolic    compiled[literal.Program] // t with its inputs left open

	along compiled[Program] // the derivative along a vector, see [Evaluator.HessianVector]

	// terms is held while terms are made and typed: they share a universe of types.
	terms *sync.Mutex

	mu   sync.Mutex
	size sizes

	eager bool // of tests: see [engine.Options]
	force int  // of tests: force for this program
}

// compiled is a program for a machine, made when it is first needed.
type compiled[P any] struct {
	mu     sync.Mutex
	prog   *P
	time   time.Duration
	arrays bool // its families run as arrays
}

// arrayForm is a program with its families, where blocks can hold them.
type arrayForm struct {
	compiled[graph.Program]
	plain atomic.Bool // families with conditionals and applications are expanded
	none  atomic.Bool // blocks cannot hold them, or not do what was asked of them
}

// expandMore takes note that a run met what arrays cannot do. Of a program in parts, the families with conditionals and
// applications are expanded first.
func (p *Program) expandMore(form *arrayForm) {
	branches := func(n term.Node) bool { return n.Op == term.IfOp || n.Op == term.AppOp }
	if !p.inParts() || !slices.ContainsFunc(p.src.Written().Nodes, branches) || form.plain.Swap(true) {
		form.none.Store(true)
		return
	}
	form.mu.Lock()
	defer form.mu.Unlock()
	form.prog = nil
}

type sizes struct{ term, reverse int64 }

// LoadFile loads the program in a file; "-" is standard input.
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

// Load reads, types and elaborates the program src; name stands in its errors. The error is an
// [*Error] if the program is wrong, a [*UsageError] if Params or Sets are, and a [*MisuseError] if Values are.
func Load(ctx context.Context, name string, src []byte, opt Options) (*Program, error) {
	start := time.Now()
	meter := opt.meter(ctx)
	meter.Begin("load")
	lo := lang.Options{Inputs: opt.Inputs, Dir: opt.Dir, Open: opt.Open, Check: meter.During("load"),
		Reserve: meter.Reserve, Stream: opt.Stream, Seed: opt.Seed, Body: opt.Body}
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
		if i := slices.IndexFunc(opt.Values[name], notFinite); i >= 0 {
			return nil, misuse("Options.Values: number %d of %s is %v, which no file may have", i, name, opt.Values[name][i])
		}
		lo.Sets = append(lo.Sets, load.SetValues(name, opt.Values[name]))
	}
	p, err := lang.Load(name, src, lo)
	if u := (*UsageError)(nil); errors.As(err, &u) && slices.ContainsFunc(lo.Sets[len(opt.Sets):],
		func(s load.Setting) bool { return s.Text == u.Text }) {
		return nil, misuse("Options.Values: %s", u.Msg)
	}
	if err != nil {
		return nil, wrapLimit(err, "loading")
	}
	out := &Program{src: p, inputs: p.Scalars, opt: opt, terms: new(sync.Mutex)}
	out.withArrays[0].arrays, out.withArrays[1].arrays = true, true
	if !p.HasLarge() {
		if err := out.expand(meter, "load"); err != nil {
			return nil, err
		}
	}
	out.loading = time.Since(start)
	return out, nil
}

func notFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// Format returns the canonical text of a program, with its comments; name stands
// in errors. The error is an [*Error] or a [*LimitError].
func Format(ctx context.Context, name string, src []byte) ([]byte, error) {
	meter := limits.New(ctx, 0)
	opt := syntax.Options{Check: meter.Check, Reserve: meter.Reserve}
	f, diags, err := syntax.Parse(name, src, opt)
	if err != nil {
		return nil, wrapLimit(err, "formatting")
	}
	if len(diags) > 0 {
		return nil, wrap(syntax.NewErrors(f, diags))
	}
	text, err := format.File(f, opt)
	if err != nil {
		return nil, wrapLimit(err, "formatting")
	}
	return text, nil
}

func (p *Program) meter(ctx context.Context) *limits.Meter { return p.opt.meter(ctx) }

func (p *Program) locate(err error, phase string) error { return locate(p.src, err, phase) }

func (o *Options) meter(ctx context.Context) *limits.Meter {
	m := limits.New(ctx, o.MaxMemory)
	m.Progress, m.Phase, m.Share = o.Progress, o.Phase, o.Share
	return m
}

// Input is an input of the program: numbers, in products and vectors.
type Input struct {
	Name   string
	Shape  *Shape
	Names  []string  // of its numbers, where the program says them by named; else nil
	Values []float64 // its numbers at the program's point, in row-major order
}

// Shape is the type of an input or of a value: of its kinds, see [load.Kind].
type Shape = load.Shape

// Inputs returns the program's inputs in order.
func (p *Program) Inputs() []Input {
	out := make([]Input, len(p.src.Inputs))
	for i, in := range p.src.Inputs {
		out[i] = Input{Name: in.Name, Shape: in.Shape, Names: in.Names, Values: in.Values}
	}
	return out
}

// Point returns the numbers of all inputs, one after the other.
func (p *Program) Point() []float64 { return slices.Clone(p.src.Point) }

// Type returns the type of the program's body in the words of the language.
func (p *Program) Type() string { return p.src.TypeText }

// Shape returns the shape of the value, nil if there is a function in it.
func (p *Program) Shape() *Shape { return p.src.Shape }

func (p *Program) expand(meter *limits.Meter, phase string) error {
	_, err := p.src.Expand(meter.Reserve, meter.During(phase))
	return p.locate(wrap(err), "expanding families")
}

// copyTerm copies the term, with its own universe of types, and its scalar inputs; nil if there is none.
func (p *Program) copyTerm() (*term.Term, []term.Var) {
	p.terms.Lock()
	defer p.terms.Unlock()
	t := p.src.Term()
	if t == nil {
		return nil, nil
	}
	out := term.New(term.NewTypes())
	own := map[term.Var]term.Var{}
	inputs := slices.Clone(p.inputs)
	for i, x := range inputs {
		inputs[i] = out.NewVar(term.VarInfo{Name: t.Info(x).Name, Type: term.R, Pos: t.Info(x).Pos})
		own[x] = inputs[i]
	}
	out.Data = t.Data
	out.Root, _ = out.Import(t, term.Import{ // there is no look
		Free: func(x term.Var) term.Var { return own[x] },
		Data: func(i int) int { return i },
		Pos:  func(pos term.Pos) term.Pos { return pos },
		Name: func(name string) string { return name },
	})
	return out, inputs
}

// compiledInput bounds the bytes that a scalar input takes while a program is compiled, inArrays where its families run
// as arrays.
const (
	compiledInput = 128
	inArrays      = 64
)

// get compiles on first use. A failure is not kept: it may be a limit's.
func (c *compiled[P]) get(p *Program, meter *limits.Meter, make func() (*P, error)) (*P, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.prog == nil {
		p.terms.Lock()
		defer p.terms.Unlock()
		bytes := int64(compiledInput)
		if c.arrays {
			bytes = inArrays
		}
		if err := meter.Reserve(bytes * int64(len(p.inputs))); err != nil {
			return nil, p.locate(err, "compiling")
		}
		start := time.Now()
		meter.Begin("compile")
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

// valueProgram compiles t, reverseProgram D(t).
func (p *Program) valueProgram(meter *limits.Meter) (*graph.Program, error) {
	return p.value.get(p, meter, func() (*graph.Program, error) {
		if err := p.setSize(nil, meter); err != nil {
			return nil, p.locate(err, "compiling")
		}
		if err := p.expand(meter, "compile"); err != nil {
			return nil, err
		}
		prog, err := compile.Compile(p.src.Term(), compile.Options{Inputs: p.inputs, Check: meter.During("compile")})
		return prog, p.locate(err, "compiling")
	})
}

func (p *Program) reverseProgram(meter *limits.Meter) (*graph.Program, error) {
	return p.gradient.get(p, meter, func() (*graph.Program, error) {
		d, err := p.reversed(meter)
		if err != nil {
			return nil, err
		}
		prog, err := compile.Compile(d, compile.Options{Inputs: p.inputs, Reversed: true, Check: meter.During("compile")})
		return prog, p.locate(err, "compiling")
	})
}

// arrays returns the form with families of t, or of D(t).
func (p *Program) arrays(reversed bool) *arrayForm {
	if reversed {
		return &p.withArrays[1]
	}
	return &p.withArrays[0]
}

// expandShort is whether a program of short arrays is expanded. Tests of arrays clear it.
var expandShort = true

// inParts is how many nodes and variables, beside its inputs, the expansion of a program has at least of which only
// those comprehensions are expanded that no block can hold. Of a smaller one all are, which takes less time than to
// compile it several times. Tests lower it.
var inParts = 1 << 16

func (p *Program) inParts() bool {
	return p.src.Written().ExpandedSize()-float64(len(p.inputs)) >= float64(inParts)
}

// arrayProgram compiles t, or D(t), with its families. The error is [graph.ErrFamilies] if they are to be expanded.
func (p *Program) arrayProgram(meter *limits.Meter, reversed bool) (*graph.Program, error) {
	form := p.arrays(reversed)
	return form.get(p, meter, func() (*graph.Program, error) {
		families, code := p.src.Families, compile.Compile
		if p.inParts() {
			families, code = p.src.Large, compile.Families
		}
		t, err := families(meter.During("compile"))
		switch {
		case err != nil:
			return nil, p.locate(err, "compiling")
		case reversed:
			t, err = p.reversedOf(t, meter)
		default:
			err = p.locate(p.setSize(nil, meter), "compiling")
		}
		if err != nil {
			return nil, err
		}
		prog, err := code(t, compile.Options{Inputs: p.inputs, Reversed: reversed, Straight: p.src.Straight(),
			Plain: form.plain.Load(), Check: meter.During("compile"), Reserve: meter.Reserve})
		if err == nil && expandShort && prog.ShortArrays() {
			err = graph.ErrFamilies
		}
		if errors.Is(err, graph.ErrFamilies) {
			form.none.Store(true)
			return nil, err
		}
		return prog, p.locate(err, "compiling")
	})
}

// literalProgram makes t, or D(t), ready for the literal machine.
func (p *Program) literalProgram(meter *limits.Meter, gradient bool) (*literal.Program, error) {
	check := meter.During("compile")
	if !gradient {
		return p.literal.get(p, meter, func() (*literal.Program, error) {
			if err := p.setSize(nil, meter); err != nil {
				return nil, p.locate(err, "compiling")
			}
			if err := p.expand(meter, "compile"); err != nil {
				return nil, err
			}
			prog, err := literal.NewValue(p.src.Term(), p.inputs, check)
			return prog, p.locate(err, "compiling")
		})
	}
	return p.literalGradient.get(p, meter, func() (*literal.Program, error) {
		d, err := p.reversed(meter)
		if err != nil {
			return nil, err
		}
		prog, err := literal.NewGradient(d, p.inputs, p.outputs(), check)
		return prog, p.locate(err, "compiling")
	})
}

// outputs is k for a body of type R^k, and 0 for one of type R.
func (p *Program) outputs() int {
	if s := p.src.Shape; s.Kind == load.Vector {
		return s.Size
	}
	return 0
}

// Differentiable returns an [*Error] unless there is a gradient or a Jacobian.
func (p *Program) Differentiable() error {
	if err := revgrad.Undefined(p.src.Written()); err != nil {
		return p.locate(err, "differentiating")
	}
	return p.gradientType()
}

// reversed returns D(t) for t of type R or R^k.
func (p *Program) reversed(meter *limits.Meter) (*term.Term, error) {
	if err := p.expand(meter, "compile"); err != nil {
		return nil, err
	}
	return p.reversedOf(p.src.Term(), meter)
}

// reversedOf is reversed for a form of the term.
func (p *Program) reversedOf(t *term.Term, meter *limits.Meter) (*term.Term, error) {
	if err := p.Differentiable(); err != nil {
		return nil, err
	}
	d, err := revgrad.Reverse(t, meter.During("compile"))
	if err != nil {
		return nil, p.locate(err, "differentiating")
	}
	return d, p.locate(p.setSize(d, meter), "differentiating")
}

// setSize notes the size of the program's term, and that of D(t), if d is not nil. The error is that of a look.
func (p *Program) setSize(d *term.Term, meter *limits.Meter) (err error) {
	var s sizes
	if s.term, err = p.src.Written().Symbols(meter.Check); err == nil && d != nil {
		s.reverse, err = d.Symbols(meter.Check)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size = sizes{s.term, max(p.size.reverse, s.reverse)}
	return err
}

// gradientType reports an error unless the body has type R or R^k.
func (p *Program) gradientType() error {
	s := p.src.Shape
	if s != nil && (s.Kind == load.Real || s.Kind == load.Vector && s.A.Kind == load.Real) {
		return nil
	}
	return errorAt(p.src, p.src.BodyPos(), "no gradient",
		"the body has type "+p.src.TypeText+"; a gradient needs R, and a Jacobian R^k")
}
