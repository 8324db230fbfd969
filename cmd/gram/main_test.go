package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"go.uber.org/goleak"

	"github.com/gram-machine/gram/cmd/internal/command"
)

func TestMain(m *testing.M) {
	programs := map[string]func(){"gram": main}
	for name, c := range companions {
		programs["gram-"+name] = func() {
			command.Main(func(a *command.App) []*cobra.Command { return []*cobra.Command{c(a)} })
		}
	}
	testscript.Main(leakFree{m}, programs)
}

// leakFree runs the tests and fails if they left goroutines behind.
type leakFree struct{ m *testing.M }

func (l leakFree) Run() int {
	code := l.m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// TestScript runs the scripts in testdata/script. They have the condition full, that FULL_SIZE is set, and
// these commands more:
//
//	run PROGRAM ARGS…          is exec, but gram runs in this process if it can: a start takes longer than what most do
//	status N PROGRAM ARGS…     is run; the exit status is N
//	interrupt SIGNAL N PROGRAM ARGS…
//	                           runs a program, which reads standard input, sends it
//	                           the signal when it has begun to; its exit status is N
//	                           and standard output stays empty
//	same stdout FILE           compares but for times, overhead, nodes and version
//	profile FILE               prints what a pprof profile holds
//	regions FILE               prints the regions of an execution trace
//	visit SIGNAL N PATH PROGRAM ARGS…
//	                           runs a program that serves a page, asks it for the path
//	                           and sends it the signal; its exit status is N. The answer,
//	                           standard output and standard error go to the files
//	                           answer, out and err
func TestScript(t *testing.T) {
	scripts, err := filepath.Abs("testdata/script") // the working folder changes
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 scripts,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0")                          // the race detector's second for each command
			env.Setenv("GRAM_PATH", filepath.SplitList(env.Getenv("PATH"))[0]) // a path that has no other commands
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "full" {
				return false, fmt.Errorf("there is no condition %s", name)
			}
			return os.Getenv("FULL_SIZE") != "", nil // what takes long, in full
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"run": runCommand, "status": statusCommand, "interrupt": interruptCommand, "same": sameCommand,
			"profile": profileCommand, "regions": regionsCommand, "visit": visitCommand,
		},
	})
}

func statusCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program args…")
	}
	if got := statusOf(ts, args[1], args[2:]); strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d, not %s", got, args[0])
	}
}

func runCommand(ts *testscript.TestScript, neg bool, args []string) {
	if got := statusOf(ts, args[0], args[1:]); (got != 0) != neg {
		ts.Fatalf("exit status %d", got)
	}
}

// alone matches command lines that have a process of their own: they are about the process, use its streams, or run
// programs.
var alone = regexp.MustCompile(` (-|--(cpuprofile|memprofile|trace|max-memory|timeout|time|peers|adversary)(=.*)?|` +
	`completion|explore|fit|lsp|version|--version) `)

// here is held while a command runs in this process, in the folder of its script.
var here sync.Mutex

// statusOf runs a program, and returns its exit status.
func statusOf(ts *testscript.TestScript, program string, args []string) int {
	if program != "gram" || alone.MatchString(" "+strings.Join(args, " ")+" ") {
		return exitStatus(ts, ts.Exec(program, args...))
	}
	here.Lock()
	defer here.Unlock()
	folder, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(folder)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	return command.Run(context.Background(), args, strings.NewReader(""), ts.Stdout(), ts.Stderr(), everyCommand)
}

// exitStatus is the exit status of a program that has ended with an error or none.
func exitStatus(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	ts.Check(err)
	return 0
}

func checkStatus(ts *testscript.TestScript, want string, err error) {
	if got := exitStatus(ts, err); strconv.Itoa(got) != want {
		ts.Fatalf("exit status %d, not %s", got, want)
	}
}

var signals = map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM}

func interruptCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || signals[args[0]] == nil {
		ts.Fatalf("usage: interrupt INT|TERM N program args…")
	}
	var out, errs strings.Builder
	path, err := exec.LookPath(args[2])
	ts.Check(err)
	cmd := exec.Command(path, args[3:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), &out, &errs
	in, err := cmd.StdinPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	// More than a pipe holds: what is written has been read for the most part, and
	// the program is far beyond its start.
	_, err = io.WriteString(in, ts.ReadFile("stdin.gram")+strings.Repeat("-- padding\n", 1<<16))
	ts.Check(err)
	if ts.Getenv("KEEP_OPEN") == "" {
		ts.Check(in.Close())
	}
	time.Sleep(100 * time.Millisecond)
	ts.Check(cmd.Process.Signal(signals[args[0]]))
	err = cmd.Wait()
	in.Close()
	ts.Logf("[stdout]\n%s[stderr]\n%s", out.String(), errs.String())
	checkStatus(ts, args[1], err)
	if out.Len() > 0 {
		ts.Fatalf("an interrupted run printed a result")
	}
	if !strings.Contains(errs.String(), "interrupted") {
		ts.Fatalf("an interrupted run does not say so")
	}
}

var masks = []struct{ find, put string }{
	{`"version": "[^"]*"`, `"version": _`},
	{`("(?:arenaBytes|load|compile|reduce|reduceMedian|nsPerStep)"): [-+.e0-9]+`, `$1: _`},
	{`("(?:overhead|nodes|cache)"): \{[^}]*\}`, `$1: _`},
	{`(?m)^(overhead|nodes|time) .*$`, `$1 _`},
}

// mask replaces what differs from run to run, and from one version to the next.
func mask(text string) string {
	for _, m := range masks {
		text = regexp.MustCompile(m.find).ReplaceAllString(text, m.put)
	}
	return text
}

func sameCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same stdout FILE")
	}
	got, want := mask(ts.ReadFile(args[0])), mask(ts.ReadFile(args[1]))
	if got != want {
		ts.Fatalf("%s is\n%s\nnot\n%s", args[0], got, want)
	}
}
