// Package sample writes programs for tests of the parser and of the formatter: random ones, and deep ones.
package sample

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The precedences of operators, loosest first.
const (
	precAdd uint8 = iota + 1
	precMul
	precNeg
	precPow
	precApp
	precAtom
)

// Random returns a random program of up to about the given number of nodes, with random white space, comments and
// needless parentheses.
func Random(r *rand.Rand, nodes int) string {
	g := &generator{r: r, budget: nodes}
	return g.program()
}

// generator writes random programs as lists of tokens.
type generator struct {
	r      *rand.Rand
	budget int // how many more nodes
	toks   []string
}

func (g *generator) put(toks ...string) { g.toks = append(g.toks, toks...) }

func (g *generator) pick(choices ...string) string { return choices[g.r.IntN(len(choices))] }

func (g *generator) name() string {
	return g.pick("x", "y", "f", "eps", "ε", "o", "x'", "aVeryLongNameIndeed", "anotherVeryLongName_1")
}

// program returns the text of a program.
func (g *generator) program() string {
	var b strings.Builder
	for i := range g.r.IntN(4) {
		g.toks = nil
		switch g.r.IntN(5) {
		case 0:
			g.put("param", fmt.Sprint("p", i), "=")
			g.size()
		case 1:
			g.put("input", fmt.Sprint("p", i), ":")
			g.typ()
			g.put("=")
			g.expr(0)
		case 2:
			g.put("data", fmt.Sprint("p", i), "=", "csv", `"a \" b"`, `"c"`, "skip", "fill", "-", "1.5", "separator", `";"`)
		case 3:
			g.put("symbol", fmt.Sprint("p", i), "x", "=")
			g.expr(0)
			g.put("with")
			for k := range 1 + g.r.IntN(2) {
				if k > 0 {
					g.put(",")
				}
				g.expr(0)
			}
		default:
			g.put("def", fmt.Sprint("p", i))
			for range g.r.IntN(3) {
				g.pat()
			}
			g.put("=")
			g.expr(0)
		}
		b.WriteString(g.join() + g.pick("\n", "\n\n", "\n-- own\n", "  -- after\n", "\n\n\n-- far\n\n"))
	}
	g.toks = nil
	g.expr(0)
	b.WriteString(g.join() + g.pick("", "\n", " -- end", "\n-- end\n"))
	return b.String()
}

// join puts white space and comments between tokens.
func (g *generator) join() string {
	var b strings.Builder
	wild := g.r.IntN(3)
	for i, t := range g.toks {
		if i > 0 {
			prev := g.toks[i-1]
			switch n := g.r.IntN(60); {
			case wild > 0 && n == 0:
				b.WriteString("\n   ")
			case wild > 1 && n == 1:
				b.WriteString(" -- c\n ")
			case wild > 1 && n == 2:
				b.WriteString("\n\n  -- own\n  -- two\n ")
			case wild > 1 && n == 3:
				b.WriteString("\n -- own\n\n ")
			case n < 20 && (strings.Contains("([,;*/", prev) || strings.Contains(")],;*/", t)) && prev != "-":
			default:
				b.WriteString(" ")
			}
		}
		b.WriteString(t)
	}
	return b.String()
}

// expr writes an expression that binds at least as tightly as level, with
// parentheses if it does not, and sometimes if it does.
func (g *generator) expr(level uint8) {
	if g.budget--; g.budget < 0 {
		g.put(g.pick("x", "1", "0.5", "1e-3"))
		return
	}
	kind := g.r.IntN(20)
	own := []uint8{precAdd, precAdd, precMul, precMul, precNeg, precPow, precApp, precApp, 0, 0, 0, 0, 0}
	needs := kind < len(own) && own[kind] < level
	if needs && own[kind] == 0 && level <= precMul && g.r.IntN(2) == 0 {
		needs = false // a prefix form as a right operand, at the end of parentheses
		g.put("(")
		g.put("x", "+")
		g.form(kind)
		g.put(")")
		return
	}
	if needs || g.r.IntN(10) == 0 {
		g.put("(")
		g.form(kind)
		g.put(")")
		return
	}
	g.form(kind)
}

