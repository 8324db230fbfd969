// Package stage makes the terms that a program becomes when it is reduced with its inputs left
// open, and prints them, and the program itself, as programs of the language.
package stage

import (
	"io"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/lang/unparse"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// Kind says what a program has become.
type Kind uint8

// The kinds. As text each is a program with the declarations of the inputs.
const (
	// Source is the program t itself, elaborated.
	Source Kind = iota
	// Reverse is D(t), Table 3. In the program, R⊥ is R⊥d for d scalar inputs (1 if there are none), and the i-th
	// scalar input x is ⟨x, λa.ei·a⟩ for the i-th unit vector ei. Its body has type D(A) for a body of type A.
	Reverse
	// Ground is the computational graph G, as a chain of lets.
	Ground
	// Forward is Fwd(G), section 2.3. In the program, each input x has a tangent dx, an input too: 1 for the first
	// scalar, 0 for the others. If a slope in G is infinite or NaN at the point, only the first scalar has a tangent,
	// a number dx, and the others are constants: 0 times such a slope would be NaN. So the program's value has the
	// partial derivatives by the first scalar.
	Forward
	// BP is bp(G), Definition 5.1, for a body of type R. In the program the adjoint a is an
	// input, 1; the body is the value and the gradient times a.
	BP
	// Normal is the symbolic normal form of D(t): for a body of type R the right-hand side of
	// Theorem 1. The program is as that of Reverse.
	Normal
)

// Stage is a term with what its free variables are.
type Stage struct {
	Kind   Kind
	Source *lang.Program
	Term   *term.Term
	Inputs []term.Var // the scalar inputs
	// Of Ground and what is made of it:
	Operations int  // of the graph
	Vars       int  // variables of the graph's term
	Singular   bool // a slope of the graph is not finite at the point

	Tangents []term.Var // of Forward: the inputs that have tangents
	Adjoint  term.Var   // of BP
}

// Error is a program that has no such stage, or whose run has no such result.
type Error struct {
	Pos             term.Pos
	Headline, Label string
}

func (e *Error) Error() string { return e.Headline + ": " + e.Label }

// CheckGround returns an [*Error] unless the program, whose term is t, has a computational graph.
func CheckGround(src *lang.Program, t *term.Term) error {
	if !ground(src.Shape) {
		return &Error{src.BodyPos(), "no computational graph",
			"the body has type " + src.TypeText + "; a graph has outputs of type R"}
	}
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.Op == term.LamOp && t.Info(n.X).Linear {
			return &Error{n.Pos, "no computational graph", "this is no program of reals: it has lin, the linear abstraction"}
		}
	}
	return nil
}

// ground reports whether the shape is built of R, products and vectors.
func ground(s *load.Shape) bool {
	switch {
	case s == nil || s.Kind == load.List:
		return false
	case s.Kind == load.Product:
		return ground(s.A) && ground(s.B)
	}
	return s.Kind == load.Real || ground(s.A)
}

