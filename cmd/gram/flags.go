package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/result"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/limits"
)

// runFlags are the flags of the commands that run a program.
type runFlags struct {
	command.LoadFlags
	command.RunFlags
	rowsMemory       command.Size // of gram grad
	whole            bool         // the program is run more than once, so its data are stored
	workers          command.Count
	noFuse, noNative bool
	literal, work    bool
	repeat           command.Count
	bound            bool
	factor           command.Choice[bool]
	mode             command.Choice[gram.Mode]     // of gram grad
	strategy         command.Choice[gram.Strategy] // of gram grad
	cache            cacheFlags                    // of gram grad
}

// maxRepeat bounds --repeat, since the time of each run is kept.
const maxRepeat = 1e6

func (f *runFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.Add(fs)
	f.AddLimits(cmd)
	f.repeat = command.Count{N: 1, Least: 1, Most: maxRepeat, Valid: true}
	f.Schedule.Add(cmd, "schedule",
		"the `order` in which redexes fire: lifo; random; or parallel, lifo with the products of\n"+
			"matrices shared by several workers; steps don't depend on it, numbers to rounding",
		"lifo random parallel", gram.LIFO, gram.Random, gram.Parallel)
	f.workers = command.Count{N: uint64(runtime.GOMAXPROCS(0)), Least: 1, Most: 1 << 10, Valid: true}
	fs.Var(&f.workers, "workers", "of the parallel order: a `count`")
	f.AddOrderSeed(cmd, &f.LoadFlags)
	f.addForm(cmd)
	f.addLiteral(cmd)
	fs.BoolVar(&f.work, "work", false,
		"of --literal: count how often rewrites and the work beside them reach a node\nof memory, 8 words each time")
	f.AddFinite(cmd)
	fs.BoolVar(&f.bound, "bound", false,
		"also reduce the program with its inputs left open, and report the m and |G|\n"+
			"of Theorem 1, (steps + overhead) / (m + |G|), and the longest chains of steps\nthat depend on each other")
	f.factor.Add(cmd, "factor", "of the spans of --bound: `how` (11) adds what arrives at a dual, in a chain or in "+
		"a\nbalanced tree; the steps are the same",
		"chain tree", false, true)
	fs.Var(&f.repeat, "repeat", "run so many times, a `count`, and report the best and the median time")
	f.Observe.Add(cmd)
}

// addForm adds the flags that turn the passes of the compiler, and machine code, off.
func (f *runFlags) addForm(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.noFuse, "no-fuse", false,
		"run code as it is first made, without the passes that improve it: no vector\n"+
			"statements and no machine code; steps don't depend on it, numbers to rounding")
	cmd.Flags().BoolVar(&f.noNative, "no-native", false,
		"interpret the code: make no machine code of loops; values and steps\n"+
			"don't depend on it, and gradients do only in their last bits")
}

// addLiteral adds the flag for the literal machine.
func (f *runFlags) addLiteral(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.literal, "literal", false,
		"run the literal machine, on which every step is a rewrite of its own; steps\n"+
			"don't depend on it, numbers to rounding")
}

// addStrategy adds the flag for when a program is differentiated.
func (f *runFlags) addStrategy(cmd *cobra.Command) {
	f.strategy.Add(cmd, "strategy",
		"`when` the program is differentiated: direct, as it is; unfold, reduced to its\n"+
			"graph first; modular, with its functions normalised first",
		"direct unfold modular", gram.Direct, gram.Unfold, gram.Modular)
}

// checkMode reports flags that the mode or the strategy doesn't use.
func (f *runFlags) checkMode() error {
	if f.mode.Is == gram.Reverse {
		return f.cache.check(f.strategy.Is)
	}
	unused := func(given bool, purpose string) error {
		return command.Misfit(given, "%s, and --mode %s passes over the graph", purpose, &f.mode)
	}
	return cmp.Or(
		command.Misfit(f.bound, "--bound is for the steps of the calculus, and --mode %s counts none", &f.mode),
		unused(f.strategy.Is != gram.Direct, "--strategy is for the calculus"),
		unused(f.Schedule.Is == gram.Parallel, "--schedule parallel is for the machine's gradients"),
		unused(f.rowsMemory != 0, "--rows-memory is for the machine's gradients"),
		unused(f.noFuse, "--no-fuse is for the machine's gradients"),
		unused(f.noNative, "--no-native is for the machine's gradients"),
		unused(f.cache != cacheFlags{}, "--no-cache and --cache-size are for --strategy modular"),
	)
}

// checkLiteral reports flags that don't go with --literal, or need it, and a --factor without --bound.
func (f *runFlags) checkLiteral() error {
	return cmp.Or(
		command.Misfit(f.factor.Is && !f.bound, "--factor is for the spans that --bound reports"),
		command.Misfit(f.work && !f.literal, "--work is for --literal: the compiler's code counts steps without making them"),
		command.Misfit(f.literal && f.mode.Is != gram.Reverse,
			"--literal makes the steps of the calculus, and --mode %s passes over the graph", &f.mode),
		command.Misfit(f.literal && f.strategy.Is != gram.Direct, "--literal is for --strategy direct, and not for %s",
			&f.strategy),
		command.Misfit(f.literal && f.Schedule.Is == gram.Parallel,
			"--literal is for --schedule lifo and random, and not for parallel"),
		command.Misfit(f.literal && f.rowsMemory != 0, "--rows-memory is for the compiler's code, and --literal runs "+
			"without it"),
		command.Misfit(f.noFuse && f.rowsMemory != 0, "--rows-memory is for improved code, and --no-fuse runs code as it "+
			"is first made"),
		command.Misfit(f.literal && f.noFuse, "--no-fuse is for the compiler's code, and --literal runs without it"),
		command.Misfit(f.literal && f.noNative, "--no-native is for the compiler's code, and --literal runs without it"),
		command.Misfit(f.noFuse && f.noNative, "--no-fuse makes no machine code that --no-native could leave out"),
	)
}

