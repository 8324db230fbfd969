package gram

import (
	"errors"
	"slices"
	"time"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/engine/lower"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// prepare makes the program of a value, or of a gradient by the strategy, for the point, which Direct does not need.
// The literal machine runs what the compiler has no code for, and what is asked of it: runs in random order, and with
// [EvalOptions.Literal].
func (e *Evaluator) prepare(point []float64) (err error) {
	switch {
	case e.grad && e.opt.Mode != Reverse:
		return e.passOver(point)
	case e.grad && e.opt.Strategy == Unfold:
		return e.unfold(point)
	case e.grad && e.opt.Strategy == Modular:
		return e.normalise(point)
	case !e.opt.Literal && e.opt.Schedule != Random && e.p.hasCode():
		var none *lower.UnsupportedError
		if e.compiled, e.making, err = e.p.codeProgram(e.meter, &e.opt, e.grad); !errors.As(err, &none) {
			return err
		}
		e.compiled = nil
	}
	if err := e.p.notStreamed(); err != nil {
		return err
	}
	e.forLiteral, e.making, err = e.p.literalProgram(e.meter, e.grad)
	return err
}

// maxDepth bounds how deep a term nests that is compiled: the compiler recurs on it.
const maxDepth = 1 << 11

// hasCode reports whether the compiler has code for the program: it has no dual λs that are written, and does not nest
// too deep.
func (p *Program) hasCode() bool {
	p.isCode.once.Do(func() { p.isCode.is = hasCode(p.src.Written()) })
	return p.isCode.is
}

func hasCode(t *term.Term) bool {
	depth := make([]int32, len(t.Nodes))
	for r := len(t.Nodes) - 1; r > 0; r-- {
		n := &t.Nodes[r]
		if depth[r] > maxDepth || n.Op == term.LamOp && t.Linear(n.X) {
			return false
		}
		t.Kids(n, func(k term.Ref) { depth[k] = depth[r] + 1 })
		switch n.Op {
		case term.LetOp, term.UnvecOp, term.UntupleOp: // gone through in a loop
			depth[n.A] = depth[r]
		}
	}
	return true
}

// codeForm is a number for each of the forms in which the compiler makes code: of values and gradients, with a profile,
// and plain.
func (o *EvalOptions) codeForm(gradient bool) (form int) {
	for i, is := range []bool{gradient, o.placed(), o.NoFuse} {
		if is {
			form |= 1 << i
		}
	}
	return form
}

// placed reports whether code of the compiler knows the place of each step.
func (o *EvalOptions) placed() bool { return o.hooks.Samples != nil || o.Finite }

// lowered are the options with which the compiler makes code of a value, or of a gradient.
func (o *EvalOptions) lowered(inputs []term.Var, gradient bool, check func() error) lower.Options {
	return lower.Options{Inputs: inputs, Gradient: gradient, Placed: o.placed(), Plain: o.NoFuse, Check: check}
}

// codeProgram compiles t, or D(t). Where there is no code, the error is a [*lower.UnsupportedError].
func (p *Program) codeProgram(meter *limits.Meter, opt *EvalOptions, gradient bool) (*exec.Program, time.Duration,
	error) {
	return p.code[opt.codeForm(gradient)].get(p, meter, func() (*exec.Program, error) {
		t := p.src.Written()
		var err error
		if gradient {
			err = p.differentiated(t, meter)
		} else {
			err = p.setSize(nil, meter)
		}
		if err != nil {
			return nil, err
		}
		code, err := lower.Program(t, opt.lowered(p.inputs, gradient, meter.During("compile")))
		if err != nil {
			return nil, err
		}
		return exec.New(code), nil
	})
}

// unfold reduces the program to its graph at the point, and compiles D of that.
func (e *Evaluator) unfold(point []float64) error {
	p := e.p
	if err := p.gradientType(); err != nil {
		return err
	}
	start := time.Now()
	m, err := p.open(e.meter, point, e.opt, e.opt.hooks.Samples)
	if err != nil {
		return err
	}
	defer m.Close()
	e.meter.Begin("compile")
	check := e.meter.During("compile")
	g, err := stage.NewGround(p.src, m, nil, check)
	if err != nil {
		return p.locate(err, "making the graph")
	}
	d, err := revgrad.Reverse(g.Term, check)
	if err != nil {
		return p.locate(err, "differentiating")
	}
	if err := p.setSize(g.Term, e.meter); err != nil {
		return p.locate(err, "compiling")
	}
	if e.opt.Schedule == Random {
		if e.forLiteral, err = compile.NewGradient(d, g.Inputs, p.outputs(), check); err != nil {
			return p.locate(err, "compiling")
		}
	} else {
		code, err := lower.Program(g.Term, e.opt.lowered(g.Inputs, true, check))
		if err != nil {
			return p.locate(err, "compiling")
		}
		e.compiled = exec.New(code)
	}
	stats := m.Stats()
	e.before, e.madeAt, e.making = literalStats(&stats), slices.Clone(point), time.Since(start)
	return nil
}

// normalise takes the program whose λs are normalised, at the point: that of the program's
// point is kept.
func (e *Evaluator) normalise(point []float64) error {
	p := e.p
	make := func() (*modular.Program, error) {
		if err := p.Differentiable(); err != nil {
			return nil, err
		}
		if err := p.expand(e.meter, "compile"); err != nil {
			return nil, err
		}
		m, err := p.modular(e.meter, &e.opt).Compile(p.src, p.inputs, p.outputs(), point)
		if err != nil {
			return nil, err
		}
		p.mu.Lock()
		p.size.reverse = max(p.size.reverse, m.Size)
		p.mu.Unlock()
		return m, p.locate(p.setSize(nil, e.meter), "compiling")
	}
	var m *modular.Program
	if slices.Equal(point, p.src.Point) && e.opt.hooks.Samples == nil {
		_, took, err := p.modularly.get(p, e.meter, func() (_ *compile.Program, err error) {
			if p.modularised, err = make(); err != nil {
				return nil, err
			}
			return p.modularised.Code, nil
		})
		if err != nil {
			return err
		}
		m, e.making = p.modularised, took
	} else {
		start := time.Now()
		p.terms.Lock()
		defer p.terms.Unlock()
		var err error
		if m, err = make(); err != nil {
			return err
		}
		e.making = time.Since(start)
	}
	e.forLiteral, e.before, e.modularised, e.madeAt = m.Code, exec.Stats{Counts: m.Counts}, m, slices.Clone(point)
	return nil
}

// again makes the program anew if it is one of another point.
func (e *Evaluator) again(point []float64) error {
	if e.opt.Mode == Reverse && e.opt.Strategy == Direct || !e.p.branches() || slices.Equal(point, e.madeAt) {
		return nil
	}
	if err := e.prepare(point); err != nil {
		return err
	}
	if err := e.start(); err != nil {
		e.madeAt = nil // the machine is still that of the last point
		return err
	}
	return nil
}
