package lang

// typ names a type under inference: an index into [types]. 0 is no type.
type typ uint32

// size names the length of a vector under inference. 0 is no size.
type size uint32

type typeKind uint8

const (
	openType  typeKind = iota // not known yet
	realType                  // R
	prodType                  // a * b
	arrowType                 // a -> b
	vecType                   // a^n
	dualType                  // R -o a, where a is R or R^n
	listType                  // List a with results b
	natType                   // Nat with results b
)

// typeNode is a type, or a forward to the type that it has been found equal to.
type typeNode struct {
	kind  typeKind
	depth uint8 // bounds the length of the chains of links that end here
	// closed tells that no open type is below.
	closed bool
	link   typ
	a, b   typ
	// n is the size of a vector. For an abbreviation (listType, natType) it
	// is the arrow that it stands for, 0 before it has been needed.
	n uint32
}

type sizeNode struct {
	link  size
	known bool
	n     int
}

// types is the arena of inference: types with holes, and union-find over them.
//
// Unification merges two types of one form before it looks at their parts, so it
// is almost linear in the number of nodes however much they share. Until it has
// succeeded every link stands on the trail and can be taken back, so a message
// shows the types as they were.
type types struct {
	nodes []typeNode
	sizes []sizeNode

	pairs     []typePair
	trail     []typ
	sizeTrail []size
	walk      []typ
	seen      []uint32 // for each node, the walk that last met it
	epoch     uint32

	// watched has the open types whose being settled is to be noted in woken.
	watched map[typ][]int
	woken   []typ
}

type typePair struct{ a, b typ }

const realT typ = 1

func newTypes() *types {
	return &types{
		nodes: []typeNode{{}, {kind: realType, closed: true}},
		sizes: make([]sizeNode, 1, 16),
	}
}

func (tt *types) add(n typeNode) typ {
	tt.nodes = append(tt.nodes, n)
	return typ(len(tt.nodes) - 1)
}

// open returns a new type of which nothing is known.
func (tt *types) open() typ { return tt.add(typeNode{}) }

func (tt *types) binary(k typeKind, a, b typ) typ {
	a, b = tt.find(a), tt.find(b)
	return tt.add(typeNode{kind: k, a: a, b: b, closed: tt.nodes[a].closed && tt.nodes[b].closed})
}

func (tt *types) prod(a, b typ) typ  { return tt.binary(prodType, a, b) }
func (tt *types) arrow(a, b typ) typ { return tt.binary(arrowType, a, b) }

// list returns List a, used at results of type x.
func (tt *types) list(a, x typ) typ { return tt.binary(listType, a, x) }

// nat returns Nat, used at results of type x.
func (tt *types) nat(x typ) typ { return tt.binary(natType, realT, x) }

func (tt *types) vec(a typ, n size) typ {
	a = tt.find(a)
	return tt.add(typeNode{kind: vecType, a: a, n: uint32(n), closed: tt.nodes[a].closed && tt.sizes[tt.findSize(n)].known})
}

// dual returns R -o a.
func (tt *types) dual(a typ) typ {
	a = tt.find(a)
	return tt.add(typeNode{kind: dualType, a: a, closed: tt.nodes[a].closed})
}

func (tt *types) knownSize(n int) size {
	tt.sizes = append(tt.sizes, sizeNode{known: true, n: n})
	return size(len(tt.sizes) - 1)
}

func (tt *types) openSize() size {
	tt.sizes = append(tt.sizes, sizeNode{})
	return size(len(tt.sizes) - 1)
}

func (tt *types) find(t typ) typ {
	for tt.nodes[t].link != 0 {
		t = tt.nodes[t].link
	}
	return t
}

func (tt *types) findSize(n size) size {
	for tt.sizes[n].link != 0 {
		n = tt.sizes[n].link
	}
	return n
}

// at returns the node that t now stands for.
func (tt *types) at(t typ) typeNode { return tt.nodes[tt.find(t)] }

func (tt *types) sizeAt(n size) sizeNode { return tt.sizes[tt.findSize(n)] }

// arrowOf returns the arrow that an abbreviation stands for. It is kept, and may be
// made in a unification that is then taken back: so nothing of it is looked through
// the present links.
func (tt *types) arrowOf(t typ) typ {
	n := tt.nodes[t]
	if n.n != 0 {
		return typ(n.n)
	}
	arrow := func(a, b typ) typ {
		return tt.add(typeNode{kind: arrowType, a: a, b: b, closed: tt.nodes[a].closed && tt.nodes[b].closed})
	}
	step := arrow(n.b, n.b)
	f := step
	if n.kind == listType {
		f = arrow(n.a, step)
	}
	x := arrow(f, step)
	tt.nodes[t].n = uint32(x)
	return x
}

// function returns t as an arrow, if it is one or abbreviates one.
func (tt *types) function(t typ) (typeNode, bool) {
	t = tt.find(t)
	switch tt.nodes[t].kind {
	case arrowType:
		return tt.nodes[t], true
	case listType, natType:
		return tt.nodes[tt.arrowOf(t)], true
	}
	return typeNode{}, false
}

// application returns what a value of type t takes and gives, if t is a function's or a
// dual's.
func (tt *types) application(t typ) (takes, gives typ, ok bool) {
	if n := tt.at(t); n.kind == dualType {
		return realT, n.a, true
	}
	a, ok := tt.function(t)
	return a.a, a.b, ok
}

// beforeDual returns how many arguments, fewer than n, a function of type t takes before
// it is a dual, if it becomes one.
func (tt *types) beforeDual(t typ, n int) (k int, dual bool) {
	for ; k < n; k++ {
		if tt.at(t).kind == dualType {
			return k, true
		}
		f, ok := tt.function(t)
		if !ok {
			break
		}
		t = f.b
	}
	return 0, false
}

// numeric reports whether t is R, a vector or open.
func (tt *types) numeric(t typ) bool {
	k := tt.at(t).kind
	return k == realType || k == vecType || k == openType
}

// close makes every open type R.
func (tt *types) close() {
	for i := 1; i < len(tt.nodes); i++ {
		if n := &tt.nodes[i]; n.kind == openType && n.link == 0 {
			n.kind = realType
		}
	}
}
