package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/cmd/internal/profile"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/rule"
)

// stepTable is the table of steps by rule.
type stepTable struct {
	Rows  []stepRow
	Total string
}

type stepRow struct {
	Number, Name, Text  string
	Count, Share, Width string
}

func newStepTable(steps *rule.Counts) *stepTable {
	total := steps.Total()
	t := stepTable{Total: load.Grouped(total)}
	most := slices.Max(steps[:])
	for r, n := range steps {
		if n > 0 {
			info := &rule.Table[r]
			t.Rows = append(t.Rows, stepRow{info.Number, info.Name, info.Text, load.Grouped(n), share(n, total),
				percent(n, most)})
		}
	}
	return &t
}

// listing is the source with what each line cost.
type listing struct {
	Rows       []listingRow
	Total      listingRow
	Normalised bool // there are such rewrites
}

type listingRow struct {
	profile.Line
	Most uint64 // the rewrites of the most costly line; 0: there is no bar
	Told bool   // the table has a column for the normalised
	Gap  int    // instead of a line: so many, left out
}

const (
	mostLines  = 400 // of a source that is listed whole
	mostCostly = 200 // lines of a longer one that are listed
	mostRunes  = 300 // of a line
)

// newListing lists lines, in order. What has no place comes last.
func newListing(lines []profile.Line) *listing {
	total, most := sumOf(lines), uint64(0)
	for i := range lines {
		most = max(most, lines[i].Rewrites())
	}
	out := listing{Normalised: total.Normalised > 0}
	out.Total = listingRow{Line: total, Told: out.Normalised}
	var nowhere []profile.Line
	lines = slices.DeleteFunc(slices.Clone(lines), func(l profile.Line) bool {
		if l.Line == 0 && (l.Rewrites() > 0 || l.Nodes > 0) {
			nowhere = append(nowhere, l)
		}
		return l.Line == 0
	})
	for n := len(lines); n > 0 && lines[n-1].Text == "" && lines[n-1].Rewrites()+lines[n-1].Nodes == 0; n-- {
		lines = lines[:n-1]
	}
	listed := len(lines)
	if listed > mostLines {
		listed = mostCostly
	}
	last := 0
	for _, i := range foremost(len(lines), listed, func(i int) float64 { return float64(lines[i].Rewrites()) }) {
		out.gap(lines[last:i])
		out.Rows = append(out.Rows, listingRow{Line: lines[i], Most: most, Told: out.Normalised})
		last = i + 1
	}
	out.gap(lines[last:])
	for _, l := range nowhere {
		out.Rows = append(out.Rows, listingRow{Line: l, Most: most, Told: out.Normalised})
	}
	return &out
}

// gap adds a row for lines that are left out, with what they cost together.
func (l *listing) gap(lines []profile.Line) {
	if len(lines) > 0 {
		l.Rows = append(l.Rows, listingRow{Line: sumOf(lines), Told: l.Normalised, Gap: len(lines)})
	}
}

func sumOf(lines []profile.Line) profile.Line {
	var sum profile.Line
	for _, l := range lines {
		sum.Source += l.Source
		sum.Generated += l.Generated
		sum.Normalised += l.Normalised
		sum.Nodes += l.Nodes
	}
	return sum
}

// count is a number of a table, in which 0 is left open.
func count(n uint64) string {
	if n == 0 {
		return ""
	}
	return load.Grouped(n)
}

// clipped is a line with spaces for tabs, and cut if it is long.
func clipped(text string) string {
	text = strings.ReplaceAll(text, "\t", "    ")
	n := utf8.RuneCountInString(text)
	if n <= mostRunes {
		return text
	}
	return fmt.Sprintf("%s … (%s characters more)", string([]rune(text)[:mostRunes]), load.Grouped(uint64(n-mostRunes)))
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
		title := fmt.Sprintf("%s, %s of the rewrites: %s", name, share(f.Rewrites, whole), load.Grouped(f.Rewrites))
		if f.Rewrites*50 < whole {
			name = "" // there is no room for it
		}
		out.Depth = max(out.Depth, f.Depth)
		out.Frames = append(out.Frames, flameFrame{
			Name: name, Title: title, Left: percent(f.From, whole),
			Width: percent(f.Rewrites, whole), Top: fmt.Sprintf("%.1frem", 1.5*float64(f.Depth)),
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
			Share: share(l.Rewrites(), sum.Rewrites()), Width: percent(l.Rewrites(), lines[0].Rewrites())})
	}
	return out
}
