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

	"github.com/jedib0t/go-pretty/v6/table"
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

// toolNames are those of the tools, where they are others than GradBench's folders.
var toolNames = map[string]string{"manual": "C++ by hand", "codipack": "CoDiPack", "adept": "Adept", "cppad": "CppAD",
	"enzyme": "Enzyme", "jax": "JAX", "futhark": "Futhark"}

// toolTable is a table with the first columns, one for each tool, and one for each in over.
func toolTable(first, tools, over []string) (table.Writer, func(cells ...any)) {
	var header table.Row
	for _, name := range first {
		header = append(header, name)
	}
	for _, tool := range tools {
		header = append(header, cmp.Or(toolNames[tool], tool))
	}
	for _, tool := range over {
		header = append(header, "gram / "+cmp.Or(toolNames[tool], tool))
	}
	t := NewTable(header)
	return t, func(cells ...any) { t.AppendRow(cells) }
}

// Markdown is a table of the seconds, with a line for each size, and of the scores; and what failed.
func (t *GradBenchTable) Markdown() string {
	out, row := toolTable([]string{"size"}, t.Tools, t.Tools[1:])
	scores := []any{"score"}
	for _, tool := range t.Tools {
		scores = append(scores, dash(t.score(tool), "%.3g"))
	}
	for _, size := range t.Sizes {
		cells := []any{strings.Trim(size, "[]")}
		for _, tool := range t.Tools {
			var times []string
			for _, s := range t.times(size, tool) {
				times = append(times, fmt.Sprintf("%.2g", s))
			}
			cells = append(cells, cmp.Or(strings.Join(times, ", "), "–"))
		}
		for _, tool := range t.Tools[1:] {
			cells = append(cells, dash(t.ratio(size, "gram", tool), "%.2g"))
		}
		row(cells...)
	}
	row(scores...)
	text := fmt.Sprintf("### %s\n\nSeconds for %s.\n\n%s\n\n", t.Name, strings.Join(t.Functions, " and "),
		out.RenderMarkdown())
	for _, r := range t.rows {
		if r.Error != "" || r.Difference > 1e-9 {
			text += fmt.Sprintf("- %s %s %s: difference %.1g %s\n", r.Tool, r.Function, r.Size, r.Difference, r.Error)
		}
	}
	return text
}

// dash prints a number, and a dash if it is 0 or NaN.
func dash(x float64, format string) string {
	if x == 0 || math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf(format, x)
}

// gradBenchSummary is a table with a line for each eval: the scores of the tools, and the median over its sizes of
// gram's time for the derivative over those of the others.
func gradBenchSummary(tables []*GradBenchTable) string {
	tools := slices.DeleteFunc([]string{"manual", "codipack", "adept", "cppad"}, func(tool string) bool {
		return !slices.ContainsFunc(tables, func(t *GradBenchTable) bool { return t.score(tool) > 0 })
	})
	out, row := toolTable([]string{"eval", "sizes", "score: gram"}, tools, tools)
	for _, t := range tables {
		cells := []any{t.Name, len(t.Sizes), dash(t.score("gram"), "%.3g")}
		for _, tool := range tools {
			cells = append(cells, dash(t.score(tool), "%.3g"))
		}
		for _, tool := range tools {
			cells = append(cells, dash(t.median("gram", tool), "%.2g"))
		}
		row(cells...)
	}
	return out.RenderMarkdown()
}

// gradBenchPublished is a table with a line for each eval: the median of gram's time for the derivative over that of
// CoDiPack in tables, and the medians that GradBench published of other tools.
func gradBenchPublished(tables []*GradBenchTable) (string, error) {
	rows, err := read(published)
	if err != nil {
		return "", err
	}
	theirs := map[string]*GradBenchTable{}
	for _, t := range GradBenchTables(rows) {
		theirs[t.Name] = t
	}
	tools := []string{"manual", "enzyme", "futhark", "jax"}
	out, row := toolTable([]string{"eval", "gram, here", "sizes, published"}, tools, nil)
	for _, t := range tables {
		p := theirs[t.Name]
		if p == nil {
			continue
		}
		cells := []any{t.Name, dash(t.median("gram", "codipack"), "%.2g"), len(p.Sizes)}
		for _, tool := range tools {
			cells = append(cells, dash(p.median(tool, "codipack"), "%.2g"))
		}
		row(cells...)
	}
	return out.RenderMarkdown(), nil
}

// gradBenchBounds is a table of gradients with m, |G|, and the steps and the time of the gradient over their sum.
func gradBenchBounds(tables []*GradBenchTable) string {
	out := NewTable(table.Row{"eval", "size", "m", "|G|", "steps and overhead of the default form / (m + |G|)",
		"ns / (m + |G|)", "ns / step"}, 3, 4, 5, 6, 7)
	for _, t := range tables {
		for _, r := range t.rows {
			if r.Steps == 0 || r.Seconds == 0 {
				continue
			}
			row := table.Row{t.Name, strings.Trim(r.Size, "[]"), "–", "–", "–", "–",
				fmt.Sprintf("%.3g", r.Seconds*1e9/float64(r.Steps))}
			if bound := float64(r.M + r.Graph); r.M > 0 {
				row[2], row[3], row[4], row[5] = r.M, r.Graph, fmt.Sprintf("%.2f", float64(r.Steps)/bound),
					fmt.Sprintf("%.3g", r.Seconds*1e9/bound)
			}
			out.AppendRow(row)
		}
	}
	return out.RenderMarkdown()
}

// gradBenchPage executes a template: docs/gradbench.md, with what the evals are and all measurements, or the section of
// BENCHMARKS.md.
func gradBenchPage(name string) ([]byte, error) {
	rows, err := GradBench()
	if err != nil {
		return nil, err
	}
	tables := GradBenchTables(rows)
	t, err := template.New(name).Funcs(template.FuncMap{
		"published": func() (string, error) { return gradBenchPublished(tables) },
		"summary":   func() string { return gradBenchSummary(tables) },
		"bounds":    func() string { return gradBenchBounds(tables) },
		"tables": func() string {
			out := ""
			for _, t := range tables {
				out += t.Markdown()
			}
			return strings.TrimRight(out, "\n")
		},
	}).ParseFS(templates, name)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, nil)
	return out.Bytes(), err
}
