package lang

import (
	"errors"
	"maps"

	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// findLets finds what lets bind functions to, if there are derivatives.
func (l *lowering) findLets(live []bool) {
	lets, derivatives := maps.Clone(l.p.lets), false
	for r := range l.c.nodes {
		switch n := &l.c.nodes[r]; {
		case !live[r]:
		case n.op == letCore:
			lets[n.x] = n.b
		case n.op == alongCore, n.op == gradCore:
			derivatives = true
		}
	}
	if !derivatives {
		return
	}
	l.lets = map[term.Var]node{}
	for x, u := range lets {
		if l.p.tt.ValueShape(l.c.vars[x].typ) == nil {
			l.lets[l.bind(x)] = u
		}
	}
}

// derivative makes the derivative of a function whose term has been made.
func (l *lowering) derivative(n *coreNode) (r term.Ref) {
	t, s := l.t, &l.p.static
	t.Indices, t.Statics = s.indices, s.nodes
	d := revgrad.Derivatives{Term: t, Bound: func(x term.Var) term.Ref { return l.refs[l.lets[x]] }, Check: l.opt.Check}
	a, k := l.typ(n.typ), l.c.args[n.a:]
	var err error
	if n.op == alongCore {
		r, err = d.Along(n.pos, a, l.refs[k[0]], l.refs[k[1]], l.refs[k[2]])
	} else {
		r, err = d.Gradient(n.pos, a, l.refs[k[0]], l.refs[k[1]])
	}
	s.indices, s.nodes = t.Indices, t.Statics
	for len(s.bounds) < len(s.indices) {
		s.bounds = append(s.bounds, 0)
	}
	var free *revgrad.FreeFunctionError
	var undefined *revgrad.UndefinedError
	switch {
	case errors.As(err, &free):
		l.noDerivative(free.Pos, n.pos, "the definition of "+t.Vars[free.Var].Name+" is not known here: a function that is differentiated may only use functions that def or let binds")
	case errors.As(err, &undefined):
		l.noDerivative(undefined.Pos, n.pos, "no derivative is defined for "+undefined.What)
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
	l.opt.Report(wordAt(l.p.file, pos), "no derivative", label)
}
