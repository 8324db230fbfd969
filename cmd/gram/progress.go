package main

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressDelay is how long a run may take before its progress is shown.
const progressDelay = time.Second

// progress shows on one line of a terminal the phase of a long run and the time since its
// start. The line is erased by close. A progress that is off does nothing.
type progress struct {
	doing      atomic.Pointer[string]
	note       atomic.Pointer[string] // if not nil, is shown instead
	quit, done chan struct{}
}

// phases describes the phases of a run.
var phases = map[string]string{"load": "loading", "compile": "compiling", "reduce": "reducing", "span": "measuring the span", "print": "printing"}

func newProgress(w io.Writer, on bool, delay time.Duration) *progress {
	p := &progress{quit: make(chan struct{}), done: make(chan struct{})}
	p.phase("load")
	if !on {
		close(p.done)
		return p
	}
	go p.show(w, delay)
	return p
}

// phase sets the current phase. It may be called often, from any goroutine.
func (p *progress) phase(name string) {
	if now := p.doing.Load(); now == nil || *now != name {
		p.doing.Store(&name)
	}
}

// setNote sets what is shown instead of a phase.
func (p *progress) setNote(text string) { p.note.Store(&text) }

// show draws the line after the delay, until the progress is closed.
func (p *progress) show(w io.Writer, delay time.Duration) {
	defer close(p.done)
	start := time.Now()
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.quit:
		return
	}
	line := progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetElapsedTime(false), // the bar starts late, so show adds the time itself
		progressbar.OptionSetSpinnerChangeInterval(0),
		progressbar.OptionUseANSICodes(true))
	tick := time.NewTicker(max(delay/5, time.Millisecond))
	defer tick.Stop()
	for {
		elapsed := time.Since(start).Round(time.Second / 10)
		text := phases[*p.doing.Load()]
		if note := p.note.Load(); note != nil {
			text = *note
		}
		line.Describe(text + ", " + elapsed.String())
		select {
		case <-tick.C:
		case <-p.quit:
			_ = line.Clear()
			return
		}
	}
}

// close erases the line.
func (p *progress) close() {
	close(p.quit)
	<-p.done
}
