package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/floats"

	"github.com/gram-machine/gram/bench"
)

// Picture is what is drawn of one pair of quantities on logarithmic axes: the data and their fits, with the verdict of
// each law as title. A series has a panel of its own; more than three of one law that holds for all share one.
type Picture struct {
	Name     string // of the file, without its ending: "claim-09", "claim-03-2"
	X, Y     string // the quantities
	Findings []*bench.Finding
	Dropped  int // points that have no logarithm, and are not drawn

	axes map[string]axis
}

// Pictures returns the pictures of a claim: one for each pair of quantities that its series have, without those that
// no point can be drawn of.
func Pictures(o *bench.Outcome) (out []Picture) {
	scales := axesOf(o.Findings)
	for _, all := range bench.Groups(o.Findings, func(f *bench.Finding) [2]string { return [2]string{f.X, f.Y} }) {
		p := Picture{X: all[0].X, Y: all[0].Y, Name: fileName(o.Claim), axes: scales}
		for _, f := range all {
			n := len(drawn(f))
			if p.Dropped += len(f.Points) - n; n > 0 {
				p.Findings = append(p.Findings, f)
			}
		}
		if len(out) > 0 {
			p.Name += fmt.Sprintf("-%d", len(out)+1)
		}
		if len(p.Findings) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// drawn are the measurements that have a place on logarithmic axes.
func drawn(f *bench.Finding) []bench.Measurement {
	return slices.DeleteFunc(slices.Clone(f.Points), func(m bench.Measurement) bool { return m.X <= 0 || m.Y <= 0 })
}

// fileName is the name of a claim's first picture.
func fileName(c *bench.Claim) string {
	if c.Number > 0 {
		return fmt.Sprintf("claim-%02d", c.Number)
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) || r < ' ' {
			return '-'
		}
		return r
	}, strings.TrimSuffix(c.Title, ".gram"))
}

// group is what findings have in common that one line of the title is of.
type group struct {
	role       bench.Role
	law        bench.Law
	If, absent string
}

func groupOf(f *bench.Finding) group { return group{f.Role, f.Law, f.If, f.Without} }

// titles returns a line for each law in the picture, with its verdict. Evidence comes first.
func (p *Picture) titles() []string {
	begin := map[bench.Role]string{bench.Stronger: "A stronger statement: ", bench.Printed: "As printed, ",
		bench.Contrast: "Contrast: "}
	var first, rest []string
	for _, all := range bench.Groups(p.Findings, groupOf) {
		worst, g := slices.MaxFunc(all, (*bench.Finding).Compare), groupOf(all[0])
		line := law(worst.Series) + ": " + string(worst.Verdict)
		if len(all) > 1 {
			line += fmt.Sprintf(" for %d series", len(all))
		}
		switch {
		case g.role == bench.Evidence:
			first = append(first, line)
		case g.absent != "":
			rest = append(rest, "Without "+g.absent+", "+line)
		default:
			rest = append(rest, begin[g.role]+line)
		}
	}
	return append(first, rest...)
}

// fitted is what was fitted to series of one law, the least and the most, x being the quantity of the horizontal axis;
// "" if nothing was.
func fitted(all []*bench.Finding) string {
	low, high, most := math.Inf(1), math.Inf(-1), 0.0
	for _, f := range all {
		low, high, most = min(low, f.Exponent), max(high, f.Exponent), max(most, f.Constant)
	}
	exponents := signed(low, 2)
	if other := signed(high, 2); other != exponents {
		exponents += " … " + other
	}
	switch law := all[0].Law; {
	case law.Kind == bench.Equal:
		return "equal"
	case law.Kind == bench.Below:
		return fmt.Sprintf("at most %.2f of it", most)
	case !all[0].Fitted:
		return ""
	case law.Kind == bench.Exponential:
		return fmt.Sprintf("~ 2^(%s·x)", exponents)
	default:
		return "~ x^" + exponents + strings.Repeat("·log x", law.Logs)
	}
}

