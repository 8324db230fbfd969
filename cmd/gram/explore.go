package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/explore"
	"github.com/gram-machine/gram/cmd/internal/fault"
	"github.com/gram-machine/gram/cmd/internal/input"
	"github.com/gram-machine/gram/cmd/internal/option"
	"github.com/gram-machine/gram/cmd/internal/outfile"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
)

const exploreHelp = `Explore serves a page, to this computer only, on which the reduction of a program is
looked at step by step: the graph that the machine rewrites, forwards and backwards,
with the redex lit in the source, the rule that fires, and the counters. The program
can be edited in the page and run again; the file is not written. The run is that of
gram grad, or with --of value of gram eval, on the literal machine, as in gram trace.

The address of the page is printed on standard output. A program that is wrong is
served all the same, with its errors, to be mended in the page. FILE - is standard
input. Ctrl-C ends it.

A program that the page sends may read files with data in the folder of FILE and below it,
those that FILE names, and those of --set. Files are read when a program is run for
the first time; FILE itself, and pipes, are read once.

With --export nothing is served: the run is recorded, up to 4 MiB when compressed, in one
page that works without gram and without a network.`

const exploreLimitsHelp = `Limits are those of each run, and the time also of each look into one. What a run did
before it reached a limit can be explored. The limit on memory is of the process.`

// The default limits of gram explore.
const (
	exploreSteps   = 10e6
	exploreNodes   = 4e6
	exploreTimeout = 10 * time.Second
	exploreMemory  = 1 << 30
)

// exploreFlags are the flags of gram explore.
type exploreFlags struct {
	runFlags
	port option.Count
	open bool
	page string // the file of --export
	of   option.Choice[string]
}

func newExplore(a *app) *cobra.Command {
	var f exploreFlags
	cmd := &cobra.Command{
		Use:         "explore FILE",
		Short:       "Step through a run, in a page of the browser",
		Long:        exploreHelp,
		Annotations: more(exploreLimitsHelp, statusHelp),
		Example: `  gram explore figure1.gram --open
  gram explore rnn.gram --of value --port 8080
  gram explore figure1.gram --export figure1.html
  gram explore rnn.gram --set xs=@other.csv:temp_min --max-steps 1e6`,
		Args:              oneFile,
		ValidArgsFunction: gramFiles,
	}
	f.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := cmp.Or(checkSchedule(cmd), checkOutputs(cmd, args[0])); err != nil {
			return err
		}
		a.accepted = true
		o, err := f.observe.Start(context.WithoutCancel(cmd.Context()))
		if err != nil {
			return err
		}
		if err := a.explore(cmd.Context(), args[0], &f); err != errServed {
			return o.End(err)
		}
		return cmp.Or[error](o.End(nil), errServed)
	}
	return cmd
}

// errServed is the error of a server that an interrupt has ended. That is the usual end, so
// profiles of the process are kept.
var errServed = &gram.LimitError{Limit: "interrupt", Phase: "serving", Err: context.Canceled}

func (f *exploreFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.addValues(fs)
	f.addBounds(fs)
	f.addServed(cmd, machine.NodeBytes)
	f.of.Add(cmd, "of", "the `run` that is shown first: gradient or value (default: the gradient if there is one)",
		"gradient value", explore.OfGradient, explore.OfValue)
	f.addOrder(cmd, "redexes of the machine")
	f.addFinite(cmd)
	f.port = option.Count{Most: 1<<16 - 1}
	fs.Var(&f.port, "port", "listen on this port of the loopback interface: a `number`; without it a free one")
	fs.BoolVar(&f.open, "open", false, "open the page in the system's browser")
	fs.StringVar(&f.page, "export", "", "write a page that shows the run without a server into a `file`, and end")
	_ = cmd.MarkFlagFilename("export", "html")
	f.observe.Add(cmd)
}

// addServed adds the limits of the runs of a server, whose nodes have so many bytes.
func (f *runFlags) addServed(cmd *cobra.Command, nodeBytes int) {
	f.addLimits(cmd)
	f.timeout = option.Duration(exploreTimeout)
	f.maxSteps = option.Count{N: exploreSteps, Least: 1, Valid: true}
	f.maxNodes = option.Count{N: exploreNodes, Least: 1, Valid: true}
	for name, usage := range map[string]string{
		"max-memory": "stop a run when the process holds more than `size`: 512M, 2GiB\n(default: " + limits.Size(exploreMemory) + ", or 80 % of the memory if that is less)",
		"timeout":    "stop a run, or a look into one, after a `duration`: 500ms, 10s, 2m (default 10s)",
		"max-steps":  "stop a run after so many steps of the calculus: a `count` (default 1e7)",
		"max-nodes":  fmt.Sprintf("stop a run when so many nodes of %d bytes are live: a `count` (default 4e6)", nodeBytes),
	} {
		cmd.Flags().Lookup(name).Usage = usage
	}
}

// servedMemory sets the bound on the memory of a server, and returns it.
func (f *loadFlags) servedMemory() uint64 {
	if f.maxMemory == 0 {
		f.maxMemory = option.Size(min(exploreMemory, limits.DefaultMemory()))
	}
	return f.boundMemory()
}

// explore serves the page until the context ends.
func (a *app) explore(ctx context.Context, path string, f *exploreFlags) error {
	most := f.servedMemory()
	name, dir := input.Name(path)
	src, err := a.read(ctx, path, limits.New(ctx, most))
	if err != nil {
		return err
	}
	inTime := a.endLate(ctx, "gram explore")
	s, err := explore.New(ctx, explore.Config{
		Name: filepath.Base(name), Path: name, Source: src, Of: f.of.Is, Version: buildInfo().Version,
		Dir: dir, Params: f.params, Sets: f.sets, Inputs: f.inputs, MaxMemory: most, Run: f.options(a),
		Timeout: time.Duration(f.timeout), Log: a.stderr,
		Open: func(ctx context.Context, path string) (fs.File, error) { return input.Open(ctx, path) },
	})
	inTime()
	if limit := fault.Limit(ctx.Err(), "loading"); limit != nil {
		return limit
	}
	if err != nil {
		return err
	}
	defer s.Close()
	if f.page != "" {
		return a.exportPage(ctx, s, f.page)
	}
	l, err := explore.Listen(ctx, int(f.port.N))
	if err != nil {
		return err
	}
	defer l.Close()
	if err := s.Problem(); err != nil {
		a.fail("", err) // prints the error; the exit status is that of the server
		fmt.Fprintln(a.stderr, "gram: it is served all the same, to be mended in the page")
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", explore.Port(l))
	if _, err := fmt.Fprintln(a.stdout, url); outfile.ReaderGone(err) {
		return nil // nobody reads the address
	} else if err != nil {
		return outfile.ResultError(err)
	}
	fmt.Fprintln(a.stderr, "gram: Ctrl-C stops the server")
	if f.open {
		a.openBrowser(url)
	}
	if err = s.Serve(ctx, l); errors.Is(err, context.Canceled) {
		return errServed
	}
	return err
}

// exportPage writes the page of a recorded run.
func (a *app) exportPage(ctx context.Context, s *explore.Server, path string) error {
	var page bytes.Buffer
	if err := s.Export(ctx, &page); err != nil {
		if limit := fault.Limit(err, "exporting"); limit != nil {
			return limit
		}
		return err
	}
	return outfile.Write(path, page.Bytes())
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
		fmt.Fprintf(a.stderr, "gram: no browser could be opened: %v\n", err)
		return
	}
	go cmd.Wait()
}
