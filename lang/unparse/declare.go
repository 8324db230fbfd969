package unparse

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// match is match t with C p -> u …. A case that another follows is in parentheses where it could take it for its own.
func (p *Program) match(n *term.Node) []item {
	t := p.t
	kids := t.Children(n)
	cons := t.Types.Constructors(n.Res)
	items := []item{text("match "), node(kids[0], syntax.PrecAdd), text(" with")}
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
		level := syntax.PrecAdd
		if i == len(cons)-1 {
			level = syntax.PrecPrefix
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
		if i > 0 && p.t.Info(x).Name == p.t.Info(xs[i-1]).Name+"*" && !p.scope.active[names[i-1]+"'"] {
			names[i] = names[i-1] + "'" // the dual of x3 is x3'
		}
		p.Reserve(names[i]) // so that the next is another
	}
	for i := range xs {
		p.scope.leave(names[i], stem(names[i]))
	}
	return names
}

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
		items = append(items, text(keyword+names[i]+" = "), node(lam, syntax.PrecPrefix))
	}
	return append(scoped(p.t.BoundVars(n), names, items...), text(" in "), text(names[n.Count]))
}

// declareTypes returns the declarations of the inductive types that live nodes mention, in the order of the universe;
// and joins those that mention a later one.
func (p *Program) declareTypes(live []bool) ([]byte, error) {
	tt, t := p.t.Types, p.t
	used := map[term.Inductive]bool{}
	seen := map[term.Type]bool{}
	var visit func(ty term.Type)
	visit = func(ty term.Type) {
		tt.Mentioned(ty, seen, func(d term.Inductive) {
			if used[d] {
				return
			}
			used[d] = true
			for _, c := range tt.Declared(d) {
				if c.Arg != 0 {
					visit(c.Arg)
				}
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
	list := slices.Sorted(maps.Keys(used))
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

// SymbolLaTeX is a function symbol in LaTeX.
func SymbolLaTeX(f term.Symbol) string {
	info := f.Info()
	switch {
	case !f.Declared():
		return info.LaTeX
	case info.Base == term.NoSymbol:
		return LaTeXName(info.Name, 0)
	}
	return `\partial_{` + strconv.Itoa(int(f-info.Base)) + "}" + SymbolLaTeX(info.Base)
}

// symbolName is the name of a symbol in the program.
func (p *Program) symbolName(f term.Symbol) string {
	if name := p.symbols[f]; name != "" {
		return name
	}
	return f.SourceName()
}

// declareSymbols appends the declarations of the symbols that the term mentions and the table does not have. Where
// something else has the name of one or of its derivatives, it has another name.
func (p *Program) declareSymbols(out []byte, live []bool) []byte {
	used := map[term.Symbol]bool{}
	for r := range live {
		if n := &p.t.Nodes[r]; live[r] && n.Op == term.FunOp && n.Sym.Declared() {
			p.mention(n.Sym, used)
		}
	}
	list := slices.Sorted(maps.Keys(used)) // a symbol mentions those before it
	p.symbols = map[term.Symbol]string{}
	p.parameters = []string{"x", "y"}
	for _, f := range list {
		for i := len(p.parameters) - 1; i <= f.Info().Arity && f.Info().Arity > 2; i++ {
			p.parameters = append(p.parameters, "x"+strconv.Itoa(i))
		}
	}
	for _, f := range list {
		info := f.Info()
		parameters := p.parameters[:min(info.Arity, 2)]
		if info.Arity > 2 {
			parameters = p.parameters[2 : 2+info.Arity]
		}
		partials := syntax.Each(info.Arity, func(i int) string { return p.expression(f.Slope(i).Info().Body, parameters) })
		declaration := "= " + p.expression(info.Body, parameters) + " with " + strings.Join(partials, ", ") + "\n"
		name := info.Name
		for n := 1; !p.freeSymbol(name, info.Arity); n++ {
			name = info.Name + strconv.Itoa(n)
		}
		p.Reserve(name)
		p.symbols[f] = name
		for i := range info.Arity {
			p.symbols[f.Slope(i)] = term.SlopeName(name, i, info.Arity)
			p.Reserve(p.symbols[f.Slope(i)])
		}
		out = p.add(out, "symbol "+name+" "+strings.Join(parameters, " ")+" "+declaration)
	}
	return out
}

// freeSymbol reports whether nothing has the name of a symbol of k parameters or of its derivatives.
func (p *Program) freeSymbol(name string, k int) bool {
	for i := range k {
		if p.scope.taken(term.SlopeName(name, i, k)) {
			return false
		}
	}
	return !p.scope.taken(name) && !slices.Contains(p.parameters, name)
}

// mention enters a declared symbol and those that its declaration mentions.
func (p *Program) mention(f term.Symbol, used map[term.Symbol]bool) {
	if base := f.Info().Base; base != term.NoSymbol {
		f = base
	}
	if used[f] {
		return
	}
	used[f] = true
	k := f.Info().Arity
	none := struct{}{}
	for i := range k + 1 {
		term.Interpret((f + term.Symbol(i)).Info().Body, k, func(float64) struct{} { return none },
			func(int) struct{} { return none },
			func(g term.Symbol, _ ...struct{}) struct{} {
				if g.Declared() {
					p.mention(g, used)
				}
				return none
			})
	}
}

// expression is an expression of a declared symbol, by the names of its parameters.
func (p *Program) expression(e *term.Partial, parameters []string) string {
	return term.Interpret(e, len(parameters), func(r float64) string {
		s, level := number(r)
		if level < syntax.PrecAtom {
			return "(" + s + ")"
		}
		return s
	}, func(i int) string { return parameters[i] }, func(f term.Symbol, args ...string) string {
		sign := map[term.Symbol]string{term.NoSymbol: "+", term.Sub: "-", term.Mul: "*", term.Div: "/"}[f]
		if sign != "" {
			return "(" + args[0] + " " + sign + " " + args[1] + ")"
		}
		return "(" + p.symbolName(f) + " " + strings.Join(args, " ") + ")"
	})
}
