package result

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// Points are predictions of a fit, and what they are compared with.
type Points struct {
	Name  string
	Pairs []float64 // a prediction, its datum, the next prediction, …
	// Of a classifier, whose data are 0 and 1 and whose predictions are probabilities: the shares of true and of false
	// positives at falling thresholds, and the area under them.
	True, False []float64
	Area        float64
}

// newPredictions draws predictions: of a classifier its calibration and its ROC, and else predictions against data, and
// residuals.
func newPredictions(all []Points) []*plot {
	pairs, leftOut := finitePairs(all)
	switch {
	case len(slices.Concat(pairs...)) == 0:
		return nil
	case slices.ContainsFunc(all, func(p Points) bool { return p.True != nil }):
		return []*plot{newCalibration(all, pairs, leftOut), newROC(all)}
	}
	return []*plot{newScatter(all, pairs, leftOut), newResiduals(all, pairs)}
}

// finitePairs returns the pairs whose difference is finite, and what a note says of the others.
func finitePairs(all []Points) (pairs [][]float64, leftOut string) {
	pairs = make([][]float64, len(all))
	left := 0
	for i, points := range all {
		for pair := range slices.Chunk(points.Pairs, 2) {
			if max(math.Abs(pair[0]), math.Abs(pair[1])) < math.MaxFloat64/4 {
				pairs[i] = append(pairs[i], pair...)
			} else {
				left++
			}
		}
	}
	if left > 0 {
		leftOut = fmt.Sprintf(" %s with a number that is not finite left out.", load.Counted(left, "pair"))
	}
	return pairs, leftOut
}

// span is a range of numbers.
type span struct{ low, high float64 }

// add extends s by x.
func (s *span) add(x float64) { s.low, s.high = min(s.low, x), max(s.high, x) }

// wider is s with a margin at both ends.
func (s span) wider(least float64) span {
	margin := max((s.high-s.low)/40, least)
	if s.high == s.low {
		margin = 0.5
	}
	return span{s.low - margin, s.high + margin}
}

var nothing = span{math.Inf(1), math.Inf(-1)}

// newSquare returns a plot without points, whose axes go over the numbers of across and up, and how it places them.
func newSquare(label, acrossName, upName string, across, up span) (p *plot, x, y func(float64) string) {
	p = &plot{Width: 620, Height: 482, Left: 90, Right: 510, Top: 10, Bottom: 430, Label: label, AcrossName: acrossName,
		UpName: upName}
	x = func(v float64) string {
		return place(float64(p.Left) + (v-across.low)/(across.high-across.low)*float64(p.Right-p.Left))
	}
	y = func(v float64) string {
		return place(float64(p.Bottom) - (v-up.low)/(up.high-up.low)*float64(p.Bottom-p.Top))
	}
	for _, at := range rounded(across.low, across.high) {
		p.Across = append(p.Across, mark{x(at), markText(at)})
	}
	for _, at := range rounded(up.low, up.high) {
		p.Up = append(p.Up, mark{y(at), markText(at)})
	}
	return p, x, y
}

// draw adds a path for part i, with its name.
func (p *plot) draw(name string, i int, path string, dots bool) {
	p.Lines = append(p.Lines, plotLine{Name: name, Class: "curve" + strconv.Itoa(i%2), NameY: strconv.Itoa(24 + 22*i),
		Path: path, Dots: dots})
}

// fewData is how many different data are drawn as columns, in which points with the same datum stand side by side.
const fewData = 10

// newScatter draws predictions against data, both on the same scale.
func newScatter(all []Points, pairs [][]float64, leftOut string) *plot {
	on, data := nothing, map[float64]bool{}
	var differences []string
	for i, part := range pairs {
		squares, n := 0.0, len(part)/2
		for pair := range slices.Chunk(part, 2) {
			on.add(pair[0])
			on.add(pair[1])
			data[pair[1]] = true
			squares += (pair[0] - pair[1]) * (pair[0] - pair[1])
		}
		if n > 0 {
			differences = append(differences, fmt.Sprintf("%s %s, of %s", all[i].Name,
				markText(math.Sqrt(squares/float64(n))), load.Counted(n, "pair")))
		}
	}
	note, column := "On the line they are equal."+leftOut, 0.0
	if len(data) <= fewData {
		column = (on.high - on.low) / float64(2*len(data))
		note += " Points with the same datum stand side by side."
	}
	on = on.wider(column / 2)
	p, x, y := newSquare("Predictions against data", "data", "prediction", on, on)
	p.Note = note + " Root mean square of the differences: " + strings.Join(differences, "; ") + "."
	p.Diagonal = fmt.Sprintf("M%d %dL%d %d", p.Left, p.Bottom, p.Right, p.Top)
	for i, part := range pairs {
		if len(part) > 0 {
			p.draw(all[i].Name, i, dots(part, func(prediction, datum, aside float64) string {
				return x(datum+column*aside) + " " + y(prediction)
			}), true)
		}
	}
	return p
}

