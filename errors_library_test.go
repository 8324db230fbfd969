package gram_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// TestCancelCause: the end of a context with a cause is an interrupt, and wraps the cause.
func TestCancelCause(t *testing.T) {
	cause := errors.New("the client went away")
	ctx, cancel := context.WithCancelCause(t.Context())
	p, err := gram.Load(ctx, "p", []byte("input x = 1\nx"), gram.Options{})
	require.NoError(t, err)
	cancel(cause)
	_, err = p.Gradient(ctx, gram.EvalOptions{})
	var limit *gram.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, gram.Interrupt, limit.Limit)
	require.ErrorIs(t, err, cause)
	require.ErrorIs(t, err, context.Canceled)
	for name, run := range map[string]func() error{
		"load":    func() error { _, err := gram.Load(ctx, "p", []byte("input x = 1\nx"), gram.Options{}); return err },
		"value":   func() error { _, err := p.Value(ctx, gram.EvalOptions{}); return err },
		"literal": func() error { _, err := p.Gradient(ctx, gram.EvalOptions{Literal: true}); return err },
		"tape":    func() error { _, err := p.Gradient(ctx, gram.EvalOptions{Mode: gram.Tape}); return err },
		"bound":   func() error { _, err := p.Bound(ctx, gram.EvalOptions{}); return err },
		"span":    func() error { _, err := p.Span(ctx, true, false); return err },
		"kinks":   func() error { _, err := p.Kinks(ctx, gram.EvalOptions{}); return err },
	} {
		err := run()
		require.ErrorIs(t, err, cause, name)
		require.ErrorAs(t, err, &limit, name)
		require.Equal(t, gram.Interrupt, limit.Limit, name)
	}
	late, stop := context.WithTimeoutCause(t.Context(), 0, cause)
	defer stop()
	_, err = p.Gradient(late, gram.EvalOptions{})
	require.ErrorIs(t, err, cause)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorAs(t, err, &limit)
	require.Equal(t, gram.TimeLimit, limit.Limit)
}

// TestMissingFile: the error of a program whose file is not there wraps fs.ErrNotExist, in all formats.
func TestMissingFile(t *testing.T) {
	for _, form := range []string{`csv "f" "a"`, `npy "f"`, `npz "f" "a"`, `json "f" "a"`, `text "f"`} {
		_, err := gram.Load(t.Context(), "p", []byte("data d = "+form+"\n1"), gram.Options{Open: fstest.MapFS{}.Open})
		require.ErrorIs(t, err, fs.ErrNotExist, form)
	}
	program := []byte("data d : List R = [1]\n1")
	for name, opt := range map[string]gram.Options{
		"inputs": {Inputs: "none.json"}, "arrays": {Inputs: "none.npz"}, "a setting": {Sets: []string{"d=@none.csv:a"}},
	} {
		opt.Open = fstest.MapFS{}.Open
		_, err := gram.Load(t.Context(), "p", program, opt)
		require.ErrorIs(t, err, fs.ErrNotExist, name)
	}
	_, err := gram.Load(t.Context(), "p", []byte("import \"none.gram\"\n1"), gram.Options{Open: fstest.MapFS{}.Open})
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = gram.LoadFile(t.Context(), "none.gram", gram.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestDiagnosticFile: a diagnostic says in which file it is.
func TestDiagnosticFile(t *testing.T) {
	files := fstest.MapFS{"m.gram": {Data: []byte("def ok = 1\ndef f x = sin (x, x)\n")}, "f.csv": {Data: []byte("a\n1\nx\n")}}
	for program, want := range map[string]gram.Diagnostic{
		"import \"m.gram\"\nf 1":          {File: "m.gram", FileLine: 2, FileColumn: 15, Line: 1, Column: 8, Width: 8},
		"data d = csv \"f.csv\" \"a\"\n1": {File: "f.csv", FileLine: 3, FileColumn: 1, Line: 1, Column: 22, Width: 3},
		"input x = 1\nx + sin (x, x)":     {File: "p.gram", FileLine: 2, FileColumn: 9, Line: 2, Column: 9, Width: 6},
	} {
		_, err := gram.Load(t.Context(), "p.gram", []byte(program), gram.Options{Open: files.Open})
		var wrong *gram.Error
		require.ErrorAs(t, err, &wrong)
		got := wrong.Diagnostics[0]
		got.Headline, got.Label = "", ""
		require.Equal(t, want, got, program)
	}
}

// TestValues: Options.Values are finite numbers of inputs and data of the program.
func TestValues(t *testing.T) {
	for name, values := range map[string][]float64{"y": {1}, "x": {math.NaN()}, "d": {1, math.Inf(1)}} {
		_, err := gram.Load(t.Context(), "p", []byte("input x = 1\ndata d : List R = [1]\nx"), gram.Options{Values: map[string][]float64{name: values}})
		var misuse *gram.MisuseError
		require.ErrorAs(t, err, &misuse, name)
		require.Contains(t, err.Error(), "Options.Values: ")
		require.NotContains(t, err.Error(), "set ")
	}
}

// TestLimitNamesFunction: a limit that ends an endless function names it, in the value and in the gradient, on both machines.
func TestLimitNamesFunction(t *testing.T) {
	p, err := gram.Load(t.Context(), "p", []byte("input x = 1\ndef rec f y = f (y + x)\nf 0"), gram.Options{})
	require.NoError(t, err)
	for _, opt := range []gram.EvalOptions{{}, {NoFuse: true}, {NoNative: true}, {Literal: true}, {Schedule: gram.Random}} {
		opt.MaxSteps = 20000
		for _, run := range []func(context.Context, gram.EvalOptions) (*gram.Result, error){p.Value, p.Gradient} {
			_, err := run(t.Context(), opt)
			var limit *gram.LimitError
			require.ErrorAs(t, err, &limit)
			require.Equal(t, "f", limit.Function, "%+v", opt)
		}
	}
}
