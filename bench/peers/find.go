package peers

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

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
	_, errs, err := output(ctx, dir, append([]string{path, "-O3", "-o", binary, c.source}, c.libraries...))
	if err == nil {
		return nil
	}
	for _, sign := range c.missing {
		if strings.Contains(errs, sign) {
			return ErrMissing
		}
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

// output runs a command to its end.
func output(ctx context.Context, dir string, command []string) (out, errs string, err error) {
	ctx, cancel := context.WithTimeout(ctx, compileTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	var stdout, stderr strings.Builder
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, &head{&stdout}, &head{&stderr}, time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("it was not done in %v", compileTime)
	}
	return stdout.String(), stderr.String(), err
}

// findPyTorch finds a Python that has torch: that may not be the first on the path.
func findPyTorch(ctx context.Context, dir string) ([]string, error) {
	err := ErrMissing
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		path, lookErr := exec.LookPath(filepath.Join(folder, "python3"))
		if folder == "" || lookErr != nil {
			continue
		}
		_, errs, runErr := output(ctx, dir, []string{path, "-c", "import torch"})
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
