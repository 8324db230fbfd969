package term

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"unsafe"
)

// Expand returns the term that t stands for, without families: t itself if it has none. Variables that t does not
// bind in a family keep their numbers; each instance of another has one of its own, with the same name. The nodes
// share nothing with those of t, but types and data are t's.
//
// reserve and look may be nil. reserve is called once, before memory is allocated, with the bytes that the expansion
// has at most. look is called at least every 2¹⁶ nodes. The error is one of theirs.
func (t *Term) Expand(reserve func(bytes int64) error, look func() error) (*Term, error) {
	return t.expand(nil, reserve, look)
}

// ExpandSome is [Term.Expand], but only the chosen nodes that comprehend are expanded, and those that bind an index
// of the bound of one.
func (t *Term) ExpandSome(chosen []bool, reserve func(bytes int64) error, look func() error) (*Term, error) {
	return t.expand(chosen, reserve, look)
}

// ExpandOutside is [Term.ExpandSome] of what [Term.Outside] returns.
func (t *Term) ExpandOutside(look func() error) (*Term, error) {
	return t.expand(t.Outside(math.Inf(1)), nil, look)
}

func (t *Term) expand(chosen []bool, reserve func(bytes int64) error, look func() error) (*Term, error) {
	if !t.Families() {
		return t, nil
	}
	live, err := t.Inside(look, t.Root)
	if err != nil {
		return nil, err
	}
	some := chosen != nil
	if some {
		chosen = t.withBinders(chosen, live)
	}
	nodes, args, vars := t.expansion(live, chosen)
	if reserve != nil {
		bytes := nodes*float64(unsafe.Sizeof(Node{})) + args*float64(unsafe.Sizeof(Ref(0))) + vars*float64(unsafe.Sizeof(VarInfo{}))
		if err := reserve(int64(min(bytes, math.MaxInt64/2))); err != nil {
			return nil, err
		}
	}
	out := &Term{Types: t.Types, Nodes: make([]Node, 1, int(nodes)+1), Args: make([]Ref, 0, int(args)), Data: t.Data}
	var side []sideBySide
	if some {
		out.Indices, out.Statics = slices.Clip(t.Indices), slices.Clip(t.Statics)
		out.ShareVars(t)
		side = t.sideBySide(live)
	} else {
		out.CopyVars(t, int(vars)-t.NumVars())
	}
	x := &expander{side: side, chosen: chosen, src: t, dst: out, at: make([]float64, len(t.Indices)), kept: make([]Index, len(t.Indices)),
		refs: make([]Ref, len(t.Nodes)), own: make([]Var, t.NumVars()), used: make([]bool, t.NumVars()), tasks: []expansion{{r: t.Root}}}
	for len(x.tasks) > 0 {
		if look != nil && len(out.Nodes) >= x.next {
			if err := look(); err != nil {
				return nil, err
			}
			x.next = len(out.Nodes) + lookEvery
		}
		k := x.tasks[len(x.tasks)-1]
		x.tasks = x.tasks[:len(x.tasks)-1]
		x.do(k)
	}
	out.Root = x.refs[t.Root]
	return out, nil
}

// Large reports whether [Term.Outside] leaves out a node that comprehends.
func (t *Term) Large(most float64) bool {
	live, _ := t.Inside(nil, t.Root)
	for r, chosen := range t.Outside(most) {
		if live[r] && !chosen && t.Nodes[r].Comprehends() {
			return true
		}
	}
	return false
}

// withBinders adds to chosen nodes those that bind the indices of their bounds.
func (t *Term) withBinders(chosen, live []bool) []bool {
	all := slices.Clone(chosen)
	binder := make([]Ref, len(t.Indices))
	for r := range t.Nodes {
		if n := &t.Nodes[r]; live[r] && n.Comprehends() {
			binder[n.Index()] = Ref(r)
		}
	}
	for r := len(t.Nodes) - 1; r > 0; r-- { // a binder stands behind what it binds
		if n := &t.Nodes[r]; all[r] && live[r] && n.Comprehends() {
			t.mentions(n.Static(), func(i Index) { all[binder[i]] = true })
		}
	}
	return all
}

// Outside returns which nodes comprehend and stand in no λ, and have at most so many nodes in their expansion; lists
// only in others. What stands in such a node is among them.
func (t *Term) Outside(most float64) []bool {
	live, _ := t.Inside(nil, t.Root)
	nest := t.nest(live)
	size := make([]float64, len(t.Nodes)) // of the expansion of a node
	inside := make([]bool, len(t.Nodes))  // a node is in a λ or a list that stands in no family
	chosen := make([]bool, len(t.Nodes))
	for r := range t.Nodes {
		if live[r] {
			size[r] += nest.times(nest.in(Ref(r)))
			t.Kids(&t.Nodes[r], func(k Ref) { size[r] += size[k] })
		}
	}
	for r := len(t.Nodes) - 1; r > 0; r-- {
		n := &t.Nodes[r]
		if !live[r] {
			continue
		}
		in := inside[r]
		switch free := nest.in(Ref(r)) == 0; {
		case n.Comprehends() && !free:
			chosen[r] = !in
		case n.Comprehends() && n.Op != ListFamilyOp && size[r] <= most:
			chosen[r] = !in
		case free && (n.Comprehends() || n.Op == LamOp && !t.Info(n.X).Linear):
			in = true
		}
		t.Kids(n, func(k Ref) { inside[k] = in })
	}
	return chosen
}

