package report

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/template"
)

// GradBenchRow is a measurement of a tool on a function of an eval.
type GradBenchRow struct {
	Eval, Size, Function, Tool string
	Seconds                    float64 // the mean of the runs
	Runs                       int
	Prepare                    float64 `json:",omitempty"` // seconds before the first run, of gram
	Difference                 float64 // the largest to the first tool, relative to numbers above 1
	Error                      string  `json:",omitempty"`
	// Of gram: m, |G|, and the steps with their overhead, as Count of gradbench has them. They are 0 where they were not counted.
	M, Graph, Steps uint64 `json:",omitempty"`
}

//go:embed gradbench.jsonl
var stored []byte

// published has times of derivatives from the statistics that GradBench published on 2026-03-14, of its commit f26651a7.
//
//go:embed gradbench-published.jsonl
var published []byte

// GradBench returns the measurements of the repository. Of several of the same, the last counts.
func GradBench() ([]GradBenchRow, error) { return read(stored) }

func read(lines []byte) ([]GradBenchRow, error) {
	at := map[[4]string]int{}
	var rows []GradBenchRow
	for lines := json.NewDecoder(bytes.NewReader(lines)); ; {
		var r GradBenchRow
		if err := lines.Decode(&r); err == io.EOF {
			return rows, nil
		} else if err != nil {
			return nil, err
		}
		key := [4]string{r.Eval, r.Size, r.Function, r.Tool}
		if i, ok := at[key]; ok {
			rows[i] = r
			continue
		}
		at[key] = len(rows)
		rows = append(rows, r)
	}
}

// GradBenchTable is the measurements of an eval.
type GradBenchTable struct {
	Name                    string
	Sizes, Functions, Tools []string // in the order of the rows, gram first
	rows                    []GradBenchRow
}

// GradBenchTables divides measurements by their evals.
func GradBenchTables(rows []GradBenchRow) (all []*GradBenchTable) {
	for _, r := range rows {
		i := slices.IndexFunc(all, func(t *GradBenchTable) bool { return t.Name == r.Eval })
		if i < 0 {
			i = len(all)
			all = append(all, &GradBenchTable{Name: r.Eval, Tools: []string{"gram"}})
		}
		t := all[i]
		t.rows = append(t.rows, r)
		for _, list := range []struct {
			all  *[]string
			name string
		}{{&t.Sizes, r.Size}, {&t.Functions, r.Function}, {&t.Tools, r.Tool}} {
			if !slices.Contains(*list.all, list.name) {
				*list.all = append(*list.all, list.name)
			}
		}
	}
	return all
}

// find returns a measurement, nil if there is none or it failed.
func (t *GradBenchTable) find(size, function, tool string) *GradBenchRow {
	for i := range t.rows {
		if r := &t.rows[i]; r.Size == size && r.Function == function && r.Tool == tool && r.Error == "" {
			return r
		}
	}
	return nil
}

// times returns the seconds of a tool for each function, nil if one is missing.
func (t *GradBenchTable) times(size, tool string) (all []float64) {
	for _, function := range t.Functions {
		r := t.find(size, function, tool)
		if r == nil {
			return nil
		}
		all = append(all, r.Seconds)
	}
	return all
}

// ratio is a tool's time for the last function, which is the derivative, over that of another; NaN if one is missing.
func (t *GradBenchTable) ratio(size, tool, other string) float64 {
	a, b := t.times(size, tool), t.times(size, other)
	if a == nil || b == nil {
		return math.NaN()
	}
	return a[len(a)-1] / b[len(b)-1]
}

// median is the median over the sizes of ratio, 0 if there is none.
func (t *GradBenchTable) median(tool, other string) float64 {
	var ratios []float64
	for _, size := range t.Sizes {
		if r := t.ratio(size, tool, other); !math.IsNaN(r) {
			ratios = append(ratios, r)
		}
	}
	n := len(ratios)
	if n == 0 {
		return 0
	}
	slices.Sort(ratios)
	return (ratios[n/2] + ratios[(n-1)/2]) / 2
}

