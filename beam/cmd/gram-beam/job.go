package main

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx" // registers the runners and the file systems
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/stats"

	"github.com/gram-machine/gram/beam/gramio"
)

// Runners are the names of the runners.
const Runners = "prism direct universal flink dataflow"

// Options say where a pipeline runs.
type Options struct {
	Runner   string // one of Runners
	Endpoint string // host:port of the job server; "": prism runs in this process
	Workers  string // host:port of a pool of workers; "": the workers are in this process
	Temp     string // a folder that this process and the workers share, for results; "": one on this computer
	Attempts int    // how often a pipeline is run before its error counts
	Verbose  bool   // print what Beam says, on standard error
	Stats    bool   // print seconds and bytes of each pipeline there
}

// Runner runs pipelines.
type Runner struct {
	opt  Options
	temp string // the folder for results
	own  bool   // it is removed at the end
}

// New returns a runner. Close it.
func New(opt Options) (*Runner, error) {
	r := &Runner{opt: opt, temp: opt.Temp}
	if opt.Temp == "" {
		dir, err := os.MkdirTemp("", "gram-beam-")
		if err != nil {
			return nil, err
		}
		r.temp, r.own = dir, true
		// In loopback mode Beam leaves an empty file in the folder for temporary files for each pipeline.
		if err := os.Setenv("TMPDIR", dir); err != nil {
			return nil, err
		}
	}
	if opt.Stats {
		grpcx.Dial = dial
	}
	if !opt.Verbose {
		slog.SetDefault(slog.New(slog.DiscardHandler)) // prism's
	}
	log.SetLogger(logger{opt.Verbose})
	if opt.Endpoint != "" {
		*jobopts.Endpoint = opt.Endpoint
	}
	if opt.Workers != "" {
		*jobopts.EnvironmentType, *jobopts.EnvironmentConfig = "EXTERNAL", opt.Workers
		*jobopts.WorkerBinary = os.DevNull // the pool has its own
	} else if *jobopts.EnvironmentType == "" && opt.Runner != "dataflow" {
		*jobopts.EnvironmentType = "LOOPBACK"
	}
	return r, nil
}

// Close removes what is temporary.
func (r *Runner) Close() error {
	if r.own {
		return os.RemoveAll(r.temp)
	}
	return nil
}

// logger writes the messages of Beam, if somebody wants them.
type logger struct{ verbose bool }

func (l logger) Log(_ context.Context, sev log.Severity, _ int, msg string) {
	if l.verbose && sev >= log.SevInfo {
		fmt.Fprintln(os.Stderr, msg)
	}
}

// Run runs a pipeline until it succeeds, but at most as often as Attempts says. build makes it anew each time.
func (r *Runner) Run(ctx context.Context, build func(beam.Scope)) error {
	for try := 1; ; try++ {
		p, s := beam.NewPipelineWithRoot()
		build(s)
		start, before := time.Now(), traffic.Load()
		_, err := beam.Run(ctx, r.opt.Runner, p)
		if r.opt.Stats {
			fmt.Fprintf(os.Stderr, "pipeline: %.3f s, %d bytes\n", time.Since(start).Seconds(), traffic.Load()-before)
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case try >= r.opt.Attempts:
			return fmt.Errorf("the pipeline has failed %d times: %s", try, short(err.Error()))
		}
		if r.opt.Verbose {
			fmt.Fprintf(os.Stderr, "attempt %d of %d has failed: %v\n", try, r.opt.Attempts, short(err.Error()))
		}
	}
}

// short cuts long lines: errors of Beam have whole pipelines in them.
func short(text string) string {
	const most = 200
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		if len(line) > most {
			lines[i] = strings.ToValidUTF8(line[:most], "") + " …"
		}
	}
	return strings.Join(lines, "\n")
}

// Collect runs a pipeline, and returns the elements of the collection that build returns, of type KV<int, []byte>, by their
// keys. They come by files, which are written whole: an attempt that writes one again writes the same. After an error, too, those
// that are there are returned.
func Collect(ctx context.Context, r *Runner, build func(beam.Scope) beam.PCollection) (map[int][]byte, error) {
	dir := r.temp + "/" + uuid.NewString()
	failed := r.Run(ctx, func(s beam.Scope) { beam.ParDo0(s, &writeFn{Dir: dir}, build(s)) })
	system, err := filesystem.New(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	files, err := system.List(ctx, dir+"/*")
	if err != nil {
		return nil, err
	}
	out := map[int][]byte{}
	for _, f := range files {
		key, err := strconv.Atoi(path.Base(f))
		if err != nil {
			continue // of a writer that died
		}
		if out[key], err = gramio.ReadFile(ctx, f); err != nil {
			return nil, err
		}
		if remove, ok := system.(filesystem.Remover); ok {
			_ = remove.Remove(ctx, f)
		}
	}
	return out, failed
}

func init() { beam.RegisterType(reflect.TypeFor[*writeFn]()) }

// writeFn writes elements to files, named by their keys.
type writeFn struct{ Dir string }

// ProcessElement writes one file.
func (f *writeFn) ProcessElement(ctx context.Context, key int, value []byte) error {
	return gramio.WriteFile(ctx, f.Dir+"/"+strconv.Itoa(key), value)
}

// traffic is how many bytes the connections of this process have carried, in both directions: to the job server, and between
// it and the workers that are in this process.
var traffic atomic.Int64

// dial connects as Beam does, and counts.
func dial(_ context.Context, endpoint string, _ time.Duration) (*grpc.ClientConn, error) {
	return grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithStatsHandler(meter{}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
}

// meter implements [stats.Handler].
type meter struct{}

func (meter) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (meter) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (meter) HandleConn(context.Context, stats.ConnStats)                       {}

func (meter) HandleRPC(_ context.Context, s stats.RPCStats) {
	switch s := s.(type) {
	case *stats.InPayload:
		traffic.Add(int64(s.WireLength))
	case *stats.OutPayload:
		traffic.Add(int64(s.WireLength))
	}
}