// ExpandedSize returns how many nodes and variables the expansion of t has at most.
func (t *Term) ExpandedSize() float64 {
	if !t.Families() {
		return float64(len(t.Nodes) + t.NumVars())
	}
	live, _ := t.Inside(nil, t.Root)
	nodes, _, vars := t.expansion(live, nil)
	return nodes + vars
}

// expansion returns how many nodes, children of nodes with many, and variables the expansion of the chosen nodes, or
// of all, has at most.
func (t *Term) expansion(live, chosen []bool) (nodes, args, vars float64) {
	nest := t.nest(live)
	if chosen != nil {
		nest.keep(live, chosen)
	}
	vars = float64(t.NumVars())
	for r := range t.Nodes {
		if !live[r] {
			continue
		}
		n := &t.Nodes[r]
		times := nest.times(nest.in(Ref(r)))
		switch n.Op {
		case SumOp, ReverseSumOp:
			nodes += nest.size(n, nest.in(Ref(r)))
			if n.Sym != NoSymbol {
				args += 8 * nest.times(n.Index()) // of f, two slopes and two products
			}
		case FamilyOp, ListFamilyOp:
			nodes += times
			args += nest.times(n.Index())
		case FunOp, VecOp, IfOp, ListOp, UnvecOp, UntupleOp, CaseOp, BranchOp, FixOp:
			nodes += times
			args += times * float64(2*n.N)
		default:
			nodes += times
		}
		if n.Op == ReverseSumOp {
			vars += 5 * nest.times(n.Index()) // those of D(t+u); one of D(0)
			vars += times
		}
		if times > 1 {
			t.Binders(n, func(Var) { vars += times - 1 })
		}
	}
	return nodes, args, vars
}

// expansion is a node to be expanded, or what is left to do after its parts.
type expansion struct {
	r    Ref
	step uint8
	i, n int // of a node that comprehends: the next value of its index, and how many there are
}

// The steps of an expansion.
const (
	visitStep uint8 = iota
	loopStep        // expand the body for the next value of the index
	makeStep        // make the node of its parts
)

type expander struct {
	src, dst *Term
	at       []float64 // the values of the indices
	refs     []Ref     // by node: its last instance
	own      []Var     // by variable: its last instance, if not itself
	used     []bool    // by variable: it has an instance, which is itself
	vals     []Ref     // the components of families that are being made
	tasks    []expansion
	chosen   []bool // by node: it is expanded; nil: all are
	side     []sideBySide
	kept     []Index // by index: the last instance of one whose node is not expanded, which is itself in the first
	next     int
}

func (x *expander) push(k expansion) { x.tasks = append(x.tasks, k) }

func (x *expander) do(k expansion) {
	t := x.src
	n := &t.Nodes[k.r]
	switch {
	case k.step == makeStep:
		x.refs[k.r] = x.make(*n)
	case k.step == loopStep:
		x.loop(k, n)
	case n.Comprehends() && (x.chosen == nil || x.chosen[k.r]):
		x.push(expansion{r: k.r, step: loopStep, n: int(t.Value(n.Static(), x.at))})
	case n.Comprehends():
		x.keep(n.Index())
		x.parts(k.r, n)
	case n.Op == ComponentOp && x.known(n.Static()):
		x.refs[k.r] = x.dst.Variable(n.Pos, x.instance(n.X+Var(t.Value(n.Static(), x.at))))
	case n.Op == IndexNumOp && x.known(n.Static()):
		x.refs[k.r] = x.dst.Num(n.Pos, t.Value(n.Static(), x.at))
	default:
		x.parts(k.r, n)
	}
}

// keep gives an index whose node is not expanded its next instance: the first is the index itself.
func (x *expander) keep(i Index) {
	if x.kept[i] == 0 {
		x.kept[i] = i
		return
	}
	x.kept[i] = x.dst.NewIndex(x.src.Indices[i])
}

// known reports whether a static expression has only indices of nodes that are expanded.
func (x *expander) known(e Static) bool {
	known := true
	x.src.mentions(e, func(i Index) { known = known && x.kept[i] == 0 })
	return known
}

