package hypergraph

import (
	"fmt"
	"math"

	"github.com/gram-machine/gram/term"
)

// Node names a node of a [Graph]. The inputs are the nodes 0…n−1.
type Node uint32

// Kind says what gives a node its value.
type Kind uint8

// The kinds of nodes.
const (
	Input     Kind = iota
	Numeral        // the target of a nullary symbol
	Operation      // the target of a symbol, or of +
)

type node struct {
	kind   Kind
	sym    term.Symbol // Operation: term.NoSymbol is +
	pos    term.Pos
	off, n uint32  // Operation: the sources, in the arena's args
	val    float64 // Numeral
}

// Graph is a computational graph. It is immutable: many [Memory] may share it.
type Graph struct {
	nodes   []node // in topological order, the inputs first
	args    []Node
	inputs  int
	outputs []Node
	vars    []term.Var // of [FromTerm]: see Var
}

// Inputs returns n, how many inputs the graph has.
func (g *Graph) Inputs() int { return g.inputs }

// Outputs returns the output nodes. The slice is not to be modified.
func (g *Graph) Outputs() []Node { return g.outputs }

// Only returns the graph with one of its outputs; the nodes are the same, and shared.
func (g *Graph) Only(output int) *Graph {
	one := *g
	one.outputs = g.outputs[output : output+1]
	return &one
}

// Len returns how many nodes the graph has: inputs, numerals and operations.
func (g *Graph) Len() int { return len(g.nodes) }

// Edge returns the symbol (+ is [term.NoSymbol]), the sources and the place of the
// hyperedge that ends in w, if w is an operation.
func (g *Graph) Edge(w Node) (f term.Symbol, sources []Node, pos term.Pos, ok bool) {
	nd := &g.nodes[w]
	if nd.kind != Operation {
		return 0, nil, 0, false
	}
	return nd.sym, g.sources(nd), nd.pos, true
}

// Var returns the variable that the term of [FromTerm] binds first to w, or a let to a pair
// of w and another node; 0 if there is none, and for inputs.
func (g *Graph) Var(w Node) term.Var {
	if int(w) < len(g.vars) {
		return g.vars[w]
	}
	return 0
}

// Numeral returns the value of w, if w is a numeral.
func (g *Graph) Numeral(w Node) (r float64, ok bool) {
	nd := &g.nodes[w]
	return nd.val, nd.kind == Numeral
}

func (g *Graph) sources(nd *node) []Node { return g.args[nd.off : nd.off+nd.n] }

// Size is |G| in its parts.
type Size struct {
	Operations int // nodes that are the target of a symbol
	Edges      int // their sources, repetitions included
	Inputs     int // distinct inputs that an operation or an output reads
	Numerals   int // distinct numerals
}

// Total returns |G|.
func (s Size) Total() int { return s.Operations + s.Edges + s.Inputs + s.Numerals }

// Size returns |G|: operations, their sources, and the distinct inputs and numerals
// that are read. Operations that nothing reads count.
func (g *Graph) Size() Size {
	var s Size
	used := make([]bool, len(g.nodes))
	read := func(w Node) {
		if used[w] {
			return
		}
		used[w] = true
		switch g.nodes[w].kind {
		case Input:
			s.Inputs++
		case Numeral:
			s.Numerals++
		}
	}
	for i := range g.nodes {
		if nd := &g.nodes[i]; nd.kind == Operation {
			s.Operations++
			s.Edges += int(nd.n)
			for _, z := range g.sources(nd) {
				read(z)
			}
		}
	}
	for _, y := range g.outputs {
		read(y)
	}
	return s
}

// Operand is a source of a hyperedge, or an output: an operation, an input or a numeral.
type Operand struct {
	Op    int // the number of the operation, in the order in which it was added; -1 for others
	Input int // the number of the input; -1 for others
	Value float64
}

// Builder makes a [Graph]. Its methods keep the first error for [Builder.Graph].
type Builder struct {
	g        *Graph
	ops      []Node // the node of each operation
	numerals map[uint64]Node
	err      error
}

// NewBuilder returns a builder of a graph with n inputs.
func NewBuilder(n int) *Builder {
	return &Builder{g: &Graph{nodes: make([]node, n, n+64), inputs: n}, numerals: map[uint64]Node{}}
}

// Operation adds the hyperedge of a symbol, or of + where f is [term.NoSymbol]. Its
// sources are inputs, numerals or operations that were added before.
func (b *Builder) Operation(f term.Symbol, pos term.Pos, sources ...Operand) {
	if b.err != nil {
		return
	}
	off := len(b.g.args)
	for _, o := range sources {
		w, err := b.operand(o)
		if err != nil {
			b.err = fmt.Errorf("hypergraph: operation %d (%s): %w", len(b.ops), symbolName(f), err)
			return
		}
		b.g.args = append(b.g.args, w)
	}
	b.ops = append(b.ops, b.edge(f, pos, off))
}

// Output adds an output.
func (b *Builder) Output(o Operand) {
	if b.err != nil {
		return
	}
	w, err := b.operand(o)
	if err != nil {
		b.err = fmt.Errorf("hypergraph: output %d: %w", len(b.g.outputs), err)
		return
	}
	b.g.outputs = append(b.g.outputs, w)
}

// Graph returns the graph, or the first error: an operand that doesn't exist, or a
// symbol with a wrong number of operands. The builder is not to be used afterwards.
func (b *Builder) Graph() (*Graph, error) {
	if b.err != nil {
		return nil, b.err
	}
	return b.g, nil
}

func (b *Builder) operand(o Operand) (Node, error) {
	switch {
	case o.Op >= len(b.ops):
		return 0, fmt.Errorf("reads operation %d, which is not before it", o.Op)
	case o.Op >= 0:
		return b.ops[o.Op], nil
	case o.Input >= b.g.inputs:
		return 0, fmt.Errorf("reads input %d of %d", o.Input, b.g.inputs)
	case o.Input >= 0:
		return Node(o.Input), nil
	}
	return b.numeral(o.Value), nil
}

// numeral returns the node of r: one for each distinct number.
func (b *Builder) numeral(r float64) Node {
	bits := math.Float64bits(r)
	w, ok := b.numerals[bits]
	if !ok {
		w = Node(len(b.g.nodes))
		b.g.nodes = append(b.g.nodes, node{kind: Numeral, val: r})
		b.numerals[bits] = w
	}
	return w
}

// edge adds the hyperedge whose sources are the args from off on.
func (b *Builder) edge(f term.Symbol, pos term.Pos, off int) Node {
	k := len(b.g.args) - off
	if want := arity(f); k != want && b.err == nil {
		b.err = fmt.Errorf("hypergraph: %s takes %d operands, not %d", symbolName(f), want, k)
	}
	b.g.nodes = append(b.g.nodes, node{kind: Operation, sym: f, pos: pos, off: uint32(off), n: uint32(k)})
	return Node(len(b.g.nodes) - 1)
}

func arity(f term.Symbol) int {
	if f == term.NoSymbol {
		return 2
	}
	return f.Info().Arity
}

func symbolName(f term.Symbol) string {
	if f == term.NoSymbol {
		return "+"
	}
	return f.String()
}
