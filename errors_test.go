package gram

import (
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestDiagnostics: an error tells its places as numbers too, whatever stage it is of, and in which file.
func TestDiagnostics(t *testing.T) {
	open := fstest.MapFS{"w.csv": {Data: []byte("a\n1\ntwo\n")},
		"m.gram": {Data: []byte("def ok = 1\ndef f x = sin (x, x)\n")}}.Open
	for _, c := range []struct {
		name, src string
		text      string // how the message starts
		want      []Diagnostic
	}{
		{"syntax", "input x = )\nx", "p.gram:1:11: ", []Diagnostic{{Line: 1, Column: 11, Width: 1, Headline: "expected an expression, found `)`"}}},
		{"types", "input é = 2\né + sin (é, é)", "p.gram:2:9: type mismatch\n",
			[]Diagnostic{{Line: 2, Column: 9, Width: 6, Headline: "type mismatch", Label: "this is R * R, but sin takes R"}}},
		{"two", "x +\ny", "p.gram:1:1: ", []Diagnostic{
			{Line: 1, Column: 1, Width: 1, Headline: "unknown name"}, {Line: 2, Column: 1, Width: 1, Headline: "unknown name"}}},
		{"data", "data xs = csv \"w.csv\" \"a\"\n1", "w.csv:3:1: wrong CSV data\n",
			[]Diagnostic{{Line: 1, Column: 23, Width: 3, Headline: "wrong CSV data", Label: `w.csv:3:1: column "a": "two" is not a number`,
				File: "w.csv", FileLine: 3, FileColumn: 1}}},
		{"an import", "import \"m.gram\"\nf 1", "m.gram:2:15: ",
			[]Diagnostic{{Line: 1, Column: 8, Width: 8, Headline: "type mismatch",
				File: "m.gram", FileLine: 2, FileColumn: 15}}},
		{"a later stage", "input x = 2\nlet y = x in (y, x)", "p.gram:2:1: no gradient\n",
			[]Diagnostic{{Line: 2, Column: 1, Width: 3, Headline: "no gradient",
				Label: "the body has type R * R; a gradient needs R, and a Jacobian R^k"}}},
	} {
		p, err := Load(t.Context(), "p.gram", []byte(c.src), Options{Open: open})
		if err == nil {
			_, err = p.Gradient(t.Context(), EvalOptions{})
		}
		var e *Error
		require.ErrorAs(t, err, &e, c.name)
		require.Contains(t, e.Text[:len(c.text)], c.text)
		require.Len(t, e.Diagnostics, len(c.want))
		for i, d := range e.Diagnostics {
			if c.want[i].Label == "" {
				d.Label = ""
			}
			if c.want[i].File == "" {
				c.want[i].File, c.want[i].FileLine, c.want[i].FileColumn = "p.gram", c.want[i].Line, c.want[i].Column
			}
			require.Equal(t, c.want[i], d, c.name)
		}
	}
	_, err := mustLoad(t, "input x = 2\niter #1000 (fun y -> x * y) 1").Value(t.Context(), EvalOptions{MaxSteps: 100})
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "limit reached", e.Diagnostics[0].Headline)
	require.Equal(t, 2, e.Diagnostics[0].Line)
	for _, src := range []string{"(1, 2)", "input x = 1\n(lin a -> 2 * a) x"} {
		p := mustLoad(t, src)
		_, want := p.Gradient(t.Context(), EvalOptions{})
		require.ErrorContains(t, want, "no gradient")
		_, err := p.Gradient(t.Context(), EvalOptions{Literal: true})
		require.EqualError(t, err, want.Error())
		for _, mode := range []Mode{Forward, Tape} {
			_, err := p.Gradient(t.Context(), EvalOptions{Mode: mode})
			require.ErrorContains(t, err, strings.SplitN(want.Error(), ": no", 2)[0])
		}
	}
}

// TestMissingFile: the error of a program whose file is not there wraps fs.ErrNotExist, in all formats.
func TestMissingFile(t *testing.T) {
	for _, form := range []string{`csv "f" "a"`, `npy "f"`, `npz "f" "a"`, `json "f" "a"`, `text "f"`} {
		_, err := Load(t.Context(), "p", []byte("data d = "+form+"\n1"), Options{Open: fstest.MapFS{}.Open})
		require.ErrorIs(t, err, fs.ErrNotExist, form)
	}
	program := []byte("data d : List R = [1]\n1")
	for name, opt := range map[string]Options{
		"inputs": {Inputs: "none.json"}, "arrays": {Inputs: "none.npz"}, "a setting": {Sets: []string{"d=@none.csv:a"}},
	} {
		opt.Open = fstest.MapFS{}.Open
		_, err := Load(t.Context(), "p", program, opt)
		require.ErrorIs(t, err, fs.ErrNotExist, name)
	}
	_, err := Load(t.Context(), "p", []byte("import \"none.gram\"\n1"), Options{Open: fstest.MapFS{}.Open})
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = LoadFile(t.Context(), "none.gram", Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestValues: Options.Values are finite numbers of inputs and data of the program.
func TestValues(t *testing.T) {
	for name, values := range map[string][]float64{"y": {1}, "x": {math.NaN()}, "d": {1, math.Inf(1)}} {
		_, err := Load(t.Context(), "p", []byte("input x = 1\ndata d : List R = [1]\nx"),
			Options{Values: map[string][]float64{name: values}})
		var misuse *MisuseError
		require.ErrorAs(t, err, &misuse, name)
		require.Contains(t, err.Error(), "Options.Values: ")
		require.NotContains(t, err.Error(), "set ")
	}
}
