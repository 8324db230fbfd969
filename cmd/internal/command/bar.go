package command

import (
	"fmt"
	"io"
)

// Bar shows how many of a number of things are done: on a terminal on one line, which Close erases, and elsewhere as
// lines.
type Bar struct {
	w           io.Writer
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
	switch {
	case p.terminal:
		fmt.Fprintf(p.w, "%s%s (%d/%d)", eraseLine, description, done, total)
	case line != "":
		fmt.Fprintln(p.w, line)
	}
}

// Close erases the line.
func (p *Bar) Close() {
	if p.terminal {
		fmt.Fprint(p.w, eraseLine)
	}
}
