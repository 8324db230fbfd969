package show

import (
	"cmp"
	"math"
)

// Node is the size of a node's box in pixels.
type Node struct{ Width, Height float64 }

// Edge puts the node From in an earlier layer than the node To. Nodes are named by
// their index; an edge that names no node is left out.
type Edge struct{ From, To int }

// Options say how nodes are placed. The zero value gives defaults.
type Options struct {
	NodeGap  float64 // between nodes of one layer, and between parts of the graph; 0: 16
	LayerGap float64 // between layers, for the edges; 0: 48
}

// The defaults of Options, in pixels.
const (
	nodeGap  = 16
	layerGap = 48
)

// Point is a place in the picture, in pixels.
type Point struct{ X, Y float64 }

// Layout says where the nodes are, in a picture whose upper left corner is (0, 0).
type Layout struct {
	X, Y          []float64 // centres
	Width, Height float64
	// Via has a line for each edge: the points between which it keeps straight while it
	// passes the layers on its way, two for each piece, for Curve. An edge to the next
	// layer has none.
	Via [][]Point
}

// Place places nodes from left to right: operands are left of the nodes that use them. Boxes do not overlap, and unless
// the edges form cycles, each edge bridges at least LayerGap. Coordinates are multiples of a tenth.
func Place(nodes []Node, edges []Edge, opt Options) Layout {
	opt.NodeGap = cmp.Or(opt.NodeGap, nodeGap)
	opt.LayerGap = cmp.Or(opt.LayerGap, layerGap)
	links := acyclic(len(nodes), edges)
	layer := layers(len(nodes), links)
	parts := components(len(nodes), links)
	drawings := make([]placing, len(parts))
	boxes := make([]Node, len(parts))
	for i, p := range parts {
		drawings[i] = draw(p, nodes, layer, opt)
		boxes[i] = drawings[i].box
	}
	corners, all := pack(boxes, opt.NodeGap)

	l := Layout{X: make([]float64, len(nodes)), Y: make([]float64, len(nodes)), Via: make([][]Point, len(edges))}
	l.Width, l.Height = all.Width, all.Height
	via := map[arc][]Point{}
	for i, d := range drawings {
		for k, v := range parts[i].nodes {
			l.X[v], l.Y[v] = tenths(corners[i].X+d.at[k].X), tenths(corners[i].Y+d.at[k].Y)
		}
		for to, points := range d.via {
			for j := range points {
				points[j] = Point{tenths(corners[i].X + points[j].X), tenths(corners[i].Y + points[j].Y)}
			}
			via[to] = points
		}
	}
	for i, e := range edges {
		l.Via[i] = via[arc{e.From, e.To}]
	}
	return l
}

// tenths rounds; there is no negative zero.
func tenths(x float64) float64 { return math.Round(x*10)/10 + 0 }

// A drawing is one part of the graph with its upper left corner at (0, 0).
type placing struct {
	box Node
	at  []Point         // of the part's nodes
	via map[arc][]Point // of links between nodes of the whole graph
}

// draw lays out one part.
func draw(p part, nodes []Node, layer []int, opt Options) placing {
	g := split(p, layer)
	g.untangle()
	width, height := make([]float64, len(g.layer)), make([]float64, len(g.layer))
	gap := make([]float64, len(g.layer))
	for v := range g.layer {
		gap[v] = opt.NodeGap / 2 // a bend takes half the place
		if v < len(p.nodes) {
			n := nodes[p.nodes[v]]
			width[v], height[v], gap[v] = n.Width, n.Height, opt.NodeGap
		}
	}
	middle, depth, length := g.columns(width, opt.LayerGap)
	place, breadth := g.align(height, gap)
	d := placing{box: Node{length, breadth}, at: make([]Point, len(p.nodes)), via: map[arc][]Point{}}
	for v := range p.nodes {
		d.at[v] = Point{middle[g.layer[v]], place[v]}
	}
	for _, l := range p.links {
		var points []Point
		for _, b := range g.bends(l) {
			at, half := middle[g.layer[b]], depth[g.layer[b]]/2
			enter, leave := Point{at - half, place[b]}, Point{at + half, place[b]}
			if n := len(points); n > 0 && place[b] == place[b-1] {
				points[n-1] = leave
			} else {
				points = append(points, enter, leave)
			}
		}
		if points != nil {
			d.via[arc{p.nodes[l.from], p.nodes[l.to]}] = points
		}
	}
	return d
}

// columns returns for each layer the coordinate of its middle and its depth, that of
// its deepest node, and the length of all.
func (g *proper) columns(width []float64, gap float64) (middle, depth []float64, length float64) {
	depth = make([]float64, len(g.order))
	for v, l := range g.layer {
		depth[l] = max(depth[l], width[v])
	}
	middle = make([]float64, len(g.order))
	for l := range middle {
		if l > 0 {
			length += gap
		}
		middle[l] = length + depth[l]/2
		length += depth[l]
	}
	return middle, depth, length
}
