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
	text, err := Markdown(r, Options{Plots: repositoryPlots, Repository: true, Command: func(c *bench.Claim) string {
		return fmt.Sprintf("go run ./cmd/gram bench --claim %d", c.Number)
	}})
	if err != nil {
		return nil, err
	}
	files[pageName] = text
	for i := range r.Outcomes {
		for _, p := range plot.Pictures(&r.Outcomes[i]) {
			if files[repositoryPlots+"/"+p.Name+".svg"], err = p.SVG(); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// Folder are the files of a folder of results, by their paths in it: the page, its
// pictures, and the report as JSON and in the Go benchmark format.
func Folder(r *measure.Report, command func(*bench.Claim) string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, make := range map[string]func() ([]byte, error){
		pageName:       func() ([]byte, error) { return Markdown(r, Options{Plots: "plots", Command: command}) },
		"results.json": func() ([]byte, error) { return JSON(r) },
		"results.txt":  func() ([]byte, error) { return Benchmarks(r) },
	} {
		text, err := make()
		if err != nil {
			return nil, err
		}
		files[name] = text
	}
	for i := range r.Outcomes {
		for _, p := range plot.Pictures(&r.Outcomes[i]) {
			for ending, draw := range map[string]func() ([]byte, error){".svg": p.SVG, ".png": p.PNG} {
				image, err := draw()
				if err != nil {
					return nil, err
				}
				files["plots/"+p.Name+ending] = image
			}
		}
	}
	return files, nil
}
