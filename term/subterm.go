package term

import (
	"bytes"
	"encoding/binary"
	"fmt"
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

// Encode appends t, a subterm in isolation, as bytes: those of two are equal exactly when the subterms are α-equal,
// with variables of equal types, and mention their free variables, which are taken in the order of Free, and data at
// the same places. No encoding is the beginning of another one.
func (t *Term) Encode(out []byte) []byte {
	out = fmt.Appendln(t.encode(out), len(t.Types.nodes))
	out, _ = binary.Append(out, binary.LittleEndian, t.Types.nodes)
	return fmt.Appendf(out, "%#v", t.Types.inductives)
}

// encode appends the nodes of a term in isolation, and of its variables what is no name. Types are numbers.
func (t *Term) encode(out []byte) []byte {
	out = fmt.Appendln(out, len(t.Nodes), len(t.Args), t.NumVars())
	out, _ = binary.Append(out, binary.LittleEndian, t.Nodes) // they are of fixed size
	out, _ = binary.Append(out, binary.LittleEndian, t.Args)
	for x := range t.NumVars() {
		out, _ = binary.Append(out, binary.LittleEndian, t.TypeOf(Var(x)))
		out, _ = binary.Append(out, binary.LittleEndian, t.Linear(Var(x)))
	}
	return out
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
	encoded := func(s *Subterm) []byte {
		t, _ := s.Isolate()
		for i := range t.Nodes {
			t.Nodes[i].Elem, t.Nodes[i].Res = 0, 0
		}
		for v := range t.EachVar() {
			v.Type = 0
		}
		return t.encode(nil)
	}
	return bytes.Equal(encoded(a), encoded(b))
}
