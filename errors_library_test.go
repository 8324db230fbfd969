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
	_, err = gram.Load(ctx, "p", []byte("input x = 1\nx"), gram.Options{})
	require.ErrorIs(t, err, cause)
	require.ErrorAs(t, err, &limit)
}

// TestMissingFile: the error of a program whose file is not there wraps fs.ErrNotExist, in all formats.
func TestMissingFile(t *testing.T) {
	for _, form := range []string{`csv "f" "a"`, `npy "f"`, `npz "f" "a"`, `json "f" "a"`, `text "f"`} {
		_, err := gram.Load(t.Context(), "p", []byte("data d = "+form+"\n1"), gram.Options{Open: fstest.MapFS{}.Open})
		require.ErrorIs(t, err, fs.ErrNotExist, form)
	}
	_, err := gram.Load(t.Context(), "p", []byte("1"), gram.Options{Inputs: "none.json", Open: fstest.MapFS{}.Open})
	require.Error(t, err)
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
