package modular

import (
	"slices"
	"sort"

	"github.com/gram-machine/gram/term"
)

// reference is a use of v in a scope.
type reference struct {
	v *value
	s *scope
}

// explore goes under all λs that the result has, and finds where each value is used.
func (m *machine) explore() {
	for stack := m.uses(nil, m.root, false); len(stack) > 0 && m.unit(); {
		u := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		v := u.v
		if v.of != nil {
			v = v.of
		}
		if u.s != nil {
			v.uses++
			v.inner = v.inner || u.s != v.scope
		}
		if v.visited || v.kind == number || v.kind == null {
			continue
		}
		v.visited = true
		v.scope.found = append(v.scope.found, v)
		for _, a := range v.args {
			stack = append(stack, reference{a, v.scope})
		}
		m.goUnder(v)
		for _, s := range v.under {
			stack = m.uses(stack, s, v.kind == dual)
		}
	}
}

// uses appends what a scope refers to. What has no value stays, though nothing mentions it, but in a dual, where (5')
// drops it.
func (m *machine) uses(out []reference, s *scope, linear bool) []reference {
	for _, x := range s.summands {
		out = append(out, reference{x.head, s}, reference{x.arg, s})
	}
	if !linear {
		for _, v := range s.made {
			out = append(out, reference{v, nil})
		}
		out = append(out, reference{s.root, s})
	}
	return out
}

// goUnder reduces the body of a λ, the members of recursive functions, or branches.
func (m *machine) goUnder(v *value) {
	if v.node == 0 && v.kind != iteration {
		return
	}
	n := &m.t.Nodes[v.node]
	switch v.kind {
	case closure:
		m.inScope(v, func(s *scope) {
			env := v.env.inside(n.Pos)
			env.vars[n.X] = binding{m.variable(s, n.X), true}
			s.root = m.run(n.A, env)
		})
	case dual:
		m.inScope(v, func(s *scope) {
			a := m.variable(s, n.X)
			a.linear = true
			m.underDual(v, a)
		})
	case iteration:
		m.inScope(v, func(s *scope) {
			x := m.param(s, m.t.Types.Left(v.typ), 0)
			s.root = m.runFrom(func() {
				m.push(x)
				m.tasks = append(m.tasks, task{do: iterate, env: (*frame)(nil).inside(0), v: v, n: m.length(v.args[0])})
			})
		})
	case fix:
		env := v.env.inside(n.Pos)
		for i, r := range m.t.Children(n) {
			m.inScope(v, func(s *scope) {
				if i == 0 {
					for _, f := range m.t.BoundVars(n) {
						env.vars[f] = binding{m.variable(s, f), true}
					}
				}
				s.root = m.run(r, env)
			})
		}
	case conditional, match:
		for i, r := range m.t.Children(n)[scrutinees(n):] {
			m.inScope(v, func(s *scope) {
				if b := &m.t.Nodes[r]; b.Op == term.BranchOp {
					m.underBranch(s, v, b, i)
				} else {
					s.root = m.run(r, v.env)
				}
			})
		}
	}
}

// underBranch reduces the branch of a match for a constructor.
func (m *machine) underBranch(s *scope, v *value, b *term.Node, con int) {
	if xs := m.t.BoundVars(b); len(xs) > 0 {
		u := m.param(s, m.t.Types.Constructors(v.args[0].typ)[con].Arg, 0)
		for _, y := range xs[:len(xs)-1] {
			v.env.vars[y] = binding{u.args[0], true}
			u = u.args[1]
		}
		v.env.vars[xs[len(xs)-1]] = binding{u, true}
	}
	s.root = m.run(b.A, v.env)
}

// inScope runs a job in a scope of its own.
func (m *machine) inScope(v *value, job func(*scope)) {
	s, was := &scope{}, m.scope
	v.under = append(v.under, s)
	m.scope = s
	defer func() { m.scope = was }()
	job(s)
}

// variable makes the variable x of a scope, and returns what stands for it.
func (m *machine) variable(s *scope, x term.Var) *value { return m.param(s, m.t.TypeOf(x), int(x)) }

// param makes a variable of a scope, which has a name in the source unless index is 0.
func (m *machine) param(s *scope, typ term.Type, index int) *value {
	v := m.fresh(variable, typ)
	v.index, v.visited, v.named = index, true, true
	s.params = append(s.params, v)
	return m.reflect(v)
}

// reader makes the term.
type reader struct {
	m   *machine
	out *term.Term
}

// binder is a let, or the opening of a tuple into xs.
type binder struct {
	pos term.Pos
	xs  []term.Var
	of  term.Type // that is opened; 0 of a let
	u   term.Ref
}

// read reads the normal form. What one place of its own scope mentions stands there; else a variable is bound to it.
func (m *machine) read() (*term.Term, error) {
	rd := &reader{m, term.New(m.t.Types)}
	rd.out.CopyVars(m.t, 0)
	rd.out.Data = m.t.Data
	rd.out.Root = rd.body(m.root)
	return rd.out, m.err
}