// static returns the instance of a static expression.
func (x *expander) static(e Static) Static {
	n := x.src.Statics[e]
	same := true
	x.src.mentions(e, func(i Index) { same = same && x.kept[i] == i })
	switch {
	case same:
		return e
	case x.known(e):
		return x.dst.Static(StaticNode{Op: StaticNum, Val: x.src.Value(e, x.at)})
	case n.Op == StaticIndex:
		n.Index = x.kept[n.Index]
	default:
		n.A = x.static(n.A)
		if n.Op != StaticNeg {
			n.B = x.static(n.B)
		}
	}
	return x.dst.Static(n)
}

// parts expands the parts of a node, and then makes the node.
func (x *expander) parts(r Ref, n *Node) {
	x.src.Binders(n, x.bind)
	x.push(expansion{r: r, step: makeStep})
	from := len(x.tasks)
	x.src.Kids(n, func(r Ref) { x.push(expansion{r: r}) })
	slices.Reverse(x.tasks[from:])
}

// make makes a node of its parts.
func (x *expander) make(n Node) Ref {
	switch {
	case n.Comprehends():
		n.Off = uint32(x.kept[n.Index()])
		fallthrough
	case n.Op == ComponentOp, n.Op == IndexNumOp:
		n.B = Ref(x.static(n.Static()))
	}
	return x.dst.Copy(x.src, n, func(r Ref) Ref { return x.refs[r] }, x.instance)
}

// bind gives a variable its next instance: the first is the variable itself.
func (x *expander) bind(v Var) {
	if !x.used[v] {
		x.used[v] = true
		return
	}
	k := sort.Search(len(x.side), func(k int) bool { return v < x.side[k].end })
	if k == len(x.side) || v < x.side[k].first {
		x.own[v] = x.dst.NewVar(x.src.Info(v))
		return
	}
	s := &x.side[k]
	if x.instance(v) == s.instance+v-s.first { // this instance of v is there
		s.instance = Var(x.dst.NumVars())
		for u := s.first; u < s.end; u++ {
			if w := x.dst.NewVar(x.src.Info(u)); !x.used[u] { // nothing binds u: it is a component that is not opened
				x.own[u] = w
			}
		}
	}
	x.own[v] = s.instance + v - s.first
}

// sideBySide are variables from first on, before end, that components mention: in each instance, too, they follow
// each other, whatever binds them. instance is the first of the last instance.
type sideBySide struct{ first, end, instance Var }

// sideBySide returns the variables that have to stay side by side, in order.
func (t *Term) sideBySide(live []bool) []sideBySide {
	var all []sideBySide
	for r := range t.Nodes {
		if n := &t.Nodes[r]; live[r] && n.Op == ComponentOp && n.N > 1 {
			if s := (sideBySide{n.X, n.X + Var(n.N), n.X}); len(all) == 0 || all[len(all)-1] != s {
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b sideBySide) int { return cmp.Compare(a.first, b.first) })
	merged := all[:0]
	for _, s := range all {
		if last := len(merged) - 1; last >= 0 && s.first < merged[last].end {
			merged[last].end = max(merged[last].end, s.end)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// instance returns the instance of a variable that is in scope.
func (x *expander) instance(v Var) Var {
	if x.own[v] != 0 {
		return x.own[v]
	}
	return v
}

// loop collects the instance of the body that was made last, and goes on with the next one, or makes the node of all.
func (x *expander) loop(k expansion, n *Node) {
	if k.i > 0 {
		x.vals = append(x.vals, x.refs[n.A])
	}
	if k.i < k.n {
		x.at[n.Index()] = float64(k.i)
		k.i++
		x.push(k)
		x.push(expansion{r: n.A})
		return
	}
	base := len(x.vals) - k.n
	x.refs[k.r] = x.collect(n, x.vals[base:])
	x.vals = x.vals[:base]
}

// collect makes the node that a comprehension of the given components stands for.
func (x *expander) collect(n *Node, parts []Ref) Ref {
	t, part := x.dst, func(i int) Ref { return parts[i] }
	switch {
	case n.Op == FamilyOp:
		return t.Vec(n.Pos, parts)
	case n.Op == ListFamilyOp:
		return t.List(n.Pos, n.Elem, n.Res, parts)
	case len(parts) == 0 && n.Op == SumOp:
		return t.Num(n.Pos, 0)
	case len(parts) == 0:
		return t.ReverseNum(n.Pos, t.Num(n.Pos, 0))
	case n.Op == SumOp && n.Sym != NoSymbol:
		return Sum(len(parts), part, func(a, b Ref) Ref { return t.Fun(n.Pos, n.Sym, a, b) })
	case n.Op == SumOp:
		return Sum(len(parts), part, func(a, b Ref) Ref { return t.Add(n.Pos, a, b) })
	case n.Sym != NoSymbol:
		return Sum(len(parts), part, func(a, b Ref) Ref { return t.ReverseFun(n.Pos, n.Sym, a, b) })
	}
	return Sum(len(parts), part, func(a, b Ref) Ref { return t.ReverseAdd(n.Pos, a, b) })
}
