package result

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/lang/load"
)

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
		var path strings.Builder
		every := 1 + (len(c.Loss)-1)/mostPoints
		for k, loss := range c.Loss {
			if k%every == 0 || k == len(c.Loss)-1 {
				fmt.Fprintf(&path, "%c%s %s", "ML"[min(k, 1)], x(c.At[k]), place(y(loss)))
			}
		}
		at := y(c.Loss[len(c.Loss)-1]) + 4
		if math.Abs(at-nameY) < 22 {
			if at = nameY + 22; at > float64(p.Bottom) {
				at = nameY - 22
			}
		}
		nameY = at
		p.Lines = append(p.Lines, plotLine{c.Name, "curve" + strconv.Itoa(i%2), path.String(), place(at),
			x(c.At[c.Best]), place(y(c.Loss[c.Best])), false})
	}
	marks := rounded(from, to)
	if logarithmic {
		marks = nil
		for k := range 5 {
			marks = append(marks, math.Exp(from+(to-from)*float64(k)/4))
		}
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
