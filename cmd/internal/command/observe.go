package command

import (
	"bufio"
	"context"
	"io"
	"runtime"
	"runtime/pprof"
	"runtime/trace"

	"github.com/spf13/cobra"
)

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
	start := []struct {
		path  string
		start func(io.Writer) (stop func() error, err error)
	}{{f.memory, heapProfile}, {f.cpu, cpuProfile}, {f.trace, executionTrace}}
	for _, s := range start {
		if s.path == "" {
			continue
		}
		file, err := CreateFile(s.path)
		if err != nil {
			return nil, err
		}
		o.files = append(o.files, file)
		stop, err := s.start(file)
		if err != nil {
			return nil, WriteError(s.path, err)
		}
		o.stops = append(o.stops, stop)
	}
	return o, nil
}

func heapProfile(w io.Writer) (func() error, error) {
	return func() error {
		runtime.GC() // the profile is of the last collection
		return pprof.Lookup("allocs").WriteTo(w, 0)
	}, nil
}

func cpuProfile(f io.Writer) (func() error, error) {
	w := bufio.NewWriter(f) // the runtime does not tell the errors of writing: Flush does
	return func() error { pprof.StopCPUProfile(); return w.Flush() }, pprof.StartCPUProfile(w)
}

func executionTrace(f io.Writer) (func() error, error) {
	w := bufio.NewWriter(f) // the runtime does not tell the errors of writing: Flush does
	return func() error { trace.Stop(); return w.Flush() }, trace.Start(w)
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
