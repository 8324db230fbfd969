package main

import (
	"bytes"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// atRoot makes the repository's root the working directory.
func atRoot(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	t.Chdir(root)
}

// answer is what a command line prints; it may be a pipe.
func answer(t *testing.T, line string) string {
	out := ""
	for _, command := range strings.Split(line, " | gram ") {
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), strings.Fields(command), strings.NewReader(out), &stdout, &stderr)
		require.Equal(t, statusDone, status, "%s: %s", line, stderr.String())
		out = stdout.String()
	}
	return out
}

// TestFigure1Docs: what docs/figure-1.md shows is what its commands print.
func TestFigure1Docs(t *testing.T) {
	atRoot(t)
	docs, err := os.ReadFile("docs/figure-1.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```text\n\\$ gram ([^\n]*)\n(.*?)```").FindAllStringSubmatch(string(docs), -1)
	require.Len(t, blocks, strings.Count(string(docs), "$ gram "))
	require.Greater(t, len(blocks), 5)
	for _, b := range blocks {
		require.Equal(t, mask(b[2]), mask(answer(t, b[1])), "gram %s", b[1])
	}
	program, err := os.ReadFile("examples/figure1.gram")
	require.NoError(t, err)
	require.Contains(t, string(docs), string(program[bytes.Index(program, []byte("input")):]))
	for _, number := range []string{"0.412", "−0.911", "−5.467", "5.467"} {
		require.Contains(t, string(docs), number)
	}
}

// pictures of the documents, and the commands that draw them.
var pictures = map[string]string{
	"docs/pictures/figure-1.svg":           "show examples/figure1.gram --stage ground --format dot",
	"docs/pictures/figure-3.svg":           "show examples/figure1.gram --stage bp --values --format dot",
	"docs/pictures/figure-1-memory.svg":    "trace examples/figure1.gram --dot --step 41",
	"docs/pictures/figure-1-templates.svg": "show examples/figure1.gram --stage code --format dot",
}

// TestDocsPictures: the pictures that are checked in have the nodes, edges and numbers
// of the graphs that the commands draw.
func TestDocsPictures(t *testing.T) {
	atRoot(t)
	files, err := filepath.Glob("docs/pictures/*.svg")
	require.NoError(t, err)
	require.Len(t, files, len(pictures))
	element := regexp.MustCompile(`(?m)^  (\w+(?: -> \w+)?) \[`)
	title := regexp.MustCompile(`(?s)class="(?:node|edge)">\s*<title>([^<]*)</title>`)
	word := regexp.MustCompile(`>([^<>\n]+)<`)
	label := regexp.MustCompile(`label=(?:"([^"]*)"|<(.*?)>, \w+=)`)
	for path, line := range pictures {
		svg, err := os.ReadFile(path)
		require.NoError(t, err)
		dot := answer(t, line)
		var want, got []string
		for _, m := range element.FindAllStringSubmatch(dot, -1) {
			if name := strings.ReplaceAll(m[1], " ", ""); name != "graph" && name != "node" && name != "edge" {
				want = append(want, name)
			}
		}
		for _, m := range title.FindAllStringSubmatch(string(svg), -1) {
			got = append(got, html.UnescapeString(m[1]))
		}
		require.ElementsMatch(t, want, got, path)
		drawn := strings.ReplaceAll(html.UnescapeString(string(svg)), "\u00a0", " ")
		for _, m := range label.FindAllStringSubmatch(dot, -1) {
			words := [][]string{{"", m[1]}}
			if m[1] == "" {
				words = word.FindAllStringSubmatch(">"+m[2]+"<", -1)
			}
			for _, w := range words {
				require.True(t, strings.Contains(drawn, w[1]), "%s lacks %q", path, w[1])
			}
		}
	}
}
