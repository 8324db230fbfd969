package show

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/gramtest"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/term"
)

// concrete is D(t) with R⊥ for R⊥n, n the number of the scalar inputs, built node by
// node: each 0⃗ has n zeros, each input is a pair with its unit vector, each number of
// the data a pair with a zero.
type concrete struct {
	src, dst *term.Term
	n        int
	image    []term.Ref
}

func concreteReverse(st *stage.Stage) *term.Term {
	c := &concrete{src: st.Term, dst: term.New(st.Term.Types), n: max(1, len(st.Inputs)), image: make([]term.Ref, len(st.Term.Nodes))}
	c.dst.CopyVars(st.Term, 0)
	c.dst.Data = st.Term.Data
	for r := 1; r < len(st.Term.Nodes); r++ {
		c.image[r] = c.node(&st.Term.Nodes[r])
	}
	root := c.image[st.Term.Root]
	free := map[term.Var]bool{}
	for _, x := range st.Term.FreeVars() {
		free[x] = true
	}
	for i, x := range st.Inputs {
		if free[x] {
			r := c.dst.NewVar(term.VarInfo{Name: st.Term.Info(x).Name, Type: term.R})
			root = c.dst.Let(0, x, c.dst.Pair(0, c.dst.Variable(0, r), c.dual(func(a term.Var) term.Ref { return c.basis(i, a) })), root)
		}
	}
	c.dst.Root = root
	return c.dst
}

func (c *concrete) dual(body func(a term.Var) term.Ref) term.Ref {
	a := c.dst.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true})
	return c.dst.Lam(0, a, body(a))
}

func (c *concrete) zero(term.Var) term.Ref {
	if c.n == 1 {
		return c.dst.Num(0, 0)
	}
	zeros := make([]term.Ref, c.n)
	for i := range zeros {
		zeros[i] = c.dst.Num(0, 0)
	}
	return c.dst.Vec(0, zeros)
}

// basis is ei·a; for many inputs its components are chosen by comparisons.
func (c *concrete) basis(i int, a term.Var) term.Ref {
	d := c.dst
	if c.n == 1 {
		return d.Variable(0, a)
	}
	num := func(k int) term.Ref { return d.Num(0, float64(k)) }
	comps := make([]term.Ref, c.n)
	for k := range comps {
		switch {
		case c.n > 8:
			comps[k] = d.If(0, term.Less, num(k), num(i), num(0), d.If(0, term.Greater, num(k), num(i), num(0), d.Variable(0, a)))
		case k == i:
			comps[k] = d.Variable(0, a)
		default:
			comps[k] = num(0)
		}
	}
	return d.Vec(0, comps)
}

func (c *concrete) node(n *term.Node) term.Ref {
	m := *n
	d := c.dst
	switch n.Op {
	case term.ZeroOp:
		return c.zero(0)
	case term.DataOp:
		return c.data(n)
	case term.UnvecOp, term.UntupleOp:
		xs := c.src.BoundVars(n)
		if n.Op == term.UntupleOp {
			return d.Untuple(0, xs, c.image[n.B], c.image[n.A])
		}
		return d.Unvec(0, xs, c.image[n.B], c.image[n.A])
	case term.FunOp, term.VecOp, term.IfOp, term.ListOp:
		m.Off = uint32(len(d.Args))
		for _, k := range c.src.Children(n) {
			d.Args = append(d.Args, c.image[k])
		}
	default:
		m.A, m.B = c.image[n.A], c.image[n.B]
	}
	d.Nodes = append(d.Nodes, m)
	return term.Ref(len(d.Nodes) - 1)
}

// data is D of data: xs is λf.λx.xs (λr.f ⟨r, λa.0⃗⟩) x if it is a list.
func (c *concrete) data(n *term.Node) term.Ref {
	d := c.dst
	info := &c.src.Data[n.A]
	vector := c.src.Types.Kind(n.Elem) == term.VecKind
	elem := term.R
	if vector {
		elem = d.Types.Vec(info.Width, term.R)
	}
	ref := d.DataRef(0, int(n.A), elem, term.R)
	if !info.List {
		return c.lift(ref, vector, info.Width)
	}
	f := d.NewVar(term.VarInfo{Name: "f"})
	x := d.NewVar(term.VarInfo{Name: "x"})
	r := d.NewVar(term.VarInfo{Name: "r"})
	element := d.Lam(0, r, d.App(0, d.Variable(0, f), c.lift(d.Variable(0, r), vector, info.Width)))
	return d.Lam(0, f, d.Lam(0, x, d.App(0, d.App(0, ref, element), d.Variable(0, x))))
}

