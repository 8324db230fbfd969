package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// profileCommand prints what a pprof profile holds, as go tool pprof -top and -tags would:
// types of samples, totals, and for the type that is shown by default each function's own and
// cumulative total, and each label's.
func profileCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: profile FILE")
	}
	p, err := profile.Parse(bytes.NewReader([]byte(ts.ReadFile(args[0]))))
	ts.Check(err)
	ts.Check(p.CheckValid())
	fmt.Fprint(ts.Stdout(), summarise(p))
}

func summarise(p *profile.Profile) string {
	var types []string
	at := 0
	for i, t := range p.SampleType {
		types = append(types, t.Type+"/"+t.Unit)
		if t.Type == p.DefaultSampleType {
			at = i
		}
	}
	totals := make([]int64, len(types))
	flat, cum, labels := map[string]int64{}, map[string]int64{}, map[string]int64{}
	for _, s := range p.Sample {
		for i, v := range s.Value {
			totals[i] += v
		}
		seen := map[string]bool{}
		for i, l := range s.Location {
			for j, line := range l.Line {
				name := line.Function.Name
				if i == 0 && j == 0 {
					flat[name] += s.Value[at]
				}
				if !seen[name] {
					seen[name] = true
					cum[name] += s.Value[at]
				}
			}
		}
		for k, vs := range s.Label {
			for _, v := range vs {
				labels[k+"="+v] += s.Value[at]
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "types  %s\ntotal ", strings.Join(types, " "))
	for _, n := range totals {
		fmt.Fprintf(&b, " %d", n)
	}
	b.WriteString("\n\n")
	for _, name := range sorted(cum) {
		fmt.Fprintf(&b, "%8d %8d  %s\n", flat[name], cum[name], name)
	}
	b.WriteString("\n")
	for _, name := range sorted(labels) {
		if labels[name] != 0 {
			fmt.Fprintf(&b, "%8d  %s\n", labels[name], name)
		}
	}
	return b.String()
}

// sorted returns the names by falling number.
func sorted(of map[string]int64) []string {
	var names []string
	for name := range of {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if of[a] != of[b] {
			return int(max(-1, min(1, of[b]-of[a])))
		}
		return strings.Compare(a, b)
	})
	return names
}

// TestProfileExpandsNothing: a profile is of the code of the compiler, which needs no expansion of comprehensions.
func TestProfileExpandsNothing(t *testing.T) {
	program := "input x = 1\nif 0 < x then x else sum i < 10000000 -> sin (x * i)\n"
	require.Contains(t, answerOf(t, "profile - -o "+filepath.Join(t.TempDir(), "p.pb.gz"), program), "rewrites and")
	var out, errs bytes.Buffer
	require.NotZero(t, run(t.Context(), []string{"eval", "-", "--literal"}, strings.NewReader(program), &out, &errs))
	require.Contains(t, errs.String(), "the expanded program is too large")
}

// TestProfilingPage holds the numbers of docs/profiling.md against a profile of the example.
func TestProfilingPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/profiling.md")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "weather.pb.gz")
	var out, errs bytes.Buffer
	require.Zero(t, run(context.Background(), []string{"profile", "../../examples/weather.gram", "-o", file}, nil, &out, &errs), errs.String())
	_, totals, _ := strings.Cut(out.String(), ": ")
	has := func(text string) {
		t.Helper()
		require.True(t, bytes.Contains(page, []byte(text)), "the page lacks %q", text)
	}
	has(totals)
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	p, err := profile.Parse(f)
	require.NoError(t, err)
	for at, what := range []string{"rewrites", "nodes"} {
		flat, lines, passes, factors := map[int64]int64{}, map[int64]int64{}, map[string]int64{}, map[string]int64{}
		for _, s := range p.Sample {
			place := s.Location[0].Line[0]
			if place.Function.Name == "day" {
				flat[place.Line] += s.Value[at]
			}
			for _, l := range s.Location[0].Line {
				if l.Function.Name == "day" {
					lines[l.Line] += s.Value[at]
				}
			}
			passes[s.Label["pass"][0]] += s.Value[at]
			if slices.Contains(s.Label["rule"], "factor") {
				for _, l := range s.Location[0].Line {
					factors[l.Function.Name] += s.Value[at]
				}
			}
		}
		require.NotEmpty(t, lines, what)
		for line, n := range lines {
			if n != 0 {
				own := "."
				if flat[line] != 0 {
					own = fmt.Sprint(flat[line])
				}
				has(fmt.Sprintf("%10s %10d %6d:", own, n, line))
			}
		}
		if what == "nodes" {
			continue
		}
		for pass, n := range passes {
			has(fmt.Sprintf("%13d (%.2f%%): %s\n", n, 100*float64(n)/509967, pass))
		}
		has(fmt.Sprintf("joins %d calls in `day` and %d at each input", factors["day"], factors["input a"]))
	}
}
