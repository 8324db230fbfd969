package explore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
)

const exploreLimitsHelp = `Limits are those of each run, and the time also of each look into one. What a run did
before it reached a limit can be explored. The limit on memory is of the process.`

// app is one run of the command.
type app struct{ *command.App }

// exploreFlags are the flags of gram explore.
type exploreFlags struct {
	command.LoadFlags
	command.RunFlags
	port command.Count
	open bool
	page string // the file of --export
	of   command.Choice[string]
}

// Command returns the command gram explore.
func Command(base *command.App) *cobra.Command {
	var f exploreFlags
	a := &app{base}
	cmd := command.New("explore FILE", "Step through a run, in a page of the browser", exploreLimitsHelp)
	cmd.Args, cmd.ValidArgsFunction = command.OneFile, command.GramFiles
	fs := cmd.Flags()
	f.AddValues(fs)
	f.AddBounds(fs)
	f.AddServed(cmd, &f.LoadFlags, machine.NodeBytes)
	f.of.Add(cmd, "of", "the `run` that is shown first: gradient or value (default: the gradient if there is one)",
		"gradient value", OfGradient, OfValue)
	f.AddOrder(cmd, &f.LoadFlags, "redexes of the machine")
	f.AddFinite(cmd)
	f.port = command.Count{Most: 1<<16 - 1}
	fs.Var(&f.port, "port", "listen on this port of the loopback interface: a `number`; without it a free one")
	fs.BoolVar(&f.open, "open", false, "open the page in the system's browser")
	fs.StringVar(&f.page, "export", "", "write a page that shows the run without a server into a `file`, and end")
	_ = cmd.MarkFlagFilename("export", "html")
	f.Observe.Add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := command.CheckOutputs(cmd, args[0]); err != nil {
			return err
		}
		a.Accepted = true
		o, err := f.Observe.Start(context.WithoutCancel(cmd.Context()))
		if err != nil {
			return err
		}
		if err := a.explore(cmd.Context(), args[0], &f); err != command.ErrServed {
			return o.End(err)
		}
		return cmp.Or[error](o.End(nil), command.ErrServed)
	}
	return cmd
}

// explore serves the page until the context ends.
func (a *app) explore(ctx context.Context, path string, f *exploreFlags) error {
	most := f.ServedMemory()
	name, dir := command.ProgramName(path)
	src, err := a.ReadProgram(ctx, path, limits.New(ctx, most))
	if err != nil {
		return err
	}
	inTime := a.EndLate(ctx, "gram explore")
	s, err := New(ctx, Config{
		Name: filepath.Base(name), Path: name, Source: src, Of: f.of.Is, Version: command.BuildInfo().Version,
		Options: gram.Options{Dir: dir, Params: f.Params, Sets: f.Sets, Inputs: f.Inputs, MaxMemory: most},
		Run:     f.Options(a.App, &f.LoadFlags), Timeout: time.Duration(f.Timeout), Log: a.Stderr, Open: command.Open,
	})
	inTime()
	if limit := command.LimitError(ctx.Err(), "loading"); limit != nil {
		return limit
	}
	if err != nil {
		return err
	}
	defer s.Close()
	if f.page != "" {
		var page bytes.Buffer
		if err := s.Export(ctx, &page); err != nil {
			return cmp.Or(command.LimitError(err, "exporting"), err)
		}
		return command.WriteFile(f.page, page.Bytes())
	}
	l, err := Listen(ctx, int(f.port.N))
	if err != nil {
		return err
	}
	defer l.Close()
	if err := s.Problem(); err != nil {
		a.Fail("", err) // prints the error; the exit status is that of the server
		fmt.Fprintln(a.Stderr, "gram: it is served all the same, to be mended in the page")
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", Port(l))
	if _, err := fmt.Fprintln(a.Stdout, url); command.ReaderGone(err) {
		return nil // nobody reads the address
	} else if err != nil {
		return command.WriteError("the result", err)
	}
	fmt.Fprintln(a.Stderr, "gram: Ctrl-C stops the server")
	if f.open {
		a.openBrowser(url)
	}
	if err = s.Serve(ctx, l); errors.Is(err, context.Canceled) {
		return command.ErrServed
	}
	return err
}

// openBrowser opens a page in the browser of the system. If it fails it only prints a message:
// the address has been printed.
func (a *app) openBrowser(url string) {
	line := []string{"xdg-open", url}
	switch runtime.GOOS {
	case "darwin":
		line = []string{"open", url}
	case "windows":
		line = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(line[0], line[1:]...)
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(a.Stderr, "gram: no browser could be opened: %v\n", err)
		return
	}
	go cmd.Wait()
}
