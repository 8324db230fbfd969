package reference

import (
	"fmt"
	"math"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/term"
)

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

// OpenGradientStart is the term of Theorem 1 with the λ of its second component opened:
//
//	⟨z, z* a⟩[⟨z,z*⟩:=D(t)] with [x:=⟨x0,d⟩][d:=λb.x* b] for each input
//
// for a program D(t) of type D(R), with a, the x0 and the x* free. The duals of the
// inputs are the Duals of the start, and its Seed is a. A branch is decided at the
// point.
func (p *Program) OpenGradientStart(inputs []term.Var, point []float64) *Start {
	q := *p
	q.open = map[*Var]denote.Number{}
	a := &Var{Name: "a", Type: term.R, Linear: true}
	z, star := &Var{Name: "z", Type: term.R}, &Var{Name: "z*", Type: term.AbstractDual}
	s := &Start{Program: &q, Seed: a}
	q.Term = let(pair(variable(z), apply(variable(star), variable(a))), tuplePattern(z, star), p.nameArguments(q.Term))
	q.open[a] = p.Ground.Of(1)
	for i, x := range inputs {
		x0 := &Var{Name: fmt.Sprintf("x%d", i+1), Type: term.R}
		s.dual(i, p.input(x, p.Typing.tt.Reverse(term.R)), x0)
		s.Inputs = append(s.Inputs, x0)
		q.open[x0] = p.Ground.Of(point[i])
		p.Typing.Free(x0)
	}
	return s
}
