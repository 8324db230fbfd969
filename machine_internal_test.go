package gram

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/engine/wasm"
)

// onMachine makes the programs of a test run on the machine, as blocks or as nodes, and not as code of the compiler.
func onMachine(t testing.TB) {
	was := force
	force = -1
	t.Cleanup(func() { force = was })
}

// TestNoCode: a program for which the compiler has no code runs on the machine.
func TestNoCode(t *testing.T) {
	src := "symbol five a b c d e = a * b + c * d + e with b, a, d, c, 1\ninput x = 2\nfive x 1 x 3 x\n"
	p, err := Load(t.Context(), "t.gram", []byte(src), Options{})
	require.NoError(t, err)
	res, err := p.Gradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	require.Equal(t, []float64{10}, res.Values)
	require.Equal(t, []float64{5}, res.Jacobian)
}

// TestRunsAsCode: programs whose first gradient took far longer as blocks or routines than as nodes run as code of the compiler.
func TestRunsAsCode(t *testing.T) {
	for _, path := range []string{"examples/newton.gram", "gradbench/saddle.gram"} {
		p, err := LoadFile(t.Context(), path, Options{})
		require.NoError(t, err)
		require.True(t, p.general(&EvalOptions{}, true), path)
	}
}

// TestLoopsRunAsCode: programs whose long loops are of numbers, or vector statements, run as code of the compiler, and those
// with other long loops as blocks.
func TestLoopsRunAsCode(t *testing.T) {
	if !wasm.Supported() {
		t.Skip("wazero has no compiler for this platform")
	}
	const head = "param n = 3000\ninput e = 0.7\ninput r = 0.9\ndata a : List R = list i < n -> sin i\n"
	for body, is := range map[string]bool{
		"fold (fun x h -> sigmoid (e * x + r * h)) 0 a":                                   true,
		"iter #n (fun z -> sin (z * z) + z) e":                                            true,
		"fold (fun x h -> if x > 0 then h * e + x else relu (h - r)) 0 a":                 true,
		"#1500 (fun h -> iter #n (fun y -> sin (y * e) + 0.1) (h * r)) 0.5":               true,
		"fold (fun x s -> s + x) 0 (list i < n -> i * e)":                                 true,
		"#1500 (fun h -> iter #3 (fun y -> sin (y * e) + 0.1) (h * r)) 0.5":               false,
		"fold (fun x g -> fun y -> g (y * e + x)) (fun y -> y) a r":                       false,
		"sum i < n -> sin (e * i)":                                                        true,
		"fold (fun x (v : R^3) -> vec i < 3 -> v.(2 - i) * e + x) (vec i < 3 -> r * i) a": false,
	} {
		p, err := Load(t.Context(), "t.gram", []byte(head+body+"\n"), Options{})
		require.NoError(t, err)
		e, err := p.newEvaluator(t.Context(), EvalOptions{}, p.Shape().String() == "R")
		require.NoError(t, err)
		require.Equal(t, is, e.code != nil, body)
		require.NoError(t, e.Close())
	}
}
