package reference_test

import (
	"strconv"

	"pgregory.net/rapid"

	"github.com/gram-machine/gram/term"
)

// shuffler copies a term and does to it what [reference.SameGraph] looks past: binders get other
// names, lets move within their scopes, sums are commuted, associated otherwise and
// given zeros, subterms get names that occur once.
type shuffler struct {
	t        *rapid.T
	src, dst *term.Term
	vars     map[term.Var]term.Var

	split term.Var // of the source: its let is to stand twice, and its first occurrence is of the second
	copy  term.Var // the second, until that occurrence
}

// floating is a substitution that has not been placed yet. In a list of them, what
// one mentions stands before it.
type floating struct {
	op       term.Op
	xs       []term.Var
	u        term.Ref
	mentions map[term.Var]bool
}

func shuffled(t *rapid.T, src *term.Term) *term.Term { return (&shuffler{t: t, src: src}).run() }

func (s *shuffler) run() *term.Term {
	s.dst, s.vars = term.New(s.src.Types), map[term.Var]term.Var{}
	s.dst.Data = s.src.Data
	for _, x := range s.src.FreeVars() {
		s.vars[x] = s.dst.NewVar(s.src.Info(x))
	}
	s.dst.Root = s.scope(s.src.Root)
	return s.dst
}

func (s *shuffler) chance(n int) bool { return rapid.IntRange(0, n).Draw(s.t, "chance") == 0 }

func (s *shuffler) scope(r term.Ref) term.Ref {
	u, pending := s.term(r)
	return s.place(u, pending)
}

func (s *shuffler) bind(x term.Var) term.Var {
	info := s.src.Info(x)
	info.Name = "w" + strconv.Itoa(s.dst.NumVars()%3)
	s.vars[x] = s.dst.NewVar(info)
	return s.vars[x]
}

// mentioned returns the variables that occur in u.
func (s *shuffler) mentioned(u term.Ref) map[term.Var]bool {
	root := s.dst.Root
	defer func() { s.dst.Root = root }()
	s.dst.Root = u
	out := map[term.Var]bool{}
	for _, x := range s.dst.FreeVars() {
		out[x] = true
	}
	return out
}

func (s *shuffler) float(op term.Op, xs []term.Var, u term.Ref) floating {
	return floating{op, xs, u, s.mentioned(u)}
}

// place puts the substitutions around u, in any order in which they may stand.
func (s *shuffler) place(u term.Ref, pending []floating) term.Ref {
	for range pending {
		i := rapid.IntRange(0, len(pending)-1).Draw(s.t, "swap")
		if i+1 < len(pending) && !touches(pending[i+1], pending[i].xs) {
			pending[i], pending[i+1] = pending[i+1], pending[i]
		}
	}
	for i := len(pending) - 1; i >= 0; i-- {
		switch p := pending[i]; p.op {
		case term.LetOp:
			u = s.dst.Let(0, p.xs[0], p.u, u)
		case term.UntupleOp:
			u = s.dst.Untuple(0, p.xs, p.u, u)
		default:
			u = s.dst.Unvec(0, p.xs, p.u, u)
		}
	}
	return u
}

func touches(p floating, xs []term.Var) bool {
	for _, x := range xs {
		if p.mentions[x] {
			return true
		}
	}
	return false
}

// term copies a node; the substitutions that it returns are still to be placed around
// it, in its scope.
func (s *shuffler) term(r term.Ref) (term.Ref, []floating) {
	u, pending := s.form(r)
	n := &s.src.Nodes[r]
	if (n.Op == term.FunOp || n.Op == term.AddOp) && s.chance(9) {
		u = s.dst.Add(0, s.dst.Num(0, 0), u)
	}
	if s.chance(9) {
		u = s.place(u, pending)
		pending = nil
	}
	if s.chance(9) {
		x := s.dst.NewVar(term.VarInfo{Name: "named", Type: term.R})
		pending = append(pending, s.float(term.LetOp, []term.Var{x}, u))
		u = s.dst.Variable(0, x)
	}
	return u, pending
}

