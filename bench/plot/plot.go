// Package plot draws the measurements of a claim on logarithmic axes: the data, their fits, and the 95 % band of each
// fit. The title of a picture is the verdict. Up to four series share a panel, with their names at the curves; more have
// a panel each, but those of one law that holds for all are one: their points, and a band. Evidence has solid lines and full marks, what it is held against has dashed lines and hollow marks. The
// colours are darker ones of Okabe and Ito, which the colour-blind tell apart. The same outcome gives the same bytes.
package plot

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/gram-machine/gram/bench"
)

// Picture is what is drawn of one pair of quantities.
type Picture struct {
	Name     string // of the file, without its ending: "claim-09", "claim-03-2"
	X, Y     string // the quantities
	Findings []*bench.Finding
	Dropped  int // points that have no logarithm, and are not drawn

	axes axes
}

// Pictures returns the pictures of a claim: one for each pair of quantities that its series have, without those that
// no point can be drawn of.
func Pictures(o *bench.Outcome) []Picture {
	var all []Picture
	scales := axesOf(o.Findings)
	for i := range o.Findings {
		f := &o.Findings[i]
		at := slices.IndexFunc(all, func(p Picture) bool { return p.X == f.X && p.Y == f.Y })
		if at < 0 {
			at = len(all)
			all = append(all, Picture{X: f.X, Y: f.Y, axes: scales})
		}
		drawn := 0
		for _, m := range f.Points {
			if drawable(m) {
				drawn++
			}
		}
		all[at].Dropped += len(f.Points) - drawn
		if drawn > 0 {
			all[at].Findings = append(all[at].Findings, f)
		}
	}
	out := slices.DeleteFunc(all, func(p Picture) bool { return len(p.Findings) == 0 })
	for i := range out {
		out[i].Name = fileName(o.Claim, i)
	}
	return out
}

// drawable reports whether the measurement has a place on logarithmic axes.
func drawable(m bench.Measurement) bool { return m.X > 0 && m.Y > 0 }

// fileName is the name of a claim's picture with the index.
func fileName(c *bench.Claim, index int) string {
	name := fmt.Sprintf("claim-%02d", c.Number)
	if c.Number == 0 {
		name = strings.Map(func(r rune) rune {
			if strings.ContainsRune(`/\:*?"<>| `, r) || r < ' ' {
				return '-'
			}
			return r
		}, strings.TrimSuffix(c.Title, ".gram"))
	}
	if index > 0 {
		name += fmt.Sprintf("-%d", index+1)
	}
	return name
}

// SVG draws the picture as SVG, in light colours or, for readers who prefer them, in dark ones.
func (p *Picture) SVG() ([]byte, error) {
	s := p.sheet()
	c := vgsvg.NewWith(vgsvg.UseWH(width, s.height))
	s.draw(draw.New(c))
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, err
	}
	svg := strings.ReplaceAll(out.String(), "font-family:Liberation Sans;font-variant:normal;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
	return []byte(strings.Replace(svg, "<g ", darkStyle()+"<g ", 1)), nil
}
