package symbolic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// source is a program that was read from its text.
type source struct {
	*term.Term
	inputs []term.Var
	point  []float64
}

func fromSource(t *testing.T, src string) source {
	t.Helper()
	p, err := lang.Load("t.gram", []byte(src), lang.Options{})
	require.NoError(t, err, "%s", src)
	s := source{Term: p.Term}
	for _, in := range p.Inputs {
		s.inputs = append(s.inputs, in.Vars...)
		s.point = append(s.point, in.Values...)
	}
	return s
}

// compiled is the program's code; of D of it, if it is reversed.
func (s source) compiled(t *testing.T, opt compile.Options) *graph.Program {
	t.Helper()
	q := s.Term
	if opt.Reversed {
		var err error
		q, err = revgrad.Reverse(q, nil)
		require.NoError(t, err)
	}
	opt.Inputs = s.inputs
	prog, err := compile.Compile(q, opt)
	require.NoError(t, err)
	return prog
}
