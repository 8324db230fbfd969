package unparse

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/term"
)

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

// declareSymbols returns the declarations of the symbols that the term mentions and the table does not have. Where
// something else has the name of one or of its derivatives, it has another name.
func (p *Program) declareSymbols() ([]byte, error) {
	live, err := p.t.Inside(p.opt.Check, p.t.Root)
	if err != nil {
		return nil, err
	}
	used := map[term.Symbol]bool{}
	for r := range live {
		if n := &p.t.Nodes[r]; live[r] && n.Op == term.FunOp && n.Sym.Declared() {
			p.mention(n.Sym, used)
		}
	}
	list := make([]term.Symbol, 0, len(used))
	for f := range used {
		list = append(list, f)
	}
	slices.Sort(list) // a symbol mentions those before it
	p.symbols = map[term.Symbol]string{}
	p.parameters = []string{"x", "y"}
	for _, f := range list {
		for i := len(p.parameters) - 1; i <= f.Info().Arity && f.Info().Arity > 2; i++ {
			p.parameters = append(p.parameters, "x"+strconv.Itoa(i))
		}
	}
	var out []byte
	for _, f := range list {
		info := f.Info()
		declaration, parameters := "", p.parameters[:min(info.Arity, 2)]
		if info.Arity > 2 {
			parameters = p.parameters[2 : 2+info.Arity]
		}
		for i := range info.Arity {
			declaration += ", " + p.expression(f.Slope(i).Info().Body, parameters)
		}
		declaration = "= " + p.expression(info.Body, parameters) + " with " + declaration[2:] + "\n"
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
	return out, nil
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
		if level < levelAtom {
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
