package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cmd/internal/command"
)

// words divides a command line at spaces outside of quotes.
func words(line string) (out []string) {
	for _, w := range regexp.MustCompile(`(?:'[^']*'|[^\s'])+`).FindAllString(line, -1) {
		out = append(out, strings.ReplaceAll(w, "'", ""))
	}
	return out
}

// sessions are the pages whose commands go on from one block to the next, in a folder of their own.
var sessions = []string{"docs/tables.md"}

// TestDocsSessions: a page that is a session makes the files that it shows by cat, and its other commands print what it shows: notes first.
func TestDocsSessions(t *testing.T) {
	atRoot(t)
	for _, page := range sessions {
		text := readText(t, page)
		t.Chdir(t.TempDir())
		commands := 0
		for _, block := range regexp.MustCompile("(?s)```text\n(.*?)```").FindAllStringSubmatch(text, -1) {
			for _, part := range strings.Split("\n"+block[1], "\n$ ")[1:] {
				line, want, _ := strings.Cut(part, "\n")
				if want = strings.TrimSuffix(want, "\n"); want != "" {
					want += "\n"
				}
				args := words(line)
				switch _, err := os.Stat(args[len(args)-1]); {
				case args[0] == "cat" && err != nil:
					require.NoError(t, os.WriteFile(args[1], []byte(want), 0o666))
				case args[0] == "cat":
					require.Equal(t, want, readText(t, args[1]), line)
				case args[0] == "head":
					require.Equal(t, want, strings.Join(strings.SplitAfter(readText(t, args[2]), "\n")[:4], ""), line)
				default:
					require.Equal(t, "gram", args[0])
					var stdout, stderr bytes.Buffer
					status := run(t.Context(), args[1:], strings.NewReader(""), &stdout, &stderr)
					require.Equal(t, command.StatusDone, status, "%s: %s", line, stderr.String())
					require.Equal(t, want, mask(stderr.String()+stdout.String()), line)
					commands++
				}
			}
		}
		require.NotZero(t, commands, page)
	}
}
