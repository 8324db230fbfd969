package htmlreport

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/internal/notation"
)

// Points are predictions of a fit, and what they are compared with.
type Points struct {
	Name  string
	Pairs []float64 // a prediction, its datum, the next prediction, …
}

// fewData is how many different data are drawn as columns, in which points with the same datum stand side by side.
const fewData = 10

// newScatter draws predictions against data, both on the same scale. It returns nil if no pair is finite.
func newScatter(all []Points) *plot {
	p := &plot{Width: 700, Height: 470, Left: 90, Right: 510, Top: 10, Bottom: 430, Label: "Predictions against data",
		UpName: "prediction", AcrossName: "data",
		Note: "On the line they are equal."}
	low, high := math.Inf(1), math.Inf(-1)
	data := map[float64]bool{}
	pairs, left := make([][]float64, len(all)), 0
	for i, points := range all {
		for pair := range slices.Chunk(points.Pairs, 2) {
			if most := max(math.Abs(pair[0]), math.Abs(pair[1])); most < math.MaxFloat64/4 { // differences are finite
				low, high = min(low, pair[0], pair[1]), max(high, pair[0], pair[1])
				pairs[i], data[pair[1]] = append(pairs[i], pair...), true
			} else {
				left++
			}
		}
	}
	if len(data) == 0 {
		return nil
	}
	if left > 0 {
		p.Note += fmt.Sprintf(" %s with a number that is not finite left out.", notation.Counted(left, "pair"))
	}
	column := 0.0
	if len(data) <= fewData {
		column = (high - low) / float64(2*len(data))
		p.Note += " Points with the same datum stand side by side."
	}
	margin := max((high-low)/40, column/2)
	if high == low {
		margin = 0.5
	}
	low, high = low-margin, high+margin
	size := float64(p.Right - p.Left)
	x := func(datum float64) string { return place(float64(p.Left) + (datum-low)/(high-low)*size) }
	y := func(number float64) string { return place(float64(p.Bottom) - (number-low)/(high-low)*size) }
	var differences []string
	for i, points := range pairs {
		if len(points) == 0 {
			continue
		}
		line := plotLine{Name: all[i].Name, Class: "curve" + strconv.Itoa(i%2), NameY: strconv.Itoa(24 + 22*i),
			Path: dots(points, column, x, y)}
		p.Lines = append(p.Lines, line)
		differences = append(differences,
			fmt.Sprintf("%s %s, of %s", line.Name, markText(rootMeanSquare(points)),
				notation.Counted(len(points)/2, "pair")))
	}
	p.Note += " Root mean square of the differences: " + strings.Join(differences, "; ") + "."
	for _, at := range rounded(low, high) {
		p.Up, p.Across = append(p.Up, mark{y(at), markText(at)}), append(p.Across, mark{x(at), markText(at)})
	}
	p.Diagonal = fmt.Sprintf("M%d %dL%d %d", p.Left, p.Bottom, p.Right, p.Top)
	return p
}

// dots draws pairs as points of a path: a part of them if there are very many. Points of a column stand within its
// width.
func dots(pairs []float64, column float64, x, y func(float64) string) string {
	var path strings.Builder
	every := 1 + (len(pairs)/2-1)/(2*mostPoints)
	for i := 0; i < len(pairs); i += 2 * every {
		_, aside := math.Modf(float64(i/2) * math.Phi)
		fmt.Fprintf(&path, "M%s %sh0", x(pairs[i+1]+column*(aside-0.5)), y(pairs[i]))
	}
	return path.String()
}

// rootMeanSquare is that of the differences of pairs.
func rootMeanSquare(pairs []float64) float64 {
	total := 0.0
	for pair := range slices.Chunk(pairs, 2) {
		total += (pair[0] - pair[1]) * (pair[0] - pair[1])
	}
	return math.Sqrt(total / float64(len(pairs)/2))
}
