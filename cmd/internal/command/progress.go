package command

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// eraseLine erases the line of a terminal and goes to its start.
const eraseLine = "\x1b[2K\r"

// ProgressDelay is how long a run may take before its progress is shown.
const ProgressDelay = time.Second

// Line shows on one line of a terminal the phase of a long run, and the time since its start. Close erases it.
type Line struct {
	doing      atomic.Pointer[string]
	note       atomic.Pointer[string] // if not nil, is shown instead
	quit, done chan struct{}
}

// phases describes the phases of a run.
var phases = map[string]string{"load": "loading", "compile": "compiling", "reduce": "reducing",
	"span": "measuring the span", "print": "printing"}

// NewLine returns a line on w, which appears after the delay. If on is false it does nothing.
func NewLine(w io.Writer, on bool, delay time.Duration) *Line {
	p := &Line{quit: make(chan struct{}), done: make(chan struct{})}
	p.Phase("load")
	if !on {
		close(p.done)
		return p
	}
	go p.show(w, delay)
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

// show draws the line after the delay, until the progress is closed.
func (p *Line) show(w io.Writer, delay time.Duration) {
	defer close(p.done)
	start := time.Now()
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.quit:
		return
	}
	tick := time.NewTicker(max(delay/5, time.Millisecond))
	defer tick.Stop()
	for {
		elapsed := time.Since(start).Round(time.Second / 10)
		text := phases[*p.doing.Load()]
		if note := p.note.Load(); note != nil {
			text = *note
		}
		fmt.Fprint(w, eraseLine, text, ", ", elapsed)
		select {
		case <-tick.C:
		case <-p.quit:
			fmt.Fprint(w, eraseLine)
			return
		}
	}
}

// Close erases the line.
func (p *Line) Close() {
	close(p.quit)
	<-p.done
}
