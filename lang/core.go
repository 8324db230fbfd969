package lang

import (
	"github.com/gram-machine/gram/lang/eval"
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/term"
)

// node names a node of [core]. 0 is nil.
type node uint32

// variable names a variable of [core], or a scalar of an input. 0 is none.
type variable uint32

// inputBit marks a scalar of an input; the other bits are its number among those of all inputs.
const inputBit variable = 1 << 31

// input reports whether x is a scalar of an input.
func (x variable) input() bool { return x&inputBit != 0 }

// scalar is the variable of the term for a scalar of an input: they come first.
func (x variable) scalar() term.Var { return 1 + term.Var(x&^inputBit) }

type coreOp uint8

// The constructors of core. The comment gives the fields that each uses.
const (
	noCore        coreOp = iota // where an error has been reported
	varCore                     // x                   x
	pathCore                    // x.(i).(j)…          x, a and b delimit the indices in args, see stepOf
	inputCore                   // an input, whole     x its first scalar, typ; or from static a on of b scalars
	numCore                     // r                   val
	lamCore                     // λx.t                x, a=t
	appCore                     // t u                 a=t, b=u, typ of t
	pairCore                    // ⟨t,u⟩               a=t, b=u
	letCore                     // t[x:=u]             x, a=t, b=u
	tupleCore                   // t[⟨x0,…⟩:=u]        x=x0, val their number, a=t, b=u
	unvecCore                   // t[⟦x0,…⟧:=u]        the same
	addCore                     // t + u               a=t, b=u, x its place in wide or 0, typ if it has one
	funCore                     // f(t), f(t,u)        the same, and sym
	linearCore                  // t − u, −t, t / u    sym, a=t, b=u; t or u depends on a linear variable
	vecCore                     // ⟦t0,…⟧              a and b delimit the components in args
	listCore                    // [t1;…]              the same; typ
	ifCore                      // if …                val=the comparison, a the place of the four parts in args
	natCore                     // #n                  val=n, typ
	dataCore                    // data                x=its index, typ
	projCore                    // t.(i)               a=t, val=i, or x=i, a term.Static, typ of t
	staticCore                  // the numeral e       x=e, a term.Static
	componentCore               // an input's scalar   x the first of b scalars, a=the static number of the one
	familyCore                  // vec i < s -> t      x=i, val=keyword, a=s, a term.Static, b=t, typ of a list
	dotCore                     // dot t u             a=t, b=u, typ of t
	matvecCore                  // matvec t u          a=t, b=u, typ of t
	totalCore                   // sum t               a=t, typ of t
	maximumCore                 // maximum t           the same
	transposeCore               // transpose t         the same
	conCore                     // C t                 val=the number of C, a=t or 0, typ
	caseCore                    // match t with …      a=t, b=the place of the branches in args, see [branch], val their number, typ of t
	fixCore                     // fix ⟨f0,…⟩.⟨v0,…⟩   x=f0, a and b delimit v0… in args, val=which of them it is
	pickCore                    // pick t u            a=t, b=u, typ of t
	oneHotCore                  // onehot k t          a=t, typ the result's
	alongCore                   // jvp t u v           a the place of t, u and v in args, typ of u
	gradCore                    // grad t u            the same, without v

	// In default values only, see [elaborator.values]. An index is a variable there, and
	// a natural number a node that is a number, an index or an operation on them.
	natOpCore   // m op n               val=op, a=m, b=n
	churchCore  // #n                   a=n, typ
	powerCore   // t ^ n                a=t, b=n
	componCore  // t.(n)                a=t, b=n, typ of t
	comprehCore // vec i < n -> t       x=i, val=keyword, a=n, b=t
	scanCore    // scan i < n with y … x=i, x+1=y, a the place of n, the first state and the next one in args
	randomCore  // uniform or normal    val=its prim, a, b
	nativeCore  // a def of the prelude val=its global
	numCoreOps
)

// coreNode is a constructor with its children.
type coreNode struct {
	op coreOp
	// value tells that the node is an atom, or a syntactic value.
	value bool
	sym   term.Symbol
	pos   term.Pos
	x     variable
	a, b  node
	typ   infer.Type
	val   float64
}

// coreVar is a variable. Scalars of inputs are variables with consecutive numbers,
// and so are those that one pattern binds at one level.
type coreVar struct {
	name   string
	typ    infer.Type
	pos    term.Pos
	binder binder
	linear bool // bound by lin, or by let to what depends on a linear variable
}

// binder says what bound a variable whose type is one where a def would have many.
type binder uint8

const (
	plainBinder binder = iota
	letBinder          // let, around an expression whose type was not settled by itself
	defBinder          // a def that is a let
	funBinder          // fun, without an annotation
)

