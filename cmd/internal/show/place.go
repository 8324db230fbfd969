package show

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strconv"
)

// Node is the size of a node's box in pixels.
type Node struct{ Width, Height float64 }

// Edge puts the node From in an earlier layer than the node To. Nodes are named by their index.
type Edge struct{ From, To int }

// Options are distances in pixels.
type Options struct {
	NodeGap  float64 // between nodes of one layer, and between parts of the graph
	LayerGap float64 // between layers, for the edges
}

// Point is a place in the picture, in pixels.
type Point struct{ X, Y float64 }

// Layout says where the nodes are, in a picture whose upper left corner is (0, 0).
type Layout struct {
	X, Y          []float64 // centres
	Width, Height float64
	// Via has a line for each edge: the points between which it keeps straight while it passes the layers on its way, two
	// for each piece, for Curve. An edge to the next layer has none.
	Via [][]Point
}

// Place places nodes from left to right: operands are left of the nodes that use them. Boxes do not overlap, and unless
// the edges form cycles, each edge bridges at least LayerGap. Coordinates are multiples of a tenth.
func Place(nodes []Node, edges []Edge, opt Options) Layout {
	g := acyclic(len(nodes), edges)
	layers := g.layers()
	var parts []*component
	of, local := make([]*component, len(nodes)), make([]int, len(nodes))
	for _, members := range g.components() {
		for k, v := range members {
			local[v] = k
		}
		c := g.component(members, layers, local)
		c.draw(nodes, opt)
		parts = append(parts, c)
		for _, v := range members {
			of[v] = c
		}
	}
	all := pack(parts, opt.NodeGap)

	l := Layout{X: make([]float64, len(nodes)), Y: make([]float64, len(nodes)), Via: make([][]Point, len(edges)),
		Width: all.Width, Height: all.Height}
	for v, c := range of {
		at := c.at(local[v], 0)
		l.X[v], l.Y[v] = at.X, at.Y
	}
	for i, e := range edges {
		l.Via[i] = of[e.From].via(Edge{local[e.From], local[e.To]})
	}
	return l
}

// tenths rounds; there is no negative zero.
func tenths(x float64) float64 { return math.Round(x*10)/10 + 0 }

// draw places the vertices of a part, whose corner stays at (0, 0).
func (c *component) draw(nodes []Node, opt Options) {
	c.untangle()
	c.middle, c.depth = make([]float64, len(c.order)), make([]float64, len(c.order))
	height, gap := make([]float64, len(c.layer)), slices.Repeat([]float64{opt.NodeGap / 2}, len(c.layer))
	for k, v := range c.nodes { // a bend has no size, and takes half the place
		height[k], gap[k] = nodes[v].Height, opt.NodeGap
		c.depth[c.layer[k]] = max(c.depth[c.layer[k]], nodes[v].Width)
	}
	for l, depth := range c.depth {
		c.middle[l] = c.box.Width + depth/2
		c.box.Width += depth + opt.LayerGap
	}
	c.box.Width -= opt.LayerGap
	c.place, c.box.Height = c.align(height, gap)
}

// at is the place of a vertex in the picture, or of a point before or behind it.
func (c *component) at(v int, off float64) Point {
	return Point{tenths(c.corner.X + c.middle[c.layer[v]] + off), tenths(c.corner.Y + c.place[v])}
}

// via returns the points between which a link keeps straight.
func (c *component) via(l Edge) (points []Point) {
	last := -1
	for _, b := range c.along(l) {
		half := c.depth[c.layer[b]] / 2
		if last >= 0 && c.place[b] == c.place[last] {
			points[len(points)-1] = c.at(b, half)
		} else {
			points = append(points, c.at(b, -half), c.at(b, half))
		}
		last = b
	}
	return points
}

// aspect is about the ratio of width to height of all parts together.
const aspect = 1.6

// pack places parts in rows, the highest first, and returns the size of all.
func pack(parts []*component, gap float64) (all Node) {
	var widest, area float64
	for _, c := range parts {
		widest = max(widest, c.box.Width)
		area += (c.box.Width + gap) * (c.box.Height + gap)
	}
	wide := max(widest, math.Sqrt(aspect*area)-gap)
	byHeight := slices.SortedStableFunc(slices.Values(parts),
		func(p, q *component) int { return cmp.Compare(q.box.Height, p.box.Height) })
	var next Point
	for _, c := range byHeight {
		if next.X+c.box.Width > wide {
			next = Point{0, all.Height + gap}
		}
		c.corner = next
		next.X += c.box.Width + gap
		all.Width, all.Height = max(all.Width, c.corner.X+c.box.Width), max(all.Height, c.corner.Y+c.box.Height)
	}
	return all
}

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

// passes is how often the layers are gone through: forward, backward, and so on.
const passes = 6

