package command

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/limits"
)

// LoadFlags are the flags of every command that reads a program.
type LoadFlags struct {
	Params, Sets []string
	Inputs, Body string
	JSON         bool
	Stream       bool // data lists that are too large to be stored are computed when they are read
	TellsSkipped bool // the command itself says how many rows are left out
	MaxMemory    Size
	Timeout      Duration
	Observe      ObserveFlags            // of the commands that run a program
	Seed         Count                   // of the random numbers of default values, and of a random order
	SeedOrders   func() bool             // whether the seed is that of an order, too; nil: it is not
	Given        func(func(*pflag.Flag)) // visits the flags of the command line
}

// Add adds the flags of a command that prints a result.
func (f *LoadFlags) Add(fs *pflag.FlagSet) {
	f.AddProgram(fs)
	fs.BoolVar(&f.JSON, "json", false, "print one JSON object")
}

// AddProgram adds the flags of a command that loads a program once.
func (f *LoadFlags) AddProgram(fs *pflag.FlagSet) {
	f.AddValues(fs)
	fs.StringVar(&f.Body, "body", "", "take an `expression` in place of the program's body")
	f.AddBounds(fs)
}

// AddValues adds the flags that give params, inputs and data their values.
func (f *LoadFlags) AddValues(fs *pflag.FlagSet) {
	fs.SortFlags = false
	f.Given = fs.Visit
	fs.StringArrayVar(&f.Params, "param", nil,
		"override a param: `name=value`, a natural number like 1000 or 1e6 (repeatable)")
	fs.StringArrayVar(&f.Sets, "set", nil,
		"override an input or data: `name=value`, a number, numbers in brackets\n"+
			"like [1,-2], or a file: @e.csv, @f.csv:column,column, @w.npy, @w.npz:name, @p.json,\n"+
			"@t.parquet:column, @t.txt:length (repeatable)")
	fs.StringVar(&f.Inputs, "inputs", "",
		"override inputs and data by name from a `file`: JSON like {\"eps\": 0.7, \"q\": [1, -2]},\n"+
			"or .npz; --set overrides the file")
}

// AddSeed adds the flag of the commands in which a seed is that of default values alone.
func (f *LoadFlags) AddSeed(fs *pflag.FlagSet) {
	fs.Var(&f.Seed, "seed", "the `number` that random default values start from (default 0)")
}

// AddBounds adds the flags that bound memory and time.
func (f *LoadFlags) AddBounds(fs *pflag.FlagSet) {
	fs.Var(&f.MaxMemory, "max-memory", "stop when the process holds more than `size`: 512M, 2GiB\n"+
		"(default: 80 % of the machine's or the container's memory)")
	fs.Var(&f.Timeout, "timeout", "stop after a `duration`: 500ms, 10s, 2m")
}

// BoundMemory sets the bound on the memory of the process, and returns it.
func (f *LoadFlags) BoundMemory() uint64 {
	most := uint64(f.MaxMemory)
	if most == 0 {
		most = limits.DefaultMemory()
	}
	// The collector keeps garbage below the bound, so that what reaches it is live.
	debug.SetMemoryLimit(int64(most / 10 * 9))
	return most
}

// RunFlags are flags of the commands that run a program.
type RunFlags struct {
	MaxSteps, MaxNodes Count
	Schedule           Choice[gram.Schedule]
	Finite             bool
}

// AddLimits adds the limits of a run.
func (f *RunFlags) AddLimits(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.MaxSteps.Least, f.MaxNodes.Least = 1, 1
	fs.Var(&f.MaxSteps, "max-steps", "stop after so many steps of the calculus: a `count` like 1000 or 1e6")
	fs.Var(&f.MaxNodes, "max-nodes", "stop when so many nodes of 16 bytes are live: a `count`")
}

// AddOrder adds the flags for the order in which redexes fire.
func (f *RunFlags) AddOrder(cmd *cobra.Command, load *LoadFlags, redexes string) {
	f.Schedule.Add(cmd, "schedule", "the `order` in which "+redexes+" fire: lifo or random", "lifo random", gram.LIFO,
		gram.Random)
	f.AddOrderSeed(cmd, load)
}

// AddOrderSeed adds the flag for the seed of a random order.
func (f *RunFlags) AddOrderSeed(cmd *cobra.Command, load *LoadFlags) {
	cmd.Flags().Var(&load.Seed, "seed", SeedUsage)
	load.SeedOrders = func() bool { return f.Schedule.Is == gram.Random }
}

