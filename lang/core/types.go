package core

import (
	"strconv"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/term"
)

// Type names a type under inference: an index into [types]. 0 is no type.
type Type uint32

// Size names the length of a vector under inference. 0 is no size.
type Size uint32

type Kind uint8

const (
	Open  Kind = iota // not known yet
	Real              // R
	Prod              // a * b
	Arrow             // a -> b
	Vec               // a^n
	Dual              // R -o a, where a is R or R^n
	List              // List a with results b
	Nat               // Nat with results b
	Named             // an inductive type: its declaration n, and a the product of its arguments, or 0
	Param             // a parameter n of a declaration, in the arguments of its constructors
)

// TypeNode is a type, or a forward to the type that it has been found equal to.
type TypeNode struct {
	Kind  Kind
	depth uint8 // bounds the length of the chains of links that end here
	// closed tells that no open type is below.
	closed bool
	Link   Type
	A, B   Type
	// n is the size of a vector, a declaration, or the number of a parameter. For an abbreviation (listType, natType) it
	// is the arrow that it stands for, 0 before it has been needed.
	N uint32
}

type SizeNode struct {
	link  Size
	Known bool
	N     int
}

// Types is the arena of inference: types with holes, and union-find over them.
//
// Unification merges two types of one form before it looks at their parts, so it is almost linear in the number of
// nodes however much they share. Until it has succeeded every link stands on the trail and can be taken back, so a
// message shows the types as they were.
type Types struct {
	Nodes []TypeNode
	sizes []SizeNode

	pairs     [][2]Type // that are still to be made equal
	trail     []Type
	sizeTrail []Size
	walk      []Type
	seen      []uint32 // for each node, the walk that last met it
	epoch     uint32

	// Watched has open types. Those that unification settles or merges are added to Settled.
	Watched map[Type][]int
	Settled []Type

	Inductives []Inductive            // the declarations of types
	shapes     map[string]*load.Shape // of inductive types, by their text
	types      map[*load.Shape]Type   // of these shapes
}

const R Type = 1

// NewTypes returns an arena with R alone.
func NewTypes() *Types {
	return &Types{
		Nodes: []TypeNode{{}, {Kind: Real, closed: true}},
		sizes: make([]SizeNode, 1, 16),
	}
}

func (tt *Types) add(n TypeNode) Type {
	closed := func(t Type) bool { return t == 0 || tt.Nodes[t].closed }
	n.closed = n.Kind != Open && n.Kind != Param && closed(n.A) && closed(n.B) &&
		(n.Kind != Vec || tt.SizeAt(Size(n.N)).Known)
	tt.Nodes = append(tt.Nodes, n)
	return Type(len(tt.Nodes) - 1)
}

// Open returns a new type of which nothing is known.
func (tt *Types) Open() Type { return tt.add(TypeNode{}) }

// Real returns a new R, which may be equal to others: all are R.
func (tt *Types) Real() Type { return tt.add(TypeNode{Kind: Real}) }

func (tt *Types) binary(k Kind, a, b Type) Type {
	return tt.add(TypeNode{Kind: k, A: tt.Find(a), B: tt.Find(b)})
}

func (tt *Types) Prod(a, b Type) Type  { return tt.binary(Prod, a, b) }
func (tt *Types) Arrow(a, b Type) Type { return tt.binary(Arrow, a, b) }

// List returns List a, used at results of type x.
func (tt *Types) List(a, x Type) Type { return tt.binary(List, a, x) }

// Nat returns Nat, used at results of type x.
func (tt *Types) Nat(x Type) Type { return tt.binary(Nat, R, x) }

func (tt *Types) Vec(a Type, n Size) Type {
	return tt.add(TypeNode{Kind: Vec, A: tt.Find(a), N: uint32(n)})
}

// Dual returns R -o a.
func (tt *Types) Dual(a Type) Type { return tt.add(TypeNode{Kind: Dual, A: tt.Find(a)}) }

func (tt *Types) KnownSize(n int) Size {
	tt.sizes = append(tt.sizes, SizeNode{Known: true, N: n})
	return Size(len(tt.sizes) - 1)
}

func (tt *Types) OpenSize() Size {
	tt.sizes = append(tt.sizes, SizeNode{})
	return Size(len(tt.sizes) - 1)
}

