package lang

// clash says why two types do not unify.
type clash uint8

const (
	noClash   clash = iota
	differ          // they have different forms
	sizes           // they are vectors of different sizes
	selfRefer       // a type would contain itself
)

// unify makes a and b equal. If it can't, nothing changes.
func (tt *types) unify(a, b typ) clash {
	if a == b {
		return noClash
	}
	tt.pairs = append(tt.pairs[:0], typePair{a, b})
	tt.trail, tt.sizeTrail = tt.trail[:0], tt.sizeTrail[:0]
	for len(tt.pairs) > 0 {
		p := tt.pairs[len(tt.pairs)-1]
		tt.pairs = tt.pairs[:len(tt.pairs)-1]
		if c := tt.step(p.a, p.b); c != noClash {
			tt.undo()
			return c
		}
	}
	return noClash
}

func (tt *types) undo() {
	for _, t := range tt.trail {
		tt.nodes[t].link = 0
	}
	for _, n := range tt.sizeTrail {
		tt.sizes[n].link = 0
	}
}

// step makes the outermost forms of two types equal and leaves pairs of parts.
func (tt *types) step(a, b typ) clash {
	rawA, rawB := a, b
	a, b = tt.find(a), tt.find(b)
	if a == b {
		return noClash
	}
	na, nb := &tt.nodes[a], &tt.nodes[b]
	switch {
	case na.kind == openType && nb.kind == openType:
		tt.merge(a, b)
	case na.kind == openType:
		return tt.bind(a, b, rawB)
	case nb.kind == openType:
		return tt.bind(b, a, rawA)
	case na.kind == nb.kind:
		return tt.parts(a, b)
	case na.abbreviation() && (nb.abbreviation() || nb.kind == arrowType):
		tt.pairs = append(tt.pairs, typePair{tt.arrowOf(a), b})
	case nb.abbreviation() && na.kind == arrowType:
		tt.pairs = append(tt.pairs, typePair{a, tt.arrowOf(b)})
	default:
		return differ
	}
	return noClash
}

func (n *typeNode) abbreviation() bool { return n.kind == listType || n.kind == natType }

// parts merges two types of one form and leaves their parts to be unified.
func (tt *types) parts(a, b typ) clash {
	na, nb := tt.nodes[a], tt.nodes[b]
	switch na.kind {
	case vecType:
		if !tt.unifySizes(size(na.n), size(nb.n)) {
			return sizes
		}
	}
	tt.merge(a, b)
	if na.b != 0 {
		tt.pairs = append(tt.pairs, typePair{na.b, nb.b})
	}
	if na.a != 0 {
		tt.pairs = append(tt.pairs, typePair{na.a, nb.a})
	}
	return noClash
}

func (tt *types) unifySizes(a, b size) bool {
	a, b = tt.findSize(a), tt.findSize(b)
	if a == b {
		return true
	}
	na, nb := tt.sizes[a], tt.sizes[b]
	switch {
	case !na.known:
		tt.sizes[a].link = b
		tt.sizeTrail = append(tt.sizeTrail, a)
	case !nb.known:
		tt.sizes[b].link = a
		tt.sizeTrail = append(tt.sizeTrail, b)
	default:
		return na.n == nb.n
	}
	return true
}

// merge links two types of one form, the one with the shorter chains to the other.
func (tt *types) merge(a, b typ) {
	if tt.nodes[a].depth > tt.nodes[b].depth {
		a, b = b, a
	}
	tt.forward(a, b)
}

func (tt *types) forward(a, b typ) {
	tt.nodes[a].link = b
	if _, ok := tt.watched[a]; ok {
		tt.woken = append(tt.woken, a)
	}
	tt.nodes[b].depth = max(tt.nodes[b].depth, tt.nodes[a].depth+1)
	tt.trail = append(tt.trail, a)
}

// bind gives the open type x the value t, unless x occurs in it. The search starts
// from raw, the reference that led to t: merged types on the way count too.
func (tt *types) bind(x, t, raw typ) clash {
	if !tt.nodes[t].closed && tt.occurs(x, raw) {
		return selfRefer
	}
	tt.forward(x, t)
	return noClash
}

func (tt *types) occurs(x, t typ) bool {
	tt.startWalk()
	tt.visit(t)
	for len(tt.walk) > 0 {
		t := tt.walk[len(tt.walk)-1]
		tt.walk = tt.walk[:len(tt.walk)-1]
		if t == x {
			tt.walk = tt.walk[:0]
			return true
		}
		n := &tt.nodes[t]
		tt.visit(n.link)
		tt.visit(n.a)
		tt.visit(n.b)
		if n.abbreviation() {
			tt.visit(typ(n.n))
		}
	}
	return false
}

func (tt *types) startWalk() {
	tt.epoch++
	if n := len(tt.nodes) - len(tt.seen); n > 0 {
		tt.seen = append(tt.seen, make([]uint32, n)...)
	}
}

// visit puts t on the list of nodes to walk through, once.
func (tt *types) visit(t typ) {
	if t == 0 || tt.seen[t] == tt.epoch || tt.nodes[t].closed {
		return
	}
	tt.seen[t] = tt.epoch
	tt.walk = append(tt.walk, t)
}

// generic reports whether an open type is seen in t within a few steps: whether
// a definition in its place could have been used at several types.
func (tt *types) generic(t typ) bool {
	tt.startWalk()
	tt.visit(t)
	defer func() { tt.walk = tt.walk[:0] }()
	for budget := 64; len(tt.walk) > 0 && budget > 0; budget-- {
		n := tt.nodes[tt.walk[len(tt.walk)-1]]
		tt.walk = tt.walk[:len(tt.walk)-1]
		if n.kind == openType && n.link == 0 {
			return true
		}
		tt.visit(n.link)
		if n.link == 0 {
			tt.visit(n.a)
			tt.visit(n.b)
		}
	}
	return false
}
