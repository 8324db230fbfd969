package lang

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/elaborate"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

func mustLoad(t *testing.T, src string) *Program {
	t.Helper()
	p, err := Load("t.gram", []byte(src), Options{})
	require.NoError(t, err)
	return p
}

// TestProgram checks what a Program holds beside its term.
func TestProgram(t *testing.T) {
	set, err := load.ParseSet("e=-2")
	require.NoError(t, err)
	n, err := load.ParseParam("n=3")
	require.NoError(t, err)
	src := "param n = 2\ninput e = 1\ninput E : R^n^2 = vec i < 2 -> vec j < n -> 10 * i + j\n" +
		"input p : R * R = (5, 6)\ndata xs : List R = [7; 8]\ndata w : R^2 = [| 1, 2 |]\nfold (fun a b -> a * e + w.(1)) 0 xs"
	p, err := Load("t.gram", []byte(src), Options{Params: []load.ParamSetting{n}, Sets: []load.Setting{set}})
	require.NoError(t, err)
	require.Equal(t, []elaborate.Param{{Name: "n", Value: 3}}, p.Params)
	require.Len(t, p.Inputs, 3)
	require.Equal(t, []float64{-2}, p.Inputs[0].Values)
	require.Equal(t, []float64{0, 1, 2, 10, 11, 12}, p.Inputs[1].Values)
	require.Equal(t, "R^(2, 3)", p.Inputs[1].Shape.String())
	names := ""
	for _, in := range p.Inputs {
		for _, x := range in.Vars {
			names += p.Term().Info(x).Name + " "
		}
	}
	require.Equal(t, "e E.(0).(0) E.(0).(1) E.(0).(2) E.(1).(0) E.(1).(1) E.(1).(2) p:0 p:1 ", names)
	require.Equal(t, []term.Data{
		{Name: "xs", List: true, Rows: 2, Width: 1, Values: []float64{7, 8}},
		{Name: "w", Rows: 1, Width: 2, Values: []float64{1, 2}},
	}, p.Term().Data)
	require.Equal(t, "R", p.TypeText)
	wellFormed(t, p)
}

// TestPositions checks that nodes stand where their operators and names do, and what
// the prelude adds where it is used.
func TestPositions(t *testing.T) {
	src := "input x = 1\ndef f a = a * x\nf (x + 2) + foldl (fun s a -> s - a) 0 [1]"
	p := mustLoad(t, src)
	var got []string
	for r := 1; r < len(p.Term().Nodes); r++ {
		n := &p.Term().Nodes[r]
		op, ok := map[term.Op]string{term.AddOp: "+", term.FunOp: "f", term.AppOp: "@", term.LamOp: "λ"}[n.Op]
		if ok {
			line, col := p.Position(n.Pos)
			text := p.File.Line(line)
			got = append(got, fmt.Sprintf("%s %d:%d %.1s", op, line, col, text[col-1:]))
		}
	}
	require.Equal(t, []string{
		"+ 3:6 +", "f 2:13 *", // f (x + 2)
		"f 3:33 -", "λ 3:26 a", "λ 3:24 s", // the function that foldl takes
		"@ 3:13 f", "@ 3:13 f", "@ 3:13 f", "λ 3:13 f", "λ 3:13 f", "λ 3:13 f", // of the prelude
		"λ 3:13 f", "@ 3:13 f", "@ 3:13 f", "@ 3:13 f", "+ 3:11 +",
	}, got)
}

// TestPositionOfLongLine: to look up a place takes no copy of its line.
func TestPositionOfLongLine(t *testing.T) {
	p := mustLoad(t, "input x = 1\n"+strings.Repeat("x + ", 10000)+"x")
	n := &p.Term().Nodes[p.Term().Root]
	require.Zero(t, testing.AllocsPerRun(10, func() { p.Position(n.Pos) }))
}

// TestSharedTypes unifies types that are exponential as trees.
func TestSharedTypes(t *testing.T) {
	pairs := func(v string) string {
		return chain(200, func(i int) string { return fmt.Sprintf("let %s%d = (%s%d, %s%d) in\n ", v, i+1, v, i, v, i) })
	}
	start := time.Now()
	mustLoad(t, "fun y0 z0 -> "+pairs("y")+pairs("z")+"if 1 < 2 then y200 else z200")
	mustLoad(t, "let a0 = 1 in "+pairs("a")+"(a200, 1)")
	_, err := Load("t.gram", []byte("let a0 = 1 in "+pairs("a")+"sin a200"), Options{})
	require.ErrorContains(t, err, "but sin takes R")
	require.Less(t, len(err.Error()), 4000)
	_, err = Load("t.gram", []byte("fun y0 -> "+pairs("y")+"let f = fun a -> if 1 < 2 then a else y200 in f y0"), Options{})
	require.ErrorContains(t, err, "infinite type")
	require.Less(t, time.Since(start), time.Minute)
}

// TestLimits checks that Check is asked often and its error returned as it is, and
// that the limit on expansion can be told from other errors.
func TestLimits(t *testing.T) {
	stop := errors.New("stop")
	for _, src := range []string{
		"sum i < 300000 -> #i (fun y -> y) 1",
		"def f0 x = (x, x)\n" + chain(24, func(i int) string { return fmt.Sprintf("def f%d x = (f%d 1, f%d 1)\n", i+1, i, i) }) + "f24 1",
		"input M : R^1000^1000 = vec i < 1000 -> vec j < 1000 -> 1\nfun (v : R^1000^1000) -> (v.(0).(1), M)",
		"1" + strings.Repeat(" + 1", 300000),
	} {
		calls := 0
		_, err := Load("t.gram", []byte(src), Options{Check: func() error {
			if calls++; calls > 10 {
				return stop
			}
			return nil
		}})
		require.Equal(t, stop, err, "%.40s", src)
	}
	_, err := Load("t.gram", []byte("sum i < 1000 -> i"), Options{MaxNodes: 100})
	require.ErrorIs(t, err, elaborate.ErrExpansion)
	var list *syntax.Errors
	require.ErrorAs(t, err, &list)
	require.Len(t, list.List, 1)
	_, err = Load("t.gram", []byte("sin sin"), Options{})
	require.NotErrorIs(t, err, elaborate.ErrExpansion)
}

// TestErrorsEverywhere checks that many errors are cut off, and none repeated.
func TestErrorsEverywhere(t *testing.T) {
	src := "def f a = sin (a, a)\n(" + strings.Repeat("f 1, ", 50) + strings.Repeat("cos (1, 2), ", 50) + "1)"
	_, err := Load("t.gram", []byte(src), Options{})
	var list *syntax.Errors
	require.ErrorAs(t, err, &list)
	require.Len(t, list.List, 20)
	require.ErrorContains(t, err, "and 31 more errors")
	require.Equal(t, 1, strings.Count(err.Error(), "but sin takes R"))
}

// TestPrelude checks that the prelude has types of its own.
func TestPrelude(t *testing.T) {
	for i := range elaborate.Prelude().Decls {
		d := &elaborate.Prelude().Decls[i]
		use := d.Name
		switch use { // their sizes have to be known
		case "map'":
			use += " sin [| 1, 2 |]"
		case "range":
			use += " 3"
		case "range'":
			use += " 1 3"
		case "slice":
			use += " [| 1, 2 |] 0 1"
		case "zip", "concat":
			use += " [| 1, 2 |] [| 1, 2 |]"
		case "softmax", "logsumexp":
			use += " [| 1, 2 |]"
		}
		require.NotEmpty(t, mustLoad(t, use).TypeText, d.Name)
	}
}
