package gram

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/unparse"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// Stage is a term that a program becomes.
type Stage uint8

// The stages. As text each is a program with the declarations of the inputs.
const (
	// TermStage is the program t itself, elaborated.
	TermStage Stage = iota
	// ReverseStage is D(t), Table 3. In the program, R⊥ is R⊥d for d scalar inputs (1 if
	// there are none), and the i-th scalar input x is ⟨x, λa.ei·a⟩ for the i-th unit
	// vector ei. Its body has type D(A) for a body of type A.
	ReverseStage
	// GroundStage is the computational graph G, as a chain of lets.
	GroundStage
	// ForwardStage is Fwd(G), section 2.3. In the program, each input x has a tangent dx,
	// an input too: 1 for the first scalar, 0 for the others. If a slope in G is infinite
	// or NaN at the point, only the first scalar has a tangent, a number dx, and the others
	// are constants: 0 times such a slope would be NaN. So the program's value has the
	// partial derivatives by the first scalar.
	ForwardStage
	// BPStage is bp(G), Definition 5.1, for a body of type R. In the program the adjoint a
	// is an input, 1; the body is the value and the gradient times a.
	BPStage
	// NormalStage is the symbolic normal form of D(t): for a body of type R the right-hand
	// side of Theorem 1. The program is as that of ReverseStage.
	NormalStage
)

// Notation is how a stage is written.
type Notation uint8

// The notations.
const (
	// Text is a program of the language.
	Text Notation = iota
	// LaTeX is the term in the notation of the paper: see [unparse.LaTeX]. Inputs are
	// its free variables.
	LaTeX
)

// WriteStage prints a stage of the program. The ground stage and those that are made
// of it reduce the program with its inputs left symbolic; where it branches on them
// they take the branches of the point. The error is an [*Error] for a stage that the
// program doesn't have, or a [*LimitError].
func (p *Program) WriteStage(ctx context.Context, w io.Writer, s Stage, n Notation, opt EvalOptions) error {
	meter := limits.New(ctx, p.opt.MaxMemory)
	st := &stage{p: p, check: p.opt.check("print", meter), reserve: meter.Reserve}
	if err := st.make(s, meter, opt); err != nil {
		return err
	}
	write := st.text
	if n == LaTeX {
		write = func(w io.Writer) error { return unparse.LaTeX(w, st.t, st.check) }
	}
	text := meter.NewBuffer()
	p.terms.Lock()
	err := write(text)
	p.terms.Unlock()
	if err != nil {
		return p.locate(err, "printing")
	}
	_, err = text.WriteTo(w)
	return err
}

// stage is a term with what its free variables are.
type stage struct {
	p     *Program
	check func() error
	// reserve is that of the meter, nil where nothing is printed.
	reserve func(bytes int64) error
	t       *term.Term
	kind    Stage
	inputs  []term.Var // the scalar inputs
	a       term.Var   // of BPStage: the adjoint
	by      []term.Var // of ForwardStage: the inputs that have tangents
	// singular: a slope of the graph is not finite at the point.
	singular bool
	// name, if not nil, names the operations of the graph by their place; otherwise they
	// are z0, z1, ….
	name       func(term.Pos) string
	operations int // of the graph
	vars       int // of its term
}

// make makes the term.
func (st *stage) make(s Stage, meter *limits.Meter, opt EvalOptions) error {
	p := st.p
	st.kind, st.t, st.inputs = s, p.src.Term, p.ScalarInputs()
	var err error
	switch s {
	case TermStage:
		return nil
	case ReverseStage:
		p.terms.Lock()
		defer p.terms.Unlock()
		st.t, err = revgrad.Reverse(p.src.Term, st.check)
		return p.locate(err, "differentiating")
	case NormalStage:
		st.t, err = p.normal(meter, opt)
		return err
	}
	if s == BPStage && (p.src.Shape == nil || p.src.Shape.Kind != load.Real) {
		return p.errorAt(p.src.BodyPos(), "no bp", "the body has type "+p.src.TypeText+"; bp is defined for R")
	}
	m, _, err := p.open(meter, p.Point(), opt)
	if err != nil {
		return err
	}
	defer m.Close()
	p.terms.Lock()
	defer p.terms.Unlock()
	if err := st.ground(m); err != nil {
		return p.locate(err, "printing")
	}
	switch s {
	case ForwardStage:
		st.by = st.inputs
		if st.singular && len(st.by) > 0 {
			st.by = st.by[:1]
		}
		st.t, err = revgrad.Forward(st.t, st.by, st.check)
	case BPStage:
		st.t, st.a, err = revgrad.BP(st.t, st.inputs, st.check)
		if errors.Is(err, revgrad.ErrNoInputs) {
			return p.errorAt(p.src.BodyPos(), "no bp", "the program has no inputs; bp is defined for one at least")
		}
	}
	return p.locate(err, "differentiating")
}