// form writes an expression of a kind.
func (g *generator) form(kind int) {
	switch kind {
	case 0, 1:
		g.expr(precAdd)
		g.put(g.pick("+", "-"))
		g.expr(precMul)
	case 2, 3:
		g.expr(precMul)
		g.put(g.pick("*", "/"))
		g.expr(precNeg)
	case 4:
		g.put("-")
		g.expr(precNeg)
	case 5:
		g.expr(precApp)
		g.put("^")
		g.sizeAtom()
	case 6, 7:
		g.expr(precApp)
		g.expr(precAtom)
	case 8, 9, 10, 11, 12:
		g.prefix(kind)
	case 13:
		g.expr(precAtom)
		g.put(".(")
		g.size()
		g.put(")")
	case 14:
		g.put("(")
		g.expr(0)
		g.put(":")
		g.typ()
		g.put(")")
	case 15:
		g.list("(", ",", ")", 2)
	case 16:
		g.list("[", ";", "]", 0)
	case 17:
		g.list("[|", ",", "|]", 1)
	case 18:
		g.put(g.pick("(+)", "(-)", "( * )", "(/)", "1", "(size x)"))
	default:
		g.put(g.name())
	}
}

func (g *generator) prefix(kind int) {
	switch kind {
	case 8:
		g.put("fun")
		for range 1 + g.r.IntN(3) {
			g.pat()
		}
		g.put("->")
	case 9, 10:
		g.put("let")
		if kind == 10 {
			g.put(g.name())
		}
		g.pat()
		if g.r.IntN(3) == 0 {
			g.put(":")
			g.typ()
		}
		g.put("=")
		g.expr(0)
		g.put("in")
	case 11:
		g.put("if")
		g.expr(0)
		g.put(g.pick("<", "<=", ">", ">="))
		g.expr(0)
		g.put("then")
		g.expr(0)
		g.put("else")
	default:
		if g.r.IntN(4) == 0 {
			g.put("lin", "a", "->")
			break
		}
		g.put(g.pick("vec", "sum", "list"), g.pick("i", "_"), "<")
		g.size()
		g.put("->")
	}
	g.expr(0)
}

func (g *generator) list(open, sep, closing string, least int) {
	g.put(open)
	for i := range least + g.r.IntN(4) {
		if i > 0 {
			g.put(sep)
		}
		g.expr(0)
	}
	g.put(closing)
}

func (g *generator) sizeAtom() {
	if g.r.IntN(2) == 0 {
		g.put(g.pick("2", "n"))
		return
	}
	g.put("(")
	g.size()
	g.put(")")
}

func (g *generator) size() {
	g.budget--
	switch n := g.r.IntN(8); {
	case n < 2 && g.budget > 0:
		g.size()
		g.put(g.pick("+", "-", "*"))
		g.sizeAtom()
	case n == 2:
		g.put("size", "xs")
	default:
		g.put(g.pick("3", "n", "i"))
	}
}

func (g *generator) pat() {
	g.budget--
	switch n := g.r.IntN(8); {
	case n < 3 && g.budget > 0:
		open, closing, least := "(", ")", 2
		if n == 0 {
			open, closing, least = "[|", "|]", 1
		}
		g.put(open)
		for i := range least + g.r.IntN(2) {
			if i > 0 {
				g.put(",")
			}
			g.pat()
		}
		g.put(closing)
	case n == 3 && g.budget > 0:
		g.put("(")
		g.pat()
		g.put(":")
		g.typ()
		g.put(")")
	case n == 4:
		g.put("_")
	default:
		g.put(g.name())
	}
}

func (g *generator) typ() {
	g.budget--
	if g.budget < 0 {
		g.put("R")
		return
	}
	switch g.r.IntN(9) {
	case 0:
		g.typ()
		g.put("->")
		g.typ()
	case 1:
		g.typ()
		g.put("*")
		g.typ()
	case 2:
		g.put("(", "R", "-o", "R", "^", "k", ")")
	case 3:
		g.put("List")
		g.typ()
	case 4:
		g.put("(")
		g.typ()
		g.put(")", "^")
		g.sizeAtom()
	case 5:
		g.put("(")
		g.typ()
		g.put(")")
	case 6:
		g.put("Nat")
	default:
		g.put("R")
	}
}
