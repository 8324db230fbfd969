package benchmark

import (
	"fmt"

	"github.com/gram-machine/gram/bench/report"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/lang/load"
)

// showEvent shows an event of the run.
func showEvent(bar *command.Line, e report.Event) {
	line := ""
	switch {
	case e.Task != nil:
		line = "peers: " + e.Task.Name()
	case e.Size == 0:
		line = fmt.Sprintf("%s: %s, %s", e.Claim.Name(), e.Series.Name, load.Counted(e.Points, "point"))
	}
	bar.Show(e.Done, e.Total, line, described(e))
}

// described describes what is being measured.
func described(e report.Event) string {
	if e.Task != nil {
		return "peers, " + e.Task.Name()
	}
	what := fmt.Sprintf("%s, %s", e.Claim.Name(), e.Series.Name)
	if e.Size > 0 {
		what += fmt.Sprintf(", size %s", load.Grouped(uint64(e.Size)))
	}
	return what
}
