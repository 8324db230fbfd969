package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cmd/internal/command"
)

// atRoot makes the repository's root the working directory.
func atRoot(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	t.Chdir(root)
}

// answer is what a command line prints; it may be a pipe.
func answer(t *testing.T, line string) string { return answerOf(t, line, "") }

// answerOf is what a command line prints that reads input.
func answerOf(t *testing.T, line, input string) string {
	out := input
	for _, part := range strings.Split(line, " | gram ") {
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), strings.Fields(part), strings.NewReader(out), &stdout, &stderr)
		require.Equal(t, command.StatusDone, status, "%s: %s", line, stderr.String())
		out = stdout.String()
	}
	return out
}

// shown is a command of a page with what the page shows below it.
type shown struct{ command, text string }

// commandsOf returns those of a page whose commands are of the examples.
func commandsOf(t *testing.T, page string) []shown {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	var out []shown
	for _, block := range regexp.MustCompile("(?s)```text\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for _, part := range strings.Split("\n"+block[1], "\n$ gram ")[1:] {
			command, text, _ := strings.Cut(part, "\n")
			if strings.Contains(command, "examples/") {
				out = append(out, shown{command, strings.TrimSuffix(text, "\n") + "\n"})
			}
		}
	}
	return out
}

// TestDocs: what the pages show below a command is what it prints; a line … stands for lines
// that are left out.
func TestDocs(t *testing.T) {
	atRoot(t)
	for page, least := range map[string]int{"README.md": 8, "docs/figure-1.md": 10, "docs/fit.md": 4} {
		t.Run(page, func(t *testing.T) {
			found := commandsOf(t, page)
			require.GreaterOrEqual(t, len(found), least)
			for _, s := range found {
				printed := mask(answer(t, s.command))
				want := strings.ReplaceAll(regexp.QuoteMeta(mask(s.text)), "\n…\n", "\n(?:.*\n)*")
				require.Regexp(t, "^"+want+"$", printed, "gram %s", s.command)
			}
		})
	}
}

// TestReadmePrograms: README has an example as it stands, and its Go is that of an example of the library.
func TestReadmePrograms(t *testing.T) {
	atRoot(t)
	read := func(path string) string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(text)
	}
	readme := read("README.md")
	require.Contains(t, readme, "```\n"+read("examples/line.gram")+"```\n")
	found := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readme, -1)
	require.Len(t, found, 1)
	require.Contains(t, read("example_test.go"), regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(found[0][1], "\t$1"))
	for _, link := range regexp.MustCompile(`\]\(([^)#:]+)[)#]`).FindAllStringSubmatch(readme, -1) {
		_, err := os.Stat(link[1])
		require.NoError(t, err)
	}
}

// TestFigure1Docs: docs/figure-1.md has the program, and the numbers of section 2.4.
func TestFigure1Docs(t *testing.T) {
	atRoot(t)
	docs, err := os.ReadFile("docs/figure-1.md")
	require.NoError(t, err)
	program, err := os.ReadFile("examples/figure1.gram")
	require.NoError(t, err)
	require.Contains(t, string(docs), string(program[bytes.Index(program, []byte("input")):]))
	for _, number := range []string{"0.412", "−0.911", "−5.467", "5.467"} {
		require.Contains(t, string(docs), number)
	}
}

// pictures of the documents, and the commands that draw them.
var pictures = map[string]string{
	"docs/pictures/figure-1.svg":           "show examples/figure1.gram --stage ground --format svg",
	"docs/pictures/figure-3.svg":           "show examples/figure1.gram --stage bp --values --format svg",
	"docs/pictures/figure-1-memory.svg":    "trace examples/figure1.gram --svg --step 32",
	"docs/pictures/figure-1-meet.svg":      "trace examples/figure1.gram --svg --step 57 --before",
	"docs/pictures/figure-1-factored.svg":  "trace examples/figure1.gram --svg --step 57",
	"docs/pictures/figure-1-templates.svg": "show examples/figure1.gram --stage templates --format svg",
}

// TestDocsPictures: the pictures that are checked in are those that the commands draw.
func TestDocsPictures(t *testing.T) {
	atRoot(t)
	files, err := filepath.Glob("docs/pictures/*.svg")
	require.NoError(t, err)
	require.Len(t, files, len(pictures))
	for path, line := range pictures {
		svg, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, string(svg) == answer(t, line), "%s is not what gram %s draws", path, line)
		require.NotRegexp(t, `(fill|stroke|color)="#`, string(svg), "a colour that is the same on dark pages")
	}
}
