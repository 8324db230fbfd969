package bench

import (
	"context"

	"github.com/gram-machine/gram/bench/family"
)

// linear is the law y = Θ(x).
var linear = Law{Kind: Power, Power: 1}

// seriesOf is one series for each family, with its name, of one law and one measurement.
func seriesOf(families []family.Family, role Role, law Law, x, y string, measure func(family.Family) func(context.Context, int) (Point, error)) []Series {
	var out []Series
	for _, f := range families {
		out = append(out, Series{Name: f.Name, Role: role, Law: law, X: x, Y: y, Quick: f.Quick, Full: f.Full, Measure: measure(f)})
	}
	return out
}
