package command

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/lang/load"
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
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && x.Mode().IsRegular() && os.SameFile(x, y)
}

// flagError suggests a name in the error of an unknown flag, and tells the values of a Boolean flag.
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

// The types of values below implement pflag.Value: String returns the value as Set reads it, or "" if there is none.

// Count is a natural number, like 1000 or 1e6.
type Count struct {
	N           uint64
	Least, Most uint64 // the bounds of N; Most 0: none
	Valid       bool   // N was given, or is the default that the help shows
}

func (c *Count) Type() string { return "count" }

func (c *Count) String() string {
	if !c.Valid {
		return ""
	}
	return strconv.FormatUint(c.N, 10)
}

func (c *Count) Set(text string) error {
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
	if n < c.Least {
		return fmt.Errorf("this must be at least %d", c.Least)
	}
	if c.Most != 0 && n > c.Most {
		return fmt.Errorf("this must be at most %d", c.Most)
	}
	c.N, c.Valid = n, true
	return nil
}

// Size is a number of bytes, like 512M or 2GiB. 0 means none.
type Size uint64

func (s *Size) Type() string { return "size" }

func (s *Size) String() string {
	if *s == 0 {
		return ""
	}
	return limits.Size(uint64(*s))
}

func (s *Size) Set(text string) error {
	n, err := limits.ParseSize(text)
	*s = Size(n)
	return err
}

// Duration is a duration of more than 0. 0 means none.
type Duration time.Duration

func (d *Duration) Type() string { return "duration" }

func (d *Duration) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *Duration) Set(text string) error {
	t, err := time.ParseDuration(text)
	if err != nil {
		return errors.New("this is not a duration with its unit, like 500ms, 10s or 2m")
	}
	if t <= 0 {
		return errors.New("this must be more than zero")
	}
	*d = Duration(t)
	return nil
}

// Choice is one of several values, which have names.
type Choice[T comparable] struct {
	Is    T
	names []string
	of    []T
}

func (c *Choice[T]) Type() string { return "choice" }

func (c *Choice[T]) String() string {
	if i := slices.Index(c.of, c.Is); i >= 0 {
		return c.names[i]
	}
	return ""
}

func (c *Choice[T]) Set(text string) error {
	i := slices.Index(c.names, text)
	if i < 0 {
		last := len(c.names) - 1
		if last == 1 {
			return fmt.Errorf("this is neither %s nor %s", c.names[0], c.names[1])
		}
		return fmt.Errorf("this is none of %s and %s", strings.Join(c.names[:last], ", "), c.names[last])
	}
	c.Is = c.of[i]
	return nil
}

// Add adds the flag to cmd. The values of have the names, which are separated by spaces.
func (c *Choice[T]) Add(cmd *cobra.Command, name, usage, names string, of ...T) {
	c.names, c.of = strings.Fields(names), of
	cmd.Flags().Var(c, name, usage)
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(c.names, cobra.ShellCompDirectiveNoFileComp))
}

// Number is a number X with 0 < X < Below. X 0 means none.
type Number struct{ X, Below float64 }

func (p *Number) Type() string { return "number" }

func (p *Number) String() string {
	if p.X == 0 {
		return ""
	}
	return string(load.AppendNumber(nil, p.X))
}

func (p *Number) Set(text string) error {
	x, err := syntax.ParseNumber(text)
	if err != nil || !(x > 0 && x < p.Below) {
		return fmt.Errorf("this is not a number between 0 and %g", p.Below)
	}
	p.X = x
	return nil
}

// Range is a range of steps, like 10..20 or 10.., ends included. 0 means no bound.
type Range struct{ From, To uint64 }

func (r *Range) Type() string { return "range" }

func (r *Range) String() string {
	if r.From == 0 && r.To == 0 {
		return ""
	}
	return fmt.Sprintf("%d..%d", r.From, r.To)
}

func (r *Range) Set(text string) error {
	from, to, several := strings.Cut(text, "..")
	if !several {
		to = from
	}
	var a, b Count
	a.Least, b.Least = 1, 1
	if from == "" && to == "" || from != "" && a.Set(from) != nil || to != "" && b.Set(to) != nil {
		return errors.New("this is not a range of steps, like 10..20, 10.., ..20 or 10")
	}
	if b.Valid && b.N < a.N {
		return errors.New("the range ends before it begins")
	}
	r.From, r.To = a.N, b.N
	return nil
}
