package gram

import (
	"fmt"
	"io/fs"

	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/machine"
)

// Options say how a program is loaded. The zero value takes all defaults.
type Options struct {
	Params []string // overriding params: "n=1e6"
	// Sets override the values of inputs and data: "eps=-0.3", "q=[1,-2]",
	// "xs=@file.csv:column". Paths are relative to the current directory.
	Sets []string
	// Inputs names a file with values of inputs and data by name, like {"eps": 0.7, "q": [1, -2]}; Sets and Values
	// override it.
	Inputs string
	// Values override them by Go slices of finite numbers, in row-major order; a list may have any length. The
	// slices are not to be modified afterwards.
	Values map[string][]float64
	Dir    string                             // to which the paths in the program are relative; [LoadFile] sets it
	Open   func(path string) (fs.File, error) // opens files with data; nil: os.Open
	// MaxMemory bounds the memory of the process, in bytes; 0 means 80 % of the machine's or the
	// container's.
	MaxMemory uint64
	// Stream lets data lists be computed when they are read, not stored: those that would take more than half of the
	// memory that is left. Such a program runs as code of the compiler, with the mode Reverse and the strategy Direct; its
	// term lacks the numbers.
	Stream bool
	Body   string // an expression in place of the program's body
	Seed   uint64 // what the random numbers of default values start from
	// Cache, if not nil, keeps what the strategy [Modular] makes, for other programs too.
	Cache *Cache
	// Progress, if not nil, is called now and then with "load", "compile", "reduce" or "normalise".
	// Phase, if not nil, is called when a phase begins: "load", "compile", and of a run "primal",
	// "backward", "read-back", "normalise", or, on the literal machine, "reduce".
	Progress, Phase func(phase string)
}

// EvalOptions say how a program runs: LIFO, within the memory, if zero.
type EvalOptions struct {
	Schedule Schedule
	Seed     uint64 // of the random schedule
	Workers  int    // of the parallel schedule; 0: as many as GOMAXPROCS
	MaxSteps uint64 // 0: none
	MaxNodes uint64 // 0: none; nodes of 16 bytes, of the literal machine of 32
	// RowsMemory bounds what the loops of a gradient keep for its backward phase, in bytes; 0: by MaxMemory. A loop
	// whose rows are more keeps states instead and computes its rows again.
	RowsMemory uint64
	Finite     bool     // a result that is NaN or infinite is an error
	Mode       Mode     // how a gradient is computed; values take no notice
	Strategy   Strategy // when a program is differentiated; values take no notice
	NoFuse     bool     // run code as it was lowered, without passes: no vectors. Steps are the same, numbers to rounding
	NoNative   bool     // interpret all code: no machine code. Steps are the same, numbers to rounding
	Runs       int      // about how many there will be, so that code is made that pays; 0: many, or those of Repeat

	// Literal runs on the literal machine, which makes every step by itself. Steps are the same, numbers to rounding.
	// It has the schedules LIFO and Random, the mode Reverse and the strategy Direct. Work sets [Cost.Work].
	Literal, Work bool

	hooks bridge.Hooks // of commands and benchmarks
}

// Schedule is the order in which the machine fires redexes.
type Schedule uint8

// The schedules.
const (
	LIFO     Schedule = iota // the redex that was found last
	Random                   // any redex, by a seeded generator
	Parallel                 // LIFO, with the products of matrices shared by several workers
)

// Mode is how a gradient is computed.
type Mode uint8

// The modes. Forward and Tape work on the computational graph G to which the program reduces with
// open inputs. If the program branches on its inputs, each point has its own G.
const (
	Reverse Mode = iota // D(t) is reduced: sections 4 and 5
	Forward             // forward mode on G, a pass for each scalar input: section 2.2
	Tape                // backpropagation on G, a pass forward and one back for each output: section 2.4
)

// Strategy is when a program is differentiated (sections 6.2 and 7). Values and gradients
// don't depend on it.
type Strategy uint8

// The strategies. Unfold and Modular do their work anew for each point if the program branches.
const (
	Direct Strategy = iota // D(t) is reduced as it is
	Unfold                 // t is reduced to its graph G, and then D(G): backpropagation through time
	// Modular first normalises the λs of D(t) whose free variables are inputs or
	// normalised λs, once each, before anything copies them.
	Modular
)

// String returns the strategy's name.
func (s Strategy) String() string {
	names := [...]string{"direct", "unfold", "modular"}
	if int(s) >= len(names) {
		return fmt.Sprintf("Strategy(%d)", uint8(s))
	}
	return names[s]
}

// Cache keeps what the strategy [Modular] makes of functions. Programs in several goroutines may
// share it. Results and counts don't depend on it.
type Cache = modular.Cache

// NewCache returns a cache of at most so many bytes, 64 MiB for 0.
func NewCache(bytes uint64) (*Cache, error) { return modular.NewCache(bytes) }

// check reports values that no option has, and options that don't go together.
func (o *EvalOptions) check() error {
	wrong := func(what string, is int) error { return misuse("there is no %s %d", what, is) }
	switch {
	case o.Schedule > Parallel:
		return wrong("schedule", int(o.Schedule))
	case o.Mode > Tape:
		return wrong("mode", int(o.Mode))
	case o.Strategy > Modular:
		return wrong("strategy", int(o.Strategy))
	case o.Workers < 0:
		return misuse("%d workers: there must be at least one, or 0 for as many as GOMAXPROCS", o.Workers)
	case o.hooks.Samples != nil && o.Schedule == Parallel:
		return misuse("a profile is of the schedules LIFO and Random")
	case o.hooks.Samples != nil && o.Mode != Reverse:
		return misuse("a profile is of the mode Reverse")
	case !o.Literal && o.Work:
		return misuse("only the literal machine measures its work")
	case !o.Literal && o.hooks.Events != nil:
		return misuse("only the literal machine has events")
	case !o.Literal:
		return nil
	case o.hooks.Timed:
		return misuse("a profile of the literal machine has no time")
	case o.Schedule == Parallel:
		return misuse("the literal machine has the schedules LIFO and Random")
	case o.Mode != Reverse:
		return misuse("the literal machine has the mode Reverse only")
	case o.Strategy != Direct:
		return misuse("the literal machine has the strategy Direct only")
	case o.NoFuse:
		return misuse("the literal machine has no passes that NoFuse could leave out")
	case o.NoNative:
		return misuse("the literal machine has no machine code that NoNative could leave out")
	}
	return nil
}

// literal returns the options of a run of the literal machine, but for its limits.
func (o *EvalOptions) literal() machine.Options {
	opt := machine.Options{Seed: o.Seed, Finite: o.Finite, Measure: o.Work, Events: o.hooks.Events, Before: o.hooks.Before}
	if o.Schedule == Random {
		opt.Random = true
	}
	return opt
}