// body reads a scope.
func (rd *reader) body(s *scope) term.Ref {
	sort.Slice(s.found, func(i, j int) bool { return s.found[i].seq < s.found[j].seq })
	var lets []binder
	for _, v := range s.found {
		if !rd.m.unit() {
			return 0
		}
		if v.kind == component {
			if v.x == 0 {
				lets = append(lets, rd.open(v.args[0]))
			}
			continue
		}
		if v.kind == dual && v.node == 0 { // λa.0⃗ has no name
			continue
		}
		if v.expr = rd.expression(v); v.uses == 1 && !v.inner && v.parts == nil {
			continue
		}
		v.x = rd.out.NewVar(term.VarInfo{Name: rd.name(v), Type: v.typ, Linear: v.linear, Generated: true})
		lets = append(lets, binder{pos: v.pos, xs: []term.Var{v.x}, u: v.expr})
	}
	var t term.Ref
	if s.root != nil {
		t = rd.use(s.root)
	} else {
		t = rd.sum(s.summands)
	}
	tt := rd.out.Types
	for _, b := range slices.Backward(lets) {
		switch {
		case b.of == 0:
			t = rd.out.Let(b.pos, b.xs[0], b.u, t)
		case tt.Kind(b.of) == term.ProdKind:
			t = rd.out.Unpair(b.pos, b.xs[0], b.xs[1], b.u, t)
		default:
			t = rd.out.Unvec(b.pos, b.xs, b.u, t)
		}
	}
	return t
}

// name is that of a variable for a value.
func (rd *reader) name(v *value) string {
	switch v.kind {
	case closure, fix, iteration:
		return "f"
	case dual:
		return "d"
	case pair:
		return "p"
	}
	return "z"
}

// open makes variables for the parts of v.
func (rd *reader) open(v *value) binder {
	b := binder{pos: v.pos, of: v.typ, u: rd.out.Variable(0, v.x)}
	name := rd.out.Info(v.x).Name
	for i, p := range v.parts {
		info := term.VarInfo{Name: name, Type: p.typ, Generated: true}
		if p.typ == term.AbstractDual && i == 1 {
			info.Name += "*"
		}
		p.x = rd.out.NewVar(info)
		b.xs = append(b.xs, p.x)
	}
	return b
}

// sum is Σ x*(arg).
func (rd *reader) sum(summands []summand) (t term.Ref) {
	for _, x := range summands {
		if !rd.m.unit() {
			return 0
		}
		t = rd.out.Plus(0, t, rd.out.App(0, rd.use(x.head), rd.use(x.arg)))
	}
	if t == 0 {
		t = rd.out.Zero(0)
	}
	return t
}

// use is an occurrence of a value.
func (rd *reader) use(v *value) term.Ref {
	if v.of != nil {
		v = v.of
	}
	switch {
	case v.x != 0:
		return rd.out.Variable(0, v.x)
	case v.kind == number:
		return rd.out.Num(0, v.num)
	case v.kind == null || v.kind == dual && v.node == 0:
		return rd.out.Dual(v.pos, func(term.Var) term.Ref { return rd.out.Zero(0) })
	}
	return v.expr
}

// expression is the term of a value, whose parts have been read.
func (rd *reader) expression(v *value) term.Ref {
	out := rd.out
	n := rd.m.t.Nodes[v.node]
	args := make([]term.Ref, len(v.args))
	for i, a := range v.args {
		args[i] = rd.use(a)
	}
	switch v.kind {
	case operation:
		return out.Operation(v.pos, v.sym, args...)
	case application:
		return out.App(v.pos, args[0], args[1])
	case pair:
		if out.Types.Kind(v.typ) == term.ProdKind {
			return out.Pair(v.pos, args[0], args[1])
		}
		return out.Vec(v.pos, args)
	case closure, dual:
		return out.Lam(n.Pos, rd.params(v.under[0])[0], rd.body(v.under[0]))
	case iteration:
		return out.Lam(v.pos, rd.params(v.under[0])[0], rd.body(v.under[0]))
	case construct:
		return out.Con(v.pos, v.typ, int(n.Count), append(args, 0)[0])
	case fix:
		fs := rd.params(v.under[0])
		var members []term.Ref
		for _, s := range v.under {
			members = append(members, rd.body(s))
		}
		return out.Fix(n.Pos, fs, members, v.index)
	case conditional:
		return out.If(n.Pos, n.Cmp, args[0], args[1], rd.body(v.under[0]), rd.body(v.under[1]))
	case match:
		var branches []term.Branch
		for _, s := range v.under {
			branches = append(branches, term.Branch{Pos: n.Pos, Vars: rd.params(s), Body: rd.body(s)})
		}
		return out.Case(n.Pos, v.args[0].typ, args[0], branches)
	case literal:
		switch n.Op {
		case term.NatOp:
			return out.Nat(n.Pos, n.Count, n.Res)
		case term.DataOp:
			return out.DataRef(n.Pos, int(n.A), n.Elem, n.Res)
		}
		return out.List(n.Pos, n.Elem, n.Res, args)
	}
	return 0
}

// params makes the variables of a scope.
func (rd *reader) params(s *scope) (xs []term.Var) {
	for _, p := range s.params {
		info := term.VarInfo{Name: "a", Type: p.typ, Generated: true}
		if p.index != 0 {
			info = rd.m.t.Info(term.Var(p.index))
		}
		p.x = rd.out.NewVar(info)
		xs = append(xs, p.x)
	}
	return xs
}
