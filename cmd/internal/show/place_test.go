package show

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/property"
)

// boxes returns n boxes of the size of a short label.
func boxes(n int) []Node { return slices.Repeat([]Node{{40, 24}}, n) }

// gaps are those of most tests.
var gaps = Options{NodeGap: 16, LayerGap: 48}

func TestNothing(t *testing.T) {
	require.Equal(t, Layout{X: []float64{}, Y: []float64{}, Via: [][]Point{}}, Place(nil, nil, gaps))
	require.Equal(t, Layout{X: []float64{}, Y: []float64{}, Via: [][]Point{}}, Place(nil, nil, gaps))
}

func TestChain(t *testing.T) {
	edges := []Edge{{0, 1}, {1, 2}, {1, 2}, {2, 2}} // repeated, and a loop
	l := Place(boxes(3), edges, gaps)
	require.Equal(t, Layout{X: []float64{20, 108, 196}, Y: []float64{12, 12, 12}, Width: 216, Height: 24, Via: make([][]Point, 4)}, l)
	l = Place(boxes(3), edges, Options{16, 6})
	require.Equal(t, Layout{X: []float64{20, 66, 112}, Y: []float64{12, 12, 12}, Width: 132, Height: 24, Via: make([][]Point, 4)}, l)
}

// TestDiamond: a node stands in the middle between its operands, and what several share
// in the middle of them.
func TestDiamond(t *testing.T) {
	l := Place(boxes(4), []Edge{{0, 1}, {0, 2}, {1, 3}, {2, 3}}, Options{10, 48})
	require.Equal(t, []float64{29, 12, 46, 29}, l.Y)
}

// TestLongEdge: an edge over a layer passes beside its nodes.
func TestLongEdge(t *testing.T) {
	edges := []Edge{{0, 1}, {1, 2}, {0, 2}}
	l := Place(boxes(3), edges, gaps)
	require.Len(t, l.Via[2], 2)
	enter, leave := l.Via[2][0], l.Via[2][1]
	require.Equal(t, []float64{l.X[1] - 20, l.X[1] + 20}, []float64{enter.X, leave.X})
	require.Equal(t, enter.Y, leave.Y)
	require.Greater(t, max(enter.Y-l.Y[1], l.Y[1]-enter.Y), 12.0)
}

// TestConstant: what only one operation reads stands beside it.
func TestConstant(t *testing.T) {
	l := Place(boxes(5), []Edge{{0, 1}, {1, 2}, {2, 3}, {4, 3}}, gaps)
	require.Equal(t, l.X[2], l.X[4])
}

// TestSpine: a fold keeps straight from its second step on, with what each step reads
// beside it.
func TestSpine(t *testing.T) {
	var edges []Edge
	for v := 2; v < 20; v += 2 { // v is f of the step before and of v−1
		edges = append(edges, Edge{v - 2, v}, Edge{v - 1, v})
	}
	l := Place(boxes(20), edges, gaps)
	for v := 4; v < 20; v += 2 {
		require.Equal(t, l.Y[2], l.Y[v])
		require.Equal(t, l.X[v-2], l.X[v-1])
	}
}

// TestCycle: where edges go round, all but one go forward.
func TestCycle(t *testing.T) {
	edges := []Edge{{0, 1}, {1, 2}, {2, 3}, {3, 0}}
	l := Place(boxes(4), edges, gaps)
	require.IsIncreasing(t, l.X)
	checkBoxes(t, boxes(4), l, gaps.NodeGap)
}

// componentsOf are the components of a graph.
func componentsOf(n int, edges []Edge) (out []*component) {
	g := acyclic(n, edges)
	local := make([]int, n)
	for _, nodes := range g.components() {
		for k, v := range nodes {
			local[v] = k
		}
		out = append(out, g.component(nodes, g.layers(), local))
	}
	return out
}

// TestTrees: trees have no crossings, whatever the order of their nodes.
func TestTrees(t *testing.T) {
	for _, out := range []bool{true, false} {
		r := rand.New(rand.NewPCG(1, 2))
		const n = 60
		name := r.Perm(n)
		var edges []Edge
		for v := 1; v < n; v++ {
			e := Edge{name[r.IntN(v)], name[v]}
			if !out {
				e = Edge{e.To, e.From}
			}
			edges = append(edges, e)
		}
		c := componentsOf(n, edges)[0]
		c.untangle()
		require.Zero(t, c.crossings())
	}
}

// TestParts: many small parts make a picture about as wide as high.
func TestParts(t *testing.T) {
	var edges []Edge
	for v := 0; v < 200; v += 4 {
		edges = append(edges, Edge{v, v + 1}, Edge{v + 1, v + 2}) // and v+3 alone
	}
	l := Place(boxes(200), edges, gaps)
	require.InDelta(t, aspect, l.Width/l.Height, 0.6)
	checkBoxes(t, boxes(200), l, gaps.NodeGap)
}

