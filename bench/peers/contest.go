package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gram-machine/gram/bench"
)

// Task is a workload at a size.
type Task struct {
	Workload string `json:"workload"` // "w1" to "w5"
	N        int    `json:"n"`
	K        int    `json:"k,omitempty"` // the width of w2 and w5, 0 of the others
}

// Quick and Full are the tasks of a quick run and of a full one.
var (
	Quick = []Task{{"w1", 1000, 0}, {"w1", 100_000, 0}, {"w2", 100, 16}, {"w3", 1000, 0}, {"w3", 100_000, 0},
		{"w4", 1000, 0}, {"w4", 100_000, 0}, {"w5", 100, 16}}
	Full = []Task{{"w1", 1000, 0}, {"w1", 1_000_000, 0}, {"w2", 1000, 16}, {"w2", 1000, 64}, {"w2", 1000, 256},
		{"w3", 1000, 0}, {"w3", 1_000_000, 0},
		{"w4", 1000, 0}, {"w4", 1_000_000, 0}, {"w5", 100, 64}, {"w5", 100, 256}}
)

// Primitives is the number of operations of the forward computation.
func (t Task) Primitives() float64 { return bench.Primitives(t.Workload, t.N, t.K) }

// Name is the task's name in errors: "w2, n = 100, k = 16".
func (t Task) Name() string {
	if t.K > 0 {
		return fmt.Sprintf("%s, n = %d, k = %d", t.Workload, t.N, t.K)
	}
	return fmt.Sprintf("%s, n = %d", t.Workload, t.N)
}

// Times are what one peer took in one task.
type Times struct {
	Peer    *Peer
	Samples []float64 // nanoseconds of one run, one for each round
	Bytes   float64   // 0: not known
	Steps   float64   // of one run, before which nothing is left to normalise; 0 of peers that don't rewrite
}

// Contest lets the contestants that take the task run turn by turn, in rounds. The first of
// them whose steps are counted is the machine that the others must agree with. Who does not, or
// fails, is left out, with a fault. The error is that of the machine, or of the context. Programs run in
// folders of their own, in dir.
func (t Task) Contest(ctx context.Context, all []Peer, rounds int, dir string) (out []Times, faults []*Fault,
	err error) {
	w, err := bench.NewWorkload(t.Workload, t.N, t.K)
	if err != nil {
		return nil, nil, err
	}
	var entries []*entry
	defer func() {
		for _, e := range entries {
			e.close()
		}
	}()
	leaveOut := func(p *Peer, err error) { faults = append(faults, &Fault{Peer: p.Name, Task: &t, Err: err}) }
	for i := range all {
		p := &all[i]
		if !p.Takes(t) {
			continue
		}
		r, err := p.start(ctx, t, w, dir)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil:
			leaveOut(p, err)
		default:
			entries = append(entries, &entry{runner: r, times: Times{Peer: p}})
		}
	}
	machine := slices.IndexFunc(entries, func(e *entry) bool { return e.times.Peer.Steps })
	if machine < 0 {
		return nil, nil, fmt.Errorf("peers: %s without the machine", t.Name())
	}
	want, err := entries[machine].turn(ctx)
	if err != nil {
		return nil, nil, err
	}
	want.Gradient = slices.Clone(want.Gradient) // which the next turn overwrites
	for range rounds {
		for _, e := range entries {
			if e.out {
				continue
			}
			err := e.take(ctx, &want)
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			if err != nil {
				e.out = true
				leaveOut(e.times.Peer, err)
			}
		}
	}
	for _, e := range entries {
		if !e.out {
			out = append(out, e.times)
		}
	}
	return out, faults, nil
}

// entry is a peer at work on the task.
type entry struct {
	*runner
	times Times
	out   bool // it has failed, and is not measured again
}

// take takes one time. The answer must agree with the one that is wanted.
func (e *entry) take(ctx context.Context, want *Answer) error {
	a, err := e.turn(ctx)
	if err == nil {
		err = a.Agrees(want)
	}
	if err != nil {
		return err
	}
	e.times.Samples = append(e.times.Samples, float64(a.Time.Nanoseconds()))
	e.times.Bytes, e.times.Steps = e.bytes(), a.Steps
	return nil
}

