package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/lang/load"
)

// NewTable returns a table without lines, which prints its headings as they are. The columns with the numbers right are
// aligned to the right.
func NewTable(header table.Row, right ...int) table.Writer {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.Options{}
	style.Format = table.FormatOptions{}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.AppendHeader(header)
	var configs []table.ColumnConfig
	for _, n := range right {
		configs = append(configs, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(configs)
	return t
}

// summary is the row of a claim in the table of all claims: number, title, verdict, law, exponent and constant. The
// last three have a line for the first law of the claim, and one for the law among the others that fits its data worst.
// Laws are broken into lines of the width, unless that is 0.
func summary(o *bench.Outcome, title string, v string, width int) table.Row {
	worst := o.Worst()
	if len(worst) > 2 {
		worst = []*bench.Finding{worst[0], slices.MaxFunc(worst[1:], (*bench.Finding).Compare)}
	}
	var columns [3][]string
	for _, f := range worst {
		cells := [3]string{law(f.Series), exponent(f), constant(o.Constant(f))}
		if f.Law.Kind == bench.Exponential || f.Law.Kind == bench.Equal {
			cells[2] = "–"
		}
		if width > 0 {
			cells[0] = strings.TrimRight(text.WrapSoft(cells[0], width), " ")
			below := strings.Repeat("\n", strings.Count(cells[0], "\n"))
			cells[1] += below
			cells[2] += below
		}
		for i, cell := range cells {
			columns[i] = append(columns[i], cell)
		}
	}
	row := table.Row{"", title, v}
	if o.Claim.Number > 0 {
		row[0] = o.Claim.Number
	}
	for _, c := range columns {
		row = append(row, cmp.Or(strings.Join(c, "\n"), "–"))
	}
	return row
}

// The widths of columns on a terminal.
const (
	titleWidth   = 46
	verdictWidth = 12
	lawWidth     = 32
)

// Text is the table of all claims for a terminal.
func Text(r *Report) string {
	t := NewTable(table.Row{"no.", "claim", "verdict", "law", "exponent", "constant"}, 1, 5, 6)
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		t.AppendRow(summary(o, text.WrapSoft(o.Claim.Title, titleWidth), text.WrapSoft(string(o.Verdict), verdictWidth),
			lawWidth))
	}
	return t.Render() + "\n"
}

// markdownTable is the table of all claims on the page, with links to the claims' pages.
func markdownTable(r *Report, folder string) string {
	t := NewTable(table.Row{"", "claim", "verdict", "law", "exponent", "constant", "without"}, 1, 5, 6)
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		link := fmt.Sprintf("[%s](%s/%s)", o.Claim.Title, folder, claimFile(o.Claim))
		t.AppendRow(append(summary(o, link, verdict(o.Verdict), 0), ablations(o)))
	}
	return t.RenderMarkdown() + "\n"
}

// Findings is the table of the series of one claim, for a terminal.
func Findings(o *bench.Outcome) string {
	t := NewTable(table.Row{"series", "law", "exponent", "constant", "verdict", "", "residuals"}, 3, 4)
	for i := range o.Findings {
		f := &o.Findings[i]
		t.AppendRow(table.Row{f.Name, law(f.Series), exponent(f), constant(f.Constant), string(f.Verdict), why(f),
			residuals(f)})
	}
	return t.Render() + "\n"
}

// Points is the table of the measurements of one claim, for a terminal: a line for each
// size, a column for the common x, and a column for each series.
func Points(o *bench.Outcome) string {
	header, right := table.Row{o.Findings[0].X}, []int{1}
	lines := map[float64]table.Row{}
	var order []float64
	for i, f := range o.Findings {
		header, right = append(header, f.Name), append(right, i+2)
		for _, p := range f.Points {
			if lines[p.X] == nil {
				lines[p.X] = append(table.Row{figure(p.X)}, slices.Repeat(table.Row{"–"}, len(o.Findings))...)
				order = append(order, p.X)
			}
			lines[p.X][i+1] = figure(p.Y)
		}
	}
	t := NewTable(header, right...)
	for _, x := range order {
		t.AppendRow(lines[x])
	}
	return t.Render() + "\n"
}

// shownForms is how many forms of growth are shown with their residuals.
const shownForms = 3

// residuals lists the forms of growth with the least residuals.
func residuals(f *bench.Finding) string {
	if f.Law.Kind == bench.Equal {
		return ""
	}
	var out []string
	for _, r := range f.Forms[:min(shownForms, len(f.Forms))] {
		out = append(out, fmt.Sprintf("%s %s", r.Law.Form(), percent(r.Residual)))
	}
	return strings.Join(out, ", ")
}

// boundsTable is the table of the bounds of Theorem 1.
func boundsTable(bounds []bench.Bound) string {
	t := NewTable(table.Row{"bound", "runs", "each run takes", "least squares"})
	for _, b := range bounds {
		t.AppendRow(table.Row{boundText(&b, b.Least, constant), b.Runs, percent(b.Loosest) + " to 100 %",
			boundText(&b, b.Fit, short) + ", ± " + percent(b.Residual)})
	}
	return t.RenderMarkdown()
}

// boundText is the bound with its constants.
func boundText(b *bench.Bound, c []float64, print func(float64) string) string {
	var sum []string
	for i, name := range b.Of {
		sum = append(sum, strings.TrimSuffix(print(c[i])+"·"+name, "·"))
	}
	return b.Quantity + " ≤ " + strings.Join(sum, " + ")
}

// short prints a fitted constant with three digits.
func short(c float64) string { return fmt.Sprintf("%.3g", c) }

// BoundText prints the bounds of Theorem 1 for a terminal, one a line. It returns "" if no claim measures their
// quantities.
func BoundText(r *Report) (string, error) {
	bounds, err := bench.TheoremBounds(r.Outcomes)
	if err != nil || len(bounds) == 0 {
		return "", err
	}
	var out strings.Builder
	for _, b := range bounds {
		fmt.Fprintf(&out, "\n%s in %s; at least %s of that", boundText(&b, b.Least, constant),
			load.Counted(b.Runs, "run"), percent(b.Loosest))
	}
	return out.String() + "\n", nil
}

// ablations lists what the ablations of the claim leave out, and the exponents of the results. Of
// several series it takes the largest exponent, and exponential growth before powers.
func ablations(o *bench.Outcome) string {
	worst := map[string]*bench.Finding{}
	var order []string
	for i := range o.Findings {
		f := &o.Findings[i]
		g := worst[f.Without]
		switch {
		case f.Without == "":
			continue
		case g == nil:
			order = append(order, f.Without)
		case f.Law.Kind != g.Law.Kind && g.Law.Kind == bench.Exponential,
			(f.Law.Kind == bench.Exponential) == (g.Law.Kind == bench.Exponential) && f.Exponent <= g.Exponent:
			continue
		}
		worst[f.Without] = f
	}
	var out []string
	for _, without := range order {
		out = append(out, without+": "+exponent(worst[without]))
	}
	return cmp.Or(strings.Join(out, "\n"), "–")
}

// verdict is a verdict in Markdown, in bold unless the claim holds.
func verdict(v bench.Verdict) string {
	if v == bench.Holds {
		return string(v)
	}
	return "**" + string(v) + "**"
}

// judged is the verdict of a finding with its reason.
func judged(f *bench.Finding) string { return strings.TrimSuffix(verdict(f.Verdict)+": "+why(f), ": ") }

// why is the reason of a verdict. It is "" if the figures of the law are the reason.
func why(f *bench.Finding) string {
	if f.Verdict == bench.Holds && f.Fitted {
		return ""
	}
	return f.Why
}
