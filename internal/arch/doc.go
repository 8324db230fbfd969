// Package arch holds the map of the module: which package may import which. It
// has no code, only a test.
//
//	term  ←  lang, revgrad, engine, compile
//	compile  ←  graph  ←  machine
//
// A layer's packages are those of its folder and below. The root package joins the
// stages; bench and the commands stand on top of it. The engine knows the terms
// that it compiles, and the machine those that it reduces, but neither a stage that makes
// or changes a term, nor the other. What the
// tests make terms with (internal/generate) and compare the machines with
// (internal/denote, internal/hypergraph, internal/reference)
// shares with it term alone, and the names of the rules. The root package has the
// rewriter (internal/reference) too, for the traces that print whole terms.
//
// The rules are for the code of the packages. Their tests may import what they like.
package arch
