package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
	"github.com/rogpeppe/go-internal/testscript"
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
