package syntax

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkDiagnostics checks that spans lie in the source, in order, and can be shown.
func checkDiagnostics(t *testing.T, f *File, ds []Diagnostic) {
	t.Helper()
	valid := func(s Span) bool { return s.Start <= s.End && int(s.End) <= len(f.Src) }
	last := uint32(0)
	for _, d := range ds {
		require.True(t, valid(d.Span), "%v", d)
		require.GreaterOrEqual(t, d.Span.Start, last)
		require.NotEmpty(t, d.Headline)
		last = d.Span.Start
		for _, n := range d.Notes {
			require.True(t, valid(n.Span), "%v", n)
		}
		lines := strings.Split(strings.TrimSuffix(f.Render(d), "\n"), "\n")
		require.GreaterOrEqual(t, len(lines), 3)
	}
}

// checkTree checks that children come before their parents and lie within them.
func checkTree(t *testing.T, f *File) {
	t.Helper()
	for i := 1; i < f.NumExprs(); i++ {
		e := f.Expr(Expr(i))
		require.True(t, e.Span.Start <= e.Span.End && int(e.Span.End) <= len(f.Src), "%v", e)
		for _, k := range f.Kids(Expr(i)) {
			require.Less(t, k, Expr(i))
			s := f.Expr(k).Span
			require.True(t, e.Span.Start <= s.Start && s.End <= e.Span.End, "%v in %v: %s", s, e, f.Src)
		}
	}
}

// FuzzParse parses anything without a panic; what parses can be formatted.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/format/*", "../syntax/testdata/errors/*"} {
		files, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, name := range files {
			src, err := os.ReadFile(name)
			require.NoError(f, err)
			text, _, _ := bytes.Cut(src, []byte("\n----\n")) // behind it, errors
			f.Add(text)
		}
	}
	for seed := range 50 {
		f.Add([]byte(random(rand.New(rand.NewPCG(uint64(seed), 1)), 30)))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, ds, err := Parse("fuzz.gram", src, Options{})
		require.NoError(t, err)
		require.LessOrEqual(t, len(ds), MaxDiagnostics)
		checkDiagnostics(t, file, ds)
		if len(ds) == 0 {
			require.NotZero(t, file.Body)
			checkTree(t, file)
			checkFormat(t, file)
		}
	})
}

// FuzzTokens damages programs token by token, which reaches more of the recovery.
func FuzzTokens(f *testing.F) {
	words := strings.Fields("param input data def fun lin let in if then else vec sum list csv size + - * / ^ < <= > >= " +
		"= -> -o # .( ( ) [ ] [| |] , ; : _ x y 1 0.5 R List Nat \"s\" => == := \\ . .[ & λ -- \n \n\t")
	words = append(words, "\n", "\ndef f x =", "\n  ", " -- c\n")
	f.Add([]byte{1, 2, 3}, uint16(3))
	f.Fuzz(func(t *testing.T, choice []byte, n uint16) {
		var b strings.Builder
		for _, c := range choice {
			b.WriteString(words[int(c)%len(words)])
			if c < 200 {
				b.WriteByte(' ')
			}
		}
		if n%2 == 0 {
			b.WriteString("\n0") // a body
		}
		file, ds, err := Parse("fuzz.gram", []byte(b.String()), Options{})
		require.NoError(t, err)
		checkDiagnostics(t, file, ds)
		if len(ds) == 0 {
			checkTree(t, file)
			checkFormat(t, file)
		}
	})
}
