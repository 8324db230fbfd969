package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/peers"
)

// Compare measures the tasks of the selection that the store lacks, with the peers that are found. All
// peers of a task are measured in one run, turn by turn; if the row of one is missing, all are measured again. Peers
// that are not found, or were left out of a task, are returned as faults. The error is that of the machine, of the
// context or of the store.
func Compare(ctx context.Context, all []peers.Peer, store *Store, opt Options) ([]*peers.Fault, error) {
	if len(opt.Tasks) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "gram-peers")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	found, faults, err := peers.Find(ctx, all, dir)
	if err != nil {
		return nil, err
	}
	tasks := slices.DeleteFunc(slices.Clone(opt.Tasks),
		func(t peers.Task) bool { return !opt.Fresh && store.compared(t, found, opt.Build) })
	for i, t := range tasks {
		if opt.Progress != nil {
			opt.Progress(Event{Task: &t, Done: i, Total: len(tasks)})
		}
		run := time.Now().UTC().Format(time.RFC3339Nano)
		times, left, err := t.Contest(ctx, found, max(1, opt.Repeat), dir)
		if faults = append(faults, left...); err != nil {
			return faults, err
		}
		for _, e := range times {
			if err := store.keepTimes(t, &e, run, &opt); err != nil {
				return faults, err
			}
		}
	}
	return faults, nil
}

// keepTimes writes the row of a peer.
func (s *Store) keepTimes(t peers.Task, e *peers.Times, run string, opt *Options) error {
	k := taskKey(t, e.Peer.Name)
	row := Row{Series: k.series, Run: run, Build: opt.Build, Measurement: bench.Measurement{Size: k.size,
		Point: bench.Point{X: t.Primitives(), More: map[string]float64{}}, Samples: e.Samples}}
	for name, v := range map[string]float64{bytesName: e.Bytes, stepsName: e.Steps} {
		if v > 0 {
			row.More[name] = v
		}
	}
	if err := row.summarise(opt.Computer); err != nil {
		return fmt.Errorf("%s, %s: %w", t.Name(), e.Peer.Name, err)
	}
	return s.Append(row)
}

// The quantities of a row of a comparison, in addition to the time of a run.
const (
	bytesName = "bytes"
	stepsName = "steps"
)

// taskKey is the key of the row of a peer's times. It belongs to no claim.
func taskKey(t peers.Task, peer string) key {
	return key{0, fmt.Sprintf("peers/%s/k=%d/%s", t.Workload, t.K, peer), t.N}
}

// compared reports whether the store has the task, by the build, with all contestants in one run.
func (s *Store) compared(t peers.Task, found []peers.Peer, build string) bool {
	runs := map[string]bool{}
	for i := range found {
		c := &found[i]
		if !c.Takes(t) {
			continue
		}
		r, ok := s.find(taskKey(t, c.Name), build)
		if !ok {
			return false
		}
		runs[r.Run] = true
	}
	return len(runs) <= 1
}

// Comparison is what peers took in one task, all in one run.
type Comparison struct {
	peers.Task
	Primitives float64  `json:"primitives"`
	Entries    []*Entry `json:"peers"` // in the order of [peers.All]
}

// Entry is one peer's part in a comparison. Times are nanoseconds for each primitive.
type Entry struct {
	Peer peers.Peer `json:"-"`
	Row  Row        `json:"-"`
	Name string     `json:"name"`
	Ns   float64    `json:"nsPerPrimitive"` // the median, with its interval
	Best float64    `json:"best"`           // the least
	Low  float64    `json:"low"`
	High float64    `json:"high"`
	// Tape is its time over the tape's, the median of the rounds; 0: there is no tape.
	Tape  float64 `json:"overTape,omitempty"`
	Bytes float64 `json:"bytesPerPrimitive,omitempty"` // 0: not known
	Steps float64 `json:"steps,omitempty"`             // of a run; 0 of peers that don't rewrite
	// Samples are the times of a run, in nanoseconds.
	Samples []float64 `json:"samples"`
}

