package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/limits"
)

// loadFlags are the flags of every command that reads a program.
type loadFlags struct {
	params, sets []string
	inputs       string
	body         string
	json         bool
	maxMemory    size
	timeout      duration
	observe      observeFlags            // of the commands that run a program
	stream       bool                    // data lists that are too large to be stored are computed when they are read
	seed         count                   // of the random numbers of default values, and of a random order
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

// addBounds adds the flags that bound memory and time.
func (f *loadFlags) addBounds(fs *pflag.FlagSet) {
	fs.Var(&f.maxMemory, "max-memory", "stop when the process holds more than `size`: 512M, 2GiB\n(default: 80 % of the machine's or the container's memory)")
	fs.Var(&f.timeout, "timeout", "stop after a `duration`: 500ms, 10s, 2m")
}

// runFlags are the flags of the commands that run a program.
type runFlags struct {
	loadFlags
	maxSteps, maxNodes count
	rowsMemory         size // of gram grad
	whole              bool // more is made of the program than its value or gradient
	schedule           choice[gram.Schedule]
	workers            count
	finite             bool
	noFuse, noNative   bool
	literal, work      bool
	repeat             count
	bound              bool
	factor             choice[bool]
	mode               choice[gram.Mode]     // of gram grad
	strategy           choice[gram.Strategy] // of gram grad
	cache              cacheFlags            // of gram grad
}

// maxRepeat bounds --repeat, since the time of each run is kept.
const maxRepeat = 1e6

// addShow adds the flags of gram show, which runs a program once.
func (f *runFlags) addShow(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.loadFlags.addProgram(fs)
	f.addLimits(cmd)
	f.observe.add(cmd)
}

func (f *runFlags) addLimits(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.maxSteps.least, f.maxNodes.least = 1, 1
	fs.Var(&f.maxSteps, "max-steps", "stop after so many steps of the calculus: a `count` like 1000 or 1e6")
	fs.Var(&f.maxNodes, "max-nodes", "stop when so many nodes of 16 bytes are live: a `count`")
}

func (f *runFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.loadFlags.add(fs)
	f.addLimits(cmd)
	f.repeat = count{n: 1, least: 1, most: maxRepeat, set: true}
	f.schedule.add(cmd, "schedule", "the `order` in which redexes fire: lifo; random; or parallel, lifo with what is\nindependent on several workers; value, gradient and steps don't depend on it",
		"lifo random parallel", gram.LIFO, gram.Random, gram.Parallel)
	f.workers = count{n: uint64(runtime.GOMAXPROCS(0)), least: 1, most: 1 << 10, set: true}
	fs.Var(&f.workers, "workers", "of the parallel order: a `count`")
	fs.Var(&f.seed, "seed", seedUsage)
	f.addForm(cmd)
	f.addLiteral(cmd)
	fs.BoolVar(&f.work, "work", false, "of --literal: count the words of memory that rewrites and the work beside them\nread and write")
	f.addFinite(cmd)
	fs.BoolVar(&f.bound, "bound", false, "also reduce the program with its inputs left open, and report the m and |G|\nof Theorem 1, (steps + overhead) / (m + |G|), and the longest chains of steps\nthat depend on each other")
	f.factor.add(cmd, "factor", "of the spans of --bound: `how` (11) adds what arrives at a dual, in a chain or in a\nbalanced tree; the steps are the same",
		"chain tree", false, true)
	fs.Var(&f.repeat, "repeat", "run so many times, a `count`, and report the best and the median time")
	f.observe.add(cmd)
}

// addOrder adds the flags for the order in which redexes fire.
func (f *runFlags) addOrder(cmd *cobra.Command, redexes string) {
	f.schedule.add(cmd, "schedule", "the `order` in which "+redexes+" fire: lifo or random", "lifo random", gram.LIFO, gram.Random)
	cmd.Flags().Var(&f.seed, "seed", seedUsage)
}

// seedUsage is the usage of the flag --seed.
const seedUsage = "the `number` that random default values start from (default 0), and a random\norder, for which one is picked without it, and printed on standard error"

// addForm adds the flags that turn blocks, and their machine code, off.
func (f *runFlags) addForm(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.noFuse, "no-fuse", false, "run every λ a node for each operation: no blocks; values, gradients and the\nsteps that are counted don't depend on it")
	cmd.Flags().BoolVar(&f.noNative, "no-native", false, "interpret blocks: make no machine code of their loops; values, gradients and the\nsteps that are counted don't depend on it")
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
	f.strategy.add(cmd, "strategy", "`when` the program is differentiated: direct, as it is; unfold, reduced to its\ngraph first; modular, with its functions normalised first",
		"direct unfold modular", gram.Direct, gram.Unfold, gram.Modular)
}

