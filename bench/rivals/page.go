package rivals

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/report"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/rule"
)

// The files of the repository: the report, and the page that is made from it.
const (
	ReportFile = "bench/results/rivals.json"
	PageFile   = "docs/rivals.md"
)

//go:embed page.md
var pageText string

// Page is the report as a page in Markdown.
func Page(r *Report) ([]byte, error) {
	bounds, err := r.Bounds()
	if err != nil {
		return nil, err
	}
	family := func(name string) (*Measured, error) {
		for _, m := range r.Families {
			if m.Name == name {
				return m, nil
			}
		}
		return nil, fmt.Errorf("rivals: the report has no family %q", name)
	}
	t, err := template.New("page").Funcs(template.FuncMap{"family": family, "grouped": load.Grouped,
		"names": Names}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{"Rivals": All(), "Report": r,
		"Growth": growthTable(r.Families).RenderMarkdown(), "Bounds": boundsTable(bounds).RenderMarkdown(),
		"Parts": partsTable(&r.Parts).RenderMarkdown()})
	return out.Bytes(), err
}

// Text prints what a rival takes, a dash if it did not end.
func (p *Point) Text(rival string) string {
	c, ok := p.Costs[rival]
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%s + %s + %s", load.Grouped(c.Steps), load.Grouped(c.Bookkeeping), load.Grouped(c.Captures))
}

// Efficient is the largest point at which the efficient form of CHAD ended, nil if there is none.
func (m *Measured) Efficient() *Point {
	for _, p := range slices.Backward(m.Points) {
		if _, ok := p.Costs[efficient]; ok {
			return p
		}
	}
	return nil
}

// Taken is what the efficient form of CHAD takes, and Proved its proved bound, 5 + 34·cost(t) + size(ctg) + 4·|Γ|. The
// cotangent of a number has size 1.
func (p *Point) Taken() uint64  { return p.Costs[efficient].All() }
func (p *Point) Proved() uint64 { return 5 + 34*p.Source + 1 + 4*p.Inputs }

// OfProved is the first over the second, in percent.
func (p *Point) OfProved() float64 { return 100 * float64(p.Taken()) / float64(p.Proved()) }

// Text is the report for a terminal: growth by family, and the fits.
func Text(r *Report) (string, error) {
	bounds, err := r.Bounds()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, t := range []table.Writer{growthTable(r.Families), boundsTable(bounds)} {
		fmt.Fprintf(&out, "%s\n\n", t.Render())
	}
	fmt.Fprintf(&out, "above, steps + bookkeeping + captures, each over N = m + |G|, at the largest size that ended, "+
		"and how the sum grows with N;\n"+
		"below, the sum as a function of m, |G| and N: no run that ended is above the first, and the second is by least "+
		"squares\n")
	return out.String(), nil
}

// titled is a table with the given columns, and then one for the machine and one for each rival.
func titled(first ...any) table.Writer {
	row := table.Row(first)
	for _, name := range Names() {
		row = append(row, name)
	}
	return report.NewTable(row)
}

// growthTable has for each family and rival the ratio and the exponent.
func growthTable(families []*Measured) table.Writer {
	t := titled("family", "largest n")
	for _, m := range families {
		last := m.Points[len(m.Points)-1]
		row := table.Row{m.Name, load.Grouped(last.Size)}
		for _, name := range Names() {
			row = append(row, growthText(m.Growth(name), last.Size))
		}
		t.AppendRow(row)
	}
	return t
}

// growthText prints a ratio and the growth in N, and the largest n that ended if that is not the largest measured.
func growthText(g Growth, largest uint64) string {
	if g.Ratio == 0 {
		return "–"
	}
	out := fmt.Sprintf("%s + %s + %s", short(g.Parts[0]), short(g.Parts[1]), short(g.Parts[2]))
	if g.Size < largest {
		out += fmt.Sprintf(" (n = %d)", g.Size)
	}
	switch g.Form {
	case "":
		return out
	case bench.ExponentialGrowth.Form():
		return out + ", exponential"
	case bench.NLogN.Form():
		return out + fmt.Sprintf(", N^%.2f·log N", g.Exponent)
	}
	return out + fmt.Sprintf(", N^%.2f", g.Exponent)
}

func short(x float64) string {
	if x >= 1000 {
		return load.Grouped(uint64(math.Round(x)))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

func boundsTable(bounds []Bound) table.Writer {
	t := report.NewTable(table.Row{"rival", "runs", "families not finished", "each run takes at most", "least squares"})
	for _, b := range bounds {
		least := formula(b.Least)
		if b.Passed > 0 {
			least = "–"
		}
		t.AppendRow(table.Row{b.Rival, b.Runs, b.Passed, least, fmt.Sprintf("%s, ± %.2g %%", formula(b.Fit), 100*b.Residual)})
	}
	return t
}

func formula(c []float64) string {
	var out []string
	for i, unit := range []string{"·m", "·|G|", "·N·log₂N", ""} {
		if c[i] > 1e-9 {
			out = append(out, short(c[i])+unit)
		}
	}
	return strings.Join(out, " + ")
}

// partsTable has a row for each rule and each kind of words with a step.
func partsTable(p *Parts) table.Writer {
	t := titled("steps")
	line := func(name string, of func(c *Cost) uint64) {
		row, any := table.Row{name}, false
		for _, who := range Names() {
			c := p.Costs[who]
			n := of(&c)
			row, any = append(row, load.Grouped(n)), any || n > 0
		}
		if any {
			t.AppendRow(row)
		}
	}
	for r, info := range rule.Table {
		line(fmt.Sprintf("(%s) %s", info.Number, info.Name), func(c *Cost) uint64 { return c.Steps[r] })
	}
	line("words: array", func(c *Cost) uint64 { return c.Words.Array })
	line("words: cells", func(c *Cost) uint64 { return c.Words.Cells })
	line("words: identifiers", func(c *Cost) uint64 { return c.Words.Identifiers })
	line("words: map", func(c *Cost) uint64 { return c.Words.Map })
	line("words: tuples", func(c *Cost) uint64 { return c.Words.Tuples })
	line("captures", func(c *Cost) uint64 { return c.Captures })
	line("all", func(c *Cost) uint64 { return c.spent().All() })
	return t
}

// JSON is the report with the rivals and the fits, as an object.
func JSON(r *Report) ([]byte, error) {
	bounds, err := r.Bounds()
	if err != nil {
		return nil, err
	}
	growth := map[string]map[string]Growth{}
	for _, m := range r.Families {
		growth[m.Name] = map[string]Growth{}
		for _, name := range Names() {
			growth[m.Name][name] = m.Growth(name)
		}
	}
	text, err := json.MarshalIndent(struct {
		Rivals []*Rival `json:"rivals"`
		*Report
		Growth map[string]map[string]Growth `json:"growth"`
		Bounds []Bound                      `json:"bounds"`
	}{All(), r, growth, bounds}, "", "  ")
	return append(text, '\n'), err
}
