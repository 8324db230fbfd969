package command

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

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