// panels are the findings of each panel: those of one law that holds are together, if there are more than a row of
// them.
func (p *Picture) panels() (out [][]*bench.Finding) {
	equal := map[group][]*bench.Finding{}
	for _, f := range p.Findings {
		if f.Verdict == bench.Holds {
			equal[groupOf(f)] = append(equal[groupOf(f)], f)
		}
	}
	for _, f := range p.Findings {
		switch all := equal[groupOf(f)]; {
		case f.Verdict != bench.Holds || len(all) <= columns:
			out = append(out, []*bench.Finding{f})
		case f == all[0]:
			out = append(out, all)
		}
	}
	return out
}

// Sizes in pixels. A picture is as wide as a phone in landscape shows without scaling.
const (
	columns   = 3 // of panels
	width     = 480.0
	inset     = 46.0 // for the numbers of the upward axis
	gap       = 8.0
	line      = 14.0
	letter    = 5.2 // the mean width of a letter, a little more
	heading   = 2*line + 6
	panelHigh = 80.0
	alone     = 200.0 // the height of a panel that is the only one
)

// classOf is the class of a series.
func classOf(f *bench.Finding) string {
	if f.Role == bench.Printed || f.Role == bench.Stronger {
		return "broken"
	}
	return string(f.Role)
}

// label is a text of a picture; Anchor is where (X, Y) is: start, middle or end.
type label struct {
	Class, Anchor string
	X, Y          float64
	Text          string
}

// wrapped breaks a text where words end into lines that are at most so wide.
func wrapped(text string, wide float64) (lines []string) {
	most := int(wide / letter)
	for _, w := range strings.Fields(text) {
		if n := len(lines); n > 0 && utf8.RuneCountInString(lines[n-1]+w) < most {
			lines[n-1] += " " + w
		} else {
			lines = append(lines, w)
		}
	}
	return lines
}

// shortened cuts a text to a width.
func shortened(text string, wide float64) string {
	if letters, most := []rune(text), int(wide/letter); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}

// SVG draws the picture as SVG, in light colours or, for readers who prefer them, in dark ones. Evidence has solid
// lines and full marks, what it is held against dashed lines and hollow marks. The same outcome gives the same bytes.
func (p *Picture) SVG() []byte {
	groups := p.panels()
	var labels []label
	class := "words bold"
	for _, title := range p.titles() {
		for _, text := range wrapped(title, 0.9*width) {
			labels = append(labels, label{class, "start", gap, line * float64(len(labels)+1), text})
		}
		class = "quiet"
	}
	across, high := (width-inset)/columns, panelHigh
	if len(groups) == 1 {
		across, high = width-inset, alone
	}
	rows := (len(groups) + columns - 1) / columns
	top := float64(len(labels)+2)*line + gap
	height := top + float64(rows)*(heading+high) + 3*line
	labels = append(labels, label{"quiet", "start", gap, top - gap, shortened(p.Y, width-2*gap)},
		label{"quiet", "middle", (inset + width) / 2, height - gap, shortened(p.X, width-2*gap)})
	var panels []*panel
	for i, all := range groups {
		left, y := inset+float64(i%columns)*across, top+float64(i/columns)*(heading+high)+heading
		panels = append(panels, &panel{Labels: headings(all, left, y, across-gap), Findings: all,
			First: i%columns == 0, Last: i+columns >= len(groups), x: p.axes[p.X], y: p.axes[p.Y],
			Left: left, Right: left + across - 2*gap, Bottom: y + high, Top: y})
	}
	text, err := execute("picture.svg.tmpl",
		map[string]any{"Width": width, "Height": height, "Labels": labels, "Panels": panels})
	if err != nil {
		panic(err) // the template is wrong
	}
	return text
}

// headings are the name of a panel, in two lines at most, and what was fitted.
func headings(all []*bench.Finding, left, y, wide float64) (out []label) {
	name := all[0].Name
	if len(all) > 1 {
		name = fmt.Sprintf("%d series", len(all))
	}
	lines := wrapped(name, wide)
	if len(lines) > 2 {
		lines = []string{lines[0], shortened(strings.Join(lines[1:], " "), wide)}
	}
	for k, l := range lines {
		out = append(out, label{classOf(all[0]), "start", left, y - 6 - 11*float64(len(lines)-k), l})
	}
	return append(out, label{"quiet", "start", left, y - 5, fitted(all)})
}