// NewGround makes the term of the graph that [machine.Machine.Graph] has left: a let for each operation around the
// outputs, in the shape of the value. Operations stand in the order of their places, each behind its operands: what is
// printed has the same order when it is read again. name names the operations by their place in the source; if it is
// nil, they are z0, z1, ….
func NewGround(src *lang.Program, m *machine.Machine, name func(term.Pos) string, check func() error) (*Stage, error) {
	st := &Stage{Kind: Ground, Source: src}
	t := term.New(term.NewTypes())
	for _, name := range src.ScalarNames() {
		st.Inputs = append(st.Inputs, t.NewVar(term.VarInfo{Name: name, Type: term.R}))
	}
	var ops []machine.Operation
	var err error
	outputs := m.Operations(func(op machine.Operation) bool {
		err = term.LookAt(len(ops), check)
		ops = append(ops, op)
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	zs := make([]term.Var, len(ops))
	operand := func(o machine.Operand, pos term.Pos) term.Ref {
		switch {
		case o.Op >= 0:
			return t.Variable(pos, zs[o.Op])
		case o.Input >= 0:
			return t.Variable(pos, st.Inputs[o.Input])
		}
		return t.Num(pos, o.Value)
	}
	type let struct {
		z term.Var
		u term.Ref
	}
	var lets []let
	for _, i := range byPlace(ops) {
		if err := term.LookAt(len(lets), check); err != nil {
			return nil, err
		}
		op := &ops[i]
		st.Singular = st.Singular || singular(op)
		args := make([]term.Ref, len(op.Args))
		for k, a := range op.Args {
			args[k] = operand(a, op.Pos)
		}
		called := "z" + strconv.Itoa(len(lets))
		if name != nil {
			called = name(op.Pos)
		}
		zs[i] = t.NewVar(term.VarInfo{Name: called, Type: term.R, Pos: op.Pos})
		lets = append(lets, let{zs[i], t.Operation(op.Pos, op.Symbol, args...)})
	}
	t.Root = value(t, src.Shape, func() term.Ref {
		o := outputs[0]
		outputs = outputs[1:]
		return operand(o, 0)
	})
	for i, l := range slices.Backward(lets) {
		if err := term.LookAt(i, check); err != nil {
			return nil, err
		}
		t.Root = t.Let(t.Nodes[l.u].Pos, l.z, l.u, t.Root)
	}
	st.Term, st.Operations, st.Vars = t, len(lets), t.NumVars()
	return st, nil
}

// byPlace returns the numbers of the operations in the order of their places, each behind its operands.
func byPlace(ops []machine.Operation) []int {
	roots := make([]int, len(ops))
	for i := range roots {
		roots[i] = i
	}
	sort.SliceStable(roots, func(i, j int) bool { return ops[roots[i]].Pos < ops[roots[j]].Pos })
	out := make([]int, 0, len(ops))
	done := make([]bool, len(ops))
	for _, r := range roots {
		for stack := []int{r}; len(stack) > 0; {
			i := stack[len(stack)-1]
			waits := len(stack)
			if !done[i] {
				for _, a := range slices.Backward(ops[i].Args) {
					if a.Op >= 0 && !done[a.Op] {
						stack = append(stack, a.Op)
					}
				}
			}
			if len(stack) == waits {
				stack = stack[:waits-1]
				if !done[i] {
					done[i] = true
					out = append(out, i)
				}
			}
		}
	}
	return out
}

// singular reports whether a slope of an operation is infinite or NaN at the point.
func singular(op *machine.Operation) bool {
	at := make([]float64, op.Symbol.Info().Arity)
	for i := range at {
		at[i] = op.Args[i].Value
	}
	for i, p := range op.Symbol.Info().Partials {
		if op.Args[i].Op < 0 && op.Args[i].Input < 0 {
			continue // a numeral has no tangent
		}
		if slope := p.At(at...); math.IsNaN(slope) || math.IsInf(slope, 0) {
			return true
		}
	}
	return false
}

// value is the tuple of a shape, whose numbers next makes from left to right.
func value(t *term.Term, s *load.Shape, next func() term.Ref) term.Ref {
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

// Forward returns Fwd(G) for the graph G.
func (st *Stage) Forward(check func() error) (*Stage, error) {
	out := *st
	out.Kind, out.Tangents = Forward, st.Inputs
	if st.Singular && len(st.Inputs) > 0 {
		out.Tangents = st.Inputs[:1]
	}
	var err error
	out.Term, err = revgrad.Forward(st.Term, out.Tangents, check)
	return &out, err
}

// CheckBP returns an [*Error] unless bp is defined for the program, which has one output and an input then.
func CheckBP(src *lang.Program) error {
	switch {
	case src.Shape == nil || src.Shape.Kind != load.Real:
		return &Error{src.BodyPos(), "no bp", "the body has type " + src.TypeText + "; bp is defined for R"}
	case len(src.Scalars) == 0:
		return &Error{src.BodyPos(), "no bp", "the program has no inputs; bp is defined for one at least"}
	}
	return nil
}

// BP returns bp(G) for the graph G of a program that has it: see [CheckBP].
func (st *Stage) BP(check func() error) (*Stage, error) {
	out := *st
	out.Kind = BP
	var err error
	out.Term, out.Adjoint, err = revgrad.BP(st.Term, st.Inputs, check)
	return &out, err
}

// Write prints the stage as a program. check and reserve are as [unparse.Options] has them.
func (st *Stage) Write(w io.Writer, check func() error, reserve func(bytes int64) error) (err error) {
	defer syntax.Catch(&err)
	src := st.Source
	reversed := st.Kind == Reverse || st.Kind == Normal
	opt := unparse.Options{Guard: syntax.Guard{Check: check, Reserve: reserve}, Reversed: reversed}
	if reversed {
		opt.Dim = max(1, len(st.Inputs))
	}
	out := unparse.New(st.Term, opt)
	for _, in := range src.Inputs {
		out.Reserve(in.Name)
	}
	used := usedData(st.Term, len(src.Data))
	for i, d := range src.Data {
		if used[i] {
			out.Reserve(d.Name)
		}
	}
	free := make([]bool, st.Term.NumVars())
	xs, err := st.Term.Free(check)
	if err != nil {
		return err
	}
	for _, x := range xs {
		free[x] = true
	}
	k := 0
	for i := range src.Inputs {
		in := &src.Inputs[i]
		if !reversed && st.Kind != Forward {
			n := len(in.Values)
			out.InputOf(in.Name, in.Shape, in.Values, st.Inputs[k:k+n])
			k += n
			continue
		}
		numbers := out.Input(in.Name, in.Shape, in.Values)
		var tangents []string
		if st.Kind == Forward {
			tangents = st.tangents(out, in, k)
		}
		for j, x := range numbers {
			switch v := st.Inputs[k+j]; {
			case !free[v]:
			case st.Kind == Forward:
				out.Let(v, in.Name, "("+x+", "+tangents[j]+")")
			default:
				out.Let(v, in.Name, "("+x+", "+out.BasisDual(k+j)+")")
			}
		}
		k += len(numbers)
	}
	if st.Kind == BP {
		name := out.Fresh(st.Term.Info(st.Adjoint).Name)
		st.Term.ToChange(st.Adjoint).Name = name
		out.Bind(st.Adjoint, out.Input(name, load.RealShape(), []float64{1})[0])
	}
	for i, d := range src.Data {
		if used[i] {
			d.Value.Shape = d.Value.Shape.Flat()
			out.Data(i, d.Name, d.Value)
		}
	}
	return out.Write(w)
}

// tangents declares the tangents of an input whose first number is the k-th, and returns them as expressions.
func (st *Stage) tangents(out *unparse.Program, in *lang.Input, k int) []string {
	values := make([]float64, len(in.Values))
	if k == 0 {
		values[0] = 1
	}
	if len(st.Tangents) == len(st.Inputs) {
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
