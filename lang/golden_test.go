package lang

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/syntax"
)

var update = flag.Bool("update", false, "rewrite the expected results in testdata")

// goldens runs a file of cases: a program, a line "----", what it gives, "====".
func goldens(t *testing.T, name string, f func(src string) string) {
	path := "testdata/" + name
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var out strings.Builder
	for _, c := range strings.Split(strings.TrimSuffix(string(text), "====\n"), "====\n") {
		src, want, _ := strings.Cut(c, "----\n")
		got := strings.TrimRight(f(src), "\n") + "\n"
		if !*update && got != want {
			t.Errorf("%s\ngives\n%s\nnot\n%s", src, got, want)
		}
		out.WriteString(src + "----\n" + got + "====\n")
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(out.String()), 0o644))
	}
}

// TestElaborate holds the term, its type and the size of what programs mean.
func TestElaborate(t *testing.T) {
	goldens(t, "elaborate.txt", func(src string) string {
		p, err := Load("t.gram", []byte(src), Options{MaxNodes: 10000})
		if err != nil {
			t.Errorf("%s\n%v", src, err)
			return err.Error()
		}
		return p.Term().String() + "\n: " + p.TypeText
	})
}

// TestErrors holds the messages about wrong programs, and about what people write who come from another language.
func TestErrors(t *testing.T) {
	message := func(src string) string {
		p, err := Load("t.gram", []byte(src), Options{MaxNodes: 10000})
		if err == nil {
			_, err = p.Expand(nil, nil)
		}
		if err == nil {
			t.Errorf("%s\nhas no error", src)
			return p.Term().String()
		}
		var list *syntax.Errors
		if !errors.As(err, &list) {
			t.Errorf("%s\nfails otherwise: %v", src, err)
		}
		return err.Error()
	}
	goldens(t, "errors.txt", message)
	goldens(t, "stumbles.txt", message)
}
