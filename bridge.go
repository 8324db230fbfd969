package gram

import (
	"context"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/term"
)

func init() {
	bridge.Of = func(program any) bridge.Inside { return inside{program.(*Program)} }
	bridge.Hook = func(options any, h bridge.Hooks) any {
		opt := options.(EvalOptions)
		opt.hooks = h
		return opt
	}
	bridge.Heap = func(evaluator any) *graph.Heap { return evaluator.(*Evaluator).heap() }
}

// inside is a program for package bridge, which documents the methods.
type inside struct{ p *Program }

func (in inside) Source() *lang.Program                   { return in.p.src }
func (in inside) Expand(ctx context.Context) error        { return in.p.expand(in.p.meter(ctx), "load") }
func (in inside) Term() *term.Term                        { return in.p.src.Term() }
func (in inside) ScalarInputs() []term.Var                { return slices.Clone(in.p.inputs) }
func (in inside) Copy() (*term.Term, []term.Var)          { return in.p.copyTerm() }
func (in inside) Meter(ctx context.Context) *limits.Meter { return in.p.meter(ctx) }
func (in inside) Locate(err error, phase string) error    { return in.p.locate(err, phase) }
func (in inside) Random() bool                            { return in.p.src.Random }
func (in inside) Branches() bool                          { return in.p.branches() }
func (in inside) Graph(ctx context.Context, options any) (*machine.Machine, error) {
	return in.p.open(in.p.meter(ctx), in.p.Point(), options.(EvalOptions), nil)
}
func (in inside) Normal(ctx context.Context, options any) (*term.Term, error) {
	return in.p.normal(ctx, options.(EvalOptions))
}
