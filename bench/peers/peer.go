// Package peers compares the machine with others on the workloads W1–W5: what value and gradient take in
// nanoseconds and bytes for each primitive of the forward computation.
//
// A [Peer] is what takes part: the machine itself in its forms, the same by hand in Go, with gonum and
// without, and a plain tape, which run in this process; and programs of other languages, which are processes of their
// own: C by hand, with OpenBLAS and without, ADOL-C, CoDiPack, PyTorch and Maude. Their sources are in programs, and
// README.md tells what each needs. [Find] looks for that, and compiles; a peer that isn't there is an error with
// what to install, for people, and no reason to stop.
//
// [Task.Contest] lets peers run turn by turn, in rounds, after it has held their values and gradients against the
// machine's. A time is the mean of runs for ten milliseconds, or of one run that takes longer, in all languages alike.
// Package report keeps the times.
package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
)

// Peer takes part in the comparison.
type Peer struct {
	Name string
	// Always is set for peers that every run measures: those in this process, and C.
	Always bool
	// Steps is set for gram, whose steps are counted; Equal for its forms that take as many as another form; Aside if it
	// takes part for their sake alone.
	Steps, Equal, Aside bool
	// Timeout is how long a program may take for one answer.
	Timeout time.Duration
	takes   func(Task) bool // nil: every task

	begin starter // of peers in this process; nil for programs, which have what follows
	find  Finder
	needs string // what find looks for, and which packages have that
	// command is what was found; nil of peers in this process.
	command []string
	dialect
}

// starter makes a peer in this process ready for a workload.
type starter func(ctx context.Context, w *bench.Workload) (*runner, error)

// Finder looks for what a program needs. It returns the command that takes W N K as arguments
// and answers as programs/serve.h tells, after compiling into the folder dir if need be; the error is
// [ErrMissing] if what it needs is not there.
type Finder func(ctx context.Context, dir string) (command []string, err error)

// ErrMissing is the error of peers that are not installed.
var ErrMissing = errors.New("not found")

// Names of the peers that tables speak of.
const (
	Direct  = "gram direct"
	Modular = "gram modular"
	Unfused = "gram direct, unfused"
	Tape    = "plain Go tape"
	GoHand  = "Go by hand"
	CHand   = "C by hand"
	Gonum   = "gonum in Go"
	BLAS    = "BLAS in C"
	BLASEnd = "BLAS in C, gradients multiplied at the end"
)

// mostTaped is how many operations of a task are put on tapes, which take some 32 bytes for each.
const mostTaped = 2e7

// All returns all peers, in the order of tables. BLAS multiplies matrices, which W2 and W5 have. PyTorch takes scalars
// for 10⁴ steps at most: an operation takes it microseconds, and memory. Maude tells times in milliseconds.
func All() []Peer {
	const (
		openBLAS = "a C compiler, cc, gcc or clang, and OpenBLAS with cblas.h (Debian: gcc libopenblas-dev)"
		adolc    = "g++ and adolc/adolc.h (Debian: g++ libadolc-dev)"
		codipack = "g++ and codi.hpp (the folder include of CoDiPack 2, in CPATH)"
	)
	matrices := func(t Task) bool { return t.K > 0 }
	taped := func(t Task) bool { return t.Primitives() <= mostTaped }
	scalars := func(t Task) bool { return t.Workload != "w5" && taped(t) }
	short := func(t Task) bool { return t.Workload == "w2" || t.Workload != "w5" && t.N <= 10_000 }
	c := Program(CHand, "a C compiler, cc, gcc or clang (Debian: gcc)", compiled(compileC))
	c.Always = true
	maude := Program("Maude", "maude (Debian: maude)", findMaude)
	maude.dialect = maudeDialect
	return []Peer{
		c,
		Program(BLAS, openBLAS, compiled(compileBLAS, "step")).on(matrices),
		Program(BLASEnd, openBLAS, compiled(compileBLAS, "end")).on(matrices),
		{Name: GoHand, Always: true, begin: byHand(false)},
		{Name: Gonum, Always: true, takes: matrices, begin: byHand(true)},
		{Name: Tape, Always: true, takes: taped, begin: onTape},
		machine(Direct, gram.EvalOptions{}, false),
		machine(Modular, gram.EvalOptions{Strategy: gram.Modular}, false),
		machine("gram direct, interpreted", gram.EvalOptions{NoNative: true}, false),
		machine(Unfused, gram.EvalOptions{NoFuse: true}, false),
		machine("gram, literal machine", gram.EvalOptions{Literal: true}, false),
		machine("gram modular, unfused", gram.EvalOptions{Strategy: gram.Modular, NoFuse: true}, true),
		machine("gram unfold", gram.EvalOptions{Strategy: gram.Unfold}, true),
		machine("gram unfold, unfused", gram.EvalOptions{Strategy: gram.Unfold, NoFuse: true}, true),
		Program("ADOL-C", adolc, compiled(compileADOLC, "record")).on(scalars),
		Program("ADOL-C, replaying", adolc, compiled(compileADOLC, "replay")).on(scalars),
		Program("CoDiPack", codipack, compiled(compileCoDiPack, "record")).on(scalars),
		Program("CoDiPack, replaying", codipack, compiled(compileCoDiPack, "replay")).on(scalars),
		Program("PyTorch", "python3 with torch (Debian: python3-torch)", findPyTorch).on(short),
		maude.on(func(t Task) bool { return t.Workload == "w4" && t.N >= 100_000 }),
	}
}

