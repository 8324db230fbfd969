package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestErrors parses the malformed programs of testdata/errors. A file is a program,
// a line "----", and what is reported; UPDATE=1 writes that.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.txt")
	require.NoError(t, err)
	require.Greater(t, len(files), 60)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		src, want, ok := strings.Cut(string(text), "\n----\n")
		require.True(t, ok, name)
		f, ds, err := Parse("p.gram", []byte(src), Options{})
		require.NoError(t, err)
		require.NotEmpty(t, ds, name)
		got := NewErrors(f, ds).Error() + "\n"
		if os.Getenv("UPDATE") != "" {
			require.NoError(t, os.WriteFile(name, []byte(src+"\n----\n"+got), 0o644))
			continue
		}
		assert.Equal(t, want, got, name)
	}
}

// TestTooManyErrors stops after twenty.
func TestTooManyErrors(t *testing.T) {
	f, ds, err := Parse("p.gram", []byte(strings.Repeat("def f x = (\n", 100)), Options{})
	require.NoError(t, err)
	assert.Len(t, ds, MaxDiagnostics)
	assert.Contains(t, NewErrors(f, ds).Error(), "too many errors")
	assert.Equal(t, 1, strings.Count(NewErrors(f, ds).Error(), "too many errors"))
}

// TestRenderExample renders the example of the language's description.
func TestRenderExample(t *testing.T) {
	src := "\n\n\n\ndef cell x h = sigmoid (x, h)\n0"
	f := mustParse(t, src)
	at := uint32(strings.Index(src, "(x, h)"))
	err := NewErrors(f, []Diagnostic{{Span: Span{at, at + 6}, Headline: "type mismatch",
		Label: "this is R * R, but sigmoid takes R"}})
	assert.Equal(t, `t.gram:5:24: type mismatch
  5 | def cell x h = sigmoid (x, h)
    |                        ^^^^^^ this is R * R, but sigmoid takes R`, err.Error())
}

func TestRender(t *testing.T) {
	tests := []struct {
		name, src string
		d         Diagnostic
		want      string
	}{
		{"note with a place", "abc\ndef", Diagnostic{Span: Span{4, 7}, Headline: "h", Notes: []Note{{Span{0, 3}, "see"}, {Text: "hint"}}},
			"t:2:1: h\n  2 | def\n    | ^^^\n  1 | abc\n    | ^^^ see\n    = hint\n"},
		{"wide numbers", strings.Repeat("x\n", 10), Diagnostic{Span: Span{18, 19}, Headline: "h", Notes: []Note{{Span{2, 3}, "see"}}},
			"t:10:1: h\n  10 | x\n     | ^\n   2 | x\n     | ^ see\n"},
		{"many lines", "ab\ncd", Diagnostic{Span: Span{1, 5}, Headline: "h"}, "t:1:2: h\n  1 | ab\n    |  ^\n"},
		{"at the end", "ab\n", Diagnostic{Span: Span{3, 3}, Headline: "h"}, "t:2:1: h\n  2 | \n    | ^\n"},
		{"after the line", "ab\ncd", Diagnostic{Span: Span{2, 2}, Headline: "h"}, "t:1:3: h\n  1 | ab\n    |   ^\n"},
		{"tab", "\ta\tb", Diagnostic{Span: Span{3, 4}, Headline: "h"}, "t:1:4: h\n  1 |     a   b\n    |         ^\n"},
		{"wide runes", "日本x", Diagnostic{Span: Span{3, 7}, Headline: "h"}, "t:1:2: h\n  1 | 日本x\n    |   ^^^\n"},
		{"controls", "\x1b[1mx\xff", Diagnostic{Span: Span{4, 5}, Headline: "h"}, "t:1:5: h\n  1 | \ufffd[1mx\ufffd\n    |     ^\n"},
		{"past the end", "ab", Diagnostic{Span: Span{90, 99}, Headline: "h"}, "t:1:3: h\n  1 | ab\n    |   ^\n"},
		{"another file", "", Diagnostic{File: "w.csv", Line: 12, Col: 3, Headline: "not a number", Label: "here"},
			"w.csv:12:3: not a number\n     = here\n"},
		{"another file, no line", "", Diagnostic{File: "w.csv", Headline: "no such file"}, "w.csv: no such file\n"},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, NewFile("t", []byte(tt.src)).Render(tt.d), tt.name)
	}
}