// Answer is what a peer says of one turn.
type Answer struct {
	Value    float64
	Gradient []float64
	Time     time.Duration // of one run: the mean of the turn's
	Steps    float64       // rewrites of one run; 0 of peers that don't rewrite
}

// check reports an answer that can't be one.
func (a *Answer) check() error {
	if a.Time <= 0 {
		return fmt.Errorf("a run took %v", a.Time)
	}
	for _, x := range append([]float64{a.Value}, a.Gradient...) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("a number is %v", x)
		}
	}
	return nil
}

// tolerance is how far a peer's numbers may be from the machine's, relative to these, and cancelled how far those of a
// gradient may be, relative to its largest: a small number may be a sum whose terms cancel, or belong to a sigmoid
// function s that is nearly 1, and s·(1 − s) has then lost most of its digits.
const (
	tolerance = 1e-9
	cancelled = 1e-14
)

// Agrees reports where the answer's value and gradient are not those wanted, to a relative 1e-9 or 1e-14 of the largest
// number of the gradient. A number of the gradient that is to be 0 must be 0.
func (a *Answer) Agrees(want *Answer) error {
	if len(a.Gradient) != len(want.Gradient) {
		return fmt.Errorf("its gradient has %d numbers, not %d", len(a.Gradient), len(want.Gradient))
	}
	if !near(a.Value, want.Value) {
		return fmt.Errorf("its value is %v, not %v", a.Value, want.Value)
	}
	largest := 0.0
	for _, x := range want.Gradient {
		largest = max(largest, math.Abs(x))
	}
	for i, x := range a.Gradient {
		if w := want.Gradient[i]; !near(x, w) && (w == 0 || !(math.Abs(x-w) <= cancelled*largest)) {
			return fmt.Errorf("number %d of its gradient is %v, not %v", i+1, x, w)
		}
	}
	return nil
}

func near(x, want float64) bool { return math.Abs(x-want) <= tolerance*math.Abs(want) }

// shown is the beginning of what a program printed, for errors.
func shown(text string) string {
	const most = 80
	if letters := []rune(text); len(letters) > most {
		text = string(letters[:most]) + "…"
	}
	return strconv.Quote(text)
}

// parseJSON reads an answer as the programs of this package print it: see programs/serve.h.
func parseJSON(lines []string) (Answer, error) {
	text := strings.Join(lines, "\n")
	var got struct {
		Runs, Seconds, Value *float64
		Gradient             []float64
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		return Answer{}, fmt.Errorf("it printed %s: %w", shown(text), err)
	}
	if got.Runs == nil || got.Seconds == nil || got.Value == nil || *got.Runs < 1 {
		return Answer{}, fmt.Errorf("it printed %s, without runs, seconds or a value", shown(text))
	}
	a := Answer{Value: *got.Value, Gradient: got.Gradient, Time: time.Duration(*got.Seconds / *got.Runs * 1e9)}
	return a, a.check()
}

// parseMaude reads what Maude prints of a reduction: the rewrites with their time, and the
// term answer(value, by w, by x).
func parseMaude(lines []string) (Answer, error) {
	text := strings.Join(lines, "\n")
	var a Answer
	for _, line := range lines {
		if after, ok := strings.CutPrefix(line, "rewrites: "); ok {
			var cpu, real float64
			if _, err := fmt.Sscanf(after, "%g in %gms cpu (%gms real)", &a.Steps, &cpu, &real); err != nil {
				return Answer{}, fmt.Errorf("it printed %s: %w", shown(line), err)
			}
			a.Time = time.Duration(real * 1e6)
		}
		_, term, ok := strings.Cut(line, ": answer(")
		if !ok {
			continue
		}
		for _, text := range strings.Split(strings.TrimSuffix(term, ")"), ",") {
			x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil {
				return Answer{}, fmt.Errorf("it printed %s: %w", shown(line), err)
			}
			a.Gradient = append(a.Gradient, x)
		}
	}
	if len(a.Gradient) == 0 {
		return Answer{}, fmt.Errorf("it printed %s", shown(text))
	}
	a.Value, a.Gradient = a.Gradient[0], a.Gradient[1:]
	return a, a.check()
}