// newResiduals draws what is left of the data, less the predictions, against the predictions.
func newResiduals(all []Points, pairs [][]float64) *plot {
	across, up := nothing, nothing
	up.add(0)
	for _, part := range pairs {
		for pair := range slices.Chunk(part, 2) {
			across.add(pair[0])
			up.add(pair[1] - pair[0])
		}
	}
	p, x, y := newSquare("Residuals against predictions", "prediction", "residual", across.wider(0), up.wider(0))
	p.Note = "A residual is a datum less its prediction."
	p.Diagonal = fmt.Sprintf("M%d %sH%d", p.Left, y(0), p.Right)
	for i, part := range pairs {
		if len(part) > 0 {
			p.draw(all[i].Name, i, dots(part, func(prediction, datum, _ float64) string {
				return x(prediction) + " " + y(datum-prediction)
			}), true)
		}
	}
	return p
}

// probabilities are the numbers of an axis.
var probabilities = span{0, 1}.wider(0)

// calibrationBins is how many parts of the predictions a calibration has.
const calibrationBins = 10

// newCalibration draws, for tenths of the predictions, in their order, how often the class was 1 against the mean
// prediction.
func newCalibration(all []Points, pairs [][]float64, leftOut string) *plot {
	p, x, y := newSquare("Calibration", "predicted probability", "share of class 1", probabilities, probabilities)
	p.Note = fmt.Sprintf("Each point is a part of the rows, at most %d of equal sizes in the order of their "+
		"predictions. On the line predictions are right on average.", calibrationBins) + leftOut
	p.Diagonal = "M" + x(0) + " " + y(0) + "L" + x(1) + " " + y(1)
	for i, part := range pairs {
		rows := slices.Collect(slices.Chunk(part, 2))
		sort.SliceStable(rows, func(i, j int) bool { return rows[i][0] < rows[j][0] })
		bins := min(calibrationBins, len(rows))
		var means []float64 // of the predictions and of the data of each bin, a prediction before its datum
		for k := range bins {
			bin := rows[k*len(rows)/bins : (k+1)*len(rows)/bins]
			predicted, ones, n := 0.0, 0.0, float64(len(bin))
			for _, row := range bin {
				predicted, ones = predicted+row[0], ones+row[1]
			}
			means = append(means, predicted/n, ones/n)
		}
		if bins > 0 {
			p.draw(all[i].Name, i, line(bins, func(k int) string { return x(means[2*k]) + " " + y(means[2*k+1]) }), false)
			p.draw("", i, dots(means, func(predicted, ones, _ float64) string { return x(predicted) + " " + y(ones) }), true)
		}
	}
	return p
}

// newROC draws the shares of true positives against those of false ones.
func newROC(all []Points) *plot {
	p, x, y := newSquare("Receiver operating characteristic", "false positives, of class 0", "true positives, of class 1",
		probabilities, probabilities)
	p.Diagonal = "M" + x(0) + " " + y(0) + "L" + x(1) + " " + y(1)
	var areas []string
	for i, points := range all {
		if points.True == nil {
			continue
		}
		p.draw(points.Name, i, line(len(points.True), func(k int) string {
			return x(points.False[k]) + " " + y(points.True[k])
		}), false)
		areas = append(areas, points.Name+" "+markText(points.Area))
	}
	p.Note = "Predictions that say nothing are on the line. Area under the curve: " + strings.Join(areas, "; ") + "."
	return p
}

// line draws a path through n points, or a part of them if there are very many. at gives a point's place.
func line(n int, at func(k int) string) string {
	var path strings.Builder
	every := 1 + (n-1)/mostPoints
	for k := range n {
		if k%every == 0 || k == n-1 {
			fmt.Fprintf(&path, "%c%s", "ML"[min(k, 1)], at(k))
		}
	}
	return path.String()
}

// dots draws pairs as points of a path: a part of them if there are very many. at gives a point's place, from a number
// between −½ and ½ that puts it aside.
func dots(pairs []float64, at func(prediction, datum, aside float64) string) string {
	var path strings.Builder
	every := 1 + (len(pairs)/2-1)/(2*mostPoints)
	for i := 0; i < len(pairs); i += 2 * every {
		_, aside := math.Modf(float64(i/2) * math.Phi)
		fmt.Fprintf(&path, "M%sh0", at(pairs[i], pairs[i+1], aside-0.5))
	}
	return path.String()
}

