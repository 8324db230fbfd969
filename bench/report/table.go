package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
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
	for _, o := range r.Outcomes {
		t.AppendRow(summary(o, text.WrapSoft(o.Claim.Title, titleWidth), text.WrapSoft(string(o.Verdict), verdictWidth),
			lawWidth))
	}
	return t.Render() + "\n"
}

// markdownTable is the table of all claims on the page, with links to the claims' pages.
func markdownTable(r *Report, folder string) string {
	t := NewTable(table.Row{"", "claim", "verdict", "law", "exponent", "constant", "without"}, 1, 5, 6)
	for _, o := range r.Outcomes {
		link := fmt.Sprintf("[%s](%s/%s)", o.Claim.Title, folder, claimFile(o.Claim))
		t.AppendRow(append(summary(o, link, verdict(o.Verdict), 0), ablations(o)))
	}
	return t.RenderMarkdown() + "\n"
}

// Findings is the table of the series of one claim, for a terminal.
func Findings(o *bench.Outcome) string {
	t := NewTable(table.Row{"series", "law", "exponent", "constant", "verdict", "", "residuals"}, 3, 4)
	for _, f := range o.Findings {
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
	short := func(c float64) string { return fmt.Sprintf("%.3g", c) }
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
	var out []string
	for _, all := range bench.Groups(o.Findings, func(f *bench.Finding) string { return f.Without }) {
		worst := slices.MaxFunc(all, func(f, g *bench.Finding) int {
			return cmp.Or(cmp.Compare(steepness(f), steepness(g)), cmp.Compare(f.Exponent, g.Exponent))
		})
		if worst.Without != "" {
			out = append(out, worst.Without+": "+exponent(worst))
		}
	}
	return cmp.Or(strings.Join(out, "\n"), "–")
}

// steepness is 1 for exponential growth and 0 for powers.
func steepness(f *bench.Finding) int {
	if f.Law.Kind == bench.Exponential {
		return 1
	}
	return 0
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

// figure prints a quantity: integers in groups of three digits, other numbers with four digits.
func figure(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return grouped(int64(x))
	}
	if math.Abs(x) >= 1000 {
		return grouped(int64(math.Round(x)))
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// grouped prints 1234567 as 1 234 567.
func grouped(n int64) string {
	if n < 0 {
		return "−" + load.Grouped(uint64(-n))
	}
	return load.Grouped(uint64(n))
}

// constant prints a constant, rounded up to three digits.
func constant(c float64) string {
	if c == 0 {
		return "0"
	}
	unit := math.Pow(10, math.Floor(math.Log10(c))-2)
	return figure(math.Ceil(c/unit*(1-1e-9)) * unit)
}

// exponent prints the exponent of a finding with its interval.
func exponent(f *bench.Finding) string {
	law := f.Series.Law
	switch {
	case law.Kind == bench.Equal:
		return "equal"
	case law.Kind == bench.Below, !f.Fitted:
		return "–"
	case law.Kind == bench.Exponential:
		return fmt.Sprintf("2^(%s·x)", spread(f, 2))
	}
	return spread(f, 3)
}

// spread prints the exponent of a finding ± half its interval, that rounded up.
func spread(f *bench.Finding, digits int) string {
	unit, half := math.Pow(10, float64(-digits)), f.Half
	value := signed(f.Exponent, digits)
	switch {
	case half < unit*1e-3:
		return value
	case math.IsInf(half, 0) || math.IsNaN(half):
		return value + " ± ?"
	}
	return fmt.Sprintf("%s ± %.*f", value, digits, math.Ceil(half/unit)*unit)
}

// signed prints x with so many decimals; never −0.
func signed(x float64, digits int) string {
	text := strconv.FormatFloat(math.Abs(x), 'f', digits, 64)
	if x < 0 && math.Abs(x) >= math.Pow(10, float64(-digits))/2 {
		return "−" + text
	}
	return text
}

// percent prints a relative residual.
func percent(r float64) string {
	switch {
	case r < 1e-8:
		return "0 %"
	case r < 0.0001:
		return "< 0.01 %"
	case r >= 10:
		return "> 1000 %"
	}
	digits := max(0, 1-int(math.Floor(math.Log10(100*r))))
	return strconv.FormatFloat(100*r, 'f', digits, 64) + " %"
}

// law is the law of a series with its quantities and its condition: "steps = Θ(|G|)".
func law(s *bench.Series) string {
	text := s.Y + " = " + s.Law.Of(s.X)
	if s.Law.Kind == bench.Below {
		text = s.Y + " ≤ " + s.X
	}
	if s.If != "" {
		text += ", if " + s.If
	}
	return text
}
