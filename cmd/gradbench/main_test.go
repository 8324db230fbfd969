package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gram-machine/gram/bench/report"
)

// TestMeasure measures gram, a tool that gives one answer, and one that fails; one that does not have the eval is left out.
func TestMeasure(t *testing.T) {
	clone := t.TempDir()
	for tool, script := range map[string]string{
		"fixed":   "#!/bin/sh\necho 3.5\necho '{\"name\":\"prepare\",\"nanoseconds\":7}'\necho '{\"name\":\"evaluate\",\"nanoseconds\":2000000000}'\n",
		"failing": "#!/bin/sh\nexit 3\n",
	} {
		bin := filepath.Join(clone, "tools", tool, "bin")
		if err := os.MkdirAll(bin, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, "lse"), []byte(script), 0o777); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
	}
	var log strings.Builder
	s := measurement{clone: clone, tools: []string{"fixed", "failing", "missing"}, timeout: 1e10, log: &log}
	e := eval{name: "lse", functions: primal, input: func(size []int) map[string]any { return map[string]any{"x": make([]float64, size[0])} }}
	rows, err := s.measure(t.Context(), &e, [][]int{{1}})
	if err != nil {
		t.Fatal(err)
	}
	table, err := report.GradBenchText(rows)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 6 || strings.Count(log.String(), "\n") != 6 {
		t.Errorf("%d rows, and the file\n%s", len(rows), log.String())
	}
	if r := rows[0]; r.Seconds != 2 || r.Runs != 1 || r.Prepare != 7e-9 {
		t.Errorf("row %+v", r)
	}
	if r := rows[2]; r.Difference != 1 || r.Runs != 1 || r.Error != "" { // 0 and 3.5
		t.Errorf("row %+v", r)
	}
	for _, want := range []string{"| 2, 2 | – |", "- gram primal [1]: difference 1", "| 0.25 | – |"} {
		if !strings.Contains(table, want) {
			t.Errorf("there is no %q in\n%s", want, table)
		}
	}
}

// TestSizes: the sizes are the default ones of the evals, and each eval has an input of its smallest.
func TestSizes(t *testing.T) {
	for _, e := range evals {
		if input := e.input(e.sizes[0]); len(input) == 0 {
			t.Errorf("%s has no input", e.name)
		}
	}
	if got := len(product([]int{1, 2}, []int{3, 4, 5})); got != 6 {
		t.Errorf("%d combinations, not 6", got)
	}
}

// TestStored: each function of the evals has a stored measurement of gram that did not fail, and the smallest sizes have counts.
func TestStored(t *testing.T) {
	rows, err := report.GradBench()
	if err != nil {
		t.Fatal(err)
	}
	of := map[[2]string]int{}
	counted := map[string]bool{}
	for _, r := range rows {
		counted[r.Eval] = counted[r.Eval] || r.Steps > 0
		if r.Tool == "gram" && r.Error == "" && r.Seconds > 0 && r.Difference <= 1e-9 {
			of[[2]string{r.Eval, r.Function}]++
		}
	}
	for _, e := range evals {
		if !counted[e.name] {
			t.Errorf("%s has not been counted", e.name)
		}
		for _, function := range e.functions {
			if of[[2]string{e.name, function}] == 0 {
				t.Errorf("%s %s has not been measured", e.name, function)
			}
		}
	}
}
