package peers

import (
	"bufio"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// dialect is how one talks to a program: it gets a text, and answers with lines.
type dialect struct {
	hello string // the first text that it gets; it answers when it is ready
	ask   func(Task) string
	last  string // how the last line of an answer begins
	parse func(lines []string) (Answer, error)
}

// served is the dialect of programs/serve.h.
var served = dialect{ask: func(Task) string { return "run\n" }, parse: parseJSON}

// maudeDialect is that of Maude with programs/poly.maude.
var maudeDialect = dialect{
	hello: "reduce ready .\n",
	ask:   func(t Task) string { return fmt.Sprintf("reduce run(%d) .\n", t.N) },
	last:  "result ",
	parse: parseMaude,
}

// process is a program that runs beside this one, for one task.
type process struct {
	dialect
	task    Task
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	errs    *strings.Builder
	kill    func()        // ends the program and waits for it; what it still prints is dropped
	timeout time.Duration // of one answer
	base    float64       // its peak memory when it was ready
}

// startProcess starts a command in the folder dir, and waits until it is ready.
func startProcess(ctx context.Context, dir string, command []string, t Task, d dialect,
	timeout time.Duration) (*runner, error) {
	p := &process{dialect: d, task: t, cmd: exec.Command(command[0], command[1:]...), errs: &strings.Builder{},
		timeout: timeout}
	p.cmd.Dir, p.cmd.Stderr, p.cmd.WaitDelay = dir, &head{p.errs}, time.Second
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewScanner(out)
	p.out.Buffer(nil, longestLine)
	p.kill = sync.OnceFunc(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	if _, err := p.tell(ctx, d.hello); err != nil {
		p.close()
		return nil, err
	}
	p.base = peakMemory(p.cmd.Process.Pid)
	return &runner{p.turn, p.bytes, p.close}, nil
}

// head keeps the beginning of what is written to it.
type head struct{ *strings.Builder }

func (h *head) Write(text []byte) (int, error) {
	const most = 4096
	h.Builder.Write(text[:min(len(text), max(0, most-h.Len()))])
	return len(text), nil
}

// tell writes to the program, and returns the lines that it answers. A program that takes too long is ended.
func (p *process) tell(ctx context.Context, text string) (lines []string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.timeout, fmt.Errorf("it did not answer in %v", p.timeout))
	defer cancel()
	defer context.AfterFunc(ctx, p.kill)()
	_, err = io.WriteString(p.in, text)
	for err == nil && p.out.Scan() {
		if lines = append(lines, p.out.Text()); strings.HasPrefix(p.out.Text(), p.last) {
			return lines, nil
		}
		if len(lines) > mostLines {
			p.kill()
			return nil, fmt.Errorf("it printed %s, and on and on", shown(lines[0]))
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, p.ended()
}

// longestLine is how many bytes a line may have: those of half a million numbers, the gradient of w5 with k = 256, and
// more.
const longestLine = 32 << 20

// mostLines is how many lines an answer may have.
const mostLines = 1000

// ended tells that the program has stopped talking, and what it said of that.
func (p *process) ended() error {
	p.kill()
	if text := strings.TrimSpace(p.errs.String()); text != "" {
		return fmt.Errorf("it ended: %s", shown(lastLine(text)))
	}
	return errors.New("it ended")
}

// lastLine is the last line of a text: what an interpreter says after its trace.
func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// turn takes one time.
func (p *process) turn(ctx context.Context) (Answer, error) {
	lines, err := p.tell(ctx, p.ask(p.task))
	if err != nil {
		return Answer{}, err
	}
	return p.parse(lines)
}

// leastMemory is the least growth of a program's memory that is reported: libraries that are read on first
// use, and what allocators reserve, are hundreds of kB.
const leastMemory = 1 << 20

// bytes is the program's peak resident memory beyond that when it was ready; 0 where the system doesn't tell,
// and if it is less than 1 MiB.
func (p *process) bytes() float64 {
	if peak := peakMemory(p.cmd.Process.Pid); p.base > 0 && peak-p.base >= leastMemory {
		return peak - p.base
	}
	return 0
}

// close ends the program.
func (p *process) close() {
	_ = p.in.Close()
	p.kill()
}

// peakMemory is the peak resident memory of a process in bytes; 0 elsewhere than on Linux.
func peakMemory(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kB float64
		if _, err := fmt.Sscanf(line, "VmHWM: %f kB", &kB); err == nil {
			return kB * 1024
		}
	}
	return 0
}

//go:embed programs
var programs embed.FS

// compileTime is how long a compiler, or an interpreter that looks for a library, may take.
const compileTime = 2 * time.Minute

// compiler says how a program is compiled.
type compiler struct {
	source    string   // in programs
	compilers []string // that may be there, the first one first
	libraries []string
	missing   []string // what the compiler says if a library is not installed
}

var (
	compileC     = compiler{source: "hand.c", compilers: []string{"cc", "gcc", "clang"}, libraries: []string{"-lm"}}
	compileADOLC = compiler{source: "adolc.cpp", compilers: []string{"g++", "c++", "clang++"},
		libraries: []string{"-ladolc"},
		missing:   []string{"adolc/adolc.h", "-ladolc"}}
	compileCoDiPack = compiler{source: "codipack.cpp", compilers: compileADOLC.compilers, missing: []string{"codi.hpp"}}
	compileBLAS     = compiler{source: "blas.c", compilers: compileC.compilers, libraries: []string{"-lopenblas", "-lm"},
		missing: []string{"cblas.h", "-lopenblas"}}
)

// compiled finds a program by compiling it, once for each folder.
func compiled(c compiler, args ...string) Finder {
	return func(ctx context.Context, dir string) ([]string, error) {
		binary := filepath.Join(dir, strings.ReplaceAll(c.source, ".", "-")+".exe")
		if _, err := os.Stat(binary); err != nil {
			if err := c.compile(ctx, dir, binary); err != nil {
				return nil, err
			}
		}
		return append([]string{binary}, args...), nil
	}
}

// compile compiles the program with the first compiler that is there.
func (c *compiler) compile(ctx context.Context, dir, binary string) error {
	path, err := first(c.compilers)
	if err != nil {
		return err
	}
	for _, name := range []string{"serve.h", "recorded.h", c.source} {
		if err := extract(dir, name); err != nil {
			return err
		}
	}
	errs, err := output(ctx, dir, append([]string{path, "-O3", "-o", binary, c.source}, c.libraries...))
	if err == nil {
		return nil
	}
	if slices.ContainsFunc(c.missing, func(sign string) bool { return strings.Contains(errs, sign) }) {
		return ErrMissing
	}
	said, _, _ := strings.Cut(strings.TrimSpace(errs), "\n")
	return fmt.Errorf("%s does not compile: %w: %s", c.source, err, shown(said))
}

// first is the path of the first command that is there.
func first(commands []string) (string, error) {
	for _, name := range commands {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrMissing
}

// extract writes a program of ours into the folder.
func extract(dir, name string) error {
	text, err := programs.ReadFile("programs/" + name)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), text, 0o666)
}

// output runs a command to its end. It returns what the command says of errors.
func output(ctx context.Context, dir string, command []string) (errs string, err error) {
	ctx, cancel := context.WithTimeout(ctx, compileTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	var stderr strings.Builder
	cmd.Dir, cmd.Stderr, cmd.WaitDelay = dir, &head{&stderr}, time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("it was not done in %v", compileTime)
	}
	return stderr.String(), err
}

// findPyTorch finds a Python that has torch: that may not be the first on the path.
func findPyTorch(ctx context.Context, dir string) ([]string, error) {
	err := ErrMissing
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		path, lookErr := exec.LookPath(filepath.Join(folder, "python3"))
		if folder == "" || lookErr != nil {
			continue
		}
		errs, runErr := output(ctx, dir, []string{path, "-c", "import torch"})
		switch {
		case runErr == nil:
			return []string{path, filepath.Join(dir, "pytorch.py")}, extract(dir, "pytorch.py")
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !strings.Contains(errs, "No module named"):
			err = fmt.Errorf("import torch: %w: %s", runErr, shown(lastLine(strings.TrimSpace(errs))))
		}
	}
	return nil, err
}

// findMaude finds Maude with its prelude.
func findMaude(_ context.Context, dir string) ([]string, error) {
	path, err := first([]string{"maude"})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "poly.maude")
	return []string{path, "-no-banner", "-no-advise", "-no-wrap", file}, extract(dir, "poly.maude")
}
