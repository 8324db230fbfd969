package page

import (
	"fmt"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/measure"
	"github.com/gram-machine/gram/bench/plot"
)

// The files of a repository, relative to its root.
const (
	RepositoryRows  = "bench/results/rows.jsonl"
	repositoryPlots = "bench/plots"
	pageName        = "BENCHMARKS.md"
)

// Repository are the files of the repository that are generated from the report of all
// claims, by their paths: the page, and its pictures.
func Repository(r *measure.Report) (map[string][]byte, error) {
	files := map[string][]byte{}
	const command = "go run ./cmd/gram bench"
	text, err := Markdown(r, Options{Plots: repositoryPlots, Repository: true, All: command, Compare: command + " --peers",
		Command: func(c *bench.Claim) string { return fmt.Sprintf("%s --claim %d", command, c.Number) }})
	if err != nil {
		return nil, err
	}
	files[pageName] = text
	for _, p := range pictures(r) {
		if files[repositoryPlots+"/"+p.name+".svg"], err = p.SVG(); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// picture is a picture of the page, with the name of its file without the ending.
type picture struct {
	drawing
	name string
}

type drawing interface {
	SVG() ([]byte, error)
	PNG() ([]byte, error)
}

// pictures are those of claims and of the comparison.
func pictures(r *measure.Report) []picture {
	var out []picture
	for i := range r.Outcomes {
		for _, p := range plot.Pictures(&r.Outcomes[i]) {
			out = append(out, picture{&p, p.Name})
		}
	}
	for _, b := range charts(r) {
		out = append(out, picture{&b, b.Name})
	}
	return out
}

// Folder are the files of a folder of results, by their paths in it: the page, its
// pictures, and the report as JSON and in the Go benchmark format. Of the options, Plots is set here.
func Folder(r *measure.Report, opt Options) (map[string][]byte, error) {
	files := map[string][]byte{}
	opt.Plots = "plots"
	for name, make := range map[string]func() ([]byte, error){
		pageName:       func() ([]byte, error) { return Markdown(r, opt) },
		"results.json": func() ([]byte, error) { return JSON(r) },
		"results.txt":  func() ([]byte, error) { return Benchmarks(r) },
	} {
		text, err := make()
		if err != nil {
			return nil, err
		}
		files[name] = text
	}
	for _, p := range pictures(r) {
		for ending, draw := range map[string]func() ([]byte, error){".svg": p.SVG, ".png": p.PNG} {
			image, err := draw()
			if err != nil {
				return nil, err
			}
			files["plots/"+p.name+ending] = image
		}
	}
	return files, nil
}
