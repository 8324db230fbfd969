package span

import "github.com/gram-machine/gram/term"

// scope says where each variable of a term is found.
type scope struct {
	size  []int32 // of a LamOp, a FixOp, and of the root: how many variables its frame has
	slot  []int32 // of each variable: its place in the frame
	depth []int32 // of each VarOp: in how many λs and fixes between its binder and itself it stands
	free  []bool  // of each variable: its occurrences make no (3)
}

// newScope resolves the variables of t.
func newScope(t *term.Term, stars []term.Var, check func() error) (*scope, error) {
	s := &scope{size: make([]int32, len(t.Nodes)), slot: make([]int32, t.NumVars()), depth: make([]int32, len(t.Nodes)),
		free: make([]bool, t.NumVars())}
	level := make([]int32, t.NumVars())
	type visit struct {
		node, body term.Ref // the node, and the λ or fix whose frame it has, or the root
		level      int32
	}
	bind := func(x term.Var, v visit) {
		level[x], s.slot[x] = v.level, s.size[v.body]
		s.size[v.body]++
		s.free[x] = t.Info(x).Linear
	}
	stack := []visit{{node: t.Root, body: t.Root}}
	for _, x := range stars {
		bind(x, stack[0])
		s.free[x] = true
	}
	for i := 0; len(stack) > 0; i++ {
		if i%checkEvery == 0 {
			if err := check(); err != nil {
				return nil, err
			}
		}
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &t.Nodes[v.node]
		switch n.Op {
		case term.VarOp:
			s.depth[v.node] = v.level - level[n.X]
		case term.LamOp:
			v = visit{node: v.node, body: v.node, level: v.level + 1}
			s.size[v.body] = 0
			bind(n.X, v)
		case term.FixOp:
			v = visit{node: v.node, body: v.node, level: v.level + 1}
			s.size[v.body] = 0
			t.Binders(n, func(x term.Var) { bind(x, v) })
		default:
			t.Binders(n, func(x term.Var) { bind(x, v) })
			u := &t.Nodes[n.B]
			if n.Op == term.LetOp && u.Op == term.LamOp && t.Info(u.X).Linear && t.Nodes[u.A].Op != term.ZeroOp {
				s.free[n.X] = true
			}
		}
		t.Kids(n, func(k term.Ref) { stack = append(stack, visit{k, v.body, v.level}) })
	}
	return s, nil
}
