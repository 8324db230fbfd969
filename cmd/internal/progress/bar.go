package progress

import (
	"fmt"
	"io"

	"github.com/schollz/progressbar/v3"
)

// Bar shows how many of a number of things are done: on a terminal as a bar, which Close erases, and elsewhere as lines.
type Bar struct {
	w           io.Writer
	bar         *progressbar.ProgressBar // nil if the output is no terminal
	terminal    bool
	Done, Total int
}

// NewBar returns a bar on w.
func NewBar(w io.Writer, terminal bool) *Bar {
	return &Bar{w: w, terminal: terminal}
}

// Show shows how much is done. If the output is no terminal it prints the line instead, unless that is empty.
func (p *Bar) Show(done, total int, line, description string) {
	p.Done, p.Total = done, total
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

// Close erases the bar.
func (p *Bar) Close() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
