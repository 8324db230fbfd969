package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// TestSourceToNumber: the functions of docs/source-to-number.md are in the files that it names, and its program and its code are those
// of the example.
func TestSourceToNumber(t *testing.T) {
	atRoot(t)
	page := readText(t, "docs/source-to-number.md")
	named := regexp.MustCompile("`(\\w+)`[^`|]*[|(] *`([\\w/]+\\.go)`").FindAllStringSubmatch(page, -1)
	require.Greater(t, len(named), 15)
	for _, n := range named {
		require.True(t, regexp.MustCompile(`(?m)^func (\(\w+ \*?\w+\) )?`+n[1]+`\(`).MatchString(readText(t, n[2])), "%s is not in %s", n[1], n[2])
	}
	blocks := regexp.MustCompile("(?s)\n```\n(.*?)```\n").FindAllStringSubmatch(page, -1)
	require.Len(t, blocks, 2)
	require.Contains(t, readText(t, "examples/figure1.gram"), blocks[0][1])
	require.True(t, strings.HasSuffix(answer(t, "show --stage code examples/figure1.gram"), blocks[1][1]))
}

// TestReadmeSpeed: the times beside C in README are those of BENCHMARKS.md.
func TestReadmeSpeed(t *testing.T) {
	atRoot(t)
	over := map[string]float64{}
	for _, row := range regexp.MustCompile(`(?m)^\| (W\d), [^|]*\|[^|]*\| ([\d.]+) \|`).FindAllStringSubmatch(readText(t, "BENCHMARKS.md"), -1) {
		ratio, err := strconv.ParseFloat(row[2], 64)
		require.NoError(t, err)
		over[row[1]] = ratio
	}
	require.Len(t, over, 5)
	loops := []float64{over["W1"], over["W3"], over["W4"]}
	require.Contains(t, strings.Join(strings.Fields(readText(t, "README.md")), " "), fmt.Sprintf(
		"takes %.1f to %.1f times as long as one by hand in C; with matrices of 256 × 256 it takes less", slices.Min(loops), slices.Max(loops)))
	require.Less(t, max(over["W2"], over["W5"]), 1.0)
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
	"docs/pictures/figure-1.svg":          "show examples/figure1.gram --stage ground --format svg",
	"docs/pictures/figure-3.svg":          "show examples/figure1.gram --stage bp --values --format svg",
	"docs/pictures/figure-1-memory.svg":   "trace examples/figure1.gram --svg --step 32",
	"docs/pictures/figure-1-meet.svg":     "trace examples/figure1.gram --svg --step 57 --before",
	"docs/pictures/figure-1-factored.svg": "trace examples/figure1.gram --svg --step 57",
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
		var width int
		_, err = fmt.Sscanf(string(svg[bytes.Index(svg, []byte("width=")):]), `width="%d"`, &width)
		require.NoError(t, err)
		require.LessOrEqual(t, width, 940, "letters of 12 pixels have 9 in a column of 700")
	}
}