// addGradient adds the flags that only gram grad has.
func (f *runFlags) addGradient(cmd *cobra.Command) {
	f.addStrategy(cmd)
	cmd.Flags().Var(&f.rowsMemory, "rows-memory", "keep at most a `size` of the rows that loops need for the backward phase, and compute\nother rows again (default: what --max-memory leaves)")
	f.cache.add(cmd.Flags())
	f.mode.add(cmd, "mode", "`how` the gradient is computed: reverse, the calculus; or, over the graph of\nthe program, forward or tape",
		"reverse forward tape", gram.Reverse, gram.Forward, gram.Tape)
}

// misfit returns a usage error if is is true, and nil otherwise.
func misfit(is bool, format string, args ...any) error {
	if !is {
		return nil
	}
	return usagef(format, args...)
}

// checkMode reports flags that the mode or the strategy doesn't use.
func (f *runFlags) checkMode() error {
	if f.mode.is == gram.Reverse {
		return f.cache.check(f.strategy.is)
	}
	return cmp.Or(
		misfit(f.bound, "--bound is of the steps of the calculus, and --mode %s counts none", &f.mode),
		misfit(f.strategy.is != gram.Direct, "--strategy is of the calculus, and --mode %s passes over the graph", &f.mode),
		misfit(f.schedule.is == gram.Parallel, "--schedule parallel is of the machine's gradients, and --mode %s passes over the graph", &f.mode),
		misfit(f.rowsMemory != 0, "--rows-memory is of the machine's gradients, and --mode %s passes over the graph", &f.mode),
		misfit(f.noFuse, "--no-fuse is of the machine's gradients, and --mode %s passes over the graph", &f.mode),
		misfit(f.noNative, "--no-native is of the machine's gradients, and --mode %s passes over the graph", &f.mode),
		misfit(f.cache != cacheFlags{}, "--no-cache and --cache-size are of --strategy modular, and --mode %s passes over the graph", &f.mode),
	)
}

// checkSchedule reports flags that the schedule doesn't use, for commands that have one.
func checkSchedule(cmd *cobra.Command) error {
	order := cmd.Flags().Lookup("schedule")
	if order != nil && cmd.Flags().Changed("workers") && order.Value.String() != "parallel" {
		return usagef("--workers is of --schedule parallel, and not of %s", order.Value)
	}
	return nil
}

// checkLiteral reports flags that don't go with --literal, or need it, and a --factor without --bound.
func (f *runFlags) checkLiteral() error {
	return cmp.Or(
		misfit(f.factor.is && !f.bound, "--factor is of the spans that --bound reports"),
		misfit(f.work && !f.literal, "--work is of --literal: the engine counts most steps without making them"),
		misfit(f.literal && f.mode.is != gram.Reverse, "--literal makes the steps of the calculus, and --mode %s passes over the graph", &f.mode),
		misfit(f.literal && f.strategy.is != gram.Direct, "--literal is of --strategy direct, and not of %s", &f.strategy),
		misfit(f.literal && f.schedule.is == gram.Parallel, "--literal is of --schedule lifo and random, and not of parallel"),
		misfit(f.literal && f.rowsMemory != 0, "--rows-memory is of blocks, and --literal runs without them"),
		misfit(f.noFuse && f.rowsMemory != 0, "--rows-memory is of blocks, and --no-fuse runs without them"),
		misfit(f.literal && f.noFuse, "--no-fuse is of the engine, and --literal runs without it"),
		misfit(f.literal && f.noNative, "--no-native is of the engine, and --literal runs without it"),
		misfit(f.noFuse && f.noNative, "--no-native is of blocks, and --no-fuse runs without them"),
	)
}

