package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// eraseLine erases the line of a terminal and goes to its start.
const eraseLine = "\x1b[2K\r"

// progressDelay is how long a run may take before its progress is shown.
const progressDelay = time.Second

// Line shows on one line of a terminal the phase of a long run, and the time since its start. Close erases it.
type Line struct {
	w       io.Writer
	on      bool
	doing   atomic.Pointer[string]
	note    atomic.Pointer[string] // if not nil, is shown instead
	end     func()                 // closes quit
	quit    <-chan struct{}
	drawing sync.WaitGroup
}

// phases describes the phases of a run.
var phases = map[string]string{"load": "loading", "compile": "compiling", "reduce": "reducing",
	"span": "measuring the span", "print": "printing"}

// NewLine returns a line on standard error, if that is a terminal and on is true.
func (a *App) NewLine(on bool) *Line {
	return newLine(a.Stderr, on && IsTerminal(a.Stderr), progressDelay)
}

// newLine returns a line on w, which appears after the delay. If on is false it does nothing.
func newLine(w io.Writer, on bool, delay time.Duration) *Line {
	ctx, end := context.WithCancel(context.Background())
	p := &Line{w: w, on: on, end: end, quit: ctx.Done()}
	p.Phase("load")
	if on {
		p.drawing.Go(func() { p.show(delay) })
	}
	return p
}

// Phase sets the current phase. It may be called often, from any goroutine.
func (p *Line) Phase(name string) {
	if now := p.doing.Load(); now == nil || *now != name {
		p.doing.Store(&name)
	}
}

// SetNote sets what is shown instead of a phase.
func (p *Line) SetNote(text string) { p.note.Store(&text) }

// Show sets how much of a number of things is done, and what is being done. Where nothing is drawn it prints line,
// unless that is empty.
func (p *Line) Show(done, total int, line, doing string) {
	if p.on {
		p.SetNote(fmt.Sprintf("%s (%d/%d)", doing, done, total))
	} else if line != "" {
		fmt.Fprintln(p.w, line)
	}
}

// show draws the line after the delay, until the progress is closed.
func (p *Line) show(delay time.Duration) {
	start, drawn := time.Now(), false
	for next := time.After(delay); ; next = time.After(max(delay/5, time.Millisecond)) {
		select {
		case <-next:
		case <-p.quit:
			if drawn {
				fmt.Fprint(p.w, eraseLine)
			}
			return
		}
		elapsed := time.Since(start).Round(time.Second / 10)
		text := phases[*p.doing.Load()]
		if note := p.note.Load(); note != nil {
			text = *note
		}
		fmt.Fprint(p.w, eraseLine, text, ", ", elapsed)
		drawn = true
	}
}

// Close erases the line. It may be called again.
func (p *Line) Close() {
	p.end()
	p.drawing.Wait()
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// ObserveFlags name the files for profiles and traces of the process; "" means none.
type ObserveFlags struct{ cpu, memory, trace string }

// Add adds the flags to cmd.
func (f *ObserveFlags) Add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.cpu, "cpuprofile", "", "write a CPU profile of gram itself to `file`, for go tool pprof")
	fs.StringVar(&f.memory, "memprofile", "", "write a profile of gram's own Go heap to `file`")
	fs.StringVar(&f.trace, "trace", "", "write an execution trace of gram itself to `file`, for go tool trace")
	for _, name := range []string{"cpuprofile", "memprofile", "trace"} {
		_ = cmd.MarkFlagFilename(name)
	}
}

// Observer writes profiles of the process while it works. Phases become labels of the
// samples of the CPU profile, and regions of the trace.
type Observer struct {
	ctx    context.Context
	files  []*OutFile
	stops  []func() error // end what was started, and write the profile of the heap
	region *trace.Region
}

// Start opens the files and starts to write them. It returns nil if there are none.
func (f *ObserveFlags) Start(ctx context.Context) (_ *Observer, err error) {
	if *f == (ObserveFlags{}) {
		return nil, nil
	}
	o := &Observer{ctx: ctx}
	defer func() {
		if err != nil {
			_ = o.End(err)
		}
	}()
	var heap io.Writer
	for _, s := range []struct {
		path  string
		start func(io.Writer) error
		stop  func()
	}{
		{f.memory, func(w io.Writer) error { heap = w; return nil }, func() {
			runtime.GC() // the profile is of the last collection
			_ = pprof.Lookup("allocs").WriteTo(heap, 0)
		}},
		{f.cpu, pprof.StartCPUProfile, pprof.StopCPUProfile}, {f.trace, trace.Start, trace.Stop},
	} {
		if s.path == "" {
			continue
		}
		file, err := CreateFile(s.path)
		if err != nil {
			return nil, err
		}
		o.files = append(o.files, file)
		w := bufio.NewWriter(file) // the runtime does not tell the errors of writing: Flush does
		if err := s.start(w); err != nil {
			return nil, WriteError(s.path, err)
		}
		o.stops = append(o.stops, func() error { s.stop(); return w.Flush() })
	}
	return o, nil
}

// Phase begins a phase.
func (o *Observer) Phase(name string) {
	if o.region != nil {
		o.region.End()
	}
	pprof.SetGoroutineLabels(pprof.WithLabels(o.ctx, pprof.Labels("phase", name)))
	o.region = trace.StartRegion(o.ctx, name)
}

// End ends what was started, in reverse order, and keeps the files, or removes them if err, the
// error of the work, is not nil. It returns err, or an error of its own.
func (o *Observer) End(err error) error {
	if o == nil {
		return err
	}
	if o.region != nil {
		o.region.End()
		pprof.SetGoroutineLabels(o.ctx)
	}
	for i := len(o.stops) - 1; i >= 0; i-- {
		if e := o.stops[i](); err == nil && e != nil {
			err = WriteError(o.files[i].Path, e)
		}
	}
	if err == nil && o.ctx.Err() != nil {
		err = LimitError(o.ctx.Err(), "writing profiles")
	}
	for _, f := range o.files {
		if err == nil {
			err = f.Keep()
		}
		f.Discard()
	}
	return err
}
