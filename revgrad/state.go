package revgrad

import (
	"slices"

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
	g, err := Ground(t, check)
	if err != nil {
		return nil, err
	}
	s := &statePassing{Term: g, operands: map[term.Var]operand{}, types: map[[2]int]term.Type{}}
	for _, x := range inputs {
		s.operands[x] = s.cell(x)
	}
	result := s.read(g.Root)
	memory := term.VarInfo{Name: "m", Type: s.memory(0, s.cells), Generated: true}

	// The lets, from the outermost in.
	type let struct {
		x   term.Var
		u   term.Ref
		pos term.Pos
	}
	var lets []let
	for _, z := range s.operations {
		lets = append(lets, let{z.x, z.node, z.pos})
	}
	m := s.NewVar(memory)
	lets = append(lets, let{m, s.start(0, s.cells, result), 0})
	for _, z := range slices.Backward(s.operations) {
		for i, p := range z.operands {
			if p.x != 0 {
				next := s.NewVar(memory)
				lets = append(lets, let{next, s.update(m, z, i), z.pos})
				m = next
			}
		}
	}
	g.Root = g.Variable(0, m)
	for _, l := range slices.Backward(lets) {
		g.Root = g.Let(l.pos, l.x, l.u, g.Root)
	}
	return g, nil
}

// statePassing makes S(t).
type statePassing struct {
	*term.Term
	operands   map[term.Var]operand // what the variables of t are bound to
	operations []operation          // in the order in which they are evaluated
	cells      int                  // of the memory
	types      map[[2]int]term.Type // of its parts
}

// operand is an input or the name of an operation, with its cell of the memory; or, where x is 0, a numeral.
type operand struct {
	x    term.Var
	cell int
	r    float64
}

// operation is z := f(p1,…,pk), f a symbol or, with sym 0, +.
type operation struct {
	operand
	node     term.Ref
	sym      term.Symbol
	operands []operand
	pos      term.Pos
}

// cell gives x the next cell of the memory.
func (s *statePassing) cell(x term.Var) operand {
	s.cells++
	return operand{x: x, cell: s.cells - 1}
}

// read lists the operations of a ground term without sugar, and returns its result.
func (s *statePassing) read(r term.Ref) operand {
	for s.Nodes[r].Op == term.LetOp {
		n := s.Nodes[r]
		s.operands[n.X] = s.read(n.B)
		r = n.A
	}
	n := s.Nodes[r]
	z := operation{pos: n.Pos}
	switch n.Op {
	case term.VarOp:
		return s.operands[n.X]
	case term.NumOp:
		return operand{r: n.Val}
	case term.AddOp:
		z.operands = []operand{s.read(n.A), s.read(n.B)}
		z.node = s.Add(n.Pos, s.occurrence(z.operands[0], n.Pos), s.occurrence(z.operands[1], n.Pos))
	default:
		z.sym = n.Sym
		for _, k := range slices.Clone(s.Children(&n)) {
			z.operands = append(z.operands, s.read(k))
		}
		z.node = s.Fun(n.Pos, n.Sym, each(len(z.operands),
			func(i int) term.Ref { return s.occurrence(z.operands[i], n.Pos) })...)
	}
	z.operand = s.cell(s.NewVar(term.VarInfo{Name: "z", Type: term.R, Generated: true}))
	s.operations = append(s.operations, z)
	return z.operand
}

func (s *statePassing) occurrence(p operand, pos term.Pos) term.Ref {
	if p.x == 0 {
		return s.Num(pos, p.r)
	}
	return s.Variable(pos, p.x)
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
func (s *statePassing) start(lo, hi int, result operand) term.Ref {
	if hi-lo == 1 {
		if result.x != 0 && result.cell == lo {
			return s.Num(0, 1)
		}
		return s.Num(0, 0)
	}
	mid := (lo + hi) / 2
	return s.Pair(0, s.start(lo, mid, result), s.start(mid, hi, result))
}

// update is m with ∂i f(p1,…,pk)·m(z) added at pi, for the operation z := f(p1,…,pk).
func (s *statePassing) update(m term.Var, z operation, i int) term.Ref {
	a := s.NewVar(term.VarInfo{Name: "a", Type: term.R, Generated: true})
	product := s.Variable(z.pos, a)
	if z.sym != 0 {
		info := z.sym.Info()
		k := len(z.operands)
		by := s.Slope(z.pos, &info.Partials[i], k, func(j int) term.Ref { return s.occurrence(z.operands[j], z.pos) })
		product = s.Fun(z.pos, term.Mul, by, product)
	}
	changed := s.open(m, 0, s.cells, z.operands[i].cell, z.pos, func(old term.Var) term.Ref {
		return s.Add(z.pos, s.Variable(z.pos, old), product)
	}, true)
	found := s.open(m, 0, s.cells, z.cell, z.pos, func(old term.Var) term.Ref { return s.Variable(z.pos, old) }, false)
	return s.Let(z.pos, a, found, changed)
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