// score is 1 / Σ of a tool's seconds for all functions and sizes, 0 if one is missing.
func (t *GradBenchTable) score(tool string) float64 {
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

// names are those of the tools, where they are others than GradBench's folders.
var names = map[string]string{"manual": "C++ by hand", "codipack": "CoDiPack", "adept": "Adept", "cppad": "CppAD",
	"enzyme": "Enzyme", "jax": "JAX", "futhark": "Futhark"}

// Markdown writes a table of the seconds, with a line for each size, and of the scores; and what failed.
func (t *GradBenchTable) Markdown(w io.Writer) {
	fmt.Fprintf(w, "### %s\n\nSeconds for %s.\n\n| size |", t.Name, strings.Join(t.Functions, " and "))
	rule := "|---|"
	for i, tool := range t.Tools {
		fmt.Fprintf(w, " %s |", cmp.Or(names[tool], tool))
		rule += "---|"
		if i > 0 {
			rule += "---|"
		}
	}
	for _, tool := range t.Tools[1:] {
		fmt.Fprintf(w, " gram / %s |", cmp.Or(names[tool], tool))
	}
	fmt.Fprintf(w, "\n%s\n", rule)
	for _, size := range t.Sizes {
		fmt.Fprintf(w, "| %s |", strings.Trim(size, "[]"))
		for _, tool := range t.Tools {
			var cells []string
			for _, s := range t.times(size, tool) {
				cells = append(cells, fmt.Sprintf("%.2g", s))
			}
			if cells == nil {
				cells = []string{"–"}
			}
			fmt.Fprintf(w, " %s |", strings.Join(cells, ", "))
		}
		for _, tool := range t.Tools[1:] {
			fmt.Fprintf(w, " %s |", dash(t.ratio(size, "gram", tool), "%.2g"))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "| score |")
	for _, tool := range t.Tools {
		fmt.Fprintf(w, " %s |", dash(t.score(tool), "%.3g"))
	}
	for range t.Tools[1:] {
		fmt.Fprint(w, " |")
	}
	fmt.Fprint(w, "\n\n")
	for _, r := range t.rows {
		if r.Error != "" || r.Difference > 1e-9 {
			fmt.Fprintf(w, "- %s %s %s: difference %.1g %s\n", r.Tool, r.Function, r.Size, r.Difference, r.Error)
		}
	}
}

// dash prints a number, and a dash if it is 0 or NaN.
func dash(x float64, format string) string {
	if x == 0 || math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf(format, x)
}

// gradBenchSummary writes a table with a line for each eval: the scores of the tools, and the median over its sizes of gram's time for the
// derivative over those of the others.
func gradBenchSummary(w io.Writer, tables []*GradBenchTable) {
	tools := []string{"gram", "manual", "codipack", "adept", "cppad"}
	fmt.Fprint(w, "| eval | sizes | score: gram |")
	for _, tool := range tools[1:] {
		fmt.Fprintf(w, " %s |", names[tool])
	}
	for _, tool := range tools[1:] {
		fmt.Fprintf(w, " gram / %s |", names[tool])
	}
	fmt.Fprintf(w, "\n|%s\n", strings.Repeat("---|", 2*len(tools)+1))
	for _, t := range tables {
		fmt.Fprintf(w, "| %s | %d |", t.Name, len(t.Sizes))
		for _, tool := range tools {
			fmt.Fprintf(w, " %s |", dash(t.score(tool), "%.3g"))
		}
		for _, tool := range tools[1:] {
			fmt.Fprintf(w, " %s |", dash(t.median("gram", tool), "%.2g"))
		}
		fmt.Fprintln(w)
	}
}

// gradBenchPublished writes a table with a line for each eval: the median of gram's time for the derivative over that of CoDiPack in tables, and
// the medians that GradBench published of other tools.
func gradBenchPublished(w io.Writer, tables []*GradBenchTable) error {
	rows, err := read(published)
	if err != nil {
		return err
	}
	theirs := map[string]*GradBenchTable{}
	for _, t := range GradBenchTables(rows) {
		theirs[t.Name] = t
	}
	tools := []string{"manual", "enzyme", "futhark", "jax"}
	fmt.Fprint(w, "| eval | gram, here | sizes, published |")
	for _, tool := range tools {
		fmt.Fprintf(w, " %s |", names[tool])
	}
	fmt.Fprintf(w, "\n|%s\n", strings.Repeat("---|", len(tools)+3))
	for _, t := range tables {
		p := theirs[t.Name]
		if p == nil {
			continue
		}
		fmt.Fprintf(w, "| %s | %s | %d |", t.Name, dash(t.median("gram", "codipack"), "%.2g"), len(p.Sizes))
		for _, tool := range tools {
			fmt.Fprintf(w, " %s |", dash(p.median(tool, "codipack"), "%.2g"))
		}
		fmt.Fprintln(w)
	}
	return nil
}

// gradBenchBounds writes a table of gradients with m, |G|, and the steps and the time of the gradient over their sum.
func gradBenchBounds(w io.Writer, tables []*GradBenchTable) {
	fmt.Fprint(w, "| eval | size | m | \\|G\\| | steps and overhead of the default form / (m + \\|G\\|) | ns / (m + \\|G\\|) | ns / step |\n|---|---|---:|---:|---:|---:|---:|\n")
	for _, t := range tables {
		for _, r := range t.rows {
			if r.Steps == 0 || r.Seconds == 0 {
				continue
			}
			size := strings.Trim(r.Size, "[]")
			if r.M == 0 {
				fmt.Fprintf(w, "| %s | %s | – | – | – | – | %.3g |\n", t.Name, size, r.Seconds*1e9/float64(r.Steps))
				continue
			}
			bound := float64(r.M + r.Graph)
			fmt.Fprintf(w, "| %s | %s | %d | %d | %.2f | %.3g | %.3g |\n", t.Name, size, r.M, r.Graph,
				float64(r.Steps)/bound, r.Seconds*1e9/bound, r.Seconds*1e9/float64(r.Steps))
		}
	}
}

// gradBenchPage executes a template: docs/gradbench.md, with what the evals are and all measurements, or the section of
// BENCHMARKS.md.
func gradBenchPage(name string) ([]byte, error) {
	rows, err := GradBench()
	if err != nil {
		return nil, err
	}
	tables := GradBenchTables(rows)
	written := func(write func(io.Writer)) func() string {
		return func() string {
			var out strings.Builder
			write(&out)
			return strings.TrimRight(out.String(), "\n")
		}
	}
	t, err := template.New(name).Funcs(template.FuncMap{
		"published": func() (text string, err error) {
			return written(func(w io.Writer) { err = gradBenchPublished(w, tables) })(), err
		},
		"summary": written(func(w io.Writer) { gradBenchSummary(w, tables) }),
		"bounds":  written(func(w io.Writer) { gradBenchBounds(w, tables) }),
		"tables": written(func(w io.Writer) {
			for _, t := range tables {
				t.Markdown(w)
			}
		}),
	}).ParseFS(templates, name)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, nil)
	return out.Bytes(), err
}
