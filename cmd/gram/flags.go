package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/fault"
	"github.com/gram-machine/gram/cmd/internal/observe"
	"github.com/gram-machine/gram/cmd/internal/option"
	"github.com/gram-machine/gram/cmd/internal/result"
	"github.com/gram-machine/gram/lang/syntax"
)

// loadFlags are the flags of every command that reads a program.
type loadFlags struct {
	params, sets []string
	inputs       string
	body         string
	json         bool
	maxMemory    option.Size
	timeout      option.Duration
	observe      observe.Flags           // of the commands that run a program
	stream       bool                    // data lists that are too large to be stored are computed when they are read
	seed         option.Count            // of the random numbers of default values, and of a random order
	seedOrders   func() bool             // whether the seed is that of an order, too; nil: it is not
	given        func(func(*pflag.Flag)) // visits the flags of the command line
}

func (f *loadFlags) add(fs *pflag.FlagSet) {
	f.addProgram(fs)
	fs.BoolVar(&f.json, "json", false, "print one JSON object")
}

func (f *loadFlags) addProgram(fs *pflag.FlagSet) {
	f.addValues(fs)
	fs.StringVar(&f.body, "body", "", "take an `expression` in place of the program's body")
	f.addBounds(fs)
}

// addValues adds the flags that give params, inputs and data their values.
func (f *loadFlags) addValues(fs *pflag.FlagSet) {
	fs.SortFlags = false
	f.given = fs.Visit
	fs.StringArrayVar(&f.params, "param", nil, "override a param: `name=value`, a natural number like 1000 or 1e6 (repeatable)")
	fs.StringArrayVar(&f.sets, "set", nil, "override an input or data: `name=value`, a number, numbers in brackets\nlike [1,-2], or a file: @e.csv, @f.csv:column,column, @w.npy, @w.npz:name, @p.json,\n@t.parquet:column, @t.txt:length (repeatable)")
	fs.StringVar(&f.inputs, "inputs", "", "override inputs and data by name from a `file`: JSON like {\"eps\": 0.7, \"q\": [1, -2]},\nor .npz; --set overrides the file")
}

// addSeed adds the flag of the commands in which a seed is that of default values alone.
func (f *loadFlags) addSeed(fs *pflag.FlagSet) {
	fs.Var(&f.seed, "seed", "the `number` that random default values start from (default 0)")
}

// addBounds adds the flags that bound memory and time.
func (f *loadFlags) addBounds(fs *pflag.FlagSet) {
	fs.Var(&f.maxMemory, "max-memory", "stop when the process holds more than `size`: 512M, 2GiB\n(default: 80 % of the machine's or the container's memory)")
	fs.Var(&f.timeout, "timeout", "stop after a `duration`: 500ms, 10s, 2m")
}

// runFlags are the flags of the commands that run a program.
type runFlags struct {
	loadFlags
	maxSteps, maxNodes option.Count
	rowsMemory         option.Size // of gram grad
	whole              bool        // the program is run more than once, so its data are stored
	schedule           option.Choice[gram.Schedule]
	workers            option.Count
	finite             bool
	noFuse, noNative   bool
	literal, work      bool
	repeat             option.Count
	bound              bool
	factor             option.Choice[bool]
	mode               option.Choice[gram.Mode]     // of gram grad
	strategy           option.Choice[gram.Strategy] // of gram grad
	cache              cacheFlags                   // of gram grad
}

// maxRepeat bounds --repeat, since the time of each run is kept.
const maxRepeat = 1e6

// addShow adds the flags of gram show, which runs a program once.
func (f *runFlags) addShow(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.loadFlags.addProgram(fs)
	f.addSeed(fs)
	f.addLimits(cmd)
	f.observe.Add(cmd)
}

func (f *runFlags) addLimits(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.maxSteps.Least, f.maxNodes.Least = 1, 1
	fs.Var(&f.maxSteps, "max-steps", "stop after so many steps of the calculus: a `count` like 1000 or 1e6")
	fs.Var(&f.maxNodes, "max-nodes", "stop when so many nodes of 16 bytes are live: a `count`")
}

