// Gram-beam runs programs of gram on several computers, by Apache Beam. See docs/distributed.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/spf13/cobra"
)

func main() { os.Exit(run(os.Args[1:])) }

// run runs the command, or a worker if Beam has started the process as one: with flags of Beam alone.
func run(args []string) int {
	if len(args) > 0 && strings.HasPrefix(args[0], "--worker") {
		if err := flag.CommandLine.Parse(args); err != nil {
			return 2
		}
		beam.Init() // ends with the process
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	var wrong *usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintf(os.Stderr, "gram-beam: %v\nRun '%s --help' for usage.\n", err, cmd.CommandPath())
		return 2
	}
	fmt.Fprintf(os.Stderr, "gram-beam: %v\n", err)
	return 1
}

// usageError is a command line that is wrong.
type usageError struct{ error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// flagsOfBeam is what stands behind the flags of each command that runs a pipeline.
const flagsOfBeam = `
--runner says what runs the pipeline. prism, the default, is in this process, or, with --endpoint, a job server
elsewhere. direct is Beam's old runner in this process. universal and flink take the --endpoint of a job server.
dataflow is Google's; what it asks for stands behind --, as in -- --project=p --region=r --staging_location=gs://b/s.

Workers are in this process, unless --workers names a pool of them: gram-beam worker starts one. A pool on another
computer needs --temp, a folder that it shares with this one, and --input files that it can read.

A pipeline that fails, as when a worker has died, is run again, up to --attempts times. What is wrong with a shard
or a point is no reason to: that is the error. The numbers are those of a single run.

Exit status: 0 done; 1 an error; 2 the command line is wrong.`

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "gram-beam",
		Short: "Run gram's programs on several computers, by Apache Beam",
		Long: `Gram-beam computes on several computers what gram computes on one: a sum over the rows of data with its gradient, a
program at many points, a fit, the counts of the benchmarks. It runs on Apache Beam: in this process (the runner
prism), on Flink, on Dataflow, or on any other job server of Beam.

The program and the files that it reads travel to the workers. Results don't depend on the runner, on how many workers
there are, or on which of them die: they repeat to the bit, as long as --shards stays the same.`,
		SilenceUsage: true, SilenceErrors: true,
		Version: version(),
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("there is no command %s", args[0])
			}
			return cmd.Help()
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newSum(), newSweep(), newFit(), newBench(), newWorker(), newServe())
	return root
}

// version is that of the build.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && !strings.Contains(v, s.Value[:12]) {
			v += " " + s.Value[:12]
		}
	}
	return v
}

// runFlags are the flags of the commands that run a pipeline.
type runFlags struct {
	Options
	json bool
}

func (f *runFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.Runner, "runner", "prism", "`what` runs the pipeline: "+strings.ReplaceAll(Runners, " ", ", "))
	fs.StringVar(&f.Endpoint, "endpoint", "", "`host:port` of the job server")
	fs.StringVar(&f.Workers, "workers", "", "`host:port` of a pool of workers, as gram-beam worker prints it")
	fs.StringVar(&f.Temp, "temp", "", "a `folder` for results that the workers can write, like gs://bucket/temp")
	fs.IntVar(&f.Attempts, "attempts", 3, "run a pipeline so often, at most, a `count`")
	fs.BoolVar(&f.json, "json", false, "print one JSON object")
	fs.BoolVarP(&f.Verbose, "verbose", "v", false, "also print what Beam says, on standard error")
	fs.BoolVar(&f.Stats, "stats", false, "also print seconds and bytes of each pipeline, on standard error")
	cmd.Long += "\n" + flagsOfBeam
}

// with completes a command: it checks the flags, calls work with the arguments before --, and closes the runner.
func (f *runFlags) with(cmd *cobra.Command, args int, check func() error, work func(ctx context.Context, r *Runner, args []string) error) *cobra.Command {
	f.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		rest := []string(nil)
		if n := cmd.ArgsLenAtDash(); n >= 0 {
			given, rest = given[:n], given[n:]
		}
		switch {
		case len(given) != args:
			return usagef("%s takes %d arguments before --, and there are %d", cmd.CommandPath(), args, len(given))
		case !slices.Contains(strings.Fields(Runners), f.Runner):
			return usagef("--runner %s: the runners are %s", f.Runner, Runners)
		case f.Attempts < 1:
			return usagef("--attempts %d: at least one is needed", f.Attempts)
		case f.Endpoint == "" && (f.Runner == "universal" || f.Runner == "flink"):
			return usagef("--runner %s takes the --endpoint of a job server", f.Runner)
		case f.Temp == "" && f.Runner == "dataflow":
			return usagef("--runner dataflow takes --temp gs://bucket/folder")
		}
		if check != nil {
			if err := check(); err != nil {
				return err
			}
		}
		if err := flag.CommandLine.Parse(rest); err != nil {
			return &usageError{err}
		}
		beam.Init()
		r, err := New(f.Options)
		if err != nil {
			return err
		}
		return errors.Join(work(cmd.Context(), r, given), r.Close())
	}
	return cmd
}
