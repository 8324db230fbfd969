// Package property runs the property tests: on how many draws, for how long, and what
// is told of it. It draws random well-typed terms of the calculus.
//
// A property is a test named TestProperty… that calls [Check]. It is tested on at most
// 100 draws, or on as many as the environment says:
//
//	PROPERTY_DRAWS=1000000   draws for each property
//	PROPERTY_BUDGET=10s      time for each property: what is drawn by then is enough
//
// If it says neither, a property has a tenth of a second.
//
// Tests of large programs take a tenth of their size, or as much as the environment says:
//
//	FULL_SIZE=1              depth 10⁶, workloads at the size of the benchmarks
//
// With go test -v each property tells in one line how many draws it has reached, and in how many seconds. A failure
// is shrunk, and printed with the seed that gives it again (-rapid.seed).
package property

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// draws is how many draws a property is tested on by default, and budget for how long.
const (
	draws  = 100
	budget = time.Second / 10
)

// prefix begins the name of every property: by it the tests that are properties are found.
const prefix = "TestProperty"

// settings are what the environment asks for.
type settings struct {
	draws  int
	budget time.Duration // of each property; 0: none
}

// read reads the settings.
func read(getenv func(string) string) (s settings, err error) {
	s.draws = draws
	if text := getenv("PROPERTY_DRAWS"); text == "" {
		s.budget = budget
	} else if s.draws, err = strconv.Atoi(text); err != nil || s.draws < 1 {
		return s, fmt.Errorf("PROPERTY_DRAWS=%s: expected a number of draws", text)
	}
	if text := getenv("PROPERTY_BUDGET"); text != "" {
		if s.budget, err = time.ParseDuration(text); err != nil || s.budget <= 0 {
			return s, fmt.Errorf("PROPERTY_BUDGET=%s: expected a time such as 10s", text)
		}
	}
	return s, nil
}

// Full reports whether FULL_SIZE is set: whether tests of large programs run at full size.
func Full() bool { return os.Getenv("FULL_SIZE") != "" }

// Size returns the size of a test of a large program: full, or a tenth of it without FULL_SIZE.
func Size(full int) int {
	if Full() {
		return full
	}
	return full / 10
}

// environment reads the settings once, and gives rapid the number of draws, unless -rapid.checks says it.
var environment = sync.OnceValues(func() (settings, error) {
	s, err := read(os.Getenv)
	if err != nil {
		return s, err
	}
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		err = flag.Set("rapid.checks", strconv.Itoa(s.draws))
	}
	return s, err
})

// Check tests a property, in parallel with others of its package. The property fails
// by failing its argument; a draw about which it has nothing to say it leaves by
// returning. If that is so since a limit was reached, it calls [Leave].
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	s, err := environment()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(t.Name(), prefix) {
		t.Fatalf("the name of a property begins with %s", prefix)
	}
	t.Parallel()
	b := &budgeted{property: property, start: time.Now(), budget: s.budget, left: map[string]int{}}
	rapid.Check(t, b.run)
	t.Logf("%s: %d draws in %.1f s", t.Name(), b.draws.Load(), time.Since(b.start).Seconds())
	for _, why := range slices.Sorted(maps.Keys(b.left)) {
		t.Logf("%s: left out %d times: %s", t.Name(), b.left[why], why)
	}
}

// running has the property that each draw is of, by its [rapid.T].
var running sync.Map

// Leave notes that the property t says nothing of a run, and why: a limit was reached, for example. [Check] prints how
// often that was.
func Leave(t any, why string) {
	if of, ok := running.Load(t); ok {
		b := of.(*budgeted)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.left[why]++
	}
}

// budgeted is a property that stops drawing when its time is over. A property that has
// failed is given all the time that shrinking takes.
type budgeted struct {
	property func(*rapid.T)
	start    time.Time
	budget   time.Duration
	draws    atomic.Int64
	failed   atomic.Bool
	mu       sync.Mutex
	left     map[string]int // runs, by why they were left out
}

func (b *budgeted) run(t *rapid.T) {
	if b.budget > 0 && !b.failed.Load() && b.draws.Load() > 0 && time.Since(b.start) > b.budget {
		return
	}
	running.Store(t, b)
	passed := false
	defer func() {
		running.Delete(t)
		if !passed {
			b.failed.Store(true)
		}
	}()
	b.property(t)
	passed = !t.Failed()
	b.draws.Add(1)
}

// Constant is a constant c of a bound that a lemma claims, such as |D(t)| ≤ c·|t|, and
// the largest value that was measured. It may be used by several goroutines.
type Constant struct {
	mu    sync.Mutex
	most  float64
	where string
}

// Measure books a measured value, and what it was measured on.
func (c *Constant) Measure(value float64, where fmt.Stringer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.where == "" || value > c.most {
		c.most, c.where = value, where.String()
	}
}

// Report prints the largest value, beside the bound that is asserted.
func (c *Constant) Report(t *testing.T, name string, bound float64) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	t.Logf("%s: at most %.4g, asserted %.4g; reached by %s", name, c.most, bound, c.where)
}