// options returns the options of a run. It picks a seed if one is needed and not given.
func (f *runFlags) options(a *app) gram.EvalOptions {
	if f.schedule.is == gram.Random && !f.seed.set {
		f.seed = count{n: rand.Uint64N(1 << 32), set: true}
		fmt.Fprintf(a.stderr, "gram: schedule random; --seed %d gives the same order again\n", f.seed.n)
	}
	return gram.EvalOptions{
		Schedule: f.schedule.is, Seed: f.seed.n, Workers: int(f.workers.n),
		MaxSteps: f.maxSteps.n, MaxNodes: f.maxNodes.n, RowsMemory: uint64(f.rowsMemory), Finite: f.finite, NoFuse: f.noFuse, NoNative: f.noNative, Literal: f.literal, Work: f.work,
		Mode: f.mode.is, Strategy: f.strategy.is,
	}
}

// count is the natural number of a flag, like 1000 or 1e6.
type count struct {
	n           uint64
	least, most uint64 // most 0: none
	set         bool
}

func (c *count) Type() string { return "count" }

func (c *count) String() string {
	if !c.set {
		return ""
	}
	return strconv.FormatUint(c.n, 10)
}

func (c *count) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		x, err := syntax.ParseNumber(text)
		if err != nil || x < 0 || x != math.Trunc(x) {
			return errors.New("this is not a natural number, like 1000 or 1e6")
		}
		if x >= 1<<64 {
			return errors.New("this is too large")
		}
		n = uint64(x)
	}
	if n < c.least {
		return fmt.Errorf("this must be at least %d", c.least)
	}
	if c.most != 0 && n > c.most {
		return fmt.Errorf("this must be at most %d", c.most)
	}
	c.n, c.set = n, true
	return nil
}

// size is the number of bytes of a flag.
type size uint64

func (s *size) Type() string { return "size" }

func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	return limits.Size(uint64(*s))
}

func (s *size) Set(text string) error {
	n, err := limits.ParseSize(text)
	*s = size(n)
	return err
}

// duration is the positive duration of a flag.
type duration time.Duration

func (d *duration) Type() string { return "duration" }

func (d *duration) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *duration) Set(text string) error {
	t, err := time.ParseDuration(text)
	if err != nil {
		return errors.New("this is not a duration with its unit, like 500ms, 10s or 2m")
	}
	if t <= 0 {
		return errors.New("this must be more than zero")
	}
	*d = duration(t)
	return nil
}

// choice is a flag that names one of several values.
type choice[T comparable] struct {
	is    T
	names []string
	of    []T
}

func (c *choice[T]) Type() string { return "choice" }

func (c *choice[T]) String() string {
	if i := slices.Index(c.of, c.is); i >= 0 {
		return c.names[i]
	}
	return ""
}

func (c *choice[T]) Set(text string) error {
	i := slices.Index(c.names, text)
	if i < 0 {
		last := len(c.names) - 1
		if last == 1 {
			return fmt.Errorf("this is neither %s nor %s", c.names[0], c.names[1])
		}
		return fmt.Errorf("this is none of %s and %s", strings.Join(c.names[:last], ", "), c.names[last])
	}
	c.is = c.of[i]
	return nil
}

// add adds the flag, whose values of have the names, separated by spaces.
func (c *choice[T]) add(cmd *cobra.Command, name, usage, names string, of ...T) {
	c.names, c.of = strings.Fields(names), of
	cmd.Flags().Var(c, name, usage)
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(c.names, cobra.ShellCompDirectiveNoFileComp))
}

// flagError suggests a name in the error of an unknown flag, and tells the values of a
// Boolean flag.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "bool" {
		where := strings.TrimSuffix(err.Error(), invalid.Unwrap().Error())
		return &usageError{where + "this is neither true nor false"}
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return &usageError{err.Error()}
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
	return &usageError{text}
}
