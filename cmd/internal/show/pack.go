package show

import (
	"cmp"
	"math"
	"slices"
)

// aspect is about the ratio of width to height of all parts together.
const aspect = 1.6

// pack places boxes in rows, the highest first. Below a box that is lower than its row there may
// be others. It returns the upper left corners of the boxes, and the size of all.
func pack(boxes []Node, gap float64) (corners []Point, all Node) {
	var widest, area float64
	byHeight := make([]int, len(boxes))
	for i, b := range boxes {
		byHeight[i] = i
		widest = max(widest, b.Width)
		area += (b.Width + gap) * (b.Height + gap)
	}
	slices.SortStableFunc(byHeight, func(i, j int) int { return cmp.Compare(boxes[j].Height, boxes[i].Height) })
	wide := max(widest, math.Sqrt(aspect*area)-gap)

	corners = make([]Point, len(boxes))
	var row, column, next Point // upper left corners; next is where the column goes on
	var width float64           // of the column
	var bottom float64          // of the row
	for k, i := range byHeight {
		b := boxes[i]
		switch {
		case k > 0 && b.Width <= width && next.Y+b.Height <= bottom:
		case k > 0 && column.X+width+gap+b.Width <= wide:
			column = Point{column.X + width + gap, row.Y}
			next, width = column, b.Width
		default:
			if k > 0 {
				row.Y = bottom + gap
			}
			column, next, width, bottom = row, row, b.Width, row.Y+b.Height
		}
		corners[i] = next
		next.Y += b.Height + gap
		all.Width, all.Height = max(all.Width, corners[i].X+b.Width), max(all.Height, corners[i].Y+b.Height)
	}
	return corners, all
}
