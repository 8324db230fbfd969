package reduction

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/term"
)

// start is the start term of the value of a program.
func start(t *testing.T, text string) (*reference.Start, *lang.Program) {
	p, err := lang.Load("t.gram", []byte(text), lang.Options{})
	require.NoError(t, err)
	var inputs []term.Var
	var point []float64
	for _, in := range p.Inputs {
		inputs, point = append(inputs, in.Vars...), append(point, in.Values...)
	}
	return reference.Convert(p.Term(), denote.Floats{}).ValueStart(inputs, point).Named(), p
}

func derived(t *testing.T, text string, opt Derivation) (string, error) {
	s, p := start(t, text)
	opt.Source = p
	var out strings.Builder
	_, err := derive(&out, s, opt)
	return out.String(), err
}

func TestText(t *testing.T) {
	got, err := derived(t, "let (x, y) = (1, 0.5) in\nif x <= y then x - y else (fun z -> (z - 1 - (y - x)) / y) x\n", Derivation{})
	require.NoError(t, err)
	require.Equal(t, `    «(if x <= y then x - y else (λz.(z - 1 - (y - x)) / y) x)[⟨x,y⟩:=⟨1, 0.5⟩]»
`, got[:strings.Index(got, "1  (")])
	require.Contains(t, got, "»[x:=1]")
	require.True(t, strings.HasSuffix(got, "    1\n"), got)
}

func TestLaTeX(t *testing.T) {
	// The redex goes on over two lines: its colour is set on each.
	got, err := derived(t, "let x = 1 in "+strings.Repeat("min x (", 30)+"x"+strings.Repeat(")", 30), Derivation{Format: LaTeX, Last: 1})
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(got, "% needs the packages amsmath and xcolor, and \\allowdisplaybreaks if it is longer than a page\n\\begin{align*}\n"))
	require.True(t, strings.HasSuffix(got, "\n\\end{align*}\n"))
	lines := strings.Split(got, " \\\\\n")
	require.Greater(t, len(lines), 4)
	coloured := 0
	for _, line := range lines {
		require.Equal(t, strings.Count(line, "{"), strings.Count(line, "}"), line)
		coloured += strings.Count(line, `\color{teal}`)
	}
	require.Greater(t, coloured, 1)
	require.Equal(t, 1, strings.Count(got, `\boxed{x}`))
	require.Equal(t, 1, strings.Count(got, `\xrightarrow{(3n)}`))
}

func TestDerivationErrors(t *testing.T) {
	const text = "iter #5 (fun x -> x * x + x) 2"
	_, err := derived(t, text, Derivation{MaxSize: 3})
	var size *SizeError
	require.ErrorAs(t, err, &size)
	require.Equal(t, 3, size.Max)
	_, err = derived(t, text, Derivation{MaxSteps: 4})
	var steps *gram.LimitError
	require.ErrorAs(t, err, &steps)
	stop := errors.New("stop")
	_, err = derived(t, text, Derivation{Check: func() error { return stop }})
	require.ErrorIs(t, err, stop)
	for _, f := range []Format{Text, LaTeX, JSON} {
		s, p := start(t, text)
		_, err = derive(failing{stop}, s, Derivation{Format: f, Source: p})
		require.ErrorIs(t, err, stop)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
