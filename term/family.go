package term

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Index names an index of a family of a [Term]. 0 is none.
type Index uint32

// IndexInfo describes an index.
type IndexInfo struct {
	Name string
	Pos  Pos
}

// Static names an expression of indices of a [Term]. 0 is none.
type Static uint32

// StaticOp is the constructor of an expression of indices.
type StaticOp uint8

// The constructors of expressions of indices. The comment gives the fields of [StaticNode] that each uses.
const (
	StaticNum   StaticOp = iota // Val
	StaticIndex                 // Index
	StaticAdd                   // A, B
	StaticSub                   // A, B
	StaticMul                   // A, B
	StaticDiv                   // A, B
	StaticNeg                   // A
	StaticBelow                 // A if it is a natural number below Val, otherwise 0
)

// StaticNode is a constructor of an expression of indices with its parts. Its value is that of the operations on
// float64, so it is exact on the natural numbers up to 2⁵³.
type StaticNode struct {
	Op    StaticOp
	Index Index
	A, B  Static
	Val   float64
}

// MaxStatic is how deep expressions of indices may nest.
const MaxStatic = 100

// NewIndex adds an index.
func (t *Term) NewIndex(info IndexInfo) Index {
	if len(t.Indices) == 0 {
		t.Indices = make([]IndexInfo, 1, 8)
	}
	t.Indices = append(t.Indices, info)
	return Index(len(t.Indices) - 1)
}

// Static adds an expression of indices.
func (t *Term) Static(n StaticNode) Static {
	if len(t.Statics) == 0 {
		t.Statics = make([]StaticNode, 1, 16)
	}
	t.Statics = append(t.Statics, n)
	return Static(len(t.Statics) - 1)
}

// Component adds x_e, the component e of the n consecutive variables from x on.
func (t *Term) Component(p Pos, x Var, n int, e Static) Ref {
	return t.add(Node{Op: ComponentOp, Pos: p, X: x, B: Ref(e), N: uint32(n)})
}

// IndexNum adds the numeral that is the value of e.
func (t *Term) IndexNum(p Pos, e Static) Ref { return t.add(Node{Op: IndexNumOp, Pos: p, B: Ref(e)}) }

// Family adds ⟦body | i < s⟧, s ≥ 1 a number.
func (t *Term) Family(p Pos, i Index, s Static, body Ref) Ref {
	return t.add(Node{Op: FamilyOp, Pos: p, A: body, B: Ref(s), Off: uint32(i)})
}

// Sum adds Σ(i < s) body.
func (t *Term) Sum(p Pos, i Index, s Static, body Ref) Ref {
	return t.add(Node{Op: SumOp, Pos: p, A: body, B: Ref(s), Off: uint32(i)})
}

// Most adds the largest of the numbers body, i < s, by [Max], in the order of sums, s ≥ 1.
func (t *Term) Most(p Pos, i Index, s Static, body Ref) Ref {
	return t.add(Node{Op: SumOp, Sym: Max, Pos: p, A: body, B: Ref(s), Off: uint32(i)})
}

// ListFamily adds [body | i < s], of type List(elem, res).
func (t *Term) ListFamily(p Pos, i Index, s Static, elem, res Type, body Ref) Ref {
	return t.add(Node{Op: ListFamilyOp, Pos: p, A: body, B: Ref(s), Off: uint32(i), Elem: elem, Res: res})
}

// Scan adds the vector of the states of a loop but for the first: ⟦x1,…,xs⟧[xs:=next{xs−1/x, s−1/i}]…[x1:=next{first/x,
// 0/i}], s ≥ 1 a number. The first state is an occurrence of a variable, or x occurs once in next, outside λs and
// comprehensions.
func (t *Term) Scan(p Pos, i Index, s Static, x Var, first, next Ref) Ref {
	return t.add(Node{Op: ScanOp, Pos: p, X: x, A: next, B: Ref(s), Off: uint32(i), N: uint32(first)})
}

