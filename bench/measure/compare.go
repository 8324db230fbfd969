package measure

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

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
	r := &runner{opt: opt, store: store}
	var tasks []peers.Task
	for _, t := range opt.Tasks {
		if opt.Fresh || !store.compared(t, found, opt.Build) {
			tasks = append(tasks, t)
		}
	}
	for i, t := range tasks {
		if opt.Progress != nil {
			opt.Progress(Event{Task: &t, Done: i, Total: len(tasks)})
		}
		left, err := r.compare(ctx, t, found, dir)
		if faults = append(faults, left...); err != nil {
			return faults, err
		}
	}
	return faults, nil
}

// compare measures one task, and keeps the rows of all peers.
func (r *runner) compare(ctx context.Context, t peers.Task, found []peers.Contestant, dir string) ([]*peers.Fault, error) {
	run := time.Now().UTC().Format(time.RFC3339Nano)
	times, faults, err := t.Contest(ctx, found, max(1, r.opt.Repeat), dir)
	if err != nil {
		return faults, err
	}
	for _, e := range times {
		k := taskKey(t, e.Peer)
		row := Row{Series: k.series, Size: k.size, X: t.Primitives(), Samples: e.Samples, More: map[string]float64{}, Run: run, Build: r.opt.Build}
		for name, v := range map[string]float64{bytesName: e.Bytes, stepsName: e.Steps} {
			if v > 0 {
				row.More[name] = v
			}
		}
		if err := r.summarise(&row); err != nil {
			return faults, fmt.Errorf("%s, %s: %w", t.Name(), e.Peer.Name, err)
		}
		if err := r.store.Append(row); err != nil {
			return faults, err
		}
	}
	return faults, nil
}

// What a row of a comparison has besides the time of a run.
const (
	bytesName = "bytes"
	stepsName = "steps"
)

// taskKey is what the row of a peer's times is of: no claim.
func taskKey(t peers.Task, p *peers.Peer) key {
	return key{0, fmt.Sprintf("peers/%s/k=%d/%s", t.Workload, t.K, p.Name), t.N}
}

// compared reports whether the store has the task, by the build, with all contestants in one run.
func (s *Store) compared(t peers.Task, found []peers.Contestant, build string) bool {
	run := ""
	for i := range found {
		c := &found[i]
		if !c.Takes(t) {
			continue
		}
		r, ok := s.find(taskKey(t, &c.Peer), build)
		if !ok || run != "" && r.Run != run {
			return false
		}
		run = r.Run
	}
	return true
}

// Comparison is what peers took in one task, all in one run.
type Comparison struct {
	Task    peers.Task
	Entries []Entry // in the order of [peers.All]
}

// Entry is one peer's part in a comparison.
type Entry struct {
	Peer  peers.Peer
	Row   Row
	Tape  float64 // its time over the tape's: the median of the rounds
	Ns    float64 // nanoseconds for each primitive, the median
	Best  float64 // the least
	Bytes float64 // for each primitive; 0: not known
	Steps float64 // of a run; 0 of peers that don't rewrite
}

// Of returns the entry of the peer with the name; nil if it is not there.
func (c *Comparison) Of(name string) *Entry {
	for i := range c.Entries {
		if c.Entries[i].Peer.Name == name {
			return &c.Entries[i]
		}
	}
	return nil
}

// comparison returns what the rows of a build say of a task: of those, the ones of the run that the
// tape's row is of. It has no entries if there is no such row.
func (s *Store) comparison(t peers.Task, build string) Comparison {
	out := Comparison{Task: t}
	all := peers.All()
	at := slices.IndexFunc(all, func(p peers.Peer) bool { return p.Name == peers.Tape })
	tape, ok := s.find(taskKey(t, &all[at]), build)
	if !ok {
		return out
	}
	for _, p := range all {
		r, ok := s.find(taskKey(t, &p), build)
		if !ok || r.Run != tape.Run || len(r.Samples) != len(tape.Samples) {
			continue
		}
		out.Entries = append(out.Entries, Entry{Peer: p, Row: r, Tape: ratio(&r, &tape), Ns: r.Y / r.X,
			Best: slices.Min(r.Samples) / r.X, Bytes: r.More[bytesName] / r.X, Steps: r.More[stepsName]})
	}
	return out
}

// Ratio is the time of an entry over that of another of the same comparison: the median of the rounds' ratios.
func Ratio(e, over *Entry) float64 { return ratio(&e.Row, &over.Row) }

func ratio(r, over *Row) float64 {
	ratios := make([]float64, len(r.Samples))
	for i, ns := range r.Samples {
		ratios[i] = ns / over.Samples[i]
	}
	return median(ratios)
}

// median is the middle of numbers, or the mean of the two in the middle.
func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
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
	for _, t := range AnyTask() {
		for _, p := range peers.All() {
			if taskKey(t, &p) == r.key() {
				return true
			}
		}
	}
	return false
}
