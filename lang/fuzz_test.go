package lang

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

var errSteps = errors.New("enough steps")

// FuzzLoad loads anything. There is a program or an error with places, and never a
// panic; an accepted program is well formed and its positions are in range.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"elaborate.txt", "errors.txt"} {
		text, err := os.ReadFile("testdata/" + name)
		require.NoError(f, err)
		for _, c := range strings.Split(string(text), "====\n") {
			src, _, _ := strings.Cut(c, "----\n")
			f.Add([]byte(src))
		}
	}
	paths, _ := filepath.Glob("../examples/*.gram")
	for _, path := range paths {
		src, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		checks := 0
		p, err := Load("fuzz.gram", src, Options{MaxNodes: 20000, Dir: t.TempDir(), Check: func() error {
			if checks++; checks > 100 {
				return errSteps
			}
			return nil
		}})
		if err == nil {
			_, err = p.Expand(nil, nil)
		}
		if err != nil {
			var list *syntax.Errors
			if errors.Is(err, errSteps) {
				return
			}
			require.ErrorAs(t, err, &list)
			require.NotEmpty(t, list.Error())
			for _, d := range list.List {
				require.LessOrEqual(t, int(d.Span.End), len(src))
			}
			return
		}
		wellFormed(t, p)
	})
}

// wellFormed checks what Load promises of a program.
func wellFormed(t *testing.T, p *Program) {
	t.Helper()
	seen := make([]bool, p.Term().NumVars())
	bind := func(x term.Var) {
		require.False(t, seen[x], "variable %d is bound twice", x)
		seen[x] = true
	}
	free := map[term.Var]bool{}
	for _, in := range p.Inputs {
		require.Len(t, in.Vars, in.Shape.Width())
		require.Len(t, in.Values, in.Shape.Width())
		for _, x := range in.Vars {
			bind(x)
			free[x] = true
			require.Equal(t, term.R, p.Term().TypeOf(x))
		}
	}
	parents := make([]int, len(p.Term().Nodes))
	for r := 1; r < len(p.Term().Nodes); r++ {
		n := &p.Term().Nodes[r]
		require.NotZero(t, n.Pos)
		line, col := p.Position(n.Pos)
		require.Positive(t, line)
		require.Positive(t, col)
		require.LessOrEqual(t, int(n.Pos)-1, len(p.File.Src))
		for _, k := range kidsOf(p.Term(), n) {
			require.Less(t, int(k), r)
			require.NotZero(t, k)
			parents[k]++
		}
		for _, x := range p.Term().BoundVars(n) {
			bind(x)
		}
	}
	for r := 1; r < len(p.Term().Nodes); r++ {
		want := 1
		if term.Ref(r) == p.Term().Root {
			want = 0
		}
		require.Equal(t, want, parents[r], "parents of node %d", r)
	}
	for _, x := range p.Term().FreeVars() {
		require.True(t, free[x], "%s is free", p.Term().Info(x).Name)
	}
}

// TestWellFormed checks the accepted programs of the golden file and the examples.
func TestWellFormed(t *testing.T) {
	text, err := os.ReadFile("testdata/elaborate.txt")
	require.NoError(t, err)
	for _, c := range strings.Split(strings.TrimSuffix(string(text), "====\n"), "====\n") {
		src, _, _ := strings.Cut(c, "----\n")
		p, err := Load("t.gram", []byte(src), Options{})
		require.NoError(t, err)
		wellFormed(t, p)
	}
}

// TestWorkloads loads the five workloads, as they are and at other sizes.
func TestWorkloads(t *testing.T) {
	for _, c := range []struct {
		name   string
		param  string
		inputs int
		nodes  int
	}{
		{"w1", "", 2, 15}, {"w1", "n=1e6", 2, 15},
		{"w2", "", 2, 2110}, {"w2", "k=3", 2, 0}, {"w2", "k=1", 2, 0},
		{"w3", "", 1, 12}, {"w4", "", 2, 11}, {"w5", "k=3", 8, 0},
	} {
		src, err := os.ReadFile("../examples/" + c.name + ".gram")
		require.NoError(t, err)
		var opt Options
		if c.param != "" {
			s, err := load.ParseParam(c.param)
			require.NoError(t, err)
			opt.Params = append(opt.Params, s)
		}
		p, err := Load(c.name, src, opt)
		require.NoError(t, err)
		wellFormed(t, p)
		require.Equal(t, "R", p.TypeText)
		require.Equal(t, term.R, p.Type)
		require.Len(t, p.Inputs, c.inputs)
		if c.nodes > 0 {
			require.Len(t, p.Term().Nodes, c.nodes)
		}
	}
}

// kidsOf returns the children of n.
func kidsOf(t *term.Term, n *term.Node) []term.Ref {
	switch n.Op {
	case term.LamOp:
		return []term.Ref{n.A}
	case term.AppOp, term.PairOp, term.LetOp, term.UntupleOp, term.UnvecOp, term.AddOp:
		return []term.Ref{n.A, n.B}
	case term.FunOp, term.VecOp, term.IfOp, term.ListOp, term.CaseOp, term.FixOp:
		return t.Children(n)
	case term.BranchOp:
		return []term.Ref{n.A}
	case term.ConOp:
		if n.A != 0 {
			return []term.Ref{n.A}
		}
	}
	return nil
}
