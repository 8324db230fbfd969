package explore

import (
	"encoding/json"
	"math"
	"unicode/utf8"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/lang/load"
)

// place positions the nodes of a window: a node is left of all nodes that refer to it in some
// state. So the computation goes from left to right, and the backward phase from right to left.
func place(w *Window) {
	index := map[int]int{}
	boxes := make([]show.Node, len(w.Nodes))
	for i := range w.Nodes {
		index[w.Nodes[i].ID] = i
		boxes[i] = box(&w.Nodes[i])
	}
	edges := references(w, index)
	l := show.Place(boxes, edges, show.Options{NodeGap: nodeGap, LayerGap: layerGap})
	w.Bends, w.Width, w.Height = []bend{}, l.Width, l.Height
	for i := range w.Nodes {
		n := &w.Nodes[i]
		n.X, n.Y, n.W, n.H = l.X[i], l.Y[i], boxes[i].Width, boxes[i].Height
	}
	for i, via := range l.Via {
		if len(via) == 0 {
			continue
		}
		b := bend{From: w.Nodes[edges[i].To].ID, To: w.Nodes[edges[i].From].ID}
		for _, p := range via {
			b.Via = append(b.Via, [2]float64{p.X, p.Y})
		}
		w.Bends = append(w.Bends, b)
	}
}

// references returns the edges of the first version of each node, each edge once, in the order of the nodes. They have
// the direction in which values flow. Later edges mostly have the same direction, and are left out.
func references(w *Window, index map[int]int) []show.Edge {
	var edges []show.Edge
	known := map[show.Edge]bool{}
	for i, n := range w.Nodes {
		for _, v := range n.Versions[:min(1, len(n.Versions))] {
			for _, e := range v.Edges {
				to, ok := index[e.To]
				edge := show.Edge{From: to, To: i}
				switch e.As {
				case "waits", "binds", "arrived":
					edge = show.Edge{From: i, To: to}
				}
				if ok && !known[edge] {
					known[edge] = true
					edges = append(edges, edge)
				}
			}
		}
	}
	return edges
}

// Distances between boxes, in pixels. They leave room for the text above a dual, and for an argument
// that moves from one layer to the next.
const (
	nodeGap  = 22
	layerGap = 48
)

// Sizes in pixels: of a letter on the page, of the margins around a text, and of lines.
const (
	letter     = 7.3
	margin     = 18
	narrowest  = 44
	widest     = 190
	arrow      = 2 // letters, before the value of a dual
	lineHeight = 16
	padding    = 12
)

// box is the size of a node: large enough for its label, and its value below, in all its states.
func box(n *Node) show.Node {
	letters, lines := 0, 1
	for _, v := range n.Versions {
		letters = max(letters, utf8.RuneCountInString(v.Label))
		if v.Value != "" && v.Value != v.Label {
			letters = max(letters, utf8.RuneCountInString(v.Value)+arrow)
			lines = 2
		}
	}
	return show.Node{
		Width:  min(max(narrowest, math.Ceil(margin+letter*float64(letters))), widest),
		Height: float64(padding + lines*lineHeight),
	}
}

// runReply is the result of a run.
type runReply struct {
	Run string `json:"run"`
	Info
	Value    string      `json:"value"`
	Type     string      `json:"type"`
	Gradient []namedText `json:"gradient"`
	Inputs   []namedText `json:"inputs"`
}

// namedText is a value with its name.
type namedText struct {
	Name string     `json:"name"`
	Text string     `json:"text"`
	Rows [][]number `json:"rows,omitempty"` // of a vector or a matrix of numbers
}

// number is a number in JSON: null if it is not finite.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if x := float64(n); math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// mostSide bounds the rows and the columns of a matrix that is drawn.
const mostSide = 64

// rowsOf returns the rows of a matrix, or the numbers of a vector as one row; nil for other shapes and large ones.
func rowsOf(s *gram.Shape, values []float64) [][]number {
	if s.Kind != load.Vector || s.Size > mostSide {
		return nil
	}
	rows, columns := 1, s.Size
	if s.A.Kind == load.Vector {
		rows, columns, s = s.Size, s.A.Size, s.A
	}
	if s.A.Kind != load.Real || columns > mostSide || len(values) != rows*columns {
		return nil
	}
	out := make([][]number, rows)
	for i := range out {
		for _, x := range values[i*columns : (i+1)*columns] {
			out[i] = append(out[i], number(x))
		}
	}
	return out
}

// short is the notation of values. A vector or list of more than eight elements is written
// as its first six elements and its last.
var short = load.Language.Short(8)

// valueText writes a value of shape s in the notation of the language.
func valueText(s *gram.Shape, values []float64, lengths []int) string {
	return string(short.Append(nil, &load.Flat{Values: values, Lengths: lengths}, s))
}

// describe makes the reply about a run.
func describe(p *gram.Program, req *request, info *Info) *runReply {
	out := &runReply{Run: req.id(), Info: *info, Type: p.Type(), Gradient: []namedText{}, Inputs: named(p.Inputs())}
	if info.Stopped != "" || p.Shape() == nil {
		return out
	}
	out.Value = valueText(p.Shape(), info.Values, info.Lengths)
	if req.Of == OfGradient {
		out.Gradient = named(p.Derivatives(info.Values, info.Jacobian))
	}
	return out
}

// named writes values with their names.
func named(values []gram.Input) []namedText {
	out := []namedText{}
	for _, v := range values {
		out = append(out, namedText{v.Name, valueText(v.Shape, v.Values, nil), rowsOf(v.Shape, v.Values)})
	}
	return out
}
