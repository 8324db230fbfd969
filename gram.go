// Package gram runs higher-order functional programs and their gradients, and
// tells exactly what that cost. It implements the calculus of "Backpropagation in
// the simply typed lambda-calculus with linear negation" (POPL 2020).
//
// A program goes through these stages, each a package of its own:
//
//	source  ─lang→  term  ─revgrad→  term  ─lower→  code  ─exec→  numbers
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
	"time"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// Program is a program that has been read, typed and elaborated.
type Program struct {
	src     *lang.Program
	inputs  []term.Var // the scalar inputs
	opt     Options
	loading time.Duration
	code    [8]compiled[exec.Program] // by [EvalOptions.codeForm]
	isCode  struct {                  // see hasCode
		once sync.Once
		is   bool
	}
	// literal and literalGradient are the same for the literal machine.
	literal         compiled[compile.Program]
	literalGradient compiled[compile.Program]
	// modularly is D(t) with its λs normalised at the program's point, modularised how that
	// came.
	modularly   compiled[compile.Program]
	modularised *modular.Program
	symbolic    compiled[compile.Program] // t with its inputs left open

	along compiled[Program] // the derivative along a vector, see [Evaluator.HessianVector]

	// terms is held while terms are made and typed: they share a universe of types.
	terms *sync.Mutex

	mu   sync.Mutex
	size sizes

	eager bool // of tests: loops are compiled to machine code at once
}

// compiled is a program for a machine, made when it is first needed.
type compiled[P any] struct {
	mu   sync.Mutex
	prog *P
	time time.Duration
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
	out.loading = time.Since(start)
	return out, nil
}

func notFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// Format returns the canonical text of a program, with its comments; name stands
// in errors. The error is an [*Error] or a [*LimitError].
func Format(ctx context.Context, name string, src []byte) ([]byte, error) {
	meter := limits.New(ctx, 0)
	opt := syntax.Options{Guard: syntax.Guard{Check: meter.Check, Reserve: meter.Reserve}}
	f, diags, err := syntax.Parse(name, src, opt)
	if err != nil {
		return nil, wrapLimit(err, "formatting")
	}
	if len(diags) > 0 {
		return nil, wrap(syntax.NewErrors(f, diags))
	}
	text, err := syntax.Format(f, opt)
	if err != nil {
		return nil, wrapLimit(err, "formatting")
	}
	return text, nil
}

func (p *Program) meter(ctx context.Context) *limits.Meter { return p.opt.meter(ctx) }

func (p *Program) locate(err error, phase string) error { return locate(p.src, err, phase) }

func (o *Options) meter(ctx context.Context) *limits.Meter {
	m := limits.New(ctx, o.MaxMemory)
	m.Progress, m.Phase = o.Progress, o.Phase
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

// compiledInput bounds the bytes that a scalar input takes while a program is compiled.
const compiledInput = 64

// get compiles on first use, and also returns how long that took. A failure, which is located, is not kept: it may be a
// limit's.
func (c *compiled[P]) get(p *Program, meter *limits.Meter, make func() (*P, error)) (*P, time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.prog == nil {
		p.terms.Lock()
		defer p.terms.Unlock()
		if err := meter.Reserve(compiledInput * int64(len(p.inputs))); err != nil {
			return nil, 0, p.locate(err, "compiling")
		}
		start := time.Now()
		meter.Begin("compile")
		prog, err := make()
		if err != nil {
			return nil, 0, p.locate(err, "compiling")
		}
		c.prog, c.time = prog, time.Since(start)
	}
	return c.prog, c.time, nil
}

// literalProgram makes t, or D(t), ready for the literal machine.
func (p *Program) literalProgram(meter *limits.Meter, gradient bool) (*compile.Program, time.Duration, error) {
	check := meter.During("compile")
	if !gradient {
		return p.literal.get(p, meter, func() (*compile.Program, error) {
			if err := p.setSize(nil, meter); err != nil {
				return nil, err
			}
			if err := p.expand(meter, "compile"); err != nil {
				return nil, err
			}
			return compile.NewValue(p.src.Term(), p.inputs, check)
		})
	}
	return p.literalGradient.get(p, meter, func() (*compile.Program, error) {
		d, err := p.reversed(meter)
		if err != nil {
			return nil, err
		}
		return compile.NewGradient(d, p.inputs, p.outputs(), check)
	})
}

// outputs is k for a body of type R^k, and 0 for one of type R.
func (p *Program) outputs() int {
	if s := p.src.Shape; s != nil && s.Kind == load.Vector {
		return s.Size
	}
	return 0
}

// Differentiable returns an [*Error] unless there is a gradient or a Jacobian.
func (p *Program) Differentiable() error {
	if err := revgrad.Undefined(p.src.Written(), nil); err != nil {
		return p.locate(err, "differentiating")
	}
	return p.gradientType()
}

// reversed returns D(t) for t of type R or R^k.
func (p *Program) reversed(meter *limits.Meter) (*term.Term, error) {
	if err := p.expand(meter, "compile"); err != nil {
		return nil, err
	}
	t := p.src.Term()
	if err := p.differentiated(t, meter); err != nil {
		return nil, err
	}
	d, err := revgrad.Reverse(t, meter.During("compile"))
	return d, p.locate(err, "differentiating")
}

// differentiated notes the sizes of the program's term t and of D(t), for t of type R or R^k.
func (p *Program) differentiated(t *term.Term, meter *limits.Meter) error {
	if err := p.Differentiable(); err != nil {
		return err
	}
	return p.locate(p.setSize(t, meter), "differentiating")
}

// setSize notes the size of the program's term, and that of D(t), if t is not nil. The error is that of a look.
func (p *Program) setSize(t *term.Term, meter *limits.Meter) (err error) {
	var s sizes
	if s.term, err = p.src.Written().Symbols(meter.Check); err == nil && t != nil {
		s.reverse, err = revgrad.Size(t, meter.Check)
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
