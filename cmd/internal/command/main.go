package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// Main runs the command line of the process, and ends it. commands returns the commands that it may call.
func Main(commands func(*App) []*cobra.Command) {
	// Otherwise the runtime ends the process at a write to a closed pipe. Now the write fails with EPIPE.
	signal.Ignore(syscall.SIGPIPE)

	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go watch(signals, cancel, func(status int) {
		fmt.Fprintln(os.Stderr, "gram: interrupted, and ended at once")
		Exit(status)
	})

	exitLate = Exit
	Exit(Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, commands))
}

// exitLate ends the process, if it is not nil: it is nil where Run is called by another program, a test.
var exitLate func(status int)

// lateness is how much processor time a command may take after a limit of time or an interrupt, and maxLateness how
// long it may take where others have the processors.
const (
	lateness    = 70 * time.Millisecond
	maxLateness = 2 * time.Second
)

var started = time.Now()

// EndLate ends the process when ctx is done and the command goes on working for too long. Every loop that is known to
// take long looks at ctx; EndLate is for the others. The command calls the function that it returns when its work is
// over.
func (a *App) EndLate(ctx context.Context, path string) (inTime func()) {
	var over atomic.Bool
	stop := context.AfterFunc(ctx, func() {
		if exitLate == nil {
			return
		}
		since, before := time.Now(), processorTime()
		for processorTime()-before < lateness && time.Since(since) < maxLateness {
			time.Sleep(lateness / 10)
		}
		if over.CompareAndSwap(false, true) {
			exitLate(a.Fail(path, LimitError(ctx.Err(), "working")))
		}
	})
	return func() {
		stop()
		if !over.CompareAndSwap(false, true) {
			select {} // the process is ending
		}
	}
}

// watch cancels the run at the first signal, and exits at the second if the run has not ended by then.
func watch(signals <-chan os.Signal, cancel func(), exit func(int)) {
	<-signals
	cancel()
	<-signals
	exit(StatusInterrupted)
}

// Elsewhere returns a command that is a program of its own, gram-NAME: so gram itself is built without what only that
// command links. The program stands beside gram. Where go run has built gram, it builds the program, too.
func Elsewhere(a *App, name, short string) *cobra.Command {
	cmd := &cobra.Command{
		Use: name, Short: short, DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			a.Accepted = true
			path, all, err := companion("gram-"+name, append([]string{name}, args...))
			if err != nil {
				return err
			}
			return become(path, all)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, last string) ([]string, cobra.ShellCompDirective) {
			return completions(name, append(args, last))
		},
	}
	cmd.SetHelpFunc(func(*cobra.Command, []string) {
		path, all, err := companion("gram-"+name, []string{name, "--help"})
		if err == nil {
			err = become(path, all)
		}
		a.Out.WriteString(short + ".\n" + err.Error() + "\n")
		a.Incomplete = true
	})
	return cmd
}

// completions returns what the program of a command completes.
func completions(name string, args []string) ([]string, cobra.ShellCompDirective) {
	path, all, err := companion("gram-"+name, append([]string{cobra.ShellCompRequestCmd, name}, args...))
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	out, err := exec.Command(path, all...).Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	directive, wrong := strconv.Atoi(strings.TrimPrefix(lines[len(lines)-1], ":"))
	if err != nil || wrong != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return lines[:len(lines)-1], cobra.ShellCompDirective(directive)
}

// ofGoRun reports whether go run has built the program in dir: it runs it from a temporary folder, and later from its
// cache.
func ofGoRun(tool, dir string) bool {
	if filepath.Base(dir) == "exe" {
		return true
	}
	cache, err := exec.Command(tool, "env", "GOCACHE").Output()
	root := strings.TrimSpace(string(cache))
	return err == nil && root != "" && strings.HasPrefix(dir, root+string(filepath.Separator))
}

// companion returns the command line of a program that belongs to gram.
func companion(program string, args []string) (path string, all []string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	dir := filepath.Dir(self)
	path = filepath.Join(dir, program)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if _, err = os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, args, err
	}
	const folder = "github.com/gram-machine/gram/cmd/"
	if tool, err := exec.LookPath("go"); err == nil && ofGoRun(tool, dir) {
		return tool, append([]string{"run", folder + program}, args...), nil
	}
	return "", nil, errors.New("the program " + program + " is not beside gram: go install " + folder +
		"... installs both")
}