// SeedUsage is the usage of the flag --seed.
const SeedUsage = "the `number` that random default values start from (default 0), and a random\n" +
	"order, for which one is picked without it, and printed on standard error"

// AddFinite adds the flag that makes NaN and infinities errors.
func (f *RunFlags) AddFinite(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.Finite, "finite", false, "a NaN or an infinity is an error that shows its place")
}

// The default limits of the runs of a server.
const (
	servedSteps   = 10e6
	servedNodes   = 4e6
	servedTimeout = 10 * time.Second
	servedMemory  = 1 << 30
)

// AddServed adds the limits of the runs of a server, whose nodes have so many bytes.
func (f *RunFlags) AddServed(cmd *cobra.Command, load *LoadFlags, nodeBytes int) {
	f.AddLimits(cmd)
	load.Timeout = Duration(servedTimeout)
	f.MaxSteps = Count{N: servedSteps, Least: 1, Valid: true}
	f.MaxNodes = Count{N: servedNodes, Least: 1, Valid: true}
	for name, usage := range map[string]string{
		"max-memory": "stop a run when the process holds more than `size`: 512M, 2GiB\n" +
			"(default: " + limits.Size(servedMemory) + ", or 80 % of the memory if that is less)",
		"timeout":   "stop a run, or a look into one, after a `duration`: 500ms, 10s, 2m (default 10s)",
		"max-steps": "stop a run after so many steps of the calculus: a `count` (default 1e7)",
		"max-nodes": fmt.Sprintf("stop a run when so many nodes of %d bytes are live: a `count` (default 4e6)", nodeBytes),
	} {
		cmd.Flags().Lookup(name).Usage = usage
	}
}

// ServedMemory sets the bound on the memory of a server, and returns it.
func (f *LoadFlags) ServedMemory() uint64 {
	if f.MaxMemory == 0 {
		f.MaxMemory = Size(min(servedMemory, limits.DefaultMemory()))
	}
	return f.BoundMemory()
}

// Options returns the options of a run. It picks the seed of a random order if it is not given, and prints it.
func (f *RunFlags) Options(a *App, load *LoadFlags) gram.EvalOptions {
	if f.Schedule.Is == gram.Random && !load.Seed.Valid {
		load.Seed = Count{N: rand.Uint64N(1 << 32), Valid: true}
		fmt.Fprintf(a.Stderr, "gram: schedule random; --seed %d gives the same order again\n", load.Seed.N)
	}
	return gram.EvalOptions{Schedule: f.Schedule.Is, Seed: load.Seed.N, MaxSteps: f.MaxSteps.N, MaxNodes: f.MaxNodes.N,
		Finite: f.Finite}
}

// checkSchedule reports flags that the schedule doesn't use, for commands that have one.
func checkSchedule(cmd *cobra.Command) error {
	order := cmd.Flags().Lookup("schedule")
	if order != nil && cmd.Flags().Changed("workers") && order.Value.String() != "parallel" {
		return Usagef("--workers is for --schedule parallel, and not for %s", order.Value)
	}
	return nil
}

// outputFlags are the flags that name a file to be written.
var outputFlags = []string{"output", "html", "export", "checkpoint", "cpuprofile", "memprofile", "trace"}

// CheckOutputs reports an output file without a name, one that two flags name, and one that
// is the program. program is "" if there is none.
func CheckOutputs(cmd *cobra.Command, program string) error {
	named := map[string]bool{}
	for _, name := range outputFlags {
		f := cmd.Flags().Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		path := f.Value.String()
		place := filepath.Clean(path)
		switch {
		case path == "" || path == "-":
			return Usagef("--%s takes the name of a file", name)
		case sameFile(path, program):
			return Usagef("--%s %s would overwrite the program", name, path)
		case named[place]:
			return Usagef("%s is to be two files at once", path)
		}
		named[place] = true
	}
	return nil
}

// sameFile reports whether two paths lead to the same regular file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && x.Mode().IsRegular() && os.SameFile(x, y)
}

// flagError suggests a name in the error of an unknown flag, and tells the values of a
// Boolean flag.
func flagError(cmd *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok && invalid.GetFlag().Value.Type() == "bool" {
		where := strings.TrimSuffix(err.Error(), invalid.Unwrap().Error())
		return Usagef("%sthis is neither true nor false", where)
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return Usagef("%v", err)
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
	return Usagef("%s", text)
}