func (f *runFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.loadFlags.add(fs)
	f.addLimits(cmd)
	f.repeat = option.Count{N: 1, Least: 1, Most: maxRepeat, Valid: true}
	f.schedule.Add(cmd, "schedule", "the `order` in which redexes fire: lifo; random; or parallel, lifo with what is\nindependent on several workers; value, gradient and steps don't depend on it",
		"lifo random parallel", gram.LIFO, gram.Random, gram.Parallel)
	f.workers = option.Count{N: uint64(runtime.GOMAXPROCS(0)), Least: 1, Most: 1 << 10, Valid: true}
	fs.Var(&f.workers, "workers", "of the parallel order: a `count`")
	f.addOrderSeed(cmd)
	f.addForm(cmd)
	f.addLiteral(cmd)
	fs.BoolVar(&f.work, "work", false, "of --literal: count how often rewrites and the work beside them reach a node\nof memory, 8 words each time")
	f.addFinite(cmd)
	fs.BoolVar(&f.bound, "bound", false, "also reduce the program with its inputs left open, and report the m and |G|\nof Theorem 1, (steps + overhead) / (m + |G|), and the longest chains of steps\nthat depend on each other")
	f.factor.Add(cmd, "factor", "of the spans of --bound: `how` (11) adds what arrives at a dual, in a chain or in a\nbalanced tree; the steps are the same",
		"chain tree", false, true)
	fs.Var(&f.repeat, "repeat", "run so many times, a `count`, and report the best and the median time")
	f.observe.Add(cmd)
}

// addOrder adds the flags for the order in which redexes fire.
func (f *runFlags) addOrder(cmd *cobra.Command, redexes string) {
	f.schedule.Add(cmd, "schedule", "the `order` in which "+redexes+" fire: lifo or random", "lifo random", gram.LIFO, gram.Random)
	f.addOrderSeed(cmd)
}

func (f *runFlags) addOrderSeed(cmd *cobra.Command) {
	cmd.Flags().Var(&f.seed, "seed", seedUsage)
	f.seedOrders = func() bool { return f.schedule.Is == gram.Random }
}

// seedUsage is the usage of the flag --seed.
const seedUsage = "the `number` that random default values start from (default 0), and a random\norder, for which one is picked without it, and printed on standard error"

// addForm adds the flags that turn blocks, and their machine code, off.
func (f *runFlags) addForm(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.noFuse, "no-fuse", false, "run every λ a node for each operation: no blocks; values, gradients and the\nsteps that are counted don't depend on it")
	cmd.Flags().BoolVar(&f.noNative, "no-native", false, "interpret blocks and routines: make no machine code of loops and recursive functions; values,\ngradients and the steps that are counted don't depend on it")
}

// addLiteral adds the flag for the literal machine.
func (f *runFlags) addLiteral(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.literal, "literal", false, "run the literal machine, on which every step is a rewrite of its own; value,\ngradient and steps don't depend on it")
}

// addFinite adds the flag that makes NaN and infinities errors.
func (f *runFlags) addFinite(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.finite, "finite", false, "a NaN or an infinity is an error that shows its place")
}

// addStrategy adds the flag for when a program is differentiated.
func (f *runFlags) addStrategy(cmd *cobra.Command) {
	f.strategy.Add(cmd, "strategy", "`when` the program is differentiated: direct, as it is; unfold, reduced to its\ngraph first; modular, with its functions normalised first",
		"direct unfold modular", gram.Direct, gram.Unfold, gram.Modular)
}

// addGradient adds the flags that only gram grad has.
func (f *runFlags) addGradient(cmd *cobra.Command) {
	f.addStrategy(cmd)
	cmd.Flags().Var(&f.rowsMemory, "rows-memory", "keep at most a `size` of the rows that loops need for the backward phase, and compute\nother rows again (default: what --max-memory leaves)")
	f.cache.add(cmd.Flags())
	f.mode.Add(cmd, "mode", "`how` the gradient is computed: reverse, the calculus; or, over the graph of\nthe program, forward or tape",
		"reverse forward tape", gram.Reverse, gram.Forward, gram.Tape)
}

