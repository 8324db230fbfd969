package syntax

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// forms are the expressions, with how tightly they bind. In what a form or a rule is made of, En is an expression that
// binds at least as tightly as n, the name of a rule is what that gives, and ~ is a blank inside of a token.
var forms = []struct {
	level int
	parts string
}{
	{1, "E1 + E2"}, {1, "E1 - E2"}, {2, "E2 * E3"}, {2, "E2 / E3"}, {3, "- E3"}, {4, "E5 ^ Factor"}, {5, "E5 E6"},
	{5, "E5 E6"}, {0, "fun Pattern -> E0"}, {0, "fun Pattern Pattern Pattern -> E0"}, {0, "let Pattern = E0 in E0"},
	{0, "let Name Pattern : Type = E0 in E0"}, {0, "let Pattern : Type = E0 in E0"},
	{0, "if E0 Relation E0 then E0 else E0"}, {0, "lin a -> E0"}, {0, "Binder Index < Size -> E0"},
	{0, "Binder Index < Size -> E0"}, {6, "E6 .( Size )"}, {6, "( E0 : Type )"}, {6, "( E0 , E0 )"},
	{6, "( E0 , E0 , E0 , E0 )"}, {6, "[ ]"}, {6, "[ E0 ]"}, {6, "[ E0 ; E0 ; E0 ]"}, {6, "[| E0 |]"},
	{6, "[| E0 , E0 , E0 |]"}, {6, "Operator"}, {6, "Name"}, {6, "Name"},
}

// rules are the other parts of a program. The last choice of each has no other parts but names.
var rules = map[string][]string{
	"Name":     {"y", "f", "eps", "ε", "o", "x'", "aVeryLongNameIndeed", "anotherVeryLongName_1", "x"},
	"Operator": {"(+)", "(-)", "(~*~)", "(/)", "(size~x)", "1"},
	"Relation": {"<", "<=", ">", ">="},
	"Binder":   {"vec", "sum", "list"},
	"Index":    {"_", "i"},
	"Leaf":     {"x", "1", "0.5", "1e-3"},
	"Factor":   {"( Size )", "( Size )", "2", "n"},
	"Size":     {"Size + Factor", "Size - Factor", "Size * Factor", "size xs", "3", "n", "i", "3", "n", "i"},
	"Pattern": {"( Pattern , Pattern )", "( Pattern , Pattern , Pattern )", "[| Pattern |]", "[| Pattern , Pattern |]",
		"( Pattern : Type )", "_", "Name", "Name", "Name", "Name"},
	"Type": {"Type -> Type", "Type * Type", "( R -o R ^ k )", "List Type", "( Type ) ^ Factor", "( Type )", "Nat", "R",
		"R"},
	"Declaration": {"param Declared = Size", "input Declared : Type = E0", "symbol Declared x = E0 with E0",
		"symbol Declared x = E0 with E0 , E0", "def Declared Pattern = E0", "def Declared Pattern Pattern = E0",
		"def Declared = E0", `data Declared = csv "a~\"~b" "c" skip fill - 1.5 separator ";"`},
}

// random returns a random program of up to about the given number of nodes, with random white space, comments and
// needless parentheses.
func random(r *rand.Rand, nodes int) string {
	g := &generator{r: r, budget: nodes}
	var b strings.Builder
	for i := range r.IntN(4) {
		g.declared = fmt.Sprint("p", i)
		b.WriteString(g.text("Declaration") + g.pick("\n", "\n\n", "\n-- own\n", "  -- after\n", "\n\n\n-- far\n\n"))
	}
	b.WriteString(g.text("E0") + g.pick("", "\n", " -- end", "\n-- end\n"))
	return b.String()
}

// generator writes random programs as lists of tokens.
type generator struct {
	r        *rand.Rand
	budget   int // how many more nodes
	declared string
	toks     []string
}

func (g *generator) pick(choices ...string) string { return choices[g.r.IntN(len(choices))] }

// put adds the tokens of parts.
func (g *generator) put(parts string) {
	for word := range strings.FieldsSeq(parts) {
		choices := rules[word]
		switch {
		case word == "Declared":
			g.toks = append(g.toks, g.declared)
		case len(word) == 2 && word[0] == 'E':
			g.expr(int(word[1] - '0'))
		case choices == nil:
			g.toks = append(g.toks, strings.ReplaceAll(word, "~", " "))
		default:
			if g.budget--; g.budget < 0 && strings.Contains(choices[0], " ") {
				choices = choices[len(choices)-1:]
			}
			g.put(g.pick(choices...))
		}
	}
}

// expr writes an expression that binds at least as tightly as level, with
// parentheses if it does not, and sometimes if it does.
func (g *generator) expr(level int) {
	if g.budget--; g.budget < 0 {
		g.put("Leaf")
		return
	}
	form := forms[g.r.IntN(len(forms))]
	switch needs := form.level < level; {
	case needs && form.level == 0 && level <= 2 && g.r.IntN(2) == 0:
		g.put("( x + " + form.parts + " )") // a prefix form as a right operand, at the end of parentheses
	case needs || g.r.IntN(10) == 0:
		g.put("( " + form.parts + " )")
	default:
		g.put(form.parts)
	}
}

// text returns the text of parts, with white space and comments between tokens.
func (g *generator) text(parts string) string {
	g.toks = nil
	g.put(parts)
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