//go:noinline
func (tt *Types) Find(t Type) Type {
	for tt.Nodes[t].Link != 0 {
		t = tt.Nodes[t].Link
	}
	return t
}

func (tt *Types) findSize(n Size) Size {
	for tt.sizes[n].link != 0 {
		n = tt.sizes[n].link
	}
	return n
}

// At returns the node that t now stands for.
func (tt *Types) At(t Type) TypeNode { return tt.Nodes[tt.Find(t)] }

func (tt *Types) SizeAt(n Size) SizeNode { return tt.sizes[tt.findSize(n)] }

// arrowOf returns the arrow that an abbreviation stands for. It is kept, and may be made in a unification that is then
// taken back: so nothing of it is looked through the present links.
func (tt *Types) arrowOf(t Type) Type {
	n := tt.Nodes[t]
	if n.N != 0 {
		return Type(n.N)
	}
	arrow := func(a, b Type) Type { return tt.add(TypeNode{Kind: Arrow, A: a, B: b}) }
	step := arrow(n.B, n.B)
	f := step
	if n.Kind == List {
		f = arrow(n.A, step)
	}
	x := arrow(f, step)
	tt.Nodes[t].N = uint32(x)
	return x
}

// Function returns t as an arrow, if it is one or abbreviates one.
func (tt *Types) Function(t Type) (TypeNode, bool) {
	t = tt.Find(t)
	switch tt.Nodes[t].Kind {
	case Arrow:
		return tt.Nodes[t], true
	case List, Nat:
		return tt.Nodes[tt.arrowOf(t)], true
	}
	return TypeNode{}, false
}

// ListOf returns what a list has as elements, and what it is folded to. Its type may be a list, or the arrow that one
// abbreviates.
func (tt *Types) ListOf(t Type) (elem, x Type) {
	f, _ := tt.Function(t)
	return tt.At(f.A).A, tt.At(f.B).A
}

// Application returns what a value of type t takes and gives, if t is a function's or a dual's.
func (tt *Types) Application(t Type) (takes, gives Type, ok bool) {
	if n := tt.At(t); n.Kind == Dual {
		return R, n.A, true
	}
	a, ok := tt.Function(t)
	return a.A, a.B, ok
}

// BeforeDual returns how many arguments, fewer than n, a function of type t takes before
// it is a dual, if it becomes one.
func (tt *Types) BeforeDual(t Type, n int) (k int, dual bool) {
	for ; k < n; k++ {
		if tt.At(t).Kind == Dual {
			return k, true
		}
		f, ok := tt.Function(t)
		if !ok {
			break
		}
		t = f.B
	}
	return 0, false
}

// Numeric reports whether t is R, a vector or open.
func (tt *Types) Numeric(t Type) bool {
	k := tt.At(t).Kind
	return k == Real || k == Vec || k == Open
}

// Close makes every open type R.
func (tt *Types) Close() {
	for i := 1; i < len(tt.Nodes); i++ {
		if n := &tt.Nodes[i]; n.Kind == Open && n.Link == 0 {
			n.Kind = Real
		}
	}
}

// VectorSize returns how many components a vector of type t has, if t is one whose size is known.
func (tt *Types) VectorSize(t Type) (int, bool) {
	n := tt.At(t)
	if n.Kind != Vec {
		return 0, false
	}
	s := tt.SizeAt(Size(n.N))
	return s.N, s.Known
}

// Width is the number of scalars of the type of an input or of a component of one.
func (tt *Types) Width(t Type) int {
	switch n := tt.At(t); n.Kind {
	case Prod:
		return tt.Width(n.A) + tt.Width(n.B)
	case Vec:
		return tt.Width(n.A) * tt.SizeAt(Size(n.N)).N
	}
	return 1
}

// Element returns the innermost components of vectors of vectors, t itself if it is no vector. levels is how many
// vectors stand in one another, and sized tells that all their sizes are known.
func (tt *Types) Element(t Type) (elem Type, levels int, sized bool) {
	sized = true
	for n := tt.At(t); n.Kind == Vec; n = tt.At(t) {
		sized = sized && tt.SizeAt(Size(n.N)).Known
		t, levels = n.A, levels+1
	}
	return t, levels, sized
}

