package decode_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/internal/decode"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// subject is a term with its inputs at a point.
type subject struct {
	t      *term.Term
	inputs []term.Var
	point  []float64
}

// outputs is k of a term of type R^k, 0 of one of type R.
func (p subject) outputs(t require.TestingT) int {
	ty, err := p.t.Check()
	require.NoError(t, err)
	if p.t.Types.Kind(ty) == term.VecKind {
		return p.t.Types.Len(ty)
	}
	return 0
}

// start compiles the program of the value or the gradient, and makes its start term.
func (p subject) start(t require.TestingT, gradient bool) (*reference.Start, *literal.Program) {
	if !gradient {
		prog, err := literal.NewValue(p.t, p.inputs, nil)
		require.NoError(t, err)
		return reference.Convert(p.t, denote.Floats{}).ValueStart(p.inputs, p.point).Named(), prog
	}
	d, err := revgrad.Reverse(p.t, nil)
	require.NoError(t, err)
	k := p.outputs(t)
	prog, err := literal.NewGradient(d, p.inputs, k, nil)
	require.NoError(t, err)
	return reference.Convert(d, denote.Floats{}).GradientStart(p.inputs, p.point, k).Named(), prog
}

// The bounds of the runs that are followed: steps, and symbols of a term.
const (
	maxSteps   = 400
	maxSymbols = 4000
)

var errLong = errors.New("the run is too long to be followed")

// follow makes a run and goes through it move by move.
func follow(t require.TestingT, p subject, gradient bool, opt machine.Options) (moves [rule.NumMoves]int, whole bool) {
	start, prog := p.start(t, gradient)
	d := decode.New(start, prog)
	var m *machine.Machine
	last, class := start.Term, start.Term.Class()
	opt.Limits = limits.Bounds{MaxSteps: maxSteps, MaxMemory: 64 << 20}
	opt.Events = func(e *machine.Fired) error {
		moves[e.Move]++
		next := d.Term(m)
		was := class
		class = next.Class()
		if by, ok := e.Move.Rule(); !ok {
			require.True(t, class == was, "a unit, %v, has changed\n%s\nto\n%s\nin %s", e.Move, last, next, p.t)
		} else {
			s := start.State(last, false)
			if s.Size() > maxSymbols {
				return errLong
			}
			if decode.Redex(s, by, class) == nil {
				message := ""
				for i := range s.Redex {
					if r := &s.Redex[i]; r.Rule == by {
						u, _ := s.Fire(r)
						message += fmt.Sprintf("\nweak %v garbage %v: %s", r.Weak, r.Garbage, u)
					}
				}
				require.Fail(t, "no step", "step %d, (%v), is none from\n%s\nto\n%s\n but %s \nin %s", e.N, by, last, next, message, p.t)
			}
		}
		last = next
		return nil
	}
	m, err := machine.New(prog, opt)
	require.NoError(t, err)
	defer m.Close()
	if gradient {
		k := max(1, prog.Outputs)
		err = m.Gradient(p.point, make([]float64, k), make([]float64, k*len(p.point)))
	} else {
		err = m.Value(p.point)
	}
	var limit *limits.ReachedError
	if errors.Is(err, errLong) || errors.As(err, &limit) && limit.Limit == "steps" {
		return moves, false
	}
	require.NoError(t, err)
	return moves, true
}

// followAll follows a value and a gradient, under LIFO and a random schedule.
func followAll(t require.TestingT, p subject, seed uint64, gradients ...bool) {
	for _, gradient := range gradients {
		follow(t, p, gradient, machine.Options{})
		follow(t, p, gradient, machine.Options{Random: true, Seed: seed})
	}
}

// TestPropertyDecode: each rewrite of the literal machine is one step of its rule on the decoded terms, and no unit changes them.
func TestPropertyDecode(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: rapid.IntRange(5, 40).Draw(t, "size"),
			Recursive: rapid.Bool().Draw(t, "recursive")})
		followAll(t, subject{p.Term, p.Inputs, p.Point}, rapid.Uint64().Draw(t, "schedule"), false, true)
	})
}

// TestPropertyDecodeLinear does the same for programs with dual λs of their own.
func TestPropertyDecodeLinear(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := subject{t: generate.Linear(t, rapid.IntRange(3, 60).Draw(t, "size"))}
		followAll(t, p, rapid.Uint64().Draw(t, "schedule"), false)
	})
}
