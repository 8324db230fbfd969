package show

import (
	"slices"
	"strconv"
)

// Box is a node that has been placed: its centre and its size.
type Box struct{ X, Y, Width, Height float64 }

// least is the least distance, in pixels, over which a curve keeps straight at its ends.
const least = 16

// Curve returns the data of an SVG path from the right side of a box to the left side of another, smooth, and
// perpendicular to the layers at its ends and at the points via, those of [Layout.Via]: cubic curves to the first of
// them, from the second to the third and so on, and straight pieces between. Control points are half as far from the
// ends as these from each other. The page of package explore draws the same curves.
func Curve(from, to Box, via ...Point) string {
	ends := slices.Concat([]Point{{from.X + from.Width/2, from.Y}}, via, []Point{{to.X - to.Width/2, to.Y}})
	path := coordinates([]byte{'M'}, ends[0])
	for i := 0; i+1 < len(ends); i += 2 {
		a, b := ends[i], ends[i+1]
		if i > 0 {
			path = coordinates(append(path, 'L'), a)
		}
		d := max(b.X-a.X, a.X-b.X, 2*least) / 2
		path = coordinates(append(path, 'C'), Point{a.X + d, a.Y}, Point{b.X - d, b.Y}, b)
	}
	return string(path)
}

// coordinates appends points, with one digit behind the point at most.
func coordinates(path []byte, points ...Point) []byte {
	for i, p := range points {
		if i > 0 {
			path = append(path, ' ')
		}
		path = strconv.AppendFloat(path, tenths(p.X), 'f', -1, 64)
		path = append(path, ' ')
		path = strconv.AppendFloat(path, tenths(p.Y), 'f', -1, 64)
	}
	return path
}
