// Package layered places the nodes of a directed graph in layers, so that its edges
// run from the earlier layers to the later ones: the method of Sugiyama, Tagawa and
// Toda (1981). The graph is meant to be acyclic; of others some edges run back.
//
// [Place] goes through these steps, each near-linear in nodes and edges:
//
//	components  each connected component is laid out separately
//	acyclic     loops and duplicates are removed, and the back edges of a depth-first
//	            search are reversed
//	layers      the layer of a node is the length of the longest path to it; a node with
//	            more readers than operands moves towards its readers
//	split       a link over several layers gets a bend in each layer between. Links from
//	            one node share bends. Bends are bounded by the size of the graph, and the
//	            longest links have none
//	order       crossings are reduced by barycentre sweeps and exchanges of neighbours
//	            (Gansner, Koutsofios, North, Vo, 1993), for a bounded time
//	align       coordinates within a layer, with straight chains and straight long
//	            links (Brandes and Köpf, 2001); of two medians, that of the longer chain
//	pack        the components are put in rows, about as wide as a screen
//
// Nothing recurses and nothing is random: equal graphs get equal layouts.
//
// [Curve] draws an edge between two boxes that have been placed.
package layered
