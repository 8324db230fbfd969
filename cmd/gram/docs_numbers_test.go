package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/notation"
)

// TestNumbersInProse: numbers that pages have outside of blocks of commands are those that programs, data and sources
// have.
func TestNumbersInProse(t *testing.T) {
	atRoot(t)
	says := func(page, format string, numbers ...any) {
		t.Helper()
		sentence := fmt.Sprintf(format, numbers...)
		if !strings.Contains(strings.Join(strings.Fields(readText(t, page)), " "), sentence) {
			t.Errorf("%s does not say: %s", page, sentence)
		}
	}
	type cost struct {
		M, Graph uint64 // with --bound
		Inputs   int
		Steps    map[string]uint64
	}
	run := func(line string) cost {
		var out struct{ Cost cost }
		require.NoError(t, json.Unmarshal([]byte(answer(t, line+" --json")), &out))
		return out.Cost
	}
	steps := func(line string) uint64 { return run(line).Steps["total"] }
	millions := func(n uint64) float64 { return float64(n) / 1e6 }
	lines := func(path string) int { return strings.Count(readText(t, path), "\n") }
	// constant is a number that a source names.
	constant := func(path, name string) int {
		found := regexp.MustCompile(`(?m)^(?:const)?\s*` + name + ` += (\d+)(?: << (\d+))?`).FindStringSubmatch(readText(t, path))
		require.NotNil(t, found, "%s has no %s", path, name)
		n, err := strconv.Atoi(found[1])
		require.NoError(t, err)
		shift, _ := strconv.Atoi(found[2])
		return n << shift
	}

	// Runs.
	one, two := run("grad examples/w1.gram --param n=1000 --bound"), run("grad examples/w1.gram --param n=2000 --bound")
	w1 := one.Steps["total"]
	each := (two.Steps["total"] - w1) / 1000
	says("README.md", "At n = 1000 the total is %s: it is %d·n + %d", notation.Grouped(w1), each, w1-1000*each)
	says("docs/performance.md", "time step of W1 takes %d steps of the gradient, %d of m and %d of |G|", each,
		(two.M-one.M)/1000, (two.Graph-one.Graph)/1000)
	w4 := steps("grad examples/w4.gram --param n=2000") - steps("grad examples/w4.gram --param n=1000")
	says("docs/performance.md", "an iteration of W4 takes %d.", w4/1000)
	weather := run("grad examples/weather.gram")
	days := lines("examples/seattle-weather.csv") - 1
	says("docs/profiling.md", "seven weights that reads %d days", days)
	says("docs/fit.md", "reads %d days in order", days)
	says("docs/profiling.md", "%s is the total that", notation.Grouped(weather.Steps["total"]))
	value := steps("eval examples/weather.gram")
	says("docs/profiling.md", "here %s, and the gradient takes %.2f times that", notation.Grouped(value),
		float64(weather.Steps["total"])/float64(value))
	molecules := run("grad examples/molecules.gram")
	says("docs/molecules.md", "%d numbers, %.1f million steps", molecules.Inputs, millions(molecules.Steps["total"]))
	says("docs/figure-1.md", "takes %d steps", steps("grad examples/figure1.gram"))
	says("docs/newton.md", "five steps has %.1f million rewrites", millions(steps("grad examples/newton.gram")))
	says("docs/phylogeny.md", "A gradient has %.1f million steps", millions(steps("grad examples/phylogeny.gram")))
	found := regexp.MustCompile(`slope +([\d.]+)`).FindStringSubmatch(answer(t, "fit examples/line.gram"))
	slope, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	says("README.md", "risen by %.2f °C in a century", slope)

	var characters struct{ Inputs map[string]string }
	require.NoError(t, json.Unmarshal([]byte(answer(t, "check examples/characters.gram --json")), &characters))
	parameters := 0
	for _, shape := range characters.Inputs {
		size := 1
		for _, n := range regexp.MustCompile(`\d+`).FindAllString(shape, -1) {
			k, _ := strconv.Atoi(n)
			size *= k
		}
		parameters += size
	}
	says("docs/fit.md", "%s parameters", notation.Grouped(uint64(parameters)))

	// Data.
	says("README.md", "anomalies of %d years", lines("examples/global-temp.csv")-1)
	atoms := func(path string) int { return strings.Count(readText(t, path), `"Molecule"`) }
	held := atoms("examples/molecules-held-out.json")
	says("docs/molecules.md", "The data are %d acyclic molecules", atoms("examples/molecules.json")+held)
	says("docs/molecules.md", "%d of them are held out", held)
	claims := regexp.MustCompile(`(?m)^\| \d+ \| \[`).FindAllString(readText(t, "BENCHMARKS.md"), -1)
	says("README.md", "`gram bench` measures %d cost claims", len(claims))

	// Sources.
	listed, err := exec.Command("go", "list", "-deps", "./cmd/gram").Output()
	require.NoError(t, err)
	says("README.md", "compiles some %d00 packages", (strings.Count(string(listed), "\n")+50)/100)
	says("docs/language.md", "graph G if it has at most %d operations", constant("cmd/gram/html_graph.go", "mostDrawn"))
	says("docs/language.md", "Of at most %d numbers in inputs", constant("internal/fit/descend.go", "exact"))
	says("docs/language.md", "at most %s numbers", notation.Grouped(uint64(constant("cmd/internal/export/export.go", "mostData"))))
	says("DESIGN.md", "committed in slabs of %d MiB", constant("graph/memory.go", "slab")>>20)
	calls := "graph/calls/calls.go"
	says("docs/profiling.md", "Stacks are cut at %d calls", constant(calls, "deepest"))
	says("docs/profiling.md", "There are at most %s different stacks", notation.Grouped(uint64(constant(calls, "maxContexts"))))
	page := func(format, file string, names ...string) {
		t.Helper()
		var numbers []any
		for _, name := range names {
			numbers = append(numbers, constant("cmd/internal/explore/"+file, name))
		}
		says("docs/explorer.md", format, numbers...)
	}
	explore := func(file, name string) string {
		return notation.Grouped(uint64(constant("cmd/internal/explore/"+file, name)))
	}
	says("docs/explorer.md", "if it has at most %s operations", explore("operations.go", "mostOperations"))
	says("docs/explorer.md", "the expansion has at most %s nodes, and the run %s steps", explore("run.go", "fewNodes"),
		explore("run.go", "fewSteps"))
	page("A run of up to %d steps is shown in two parts, the primal and the backward phase, a longer one in parts of up to %d steps",
		"exploration.go", "allSteps", "wholeSteps")
	page("Of a heap of more than %d nodes the %d nearest to the redex are drawn", "scenes.go", "wholeObjects", "nearObjects")
	page("If a state has more than %d objects", "group.go", "mostSingle")
	page("matrices of at most %[1]d × %[1]d numbers", "describe.go", "mostSide")
	says("docs/explorer.md", "a recording of more than %d MiB is refused", constant("cmd/internal/explore/export.go", "MaxExport")>>20)
}
