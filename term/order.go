package term

// A traversal is the nodes of a term in the order in which their typings are derived:
// children first, and u before t in t[x:=u]. Places count from 1; 0 is none.
type traversal struct {
	nodes  []Ref // the node at each place
	at     []Ref // the place of each node, 0 where it isn't under the root
	size   []Ref // how many nodes a node's subterm has: they stand side by side, the node last
	binder []Ref // the node that binds each variable, in its child A, or in all of a FixOp; 0 where it is free
}

// traverse finds the order by two loops over the arena. The error is look's, or a
// [*TypeError] where a node has two parents or a variable two binders.
func (t *Term) traverse(look func() error) (*traversal, error) {
	n := len(t.Nodes)
	tr := &traversal{at: make([]Ref, n), size: make([]Ref, n), binder: make([]Ref, t.NumVars())}
	for r := 1; r < n; r++ {
		if err := LookAt(r, look); err != nil {
			return nil, err
		}
		size := 1
		t.Kids(&t.Nodes[r], func(k Ref) { size += int(tr.size[k]) })
		tr.size[r] = Ref(min(n, size))
	}
	if int(tr.size[t.Root]) >= n {
		return nil, t.shared(t.Root)
	}
	tr.nodes = make([]Ref, tr.size[t.Root]+1)
	tr.at[t.Root] = tr.size[t.Root]
	for r := t.Root; r > 0; r-- {
		if err := LookAt(int(r), look); err != nil {
			return nil, err
		}
		if tr.at[r] == 0 {
			continue
		}
		tr.nodes[tr.at[r]] = r
		if err := t.place(tr, r); err != nil {
			return nil, err
		}
	}
	return tr, nil
}

// Order returns the nodes of the term in the order in which they can be evaluated: children first, and u before t in
// t[x:=u]. look may be nil; it is called at least every 2¹⁶ nodes. The error is look's, or a [*TypeError] where a node
// has two parents or a variable two binders.
func (t *Term) Order(look func() error) ([]Ref, error) {
	tr, err := t.traverse(look)
	if err != nil {
		return nil, err
	}
	return tr.nodes[1:], nil
}

// lookEvery is how many nodes a pass over an arena visits between two calls of its look.
const lookEvery = 1 << 14

// LookAt calls look, which may be nil, at every 2¹⁴-th node.
func LookAt(i int, look func() error) error {
	if i%lookEvery == 0 && look != nil {
		return look()
	}
	return nil
}

func (t *Term) shared(r Ref) error {
	return &TypeError{At: r, Pos: t.Nodes[r].Pos, Msg: "a node has two parents"}
}

// place gives the children of r their places, which end before r's, and r the variables that it binds.
func (t *Term) place(tr *traversal, r Ref) (err error) {
	n := &t.Nodes[r]
	before := tr.at[r] - tr.size[r]
	put := func(k Ref) {
		if tr.at[k] != 0 {
			err = t.shared(k)
			return
		}
		before += tr.size[k]
		tr.at[k] = before
	}
	switch n.Op {
	case LetOp, UnvecOp, UntupleOp:
		put(n.B)
		put(n.A)
	default:
		t.Kids(n, put)
	}
	t.Binders(n, func(x Var) {
		if tr.binder[x] != 0 {
			err = &TypeError{At: r, Pos: n.Pos, Msg: t.Info(x).Name + " is bound twice"}
		}
		tr.binder[x] = r
	})
	return err
}

// inScope reports whether node r is in the scope of x; a free variable is in scope everywhere.
func (t *Term) inScope(tr *traversal, r Ref, x Var) bool {
	b := tr.binder[x]
	if b == 0 {
		return true
	}
	scope := t.Nodes[b].A
	if t.Nodes[b].Op == FixOp {
		scope = b
	}
	last := tr.at[scope]
	return tr.at[r] <= last && tr.at[r] > last-tr.size[scope]
}

// ClosedLambda is a λ whose free variables are inputs, or names of such λs.
type ClosedLambda struct {
	At   Ref
	Name Var // the variable of a let that binds it, 0 if there is none
}

// ClosedLambdas returns the outermost λs of t whose free variables are inputs or variables that a let binds to such a
// λ. A λ stands after those that it names. Dual λs are not among them. t is well-typed. It takes time linear in the
// term. look may be nil; it is called at least every 2¹⁶ nodes, and its error is the error.
func (t *Term) ClosedLambdas(inputs []Var, look func() error) ([]ClosedLambda, error) {
	order, err := t.traverse(look)
	if err != nil {
		return nil, err
	}
	allowed := make([]bool, t.NumVars())
	for _, x := range inputs {
		allowed[x] = true
	}
	name := make([]Var, len(t.Nodes)) // of a node that a let binds
	for r := range t.Nodes {
		if n := &t.Nodes[r]; n.Op == LetOp && !t.Info(n.X).Linear {
			name[n.B] = n.X
		}
	}
	// The place of the outermost binder of the variables in a node that aren't allowed.
	// A node is closed if that is its own place or less.
	outermost := make([]Ref, len(t.Nodes))
	var found []ClosedLambda
	for place, r := range order.nodes {
		if err := LookAt(place, look); err != nil {
			return nil, err
		}
		n := &t.Nodes[r]
		switch {
		case n.Op != VarOp:
			t.Kids(n, func(k Ref) { outermost[r] = max(outermost[r], outermost[k]) })
		case allowed[n.X]:
		case order.binder[n.X] == 0:
			outermost[r] = Ref(len(t.Nodes))
		default:
			outermost[r] = order.at[order.binder[n.X]]
		}
		if n.Op != LamOp || t.Info(n.X).Linear || outermost[r] > Ref(place) {
			continue
		}
		for len(found) > 0 && order.at[found[len(found)-1].At] > Ref(place)-order.size[r] { // inside it
			found = found[:len(found)-1]
		}
		found = append(found, ClosedLambda{At: r, Name: name[r]})
		allowed[name[r]] = true
	}
	return found, nil
}
