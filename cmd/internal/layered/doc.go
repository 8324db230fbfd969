// Package layered places the nodes of a directed graph in layers, so that its edges
// run from the earlier layers to the later ones: the method of Sugiyama, Tagawa and
// Toda (1981). The graph is meant to be acyclic; of others some edges run back.
//
// [Place] goes through these steps, each near-linear in nodes and edges:
//
//	components  each part that hangs together is laid out by itself
//	acyclic     loops and repetitions are dropped, and the links along which a
//	            depth-first search comes back to where it is are turned round
//	layers      the longest path to a node is its layer; a node that is read more than
//	            it reads moves on to its readers
//	split       a link over several layers gets a bend in each layer between. Links of
//	            one source share bends. Bends are bounded by the size of the graph, and
//	            the longest links go without
//	order       crossings are reduced: sweeps by barycentre, then exchanges of
//	            neighbours (Gansner, Koutsofios, North, Vo, 1993), for a bounded time
//	align       coordinates within a layer, with straight chains and straight long
//	            links (Brandes and Köpf, 2001); of two medians the end of the longer chain
//	pack        the parts stand in rows about as wide as a screen is
//
// Nothing recurses, nothing is random: equal graphs are placed alike.
//
// [Curve] draws an edge between two boxes that have been placed.
package layered