// First returns the first state of a scan.
func (n *Node) First() Ref { return Ref(n.N) }

// Comprehends reports whether n has an index of its own: it is a family, a sum or a list of all values of the index, or
// a scan.
func (n *Node) Comprehends() bool {
	switch n.Op {
	case FamilyOp, SumOp, ListFamilyOp, ScanOp:
		return true
	}
	return false
}

// Index returns the index of a node that comprehends.
func (n *Node) Index() Index { return Index(n.Off) }

// Static returns the expression of a component or numeral, or the bound of an index.
func (n *Node) Static() Static { return Static(n.B) }

// Expressions are expressions of indices, and the bounds of these.
type Expressions struct {
	Nodes  []StaticNode
	Bounds []Static // by index
}

// Value returns the value of e where index i is at[i].
func (t *Term) Value(e Static, at []float64) float64 {
	return (&Expressions{Nodes: t.Statics}).Value(e, at)
}

// Value returns the value of e where index i is at[i].
func (s *Expressions) Value(e Static, at []float64) float64 {
	n := &s.Nodes[e]
	switch n.Op {
	case StaticNum:
		return n.Val
	case StaticIndex:
		return at[n.Index]
	}
	b := 0.0
	if n.B != 0 {
		b = s.Value(n.B, at)
	}
	return n.Of(s.Value(n.A, at), b)
}

// Of returns the value of an operation whose parts A and B have the values a and b.
func (n *StaticNode) Of(a, b float64) float64 {
	switch n.Op {
	case StaticNeg:
		return -a
	case StaticBelow:
		if a >= 0 && a < n.Val && a == math.Trunc(a) {
			return a
		}
		return 0
	case StaticAdd:
		return a + b
	case StaticSub:
		return a - b
	case StaticMul:
		return a * b
	}
	return a / b
}

// Mentions calls f on the indices in e, which may be 0.
func (s *Expressions) Mentions(e Static, f func(Index)) {
	if e == 0 {
		return
	}
	n := &s.Nodes[e]
	if n.Op == StaticIndex {
		f(n.Index)
	}
	s.Mentions(n.A, f)
	s.Mentions(n.B, f)
}

// affine adds e times a factor to first + Σ by[i]·i, if sums and products with numbers show that it is of this form.
func (s *Expressions) affine(e Static, times float64, first *float64, by map[Index]float64) bool {
	switch n := &s.Nodes[e]; n.Op {
	case StaticNum:
		*first += times * n.Val
	case StaticIndex:
		by[n.Index] += times
	case StaticAdd:
		return s.affine(n.A, times, first, by) && s.affine(n.B, times, first, by)
	case StaticSub:
		return s.affine(n.A, times, first, by) && s.affine(n.B, -times, first, by)
	case StaticMul:
		if k := &s.Nodes[n.B]; k.Op == StaticNum {
			return s.affine(n.A, times*k.Val, first, by)
		}
		return false
	default:
		return false
	}
	return true
}

// Affine returns e as first + Σ by[i]·i, if sums and products with numbers show that it is of this form.
func (t *Term) Affine(e Static) (first float64, by map[Index]float64, ok bool) {
	by = map[Index]float64{}
	ok = (&Expressions{Nodes: t.Statics}).affine(e, 1, &first, by)
	return first, by, ok
}

// Difference is a − b, if it is shown to be the same for all values of the indices.
func (s *Expressions) Difference(a, b Static) (x float64, ok bool) {
	by := map[Index]float64{}
	ok = s.affine(a, 1, &x, by) && s.affine(b, -1, &x, by)
	for _, times := range by {
		ok = ok && times == 0
	}
	return x, ok
}

// Bounded reports whether e has a [StaticBelow] in it.
func (t *Term) Bounded(e Static) bool {
	n := &t.Statics[e]
	return n.Op == StaticBelow || n.A != 0 && t.Bounded(n.A) || n.B != 0 && t.Bounded(n.B)
}

