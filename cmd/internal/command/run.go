// Package command has what gram's programs share: the root of their commands with its help, how a command line is run
// and which status it ends with, the values of flags, the flags of programs that are loaded and run, errors, files that
// are read and files that are written whole or not at all, progress, and profiles of the process.
//
// # One run
//
// A run has one answer. The command that was asked for puts it in a buffer, and the buffer goes to standard output at
// the very end, in one write that is checked: a run that fails, reaches a limit or is interrupted leaves standard
// output empty. A search prints what it has found when it is interrupted. A trace is too long for a buffer: it is
// written as it is made, and what has been written stays; only a file that -o names is there whole or not at all. The
// address of the explorer's page is written when it is served. Everything else, errors and progress, goes to standard
// error. Who calls a run gives it the streams and a context:
//
//	Main  ─ signals → context ─→  Run  ─→  a command  ─→  package gram
//	                               │           └ buffer
//	                               └ error → message and exit status, or the buffer → standard output
//
// # Exit status
//
//	0    done, also when the reader of a pipe went away
//	1    the program is wrong, a file can't be read or written, a limit was reached
//	2    the command line is wrong
//	130  interrupted: SIGINT or SIGTERM
//
// An error decides its status by its type: what cobra and [UsageError] and [gram.UsageError] report is the command
// line; a [gram.LimitError] of the limit "interrupt" is an interruption; the rest is 1.
package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/limits"
)

// The exit statuses.
const (
	StatusDone        = 0
	StatusWrong       = 1
	StatusUsage       = 2
	StatusInterrupted = 130
)

// App is one run of a command line.
type App struct {
	Stdin  io.Reader
	Stdout io.Writer // for answers that are too long to be kept; others go to Out
	Stderr io.Writer
	Out    bytes.Buffer // the answer
	Color  bool         // the answer goes to a terminal with colours
	// Accepted reports that the flags and arguments are right. An error before that is a usage error.
	Accepted bool
	// Incomplete reports that the answer lacks something: it is printed, but the exit status is that of an error.
	Incomplete bool
	// Partial reports that the answer is what was found up to an interrupt: it is printed, but the exit status is that of
	// an interrupt.
	Partial bool
	Cache   *gram.Cache  // for all programs of the run, nil until a command makes it
	Line    *Line        // of progress, of a command that reads a program
	phase   func(string) // if not nil, is called when a phase of the work begins
}

// Run runs a command line and returns the exit status. commands returns the commands that it may call.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer,
	commands func(*App) []*cobra.Command) (status int) {
	defer func() {
		// The runtime would exit with 2, the status of a wrong command line.
		if fault := recover(); fault != nil {
			fmt.Fprintf(stderr, "gram: internal error: %v\n%s", fault, debug.Stack())
			status = StatusWrong
		}
	}()
	a := &App{Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Color: IsTerminal(stdout) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	root := Root(a, commands(a)...)
	defer func() { a.Cache.Close() }()
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		plainUsages(root)
	}
	root.SetArgs(append([]string{}, args...))
	root.SetIn(stdin)
	root.SetOut(&a.Out)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil && ctx.Err() != nil && !a.Partial {
		err = &gram.LimitError{Limit: "interrupt", Phase: "printing", Err: ctx.Err()}
	}
	if err != nil {
		return a.Fail(cmd.CommandPath(), err)
	}
	if a.Out.Len() > 0 {
		_, err = stdout.Write(a.Out.Bytes())
	}
	switch err = WriteError("the result", err); {
	case err != nil:
		fmt.Fprintf(stderr, "gram: %v\n", err)
		return StatusWrong
	case a.Partial:
		return StatusInterrupted
	case a.Incomplete:
		return StatusWrong
	}
	return StatusDone
}

// ErrServed is the error of a server that an interrupt has ended. That is the usual end, so profiles of the process are
// kept.
var ErrServed = &gram.LimitError{Limit: "interrupt", Phase: "serving", Err: context.Canceled}

// Fail prints the error of the command at path and returns its exit status.
func (a *App) Fail(path string, err error) int {
	var program *gram.Error
	var limit *gram.LimitError
	var own *UsageError
	var value *gram.UsageError
	switch {
	case !a.Accepted || errors.As(err, &own) || errors.As(err, &value):
		text := err.Error()
		if errors.As(err, &value) {
			text = value.Message("--")
		}
		fmt.Fprintf(a.Stderr, "gram: %s\n", strings.TrimRight(text, "\n"))
		fmt.Fprintf(a.Stderr, "Run '%s --help' for usage.\n", path)
		return StatusUsage
	case errors.As(err, &limit) && limit.Limit == "interrupt":
		fmt.Fprintf(a.Stderr, "gram: %s\n", limit)
		return StatusInterrupted
	case errors.As(err, &program):
		fmt.Fprintln(a.Stderr, strings.TrimRight(program.Text, "\n"))
	default:
		fmt.Fprintf(a.Stderr, "gram: %v\n", err)
	}
	return StatusWrong
}

// UsageError says that the command line is wrong.
type UsageError struct{ Text string }

// Error implements error.
func (e *UsageError) Error() string { return e.Text }

// Usagef returns a usage error with a text that is made as by [fmt.Sprintf].
//
//go:noinline
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// Misfit returns a usage error if wrong is true, and nil otherwise.
func Misfit(wrong bool, format string, args ...any) error {
	if !wrong {
		return nil
	}
	return Usagef(format, args...)
}

