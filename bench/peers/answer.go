package peers

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

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
