package gram

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/term"
)

// TestModularKeepsNames: the λs of normal forms have the names that the program gives
// them, and stand where it has them, also those of functions that others name.
func TestModularKeepsNames(t *testing.T) {
	p := loadText(t, `input x = 0.5
let f = fun alpha -> sin (alpha * x) in
let g = fun h -> h f in
let k = fun beta -> f (beta + 1) in
g (fun gamma -> gamma 2) + k 3`)
	for _, c := range []*Cache{nil, newCache(t, 0)} {
		m := modularly(t, p, c, EvalOptions{})
		require.Empty(t, m.text)
		var got []string
		for _, in := range m.prog.Code.Code {
			if in.Op == compile.MakeLam && in.Pos != 0 && in.Name != 0 && !m.prog.Code.Term.Linear(in.Name) {
				line, column := p.src.File.Position(uint32(in.Pos) - 1)
				got = append(got, fmt.Sprintf("%s at %d:%d", m.prog.Code.Term.Info(in.Name).Name, line, column))
			}
		}
		slices.Sort(got)
		require.Equal(t, []string{"alpha at 2:13", "alpha at 2:13", "beta at 4:13", "gamma at 5:8", "h at 3:13"}, got)
	}
}

// TestModularKeepsPlaces: an error in a function that was unfolded into another one is
// shown where it stands.
func TestModularKeepsPlaces(t *testing.T) {
	p := loadText(t, `input x = 0
let f = fun y -> 1 + log (y * x) in
let g = fun y -> 2 + y in
let h = fun y -> g y * f (g y) in
h 2`)
	for _, c := range []*Cache{nil, newCache(t, 0)} {
		require.Contains(t, modularly(t, p, c, EvalOptions{Finite: true}).text, "test.gram:2:22")
	}
}

// TestModularKeepsData: each function has its own data, and those of the functions that
// it names.
func TestModularKeepsData(t *testing.T) {
	p := loadText(t, `input x = 0.5
input unused = 3
input y = 0.25
data xs = list i < 3 -> i
data c = 7
data ys = list i < 2 -> 10 + i
let f = fun u -> fold (fun a h -> a * h * y + 1) u ys in
let g = fun v -> fold (fun a h -> a + h * c) (f v * x) xs in
let h = fun w -> g w + fold (fun a h -> a * x + h) w ys in
h 2 + f x`)
	want, err := p.Gradient(context.Background(), EvalOptions{})
	require.NoError(t, err)
	cache := newCache(t, 0)
	for range 2 {
		m := modularly(t, p, cache, EvalOptions{})
		require.Empty(t, m.text)
		requireAgree(t, want.Values, m.res.Values, 1e-12)
		requireAgree(t, want.Jacobian, m.res.Jacobian, 1e-12)
	}
}

// TestModularChain: of a chain of functions each of which names the one before.
func TestModularChain(t *testing.T) {
	const n = 200
	text := "input x = 0.5\nlet f0 = fun y -> y * x in\n"
	for i := range n {
		text += fmt.Sprintf("let f%d = fun y -> (fun g -> sin y) f%d in\n", i+1, i)
	}
	m := modularly(t, loadText(t, text+fmt.Sprintf("f%d x", n)), nil, EvalOptions{})
	require.InDelta(t, math.Sin(0.5), m.res.Values[0], 1e-15)
}

// TestModularOnRewriter holds the steps of a run by modular, rule by rule, against the rewriter's on the term with the
// normal forms in it. [reference.TestPropertyNormalStepsOfLambdas] holds those before the run.
func TestModularOnRewriter(t *testing.T) {
	firstRow := func(path string) (fs.File, error) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		lines := bytes.SplitAfterN(text, []byte("\n"), 4)
		return fstest.MapFS{"data": {Data: slices.Concat(lines[:3]...)}}.Open("data")
	}
	for name, params := range map[string][]string{"rain": nil, "weather": nil, "mapfold": nil, "rnn": nil,
		"w2": {"n=2", "k=2"}, "w5": {"n=2", "k=1"}} {
		p, err := LoadFile(context.Background(), "examples/"+name+".gram", Options{Params: params, Open: firstRow})
		require.NoError(t, err)
		m := modularly(t, p, nil, EvalOptions{})
		require.Empty(t, m.text)
		d := *m.prog.Code.Term // the start term of D(t)
		for d.Nodes[d.Root].Op == term.LetOp {
			d.Root = d.Nodes[d.Root].A
		}
		d.Root = d.Nodes[d.Root].B
		s := reference.Convert(&d, denote.Floats{}).GradientStart(p.inputs, p.Point(), p.outputs()).Named()
		want, err := s.Run(reference.Machine(nil), 10_000, nil)
		require.NoError(t, err)
		want.Counts.AddTimes(&m.prog.Counts, 1)
		require.Equal(t, want.Counts, m.res.Cost.Steps, name)
	}
}
