package htmlreport

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gram-machine/gram/internal/notation"
)

// Frame is a function at a line in the flame graph. Line 0 is the whole run.
type Frame struct {
	Name     string
	Line     int
	Depth    int // of calls
	From     uint64
	Rewrites uint64 // of what it did there and of what it called there; they begin at From
}

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
func newFlame(frames []Frame) *flame {
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
		title := fmt.Sprintf("%s, %s of the rewrites: %s", name, share(f.Rewrites, whole), notation.Grouped(f.Rewrites))
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
func dearest(lines []Line) []stepRow {
	sum := sumOf(lines)
	lines = slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return l.Number == 0 || l.rewrites() == 0 })
	slices.SortStableFunc(lines, func(a, b Line) int { return cmp.Compare(b.rewrites(), a.rewrites()) })
	var out []stepRow
	for _, l := range lines[:min(mostDear, len(lines))] {
		out = append(out, stepRow{Rule{Number: fmt.Sprint(l.Number), Text: clipped(l.Text)}, notation.Grouped(l.rewrites()),
			share(l.rewrites(), sum.rewrites()), percent(float64(l.rewrites()), float64(lines[0].rewrites()))})
	}
	return out
}
