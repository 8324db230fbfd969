package report

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gram-machine/gram/bench"
)

// GradBenchRow is a measurement of a tool on a function of an eval.
type GradBenchRow struct {
	Eval, Size, Function, Tool string
	Seconds                    float64 // the mean of the runs
	Runs                       int
	Prepare                    float64 `json:",omitempty"` // seconds before the first run, of gram
	Difference                 float64 // the largest to the first tool, relative to numbers above 1
	Error                      string  `json:",omitempty"`
	// Of gram: m, |G|, and the steps with their overhead, as Count of gradbench has them. They are 0 where they were not
	// counted.
	M, Graph, Steps uint64 `json:",omitempty"`
}

//go:embed gradbench.jsonl
var stored []byte

// published has times of derivatives from the statistics that GradBench published on 2026-03-14, of its commit
// f26651a7.
//
//go:embed gradbench-published.jsonl
var published []byte

// GradBench returns the measurements of the repository. Of several of the same, the last counts.
func GradBench() ([]GradBenchRow, error) { return read(stored) }

func read(lines []byte) (rows []GradBenchRow, err error) {
	var all []GradBenchRow
	for lines := json.NewDecoder(bytes.NewReader(lines)); lines.More(); {
		var r GradBenchRow
		if err := lines.Decode(&r); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	for _, same := range bench.Groups(all, func(r GradBenchRow) [4]string {
		return [4]string{r.Eval, r.Size, r.Function, r.Tool}
	}) {
		rows = append(rows, same[len(same)-1])
	}
	return rows, nil
}

// GradBenchTable is the measurements of an eval.
type GradBenchTable struct {
	Name                    string
	Sizes, Functions, Tools []string // in the order of the rows, gram first
	rows                    []GradBenchRow
}

// GradBenchTables divides measurements by their evals.
func GradBenchTables(rows []GradBenchRow) (all []*GradBenchTable) {
	for _, rows := range bench.Groups(rows, func(r GradBenchRow) string { return r.Eval }) {
		names := func(of func(GradBenchRow) string) (names []string) {
			for _, same := range bench.Groups(rows, of) {
				names = append(names, of(same[0]))
			}
			return names
		}
		others := slices.DeleteFunc(names(func(r GradBenchRow) string { return r.Tool }),
			func(tool string) bool { return tool == "gram" })
		all = append(all, &GradBenchTable{Name: rows[0].Eval, rows: rows,
			Sizes:     names(func(r GradBenchRow) string { return r.Size }),
			Functions: names(func(r GradBenchRow) string { return r.Function }),
			Tools:     append([]string{"gram"}, others...)})
	}
	return all
}

// times returns the seconds of a tool for each function, nil if one is missing or has failed.
func (t *GradBenchTable) times(size, tool string) (all []float64) {
	for _, function := range t.Functions {
		at := slices.IndexFunc(t.rows, func(r GradBenchRow) bool {
			return r.Size == size && r.Function == function && r.Tool == tool && r.Error == ""
		})
		if at < 0 {
			return nil
		}
		all = append(all, t.rows[at].Seconds)
	}
	return all
}

// Seconds prints the seconds of a tool for each function.
func (t *GradBenchTable) Seconds(size, tool string) string {
	var all []string
	for _, s := range t.times(size, tool) {
		all = append(all, fmt.Sprintf("%.2g", s))
	}
	return cmp.Or(strings.Join(all, ", "), "–")
}

// Ratio is a tool's time for the last function, which is the derivative, over that of another; 0 if one is missing.
func (t *GradBenchTable) Ratio(size, tool, other string) float64 {
	a, b := t.times(size, tool), t.times(size, other)
	if a == nil || b == nil {
		return 0
	}
	return a[len(a)-1] / b[len(b)-1]
}

// Median is the median over the sizes of Ratio, 0 if there is none.
func (t *GradBenchTable) Median(tool, other string) float64 {
	var ratios []float64
	for _, size := range t.Sizes {
		if r := t.Ratio(size, tool, other); r > 0 {
			ratios = append(ratios, r)
		}
	}
	return median(ratios)
}

// median is the median of some numbers, 0 of none.
func median(all []float64) float64 {
	n := len(all)
	if n == 0 {
		return 0
	}
	slices.Sort(all)
	return (all[n/2] + all[(n-1)/2]) / 2
}

// Score is 1 / Σ of a tool's seconds for all functions and sizes, 0 if one is missing.
func (t *GradBenchTable) Score(tool string) float64 {
	sum := 0.0
	for _, size := range t.Sizes {
		times := t.times(size, tool)
		if times == nil {
			return 0
		}
		for _, s := range times {
			sum += s
		}
	}
	return 1 / sum
}

// Wrong are the measurements that failed, or whose answers differ.
func (t *GradBenchTable) Wrong() []GradBenchRow {
	return slices.DeleteFunc(slices.Clone(t.rows),
		func(r GradBenchRow) bool { return r.Error == "" && r.Difference <= 1e-9 })
}

// Counted are the gradients whose steps were counted.
func (t *GradBenchTable) Counted() []GradBenchRow {
	return slices.DeleteFunc(slices.Clone(t.rows), func(r GradBenchRow) bool { return r.Steps == 0 || r.Seconds == 0 })
}

// The steps and the time of a gradient over m + |G|, and its time over its steps, in nanoseconds.
func (r GradBenchRow) StepsPerNode() float64 { return float64(r.Steps) / float64(r.M+r.Graph) }
func (r GradBenchRow) NsPerNode() float64    { return r.Seconds * 1e9 / float64(r.M+r.Graph) }
func (r GradBenchRow) NsPerStep() float64    { return r.Seconds * 1e9 / float64(r.Steps) }

// toolNames are those of the tools, where they are others than GradBench's folders.
var toolNames = map[string]string{"manual": "C++ by hand", "codipack": "CoDiPack", "adept": "Adept", "cppad": "CppAD",
	"enzyme": "Enzyme", "jax": "JAX", "futhark": "Futhark"}

// dash prints a number, and a dash if it is 0.
func dash(format string, x float64) string {
	return orDash(func(x float64) string { return fmt.Sprintf(format, x) }, x)
}

func orDash(print func(float64) string, x float64) string {
	if x == 0 {
		return "–"
	}
	return print(x)
}

// GradBenchText prints measurements in Markdown: for each eval a table of the seconds, with a line for each size, and
// of the scores; and what failed.
func GradBenchText(rows []GradBenchRow) (string, error) {
	text, err := execute("gradbench-tables.md.tmpl", GradBenchTables(rows))
	return string(text), err
}

// gradBenchPage executes a template: docs/gradbench.md, with what the evals are and all measurements, or the section of
// BENCHMARKS.md, which has the tools that have a score, and the medians that GradBench published of others.
func gradBenchPage(name string) ([]byte, error) {
	rows, err := GradBench()
	if err != nil {
		return nil, err
	}
	theirs, err := read(published)
	if err != nil {
		return nil, err
	}
	tables, publishedTables := GradBenchTables(rows), map[string]*GradBenchTable{}
	for _, t := range GradBenchTables(theirs) {
		publishedTables[t.Name] = t
	}
	tools := slices.DeleteFunc([]string{"manual", "codipack", "adept", "cppad"}, func(tool string) bool {
		return !slices.ContainsFunc(tables, func(t *GradBenchTable) bool { return t.Score(tool) > 0 })
	})
	text, err := GradBenchText(rows)
	if err != nil {
		return nil, err
	}
	return execute(name, map[string]any{"Tables": tables, "Published": publishedTables, "Tools": tools,
		"PublishedTools": []string{"manual", "enzyme", "futhark", "jax"}, "Text": strings.TrimRight(text, "\n")})
}
