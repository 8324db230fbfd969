package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"path"
	"strings"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/measure"
	"github.com/gram-machine/gram/bench/plot"
)

// The files of a repository, relative to its root, and the page's name in any folder.
const (
	RepositoryRows = "bench/results/rows.jsonl"
	pageName       = "BENCHMARKS.md"
	peersName      = "peers.md"
)

// Options say where files are and what stands around the figures.
type Options struct {
	// Claims and Plots are the folders of the claims' pages and of the pictures, relative to BENCHMARKS.md.
	Claims, Plots string
	// Command repeats the measurement of a claim, Compare that of the peers, and All that of all claims and of the
	// peers that every run has; "" if there is none.
	Command func(*bench.Claim) string
	Compare string
	All     string
	// Repository is set for the pages of this repository, which also tell where the figures are kept.
	Repository bool
}

// plots is the folder of the pictures relative to that of the claims' pages.
func (o *Options) plots() string {
	return strings.Repeat("../", strings.Count(o.Claims, "/")+1) + o.Plots
}

// Repository are the files of the repository that are generated from the report of all claims, by their paths: the
// page, those of the claims, and the pictures.
func Repository(r *measure.Report) (map[string][]byte, error) {
	const command = "go run ./cmd/gram bench"
	files, err := Markdown(r, Options{Claims: "docs/claims", Plots: "bench/plots", Repository: true, All: command, Compare: command + " --peers",
		Command: func(c *bench.Claim) string { return fmt.Sprintf("%s --claim %d", command, c.Number) }})
	if err != nil {
		return nil, err
	}
	for _, p := range pictures(r) {
		if files["bench/plots/"+p.Name+".svg"], err = p.SVG(); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Folder are the files of a folder of results, by their paths in it: the pages, the pictures, and the report as JSON
// and in the Go benchmark format. The folders of the options are set here.
func Folder(r *measure.Report, opt Options) (map[string][]byte, error) {
	opt.Claims, opt.Plots = "claims", "plots"
	files, err := Markdown(r, opt)
	if err != nil {
		return nil, err
	}
	draw := map[string]func() ([]byte, error){
		"results.json": func() ([]byte, error) { return JSON(r) },
		"results.txt":  func() ([]byte, error) { return Benchmarks(r) },
	}
	for _, p := range pictures(r) {
		draw["plots/"+p.Name+".svg"], draw["plots/"+p.Name+".png"] = p.SVG, p.PNG
	}
	for name, f := range draw {
		if files[name], err = f(); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// pictures are those of claims and of the comparison.
func pictures(r *measure.Report) []plot.Picture {
	var out []plot.Picture
	for i := range r.Outcomes {
		out = append(out, plot.Pictures(&r.Outcomes[i])...)
	}
	return append(out, charts(r)...)
}

// intro says what the page is, and fits how to read the table of claims.
var (
	//go:embed intro.md
	intro string
	//go:embed fits.md
	fits string
)

// kept tells readers of the repository's page where its figures come from.
const kept = `This page and those that it links to are generated from the measurements in ` + "`bench/results`" + `, and a test
measures their counts again. [docs/benchmarks.md](docs/benchmarks.md) tells how to repeat them, how the fits are made,
and how to add a claim; [docs/performance.md](docs/performance.md) has speed beside a tape, and memory;
[docs/rivals.md](docs/rivals.md) has steps beside CHAD and dual numbers, on the same meter.
`

// Markdown are the pages, by their paths: the first screen, a page for each claim, and one for the peers.
func Markdown(r *measure.Report, opt Options) (map[string][]byte, error) {
	b, err := bench.TheoremBounds(r.Outcomes)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString(intro)
	if len(r.Outcomes) > 0 {
		fmt.Fprintf(&out, "\n%s\n\n%s\n%s", verdicts(r.Outcomes), markdownTable(r, opt.Claims), fits)
	}
	if len(b) > 0 {
		fmt.Fprintf(&out, "\n## The bound of Theorem 1, with constants\n\n%s", boundsText(b))
	}
	if len(r.Comparisons) > 0 {
		fmt.Fprintf(&out, "\n## Speed\n\nValue and gradient by the machine in its default form. [All peers](%s/%s) and the steps a second have a page.\n\n%s",
			opt.Claims, peersName, atAGlance(r.Comparisons))
	}
	fmt.Fprintf(&out, "\n## Where this comes from\n\n")
	if opt.Repository {
		out.WriteString(kept + "\n")
	}
	repeat(&out, opt, len(r.Outcomes) > 0)
	out.WriteString(origin(r))

	pages := map[string][]byte{pageName: out.Bytes()}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		pages[opt.Claims+"/"+claimFile(o.Claim)] = claimPage(o, opt)
	}
	if len(r.Comparisons) > 0 {
		pages[opt.Claims+"/"+peersName] = peersPage(r, opt)
	}
	return pages, nil
}

// repeat tells the commands that repeat the measurements.
func repeat(out *bytes.Buffer, opt Options, claims bool) {
	if opt.All != "" && claims {
		fmt.Fprintf(out, "`%s` measures all of this again. ", opt.All)
	}
	if opt.Compare != "" {
		fmt.Fprintf(out, "`%s` compares with the peers that are installed. ", opt.Compare)
	}
}

// verdicts counts the claims by their verdicts.
func verdicts(all []bench.Outcome) string {
	count := map[bench.Verdict]int{}
	for i := range all {
		count[all[i].Verdict]++
	}
	var out []string
	for _, v := range []bench.Verdict{bench.Holds, bench.HoldsCorrected, bench.Fails, bench.Open, bench.Missing} {
		if n := count[v]; n > 0 || v == bench.Fails {
			out = append(out, fmt.Sprintf("%d × *%s*", n, v))
		}
	}
	return fmt.Sprintf("The verdicts on %s: %s.", plural(len(all), "claim"), strings.Join(out, ", "))
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

// claimFile is the name of a claim's page.
func claimFile(c *bench.Claim) string {
	if c.Number == 0 {
		return "family.md"
	}
	return fmt.Sprintf("claim-%02d.md", c.Number)
}

// claimPage is the page of a claim.
func claimPage(o *bench.Outcome, opt Options) []byte {
	var out bytes.Buffer
	c := o.Claim
	title := c.Title
	if c.Number > 0 {
		title = fmt.Sprintf("Claim %d. %s", c.Number, title)
	}
	fmt.Fprintf(&out, "# %s\n\n%s.", title, capital(verdict(o.Verdict)))
	if c.Source != "" {
		fmt.Fprintf(&out, " The paper: %s.", c.Source)
	}
	out.WriteString("\n")
	if c.Correction != "" {
		fmt.Fprintf(&out, "\n*Corrected.* %s\n", c.Correction)
	}
	for i := range o.Findings {
		if f := &o.Findings[i]; f.Series.Role == bench.Printed && len(f.Points) > 0 {
			fmt.Fprintf(&out, "\n*As printed*, %s: %s for %s, %s.\n", law(f.Series), verdict(f.Verdict), f.Series.Name, f.Why)
		}
	}
	if c.Family != "" {
		fmt.Fprintf(&out, "\n*Programs.* %s\n", c.Family)
	}
	if c.Meaning != "" {
		fmt.Fprintf(&out, "\n%s\n", c.Meaning)
	}
	out.WriteString("\n" + seriesTable(o) + "\n")
	for _, p := range plot.Pictures(o) {
		fmt.Fprintf(&out, "![%s against %s](%s)\n", p.Y, p.X, path.Join(opt.plots(), p.Name+".svg"))
		if p.Dropped > 0 {
			fmt.Fprintf(&out, "\n(Not drawn: %s at 0, which has no logarithm.)\n", plural(p.Dropped, "point"))
		}
		out.WriteString("\n")
	}
	if opt.Command != nil {
		fmt.Fprintf(&out, "```sh\n%s\n```\n", opt.Command(c))
	}
	out.WriteString("\n## All measurements\n\n")
	for i := range o.Findings {
		if f := &o.Findings[i]; len(f.Points) > 0 {
			fmt.Fprintf(&out, "%s\n\n%s\n\n", f.Series.Name, pointsTable(f))
		}
	}
	return out.Bytes()
}

func capital(s string) string {
	at := strings.IndexFunc(s, func(r rune) bool { return r != '*' })
	return s[:at] + strings.ToUpper(s[at:at+1]) + s[at+1:]
}
