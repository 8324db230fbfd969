package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/measure"
	"github.com/gram-machine/gram/bench/plot"
)

// intro says what the page is, and fits how to read the table of claims.
var (
	//go:embed intro.md
	intro string
	//go:embed fits.md
	fits string
)

// kept tells readers of the repository's page where its figures come from.
const kept = `This page is generated from the measurements in ` + "`bench/results`" + `, and a test measures its counts again.
[docs/benchmarks.md](docs/benchmarks.md) tells how to repeat it, how the fits are made, and how to add a claim; [docs/performance.md](docs/performance.md) has speed beside a tape, and memory.
`

// Options say what stands around the figures.
type Options struct {
	// Plots is the folder of the pictures, relative to the page.
	Plots string
	// Command repeats the measurement of a claim, Compare that of the peers, and All that of all claims, with
	// the peers that every run has; "" if there is none.
	Command func(*bench.Claim) string
	Compare string
	All     string
	// Repository is set for the page of this repository, which also tells where the figures
	// are kept.
	Repository bool
}

// Markdown is the page.
func Markdown(r *measure.Report, opt Options) ([]byte, error) {
	var out bytes.Buffer
	first, err := firstScreen(r, opt)
	if err != nil {
		return nil, err
	}
	out.WriteString(intro + first + "\n" + fits)
	if opt.Repository {
		out.WriteString("\n" + kept)
	}
	if len(r.Outcomes) > 0 {
		out.WriteString("\n" + markdownTable(r, opt.Plots))
	}
	out.WriteString("\n" + origin(r))
	if err := theorem(&out, r); err != nil {
		return nil, err
	}
	comparison(&out, r, opt)
	speed(&out, r, opt)
	for i := range r.Outcomes {
		section(&out, &r.Outcomes[i], opt)
	}
	return out.Bytes(), nil
}

// origin tells what measured the figures, and where times were taken.
func origin(r *measure.Report) string {
	var out strings.Builder
	switch len(r.Builds) {
	case 0:
		return "Nothing has been measured.\n"
	case 1:
		fmt.Fprintf(&out, "Measured by gram %s.", r.Builds[0])
	default:
		fmt.Fprintf(&out, "Measured by several builds of gram: %s.", strings.Join(r.Builds, "; "))
	}
	if len(r.Computers) > 0 {
		var where []string
		for _, c := range r.Computers {
			where = append(where, c.String())
		}
		fmt.Fprintf(&out, " Times were taken on %s.", strings.Join(where, "; and on "))
	}
	out.WriteString("\n")
	return out.String()
}

// anchor is the name of a claim's section in links.
func anchor(c *bench.Claim) string {
	if c.Number == 0 {
		return "family"
	}
	return fmt.Sprintf("claim-%d", c.Number)
}

// section is what the page says of one claim.
func section(out *bytes.Buffer, o *bench.Outcome, opt Options) {
	c := o.Claim
	title := c.Title
	if c.Number > 0 {
		title = fmt.Sprintf("%d. %s", c.Number, title)
	}
	fmt.Fprintf(out, "\n<a id=%q></a>\n\n## %s\n\n", anchor(c), title)
	fmt.Fprintf(out, "%s.", capital(verdict(o.Verdict)))
	if c.Source != "" {
		fmt.Fprintf(out, " The paper: %s.", c.Source)
	}
	out.WriteString("\n")
	if c.Correction != "" {
		fmt.Fprintf(out, "\n*Correction.* %s\n", c.Correction)
	}
	if c.Family != "" {
		fmt.Fprintf(out, "\n*Programs.* %s\n", c.Family)
	}
	out.WriteString("\n" + seriesTable(o) + "\n")
	for _, p := range plot.Pictures(o) {
		fmt.Fprintf(out, "![%s against %s](%s/%s.svg)\n", p.Y, p.X, opt.Plots, p.Name)
		if p.Dropped > 0 {
			fmt.Fprintf(out, "\n(Not drawn: %s at 0, which has no logarithm.)\n", plural(p.Dropped, "point"))
		}
		out.WriteString("\n")
	}
	if c.Meaning != "" {
		fmt.Fprintf(out, "%s\n\n", c.Meaning)
	}
	if opt.Command != nil {
		fmt.Fprintf(out, "```sh\n%s\n```\n", opt.Command(c))
	}
	points(out, o)
}

func capital(s string) string {
	at := strings.IndexFunc(s, func(r rune) bool { return r != '*' })
	return s[:at] + strings.ToUpper(s[at:at+1]) + s[at+1:]
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

// points are all measurements of a claim, folded away.
func points(out *bytes.Buffer, o *bench.Outcome) {
	out.WriteString("\n<details><summary>All measurements</summary>\n\n")
	for i := range o.Findings {
		f := &o.Findings[i]
		if len(f.Points) == 0 {
			continue
		}
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
		fmt.Fprintf(out, "%s\n\n%s\n\n", f.Series.Name, t.RenderMarkdown())
	}
	out.WriteString("</details>\n")
}

// theorem is the section on the constants of Theorem 1.
func theorem(out *bytes.Buffer, r *measure.Report) error {
	b, ok, err := bench.TheoremBound(r.Outcomes)
	if err != nil || !ok {
		return err
	}
	fmt.Fprintf(out, "\n## The bound, with its constants\n\n%s\n", theoremText(&b))
	return nil
}

// BoundText is the bound of Theorem 1 in one line for a terminal; "" if no claim measures
// what it is about.
func BoundText(r *measure.Report) (string, error) {
	b, ok, err := bench.TheoremBound(r.Outcomes)
	if err != nil || !ok {
		return "", err
	}
	return fmt.Sprintf("\nsteps + overhead ≤ %s·m + %s·|G| + %s in %s; at least %s of that\n",
		constant(b.Least[0]), constant(b.Least[1]), constant(b.Least[2]), plural(b.Runs, "run"), percent(b.Loosest)), nil
}

// theoremText tells the constants and what they are compared with.
func theoremText(b *bench.Bound) string {
	return fmt.Sprintf(`Theorem 1 bounds the cost of a gradient by O(m + |G|). Over the %s in which a claim measures m, |G|, steps
and overhead of one program,

    steps + overhead ≤ %s·m + %s·|G| + %s

holds for every run: of all constants for which that is so, these have the least excess in the mean, relative to each
run (a linear program). Runs take between %s and all of it. By least squares of the relative deviations it is
%s·m + %s·|G| + %s, with deviations of %s. The comparator is the machine-checked bound of Efficient CHAD,
cost ≤ 5 + 34·cost(t) + size(ctg) + 4·|Γ|: there cost(t) is the cost of the program itself, where here m and |G| are, and a
step there is a unit of its own, so only the form and the order of magnitude compare.`,
		plural(b.Runs, "run"), constant(b.Least[0]), constant(b.Least[1]), constant(b.Least[2]),
		percent(b.Loosest), short(b.Fit[0]), short(b.Fit[1]), short(b.Fit[2]), percent(b.Residual))
}

// short prints a fitted constant with three digits.
func short(c float64) string { return fmt.Sprintf("%.3g", c) }
