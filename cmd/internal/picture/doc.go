// Package picture draws graphs in DOT, the language of Graphviz, and in SVG, laid out by package layered:
//
//	Computation   a computational graph, as in Figure 1 of the paper, or one with its
//	              backward part, as in Figure 3, or with its tangents
//	Heap          what lies in the arena of the literal machine
//
// In a computational graph a node is a circle and a hyperedge a shape that points to
// its target, with its symbol inside: a triangle, or an arrow where the symbol is
// long. Values are blue, the backward phase red and tangents green, in the paper's hues.
// Inputs are filled, outputs have a double line.
//
// Of a large graph the first and the last operations are drawn, and one node between them
// says how many are left out. DOT and SVG are written from the same figure, a list of nodes and links.
package picture
