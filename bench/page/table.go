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

// markdownTable is the table of all claims on the page, with links to the claims' pages.
func markdownTable(r *measure.Report, folder string) string {
	t := plain()
	t.AppendHeader(table.Row{"", "claim", "verdict", "law", "exponent", "constant", "without"})
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 1, Align: text.AlignRight}, {Number: 5, Align: text.AlignRight}, {Number: 6, Align: text.AlignRight}})
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		ss := summarise(o)
		t.AppendRow(table.Row{number(o.Claim), fmt.Sprintf("[%s](%s/%s)", o.Claim.Title, folder, claimFile(o.Claim)), verdict(o.Verdict),
			column(ss, func(s summary) string { return s.law }),
			column(ss, func(s summary) string { return s.exponent }),
			column(ss, func(s summary) string { return s.constant }),
			ablations(o)})
	}
	return t.RenderMarkdown() + "\n"
}

// seriesTable is the table of the fits of a claim's series.
func seriesTable(o *bench.Outcome) string {
	t := plain()
	t.AppendHeader(table.Row{"series", "", "law", "exponent", "constant", "verdict", "residuals"})
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 4, Align: text.AlignRight}, {Number: 5, Align: text.AlignRight}})
	for i := range o.Findings {
		f := &o.Findings[i]
		t.AppendRow(table.Row{f.Series.Name, string(f.Series.Role), law(f.Series), exponent(f), constant(f.Constant),
			strings.TrimSuffix(verdict(f.Verdict)+": "+why(f), ": "), residuals(f)})
	}
	return t.RenderMarkdown() + "\n"
}

// shownForms is how many forms of growth are shown with their residuals.
const shownForms = 3

// residuals tells which forms of growth leave the least.
func residuals(f *bench.Finding) string {
	if f.Series.Law.Kind == bench.Equal {
		return ""
	}
	var out []string
	for _, r := range f.Forms[:min(shownForms, len(f.Forms))] {
		out = append(out, fmt.Sprintf("%s %s", r.Model, percent(r.Residual)))
	}
	return strings.Join(out, ", ")
}

// pointsTable is the table of the measurements of a series.
func pointsTable(f *bench.Finding) string {
	t := plain()
	header := table.Row{"size", f.Series.X, f.Series.Y}
	if f.Series.Timed {
		header = append(header, "95 % interval")
	}
	t.AppendHeader(header)
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 1, Align: text.AlignRight}, {Number: 2, Align: text.AlignRight}, {Number: 3, Align: text.AlignRight}})
	for _, p := range f.Points {
		row := table.Row{figure(float64(p.Size)), figure(p.X), figure(p.Y)}
		if f.Series.Timed {
			row = append(row, figure(p.Low)+" … "+figure(p.High))
		}
		t.AppendRow(row)
	}
	return t.RenderMarkdown()
}

// boundsText is the table of the bounds of Theorem 1, with what they are compared with.
func boundsText(bounds []bench.Bound) string {
	t := plain()
	t.AppendHeader(table.Row{"bound", "runs", "each run takes", "least squares"})
	for _, b := range bounds {
		t.AppendRow(table.Row{boundText(&b, b.Least, constant), b.Runs, percent(b.Loosest) + " to 100 %",
			boundText(&b, b.Fit, short) + ", ± " + percent(b.Residual)})
	}
	return t.RenderMarkdown() + "\n" + boundsNote
}

// boundText is the bound with its constants.
func boundText(b *bench.Bound, c [3]float64, print func(float64) string) string {
	sum := fmt.Sprintf("%s·m + %s·|G|", print(c[0]), print(c[1]))
	if b.Wide {
		sum = "w·(" + sum + ")"
	}
	return fmt.Sprintf("%s ≤ %s + %s", b.Quantity, sum, print(c[2]))
}

// boundsNote tells where the constants come from.
const boundsNote = `
Over all runs in which a claim measures m, |G| and these costs of one program, none left out but the ablations. w is the
width of the program: the most variables that one of its λs or branches captures, at least 1. Of all constants for which
no run exceeds the bound, these have the least excess in the mean, relative to each run (a linear program); beside them
stands the fit by least squares of the relative deviations. The comparator is the machine-checked bound of Efficient
CHAD, cost ≤ 5 + 34·cost(t) + size(ctg) + 4·|Γ|: there cost(t) is the cost of the program itself, and a step is a unit of
its own, so only the form and the order of magnitude compare.
`

// short prints a fitted constant with three digits.
func short(c float64) string { return fmt.Sprintf("%.3g", c) }

// BoundText are the bounds of Theorem 1 for a terminal, a line each; "" if no claim measures what they are about.
func BoundText(r *measure.Report) (string, error) {
	bounds, err := bench.TheoremBounds(r.Outcomes)
	if err != nil || len(bounds) == 0 {
		return "", err
	}
	var out strings.Builder
	for _, b := range bounds {
		fmt.Fprintf(&out, "\n%s in %s; at least %s of that", boundText(&b, b.Least, constant), plural(b.Runs, "run"), percent(b.Loosest))
	}
	return out.String() + "\n", nil
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