// checkMode reports flags that the mode or the strategy doesn't use.
func (f *runFlags) checkMode() error {
	if f.mode.Is == gram.Reverse {
		return f.cache.check(f.strategy.Is)
	}
	return cmp.Or(
		fault.Misfit(f.bound, "--bound is for the steps of the calculus, and --mode %s counts none", &f.mode),
		fault.Misfit(f.strategy.Is != gram.Direct, "--strategy is for the calculus, and --mode %s passes over the graph", &f.mode),
		fault.Misfit(f.schedule.Is == gram.Parallel, "--schedule parallel is for the machine's gradients, and --mode %s passes over the graph", &f.mode),
		fault.Misfit(f.rowsMemory != 0, "--rows-memory is for the machine's gradients, and --mode %s passes over the graph", &f.mode),
		fault.Misfit(f.noFuse, "--no-fuse is for the machine's gradients, and --mode %s passes over the graph", &f.mode),
		fault.Misfit(f.noNative, "--no-native is for the machine's gradients, and --mode %s passes over the graph", &f.mode),
		fault.Misfit(f.cache != cacheFlags{}, "--no-cache and --cache-size are for --strategy modular, and --mode %s passes over the graph", &f.mode),
	)
}

// checkSchedule reports flags that the schedule doesn't use, for commands that have one.
func checkSchedule(cmd *cobra.Command) error {
	order := cmd.Flags().Lookup("schedule")
	if order != nil && cmd.Flags().Changed("workers") && order.Value.String() != "parallel" {
		return fault.Usagef("--workers is for --schedule parallel, and not for %s", order.Value)
	}
	return nil
}

// checkLiteral reports flags that don't go with --literal, or need it, and a --factor without --bound.
func (f *runFlags) checkLiteral() error {
	return cmp.Or(
		fault.Misfit(f.factor.Is && !f.bound, "--factor is for the spans that --bound reports"),
		fault.Misfit(f.work && !f.literal, "--work is for --literal: the engine counts most steps without making them"),
		fault.Misfit(f.literal && f.mode.Is != gram.Reverse, "--literal makes the steps of the calculus, and --mode %s passes over the graph", &f.mode),
		fault.Misfit(f.literal && f.strategy.Is != gram.Direct, "--literal is for --strategy direct, and not for %s", &f.strategy),
		fault.Misfit(f.literal && f.schedule.Is == gram.Parallel, "--literal is for --schedule lifo and random, and not for parallel"),
		fault.Misfit(f.literal && f.rowsMemory != 0, "--rows-memory is for blocks, and --literal runs without them"),
		fault.Misfit(f.noFuse && f.rowsMemory != 0, "--rows-memory is for blocks, and --no-fuse runs without them"),
		fault.Misfit(f.literal && f.noFuse, "--no-fuse is for the engine, and --literal runs without it"),
		fault.Misfit(f.literal && f.noNative, "--no-native is for the engine, and --literal runs without it"),
		fault.Misfit(f.noFuse && f.noNative, "--no-native is for blocks, and --no-fuse runs without them"),
	)
}

// options returns the options of a run. It picks a seed if one is needed and not given.
func (f *runFlags) options(a *app) gram.EvalOptions {
	if f.schedule.Is == gram.Random && !f.seed.Valid {
		f.seed = option.Count{N: rand.Uint64N(1 << 32), Valid: true}
		fmt.Fprintf(a.stderr, "gram: schedule random; --seed %d gives the same order again\n", f.seed.N)
	}
	return gram.EvalOptions{
		Schedule: f.schedule.Is, Seed: f.seed.N, Workers: int(f.workers.N),
		MaxSteps: f.maxSteps.N, MaxNodes: f.maxNodes.N, RowsMemory: uint64(f.rowsMemory), Finite: f.finite, NoFuse: f.noFuse, NoNative: f.noNative, Literal: f.literal, Work: f.work,
		Mode: f.mode.Is, Strategy: f.strategy.Is,
	}
}

// flagError suggests a name in the error of an unknown flag, and tells the values of a
// Boolean flag.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "bool" {
		where := strings.TrimSuffix(err.Error(), invalid.Unwrap().Error())
		return fault.Usagef("%sthis is neither true nor false", where)
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return fault.Usagef("%v", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	text := fmt.Sprintf("unknown flag --%s of gram %s", unknown.GetSpecifiedName(), cmd.Name())
	if !cmd.HasParent() {
		text = fmt.Sprintf("unknown flag --%s", unknown.GetSpecifiedName())
	}
	if near := syntax.Suggest(unknown.GetSpecifiedName(), names); near != "" {
		text += fmt.Sprintf("; did you mean --%s?", near)
	}
	return fault.Usagef("%s", text)
}

// run says how the cost of a run was measured.
func (f *runFlags) run() result.Run {
	return result.Run{Mode: f.mode.Is, Literal: f.literal, Repeat: f.repeat.N}
}