// options returns the options of a run. It picks a seed if one is needed and not given.
func (f *runFlags) options(a *app) gram.EvalOptions {
	opt := f.Options(a.App, &f.LoadFlags)
	opt.Workers, opt.RowsMemory, opt.Mode, opt.Strategy = int(f.workers.N), uint64(f.rowsMemory), f.mode.Is, f.strategy.Is
	opt.NoFuse, opt.NoNative, opt.Literal, opt.Work, opt.Runs = f.noFuse, f.noNative, f.literal, f.work, int(f.repeat.N)
	return opt
}

// run says how the cost of a run was measured.
func (f *runFlags) run() result.Run {
	return result.Run{Mode: f.mode.Is, Repeat: f.repeat.N}
}

// cacheFlags are the flags of the cache of the strategy modular.
type cacheFlags struct {
	off  bool
	size command.Size
}

func (f *cacheFlags) add(fs *pflag.FlagSet) {
	fs.BoolVar(&f.off, "no-cache", false,
		"normalise every function, also one that was met before; nothing but times and\nmemory depends on it")
	fs.Var(&f.size, "cache-size",
		"keep at most a `size` of normalised functions: 512K, 64MiB\n(default: "+limits.Size(modular.DefaultSize)+", "+
			"or an eighth of --max-memory if that is less)")
}

// check reports flags that contradict each other or the strategy.
func (f *cacheFlags) check(s gram.Strategy) error {
	return cmp.Or(
		command.Misfit(f.off && f.size != 0, "--cache-size is for the cache, and --no-cache says that there is none"),
		command.Misfit(f.off && s != gram.Modular,
			"--no-cache is for --strategy modular, and --strategy %s keeps nothing", s),
		command.Misfit(f.size != 0 && s != gram.Modular,
			"--cache-size is for --strategy modular, and --strategy %s keeps nothing", s),
		command.Misfit(uint64(f.size) > modular.MaxSize, "--cache-size must be at most %s", limits.Size(modular.MaxSize)),
	)
}

func addOutput(cmd *cobra.Command, output *string) {
	cmd.Flags().StringVarP(output, "output", "o", "",
		"write the result to a `file`, whole or not at all, instead of standard output")
}

// writeOutput writes the answer to a file, if one is named, instead of standard output.
func (a *app) writeOutput(ctx context.Context, path string) error {
	if path == "" {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return &gram.LimitError{Limit: "interrupt", Phase: "printing", Err: err}
	}
	defer a.Out.Reset()
	return command.WriteFile(path, a.Out.Bytes())
}

// addResult adds the flag for a file with the numbers of a result.
func addResult(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVarP(path, "output", "o", "",
		"write the result to a `file` instead of standard output, by the end of its name:\n.json, as --json prints "+
			"it; or its numbers as .npz, .csv or .parquet")
}

// checkResult reports a file for a result with a name that does not tell its format, or one that is not JSON beside
// --json.
func checkResult(path string, json bool) error {
	return cmp.Or(
		command.Misfit(path != "" && !result.IsNumbers(path) && filepath.Ext(path) != ".json",
			"-o %s: the name of the file must end in .json, .npz, .csv or .parquet", path),
		command.Misfit(result.IsNumbers(path) && json, "--json prints JSON, and -o %s has the numbers alone", path),
	)
}

// writeResult writes the numbers of a result to a file.
func (a *app) writeResult(ctx context.Context, path string, values []result.Named) error {
	if err := result.WriteNumbers(&a.Out, path, values); err != nil {
		return command.WriteError(path, err)
	}
	return a.writeOutput(ctx, path)
}

// loaded is a program that is ready to be run.
type loaded struct {
	*gram.Program
	bridge.Inside
	reading time.Duration // that reading the file took
}

// load reads the program that the command line names, and types and elaborates it.
func (a *app) load(ctx context.Context, path string, f *command.LoadFlags) (*loaded, error) {
	start := time.Now()
	name, src, opt, err := a.Read(ctx, path, f)
	if err != nil {
		return nil, err
	}
	reading := time.Since(start)
	p, err := gram.Load(ctx, name, src, opt)
	if err != nil {
		return nil, err
	}
	if orders := f.SeedOrders != nil && f.SeedOrders(); f.Seed.Valid && !orders && !bridge.Of(p).Random() {
		return nil, command.Usagef("--seed is for random default values, of which the program takes none%s",
			map[bool]string{true: ", and for --schedule random"}[f.SeedOrders != nil])
	}
	for _, note := range bridge.Of(p).Source().Notes() {
		if f.TellsSkipped && !strings.Contains(note, " leave out ") {
			continue
		}
		fmt.Fprintf(a.Stderr, "gram: note: %s\n", note)
	}
	return &loaded{p, bridge.Of(p), reading}, nil
}

// loadTerm is load for commands that need the program's term.
func (a *app) loadTerm(ctx context.Context, path string, f *command.LoadFlags) (*loaded, error) {
	p, err := a.load(ctx, path, f)
	if err == nil {
		err = p.Expand(ctx)
	}
	return p, err
}
