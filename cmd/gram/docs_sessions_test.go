package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cmd/internal/command"
)

// A session is a fenced block of a page with the info string "console": commands behind "$ ", each with what it prints, notes first.
// A line … stands for lines that are left out. A block that tests cannot run says what it needs: "console needs=network".
type session struct {
	needs    string
	commands []shown
}

// shown is a command of a page with what the page shows below it.
type shown struct{ line, text string }

var fence = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")

// sessionsOf returns the sessions of a page. Commands stand in no other block.
func sessionsOf(t *testing.T, text string) (out []session) {
	for _, block := range fence.FindAllStringSubmatch(text, -1) {
		needs, is := strings.CutPrefix(block[1], "console")
		if !is {
			require.NotRegexp(t, `(?m)^(\$|gram|go (run|test|tool|install)|npm|npx) `, block[2])
			continue
		}
		s := session{needs: strings.TrimPrefix(needs, " needs=")}
		body := strings.ReplaceAll("\n"+block[2], "\\\n", " ")
		require.True(t, strings.HasPrefix(body, "\n$ "), block[2])
		for _, part := range strings.Split(body, "\n$ ")[1:] {
			line, text, _ := strings.Cut(part, "\n")
			if text != "" && !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			s.commands = append(s.commands, shown{line, text})
		}
		out = append(out, s)
	}
	return out
}

// words divides a command line at spaces outside of quotes, up to a comment.
func words(line string) (out []string) {
	for _, w := range regexp.MustCompile(`(?:'[^']*'|[^\s'])+`).FindAllString(line, -1) {
		if strings.HasPrefix(w, "#") {
			break
		}
		out = append(out, strings.ReplaceAll(w, "'", ""))
	}
	return out
}

// perform runs a command line in the working folder and returns what it prints. A file that cat shows and that is not there is written
// with the text below the command.
func perform(t *testing.T, s shown) (printed string, status int) {
	var stdin bytes.Buffer
	for _, part := range strings.Split(strings.ReplaceAll(s.line, "go run ./cmd/gram ", "gram "), " | ") {
		var stdout, stderr bytes.Buffer
		args := words(part)
		switch last := args[len(args)-1]; args[0] {
		case "gram":
			status = run(t.Context(), args[1:], &stdin, &stdout, &stderr)
		case "cat":
			if _, err := os.Stat(last); err != nil {
				require.NoError(t, os.WriteFile(last, []byte(s.text), 0o666))
			}
			stdout.WriteString(readText(t, last))
		case "head":
			stdout.WriteString(strings.Join(strings.SplitAfter(readText(t, last), "\n")[:4], ""))
		case "sed":
			script := strings.Split(args[1], "/")
			require.Equal(t, []string{"s", ">"}, []string{script[0], args[3]})
			require.NoError(t, os.WriteFile(last, []byte(strings.ReplaceAll(readText(t, args[2]), script[1], script[2])), 0o666))
		case "go":
			require.Equal(t, []string{"tool", "pprof"}, args[1:3], s.line)
			cmd := exec.CommandContext(t.Context(), "go", args[1:]...)
			cmd.Stdout = &stdout // its notes name the files that it reads
			require.NoError(t, cmd.Run(), s.line)
		default:
			t.Fatalf("no test runs %s", s.line)
		}
		printed = stderr.String() + stdout.String()
		stdin = stdout
	}
	return printed, status
}

// requireFlags fails where a command of gram that does not run has flags that gram has not.
func requireFlags(t *testing.T, commands []shown) {
	for _, c := range commands {
		line, is := strings.CutPrefix(strings.Replace(c.line, "go run ./cmd/gram ", "gram ", 1), "gram ")
		if !is {
			continue
		}
		a := &command.App{}
		cmd, args, err := command.Root(a, everyCommand(a)...).Find(words(line))
		require.NoError(t, err, c.line)
		require.NoError(t, cmd.ParseFlags(args), c.line)
	}
}

// unmet are what tests lack, or how long they may not take, with the number of blocks that need it. With FULL_SIZE, those run that need
// seconds.
var unmet = map[string]int{"minutes": 31, "seconds": 9, "network": 2, "browser": 2, "beam": 1, "times": 1, "gradbench": 1}

// TestDocsSessions: the commands of all pages print what the pages show. A page is a session in a folder of its own, with the examples in it.
func TestDocsSessions(t *testing.T) {
	atRoot(t)
	root, err := os.Getwd()
	require.NoError(t, err)
	var pages []string
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || len(path) > 1 && d.Name()[0] == '.') {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	}))
	left := map[string]int{}
	for _, page := range pages {
		sessions := sessionsOf(t, readText(t, filepath.Join(root, page)))
		for _, s := range sessions {
			if s.needs != "" {
				left[s.needs]++
				requireFlags(t, s.commands)
			}
		}
		if len(sessions) == 0 {
			continue
		}
		t.Run(page, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join(root, "examples"))))
			t.Chdir(dir)
			for _, s := range sessions {
				if s.needs != "" && (s.needs != "seconds" || os.Getenv("FULL_SIZE") == "") {
					continue
				}
				for _, c := range s.commands {
					printed, status := perform(t, c)
					want := regexp.QuoteMeta(mask(c.text))
					require.Regexp(t, "^"+regexp.MustCompile(`(?m)^…\n`).ReplaceAllString(want, "(?:.*\n)*")+"$", mask(printed), c.line)
					require.True(t, status == command.StatusDone || strings.HasSuffix(c.line, "# fails"), c.line)
				}
			}
		})
	}
	require.Equal(t, unmet, left)
	require.True(t, slices.Contains(pages, "README.md"))
}
