package main

import (
	"fmt"
	"io"

	"github.com/schollz/progressbar/v3"

	"github.com/gram-machine/gram/bench/measure"
	"github.com/gram-machine/gram/internal/notation"
)

// benchProgress shows what gram bench measures: on a terminal as a bar, which is erased at
// the end, and elsewhere as a line for each series.
type benchProgress struct {
	w           io.Writer
	bar         *progressbar.ProgressBar // nil if the output is no terminal
	terminal    bool
	done, total int
}

func newBenchProgress(w io.Writer, terminal bool) *benchProgress {
	return &benchProgress{w: w, terminal: terminal}
}

// event shows an event of the run.
func (p *benchProgress) event(e measure.Event) {
	line := ""
	switch {
	case e.Task != nil:
		line = "peers: " + e.Task.Name()
	case e.Size == 0:
		line = fmt.Sprintf("%s: %s, %s", e.Claim.Name(), e.Series.Name, notation.Counted(e.Points, "point"))
	}
	p.show(e.Done, e.Total, line, described(e))
}

// show shows how much is done. If the output is no terminal it prints the line instead, unless that is empty.
func (p *benchProgress) show(done, total int, line, description string) {
	p.done, p.total = done, total
	if !p.terminal {
		if line != "" {
			fmt.Fprintln(p.w, line)
		}
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(p.w),
			progressbar.OptionSetWidth(20),
			progressbar.OptionShowCount(),
			progressbar.OptionUseANSICodes(true))
	}
	if p.bar.GetMax() != total {
		p.bar.ChangeMax(total)
	}
	p.bar.Describe(description)
	_ = p.bar.Set(done)
}

// described describes what is being measured.
func described(e measure.Event) string {
	if e.Task != nil {
		return "peers, " + e.Task.Name()
	}
	what := fmt.Sprintf("%s, %s", e.Claim.Name(), e.Series.Name)
	if e.Size > 0 {
		what += fmt.Sprintf(", size %s", notation.Grouped(uint64(e.Size)))
	}
	return what
}

// close erases the bar.
func (p *benchProgress) close() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
