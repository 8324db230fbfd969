package term

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
)

// Subterm is a subterm of a term with its parts in an order that depends on what it is up to α alone: its nodes from
// the root down, children from left to right, and all else as these mention it.
type Subterm struct {
	t     *Term
	Nodes []Ref
	Bound []Var // the variables that it binds
	Free  []Var // its free variables, in the order of their first occurrences
	Data  []int // the data that it mentions: indices of the term's Data
	// Branches says that it has a conditional.
	Branches bool

	vars map[Var]int // places in Bound, and ^places in Free
	data map[Ref]int // places in Data
	look func() error
}

// Subterm returns the subterm at a node. It takes time linear in its size. look may be nil; it is
// called at least every 2¹⁶ nodes, here and by the methods of the subterm. The error is look's.
func (t *Term) Subterm(at Ref, look func() error) (*Subterm, error) {
	s := &Subterm{t: t, vars: map[Var]int{}, data: map[Ref]int{}, look: look}
	for stack := []Ref{at}; len(stack) > 0; {
		if err := LookAt(len(s.Nodes), look); err != nil {
			return nil, err
		}
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		s.Nodes = append(s.Nodes, r)
		n := &t.Nodes[r]
		s.mention(n)
		from := len(stack)
		t.Kids(n, func(k Ref) { stack = append(stack, k) })
		slices.Reverse(stack[from:])
	}
	return s, nil
}

// mention gives what n binds or mentions its place.
func (s *Subterm) mention(n *Node) {
	s.t.Binders(n, func(x Var) {
		s.vars[x] = len(s.Bound)
		s.Bound = append(s.Bound, x)
	})
	switch n.Op {
	case VarOp: // a binder stands above its occurrences
		if _, ok := s.vars[n.X]; !ok {
			s.vars[n.X] = ^len(s.Free)
			s.Free = append(s.Free, n.X)
		}
	case DataOp:
		if _, ok := s.data[n.A]; !ok {
			s.data[n.A] = len(s.Data)
			s.Data = append(s.Data, int(n.A))
		}
	case IfOp:
		s.Branches = true
	}
}

// Encode appends the subterm as bytes: those of two subterms, of any terms, are equal exactly when the subterms are
// α-equal, with variables of equal types, and mention their free variables, which are taken in the order of Free, and
// data at the same places. No encoding is the beginning of another one. The error is that of a look.
func (s *Subterm) Encode(out []byte) ([]byte, error) {
	return s.encode(&encoder{s: s, out: out, types: map[Type]uint64{}})
}

func (s *Subterm) encode(e *encoder) ([]byte, error) {
	for i, r := range s.Nodes {
		if err := LookAt(i, s.look); err != nil {
			return nil, err
		}
		e.node(&s.t.Nodes[r])
	}
	return e.out, nil
}

type encoder struct {
	s     *Subterm
	out   []byte
	types map[Type]uint64 // the numbers of those that have been written; nil: leave types out

	declared map[Inductive]bool // the inductive types that have been written
}

func (e *encoder) uint(n uint64) { e.out = binary.AppendUvarint(e.out, n) }

func (e *encoder) node(n *Node) {
	t := e.s.t
	e.out = append(e.out, byte(n.Op), byte(n.Cmp))
	e.uint(uint64(n.Sym))
	e.uint(n.Count)
	e.typ(n.Elem)
	e.typ(n.Res)
	switch n.Op {
	case VarOp:
		if i := e.s.vars[n.X]; i >= 0 {
			e.uint(2 * uint64(i))
		} else {
			e.uint(2*uint64(^i) + 1)
		}
	case NumOp:
		e.out = binary.LittleEndian.AppendUint64(e.out, math.Float64bits(n.Val))
	case DataOp:
		e.uint(uint64(e.s.data[n.A]))
	case FunOp, VecOp, ListOp, UnvecOp, UntupleOp, CaseOp, BranchOp, FixOp:
		e.uint(uint64(n.N))
	}
	t.Binders(n, func(x Var) {
		linear := byte(0)
		if t.Info(x).Linear {
			linear = 1
		}
		e.out = append(e.out, linear)
		e.typ(t.TypeOf(x))
	})
}