// LimitError returns the limit that an error says was reached in a phase: of memory, or of the context. It returns nil
// for other errors.
func LimitError(err error, phase string) error {
	var memory *limits.MemoryError
	switch {
	case errors.As(err, &memory):
		return &gram.LimitError{Limit: "memory", Max: memory.Max, Phase: phase, Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &gram.LimitError{Limit: "time", Phase: phase, Err: err}
	case errors.Is(err, context.Canceled):
		return &gram.LimitError{Limit: "interrupt", Phase: phase, Err: err}
	}
	return nil
}

// FileError describes a system error on a file that was to be read.
func FileError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if with := path + ".gram"; IsFile(with) {
			return fmt.Errorf("%s: no such file; did you mean %s?", path, with)
		}
		return fmt.Errorf("%s: no such file", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: permission denied", path)
	case errors.Is(err, syscall.EISDIR):
		return fmt.Errorf("%s: this is a directory, not a program", path)
	}
	if system, ok := errors.AsType[*fs.PathError](err); ok {
		err = system.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// IsFile reports whether there is a regular file at path.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Reads completes a command that reads the program in FILE and calls work with its path. check, if not nil, checks the
// command line first. The work has a bound on its time and shows its progress.
// Were it inlined, each of its callers would have code of its own for the function in it.
//
//go:noinline
func (a *App) Reads(cmd *cobra.Command, f *LoadFlags, check func(*cobra.Command) error,
	work func(ctx context.Context, path string) error) *cobra.Command {
	cmd.Args, cmd.ValidArgsFunction = OneFile, GramFiles
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if check != nil {
			if err := check(cmd); err != nil {
				return err
			}
		}
		if err := cmp.Or(checkSchedule(cmd), CheckOutputs(cmd, args[0])); err != nil {
			return err
		}
		a.Accepted = true
		ctx := cmd.Context()
		if f.Timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, time.Duration(f.Timeout))
			defer cancel()
		}
		o, err := f.Observe.Start(ctx)
		if err != nil {
			return err
		}
		if o != nil {
			a.phase = o.Phase
		}
		a.Line = a.NewLine(!f.JSON)
		inTime := a.EndLate(ctx, cmd.CommandPath())
		err = work(ctx, args[0])
		inTime()
		a.Line.Close()
		var limit *gram.LimitError
		if err != nil && ctx.Err() != nil && !errors.As(err, &limit) {
			err = LimitError(ctx.Err(), "loading") // reading of data was cut off
		}
		return o.End(err)
	}
	return cmd
}

// Read reads the program that the command line names. It returns its name, its text, and how it is loaded.
func (a *App) Read(ctx context.Context, path string, f *LoadFlags) (string, []byte, gram.Options, error) {
	most := f.BoundMemory()
	name, dir := ProgramName(path)
	src, err := a.ReadProgram(ctx, path, limits.New(ctx, most))
	return name, src, gram.Options{
		Params: f.Params, Sets: f.Sets, Inputs: f.Inputs, Dir: dir, MaxMemory: most, Cache: a.Cache,
		Progress: a.Line.Phase, Phase: a.phase, Stream: f.Stream, Seed: f.Seed.N, Body: f.Body,
		Open: func(path string) (fs.File, error) { return Open(ctx, path) },
	}, err
}

// CommandLine returns the command line of a command for a shell: with the program at path, and those flags of this
// command line that are wanted, or without any all. Files are named without their folders.
func (f *LoadFlags) CommandLine(command, path string, wanted ...string) string {
	if path != "-" {
		path = filepath.Base(path)
	}
	words := []string{"gram", command, path}
	f.Given(func(flag *pflag.Flag) {
		text := flag.Value.String()
		values := []string{text}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		kind, _ := pflag.UnquoteUsage(flag)
		switch {
		case wanted != nil && !slices.Contains(wanted, flag.Name):
			return
		case flag.Name == "set":
			values = f.SetsByName()
		case flag.NoOptDefVal == text:
			words, values = append(words, "--"+flag.Name), nil
		case kind == "file", kind == "FILE":
			values = []string{filepath.Base(text)}
		}
		for _, v := range values {
			words = append(words, "--"+flag.Name, v)
		}
	})
	return strings.Join(syntax.Each(len(words), func(i int) string { return Quote(words[i]) }), " ")
}

// SetsByName returns the values of --set, with the names of files without their folders.
func (f *LoadFlags) SetsByName() []string {
	out := slices.Clone(f.Sets)
	for i, set := range out {
		if s, err := load.ParseSet(set); err == nil && s.Path() != "" {
			out[i] = strings.Replace(set, s.Path(), filepath.Base(s.Path()), 1)
		}
	}
	return out
}

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

	handled = func() {
		p := probe(make(chan struct{}))
		signals <- p
		<-p
	}
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
	for first := true; ; {
		switch s := (<-signals).(type) {
		case probe:
			close(s)
		default:
			if !first {
				exit(StatusInterrupted)
				return
			}
			cancel()
			first = false
		}
	}
}

// probe is closed when the signals in front of it have been handled.
type probe chan struct{}

func (probe) Signal()        {}
func (probe) String() string { return "probe" }

// handled returns when the signals that the process has got have been handled.
var handled = func() {}

// Elsewhere returns a command that is a program of its own, gram-NAME: so gram itself is built without what only that
// command links. The program stands beside gram. Where go run has built gram, it builds the program, too.
func Elsewhere(a *App, name, short string) *cobra.Command {
	cmd := &cobra.Command{
		Use: name, Short: short, DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			a.Accepted = true
			path, all, err := companion("gram-"+name, append([]string{name}, args...))
			if err != nil {
				return err
			}
			return become(c.Context(), path, all)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, last string) ([]string, cobra.ShellCompDirective) {
			return completions(name, append(args, last))
		},
	}
	cmd.SetHelpFunc(func(c *cobra.Command, _ []string) {
		path, all, err := companion("gram-"+name, []string{name, "--help"})
		if err == nil {
			err = become(c.Context(), path, all)
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
