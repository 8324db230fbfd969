package term

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
		if err := lookAt(place, look); err != nil {
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