// Scalar is the kind of the innermost components of vectors of vectors, of t itself if it is no vector.
func (tt *Types) Scalar(t Type) Kind {
	elem, _, _ := tt.Element(t)
	return tt.At(elem).Kind
}

// Array reports whether t is R, a vector of such, or still open.
func (tt *Types) Array(t Type) bool {
	k := tt.Scalar(t)
	return k == Real || k == Open
}

// maxTypeText bounds the length of a type in a message.
const maxTypeText = 400

// Levels at which a type stands without parentheses, loosest first.
const (
	arrowLevel = iota
	prodLevel
	listLevel
	atomLevel
)

// Text prints types as the user writes them. An open type is R, which it will be if nothing else settles it; or it has
// a name, 'a, 'b, …, in the order in which one Text meets them.
type Text struct {
	tt    *Types
	long  bool // List and Nat as the arrows that they stand for
	Named bool // open types have names
	Lists bool // functions that are lists, see listElement, as lists
	names map[Type]string
	Limit int
}

func (tt *Types) Text() *Text {
	return &Text{tt: tt, names: map[Type]string{}, Limit: maxTypeText}
}

func (p *Text) name(t Type) string {
	s, ok := p.names[t]
	if !ok {
		n := len(p.names)
		s = "'" + string(rune('a'+n%26))
		if n >= 26 {
			s += strconv.Itoa(n / 26)
		}
		p.names[t] = s
	}
	return s
}

// Of returns the text of a type.
func (p *Text) Of(t Type) string { return term.Print(uint32(t), p.Limit, p.parts) }

func text(s string) term.Item { return term.Item{Text: s} }

func part(t Type, level int) term.Item { return term.Item{Ref: uint32(t), Level: level} }

// parts returns the parts of a type and its level.
func (p *Text) parts(ref uint32) ([]term.Item, int) {
	t := p.tt.Find(Type(ref))
	n := p.tt.Nodes[t]
	switch n.Kind {
	case Real:
		return []term.Item{text("R")}, atomLevel
	case Prod:
		return []term.Item{part(n.A, listLevel), text(" * "), part(n.B, prodLevel)}, prodLevel
	case Arrow:
		if elem, ok := p.tt.listElement(t); ok && p.Lists {
			return []term.Item{text("List "), part(elem, listLevel)}, listLevel
		}
		return []term.Item{part(n.A, prodLevel), text(" -> "), part(n.B, arrowLevel)}, arrowLevel
	case Vec:
		sizes := []string{p.Size(Size(n.N))}
		for in := p.tt.At(n.A); in.Kind == Vec; in = p.tt.At(in.A) {
			sizes = append(sizes, p.Size(Size(in.N)))
			n = in
		}
		return []term.Item{part(n.A, atomLevel), text(load.Rows(sizes))}, atomLevel
	case Dual:
		return []term.Item{text("R -o "), part(n.A, arrowLevel)}, arrowLevel
	case List, Nat:
		if p.long {
			return []term.Item{part(p.tt.arrowOf(t), arrowLevel)}, arrowLevel
		}
		if n.Kind == Nat {
			return []term.Item{text("Nat")}, atomLevel
		}
		return []term.Item{text("List "), part(n.A, listLevel)}, listLevel
	case Param:
		return []term.Item{text("'" + string(rune('a'+n.N%26)))}, atomLevel
	case Named:
		items := []term.Item{text(p.tt.Inductives[n.N].Name)}
		for _, a := range p.tt.Args(t) {
			items = append(items, text(" "), part(a, atomLevel))
		}
		if n.A == 0 {
			return items, atomLevel
		}
		return items, listLevel
	}
	if p.Named {
		return []term.Item{text(p.name(t))}, atomLevel
	}
	return []term.Item{text("R")}, atomLevel
}

func (p *Text) Size(n Size) string {
	if s := p.tt.SizeAt(n); s.Known {
		return strconv.Itoa(s.N)
	}
	return "n"
}

// Both prints two types that differ so that the difference shows: if only the
// results of lists and numerals differ, in full.
func (p *Text) Both(a, b Type) (string, string) {
	x, y := p.Of(a), p.Of(b)
	if x == y {
		p.long = true
		x, y = p.Of(a), p.Of(b)
		p.long = false
	}
	return x, y
}
