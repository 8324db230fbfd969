// Package limits watches what a run may use: its context, and the memory of the
// process. Loading, compiling and running call Check now and then.
package limits

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// MemoryError says that the process uses more memory than it may.
type MemoryError struct {
	Max, Used uint64 // bytes
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("memory limit of %s reached: %s in use", Size(e.Max), Size(e.Used))
}

// Meter checks a context and a bound on memory. A nil *Meter checks nothing.
type Meter struct {
	// Progress, if not nil, is called at each check of [Meter.During], with its phase.
	Progress func(phase string)
	// Phase, if not nil, is called when a phase of the work begins.
	Phase func(name string)

	ctx  context.Context
	max  uint64
	read int64 // when memory was read last
}

// checkEvery is how long a check of the context does not look at the memory again.
const checkEvery = 100 * time.Microsecond

// outside counts the bytes of this process that are not in the Go heap.
var outside atomic.Int64

// Outside books bytes of memory outside the Go heap, for all meters of the process; a
// negative number gives back. Whoever maps memory books it.
func Outside(bytes int64) { outside.Add(bytes) }

// New returns a meter. max is in bytes; 0 means [DefaultMemory].
func New(ctx context.Context, max uint64) *Meter {
	if max == 0 {
		max = DefaultMemory()
	}
	return &Meter{ctx: ctx, max: max}
}

// Begin tells that a phase of the work begins.
func (m *Meter) Begin(phase string) {
	if m.Phase != nil {
		m.Phase(phase)
	}
}

// During returns a function that reports progress in the phase and checks the limits.
func (m *Meter) During(phase string) func() error {
	return func() error {
		if m.Progress != nil {
			m.Progress(phase)
		}
		return m.Check()
	}
}

// Bounds returns the bounds of a run in the phase: these numbers of steps and nodes, 0 for none,
// and those of the meter.
func (m *Meter) Bounds(phase string, steps, nodes uint64) Bounds {
	return Bounds{MaxSteps: steps, MaxNodes: nodes, MaxMemory: m.max, Look: m.During(phase), Reserve: m.Reserve}
}

// SetContext makes ctx the context that Check looks at.
func (m *Meter) SetContext(ctx context.Context) { m.ctx = ctx }

// Check returns the context's error, or a [*MemoryError]. It looks at the memory ten times in a millisecond at most.
func (m *Meter) Check() error {
	if m == nil {
		return nil
	}
	if err := m.ctx.Err(); err != nil {
		if cause := context.Cause(m.ctx); !errors.Is(cause, m.ctx.Err()) {
			return fmt.Errorf("%w: %w", m.ctx.Err(), cause)
		}
		return m.ctx.Err()
	}
	now := int64(time.Since(start))
	if now-atomic.LoadInt64(&m.read) < int64(checkEvery) {
		return nil
	}
	atomic.StoreInt64(&m.read, now)
	return m.Reserve(0)
}

// start is before the process began, so that the first check looks at the memory.
var start = time.Now().Add(-time.Second)

// Reserve returns a [*MemoryError] if bytes more would pass the bound. Before that it has
// garbage collected: that must free a sixteenth of the bound, so that collections
// near it are rare.
func (m *Meter) Reserve(bytes int64) error {
	if m == nil {
		return nil
	}
	used := func() uint64 { return heapBytes() + program() + uint64(outside.Load()+bytes) }
	before := used()
	if before <= m.max {
		return nil
	}
	debug.FreeOSMemory()
	if used() > m.max-m.max/16 {
		return &MemoryError{Max: m.max, Used: before}
	}
	return nil
}

// Buffer is a buffer for text whose memory a meter bounds: writing checks the limits.
type Buffer struct {
	bytes.Buffer
	meter *Meter
	fresh int // bytes written since the last check
}

// bufferCheck is how many bytes are written to a buffer between two checks.
const bufferCheck = 1 << 14

// NewBuffer returns an empty buffer.
func (m *Meter) NewBuffer() *Buffer { return &Buffer{meter: m} }

// Write appends p. The error is that of [Meter.Check] or [Meter.Reserve].
func (b *Buffer) Write(p []byte) (int, error) {
	if b.fresh += len(p); b.fresh >= bufferCheck {
		b.fresh = 0
		if err := b.meter.Check(); err != nil {
			return 0, err
		}
	}
	if b.Len()+len(p) > b.Cap() {
		if err := b.meter.Reserve(int64(2*b.Cap() + len(p))); err != nil {
			return 0, err
		}
	}
	return b.Buffer.Write(p)
}

// program is the memory of the executable and its libraries, in bytes, when the process
// has begun; 0 where that can't be told.
var program = sync.OnceValue(func() uint64 {
	var size, resident, shared uint64 // in pages
	text, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(text), &size, &resident, &shared)
	}
	if err != nil {
		return 0
	}
	return shared * uint64(os.Getpagesize())
})

// heapBytes is the memory that Go's runtime holds and has not given back.
func heapBytes() uint64 {
	s := heapSamples.Get().(*[2]metrics.Sample)
	defer heapSamples.Put(s)
	metrics.Read(s[:])
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}

// heapSamples are kept so that a look makes no garbage.
var heapSamples = sync.Pool{New: func() any {
	return &[2]metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
}}

// DefaultMemory is 80 % of the memory of the machine, or of the container if that
// is less; 8 GiB where neither can be told.
func DefaultMemory() uint64 {
	total := uint64(0)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
				kb, _ := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
				total = kb << 10
			}
		}
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(file); err == nil {
			if n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil && (total == 0 || n < total) {
				total = n
			}
		}
	}
	if total == 0 {
		total = 10 << 30
	}
	return total / 5 * 4
}

var units = []struct {
	name string
	size float64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// Size prints a number of bytes for people.
func Size(bytes uint64) string {
	for _, u := range units {
		if float64(bytes) >= u.size {
			return strconv.FormatFloat(float64(bytes)/u.size, 'f', 1, 64) + " " + u.name
		}
	}
	return strconv.FormatUint(bytes, 10) + " bytes"
}

// ParseSize reads a size such as 512M, 1.5GiB, 2GB or 1000000 (bytes). K, M, G and
// T, with or without an i or a B, are powers of 1024; KB, MB, GB and TB of 1000.
func ParseSize(text string) (uint64, error) {
	s := strings.TrimSpace(text)
	i := strings.LastIndexAny(s, "0123456789.") + 1
	x, err := strconv.ParseFloat(s[:i], 64)
	scale, ok := scales[strings.ToUpper(strings.TrimSpace(s[i:]))]
	if err != nil || !ok || x*scale < 1 || x*scale > 1<<62 {
		return 0, fmt.Errorf("%q is not a size: expected a number and an optional unit, like 512M or 2GiB", text)
	}
	return uint64(x * scale), nil
}

var scales = map[string]float64{"": 1, "B": 1,
	"K": 1 << 10, "KI": 1 << 10, "KIB": 1 << 10, "KB": 1e3,
	"M": 1 << 20, "MI": 1 << 20, "MIB": 1 << 20, "MB": 1e6,
	"G": 1 << 30, "GI": 1 << 30, "GIB": 1 << 30, "GB": 1e9,
	"T": 1 << 40, "TI": 1 << 40, "TIB": 1 << 40, "TB": 1e12}
