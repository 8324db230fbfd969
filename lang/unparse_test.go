package lang_test

import (
	"bytes"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/lang/unparse"
	"github.com/gram-machine/gram/term"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// program prints a term with inputs of type R and the data of package property.
func program(t require.TestingT, q *term.Term, inputs []term.Var) string {
	p := unparse.New(q, unparse.Options{})
	for _, x := range inputs {
		p.Reserve(q.Info(x).Name)
	}
	for _, d := range q.Data {
		p.Reserve(d.Name)
	}
	for _, x := range inputs {
		p.Bind(x, p.Input(q.Info(x).Name, load.RealShape(), []float64{0.5})[0])
	}
	for i, d := range q.Data {
		s := load.RealShape()
		if d.Width > 1 {
			s = load.VectorShape(s, d.Width)
		}
		if d.List {
			s = load.ListShape(s)
		}
		p.Data(i, d.Name, load.Value{Shape: s, Rows: d.Rows, Data: d.Values})
	}
	var out bytes.Buffer
	require.NoError(t, p.Write(&out))
	return out.String()
}

func elaborated(t require.TestingT, text string) *term.Term {
	p, err := lang.Load("test.gram", []byte(text), lang.Options{})
	require.NoError(t, err, "%s", text)
	return p.Term()
}

// TestPropertyParsesBack: a random term is printed as a program that elaborates to it, up to
// the names of its variables, and has its type.
func TestPropertyParsesBack(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Draw(t, property.Options{Vector: rapid.Bool().Draw(t, "vector")})
		text := program(t, p.Term, p.Inputs)
		back := elaborated(t, text)
		require.True(t, reference.SameGraph(p.Term, back, false), "%s", text)
		require.True(t, term.AlphaEqual(p.Term, back), "%s\n%v\n%v", text, p.Term, back)
		for _, line := range strings.Split(text, "\n") {
			require.LessOrEqual(t, len([]rune(line)), 200, "%s", text)
		}
	})
}

// TestPropertyLinearParsesBack: random terms with dual λs are printed as programs that
// elaborate to them. Left out are those that the language can't write: sums of vectors
// outside lin, and linear lets of what no linear variable is in.
func TestPropertyLinearParsesBack(t *testing.T) {
	drawn, read := 0, 0
	property.Check(t, func(t *rapid.T) {
		drawn++
		q := property.Linear(t, 30)
		text := program(t, q, nil)
		if !strings.Contains(text, "lin") && addsVectors(t, q) {
			return // without lin, + of vectors is that of their components
		}
		p, err := lang.Load("test.gram", []byte(text), lang.Options{})
		if err != nil && (strings.Contains(err.Error(), "but + takes R") || strings.Contains(err.Error(), "not linear")) {
			return
		}
		require.NoError(t, err, "%s", text)
		require.True(t, reference.SameGraph(q, p.Term(), false), "%s", text)
		read++
	})
	require.GreaterOrEqual(t, read, drawn/15)
}

// addsVectors reports whether a sum of q is of vectors.
func addsVectors(t require.TestingT, q *term.Term) bool {
	types, err := q.Typing(nil)
	require.NoError(t, err)
	for r := range q.Nodes {
		if q.Nodes[r].Op == term.AddOp && types[r] != term.R {
			return true
		}
	}
	return false
}

// builder makes terms with two inputs, x and y.
type builder struct {
	*term.Term
	x, y term.Var
}

func newBuilder() *builder {
	b := &builder{Term: term.New(term.NewTypes())}
	b.x, b.y = b.real("x"), b.real("y")
	return b
}

func (b *builder) real(name string) term.Var {
	return b.NewVar(term.VarInfo{Name: name, Type: term.R})
}
func (b *builder) v(x term.Var) term.Ref  { return b.Variable(0, x) }
func (b *builder) num(r float64) term.Ref { return b.Num(0, r) }
func (b *builder) fun(f term.Symbol, args ...term.Ref) term.Ref {
	return b.Fun(0, f, args...)
}

func (b *builder) body(t *testing.T, root term.Ref) string {
	b.Root = root
	text := program(t, b.Term, []term.Var{b.x, b.y})
	back := elaborated(t, text)
	require.True(t, term.AlphaEqual(b.Term, back), "%s\n%v\n%v", text, b.Term, back)
	_, body, ok := strings.Cut(text, "input y : R = 0.5\n")
	require.True(t, ok)
	return strings.TrimSuffix(body, "\n")
}

