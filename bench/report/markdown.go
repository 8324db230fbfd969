package report

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"strings"
	"sync"
	"text/template"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/adversary"
	"github.com/gram-machine/gram/lang/load"
)

// The files of a repository, relative to its root, and the page's name in any folder.
const (
	RepositoryRows = "bench/results/rows.jsonl"
	pageName       = "BENCHMARKS.md"
	peersName      = "peers.md"
)

// Pages say where pages are and what stands around the figures.
type Pages struct {
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

// Repository are the files of the repository that are generated from the report of all claims, by their paths: the
// page, those of the claims, and the pictures.
func Repository(r *Report) (map[string][]byte, error) {
	const command = "go run ./cmd/gram bench"
	files, err := Markdown(r, Pages{Claims: "docs/claims", Plots: "bench/plots", Repository: true, All: command,
		Compare: command + " --peers",
		Command: func(c *bench.Claim) string { return fmt.Sprintf("%s --claim %d", command, c.Number) }})
	if err != nil {
		return nil, err
	}
	if files["docs/gradbench.md"], err = gradBenchPage("gradbench.md.tmpl"); err != nil {
		return nil, err
	}
	r.draw(files, "bench/plots/")
	return files, nil
}

// Folder are the files of a folder of results, by their paths in it: the pages, the pictures, and the report as JSON.
// The folders of the options are set here.
func Folder(r *Report, opt Pages) (map[string][]byte, error) {
	opt.Claims, opt.Plots = "claims", "plots"
	files, err := Markdown(r, opt)
	if err != nil {
		return nil, err
	}
	r.draw(files, "plots/")
	files["results.json"], err = JSON(r)
	return files, err
}

// draw adds the pictures of all claims.
func (r *Report) draw(files map[string][]byte, folder string) {
	for _, o := range r.Outcomes {
		for _, p := range Pictures(o) {
			files[folder+p.Name+".svg"] = p.SVG()
		}
	}
}

//go:embed *.tmpl
var templates embed.FS

// parsed are the templates of this package.
var parsed = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"bytes": bytesOf, "capital": capital, "cell": strings.NewReplacer("|", `\|`).Replace, "class": classOf,
		"constant": constant, "drawn": drawn, "mark": markText, "pixels": pixels,
		"count": func(n int) string { return grouped(int64(n)) }, "counted": load.Counted, "dash": dash,
		"exponent": exponent, "figure": figure, "join": strings.Join, "judged": judged, "law": law,
		"plain": func(size string) string { return strings.Trim(size, "[]") }, "residuals": residuals, "rough": rough,
		"task": taskName, "title": title, "tool": func(name string) string { return cmp.Or(toolNames[name], name) },
		"verdict": verdict,
	}).ParseFS(templates, "*.tmpl"))
})

// execute writes a page by its template.
func execute(name string, data any) ([]byte, error) {
	var out bytes.Buffer
	err := parsed().ExecuteTemplate(&out, name, data)
	return out.Bytes(), err
}

// Markdown are the pages, by their paths: the first screen, a page for each claim, and one for the peers.
func Markdown(r *Report, opt Pages) (map[string][]byte, error) {
	bounds, err := bench.TheoremBounds(r.Outcomes)
	if err != nil {
		return nil, err
	}
	first := map[string]any{"Options": opt, "Claims": len(r.Outcomes), "Verdicts": verdicts(r.Outcomes),
		"Table": markdownTable(r, opt.Claims), "Peers": opt.Claims + "/" + peersName,
		"Builds": r.Builds, "Computers": r.Computers, "Speed": largest(r.Comparisons)}
	if len(bounds) > 0 {
		first["Bounds"] = boundsTable(bounds)
	}
	worst := &adversary.Result{}
	if opt.Repository {
		section, err := gradBenchPage("gradbench-section.md.tmpl")
		if err != nil {
			return nil, err
		}
		first["GradBench"] = string(section)
		if worst, err = adversary.Stored(); err != nil {
			return nil, err
		}
	}
	plots := strings.Repeat("../", strings.Count(opt.Claims, "/")+1) + opt.Plots // from the claims' pages
	pages := map[string][]byte{}
	if pages[pageName], err = execute("first.md.tmpl", first); err != nil {
		return nil, err
	}
	for _, o := range r.Outcomes {
		data := map[string]any{"Outcome": o, "Claim": o.Claim, "Pictures": Pictures(o), "Command": "", "Plots": plots,
			"Worst": worst.Worst(o.Claim.Number), "Searched": worst.Searched()}
		if opt.Command != nil {
			data["Command"] = opt.Command(o.Claim)
		}
		if pages[opt.Claims+"/"+claimFile(o.Claim)], err = execute("claim.md.tmpl", data); err != nil {
			return nil, err
		}
	}
	if len(r.Comparisons) > 0 {
		pages[opt.Claims+"/"+peersName], err = peersPage(r, &opt)
	}
	return pages, err
}

// verdicts counts the claims by their verdicts.
func verdicts(all []*bench.Outcome) string {
	count := map[bench.Verdict]int{}
	for _, o := range all {
		count[o.Verdict]++
	}
	var out []string
	for _, v := range []bench.Verdict{bench.Holds, bench.HoldsCorrected, bench.Fails, bench.Open, bench.Missing} {
		if n := count[v]; n > 0 || v == bench.Fails {
			out = append(out, fmt.Sprintf("%d × *%s*", n, v))
		}
	}
	return strings.Join(out, ", ")
}

// claimFile is the name of a claim's page.
func claimFile(c *bench.Claim) string {
	if c.Number == 0 {
		return "family.md"
	}
	return fmt.Sprintf("claim-%02d.md", c.Number)
}

// title is the title of a claim's page.
func title(c *bench.Claim) string {
	if c.Number == 0 {
		return c.Title
	}
	return fmt.Sprintf("Claim %d. %s", c.Number, c.Title)
}

func capital(s string) string {
	at := strings.IndexFunc(s, func(r rune) bool { return r != '*' })
	return s[:at] + strings.ToUpper(s[at:at+1]) + s[at+1:]
}