func (c *concrete) lift(r term.Ref, vector bool, width int) term.Ref {
	if !vector {
		return c.dst.Pair(0, r, c.dual(c.zero))
	}
	xs, comps := make([]term.Var, width), make([]term.Ref, width)
	for i := range xs {
		xs[i] = c.dst.NewVar(term.VarInfo{Name: "r"})
		comps[i] = c.dst.Pair(0, c.dst.Variable(0, xs[i]), c.dual(c.zero))
	}
	return c.dst.Unvec(0, xs, r, c.dst.Vec(0, comps))
}

// requireReverse holds the printed reverse stage of p against D(t), and the normal stage
// against D(t)'s normal form.
func requireReverse(t require.TestingT, p *gram.Program) {
	requireDual(t, p, stage.Reverse)
	requireDual(t, p, stage.Normal)
}

func requireDual(t require.TestingT, p *gram.Program, s stage.Kind) {
	ctx := context.Background()
	shown := Program{Program: p, Inside: bridge.Of(p), MaxSteps: 1_000_000}
	st, err := shown.stage(ctx, bridge.Of(p).Meter(ctx), s, nil)
	var limit *gram.LimitError
	if errors.As(err, &limit) {
		return // iterating functions on functions explodes
	}
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, st.Write(&text, nil, nil))
	back, err := gram.Load(context.Background(), "test.gram", text.Bytes(), gram.Options{})
	require.NoError(t, err, "%s", &text)
	require.True(t, reference.SameGraph(concreteReverse(st), bridge.Of(back).Term(), false), "%s", &text)
}

// TestReverseParsesBack: the reverse stage of the examples, and of programs with
// inputs and data of every shape.
func TestReverseParsesBack(t *testing.T) {
	for name, p := range stagePrograms(t) {
		t.Log(name)
		requireReverse(t, p)
	}
}

// TestReverseRuns: of random programs, what the reverse stage and the normal one print gives the value and a backpropagator, which gives
// the gradient.
func TestReverseRuns(t *testing.T) {
	ctx := t.Context()
	ran := 0
	all := randomPrograms(t)
	for name, p := range all {
		if p.Shape().Kind != load.Real {
			continue
		}
		want, err := p.Gradient(ctx, gram.EvalOptions{})
		require.NoError(t, err, name)
		for _, s := range []stage.Kind{stage.Reverse, stage.Normal} {
			shown := Program{Program: p, Inside: bridge.Of(p), MaxSteps: 1_000_000}
			st, err := shown.stage(ctx, bridge.Of(p).Meter(ctx), s, nil)
			if errors.As(err, new(*gram.LimitError)) {
				continue
			}
			require.NoError(t, err, name)
			var text bytes.Buffer
			require.NoError(t, st.Write(&text, nil, nil))
			// The declarations end where the first line that is neither one nor part of one begins.
			lines := strings.SplitAfter(text.String(), "\n")
			n := slices.IndexFunc(lines, func(l string) bool { return !declaration.MatchString(l) })
			res, err := gramtest.Load(t, strings.Join(lines[:n], "")+"let (v, b) = ("+strings.Join(lines[n:], "")+") in (v, b 1)").Value(ctx, gram.EvalOptions{})
			require.NoError(t, err, name)
			requireNear(t, append(slices.Clone(want.Values), want.Jacobian...), res.Values)
			ran++
		}
	}
	require.Greater(t, ran, len(all)/2)
}

// declaration is a line of a declaration, as it is printed.
var declaration = regexp.MustCompile(`^((input|data|type|and|symbol) |  )`)

// TestPropertyStagesParseBack: the stages of random programs.
func TestPropertyStagesParseBack(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		q := property.Draw(t, property.Options{Size: 40, Vector: rapid.Bool().Draw(t, "vector")})
		p := randomProgram(t, q)
		require.True(t, reference.SameGraph(q.Term, bridge.Of(p).Term(), false))
		requireReverse(t, p)
		for _, s := range []stage.Kind{stage.Source, stage.Ground, stage.BP} {
			if s == stage.BP && (p.Shape().Kind != load.Real || len(q.Inputs) == 0) {
				continue
			}
			st, text := makeStage(t, p, s)
			if s != stage.Source && bytes.Contains([]byte(text), []byte(" / 0")) {
				continue // a number that no numeral is
			}
			require.True(t, reference.SameGraph(st.Term, bridge.Of(gramtest.Load(t, text)).Term(), false), "%s", text)
		}
	})
}

// randomProgram prints a random term and loads it.
func randomProgram(t *rapid.T, q *property.Program) *gram.Program {
	return gramtest.Load(t, testprogram.Text(t, q))
}