// machine is a form of gram. The default form takes every task, interpreted too. The others expand vectors and
// matrices into their numbers, so they take k = 16 at most, and D(G) is only made of graphs of up to 2·10⁵ operations.
func machine(name string, opt gram.EvalOptions, aside bool) Peer {
	p := Peer{Name: name, Always: true, Steps: true, Equal: opt.NoFuse || opt.NoNative || opt.Literal, Aside: aside,
		begin: onMachine(opt)}
	switch {
	case opt.Literal:
		p.takes = func(t Task) bool { return t.K == 0 }
	case opt.Strategy == gram.Unfold:
		p.takes = func(t Task) bool { return t.Primitives() <= 2e5 }
	case opt.NoFuse || opt.Strategy == gram.Modular:
		p.takes = func(t Task) bool { return t.K <= 16 }
	}
	return p
}

// Program is a peer that is a program: find looks for it, and needs tells people what it needs.
func Program(name, needs string, find Finder) Peer {
	return Peer{Name: name, needs: needs, find: find, dialect: served, Timeout: time.Minute}
}

// on is the peer on some tasks alone.
func (p Peer) on(takes func(Task) bool) Peer {
	p.takes = takes
	return p
}

// Fault says why a peer is not measured, in one task or in all.
type Fault struct {
	Peer  string
	Task  *Task  // nil: all
	Needs string // what it needs, if that is missing
	Err   error
}

func (f *Fault) Error() string {
	switch {
	case f.Needs != "":
		return fmt.Sprintf("%s: %v: needs %s", f.Peer, f.Err, f.Needs)
	case f.Task != nil:
		return fmt.Sprintf("%s is left out of %s: %v", f.Peer, f.Task.Name(), f.Err)
	}
	return fmt.Sprintf("%s is left out: %v", f.Peer, f.Err)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Takes reports whether the peer is measured on the task.
func (p *Peer) Takes(t Task) bool { return p.takes == nil || p.takes(t) }

// Find looks for peers, and compiles in the folder dir. It returns those that are there, and
// for each of the others a [*Fault]. The error is that of the context.
func Find(ctx context.Context, all []Peer, dir string) (found []Peer, faults []*Fault, err error) {
	for _, p := range all {
		var failed error
		if p.find != nil {
			p.command, failed = p.find(ctx, dir)
		}
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case errors.Is(failed, ErrMissing):
			faults = append(faults, &Fault{Peer: p.Name, Needs: p.needs, Err: ErrMissing})
		case failed != nil:
			faults = append(faults, &Fault{Peer: p.Name, Err: failed})
		default:
			found = append(found, p)
		}
	}
	return found, faults, nil
}

// start makes the peer ready for a task: a program in a folder of its own, in dir.
func (p *Peer) start(ctx context.Context, t Task, w *bench.Workload, dir string) (*runner, error) {
	if p.begin != nil {
		return p.begin(ctx, w)
	}
	own, err := os.MkdirTemp(dir, "task")
	if err != nil {
		return nil, err
	}
	command := p.command
	if p.hello == "" { // a program of ours
		command = append(command[:len(command):len(command)], t.Workload, strconv.Itoa(t.N), strconv.Itoa(t.K))
	}
	return startProcess(ctx, own, command, t, p.dialect, p.Timeout)
}

// runner is a peer at work on one task.
type runner struct {
	turn  func(context.Context) (Answer, error) // takes value, gradient and a time
	bytes func() float64                        // the memory of a run; 0 if that isn't known
	close func()
}

// inProcess is a gradient in Go that keeps its memory.
func inProcess(run func() (float64, []float64), bytes func() float64) *runner {
	return &runner{bytes: bytes, close: func() {}, turn: func(ctx context.Context) (a Answer, err error) {
		a.Time, err = bench.TimeOf(func() error {
			a.Value, a.Gradient = run()
			return ctx.Err()
		})
		return a, err
	}}
}

func byHand(blas bool) starter {
	return func(_ context.Context, w *bench.Workload) (*runner, error) {
		h := &bench.Hand{BLAS: blas}
		return inProcess(func() (float64, []float64) { return w.Hand(h) }, h.Bytes), nil
	}
}

func onTape(_ context.Context, w *bench.Workload) (*runner, error) {
	t := &bench.Tape{}
	return inProcess(func() (float64, []float64) { return w.Tape(t) }, t.Bytes), nil
}

// onMachine is the machine with a program. Its bytes are those of the nodes that a run allocates.
func onMachine(opt gram.EvalOptions) starter {
	return func(ctx context.Context, w *bench.Workload) (*runner, error) {
		e, err := w.Program.NewGradient(ctx, opt)
		if err != nil {
			return nil, err
		}
		point, before := w.Program.Point(), e.Cost().Steps.Total() // steps that were taken before the program runs
		turn := func(ctx context.Context) (a Answer, err error) {
			var res *gram.Result
			a.Time, err = bench.TimeOf(func() (err error) {
				res, err = e.Gradient(ctx, point)
				return err
			})
			if err == nil {
				a.Value, a.Gradient, a.Steps = res.Values[0], res.Jacobian, float64(e.Cost().Steps.Total()-before)
			}
			return a, err
		}
		return &runner{turn, func() float64 { return float64(16 * e.Cost().Nodes.Allocated) }, func() { _ = e.Close() }}, nil
	}
}
