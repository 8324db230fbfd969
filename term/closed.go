package term

// ClosedLambda is a λ whose free variables are inputs, or names of such λs.
type ClosedLambda struct {
	At   Ref
	Name Var // the variable of a let that binds it, 0 if there is none
}

// ClosedLambdas returns the outermost λs of t whose free variables are inputs or
// variables that a let binds to such a λ, in an order in which a λ stands after those
// that it names. Dual λs are not among them. It takes time linear in the term.
func (t *Term) ClosedLambdas(inputs []Var) []ClosedLambda {
	c := closer{t: t, allowed: make([]bool, len(t.Vars)), depth: make([]int32, len(t.Vars))}
	for _, x := range inputs {
		c.allowed[x] = true
	}
	c.walk()
	return c.found
}

type closer struct {
	t       *Term
	allowed []bool
	depth   []int32 // of the binder of each variable
	found   []ClosedLambda
}

// closing is a node on the way: low is the least depth of the binder of a variable in
// it that is not allowed.
type closing struct {
	r     Ref
	next  int
	kids  []Ref
	low   int32
	mark  int // how many λs had been found before it
	name  Var // of a λ that a let binds
	depth int32
}

const noBinder = 1<<31 - 1

func (c *closer) walk() {
	stack := []closing{c.enter(c.t.Root, 0, 0)}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next < len(f.kids) {
			k := f.kids[f.next]
			name := Var(0)
			if n := &c.t.Nodes[f.r]; n.Op == LetOp && f.next == 0 && !c.t.Vars[n.X].Linear {
				name = n.X
			}
			f.next++
			stack = append(stack, c.enter(k, f.depth+1, name))
			continue
		}
		low := c.leave(f)
		stack = stack[:len(stack)-1]
		if len(stack) > 0 {
			up := &stack[len(stack)-1]
			up.low = min(up.low, low)
		}
	}
}

// enter visits u before t in t[x:=u].
func (c *closer) enter(r Ref, depth int32, name Var) closing {
	n := &c.t.Nodes[r]
	f := closing{r: r, low: noBinder, mark: len(c.found), name: name, depth: depth}
	c.t.binders(n, func(x Var) { c.depth[x] = depth })
	switch n.Op {
	case VarOp:
		if !c.allowed[n.X] {
			f.low = c.depth[n.X]
		}
	case LetOp, UnpairOp, UnvecOp, UntupleOp:
		f.kids = []Ref{n.B, n.A}
	default:
		c.t.kids(n, func(k Ref) { f.kids = append(f.kids, k) })
	}
	return f
}

// leave finds a λ closed, in place of those inside it.
func (c *closer) leave(f *closing) (low int32) {
	n := &c.t.Nodes[f.r]
	if n.Op == LamOp && !c.t.Vars[n.X].Linear && f.low >= f.depth {
		c.found = append(c.found[:f.mark], ClosedLambda{At: f.r, Name: f.name})
		if f.name != 0 {
			c.allowed[f.name] = true
		}
	}
	if f.low >= f.depth { // what it names is bound in it
		return noBinder
	}
	return f.low
}
