package lang

import (
	"cmp"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/term"
)

// match makes the term of a CaseOp.
func (l *lowering) match(n *core.Node) term.Ref {
	branches := make([]term.Branch, int(n.Val))
	for i := range branches {
		b := l.c.Branch(n, i)
		body, pos := l.refs[b.Body], n.Pos
		xs := make([]term.Var, b.N)
		for k := b.N - 1; k >= 0; k-- {
			xs[k], pos = l.bind(b.X+core.Var(k)), l.c.Vars[b.X+core.Var(k)].Pos
			body = l.open(xs[k], pos, body)
		}
		branches[i] = term.Branch{Pos: pos, Vars: xs, Body: body}
	}
	return l.t.Case(n.Pos, l.typ(l.c.Nodes[n.A].Type), l.refs[n.A], branches)
}

// fix makes the term of a FixOp.
func (l *lowering) fix(n *core.Node) term.Ref {
	lams := l.list(n)
	fs := make([]term.Var, len(lams))
	for i := range fs {
		fs[i] = l.bind(n.X + core.Var(i))
	}
	return l.t.Fix(n.Pos, fs, lams, int(n.Val))
}

// instance returns the type in the term's universe with declaration d and the product args of arguments, or 0.
func (l *lowering) instance(d int, args term.Type) term.Type {
	for len(l.declared) <= d { // so the universe has them in the order of the source
		l.declare(len(l.declared))
	}
	if err := l.declared[d]; err != nil && l.wrong == nil {
		l.wrong = err
	}
	tt, n := l.t.Types, &l.p.Types.Inductives[d]
	i, _ := tt.Declare(n.Name, len(n.Params))
	var list []term.Type
	for k := len(n.Params); k > 1; k-- {
		list, args = append(list, tt.Left(args)), tt.Right(args)
	}
	if len(n.Params) > 0 {
		list = append(list, args)
	}
	return tt.Instance(i, list...)
}

// declare puts declaration d into the term's universe.
func (l *lowering) declare(d int) {
	l.declared = append(l.declared, nil)
	tt, n := l.t.Types, &l.p.Types.Inductives[d]
	i, isNew := tt.Declare(n.Name, len(n.Params))
	if !isNew {
		return
	}
	if l.p.Types.HoldsDuals(d) {
		tt.HoldDuals(i)
	}
	stack, wrong := l.stack, l.wrong // typ is at work
	l.stack, l.wrong = nil, nil
	cons := make([]term.Constructor, len(n.Cons))
	for k, c := range n.Cons {
		if cons[k].Name = c.Name; c.Arg != 0 {
			cons[k].Arg = l.typ(c.Arg)
		}
	}
	l.declared[d] = cmp.Or(tt.Define(i, cons), l.wrong)
	l.stack, l.wrong = stack, wrong
}