// Of returns the entry of the peer with the name; nil if it is not there.
func (c *Comparison) Of(name string) *Entry {
	for _, e := range c.Entries {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// comparison returns the comparison of a task by the rows of a build. It uses only rows of the run that
// the row of the machine's default form belongs to. Without such a row it has no entries.
func (s *Store) comparison(t peers.Task, build string) *Comparison {
	out := &Comparison{Task: t, Primitives: t.Primitives()}
	direct, ok := s.find(taskKey(t, peers.Direct), build)
	if !ok {
		return out
	}
	for _, p := range peers.All() {
		r, ok := s.find(taskKey(t, p.Name), build)
		if !ok || r.Run != direct.Run || len(r.Samples) != len(direct.Samples) {
			continue
		}
		out.Entries = append(out.Entries, &Entry{Peer: p, Row: r, Name: p.Name, Ns: r.Y / r.X,
			Best: slices.Min(r.Samples) / r.X, Low: r.Low / r.X, High: r.High / r.X,
			Bytes: r.More[bytesName] / r.X, Steps: r.More[stepsName], Samples: r.Samples})
	}
	if tape := out.Of(peers.Tape); tape != nil {
		for _, e := range out.Entries {
			e.Tape = Ratio(e, tape)
		}
	}
	return out
}

// Ratio is the time of an entry over that of another of the same comparison: the median of the rounds' ratios.
func Ratio(e, over *Entry) float64 {
	ratios := make([]float64, len(e.Samples))
	for i, ns := range e.Samples {
		ratios[i] = ns / over.Samples[i]
	}
	return median(ratios)
}

// AnyTask are the tasks of a quick run and of a full one, by workload and size.
func AnyTask() []peers.Task {
	all := slices.Concat(peers.Quick, peers.Full)
	slices.SortFunc(all, func(a, b peers.Task) int {
		return cmp.Or(cmp.Compare(a.Workload, b.Workload), cmp.Compare(a.N, b.N), cmp.Compare(a.K, b.K))
	})
	return slices.Compact(all)
}

// IsComparison reports whether the row is of a comparison that [AnyTask] and [peers.All] have.
func (r *Row) IsComparison() bool {
	return slices.ContainsFunc(AnyTask(), func(t peers.Task) bool {
		return slices.ContainsFunc(peers.All(), func(p peers.Peer) bool { return taskKey(t, p.Name) == r.key() })
	})
}

// taskName names a task as people do: "W2, n = 10³, k = 16".
func taskName(t peers.Task) string {
	name := fmt.Sprintf("%s, n = %s", strings.ToUpper(t.Workload), size(t.N))
	if t.K > 0 {
		name += fmt.Sprintf(", k = %d", t.K)
	}
	return name
}

// size prints powers of ten from 1000 on as such.
func size(n int) string {
	if e := math.Log10(float64(n)); n >= 1000 && e == math.Trunc(e) {
		return "10" + raised.Replace(strconv.Itoa(int(e)))
	}
	return grouped(int64(n))
}

// compared are the peers that take part for their times, in order: those that any task has, and the names of the
// others.
func compared(all []*Comparison) (of []peers.Peer, missing []string) {
	for _, p := range peers.All() {
		switch {
		case p.Aside:
		case slices.ContainsFunc(all, func(c *Comparison) bool { return c.Of(p.Name) != nil }):
			of = append(of, p)
		default:
			missing = append(missing, p.Name)
		}
	}
	return of, missing
}

// grid is a table with a line for each peer and a column for each task.
func grid(all []*Comparison, of []peers.Peer, cell func(*Entry) string) table.Writer {
	header, right := table.Row{""}, []int(nil)
	for i, c := range all {
		header, right = append(header, taskName(c.Task)), append(right, i+2)
	}
	t := NewTable(header, right...)
	for _, p := range of {
		row := table.Row{p.Name}
		for _, c := range all {
			text := "–"
			if e := c.Of(p.Name); e != nil {
				text = cell(e)
			}
			row = append(row, text)
		}
		t.AppendRow(row)
	}
	return t
}

// times prints nanoseconds for each primitive, and the ratio to the tape if there is one.
func times(e *Entry) string {
	if e.Tape == 0 {
		return rough(e.Ns)
	}
	return fmt.Sprintf("%s (%s)", rough(e.Ns), rough(e.Tape))
}

// bytesOf prints bytes for each primitive of the forward computation; of no entry a dash.
func bytesOf(e *Entry) string {
	if e == nil {
		return "–"
	}
	return orDash(rough, e.Bytes)
}

// rough prints a measured quantity with two digits, or three if it begins with 1; whole from 100 on.
func rough(x float64) string {
	if x >= 100 {
		return grouped(int64(math.Round(x)))
	}
	e := math.Floor(math.Log10(x))
	digits := 1
	if x/math.Pow(10, e) < 2 {
		digits = 2
	}
	return strconv.FormatFloat(x, 'f', max(0, digits-int(e)), 64)
}

// ComparisonText is the comparison for a terminal; "" if there is none.
func ComparisonText(r *Report) string {
	if len(r.Comparisons) == 0 {
		return ""
	}
	of, _ := compared(r.Comparisons)
	t := grid(r.Comparisons, of, times)
	return "Value and gradient, ns per primitive of the forward computation (over the plain Go tape's time)\n\n" +
		t.Render() + "\n"
}

// largest are the comparisons of the machine's default form in each workload at its largest size. They are in the order
// of workloads and sizes.
func largest(all []*Comparison) (out []*Comparison) {
	for _, sizes := range bench.Groups(all, func(c *Comparison) string { return c.Workload }) {
		if last := sizes[len(sizes)-1]; last.Of(peers.Direct) != nil {
			out = append(out, last)
		}
	}
	return out
}

// Over is the time of the machine's default form over that of a peer; a dash if one was not measured.
func (c *Comparison) Over(peer string) string {
	e, o := c.Of(peers.Direct), c.Of(peer)
	if e == nil || o == nil {
		return "–"
	}
	return rough(Ratio(e, o))
}

// peersPage is the page of the comparison: times, bytes and steps of the peers.
func peersPage(r *Report, opt *Pages) ([]byte, error) {
	all := r.Comparisons
	of, missing := compared(all)
	rewriting := slices.DeleteFunc(peers.All(), func(p peers.Peer) bool {
		return !slices.ContainsFunc(all, func(c *Comparison) bool {
			e := c.Of(p.Name)
			return e != nil && e.Steps > 0
		})
	})
	fused := slices.DeleteFunc(slices.Clone(rewriting), func(p peers.Peer) bool { return p.Equal })
	rate := func(e *Entry) string { return orDash(rough, e.Steps/e.Row.Y*1e3) }
	steps := func(e *Entry) string { return orDash(figure, e.Steps) }
	return execute("peers.md.tmpl", map[string]any{
		"Times":     grid(all, of, times).RenderMarkdown(),
		"Bytes":     grid(all, of, bytesOf).RenderMarkdown(),
		"Missing":   missing,
		"Rewriting": len(rewriting) > 0,
		"Rates":     grid(all, rewriting, rate).RenderMarkdown(),
		"Steps":     grid(all, fused, steps).RenderMarkdown(),
		"Tasks":     all,
		"Compare":   opt.Compare,
	})
}