// core is the elaborated program before its types are known: the calculus, with
// projections still in place. Children come before their parents, every binder has
// a variable of its own, and a node has one parent.
type core struct {
	nodes []coreNode
	args  []node
	vars  []coreVar
	// wide has what is known of operations on what may be vectors.
	wide []wide
	// places are those of nodes whose evaluation may fail.
	places map[node]*eval.At
}

// newCore returns a core with room for n nodes.
func newCore(n int) *core {
	return &core{nodes: make([]coreNode, 1, n+64), vars: make([]coreVar, 1, 64), wide: make([]wide, 1, 64), places: map[node]*eval.At{}}
}

func (c *core) add(n coreNode) node {
	c.nodes = append(c.nodes, n)
	return node(len(c.nodes) - 1)
}

// info returns what is known of a variable; of all scalars of inputs it is the same.
func (c *core) info(x variable) coreVar {
	if x.input() {
		return coreVar{typ: infer.R}
	}
	return c.vars[x]
}

func (c *core) newVar(v coreVar) variable {
	c.vars = append(c.vars, v)
	return variable(len(c.vars) - 1)
}

// vectorAtom reports whether dot and matvec take the components of a node straight
// from the variable that it is.
func (n *coreNode) vectorAtom() bool {
	switch n.op {
	case varCore, pathCore, inputCore, dataCore:
		return true
	}
	return false
}

// children calls f on the children of n whose terms become part of that of n.
func (c *core) children(n *coreNode, f func(node)) {
	switch n.op {
	case lamCore, projCore, churchCore, oneHotCore:
		f(n.a)
	case pickCore:
		if !c.nodes[n.a].vectorAtom() {
			f(n.a)
		}
		f(n.b)
	case familyCore:
		f(n.b)
	case appCore, pairCore, letCore, tupleCore, unvecCore, natOpCore, powerCore, componCore, comprehCore, randomCore:
		f(n.a)
		f(n.b)
	case dotCore, matvecCore, totalCore, maximumCore, transposeCore:
		for _, k := range [...]node{n.a, n.b} {
			if k != 0 && !c.nodes[k].vectorAtom() {
				f(k)
			}
		}
	case addCore, funCore:
		w := c.wide[n.x]
		if !w.vecA || !c.nodes[n.a].vectorAtom() {
			f(n.a)
		}
		if n.b != 0 && !(w.vecB && c.nodes[n.b].vectorAtom()) {
			f(n.b)
		}
	case linearCore:
		f(n.a)
		if n.b != 0 {
			f(n.b)
		}
	case vecCore, listCore, fixCore:
		for _, k := range c.args[n.a:n.b] {
			f(k)
		}
	case conCore:
		if n.a != 0 {
			f(n.a)
		}
	case caseCore:
		f(n.a)
		for i := range int(n.val) {
			f(c.branch(n, i).body)
		}
	case ifCore:
		for _, k := range c.args[n.a : n.a+4] {
			f(k)
		}
	case scanCore, alongCore:
		for _, k := range c.args[n.a : n.a+3] {
			f(k)
		}
	case gradCore:
		for _, k := range c.args[n.a : n.a+2] {
			f(k)
		}
	}
}

// branch is what a caseCore does with one constructor: the n variables from x on are its argument, opened as a tuple if they are
// more than one.
type branch struct {
	x    variable
	n    int
	body node
}

// branches adds branches to args and returns their place there.
func (c *core) branches(list []branch) node {
	off := node(len(c.args))
	for _, b := range list {
		c.args = append(c.args, node(b.x), node(b.n), b.body)
	}
	return off
}

// branch returns the i-th branch of a caseCore.
func (c *core) branch(n *coreNode, i int) branch {
	k := c.args[int(n.b)+3*i:]
	return branch{variable(k[0]), int(k[1]), k[2]}
}

// drop forgets a node that was built but has no parent.
func (c *core) drop(r node) {
	if int(r) == len(c.nodes)-1 {
		c.nodes = c.nodes[:r]
	}
}

// live marks the nodes under the roots: children come before their parents. It calls tick for each node.
func (c *core) live(roots []node, tick func()) []bool {
	live := make([]bool, len(c.nodes))
	for _, r := range roots {
		live[r] = true
	}
	mark := func(k node) { live[k] = true }
	for r := len(c.nodes) - 1; r > 0; r-- {
		tick()
		if live[r] {
			c.children(&c.nodes[r], mark)
		}
	}
	return live
}

// wide has the types of the operands of an operation that may be on vectors. Once all is typed, vecA and vecB tell which of
// them are vectors.
type wide struct {
	a, b       infer.Type
	vecA, vecB bool
}
