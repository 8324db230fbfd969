package unparse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gram-machine/gram/term"
)

// match is match t with C p -> u …. A case that another follows is in parentheses where it could take it for its own.
func (p *Program) match(n *term.Node) []item {
	t := p.t
	kids := t.Children(n)
	cons := t.Types.Constructors(n.Res)
	items := []item{text("match "), node(kids[0], levelSum), text(" with")}
	for i, b := range kids[1:] {
		branch := &t.Nodes[b]
		xs := t.BoundVars(branch)
		names := p.distinct(xs)
		pattern := " | " + cons[i].Name
		switch len(xs) {
		case 0:
		case 1:
			pattern += " " + names[0]
		default:
			pattern += " (" + strings.Join(names, ", ") + ")"
		}
		level := levelSum
		if i == len(cons)-1 {
			level = levelPrefix
		}
		items = append(items, text(pattern+" -> "))
		items = append(items, scoped(xs, names, node(branch.A, level))...)
	}
	return items
}

// distinct returns names for variables that one pattern binds. They are not in scope yet.
func (p *Program) distinct(xs []term.Var) []string {
	names := make([]string, len(xs))
	for i, x := range xs {
		names[i] = p.scope.free(p.t.Info(x).Name)
		p.scope.enter(names[i], stem(names[i])) // so that the next is another
	}
	for i := range xs {
		p.scope.leave(names[i], stem(names[i]))
	}
	return names
}

// functionNames returns names for the functions of a fix.
func (p *Program) functionNames(n *term.Node) []string { return p.distinct(p.t.BoundVars(n)) }

// fix is let rec f = λ and … in the member that the node stands for. Its first item enters the first function, and its
// last is the part behind in.
func (p *Program) fix(n *term.Node, names []string) []item {
	var items []item
	for i, lam := range p.t.Children(n) {
		keyword := "let rec "
		if i > 0 {
			keyword = " and "
		}
		items = append(items, text(keyword+names[i]+" = "), node(lam, levelPrefix))
	}
	return append(scoped(p.t.BoundVars(n), names, items...), text(" in "), text(names[n.Count]))
}

// declareTypes returns the declarations of the inductive types that the term mentions. They come in the order in which
// the universe has them; and joins those that mention a later one.
func (p *Program) declareTypes() ([]byte, error) {
	tt, t := p.t.Types, p.t
	live, err := t.Inside(p.opt.Check, t.Root)
	if err != nil {
		return nil, err
	}
	used := map[term.Inductive]bool{}
	seen := map[term.Type]bool{}
	var list []term.Inductive
	visit := func(ty term.Type) {
		tt.Mentioned(ty, seen, func(d term.Inductive) {
			if !used[d] {
				used[d] = true
				list = append(list, d)
			}
		})
	}
	for r := range live {
		switch n := &t.Nodes[r]; {
		case !live[r]:
		case n.Op == term.ConOp || n.Op == term.CaseOp:
			visit(n.Res)
		case n.Op == term.LamOp:
			visit(t.TypeOf(n.X))
		}
	}
	for i := 0; i < len(list); i++ {
		for _, c := range tt.Declared(list[i]) {
			if c.Arg != 0 {
				visit(c.Arg)
			}
		}
	}
	slices.Sort(list)
	p.typeNames = map[string]string{}
	named := map[string]string{} // by constructor, its type
	for _, d := range list {
		name := tt.InductiveName(d)
		if legal := legal(name); legal != name {
			p.typeNames[name] = legal
		}
		for _, c := range tt.Declared(d) {
			if named[c.Name] != "" {
				return nil, fmt.Errorf("the types %s and %s of this stage have one constructor %s: this is no program",
					named[c.Name], name, c.Name)
			}
			named[c.Name] = name
			p.Reserve(c.Name)
		}
	}
	var out []byte
	var last term.Inductive // the last one that those before mention
	for i, d := range list {
		keyword := "type "
		if i > 0 && d <= last {
			keyword = "and "
		}
		out = p.add(out, keyword+p.typeText(tt.Instance(d, tt.Parameters(d)...))+" =")
		for k, c := range tt.Declared(d) {
			if k > 0 {
				out = p.add(out, " |")
			}
			out = p.add(out, " "+c.Name)
			if c.Arg != 0 {
				out = p.add(out, " of "+p.typeText(c.Arg))
				tt.Mentioned(c.Arg, map[term.Type]bool{}, func(e term.Inductive) { last = max(last, e) })
			}
		}
		out = p.add(out, "\n")
	}
	return out, nil
}
