package revgrad

import (
	"slices"

	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/term"
)

// StatePassing returns the contrast of section 1: the transformation of Wang et al. without references, which passes
// the memory of the backward phase from continuation to continuation. For a ground term t of type R, it is
//
//	S(f(p1,…,pk)) κ = let z = f(p1,…,pk) in let m = κ z in m with ∂i f(p1,…,pk)·m(z) added at pi, for each i
//
// with the continuations, which are all known, in place, and starts from a memory with 1 for the result of t. The
// memory is a balanced tree of pairs, with a number for each input and each operation. A memory is bound to a variable,
// so that the next addition waits for the whole of the one before it.
//
// The value of the term is the last memory; its first numbers, from left to right, are the gradient by the inputs. The
// error is that of check, or a [*NotGroundError]. Time and size are O(n log n) for n nodes.
func StatePassing(t *term.Term, inputs []term.Var, check func() error) (*term.Term, error) {
	ground, err := Ground(t, check)
	if err != nil {
		return nil, err
	}
	g, err := hypergraph.FromTerm(ground, inputs, check)
	if err != nil {
		return nil, err
	}
	s := &statePassing{Term: ground, Graph: g, names: slices.Clone(inputs), cell: make([]int, g.Len()),
		types: map[[2]int]term.Type{}}
	for w := range hypergraph.Node(g.Len()) {
		if _, numeral := g.Numeral(w); numeral {
			s.names = append(s.names, 0)
			continue
		}
		if s.cell[w] = s.cells; s.cells >= len(inputs) {
			s.names = append(s.names, s.NewVar(term.VarInfo{Name: "z", Type: term.R, Generated: true}))
		}
		s.cells++
	}
	s.pass()
	return s.Term, nil
}

// statePassing makes S(t) of the graph of t.
type statePassing struct {
	*term.Term
	*hypergraph.Graph
	names []term.Var           // of the nodes of the graph, 0 of numerals
	cell  []int                // of the memory, of each node but numerals
	cells int                  // of the memory
	types map[[2]int]term.Type // of its parts
}

// pass makes the lets, from the outermost in: the operations, the memory at the start, and its updates.
func (s *statePassing) pass() {
	type let struct {
		x   term.Var
		u   term.Ref
		pos term.Pos
	}
	var lets, updates []let
	memory := term.VarInfo{Name: "m", Type: s.memory(0, s.cells), Generated: true}
	result := s.Outputs()[0]
	m := s.NewVar(memory)
	start := let{m, s.start(0, s.cells, result), 0}
	for w := range hypergraph.Node(s.Len()) {
		if sym, z, pos, ok := s.Edge(w); ok {
			operand := func(i int) term.Ref { return s.occurrence(z[i], pos) }
			lets = append(lets, let{s.names[w], s.Operation(pos, sym, each(len(z), operand)...), pos})
		}
	}
	for w := hypergraph.Node(s.Len()); w > 0; w-- {
		_, z, pos, _ := s.Edge(w - 1)
		for i, p := range z {
			if s.names[p] != 0 {
				next := s.NewVar(memory)
				updates = append(updates, let{next, s.update(m, w-1, i), pos})
				m = next
			}
		}
	}
	s.Root = s.Variable(0, m)
	for _, l := range slices.Backward(slices.Concat(lets, []let{start}, updates)) {
		s.Root = s.Let(l.pos, l.x, l.u, s.Root)
	}
}

func (s *statePassing) occurrence(w hypergraph.Node, pos term.Pos) term.Ref {
	if r, numeral := s.Numeral(w); numeral {
		return s.Num(pos, r)
	}
	return s.Variable(pos, s.names[w])
}

// memory is the type of the cells from lo to hi.
func (s *statePassing) memory(lo, hi int) term.Type {
	if hi-lo == 1 {
		return term.R
	}
	part := [2]int{lo, hi}
	if s.types[part] == 0 {
		mid := (lo + hi) / 2
		s.types[part] = s.Types.Prod(s.memory(lo, mid), s.memory(mid, hi))
	}
	return s.types[part]
}

// start makes the cells from lo to hi: 1 for the result, and 0.
func (s *statePassing) start(lo, hi int, result hypergraph.Node) term.Ref {
	if hi-lo == 1 {
		if s.names[result] != 0 && s.cell[result] == lo {
			return s.Num(0, 1)
		}
		return s.Num(0, 0)
	}
	mid := (lo + hi) / 2
	return s.Pair(0, s.start(lo, mid, result), s.start(mid, hi, result))
}

// update is m with ∂i f(p1,…,pk)·m(w) added at pi, for the operation w := f(p1,…,pk).
func (s *statePassing) update(m term.Var, w hypergraph.Node, i int) term.Ref {
	sym, z, pos, _ := s.Edge(w)
	a := s.NewVar(term.VarInfo{Name: "a", Type: term.R, Generated: true})
	product := s.Variable(pos, a)
	if sym != term.NoSymbol {
		by := s.Slope(pos, &sym.Info().Partials[i], len(z), func(j int) term.Ref { return s.occurrence(z[j], pos) })
		product = s.Fun(pos, term.Mul, by, product)
	}
	changed := s.open(m, 0, s.cells, s.cell[z[i]], pos, func(old term.Var) term.Ref {
		return s.Add(pos, s.Variable(pos, old), product)
	}, true)
	found := s.open(m, 0, s.cells, s.cell[w], pos, func(old term.Var) term.Ref { return s.Variable(pos, old) }, false)
	return s.Let(pos, a, found, changed)
}

// open opens m, the cells from lo to hi, down to the given cell. It returns what leaf makes of the cell, or, if whole
// is set, the cells with that in its place.
func (s *statePassing) open(m term.Var, lo, hi, cell int, pos term.Pos, leaf func(old term.Var) term.Ref,
	whole bool) term.Ref {
	if hi-lo == 1 {
		return leaf(m)
	}
	mid := (lo + hi) / 2
	x := s.NewVar(term.VarInfo{Name: "m", Type: s.memory(lo, mid), Generated: true})
	y := s.NewVar(term.VarInfo{Name: "m", Type: s.memory(mid, hi), Generated: true})
	var body term.Ref
	if cell < mid {
		body = s.open(x, lo, mid, cell, pos, leaf, whole)
		if whole {
			body = s.Pair(pos, body, s.Variable(pos, y))
		}
	} else {
		body = s.open(y, mid, hi, cell, pos, leaf, whole)
		if whole {
			body = s.Pair(pos, s.Variable(pos, x), body)
		}
	}
	return s.Unpair(pos, x, y, s.Variable(pos, m), body)
}