// TestDeep: a chain uses no stack, and links over very many layers no quadratic number
// of bends.
func TestDeep(t *testing.T) {
	const n = 30_000
	var edges []Edge
	for v := 1; v < n; v++ {
		edges = append(edges, Edge{v - 1, v})
		if v%10 == 0 {
			edges = append(edges, Edge{v, n - 1})
		}
	}
	require.LessOrEqual(t, len(componentsOf(n, edges)[0].layer), n+manyBends+moreBends*(n+len(edges)))
	l := Place(boxes(n), edges, gaps)
	require.IsIncreasing(t, l.X)
}

// checkBoxes finds no two boxes that are nearer to each other than gap, up to rounding,
// and none outside.
func checkBoxes(t require.TestingT, nodes []Node, l Layout, gap float64) {
	const round = 0.2
	for v, a := range nodes {
		require.GreaterOrEqual(t, l.X[v]-a.Width/2, -round)
		require.GreaterOrEqual(t, l.Y[v]-a.Height/2, -round)
		require.LessOrEqual(t, l.X[v]+a.Width/2, l.Width+round)
		require.LessOrEqual(t, l.Y[v]+a.Height/2, l.Height+round)
		for w, b := range nodes[:v] {
			x := max(l.X[v]-l.X[w], l.X[w]-l.X[v]) - (a.Width+b.Width)/2
			y := max(l.Y[v]-l.Y[w], l.Y[w]-l.Y[v]) - (a.Height+b.Height)/2
			require.GreaterOrEqual(t, max(x, y), gap-round, "nodes %d and %d", v, w)
		}
	}
}

// drawnGraph is a random graph.
type drawnGraph struct {
	nodes   []Node
	edges   []Edge
	acyclic bool
}

// drawGraph makes a graph, acyclic or any.
func drawGraph(t *rapid.T) drawnGraph {
	n := rapid.IntRange(0, 40).Draw(t, "nodes")
	g := drawnGraph{acyclic: rapid.Bool().Draw(t, "acyclic")}
	for range n {
		side := rapid.SampledFrom([]float64{0, 1, 20, 33.3, 60, 200})
		g.nodes = append(g.nodes, Node{side.Draw(t, "width"), side.Draw(t, "height")})
	}
	name := make([]int, n)
	for v := range name {
		name[v] = v
	}
	name = rapid.Permutation(name).Draw(t, "names")
	for range rapid.IntRange(0, 3*n).Draw(t, "edges") {
		a, b := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
		if g.acyclic {
			if a == b {
				continue
			}
			a, b = name[min(a, b)], name[max(a, b)]
		}
		g.edges = append(g.edges, Edge{a, b})
	}
	return g
}

// TestPropertyPlace: boxes keep their distance, and edges of acyclic graphs go forward;
// where an edge keeps straight it meets no box.
func TestPropertyPlace(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		gap, between := rapid.SampledFrom([]float64{1, 16, 30}).Draw(t, "node gap"), rapid.SampledFrom([]float64{1, 16, 30}).Draw(t, "layer gap")
		opt := Options{gap, between}
		l := Place(g.nodes, g.edges, opt)
		require.Equal(t, l, Place(g.nodes, g.edges, opt))
		checkBoxes(t, g.nodes, l, min(gap, between))
		for i, e := range g.edges {
			if g.acyclic {
				a, b := g.nodes[e.From], g.nodes[e.To]
				room := l.X[e.To] - b.Width/2 - l.X[e.From] - a.Width/2
				require.GreaterOrEqual(t, room, between-0.2)
			}
			checkVia(t, g.nodes, l, l.Via[i])
		}
	})
}

// checkVia finds no box on the straight pieces of an edge.
func checkVia(t require.TestingT, nodes []Node, l Layout, via []Point) {
	require.Zero(t, len(via)%2)
	for k := 0; k < len(via); k += 2 {
		a, b := via[k], via[k+1]
		require.True(t, a.X == b.X || a.Y == b.Y)
		for v, n := range nodes {
			x := max(a.X, b.X) > l.X[v]-n.Width/2 && min(a.X, b.X) < l.X[v]+n.Width/2
			y := max(a.Y, b.Y) > l.Y[v]-n.Height/2 && min(a.Y, b.Y) < l.Y[v]+n.Height/2
			require.False(t, x && y, "through node %d", v)
		}
	}
}

// TestPropertyCrossings: crossings are counted as their definition says, and the order that is kept has no more than
// those the search begins with.
func TestPropertyCrossings(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		d := drawGraph(t)
		for _, c := range componentsOf(len(d.nodes), d.edges) {
			c.begin(false)
			first := c.crossings()
			require.Equal(t, naive(c), first)
			c.untangle()
			require.LessOrEqual(t, naive(c), first)
		}
	})
}

// naive counts the crossings of all pairs of links.
func naive(c *component) int {
	n := 0
	at := map[int]int{} // places in layers
	for _, layer := range c.order {
		for i, v := range layer {
			at[v] = i
		}
	}
	for v, after := range c.after {
		for w := range c.after {
			for _, a := range after {
				for _, b := range c.after[w] {
					if c.layer[v] == c.layer[w] && at[v] < at[w] && at[a] > at[b] {
						n++
					}
				}
			}
		}
	}
	return n
}
