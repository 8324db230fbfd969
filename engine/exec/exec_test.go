package exec_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/lower"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/limits"
)

// verified verifies the code behind a pass.
func verified(p *ir.Program, pass string) error {
	if err := p.Verify(); err != nil {
		return fmt.Errorf("behind the pass %s: %w", pass, err)
	}
	return nil
}

// compiled compiles a program, and verifies its code.
func compiled(t *testing.T, p *lang.Program, gradient bool) *exec.Program {
	t.Helper()
	code, err := lower.Program(p.Written(), lower.Options{Inputs: p.Scalars, Gradient: gradient, After: verified})
	require.NoError(t, err)
	return exec.New(code)
}

// TestExamples: the values, gradients and steps of examples are those of the literal machine.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.gram")
	require.NoError(t, err)
	more, err := filepath.Glob("../../gradbench/*.gram")
	require.NoError(t, err)
	for _, file := range append(files, more...) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".gram"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, big := range []string{"w1", "w2", "w3", "w4", "w5", "bigram", "characters", "molecules", "phylogeny", "logsumexp"} {
				if strings.HasPrefix(filepath.Base(file), big+".") {
					t.Skip()
				}
			}
			compare(t, file, src, gram.Options{Dir: filepath.Dir(file)})
		})
	}
}

func compare(t *testing.T, name string, src []byte, opt gram.Options) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	p, err := gram.Load(ctx, name, src, opt)
	require.NoError(t, err)
	l, err := lang.Load(name, src, lang.Options{Dir: opt.Dir, Params: nil})
	require.NoError(t, err)
	want, err := p.Value(ctx, gram.EvalOptions{Literal: true})
	require.NoError(t, err)
	m := compiled(t, l, false).NewMachine(limits.Bounds{})
	start := time.Now()
	require.NoError(t, m.Value(l.Point))
	took := time.Since(start)
	got, lengths, err := m.Read(nil, nil)
	require.NoError(t, err)
	require.Equal(t, want.Lengths, lengths)
	require.Len(t, got, len(want.Values))
	for i, x := range want.Values {
		if x != got[i] && !(math.IsNaN(x) && math.IsNaN(got[i])) {
			t.Fatalf("value %d: %v instead of %v", i, got[i], x)
		}
	}
	require.Equal(t, want.Cost.Steps, m.Stats().Counts)
	if s := p.Shape(); s == nil || (s.String() != "R" && !strings.HasPrefix(s.String(), "R^")) {
		return
	}
	want, err = p.Gradient(ctx, gram.EvalOptions{Literal: true})
	if err != nil {
		t.Log(err)
		return
	}
	m = compiled(t, l, true).NewMachine(limits.Bounds{})
	values, jacobian := make([]float64, len(want.Values)), make([]float64, len(want.Jacobian))
	start = time.Now()
	require.NoError(t, m.Gradient(l.Point, values, jacobian))
	t.Log(took, time.Since(start))
	require.Equal(t, want.Values, values)
	require.InDeltaSlice(t, want.Jacobian, jacobian, 1e-9)
	if os.Getenv("NEWCOUNTS") != "" {
		require.Equal(t, want.Cost.Steps, m.Stats().Counts)
	}
}
