package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/measure"
	"github.com/gram-machine/gram/bench/plot"
)

// plain is a table without lines and with its headings as they are written.
func plain() table.Writer {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.Options{}
	style.Format = table.FormatOptions{}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	return t
}

// summary is what a claim comes to for one law of its evidence.
type summary struct{ law, exponent, constant string }

// summarise returns what stands in the table of all claims: the claim's first law, and of the
// others the one that its data speak most against.
func summarise(o *bench.Outcome) []summary {
	worst := o.Worst()
	if len(worst) > 2 {
		other := slices.MaxFunc(worst[1:], (*bench.Finding).Compare)
		worst = []*bench.Finding{worst[0], other}
	}
	var out []summary
	for _, f := range worst {
		s := summary{law(f.Series), exponent(f), constant(o.Constant(f))}
		if f.Series.Law.Kind == bench.Exponential || f.Series.Law.Kind == bench.Equal {
			s.constant = "–"
		}
		out = append(out, s)
	}
	return out
}

// wrap breaks the law into lines, and gives the other columns as many.
func (s *summary) wrap(width int) {
	s.law = strings.TrimRight(text.WrapSoft(s.law, width), " ")
	below := strings.Repeat("\n", strings.Count(s.law, "\n"))
	s.exponent += below
	s.constant += below
}

func column(ss []summary, of func(summary) string) string {
	if len(ss) == 0 {
		return "–"
	}
	var out []string
	for _, s := range ss {
		out = append(out, of(s))
	}
	return strings.Join(out, "\n")
}

// Where the text of columns is broken on a terminal.
const (
	titleWidth   = 46
	verdictWidth = 12
	lawWidth     = 32
)

// Text is the table of all claims for a terminal.
func Text(r *measure.Report) string {
	t := plain()
	t.AppendHeader(table.Row{"no.", "claim", "verdict", "law", "exponent", "constant"})
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 1, Align: text.AlignRight},
		{Number: 2, WidthMax: titleWidth, WidthMaxEnforcer: text.WrapSoft},
		{Number: 3, WidthMax: verdictWidth, WidthMaxEnforcer: text.WrapSoft},
		{Number: 5, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 6, Align: text.AlignRight, AlignHeader: text.AlignRight},
	})
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		ss := summarise(o)
		for k := range ss {
			ss[k].wrap(lawWidth)
		}
		t.AppendRow(table.Row{number(o.Claim), o.Claim.Title, string(o.Verdict),
			column(ss, func(s summary) string { return s.law }),
			column(ss, func(s summary) string { return s.exponent }),
			column(ss, func(s summary) string { return s.constant })})
	}
	return t.Render() + "\n"
}

func number(c *bench.Claim) string {
	if c.Number == 0 {
		return ""
	}
	return fmt.Sprint(c.Number)
}

// Findings is the table of the series of one claim, for a terminal.
func Findings(o *bench.Outcome) string {
	t := plain()
	t.AppendHeader(table.Row{"series", "law", "exponent", "constant", "verdict", "", "residuals"})
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 3, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 4, Align: text.AlignRight, AlignHeader: text.AlignRight},
	})
	for i := range o.Findings {
		f := &o.Findings[i]
		t.AppendRow(table.Row{f.Series.Name, law(f.Series), exponent(f), constant(f.Constant), string(f.Verdict), why(f), residuals(f)})
	}
	return t.Render() + "\n"
}

// Points is the table of what was measured of one claim, for a terminal: a line for each
// size, a column for each series, the first the x that they have in common.
func Points(o *bench.Outcome) string {
	t := plain()
	header := table.Row{o.Findings[0].Series.X}
	configs := []table.ColumnConfig{{Number: 1, Align: text.AlignRight, AlignHeader: text.AlignRight}}
	lines := map[float64]table.Row{}
	var order []float64
	for i, f := range o.Findings {
		header = append(header, f.Series.Name)
		configs = append(configs, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
		for _, p := range f.Points {
			row, ok := lines[p.X]
			if !ok {
				row = make(table.Row, len(o.Findings)+1)
				row[0] = figure(p.X)
				for k := range o.Findings {
					row[k+1] = "–"
				}
				lines[p.X] = row
				order = append(order, p.X)
			}
			row[i+1] = figure(p.Y)
		}
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(configs)
	for _, x := range order {
		t.AppendRow(lines[x])
	}
	return t.Render() + "\n"
}

// markdownTable is the table of all claims on the page.
func markdownTable(r *measure.Report, plots string) string {
	t := plain()
	t.AppendHeader(table.Row{"", "claim", "verdict", "law", "exponent", "constant", "without", "picture"})
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 1, Align: text.AlignRight}, {Number: 5, Align: text.AlignRight}, {Number: 6, Align: text.AlignRight}})
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		ss := summarise(o)
		var pictures []string
		for _, p := range plot.Pictures(o) {
			pictures = append(pictures, fmt.Sprintf("[%s](%s/%s.svg)", p.Y, plots, p.Name))
		}
		t.AppendRow(table.Row{number(o.Claim), fmt.Sprintf("[%s](#%s)", o.Claim.Title, anchor(o.Claim)), verdict(o.Verdict),
			column(ss, func(s summary) string { return s.law }),
			column(ss, func(s summary) string { return s.exponent }),
			column(ss, func(s summary) string { return s.constant }),
			ablations(o), strings.Join(pictures, ", ")})
	}
	return t.RenderMarkdown() + "\n"
}

// ablations is what the claim's ablations take away, and the exponent of what that leads
// to: of several series the largest.
func ablations(o *bench.Outcome) string {
	var worst []*bench.Finding
	for i := range o.Findings {
		f := &o.Findings[i]
		if f.Series.Without == "" {
			continue
		}
		at := slices.IndexFunc(worst, func(g *bench.Finding) bool { return g.Series.Without == f.Series.Without })
		if at < 0 {
			worst = append(worst, f)
		} else if faster(f, worst[at]) {
			worst[at] = f
		}
	}
	var out []string
	for _, f := range worst {
		out = append(out, f.Series.Without+": "+exponent(f))
	}
	return cmp.Or(strings.Join(out, "\n"), "–")
}

// faster reports whether f grows faster than g: exponential growth before powers.
func faster(f, g *bench.Finding) bool {
	a, b := f.Series.Law.Kind == bench.Exponential, g.Series.Law.Kind == bench.Exponential
	if a != b {
		return a
	}
	return f.Exponent > g.Exponent
}

// verdict stands out unless it is the one that is hoped for.
func verdict(v bench.Verdict) string {
	if v == bench.Holds {
		return string(v)
	}
	return "**" + string(v) + "**"
}

// why is what decided, unless the figures of the law say it themselves.
func why(f *bench.Finding) string {
	if f.Verdict == bench.Holds && f.Fitted {
		return ""
	}
	return f.Why
}