// TestForms: what stands in parentheses, what would be folded or read otherwise, and
// names.
func TestForms(t *testing.T) {
	for want, build := range map[string]func(b *builder) term.Ref{
		"x - (y - 1)":  func(b *builder) term.Ref { return b.fun(term.Sub, b.v(b.x), b.fun(term.Sub, b.v(b.y), b.num(1))) },
		"(+) 1 2":      func(b *builder) term.Ref { return b.Add(0, b.num(1), b.num(2)) },
		"( * ) 2 (-3)": func(b *builder) term.Ref { return b.fun(term.Mul, b.num(2), b.num(-3)) },
		"neg 2":        func(b *builder) term.Ref { return b.fun(term.Neg, b.num(2)) },
		"- -x":         func(b *builder) term.Ref { return b.fun(term.Neg, b.fun(term.Neg, b.v(b.x))) },
		"x - -1 * y":   func(b *builder) term.Ref { return b.fun(term.Sub, b.v(b.x), b.fun(term.Mul, b.num(-1), b.v(b.y))) },
		"-0 + x":       func(b *builder) term.Ref { return b.Add(0, b.num(math.Copysign(0, -1)), b.v(b.x)) },
		"1e-320 * x":   func(b *builder) term.Ref { return b.fun(term.Mul, b.num(1e-320), b.v(b.x)) },
		"sin (-1e300)": func(b *builder) term.Ref { return b.fun(term.Sin, b.num(-1e300)) },
		"pow'2 x (x + y)": func(b *builder) term.Ref {
			return b.fun(term.DPow2, b.v(b.x), b.Add(0, b.v(b.x), b.v(b.y)))
		},
		"div'1 (tanh' x) y": func(b *builder) term.Ref { return b.fun(term.DDiv1, b.fun(term.DTanh, b.v(b.x)), b.v(b.y)) },
		"(fun x1 x2 -> x1) x y": func(b *builder) term.Ref {
			p, q := b.real("x"), b.real("x")
			return b.App(0, b.App(0, b.Lam(0, p, b.Lam(0, q, b.v(p))), b.v(b.x)), b.v(b.y))
		},
		"if x <= y then x else if x < 0 then 1 else y": func(b *builder) term.Ref {
			return b.If(0, term.LessEqual, b.v(b.x), b.v(b.y), b.v(b.x), b.If(0, term.Less, b.v(b.x), b.num(0), b.num(1), b.v(b.y)))
		},
		// A binder that is called like an input, and one like a function; a name that
		// ended may be used again.
		"let x1 = x in\n(let sin1 = x1 in sin sin1) + (let sin1 = y in sin1)": func(b *builder) term.Ref {
			z, f, g := b.real("x"), b.real("sin"), b.real("sin")
			return b.Let(0, z, b.v(b.x), b.Add(0, b.Let(0, f, b.v(z), b.fun(term.Sin, b.v(f))), b.Let(0, g, b.v(b.y), b.v(g))))
		},
		// The x of the definition is the input, that of the body is not.
		"let x1 =\n  let x1 = x in\n  x1 in\nx1 * x": func(b *builder) term.Ref {
			z, w := b.real("x"), b.real("x")
			return b.Let(0, z, b.Let(0, w, b.v(b.x), b.v(w)), b.fun(term.Mul, b.v(z), b.v(b.x)))
		},
		"let (x1, x1', E_0_1) = (x, y, 2) in\nx1 * x1' + E_0_1": func(b *builder) term.Ref {
			p, q, e := b.real("x"), b.real("x*"), b.real("E.(0).(1)")
			return b.Untuple(0, []term.Var{p, q, e}, b.Pair(0, b.v(b.x), b.Pair(0, b.v(b.y), b.num(2))),
				b.Add(0, b.fun(term.Mul, b.v(p), b.v(q)), b.v(e)))
		},
		"let [| a, a1 |] = [| x, y |] in\na1": func(b *builder) term.Ref {
			p, q := b.real("a"), b.real("a")
			return b.Unvec(0, []term.Var{p, q}, b.Vec(0, []term.Ref{b.v(b.x), b.v(b.y)}), b.v(q))
		},
	} {
		b := newBuilder()
		require.Equal(t, want, b.body(t, build(b)))
	}
}

// TestDeep: sums nested 10⁶ deep (10⁵ without FULL_SIZE), and 10⁵ lets, take the Go stack of the parser and no more,
// and text that is linear in the term. What nests too deep to be read back is printed all the same.
func TestDeep(t *testing.T) {
	old := debug.SetMaxStack(32 << 20)
	defer debug.SetMaxStack(old)
	var n int
	for name, build := range map[string]func(b *builder) term.Ref{
		"sums to the right": func(b *builder) term.Ref {
			r := b.v(b.x)
			for range n {
				r = b.Add(0, b.v(b.y), r)
			}
			return r
		},
		"lets": func(b *builder) term.Ref {
			zs := []term.Var{b.x}
			for range n {
				zs = append(zs, b.real("z"))
			}
			r := b.v(zs[n])
			for i := n; i > 0; i-- {
				r = b.Let(0, zs[i], b.fun(term.Sin, b.v(zs[i-1])), r)
			}
			return r
		},
		"lets in lets": func(b *builder) term.Ref {
			r := b.v(b.x)
			for range n {
				z := b.real("z")
				r = b.Let(0, z, r, b.v(z))
			}
			return r
		},
	} {
		n = 100_000
		if name == "sums to the right" {
			n = property.Size(1_000_000)
		}
		b := newBuilder()
		b.Root = build(b)
		text := program(t, b.Term, []term.Var{b.x, b.y})
		require.Less(t, len(text), 120*n, name)
		var out bytes.Buffer
		require.NoError(t, unparse.LaTeX(&out, b.Term, nil))
		require.Less(t, out.Len(), 120*n, name)
	}
}

// TestChecks: the check ends both kinds of printing.
func TestChecks(t *testing.T) {
	b := newBuilder()
	r := b.v(b.x)
	for range 100_000 {
		r = b.Add(0, r, b.v(b.y))
	}
	b.Root = r
	stop := fmt.Errorf("stop")
	p := unparse.New(b.Term, unparse.Options{Guard: syntax.Guard{Check: func() error { return stop }}})
	p.Bind(b.x, "x")
	p.Bind(b.y, "y")
	require.ErrorIs(t, p.Write(&bytes.Buffer{}), stop)
	require.ErrorIs(t, unparse.LaTeX(&bytes.Buffer{}, b.Term, func() error { return stop }), stop)
}

// TestUndeclared: a free variable without a declaration is an error.
func TestUndeclared(t *testing.T) {
	b := newBuilder()
	b.Root = b.v(b.x)
	require.ErrorContains(t, unparse.New(b.Term, unparse.Options{}).Write(&bytes.Buffer{}), "the variable x is not declared")
}
