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
			t.Rows = append(t.Rows, stepRow{info.Number, info.Name, info.Text, load.Grouped(n), shareOf(n, total),
				percent(float64(n), float64(most))})
		}
	}
	return &t
}

func shareOf(part, whole uint64) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// listing is the source with what each line cost.
type listing struct {
	Rows       []listingRow
	Total      listingRow
	Normalised bool // there are such rewrites
	Nowhere    bool // the last row is work without a place
}

type listingRow struct {
	Number                               int // 0: without a place
	Text                                 string
	Source, Generated, Normalised, Nodes string
	// Widths of the parts of the bar.
	SourceWidth, GeneratedWidth, NormalisedWidth string
	Told                                         bool   // the table has a column for the normalised
	Bar                                          bool   // there are rewrites to draw one of
	Cold                                         bool   // nothing was done here
	Gap                                          int    // instead of a line: so many, left out
	Share                                        string // of the rewrites of the most costly line
}

const (
	mostLines  = 400 // of a source that is listed whole
	mostCostly = 200 // lines of a longer one that are listed
	mostRunes  = 300 // of a line
)

// newListing lists lines, in order. What has no place comes last.
func newListing(lines []profile.Line) *listing {
	var out listing
	total, most := sumOf(lines), uint64(0)
	for i := range lines {
		most = max(most, lines[i].Rewrites())
	}
	out.Normalised = total.Normalised > 0
	var nowhere []profile.Line
	lines = slices.Clone(lines)
	lines = slices.DeleteFunc(lines, func(l profile.Line) bool {
		if l.Line == 0 && (l.Rewrites() > 0 || l.Nodes > 0) {
			nowhere = append(nowhere, l)
		}
		return l.Line == 0
	})
	for n := len(lines); n > 0 && lines[n-1].Text == "" && lines[n-1].Rewrites()+lines[n-1].Nodes == 0; n-- {
		lines = lines[:n-1]
	}
	listed := costly(lines)
	last := 0
	for i := range lines {
		if !listed[i] {
			continue
		}
		out.gap(lines[last:i])
		out.Rows = append(out.Rows, newRow(&lines[i], most))
		last = i + 1
	}
	out.gap(lines[last:])
	for i := range nowhere {
		out.Rows, out.Nowhere = append(out.Rows, newRow(&nowhere[i], most)), true
	}
	out.Rows = append(out.Rows, newRow(&total, 0))
	for i := range out.Rows {
		out.Rows[i].Told = out.Normalised
	}
	last = len(out.Rows) - 1
	out.Rows, out.Total = out.Rows[:last], out.Rows[last]
	return &out
}

// gap adds a row for lines that are left out, with what they cost together.
func (l *listing) gap(lines []profile.Line) {
	if len(lines) == 0 {
		return
	}
	sum := sumOf(lines)
	row := newRow(&sum, 0)
	row.Gap = len(lines)
	l.Rows = append(l.Rows, row)
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

// costly tells which lines are listed: of many, those with the most rewrites.
func costly(lines []profile.Line) []bool {
	listed := make([]bool, len(lines))
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	if len(lines) > mostLines {
		slices.SortStableFunc(order, func(i, j int) int {
			return cmp.Compare(lines[j].Rewrites(), lines[i].Rewrites())
		})
		order = order[:mostCostly]
	}
	for _, i := range order {
		listed[i] = true
	}
	return listed
}

func newRow(l *profile.Line, most uint64) listingRow {
	of := func(n uint64) string { return percent(float64(n), float64(most)) }
	return listingRow{
		Number: l.Line, Text: clipped(l.Text), Bar: most > 0 && l.Rewrites() > 0, Cold: l.Rewrites() == 0 && l.Nodes == 0,
		Source: count(l.Source), Generated: count(l.Generated), Normalised: count(l.Normalised), Nodes: count(l.Nodes),
		Share:       of(l.Rewrites()),
		SourceWidth: of(l.Source), GeneratedWidth: of(l.Generated), NormalisedWidth: of(l.Normalised),
	}
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
	return fmt.Sprintf("%s … (%s characters more)", string([]rune(text)[:mostRunes]),
		load.Grouped(uint64(n-mostRunes)))
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
