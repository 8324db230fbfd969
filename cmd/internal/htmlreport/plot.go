package htmlreport

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Curve is a loss by the iterations at which it was measured.
type Curve struct {
	Name string
	At   []int
	Loss []float64 // finite numbers, as many
	Best int       // the index of the result
}

// plot is a drawing of curves, with the losses on a logarithmic scale where they are positive and far apart.
type plot struct {
	Width, Height            int
	Left, Right, Top, Bottom int // of the frame
	Label                    string
	Lines                    []plotLine
	Across, Up               []mark // of the iterations and of the losses
}

// plotLine is a curve, its name beside its end, and its best point.
type plotLine struct {
	Name, Class, Path string
	NameY             string
	BestX, BestY      string
}

// mark is a number at a place of an axis.
type mark struct{ At, Text string }

// mostPoints is how many points of a curve are drawn at most.
const mostPoints = 1000

func newPlot(curves []Curve) *plot {
	p := &plot{Width: 700, Height: 270, Left: 90, Right: 600, Top: 10, Bottom: 235}
	low, high, last := math.Inf(1), math.Inf(-1), 1
	for _, c := range curves {
		for i, y := range c.Loss {
			low, high, last = min(low, y), max(high, y), max(last, c.At[i])
		}
	}
	scale, back := func(y float64) float64 { return y }, func(y float64) float64 { return y }
	p.Label = "Loss by iteration"
	if low > 0 && high/low > 20 {
		scale, back = math.Log, math.Exp
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
		var path strings.Builder
		every := 1 + (len(c.Loss)-1)/mostPoints
		for k, loss := range c.Loss {
			if k%every == 0 || k == len(c.Loss)-1 {
				fmt.Fprintf(&path, "%c%s %s", "ML"[min(k, 1)], x(c.At[k]), place(y(loss)))
			}
		}
		at := y(c.Loss[len(c.Loss)-1]) + 4
		if math.Abs(at-nameY) < 15 {
			if at = nameY + 15; at > float64(p.Bottom) {
				at = nameY - 15
			}
		}
		nameY = at
		p.Lines = append(p.Lines, plotLine{c.Name, "curve" + strconv.Itoa(i%2), path.String(), place(at), x(c.At[c.Best]), place(y(c.Loss[c.Best]))})
	}
	for k := range 5 {
		loss := back(from + (to-from)*float64(k)/4)
		p.Up = append(p.Up, mark{place(y(loss)), strings.ReplaceAll(strconv.FormatFloat(loss, 'g', 4, 64), "-", "−")})
		at := last * k / 4
		p.Across = append(p.Across, mark{x(at), strconv.Itoa(at)})
	}
	return p
}

// place is a coordinate, to a tenth of a pixel.
func place(x float64) string { return strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64) }