// ground makes the term of the graph that the machine has left: a let for each
// operation around the outputs, in the shape of the value.
func (st *stage) ground(m *engine.Machine) error {
	src := st.p.src.Term
	t := term.New(src.Types)
	inputs := make([]term.Var, len(st.inputs))
	for i, x := range st.inputs {
		inputs[i] = t.NewVar(term.VarInfo{Name: src.Vars[x].Name, Type: term.R})
	}
	var zs []term.Var
	var us []term.Ref
	operand := func(o engine.Operand, pos term.Pos) term.Ref {
		switch {
		case o.Op >= 0:
			return t.Variable(pos, zs[o.Op])
		case o.Input >= 0:
			return t.Variable(pos, inputs[o.Input])
		}
		return t.Num(pos, o.Value)
	}
	var err error
	m.Ground(func(op engine.Operation) bool {
		if len(zs)%(1<<14) == 0 {
			if err = st.check(); err != nil {
				return false
			}
		}
		st.singular = st.singular || singular(&op)
		args := make([]term.Ref, len(op.Args))
		for i, a := range op.Args {
			args[i] = operand(a, op.Pos)
		}
		if op.Symbol == term.NoSymbol {
			us = append(us, t.Add(op.Pos, args[0], args[1]))
		} else {
			us = append(us, t.Fun(op.Pos, op.Symbol, args...))
		}
		name := "z" + strconv.Itoa(len(zs))
		if st.name != nil {
			name = st.name(op.Pos)
		}
		zs = append(zs, t.NewVar(term.VarInfo{Name: name, Type: term.R, Pos: op.Pos}))
		return true
	})
	if err != nil {
		return err
	}
	outputs := m.GroundOutputs()
	t.Root = value(t, st.p.src.Shape, func() term.Ref {
		o := outputs[0]
		outputs = outputs[1:]
		return operand(o, 0)
	})
	for i := len(zs) - 1; i >= 0; i-- {
		t.Root = t.Let(t.Nodes[us[i]].Pos, zs[i], us[i], t.Root)
	}
	st.t, st.inputs, st.operations, st.vars = t, inputs, len(zs), len(t.Vars)
	return nil
}

// singular reports whether a slope of an operation is infinite or NaN at the point.
func singular(op *engine.Operation) bool {
	at := func(f *term.SymbolInfo) float64 {
		if f.Arity == 1 {
			return f.Eval1(op.Args[0].Value)
		}
		return f.Eval2(op.Args[0].Value, op.Args[1].Value)
	}
	for i, p := range op.Symbol.Info().Partials {
		if op.Args[i].Op < 0 && op.Args[i].Input < 0 {
			continue // a numeral has no tangent
		}
		slope := p.Const
		switch p.Kind {
		case term.PartialVar:
			slope = op.Args[p.Var].Value
		case term.PartialFun:
			slope = at(p.Fun.Info())
		}
		if math.IsNaN(slope) || math.IsInf(slope, 0) {
			return true
		}
	}
	return false
}

// value is the tuple of a shape, whose numbers next makes from left to right.
func value(t *term.Term, s *Shape, next func() term.Ref) term.Ref {
	switch s.Kind {
	case load.Product:
		a := value(t, s.A, next)
		return t.Pair(0, a, value(t, s.B, next))
	case load.Vector:
		comps := make([]term.Ref, s.Size)
		for i := range comps {
			comps[i] = value(t, s.A, next)
		}
		return t.Vec(0, comps)
	}
	return next()
}

// text prints the stage as a program.
func (st *stage) text(w io.Writer) error {
	src := st.p.src
	reversed := st.kind == ReverseStage || st.kind == NormalStage
	opt := unparse.Options{Check: st.check, Reserve: st.reserve, Reversed: reversed}
	if reversed {
		opt.Dim = max(1, len(st.inputs))
	}
	out := unparse.New(st.t, opt)
	for _, in := range src.Inputs {
		out.Reserve(in.Name)
	}
	used := usedData(st.t, len(src.Data))
	for i, d := range src.Data {
		if used[i] {
			out.Reserve(d.Name)
		}
	}
	free := make([]bool, len(st.t.Vars))
	for _, x := range st.t.FreeVars() {
		free[x] = true
	}
	k := 0
	for i := range src.Inputs {
		in := &src.Inputs[i]
		if !reversed && st.kind != ForwardStage {
			n := len(in.Values)
			out.InputOf(in.Name, in.Shape, in.Values, st.inputs[k:k+n])
			k += n
			continue
		}
		numbers := out.Input(in.Name, in.Shape, in.Values)
		var tangents []string
		if st.kind == ForwardStage {
			tangents = st.tangents(out, in, k)
		}
		for j, x := range numbers {
			switch v := st.inputs[k+j]; {
			case !free[v]:
			case st.kind == ForwardStage:
				out.Let(v, in.Name, "("+x+", "+tangents[j]+")")
			default:
				out.Let(v, in.Name, "("+x+", "+out.BasisDual(k+j)+")")
			}
		}
		k += len(numbers)
	}
	if st.kind == BPStage {
		name := out.Fresh(st.t.Vars[st.a].Name)
		st.t.Vars[st.a].Name = name
		out.Bind(st.a, out.Input(name, load.RealShape(), []float64{1})[0])
	}
	for i, d := range src.Data {
		if used[i] {
			out.Data(i, d.Name, d.Value)
		}
	}
	return out.Write(w)
}

// tangents declares the tangents of an input whose first number is the k-th, and returns
// them as expressions.
func (st *stage) tangents(out *unparse.Program, in *lang.Input, k int) []string {
	values := make([]float64, len(in.Values))
	if k == 0 {
		values[0] = 1
	}
	if len(st.by) == len(st.inputs) {
		return out.Input(out.Fresh("d"+in.Name), in.Shape, values)
	}
	constants := slices.Repeat([]string{"0"}, len(values))
	if k == 0 {
		constants[0] = out.Input(out.Fresh("d"+in.Name), load.RealShape(), values[:1])[0]
	}
	return constants
}

// usedData tells which of n data the term mentions.
func usedData(t *term.Term, n int) []bool {
	used := make([]bool, n)
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.Op == term.DataOp {
			used[n.A] = true
		}
	}
	return used
}