// Each calls f for all values of the indices, which stand in one another in this order, and are put in at, until it
// returns false.
func (s *Expressions) Each(chain []Index, at []float64, f func() bool) bool {
	if len(chain) == 0 {
		return f()
	}
	for k := range int(s.Value(s.Bounds[chain[0]], at)) {
		if at[chain[0]] = float64(k); !s.Each(chain[1:], at, f) {
			return false
		}
	}
	return true
}

// Interval returns a range that the values of e are in; whole says that they are whole numbers.
func (s *Expressions) Interval(e Static) (lo, hi float64, whole bool) {
	n := &s.Nodes[e]
	switch n.Op {
	case StaticNum:
		return n.Val, n.Val, n.Val == math.Trunc(n.Val)
	case StaticIndex:
		_, hi, whole = s.Interval(s.Bounds[n.Index])
		return 0, max(0, hi-1), whole
	}
	lo, hi, a := s.Interval(n.A)
	switch n.Op {
	case StaticNeg:
		return -hi, -lo, a
	case StaticBelow:
		if hi >= n.Val || lo < 0 {
			lo = 0
		}
		return lo, min(max(hi, 0), n.Val-1), true
	}
	low, high, b := s.Interval(n.B)
	switch {
	case n.Op == StaticAdd:
		return lo + low, hi + high, a && b
	case n.Op == StaticSub:
		return lo - high, hi - low, a && b
	case n.Op == StaticDiv && low <= 0 && high >= 0:
		return math.Inf(-1), math.Inf(1), false
	case n.Op == StaticDiv:
		return min(lo/low, lo/high, hi/low, hi/high), max(lo/low, lo/high, hi/low, hi/high), false
	}
	return min(lo*low, lo*high, hi*low, hi*high), max(lo*low, lo*high, hi*low, hi*high), a && b
}

// Families reports whether the term has nodes that stand for their expansion.
func (t *Term) Families() bool {
	return slices.ContainsFunc(t.Nodes, func(n Node) bool {
		return n.Comprehends() || n.Op == ComponentOp || n.Op == IndexNumOp
	})
}

// IndicesOf returns the indices that a static expression has.
func (t *Term) IndicesOf(e Static) (out []Index) {
	(&Expressions{Nodes: t.Statics}).Mentions(e, func(i Index) { out = append(out, i) })
	return out
}

// nest is where the indices of a term stand: in one another.
type nest struct {
	Expressions
	t     *Term
	outer []Index // of each index: that of the innermost family around its own
	scope []Index // of each node: the index of the innermost family around it; nil in a term without families
	count []float64
}

// nest finds the indices of the families in the live nodes.
func (t *Term) nest(live []bool) *nest {
	most := len(t.Indices)
	s := &nest{Expressions: Expressions{t.Statics, make([]Static, most)}, t: t, outer: make([]Index, most),
		count: make([]float64, max(1, most))}
	if len(t.Statics) > 0 {
		s.scope = make([]Index, len(t.Nodes))
		for r := len(t.Nodes) - 1; r > 0; r-- {
			if !live[r] {
				continue
			}
			n, in := &t.Nodes[r], s.scope[r]
			if n.Comprehends() {
				s.Bounds[n.Index()], s.outer[n.Index()] = n.Static(), in
				in = n.Index()
			}
			t.Kids(n, func(k Ref) { s.scope[k] = in })
			if n.Op == ScanOp { // the first state stands outside
				s.scope[n.First()] = s.scope[r]
			}
		}
	}
	s.count[0] = 1
	return s
}

// in returns the index of the innermost family around node r, 0 if there is none.
func (s *nest) in(r Ref) Index {
	if s.scope == nil {
		return 0
	}
	return s.scope[r]
}