// align returns the coordinates of the vertices across the layers, those of the nodes' borders from 0 on, and their
// extent. breadth is the size of each vertex, gap how far it stays away from others, of two the mean.
//
// Layers are placed one by one, forward and backward: first by the neighbours of their vertices in the layer before,
// then by those in the layer after, and then by both. The sum of the distances from the neighbours, each times the
// weight of the link, is made as small as the order of the layer and the room between its vertices allow.
func (c *component) align(breadth, gap []float64) (place []float64, extent float64) {
	a := &aligner{component: c, place: make([]float64, len(c.layer))}
	for v := range breadth {
		a.room = append(a.room, (breadth[v]+gap[v])/2)
	}
	a.to, a.from = c.chains(c.before, false), c.chains(c.after, true)
	for ; a.pass < passes; a.pass++ {
		for l := range c.order {
			if a.pass%2 == 1 {
				l = len(c.order) - 1 - l
			}
			a.alignLayer(c.order[l])
		}
	}
	first, last := math.Inf(1), math.Inf(-1)
	for v, x := range a.place {
		first, last = min(first, x-breadth[v]/2), max(last, x+breadth[v]/2)
	}
	for v := range a.place {
		a.place[v] -= first
	}
	return a.place, last - first
}

// chains returns the number of nodes on the longest path to each vertex, or, if backward, from it. Bends don't count.
func (c *component) chains(side [][]int, backward bool) []int {
	chain := make([]int, len(c.layer))
	for l := range c.order {
		if backward {
			l = len(c.order) - 1 - l
		}
		for _, v := range c.order[l] {
			for _, w := range side[v] {
				chain[v] = max(chain[v], chain[w])
			}
			if !c.bend(v) {
				chain[v]++
			}
		}
	}
	return chain
}

// aligner places the vertices of a part across its layers.
type aligner struct {
	*component
	room, place []float64 // of the vertices
	to, from    []int     // how many nodes are on the longest paths to them, and from them
	pass        int
}

// straight is how much more than others a link weighs that is between two bends, or the only one at both of its ends.
const straight = 8

// weight is that of a link: how many nodes are on the longest path through it.
func (a *aligner) weight(from, to int) float64 {
	weight := float64(a.to[from] + a.from[to])
	if a.bend(from) && a.bend(to) || len(a.after[from]) == 1 && len(a.before[to]) == 1 {
		weight *= straight
	}
	return weight
}

// pull is a place that something is drawn to, with its weight.
type pull struct{ at, weight float64 }

func comparePulls(p, q pull) int { return cmp.Compare(p.at, q.at) }

// pulls are those of a vertex.
func (a *aligner) pulls(v int) (out []pull) {
	if a.pass != 1 {
		for _, w := range a.before[v] {
			out = append(out, pull{a.place[w], a.weight(w, v)})
		}
	}
	if a.pass != 0 {
		for _, w := range a.after[v] {
			out = append(out, pull{a.place[w], a.weight(v, w)})
		}
	}
	if out == nil {
		const lightest = 1e-3 // it stays where it is, unless there is no room
		out = []pull{{a.place[v], lightest}}
	}
	return out
}

// block is some vertices of a layer that touch each other. Places are those of its first vertex.
type block struct {
	was, at float64
	pulls   []pull // by place
	n       int    // vertices
}

// alignLayer places the vertices of a layer where they are drawn to. Blocks of vertices that would come too near to
// each other are joined, and placed where all of them together are drawn to: an isotonic regression.
func (a *aligner) alignLayer(layer []int) {
	offset := make([]float64, len(layer)) // of a vertex from the first one, where all touch
	var blocks []block
	for i, v := range layer {
		if i > 0 {
			offset[i] = offset[i-1] + a.room[layer[i-1]] + a.room[v]
		}
		b := block{was: a.place[v] - offset[i], pulls: a.pulls(v), n: 1}
		for k := range b.pulls {
			b.pulls[k].at -= offset[i]
		}
		sort.SliceStable(b.pulls, func(i, j int) bool { return comparePulls(b.pulls[i], b.pulls[j]) < 0 })
		a.settle(&b)
		for n := len(blocks); n > 0 && blocks[n-1].at > b.at; n-- {
			left := &blocks[n-1]
			more, fewer := left.pulls, b.pulls
			if len(more) < len(fewer) {
				more, fewer = fewer, more
			}
			for _, p := range fewer {
				k, _ := slices.BinarySearchFunc(more, p, comparePulls)
				more = slices.Insert(more, k, p)
			}
			b = block{was: left.was, pulls: more, n: left.n + b.n}
			a.settle(&b)
			blocks = blocks[:n-1]
		}
		blocks = append(blocks, b)
	}
	i := 0
	for _, b := range blocks {
		for range b.n {
			a.place[layer[i]] = b.at + offset[i]
			i++
		}
	}
}

// settle places a block at the weighted median of what it is drawn to. If that is any place between two, it is the
// middle, and in later passes the nearest to where the block was.
func (a *aligner) settle(b *block) {
	half, i := 0.0, 0
	for _, p := range b.pulls {
		half += p.weight / 2
	}
	for half -= b.pulls[0].weight; half > 0; half -= b.pulls[i].weight {
		i++
	}
	b.at = b.pulls[i].at
	if half < 0 || i+1 == len(b.pulls) {
		return
	}
	if next := b.pulls[i+1].at; a.pass < 2 {
		b.at = (b.at + next) / 2
	} else {
		b.at = min(max(b.at, b.was), next)
	}
}
