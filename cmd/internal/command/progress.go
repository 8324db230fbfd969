package command

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// eraseLine erases the line of a terminal and goes to its start.
const eraseLine = "\x1b[2K\r"

// progressDelay is how long a run may take before its progress is shown.
const progressDelay = time.Second

// Line shows on one line of a terminal the phase of a long run, and the time since its start. Close erases it.
type Line struct {
	w       io.Writer
	on      bool
	doing   atomic.Pointer[string]
	note    atomic.Pointer[string] // if not nil, is shown instead
	end     func()                 // closes quit
	quit    chan struct{}
	drawing sync.WaitGroup
}

// phases describes the phases of a run.
var phases = map[string]string{"load": "loading", "compile": "compiling", "reduce": "reducing",
	"span": "measuring the span", "print": "printing"}

// NewLine returns a line on standard error, if that is a terminal and on is true.
func (a *App) NewLine(on bool) *Line {
	return newLine(a.Stderr, on && IsTerminal(a.Stderr), progressDelay)
}

// newLine returns a line on w, which appears after the delay. If on is false it does nothing.
func newLine(w io.Writer, on bool, delay time.Duration) *Line {
	p := &Line{w: w, on: on, quit: make(chan struct{})}
	p.end = sync.OnceFunc(func() { close(p.quit) })
	p.Phase("load")
	if on {
		p.drawing.Go(func() { p.show(delay) })
	}
	return p
}

// Phase sets the current phase. It may be called often, from any goroutine.
func (p *Line) Phase(name string) {
	if now := p.doing.Load(); now == nil || *now != name {
		p.doing.Store(&name)
	}
}

// SetNote sets what is shown instead of a phase.
func (p *Line) SetNote(text string) { p.note.Store(&text) }

// Show sets how much of a number of things is done, and what is being done. Where nothing is drawn it prints line,
// unless that is empty.
func (p *Line) Show(done, total int, line, doing string) {
	if p.on {
		p.SetNote(fmt.Sprintf("%s (%d/%d)", doing, done, total))
	} else if line != "" {
		fmt.Fprintln(p.w, line)
	}
}

// show draws the line after the delay, until the progress is closed.
func (p *Line) show(delay time.Duration) {
	start, drawn := time.Now(), false
	for next := time.After(delay); ; next = time.After(max(delay/5, time.Millisecond)) {
		select {
		case <-next:
		case <-p.quit:
			if drawn {
				fmt.Fprint(p.w, eraseLine)
			}
			return
		}
		elapsed := time.Since(start).Round(time.Second / 10)
		text := phases[*p.doing.Load()]
		if note := p.note.Load(); note != nil {
			text = *note
		}
		fmt.Fprint(p.w, eraseLine, text, ", ", elapsed)
		drawn = true
	}
}

// Close erases the line. It may be called again.
func (p *Line) Close() {
	p.end()
	p.drawing.Wait()
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// hasColor reports whether a stream is a terminal that shows colours and NO_COLOR is not set.
func hasColor(stream any) bool {
	return IsTerminal(stream) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