// chain returns the indices around a node in scope i on which the values of e depend, the outermost first: those in
// e, and those whose bound depends on an index, which may be 0, with what it depends on.
func (s *nest) chain(i Index, e Static) []Index {
	needed := map[Index]bool{}
	s.Mentions(e, func(j Index) { needed[j] = true })
	for j := i; j != 0; j = s.outer[j] {
		s.Mentions(s.Bounds[j], func(k Index) {
			needed[j], needed[k] = true, true
		})
	}
	return slices.DeleteFunc(s.around(i), func(i Index) bool { return !needed[i] })
}

// around returns the indices around a node in scope i, the outermost first.
func (s *nest) around(i Index) (chain []Index) {
	for ; i != 0; i = s.outer[i] {
		chain = append(chain, i)
	}
	slices.Reverse(chain)
	return chain
}

// each calls f for all values of the indices, which stand in one another in this order.
func (s *nest) each(chain []Index, f func(at []float64)) {
	at := make([]float64, len(s.t.Indices))
	s.Each(chain, at, func() bool {
		f(at)
		return true
	})
}

// times returns how many instances a node in scope i has in the expansion.
func (s *nest) times(i Index) float64 {
	if s.count[i] != 0 || i == 0 {
		return s.count[i]
	}
	if len(s.chain(i, s.Bounds[i])) == 0 {
		s.count[i] = s.times(s.outer[i]) * s.Value(s.Bounds[i], nil)
	} else { // the bound depends on outer indices: all their values are gone through
		s.each(s.around(s.outer[i]), func(at []float64) { s.count[i] += s.Value(s.Bounds[i], at) })
	}
	return s.count[i]
}

// image calls f on the numbers that the expression of a component r takes, each as often as its indices have values.
func (s *nest) image(r Ref, f func(e float64)) {
	e := s.t.Nodes[r].Static()
	s.each(s.chain(s.in(r), e), func(at []float64) { f(s.Value(e, at)) })
}

// mentioned calls f on the variables that occur in node r, which may be a component: those that its expansion has.
func (s *nest) mentioned(r Ref, f func(Var)) {
	if s.times(s.in(r)) == 0 {
		return
	}
	switch n := &s.t.Nodes[r]; n.Op {
	case VarOp:
		f(n.X)
	case ComponentOp:
		s.image(r, func(e float64) { f(n.X + Var(e)) })
	}
}

// sizeOf is the number of symbols of a comprehension of s summands or components, without those. Each node that stands
// for it has so many more.
func sizeOf(n *Node, s float64, more func(n *Node) int) float64 {
	switch n.Op {
	case FamilyOp:
		return max(1, s-1)
	case ScanOp: // with s lets and occurrences; the first state stands for one
		return max(1, s-1) + 2*s - 1
	case ListFamilyOp:
		return 3 + 3*s
	}
	sum := Node{Op: AddOp} // one of those that it stands for
	switch {
	case s == 0:
		sum.Op, s = NumOp, 2
	case n.Sym != NoSymbol:
		sum.Op, sum.Sym, sum.N = FunOp, n.Sym, 2
	}
	return (s - 1) * float64(1+more(&sum))
}

// symbols returns the symbols of all instances of node r, without those of its parts. Each has so many more.
func (s *nest) symbols(r Ref, more func(n *Node) int) float64 {
	n, i := &s.t.Nodes[r], s.in(r)
	switch {
	case !n.Comprehends():
		return s.times(i) * (s.t.symbolsOf(n) + float64(more(n)))
	case len(s.chain(i, n.Static())) == 0:
		return s.times(i) * sizeOf(n, s.Value(n.Static(), nil), more)
	}
	var size float64
	s.each(s.around(i), func(at []float64) { size += sizeOf(n, s.Value(n.Static(), at), more) })
	return size
}