func (s *shuffler) form(r term.Ref) (term.Ref, []floating) {
	n := s.src.Nodes[r]
	switch n.Op {
	case term.VarOp:
		x := s.vars[n.X]
		if n.X == s.split && s.copy != 0 {
			x, s.copy = s.copy, 0
		}
		return s.dst.Variable(0, x), nil
	case term.NumOp:
		return s.dst.Num(0, n.Val), nil
	case term.ZeroOp:
		return s.dst.Zero(0), nil
	case term.NatOp:
		return s.dst.Nat(0, n.Count, n.Res), nil
	case term.DataOp:
		return s.dst.DataRef(0, int(n.A), n.Elem, n.Res), nil
	case term.LamOp:
		x := s.bind(n.X)
		return s.dst.Lam(0, x, s.scope(n.A)), nil
	case term.LetOp:
		return s.let(n, []term.Var{n.X})
	case term.UntupleOp, term.UnvecOp:
		return s.let(n, s.src.BoundVars(&n))
	case term.AddOp:
		return s.sum(r)
	case term.AppOp, term.PairOp:
		a, p := s.term(n.A)
		b, q := s.term(n.B)
		if n.Op == term.AppOp {
			return s.dst.App(0, a, b), append(p, q...)
		}
		return s.dst.Pair(0, a, b), append(p, q...)
	case term.ListOp:
		var kids []term.Ref
		for _, k := range s.src.Children(&n) {
			kids = append(kids, s.scope(k))
		}
		return s.dst.List(0, n.Elem, n.Res, kids), nil
	case term.ConOp:
		if n.A == 0 {
			return s.dst.Con(0, n.Res, int(n.Count), 0), nil
		}
		a, p := s.term(n.A)
		return s.dst.Con(0, n.Res, int(n.Count), a), p
	case term.CaseOp:
		k := s.src.Children(&n)
		a, p := s.term(k[0])
		var branches []term.Branch
		for _, b := range k[1:] {
			branch := &s.src.Nodes[b]
			var xs []term.Var
			for _, x := range s.src.BoundVars(branch) {
				xs = append(xs, s.bind(x))
			}
			branches = append(branches, term.Branch{Vars: xs, Body: s.scope(branch.A)})
		}
		return s.dst.Case(0, n.Res, a, branches), p
	case term.IfOp:
		k := s.src.Children(&n)
		a, p := s.term(k[0])
		b, q := s.term(k[1])
		return s.dst.If(0, n.Cmp, a, b, s.scope(k[2]), s.scope(k[3])), append(p, q...)
	}
	var kids []term.Ref
	var pending []floating
	for _, k := range s.src.Children(&n) {
		u, p := s.term(k)
		kids, pending = append(kids, u), append(pending, p...)
	}
	if n.Op == term.VecOp {
		return s.dst.Vec(0, kids), pending
	}
	return s.dst.Fun(0, n.Sym, kids...), pending
}

func (s *shuffler) let(n term.Node, xs []term.Var) (term.Ref, []floating) {
	u, p := s.term(n.B)
	if s.split != 0 && xs[0] == s.split {
		v, q := s.term(n.B)
		s.copy = s.dst.NewVar(term.VarInfo{Name: "copy", Type: term.R})
		p = append(append(p, q...), s.float(term.LetOp, []term.Var{s.copy}, v))
	}
	var ys []term.Var
	for _, x := range xs {
		ys = append(ys, s.bind(x))
	}
	body, q := s.term(n.A)
	return body, append(append(p, s.float(n.Op, ys, u)), q...)
}

// sum copies the summands that stand in place in any order, in any tree.
func (s *shuffler) sum(r term.Ref) (term.Ref, []floating) {
	var parts []term.Ref
	var pending []floating
	var collect func(r term.Ref)
	collect = func(r term.Ref) {
		if n := s.src.Nodes[r]; n.Op == term.AddOp {
			collect(n.A)
			collect(n.B)
			return
		}
		u, p := s.term(r)
		parts, pending = append(parts, u), append(pending, p...)
	}
	collect(r)
	for range rapid.IntRange(0, 2).Draw(s.t, "zeros") {
		parts = append(parts, s.dst.Num(0, 0))
	}
	parts = rapid.Permutation(parts).Draw(s.t, "summands")
	for len(parts) > 1 {
		i := rapid.IntRange(0, len(parts)-2).Draw(s.t, "tree")
		parts[i] = s.dst.Add(0, parts[i], parts[i+1])
		parts = append(parts[:i+1], parts[i+2:]...)
	}
	return parts[0], pending
}

// change changes a numeral, a symbol or a comparison of the source, or chooses a let
// whose computation is to stand twice.
func (s *shuffler) change() bool {
	live := reached(s.src)
	r := live[rapid.IntRange(0, len(live)-1).Draw(s.t, "node")]
	switch n := &s.src.Nodes[r]; n.Op {
	case term.NumOp:
		n.Val += 10
	case term.FunOp:
		if n.N == 1 {
			n.Sym = map[bool]term.Symbol{true: term.Cos, false: term.Exp}[n.Sym == term.Exp]
		} else {
			n.Sym = map[bool]term.Symbol{true: term.Div, false: term.Pow}[n.Sym == term.Pow]
		}
	case term.IfOp:
		n.Cmp = (n.Cmp + 1) % 4
	case term.LetOp:
		occurrences := 0
		for _, r := range live {
			if m := &s.src.Nodes[r]; m.Op == term.VarOp && m.X == n.X {
				occurrences++
			}
		}
		s.split = n.X
		op := s.src.Nodes[n.B].Op
		return occurrences > 1 && (op == term.FunOp || op == term.AppOp)
	default:
		return false
	}
	return true
}

func reached(u *term.Term) []term.Ref {
	var out []term.Ref
	stack := []term.Ref{u.Root}
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		out = append(out, r)
		switch n := &u.Nodes[r]; n.Op {
		case term.LamOp, term.BranchOp:
			stack = append(stack, n.A)
		case term.ConOp:
			if n.A != 0 {
				stack = append(stack, n.A)
			}
		case term.AppOp, term.PairOp, term.LetOp, term.UntupleOp, term.UnvecOp, term.AddOp:
			stack = append(stack, n.A, n.B)
		case term.FunOp, term.VecOp, term.IfOp, term.ListOp, term.CaseOp:
			stack = append(stack, u.Children(n)...)
		}
	}
	return out
}
