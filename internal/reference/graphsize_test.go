package reference

import "math"

// GraphSize is |G| of a computational graph, by its parts.
type GraphSize struct{ Operations, Edges, Inputs, Numerals uint64 }

// Total is |G|.
func (g GraphSize) Total() uint64 { return g.Operations + g.Edges + g.Inputs + g.Numerals }

// GraphSize measures the graph that a term with symbolic inputs has come to: its
// operations, what they read, and the inputs and numerals that they or the outputs
// are.
func (s *Start) GraphSize(t *Term) GraphSize {
	g := &grapher{s: s, binds: map[*Var]*Term{}, leaves: map[any]bool{}}
	g.bind(t)
	g.term(t, true)
	return g.size
}

type grapher struct {
	s      *Start
	binds  map[*Var]*Term
	leaves map[any]bool // the inputs and numerals that are used
	size   GraphSize
}

// bind books what the variables of the term stand for.
func (g *grapher) bind(t *Term) {
	if t.Op == Let {
		g.binds[t.P.X] = t.Kids[1]
	}
	for _, k := range t.Kids {
		g.bind(k)
	}
}

// term visits a subterm; used says that it is an operand or an output.
func (g *grapher) term(t *Term, used bool) {
	switch t.Op {
	case Let:
		g.term(t.Kids[0], used)
		g.term(t.Kids[1], false)
		return
	case Plus, Function:
		g.size.Operations++
		g.size.Edges += uint64(len(t.Kids))
		for _, k := range t.Kids {
			g.term(k, true)
		}
	case MakePair:
		for _, k := range t.Kids {
			g.term(k, used)
		}
	case Variable, Numeral:
		if used {
			g.leaf(t)
		}
	}
}

// leaf books an input or a numeral.
func (g *grapher) leaf(t *Term) {
	for t.Op == Variable && g.binds[t.X] != nil {
		t, _ = split(g.binds[t.X])
	}
	switch {
	case t.Op == Numeral:
		if bits := math.Float64bits(g.s.Ground.Float(t.Num)); !g.leaves[bits] {
			g.leaves[bits] = true
			g.size.Numerals++
		}
	case t.Op == Variable && !g.leaves[t.X]:
		g.leaves[t.X] = true
		g.size.Inputs++
	}
}
