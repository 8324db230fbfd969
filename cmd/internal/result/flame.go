package result

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gram-machine/gram/cmd/internal/profile"
	"github.com/gram-machine/gram/lang/load"
)

// flame is a flame graph, the program at its top.
type flame struct {
	Depth  int // of the deepest frame
	Frames []flameFrame
}

type flameFrame struct {
	Name, Title      string
	Left, Width, Top string
}

// newFlame leaves out what is narrower than a thousandth of the graph.
func newFlame(frames []profile.Frame) *flame {
	var out flame
	whole := frames[0].Rewrites
	for _, f := range frames {
		if f.Rewrites*1000 < whole {
			continue
		}
		name := "all"
		if f.Line > 0 {
			name = fmt.Sprintf("%s:%d", f.Name, f.Line)
		}
		title := fmt.Sprintf("%s, %s of the rewrites: %s", name, shareOf(f.Rewrites, whole), load.Grouped(f.Rewrites))
		if f.Rewrites*50 < whole {
			name = "" // there is no room for it
		}
		out.Depth = max(out.Depth, f.Depth)
		out.Frames = append(out.Frames, flameFrame{
			Name: name, Title: title, Left: percent(float64(f.From), float64(whole)),
			Width: percent(float64(f.Rewrites), float64(whole)), Top: fmt.Sprintf("%.1frem", 1.5*float64(f.Depth)),
		})
	}
	return &out
}

// Height is the height of the graph.
func (f *flame) Height() string { return fmt.Sprintf("%.1frem", 1.5*float64(f.Depth+1)) }

// mostDear is how many lines the list of the most costly ones has.
const mostDear = 10

// dearest returns the most costly lines, the first first, with their shares of all rewrites.
func dearest(lines []profile.Line) []stepRow {
	sum := sumOf(lines)
	lines = slices.DeleteFunc(slices.Clone(lines), func(l profile.Line) bool { return l.Line == 0 || l.Rewrites() == 0 })
	slices.SortStableFunc(lines, func(a, b profile.Line) int { return cmp.Compare(b.Rewrites(), a.Rewrites()) })
	var out []stepRow
	for _, l := range lines[:min(mostDear, len(lines))] {
		out = append(out, stepRow{Number: fmt.Sprint(l.Line), Text: clipped(l.Text), Count: load.Grouped(l.Rewrites()),
			Share: shareOf(l.Rewrites(), sum.Rewrites()), Width: percent(float64(l.Rewrites()), float64(lines[0].Rewrites()))})
	}
	return out
}
