package unparse

import (
	"math"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// item is a part that will be printed. Where the scope of a variable begins, its text is the name.
type item = term.Item

func text(s string) item              { return item{Text: s} }
func node(r term.Ref, level int) item { return item{Ref: uint32(r), Level: level} }
func enter(x term.Var, s string) item { return item{Kind: term.EnterItem, Ref: uint32(x), Text: s} }
func leave(x term.Var) item           { return item{Kind: term.LeaveItem, Ref: uint32(x)} }

func (p *Program) add(out []byte, s string) []byte {
	return append(syntax.Room(p.guard, out, len(s)), s...)
}

func (p *Program) print() {
	term.Walk(node(p.t.Root, syntax.PrecPrefix), func(it item) ([]item, int) {
		return p.expand(term.Ref(it.Ref), it.Level)
	}, func(it item) bool {
		p.guard.Step()
		switch it.Kind {
		case term.EnterItem:
			p.names[it.Ref] = it.Text
			p.scope.enter(it.Text, stem(it.Text))
		case term.LeaveItem:
			p.scope.leave(p.names[it.Ref], stem(p.names[it.Ref]))
		default:
			p.out = p.add(p.out, it.Text)
		}
		return true
	})
}

// expand returns the parts of node r, in a place of level at least, and its own level.
func (p *Program) expand(r term.Ref, least int) ([]item, int) {
	t := p.t
	n := &t.Nodes[r]
	switch n.Op {
	case term.VarOp:
		p.printed[n.X] = true
		return []item{text(p.names[n.X])}, syntax.PrecAtom
	case term.NumOp:
		s, level := number(n.Val)
		return []item{text(s)}, level
	case term.ZeroOp:
		s, level := p.zero()
		return []item{text(s)}, level
	case term.NatOp:
		return []item{text("#" + strconv.FormatUint(n.Count, 10))}, syntax.PrecAtom
	case term.DataOp:
		return []item{text(p.data[n.A])}, syntax.PrecAtom
	case term.LamOp:
		return p.lambda(r), syntax.PrecPrefix
	case term.LetOp, term.UntupleOp, term.UnvecOp:
		return p.let(n, least), syntax.PrecPrefix
	case term.AppOp:
		return []item{node(n.A, syntax.PrecApp), text(" "), node(n.B, syntax.PrecAtom)}, syntax.PrecApp
	case term.PairOp:
		return p.pair(r), syntax.PrecAtom
	case term.VecOp:
		return p.list("[| ", t.Children(n), ", ", " |]"), syntax.PrecAtom
	case term.ListOp:
		return p.list("[", t.Children(n), "; ", "]"), syntax.PrecAtom
	case term.AddOp:
		return p.operator("+", syntax.PrecAdd, n.A, n.B)
	case term.FunOp:
		return p.function(n)
	case term.ConOp:
		c := p.t.Types.Constructors(n.Res)[n.Count].Name
		if n.A == 0 {
			return []item{text(c)}, syntax.PrecAtom
		}
		return []item{text(c + " "), node(n.A, syntax.PrecAtom)}, syntax.PrecApp
	case term.CaseOp:
		return p.match(n), syntax.PrecPrefix
	case term.FixOp:
		return p.fix(n, p.functionNames(n)), syntax.PrecPrefix
	default: // IfOp
		k := t.Children(n)
		return []item{text("if "), node(k[0], syntax.PrecAdd), text(" " + n.Cmp.String() + " "), node(k[1], syntax.PrecAdd),
			text(" then "), node(k[2], syntax.PrecPrefix), text(" else "), node(k[3], syntax.PrecPrefix)}, syntax.PrecPrefix
	}
}

// lambda is lin a -> t, or fun x y … -> t for all parameters that follow one another.
func (p *Program) lambda(r term.Ref) []item {
	t := p.t
	n := &t.Nodes[r]
	if t.Info(n.X).Linear {
		x := p.scope.free(t.Info(n.X).Name)
		return scoped([]term.Var{n.X}, []string{x}, text("lin "+x+" -> "), node(n.A, syntax.PrecPrefix))
	}
	var head strings.Builder
	head.WriteString("fun")
	var xs []term.Var
	for n.Op == term.LamOp && !t.Info(n.X).Linear {
		x := p.Fresh(t.Info(n.X).Name)
		p.names[n.X], xs = x, append(xs, n.X)
		if ty := p.annotation(t.TypeOf(n.X)); ty != "" {
			head.WriteString(" (" + x + " : " + ty + ")")
		} else {
			head.WriteString(" " + x)
		}
		r = n.A
		n = &t.Nodes[r]
	}
	head.WriteString(" -> ")
	items := []item{text(head.String()), node(r, syntax.PrecPrefix)}
	for i := len(xs) - 1; i >= 0; i-- {
		items = append(items, leave(xs[i]))
	}
	return items
}

// annotation is the type of a parameter if it is written: if it has a vector or a dual in it, and is not too long.
func (p *Program) annotation(ty term.Type) string {
	if tt := p.t.Types; tt.HasDual(ty) || strings.Contains(tt.String(ty), "^") {
		return p.typeText(ty)
	}
	return ""
}

// typeText is a type with its dimension, or "" if it is too long.
func (p *Program) typeText(ty term.Type) string {
	s := p.t.Types.String(ty)
	if strings.Contains(s, "…") {
		return ""
	}
	d := "R"
	if p.opt.Dim > 1 {
		d = "R^" + strconv.Itoa(p.opt.Dim)
	}
	for name, legal := range p.typeNames {
		s = strings.ReplaceAll(s, name, legal)
	}
	return strings.ReplaceAll(s, "R^d", d)
}

// let is t[x:=u], or the opening of a tuple or vector. Its body has lines of its own,
// unless it stands in parentheses and fits on one.
func (p *Program) let(n *term.Node, least int) []item {
	t := p.t
	if u := &t.Nodes[n.B]; n.Op == term.LetOp && u.Op == term.FixOp && u.N == 1 {
		items := p.fix(u, p.functionNames(u))
		name := items[0].Text
		body := scoped([]term.Var{n.X}, []string{name}, node(n.A, syntax.PrecPrefix))
		return append(items[:len(items)-1:len(items)-1], body...)
	}
	xs := t.BoundVars(n)
	names := p.distinct(xs)
	pattern := names[0]
	switch n.Op {
	case term.UntupleOp:
		pattern = "(" + strings.Join(names, ", ") + ")"
	case term.UnvecOp:
		pattern = "[| " + strings.Join(names, ", ") + " |]"
	}
	in := " in\n"
	if least > syntax.PrecPrefix {
		in = " in "
	}
	items := []item{text("let " + pattern + " = "), node(n.B, syntax.PrecPrefix), text(in)}
	return append(items, scoped(xs, names, node(n.A, syntax.PrecPrefix))...)
}

// scoped puts items into the scope of variables.
func scoped(xs []term.Var, names []string, items ...item) []item {
	out := make([]item, 0, 2*len(xs)+len(items))
	for i, x := range xs {
		out = append(out, enter(x, names[i]))
	}
	out = append(out, items...)
	for _, x := range xs {
		out = append(out, leave(x))
	}
	return out
}

// pair is (t, u, …) for pairs nested to the right, or an input.
func (p *Program) pair(r term.Ref) []item {
	if path := p.tuples[r]; path != "" {
		return []item{text(path)}
	}
	items := []item{text("(")}
	for p.t.Nodes[r].Op == term.PairOp && p.tuples[r] == "" {
		items = append(items, node(p.t.Nodes[r].A, syntax.PrecPrefix), text(", "))
		r = p.t.Nodes[r].B
	}
	return append(items, node(r, syntax.PrecPrefix), text(")"))
}

func (p *Program) list(open string, kids []term.Ref, sep, end string) []item {
	items := append(make([]item, 0, 2*len(kids)+2), text(open))
	for i, k := range kids {
		if i > 0 {
			items = append(items, text(sep))
		}
		items = append(items, node(k, syntax.PrecPrefix))
	}
	return append(items, text(end))
}

// operator is a op b: on two numerals, which would be folded, (op) a b.
func (p *Program) operator(op string, level int, a, b term.Ref) ([]item, int) {
	if p.foldable(a) && p.foldable(b) {
		name := "(" + op + ") "
		if op == "*" {
			name = "( * ) "
		}
		return []item{text(name), node(a, syntax.PrecAtom), text(" "), node(b, syntax.PrecAtom)}, syntax.PrecApp
	}
	return []item{node(a, level), text(" " + op + " "), node(b, level+1)}, level
}

// foldable reports whether a node is a numeral that is written as one.
func (p *Program) foldable(r term.Ref) bool {
	n := &p.t.Nodes[r]
	return n.Op == term.NumOp && !math.IsNaN(n.Val) && !math.IsInf(n.Val, 0)
}

func (p *Program) function(n *term.Node) ([]item, int) {
	kids := p.t.Children(n)
	switch sign := n.Sym.Info().Infix; {
	case n.Sym == term.Sub:
		return p.operator(sign, syntax.PrecAdd, kids[0], kids[1])
	case sign != "":
		return p.operator(sign, syntax.PrecMul, kids[0], kids[1])
	case n.Sym == term.Neg && p.t.Nodes[kids[0]].Op != term.NumOp:
		return []item{text("-"), node(kids[0], syntax.PrecApp)}, syntax.PrecNeg
	}
	items := []item{text(p.symbolName(n.Sym))}
	for _, k := range kids {
		items = append(items, text(" "), node(k, syntax.PrecAtom))
	}
	return items, syntax.PrecApp
}
