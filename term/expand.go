package term

import (
	"math"
	"slices"
	"unsafe"
)

// Expand returns the term that t stands for, without families: t itself if it has none. Variables that t does not
// bind in a family keep their numbers; each instance of another has one of its own, with the same name. The nodes
// share nothing with those of t, but types and data are t's.
//
// reserve and look may be nil. reserve is called once, before memory is allocated, with the bytes that the expansion
// has at most. look is called at least every 2¹⁶ nodes. The error is one of theirs.
func (t *Term) Expand(reserve func(bytes int64) error, look func() error) (*Term, error) {
	if !t.Families() {
		return t, nil
	}
	live, err := t.Inside(look, t.Root)
	if err != nil {
		return nil, err
	}
	nodes, args, vars := t.expansion(live)
	if reserve != nil {
		bytes := nodes*float64(unsafe.Sizeof(Node{})) + args*float64(unsafe.Sizeof(Ref(0))) +
			vars*float64(unsafe.Sizeof(VarInfo{}))
		if err := reserve(int64(min(bytes, math.MaxInt64/2))); err != nil {
			return nil, err
		}
	}
	out := &Term{Types: t.Types, Nodes: make([]Node, 1, int(nodes)+1), Args: make([]Ref, 0, int(args)), Data: t.Data}
	out.CopyVars(t, int(vars)-t.NumVars())
	x := &expander{src: t, dst: out, at: make([]float64, len(t.Indices)), refs: make([]Ref, len(t.Nodes)),
		own: make([]Var, t.NumVars()), used: make([]bool, t.NumVars()), tasks: []expansion{{r: t.Root}}}
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

// ExpandedSize returns how many nodes and variables the expansion of t has at most.
func (t *Term) ExpandedSize() float64 {
	if !t.Families() {
		return float64(len(t.Nodes) + t.NumVars())
	}
	live, _ := t.Inside(nil, t.Root)
	nodes, _, vars := t.expansion(live)
	return nodes + vars
}

// expansion returns how many nodes, children of nodes with many, and variables the expansion has at most.
func (t *Term) expansion(live []bool) (nodes, args, vars float64) {
	nest := t.nest(live)
	vars = float64(t.NumVars())
	for r := range t.Nodes {
		if !live[r] {
			continue
		}
		n := &t.Nodes[r]
		times := nest.times(nest.in(Ref(r)))
		switch n.Op {
		case SumOp:
			nodes += nest.symbols(Ref(r), func(*Node) int { return 0 })
			if n.Sym != NoSymbol {
				args += 2 * nest.times(n.Index())
			}
		case FamilyOp, ListFamilyOp:
			nodes += times
			args += nest.times(n.Index())
		case ScanOp: // with lets, occurrences and variables
			states := nest.times(n.Index())
			nodes += times + 2*states
			args += states
			vars += states
		case FunOp, VecOp, IfOp, ListOp, UnvecOp, UntupleOp, CaseOp, BranchOp, FixOp:
			nodes += times
			args += times * float64(2*n.N)
		default:
			nodes += times
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
	first    []Ref     // by variable of a scan: the node of the first state while it stands for it; nil without scans
	vals     []Ref     // the components of families that are being made
	states   []Var     // of the scans that are being made
	tasks    []expansion
	next     int
}

func (x *expander) push(k expansion) { x.tasks = append(x.tasks, k) }

func (x *expander) do(k expansion) {
	t := x.src
	n := &t.Nodes[k.r]
	switch {
	case k.step == makeStep:
		x.refs[k.r] = x.dst.Copy(t, *n, func(r Ref) Ref { return x.refs[r] }, x.instance)
	case k.step == loopStep:
		x.loop(k, n)
	case n.Comprehends():
		x.push(expansion{r: k.r, step: loopStep, n: int(t.Value(n.Static(), x.at))})
		if n.Op == ScanOp && t.Nodes[n.First()].Op != VarOp {
			x.push(expansion{r: n.First()})
		}
	case n.Op == VarOp && x.first != nil && x.first[n.X] != 0:
		if of := &t.Nodes[x.first[n.X]]; of.Op == VarOp {
			x.refs[k.r] = x.dst.Variable(n.Pos, x.instance(of.X))
		} else {
			x.refs[k.r] = x.refs[x.first[n.X]]
		}
	case n.Op == ComponentOp:
		x.refs[k.r] = x.dst.Variable(n.Pos, x.instance(n.X+Var(t.Value(n.Static(), x.at))))
	case n.Op == IndexNumOp:
		x.refs[k.r] = x.dst.Num(n.Pos, t.Value(n.Static(), x.at))
	default:
		x.parts(k.r, n)
	}
}

// parts expands the parts of a node, and then makes the node.
func (x *expander) parts(r Ref, n *Node) {
	x.src.Binders(n, x.bind)
	x.push(expansion{r: r, step: makeStep})
	from := len(x.tasks)
	x.src.Kids(n, func(r Ref) { x.push(expansion{r: r}) })
	slices.Reverse(x.tasks[from:])
}

// bind gives a variable its next instance: the first is the variable itself.
func (x *expander) bind(v Var) {
	if !x.used[v] {
		x.used[v] = true
		return
	}
	x.own[v] = x.dst.NewVar(x.src.Info(v))
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
	if n.Op == ScanOp {
		x.state(k, n)
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

// state says what the variable of a scan stands for in the next instance of its body: the first state, or a variable
// that is bound to the last instance.
func (x *expander) state(k expansion, n *Node) {
	if k.i == 0 {
		if x.first == nil {
			x.first = make([]Ref, x.src.NumVars())
		}
		x.first[n.X] = n.First()
		return
	}
	x.first[n.X] = 0
	x.bind(n.X)
	x.states = append(x.states, x.instance(n.X))
}

// scan makes the vector of the states that have the given values, and binds them around it.
func (x *expander) scan(n *Node, values []Ref) Ref {
	base := len(x.states) - len(values)
	states := make([]Ref, len(values))
	for i, y := range x.states[base:] {
		states[i] = x.dst.Variable(n.Pos, y)
	}
	out := x.dst.Vec(n.Pos, states)
	for i, y := range slices.Backward(x.states[base:]) {
		out = x.dst.Let(n.Pos, y, values[i], out)
	}
	x.states = x.states[:base]
	return out
}

// collect makes the node that a comprehension of the given components stands for.
func (x *expander) collect(n *Node, parts []Ref) Ref {
	t := x.dst
	switch {
	case n.Op == FamilyOp:
		return t.Vec(n.Pos, parts)
	case n.Op == ScanOp:
		return x.scan(n, parts)
	case n.Op == ListFamilyOp:
		return t.List(n.Pos, n.Elem, n.Res, parts)
	case len(parts) == 0:
		return t.Num(n.Pos, 0)
	}
	return Sum(len(parts), func(i int) Ref { return parts[i] },
		func(a, b Ref) Ref { return t.Operation(n.Pos, n.Sym, a, b) })
}

// lanes is how many partial sums a sum of more summands has.
const lanes = 8

// Sum adds s ≥ 1 summands in the order of sums, which is part of the language. For s ≤ 8 it is e0 + (e1 + (e2 + …)).
// Above, there are eight lanes. Lane l begins with e_l, and e_{l+8}, e_{l+16}, … are added to it in order. The sum is
//
//	((lane 0 + lane 4) + (lane 2 + lane 6)) + ((lane 1 + lane 5) + (lane 3 + lane 7))
//
// Package kernel adds in the same order.
func Sum[T any](s int, summand func(i int) T, add func(a, b T) T) T {
	if s <= lanes {
		sum := summand(s - 1)
		for i := s - 2; i >= 0; i-- {
			sum = add(summand(i), sum)
		}
		return sum
	}
	lane := func(l int) T {
		sum := summand(l)
		for i := l + lanes; i < s; i += lanes {
			sum = add(sum, summand(i))
		}
		return sum
	}
	four := func(a, b, c, d int) T { return add(add(lane(a), lane(b)), add(lane(c), lane(d))) }
	return add(four(0, 4, 2, 6), four(1, 5, 3, 7))
}
