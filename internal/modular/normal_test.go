package modular_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// maxSteps bounds a random program: iterating functions on functions explodes.
const maxSteps = 200_000

// normalForm returns the normal form of q, or nil if it takes too many steps.
func normalForm(t require.TestingT, q *term.Term, p *property.Program) *term.Term {
	n, _, err := modular.Normal(q, p.Inputs, p.Point,
		modular.Options{Unfold: true, Limits: limits.Bounds{MaxSteps: maxSteps}})
	var limit *limits.ReachedError
	if errors.As(err, &limit) {
		property.Leave(t, "limit of "+limit.Limit)
		return nil
	}
	require.NoError(t, err)
	return n
}

// TestPropertyNormalForm: the normal forms of t and of D(t), for t of any type, have the types
// of t and of D(t), and denote the same.
func TestPropertyNormalForm(t *testing.T) { property.Check(t, normalProperty) }

func normalProperty(t *rapid.T) {
	p := property.Draw(t, property.Options{Any: true, Recursive: rapid.Bool().Draw(t, "recursive")})
	checkNormal(t, p.Term, p, false)
	d, err := revgrad.Reverse(p.Term, nil)
	require.NoError(t, err)
	checkNormal(t, d, p, true)
}

func checkNormal(t *rapid.T, q *term.Term, p *property.Program, reversed bool) {
	typ, err := q.Check()
	require.NoError(t, err)
	n := normalForm(t, q, p)
	if n == nil {
		return
	}
	got, err := n.Check()
	require.NoError(t, err, n)
	require.Equal(t, typ, got, n)
	f := fingerprint{denote.Model{Ground: denote.Floats{}, Dim: max(1, len(p.Inputs))}, q.Types}
	want, have := f.term(t, q, p, reversed), f.term(t, n, p, reversed)
	require.Len(t, have, len(want))
	for i := range want {
		if want[i] == want[i] && math.Abs(want[i]) <= 1e9 { // else digits are lost to cancellation
			require.True(t, property.Close(want[i], have[i], 1e-9), "%v instead of %v:\n%v\n%v", have, want, n, q)
		}
	}
}

// fingerprint is what tells two denotations apart: the numbers of tuples, what duals
// make of 1, and what functions make of a sample of their argument's type.
type fingerprint struct {
	m  denote.Model
	tt *term.Types
}

func (f fingerprint) term(t *rapid.T, q *term.Term, p *property.Program, reversed bool) []float64 {
	var g *denote.Env
	for i, x := range p.Inputs {
		v := denote.Value(p.Point[i])
		if reversed {
			v = denote.Pair{Left: v, Right: f.m.Injection(i)}
		}
		g = g.With(x, v)
	}
	v, err := f.m.Denote(q).At(g)
	require.NoError(t, err)
	typ, err := q.Check()
	require.NoError(t, err)
	return f.of(typ, v, 1)
}

func (f fingerprint) of(a term.Type, v denote.Value, seed float64) []float64 {
	tt := f.tt
	switch tt.Kind(a) {
	case term.ArrowKind:
		return f.of(tt.Right(a), v.(denote.Func)(f.sample(tt.Left(a), seed+0.25)), seed+1)
	case term.DualKind:
		return f.of(term.R, v.(denote.Linear)(1.0), seed)
	case term.ProdKind:
		p := v.(denote.Pair)
		return append(f.of(tt.Left(a), p.Left, seed), f.of(tt.Right(a), p.Right, seed)...)
	case term.VecKind:
		var out []float64
		for i := range tt.Len(a) {
			c := v
			if i < tt.Len(a)-1 {
				c, v = v.(denote.Pair).Left, v.(denote.Pair).Right
			}
			out = append(out, f.of(tt.Left(a), c, seed)...)
		}
		return out
	case term.MuKind:
		c := v.(denote.Con)
		out := []float64{float64(c.Number)}
		if arg := tt.Constructors(a)[c.Number].Arg; arg != 0 {
			out = append(out, f.of(arg, c.Arg, seed)...)
		}
		return out
	}
	var out []float64
	for _, r := range denote.Flatten(v) {
		out = append(out, r.(float64))
	}
	return out
}

// sample is an element of ⟦a⟧. A function's results depend on its argument.
func (f fingerprint) sample(a term.Type, seed float64) denote.Value {
	tt := f.tt
	switch tt.Kind(a) {
	case term.ArrowKind:
		return denote.Func(func(v denote.Value) denote.Value {
			sum := seed
			for i, r := range f.of(tt.Left(a), v, seed) {
				sum += float64(i+1) * r / 8
			}
			return f.sample(tt.Right(a), sum)
		})
	case term.DualKind:
		return denote.Linear(func(r denote.Number) denote.Value {
			v := f.m.Zero()
			for i := range f.m.Dim {
				v = f.m.Sum(v, f.m.Injection(i)(r.(float64)*(seed+float64(i))))
			}
			return v
		})
	case term.ProdKind:
		return denote.Pair{Left: f.sample(tt.Left(a), seed), Right: f.sample(tt.Right(a), seed+0.5)}
	case term.VecKind:
		var comps []denote.Value
		for i := range tt.Len(a) {
			comps = append(comps, f.sample(tt.Left(a), seed+float64(i)/4))
		}
		return denote.Tuple(comps...)
	case term.MuKind: // by the constructors without inductive types in them, the last first
		for i, c := range slices.Backward(tt.Constructors(a)) {
			inductive := false
			tt.Mentioned(c.Arg, map[term.Type]bool{}, func(term.Inductive) { inductive = true })
			if c.Arg != 0 && !inductive {
				return denote.Con{Number: uint64(i), Arg: f.sample(c.Arg, seed)}
			}
		}
		return denote.Con{}
	}
	return seed
}