// panel is a part of a picture with axes.
type panel struct {
	Labels                   []label
	Findings                 []*bench.Finding
	First, Last              bool // it is the first of a row; there is none below it
	x, y                     axis
	Left, Right, Bottom, Top float64
}

// AtX and AtY are the places of a number on the axes, MarksX and MarksY the numbers that these mark.
func (p *panel) AtX(v float64) float64 { return p.x.at(v, p.Left, p.Right) }
func (p *panel) AtY(v float64) float64 { return p.y.at(v, p.Bottom, p.Top) }
func (p *panel) MarksX() []float64     { return p.x.marks(int((p.Right - p.Left) / 40)) }
func (p *panel) MarksY() []float64     { return p.y.marks(int((p.Bottom - p.Top) / 25)) }

// curvePoints is how many points a fitted curve is drawn through.
const curvePoints = 20

// Curve is the points of the fit of a finding; "" if it has less than two.
func (p *panel) Curve(f *bench.Finding) string {
	from, to, ok := f.Range()
	var curve []string
	for i := range curvePoints {
		x := from * math.Pow(to/from, float64(i)/(curvePoints-1))
		if y, there := f.Curve(x); ok && there && y > 0 && !math.IsInf(y, 0) {
			curve = append(curve, pixels(p.AtX(x))+","+pixels(p.AtY(y)))
		}
	}
	if len(curve) < 2 {
		return ""
	}
	return strings.Join(curve, " ")
}

// pixels prints the sum of some lengths.
func pixels(lengths ...float64) string { return fmt.Sprintf("%.1f", floats.Sum(lengths)) }

// axis is a logarithmic axis.
type axis struct{ least, most float64 } // the logarithms of its ends, to base 10

// axesOf returns the axes for what is drawn of the findings by the quantities that they show, each a decade long or
// longer, with a little room. A quantity has one scale on all pictures of a claim.
func axesOf(findings []*bench.Finding) map[string]axis {
	shown := map[string][]float64{}
	for _, f := range findings {
		for _, p := range drawn(f) {
			shown[f.X], shown[f.Y] = append(shown[f.X], p.X), append(shown[f.Y], p.Y)
			if f.Timed && p.Low > 0 {
				shown[f.Y] = append(shown[f.Y], p.Low, p.High)
			}
		}
		if from, to, ok := f.Range(); ok { // a bound lies beyond the data
			for _, x := range []float64{from, to} {
				if y, ok := f.Curve(x); ok && y > 0 && !math.IsInf(y, 0) {
					shown[f.Y] = append(shown[f.Y], y)
				}
			}
		}
	}
	all := map[string]axis{}
	for q, vs := range shown {
		least, most := math.Log10(slices.Min(vs)), math.Log10(slices.Max(vs))
		room := max(0.04*(most-least), (1-(most-least))/2)
		all[q] = axis{least - room, most + room}
	}
	return all
}

// at returns the place of v on a line from low to high.
func (a axis) at(v float64, low, high float64) float64 {
	return low + (math.Log10(v)-a.least)/(a.most-a.least)*(high-low)
}

// marks returns what an axis with room for n numbers marks: powers of ten and, on a short axis, 2 and 5 times them.
func (a axis) marks(n int) []float64 {
	every := 1 + int(a.most-a.least)/n
	var out []float64
	for e := int(math.Floor(a.least)); e <= int(a.most); e++ {
		for _, m := range []float64{1, 2, 5} {
			v := m * math.Pow10(e)
			if l := math.Log10(v); l < a.least || l > a.most || m != 1 && (a.most-a.least)*3 > float64(n) || e%every != 0 {
				continue
			}
			out = append(out, v)
		}
	}
	return out
}

// markText prints a mark of an axis: 500, 2·10⁶.
func markText(v float64) string {
	e := int(math.Floor(math.Log10(v) + 1e-9))
	if e >= -2 && e <= 3 {
		return strconv.FormatFloat(v, 'f', max(0, -e), 64)
	}
	power := "10" + raised.Replace(strconv.Itoa(e))
	if m := math.Round(v / math.Pow10(e)); m != 1 {
		return strconv.Itoa(int(m)) + "·" + power
	}
	return power
}

// raised makes digits exponents.
var raised = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶",
	"7", "⁷", "8", "⁸", "9", "⁹")
