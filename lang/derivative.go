package lang

import (
	"errors"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// findLets finds what lets bind functions to, if there are derivatives.
func (l *lowering) findLets(live []bool) {
	derivatives := false
	var lets []core.Let
	for _, d := range l.p.Lets {
		if d.U != 0 {
			lets = append(lets, d)
		}
	}
	for r := range l.c.Nodes {
		switch n := &l.c.Nodes[r]; {
		case !live[r]:
		case n.Op == core.LetOp:
			lets = append(lets, core.Let{X: n.X, U: n.B})
		case n.Op == core.DerivativeOp:
			derivatives = true
		}
	}
	if !derivatives {
		return
	}
	l.lets = map[term.Var]core.Ref{}
	for _, d := range lets {
		if l.p.Types.ValueShape(l.c.Vars[d.X].Type) == nil {
			l.lets[l.bind(d.X)] = d.U
		}
	}
}

// derivative makes the derivative of a function whose term has been made.
func (l *lowering) derivative(n *core.Node) (r term.Ref) {
	t, s := l.t, &l.p.Static
	t.Indices, t.Statics = s.Indices, s.Nodes
	bound := func(x term.Var) term.Ref { return l.refs[l.lets[x]] }
	d := revgrad.Derivatives{Term: t, Bound: bound, Check: l.p.Guard.Check}
	a, k := l.typ(l.c.Nodes[l.c.Args[n.A+1]].Type), l.list(n)
	var err error
	if core.Prim(n.Val) == core.PrimAlong {
		r, err = d.Along(n.Pos, a, k[0], k[1], k[2])
	} else {
		r, err = d.Gradient(n.Pos, a, k[0], k[1])
	}
	s.Indices, s.Nodes = t.Indices, t.Statics
	for len(s.Bounds) < len(s.Indices) {
		s.Bounds = append(s.Bounds, 0)
	}
	var free *revgrad.FreeFunctionError
	var undefined *revgrad.UndefinedError
	switch {
	case errors.As(err, &free):
		l.noDerivative(free.Pos, n.Pos,
			"the definition of "+t.Info(free.Var).Name+" is not known here: a function that is differentiated may "+
				"only use functions that def or let binds")
	case errors.As(err, &undefined):
		l.noDerivative(undefined.Pos, n.Pos, "no derivative is defined for "+undefined.What)
	case err != nil:
		syntax.Abort(err)
	}
	return r
}

// noDerivative reports what can't be differentiated: at pos or, if that is nowhere, at the use of jvp or grad.
func (l *lowering) noDerivative(pos, use term.Pos, label string) {
	if pos == 0 {
		pos = use
	}
	l.p.Report(core.WordAt(l.p.File, pos), "no derivative", label)
}