func TestPlace(t *testing.T) {
	f := NewFile("t", []byte("ab\n\u00e9\u00e9 = (x,\n y)\n"))
	for _, tt := range []struct {
		name             string
		d                Diagnostic
		line, col, width int
		foreign          string
	}{
		{"a word", Diagnostic{Span: Span{0, 2}}, 1, 1, 2, ""},
		{"runes", Diagnostic{Span: Span{5, 9}}, 2, 2, 3, ""},
		{"two lines", Diagnostic{Span: Span{10, 17}}, 2, 6, 3, ""},
		{"nothing", Diagnostic{Span: Span{3, 3}}, 2, 1, 1, ""},
		{"after the line", Diagnostic{Span: Span{2, 3}}, 1, 3, 1, ""},
		{"past the end", Diagnostic{Span: Span{90, 99}}, 4, 1, 1, ""},
		{"another file", Diagnostic{File: "w.csv", Line: 12, Col: 3, Notes: []Note{{Text: "hint"}, {Span: Span{0, 2}}}}, 1, 1, 2, "w.csv:12:3"},
		{"another file alone", Diagnostic{File: "w.csv"}, 0, 0, 0, "w.csv"},
	} {
		line, col, width := f.Place(tt.d)
		assert.Equal(t, []int{tt.line, tt.col, tt.width}, []int{line, col, width}, tt.name)
		assert.Equal(t, tt.foreign, f.Foreign(tt.d), tt.name)
	}
}

// TestRenderLong shows a part of a line of a megabyte.
func TestRenderLong(t *testing.T) {
	src := strings.Repeat("a + ", 1<<18) + "b" + strings.Repeat(" + a", 1<<18)
	f := NewFile("t", []byte(src))
	got := f.Render(Diagnostic{Span: Span{1 << 20, 1<<20 + 1}, Headline: "h", Label: "here"})
	lines := strings.Split(got, "\n")
	assert.Equal(t, "t:1:1048577: h", lines[0])
	assert.Less(t, len(lines[1]), 120)
	assert.True(t, strings.HasPrefix(lines[1], "  1 | …") && strings.HasSuffix(lines[1], "…"), lines[1])
	caret := strings.Index(lines[2], "^")
	assert.Equal(t, 'b', []rune(lines[1])[caret])
}

// TestErrorsOrder sorts and removes what is there twice.
func TestErrorsOrder(t *testing.T) {
	f := NewFile("t", []byte("ab"))
	d := func(at uint32, h string) Diagnostic { return Diagnostic{Span: Span{at, at + 1}, Headline: h} }
	err := NewErrors(f, []Diagnostic{d(1, "x"), d(0, "y"), d(1, "x"), {File: "b", Headline: "z"}})
	assert.Equal(t, "t:1:1: y\n  1 | ab\n    | ^\nt:1:2: x\n  1 | ab\n    |  ^\nb: z", err.Error())
	assert.NoError(t, NewErrors(f, nil))
}

func TestSuggest(t *testing.T) {
	known := []string{"sigmoid", "sin", "fold", "foldl", "eps", "x"}
	for name, want := range map[string]string{
		"sigmiod": "sigmoid", "sigmod": "sigmoid", "sni": "sin", "flod": "fold", "folld": "fold", "espilon": "",
		"y": "", "epss": "eps", "sin": "", "banana": "",
	} {
		assert.Equal(t, want, Suggest(name, known), name)
	}
}