// component types x_e: the variables from x on have one type and are in scope, and e is one of their numbers.
func (c *checker) component(r Ref, n *Node) (Type, error) {
	ty, err := c.variable(r, n.X)
	if err != nil {
		return 0, err
	}
	if int(n.X)+int(n.N) > c.t.NumVars() {
		return 0, c.errorf(r, "%s is not the first of %d variables", c.t.Info(n.X).Name, n.N)
	}
	binder := c.tr.binder[n.X]
	for x := n.X; x < n.X+Var(n.N); x++ {
		if v := c.t.unnamed(x); v.Type != ty || v.Linear || c.tr.binder[x] != binder && !c.t.inScope(c.tr, r, x) {
			return 0, c.errorf(r, "%s is not a component beside %s", c.t.Info(x).Name, c.t.Info(n.X).Name)
		}
	}
	if lo, hi, whole := c.families().Interval(n.Static()); whole && lo >= 0 && hi < float64(n.N) {
		return ty, nil
	}
	c.families().image(r, func(e float64) {
		if e < 0 || e >= float64(n.N) || e != float64(int(e)) {
			err = c.errorf(r, "there is no component %v of %d", e, n.N)
		}
	})
	return ty, err
}

// families is where the indices of the term stand.
func (c *checker) families() *nest {
	if c.nest == nil {
		live := make([]bool, len(c.t.Nodes))
		for _, r := range c.tr.nodes[1:] {
			live[r] = true
		}
		c.nest = c.t.nest(live)
	}
	return c.nest
}

// comprehension types a node that comprehends.
func (c *checker) comprehension(r Ref, n *Node) (Type, error) {
	t, tt := c.t, c.t.Types
	body := c.types[n.A]
	c.outer[r], c.lin[r] = c.outer[n.A], c.lin[n.A]
	least := 0.0
	switch n.Op {
	case FamilyOp:
		least = 1
	case ScanOp:
		least = 1
		state := t.TypeOf(n.X)
		if err := cmp.Or(c.want(r, n.First(), state, "the first state"), c.want(r, n.A, state, "the next state"),
			c.ordinary(n.First(), "a scan"), c.ordinary(n.A, "a scan")); err != nil {
			return 0, err
		}
		c.lin[r] = false
	case SumOp:
		if !tt.Euclidean(body) {
			return 0, c.errorf(r, "Σ takes numbers, not %s", c.str(body))
		}
		if body != R || n.Sym != NoSymbol {
			least = 1
		}
	}
	if err := c.bound(r, n, least); err != nil {
		return 0, err
	}
	switch n.Op {
	case FamilyOp, ScanOp:
		return tt.Vec(int(t.Value(n.Static(), nil)), body), nil
	case ListFamilyOp:
		return tt.List(n.Elem, n.Res), cmp.Or(c.want(r, n.A, n.Elem, "an element of the list"), c.ordinary(n.A, "a list"))
	}
	return body, nil
}

// bound checks the bound of an index: it is a natural number, at least least. The size of a vector is a number.
func (c *checker) bound(r Ref, n *Node, least float64) (err error) {
	s := c.families()
	fixed := true
	s.Mentions(n.Static(), func(Index) { fixed = false })
	if (n.Op == FamilyOp || n.Op == ScanOp) && !fixed {
		return c.errorf(r, "the size of a vector depends on an index")
	}
	s.each(s.chain(s.in(r), n.Static()), func(at []float64) {
		if b := c.t.Value(n.Static(), at); b < least || b != float64(int(b)) {
			err = c.errorf(r, "the bound of an index is %v", b)
		}
	})
	return err
}

// staticSigns are the signs of the constructors of expressions of indices, for people.
var staticSigns = [...]string{StaticAdd: "+", StaticSub: "-", StaticMul: "*", StaticDiv: "/"}

// StaticText prints an expression of indices.
func (t *Term) StaticText(e Static) string {
	n := &t.Statics[e]
	switch n.Op {
	case StaticNum:
		return number(n.Val)
	case StaticIndex:
		return t.Indices[n.Index].Name
	case StaticBelow:
		return fmt.Sprintf("(%s below %s)", t.StaticText(n.A), number(n.Val))
	case StaticNeg:
		return "-" + t.StaticText(n.A)
	}
	return fmt.Sprintf("(%s %s %s)", t.StaticText(n.A), staticSigns[n.Op], t.StaticText(n.B))
}
