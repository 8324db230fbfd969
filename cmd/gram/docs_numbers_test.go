package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/load"
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

		Normalised struct{ Steps uint64 }
	}
	runOf := func(line, input string) cost {
		var out struct{ Cost cost }
		require.NoError(t, json.Unmarshal([]byte(answerOf(t, line+" --json", input)), &out))
		return out.Cost
	}
	run := func(line string) cost { return runOf(line, "") }
	steps := func(line string) uint64 { return run(line).Steps["total"] }
	millions := func(n uint64) float64 { return float64(n) / 1e6 }
	lines := func(path string) int { return strings.Count(readText(t, path), "\n") }
	// constant is a number that a source names.
	constant := func(path, name string) int {
		pattern := regexp.MustCompile(`(?m)^(?:const)?\s*` + name + ` += ([\d_]+)(?: << (\d+))?`)
		found := pattern.FindStringSubmatch(readText(t, path))
		require.NotNil(t, found, "%s has no %s", path, name)
		n, err := strconv.Atoi(strings.ReplaceAll(found[1], "_", ""))
		require.NoError(t, err)
		shift, _ := strconv.Atoi(found[2])
		return n << shift
	}

	// Runs.
	one, two := run("grad examples/w1.gram --param n=1000 --bound"), run("grad examples/w1.gram --param n=2000 --bound")
	w1 := one.Steps["total"]
	each := (two.Steps["total"] - w1) / 1000
	says("README.md", "At n = 1000 the total is %s: it is %d·n + %d", load.Grouped(w1), each, w1-1000*each)
	says("docs/performance.md", "time step of W1 takes %d steps of the gradient, %d of m and %d of |G|", each,
		(two.M-one.M)/1000, (two.Graph-one.Graph)/1000)
	w4 := steps("grad examples/w4.gram --param n=2000") - steps("grad examples/w4.gram --param n=1000")
	says("docs/performance.md", "an iteration of W4 takes %d.", w4/1000)
	weather := run("grad examples/weather.gram")
	days := lines("examples/seattle-weather.csv") - 1
	says("docs/profiling.md", "seven weights that reads %d days", days)
	says("docs/fit.md", "reads %d days in order", days)
	says("docs/profiling.md", "%s is the total that", load.Grouped(weather.Steps["total"]))
	value := steps("eval examples/weather.gram")
	says("docs/profiling.md", "here %s, and the gradient takes %.2f times that", load.Grouped(value),
		float64(weather.Steps["total"])/float64(value))
	molecules := run("grad examples/molecules.gram")
	says("docs/molecules.md", "%d numbers, %.1f million steps", molecules.Inputs, millions(molecules.Steps["total"]))
	says("docs/figure-1.md", "takes %d steps", steps("grad examples/figure1.gram"))
	says("docs/newton.md", "five steps has %.1f million rewrites", millions(steps("grad examples/newton.gram")))
	says("docs/phylogeny.md", "A gradient has %.1f million steps", millions(steps("grad examples/phylogeny.gram")))
	network := runOf("grad -", "input e = 0.7\ninput r = 0.9\nfold (fun x h -> sigmoid (e * x + r * h)) 0 [1]")
	says("docs/counts.md", "**together, %d**", network.Steps["total"])
	aliases := runOf("grad - --bound", "input x1 = 1\ninput x2 = 2\ninput x3 = 3\n"+
		"let f = (let (p, w) = ((x3, x3), x2) in (p, 4)) in (let (w, g) = (x2, x1) in x3) * x2")
	says("docs/counts.md", "is %d. `reference.TestOpenCounts` has it", aliases.M)
	dropped := runOf("grad - --bound", "input x = 1\n(fun p -> x) (vec i < 7 -> i + 2)")
	says("docs/counts.md", "has m = %d and |G| = %d", dropped.M, dropped.Graph)
	square := runOf("grad - --strategy modular", "input x = 1\n(fun y -> let z = sin y in z * z) x")
	says("docs/counts.md", "`fun y -> let z = sin y in z * z` takes %d steps", square.Normalised.Steps)
	adjoint, subnormal, stays := 1.0, 0, 0 // of W4
	for ; adjoint*0.999 != adjoint; stays++ {
		if adjoint > 0x1p-1022 {
			subnormal++
		}
		adjoint *= 0.999
	}
	says("docs/performance.md", "subnormal from n ≈ %.1f·10⁵ on, and from %.1f·10⁵ on the adjoint is %.1f·10⁻³²¹",
		float64(subnormal)/1e5, float64(stays)/1e5, adjoint/1e-321)
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
	says("docs/fit.md", "%s parameters", load.Grouped(uint64(parameters)))

	// Data.
	says("README.md", "anomalies of %d years", lines("examples/global-temp.csv")-1)
	atoms := func(path string) int { return strings.Count(readText(t, path), `"Molecule"`) }
	held := atoms("examples/molecules-held-out.json")
	says("docs/molecules.md", "The data are %d acyclic molecules", atoms("examples/molecules.json")+held)
	says("docs/molecules.md", "%d of them are held out", held)
	claims := regexp.MustCompile(`(?m)^\| \d+ \| \[`).FindAllString(readText(t, "BENCHMARKS.md"), -1)
	own := 0
	for i := range claims {
		page := readText(t, fmt.Sprintf("docs/claims/claim-%02d.md", i+1))
		own += strings.Count(page, "The sentence is gram's own.")
	}
	says("README.md", "`gram bench` measures %d cost claims, %d of them of the paper", len(claims), len(claims)-own)
	letters := utf8.RuneCountInString(readText(t, "examples/characters.txt"))
	says("docs/fit.md", "%s characters of documents", load.Grouped(uint64(letters)))
	found = regexp.MustCompile(`DECODED_RUNS:-(\d+)`).FindStringSubmatch(readText(t, ".ci/run"))
	runs, err := strconv.ParseUint(found[1], 10, 64)
	require.NoError(t, err)
	says("docs/decoding.md", "follows %s of each property, %s in all", load.Grouped(runs), load.Grouped(3*runs))

	// Sources.
	listed, err := exec.Command("go", "list", "-deps", "./cmd/gram").Output()
	require.NoError(t, err)
	says("README.md", "compiles some %d packages", (strings.Count(string(listed), "\n")+25)/50*50)
	says("docs/language.md", "graph G if it has at most %d operations", constant("cmd/gram/html.go", "mostDrawn"))
	says("docs/language.md", "Of at most %d numbers in inputs", constant("internal/fit/descend.go", "exact"))
	says("docs/language.md", "at most %s numbers", load.Grouped(uint64(constant("cmd/internal/show/export.go", "mostData"))))
	says("DESIGN.md", "committed in slabs of %d MiB", constant("graph/memory.go", "slab")>>20)
	calls := "graph/calls/calls.go"
	says("docs/profiling.md", "Stacks are cut at %d calls", constant(calls, "deepest"))
	says("docs/profiling.md", "There are at most %s different stacks", load.Grouped(uint64(constant(calls, "maxContexts"))))
	const theorem = "internal/reference/theorem_test.go"
	for _, c := range []struct{ page, sentence, path, name string }{
		{"DESIGN.md", "nest deeper than %d", "prepare.go", "maxDepth"},
		{"docs/counts.md", "more than %d·|D(L)| steps", "internal/modular/modular.go", "BudgetFactor"},
		{"docs/distributed.md", "in a tree with %d branches", "beam/gramio/sum.go", "fan"},
		{"docs/distributed.md", "number of rows (of which it keeps %d)", "beam/gramio/program.go", "mostSizes"},
		{"docs/distributed.md", "no worker holds more than %d gradients", "beam/gramio/sum.go", "fan"},
		{"docs/explorer.md", "| | %d | programs that are being received at once", "cmd/internal/explore/server.go", "maxReading"},
		{"docs/explorer.md", "| | %d | requests at work at once", "cmd/internal/explore/server.go", "maxWorking"},
		{"docs/explorer.md", "at work at once; %d more wait", "cmd/internal/explore/server.go", "maxWaiting"},
		{"docs/explorer.md", "| | %d | runs that are kept", "cmd/internal/explore/run.go", "maxRuns"},
		{"docs/language.md", "nest at most %s deep", "lang/syntax/expr.go", "MaxNest"},
		{"docs/language.md", "a comprehension of more than %s elements", "lang/load.go", "DefaultMaxNodes"},
		{"docs/language.md", "They have at most %d nodes each", "lang/elaborate/declare.go", "maxSymbol"},
		{"docs/language.md", "of which there may be %d", "cmd/gram/grad.go", "maxHessian"},
		{"docs/language.md", "The work stops after %d measurements", "internal/fit/fit.go", "patience"},
		{"docs/language.md", "or the inputs have more than %d numbers", "cmd/internal/fitting/inference.go", "maxInference"},
		{"docs/language.md", "lines broken at %d columns", "lang/syntax/format.go", "lineWidth"},
		{"docs/language.md", "takes more than %d times its size in steps", "internal/modular/modular.go", "BudgetFactor"},
		{"docs/next-redex.md", "units of search and wake ≤ %d·(steps", "bench/search_test.go", "searchBound"},
		{"docs/next-redex.md", "(steps + units of instantiate) + %d.", "bench/search_test.go", "searchInAll"},
		{"docs/paper-notes.md", "at most %d·(m + |G| + n + 1) steps, for every t", theorem, "theoremSteps"},
		{"docs/paper-notes.md", "if D(t) takes more than %d·(m + |G| + n + 1)", theorem, "theoremSteps"},
		{"docs/paper-notes.md", "t takes more than %d steps", theorem, "sourceSteps"},
		{"docs/paper-notes.md", "two parameters, %d, the smallest n", "internal/reference/paper_dup_test.go", "theoremConstant"},
		{"docs/performance.md", "up to %d columns copying costs more", "kernel/product.go", "packColumns"},
		{"docs/profiling.md", "the clock is read every %d events", "engine/exec/profile.go", "clockEvery"},
		{"docs/work.md", "assert %d rewrites and units", "machine/bilinear_test.go", "movesConstant"},
		{"docs/work.md", "rewrites and units, and %d words", "machine/bilinear_test.go", "wordsConstant"},
	} {
		n := constant(c.path, c.name)
		if strings.Contains(c.sentence, "%s") {
			says(c.page, c.sentence, load.Grouped(uint64(n)))
		} else {
			says(c.page, c.sentence, n)
		}
	}
	const commutation = "internal/reference/commutation_test.go"
	says("docs/paper-notes.md", "The constants are 1, %d, %d and %d", constant(commutation, "commutesPlus"),
		constant(commutation, "commutesTimes"), constant(commutation, "commutesFunction"))
	page := func(format, file string, names ...string) {
		t.Helper()
		var numbers []any
		for _, name := range names {
			numbers = append(numbers, constant("cmd/internal/explore/"+file, name))
		}
		says("docs/explorer.md", format, numbers...)
	}
	explore := func(file, name string) string {
		return load.Grouped(uint64(constant("cmd/internal/explore/"+file, name)))
	}
	says("docs/explorer.md", "if it has at most %s operations", explore("exploration.go", "mostOperations"))
	says("docs/explorer.md", "the expansion has at most %s nodes, and the run %s steps", explore("run.go", "fewNodes"),
		explore("run.go", "fewSteps"))
	page("A run of up to %d steps is shown in two parts, the primal and the backward phase, a longer one in parts of up to %d steps",
		"exploration.go", "allSteps", "wholeSteps")
	page("Of a heap of more than %d nodes the %d nearest to the redex are drawn", "scenes.go", "wholeObjects", "nearObjects")
	page("If a state has more than %d objects", "assets/groups.js", "most")
	page("matrices of at most %[1]d × %[1]d numbers", "api.go", "mostSide")
	says("docs/explorer.md", "a recording of more than %d MiB is refused", constant("cmd/internal/explore/export.go", "MaxExport")>>20)
}