// typ writes the number of a type, which is new if it is that of no other; what a new one is built of follows.
func (e *encoder) typ(t Type) {
	if e.types == nil {
		return
	}
	tt := e.s.t.Types
	for stack := []Type{t}; len(stack) > 0; {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		i, known := e.types[t]
		if !known {
			i = uint64(len(e.types))
			e.types[t] = i
		}
		e.uint(i)
		if known {
			continue
		}
		n := tt.nodes[t]
		e.out = append(e.out, byte(n.kind))
		if n.kind == MuKind {
			e.inductive(Inductive(n.n))
		} else {
			e.uint(uint64(n.n))
		}
		for _, part := range []Type{n.b, n.a} {
			if part != 0 {
				stack = append(stack, part)
			}
		}
	}
}

// inductive writes a declaration: its name, and its constructors when it is met first.
func (e *encoder) inductive(d Inductive) {
	decl := &e.s.t.Types.inductives[d]
	e.uint(uint64(len(decl.name)))
	e.out = append(e.out, decl.name...)
	if e.declared[d] {
		return
	}
	if e.declared == nil {
		e.declared = map[Inductive]bool{}
	}
	e.declared[d] = true
	e.uint(uint64(len(decl.cons)))
	for _, c := range decl.cons {
		e.uint(uint64(len(c.Name)))
		e.out = append(e.out, c.Name...)
		e.typ(c.Arg)
	}
}

// Isolate returns the subterm as a term of its own, over a universe of its own, that is the same for α-equal subterms:
// its variables are those of Bound and then those of Free, from 1 on, and the name of each is its number, in decimal.
// The Pos of a node is its place in Nodes, from 1 on, and those of the variables follow behind. The data are those of
// the term, in the order of Data. The error is that of a look.
func (s *Subterm) Isolate() (*Term, error) {
	t := s.t
	out := New(NewTypes())
	types := out.Types.translation(t.Types)
	for i, x := range slices.Concat(s.Bound, s.Free) {
		if err := LookAt(i, s.look); err != nil {
			return nil, err
		}
		v, pos := t.Info(x), Pos(len(s.Nodes)+i+1)
		out.NewVar(VarInfo{Name: strconv.Itoa(i + 1), Type: types.of(v.Type), Linear: v.Linear, Pos: pos})
	}
	for _, i := range s.Data {
		out.Data = append(out.Data, t.Data[i])
	}
	var err error
	out.Root, err = out.graft(s, func(i int, n Node) Node {
		n.Pos, n.Elem, n.Res = Pos(i+1), types.of(n.Elem), types.of(n.Res)
		if n.Op == DataOp {
			n.A = Ref(s.data[n.A])
		}
		return n
	}, s.variable)
	return out, err
}

// variable returns the number of x in the isolated term.
func (s *Subterm) variable(x Var) Var {
	i := s.vars[x]
	if i < 0 {
		i = len(s.Bound) + ^i
	}
	return Var(i + 1)
}

// AlphaEqual reports whether t and u are equal up to the names of bound variables
// (section 4). Free variables are compared by name, data by their position, numerals by
// their bits. Types are not compared. It takes time linear in the terms.
func AlphaEqual(t, u *Term) bool {
	a, _ := t.Subterm(t.Root, nil)
	b, _ := u.Subterm(u.Root, nil)
	if len(a.Nodes) != len(b.Nodes) || len(a.Free) != len(b.Free) || !slices.Equal(a.Data, b.Data) {
		return false
	}
	for i, x := range a.Free {
		if t.Info(x).Name != u.Info(b.Free[i]).Name {
			return false
		}
	}
	x, _ := a.encode(&encoder{s: a})
	y, _ := b.encode(&encoder{s: b})
	return bytes.Equal(x, y)
}
