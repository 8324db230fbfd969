// Package results has measurements of the evals of GradBench, and tables of them.
package results

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

// Row is a measurement of a tool on a function of an eval.
type Row struct {
	Eval, Size, Function, Tool string
	Seconds                    float64 // the mean of the runs
	Runs                       int
	Prepare                    float64 `json:",omitempty"` // seconds before the first run, of gram
	Difference                 float64 // the largest to the first tool, relative to numbers above 1
	Error                      string  `json:",omitempty"`
	// Of gram: m, |G|, and the steps with their overhead, as Count of gradbench has them. They are 0 where they were not counted.
	M, Graph, Steps uint64 `json:",omitempty"`
}

//go:embed rows.jsonl
var stored []byte

// published has times of derivatives from the statistics that GradBench published on 2026-03-14, of its commit f26651a7.
//
//go:embed published.jsonl
var published []byte

// Stored returns the measurements of the repository. Of several of the same, the last counts.
func Stored() ([]Row, error) { return read(stored) }

func read(lines []byte) ([]Row, error) {
	at := map[[4]string]int{}
	var rows []Row
	for lines := json.NewDecoder(bytes.NewReader(lines)); ; {
		var r Row
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

// Table is the measurements of an eval.
type Table struct {
	Name                    string
	Sizes, Functions, Tools []string // in the order of the rows, gram first
	rows                    []Row
}

// Tables divides measurements by their evals.
func Tables(rows []Row) (all []*Table) {
	for _, r := range rows {
		i := slices.IndexFunc(all, func(t *Table) bool { return t.Name == r.Eval })
		if i < 0 {
			i = len(all)
			all = append(all, &Table{Name: r.Eval, Tools: []string{"gram"}})
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
func (t *Table) find(size, function, tool string) *Row {
	for i := range t.rows {
		if r := &t.rows[i]; r.Size == size && r.Function == function && r.Tool == tool && r.Error == "" {
			return r
		}
	}
	return nil
}

// times returns the seconds of a tool for each function, nil if one is missing.
func (t *Table) times(size, tool string) (all []float64) {
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
func (t *Table) ratio(size, tool, other string) float64 {
	a, b := t.times(size, tool), t.times(size, other)
	if a == nil || b == nil {
		return math.NaN()
	}
	return a[len(a)-1] / b[len(b)-1]
}

// median is the median over the sizes of ratio, 0 if there is none.
func (t *Table) median(tool, other string) float64 {
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

// Score is 1 / Σ of a tool's seconds for all functions and sizes, 0 if one is missing.
func (t *Table) Score(tool string) float64 {
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
func (t *Table) Markdown(w io.Writer) {
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
		fmt.Fprintf(w, " %s |", dash(t.Score(tool), "%.3g"))
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

// Summary writes a table with a line for each eval: the scores of the tools, and the median over its sizes of gram's time for the
// derivative over those of the others.
func Summary(w io.Writer, tables []*Table) {
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
			fmt.Fprintf(w, " %s |", dash(t.Score(tool), "%.3g"))
		}
		for _, tool := range tools[1:] {
			fmt.Fprintf(w, " %s |", dash(t.median("gram", tool), "%.2g"))
		}
		fmt.Fprintln(w)
	}
}

// Published writes a table with a line for each eval: the median of gram's time for the derivative over that of CoDiPack in tables, and
// the medians that GradBench published of other tools.
func Published(w io.Writer, tables []*Table) error {
	rows, err := read(published)
	if err != nil {
		return err
	}
	theirs := map[string]*Table{}
	for _, t := range Tables(rows) {
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

// Bounds writes a table of gradients with m, |G|, and the steps and the time of the gradient over their sum.
func Bounds(w io.Writer, tables []*Table) {
	fmt.Fprint(w, "| eval | size | m | \\|G\\| | steps and overhead / (m + \\|G\\|) | ns / (m + \\|G\\|) | ns / step |\n|---|---|---:|---:|---:|---:|---:|\n")
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

//go:embed page.md.tmpl
var pageText string

// Page is docs/gradbench.md: what the evals are, and all measurements.
func Page(rows []Row) ([]byte, error) { return execute("page", pageText, rows) }

//go:embed section.md.tmpl
var sectionText string

// Section is the section of BENCHMARKS.md.
func Section(rows []Row) ([]byte, error) { return execute("section", sectionText, rows) }

func execute(name, text string, rows []Row) ([]byte, error) {
	tables := Tables(rows)
	written := func(write func(io.Writer)) string {
		var out strings.Builder
		write(&out)
		return strings.TrimRight(out.String(), "\n")
	}
	t, err := template.New(name).Funcs(template.FuncMap{
		"published": func() (text string, err error) {
			text = written(func(w io.Writer) { err = Published(w, tables) })
			return text, err
		},
		"summary": func() string { return written(func(w io.Writer) { Summary(w, tables) }) },
		"bounds":  func() string { return written(func(w io.Writer) { Bounds(w, tables) }) },
		"tables": func() string {
			return written(func(w io.Writer) {
				for _, t := range tables {
					t.Markdown(w)
				}
			})
		},
	}).Parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, nil)
	return out.Bytes(), err
}