// Curve is a loss by the iterations at which it was measured.
type Curve struct {
	Name string
	At   []int
	Loss []float64 // finite numbers, as many
	Best int       // the index of the result
}

// plot is a drawing of curves, with the losses on a logarithmic scale where they are positive and far apart; or of
// dots.
type plot struct {
	Width, Height            int
	Left, Right, Top, Bottom int // of the frame
	Label, Note              string
	Lines                    []plotLine
	Across, Up               []mark // of the axes: of the iterations and of the losses
	AcrossName, UpName       string // what the axes are
	Diagonal                 string // a path, where both axes have the same number
}

// Places of texts beside the frame.
func (p *plot) MarkX() int  { return p.Left - 8 }
func (p *plot) MarkY() int  { return p.Bottom + 20 }
func (p *plot) NameX() int  { return p.Right + 8 }
func (p *plot) AxisY() int  { return p.Bottom + 44 }
func (p *plot) Middle() int { return (p.Left + p.Right) / 2 }
func (p *plot) Centre() int { return (p.Top + p.Bottom) / 2 }

// plotLine is a curve, its name beside its end, and its best point.
type plotLine struct {
	Name, Class, Path string
	NameY             string
	BestX, BestY      string // "": there is none
	Dots              bool   // the path has points, not a line
}

// mark is a number at a place of an axis.
type mark struct{ At, Text string }

// mostPoints is how many points of a curve are drawn at most.
const mostPoints = 1000

func newPlot(curves []Curve) *plot {
	p := &plot{Width: 700, Height: 286, Left: 90, Right: 600, Top: 10, Bottom: 235, AcrossName: "iteration"}
	low, high, last := math.Inf(1), math.Inf(-1), 1
	for _, c := range curves {
		for i, y := range c.Loss {
			low, high, last = min(low, y), max(high, y), max(last, c.At[i])
		}
	}
	logarithmic, scale := low > 0 && high/low > 20, func(y float64) float64 { return y }
	p.Label, p.Note = "Loss by iteration", "A dot is the result."
	if logarithmic {
		scale = math.Log
		p.Label += ", on a logarithmic scale"
	}
	from, to := scale(low), scale(high)
	if to <= from {
		from, to = from-0.5, to+0.5
	}
	x := func(at int) string { return place(float64(p.Left) + float64(at)/float64(last)*float64(p.Right-p.Left)) }
	y := func(loss float64) float64 {
		return float64(p.Bottom) - (scale(loss)-from)/(to-from)*float64(p.Bottom-p.Top)
	}
	nameY := math.Inf(-1)
	for i, c := range curves {
		path := line(len(c.Loss), func(k int) string { return x(c.At[k]) + " " + place(y(c.Loss[k])) })
		at := y(c.Loss[len(c.Loss)-1]) + 4
		if math.Abs(at-nameY) < 22 {
			if at = nameY + 22; at > float64(p.Bottom) {
				at = nameY - 22
			}
		}
		nameY = at
		p.Lines = append(p.Lines, plotLine{c.Name, "curve" + strconv.Itoa(i%2), path, place(at),
			x(c.At[c.Best]), place(y(c.Loss[c.Best])), false})
	}
	marks := rounded(from, to)
	if logarithmic {
		marks = syntax.Each(5, func(k int) float64 { return math.Exp(from + (to-from)*float64(k)/4) })
	}
	for _, loss := range marks {
		p.Up = append(p.Up, mark{place(y(loss)), markText(loss)})
	}
	for _, at := range rounded(0, float64(last)) {
		if at == math.Trunc(at) {
			p.Across = append(p.Across, mark{x(int(at)), load.Grouped(uint64(at))})
		}
	}
	return p
}

func markText(x float64) string {
	return strings.ReplaceAll(strconv.FormatFloat(x, 'g', 4, 64), "-", "−")
}

// rounded returns some numbers between low and high that are easily read.
func rounded(low, high float64) []float64 {
	size := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	step := size
	for _, times := range []float64{2, 5, 10} {
		if (high-low)/step > 6 {
			step = size * times
		}
	}
	var out []float64
	for k := range 8 {
		if x := (math.Ceil(low/step) + float64(k)) * step; x <= high {
			out = append(out, x+0) // no negative 0
		}
	}
	return out
}

// place is a coordinate, to a tenth of a pixel.
func place(x float64) string { return strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64) }
