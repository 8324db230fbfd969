package unparse

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// LaTeX prints a term in the notation of the paper, as an align* environment of amsmath:
//
//	λx.t, λa^R.t (a linear)   \lambda x.t, \lambda a^{\mathsf R}.t
//	⟨t,u⟩, also for vectors   \langle t, u\rangle
//	t[x:=u], t[⟨x,y⟩:=u]      t[x:=u], t[\langle x, y\rangle:=u]
//	r, f(t,u), ∂1 f(t,u)      \underline{r}, \mathrm{f}(t, u), \partial_{1}\mathrm{f}(t, u)
//	0⃗, x*                    \vec 0, x^{\ast}
//
// Numbers in names are subscripts, x1 is x_{1} and E.(0).(1) is E_{0,1}; Greek letters are commands. Long terms are
// broken between substitutions, summands and components, at about 80 columns. check may be nil; it is called at least
// every 2¹⁶ nodes, and its error ends the work.
func LaTeX(w io.Writer, t *term.Term, check func() error) (err error) {
	defer syntax.Catch(&err)
	p := &formula{t: t, guard: syntax.Guard{Check: check}, names: make([]string, t.NumVars()), scope: emptyScope(),
		w: bufio.NewWriter(w)}
	for x := range t.NumVars() - 1 {
		p.guard.Step()
		p.scope.given[LaTeXName(p.base(term.Var(x+1)), 0)] = true
	}
	free, err := t.Free(check)
	if err != nil {
		return err
	}
	for _, x := range free {
		p.enter(x, p.name(x))
	}
	p.print()
	return p.w.Flush()
}

// formula prints a term, a line after the other.
type formula struct {
	t     *term.Term
	guard syntax.Guard
	scope *scope
	names []string
	last  term.Var // whose scope the last item began, 0 if it was another

	w       *bufio.Writer
	line    []byte // the text of the line
	width   int    // its columns
	lines   int    // those before it
	part    []byte // the text after the last place where the line may end
	columns int
	depth   int // brackets that are open
	indent  int // those that were at the start of part
}

const (
	formulaWidth = 80
	maxQuads     = 6
)

func (p *formula) print() {
	p.w.WriteString("\\begin{align*}\n")
	term.Walk(item{Ref: uint32(p.t.Root)}, func(it item) ([]item, int) {
		p.last = 0
		return p.expand(term.Ref(it.Ref))
	}, p.leaf)
	p.breakLine()
	p.endLine()
	p.w.WriteString("\n\\end{align*}\n")
}

// leaf writes an item that has no parts.
func (p *formula) leaf(it item) bool {
	p.guard.Step()
	x, last := term.Var(it.Ref), p.last
	p.last = 0
	switch it.Kind {
	case term.NameItem:
		p.write(p.names[x])
	case term.ConstructorItem:
		p.write(`\mathsf{` + it.Text + "}")
	case term.BreakItem:
		p.breakLine()
	case term.EnterItem:
		name := p.name(x)
		if last != 0 {
			name = p.dualName(last, x, name)
		}
		p.enter(x, name)
		p.last = x
	case term.LeaveItem:
		p.scope.leave(p.names[x], p.base(x))
	default:
		p.text(it.Text)
	}
	return true
}

// text writes a text of [term.Term.Notation], which may end with an opening bracket, or be a closing one.
func (p *formula) text(s string) {
	if strings.HasSuffix(s, "⟩") || s == ")" || s == "]" {
		p.depth--
	}
	p.write(LaTeXText(s))
	if strings.HasSuffix(s, "⟨") || strings.HasSuffix(s, "(") || s == "[" {
		p.depth++
	}
}

// latexTexts are the texts of terms that LaTeX writes otherwise.
var latexTexts = map[string]string{
	"λ": `\lambda `, "⟨": `\langle `, "⟩": `\rangle`, "⟦": `\langle `, "⟧": `\rangle`, "·": ` \cdot `, "0⃗": `\vec 0`,
	" ": `\,`, "if ": `\mathsf{if}\ `, " then ": `\ \mathsf{then}\ `, " else ": `\ \mathsf{else}\ `, " <= ": ` \le `,
	" >= ": ` \ge `, "match ": `\mathsf{match}\ `, " with ": `\ \mathsf{with}\ `, " | ": ` \mid `, " → ": ` \to `,
	"fix ": `\mathsf{fix}\,`,
}

// LaTeXText is a text of [term.Term.Notation] in LaTeX.
func LaTeXText(s string) string {
	if out, ok := latexTexts[s]; ok {
		return out
	}
	return strings.Replace(s, "#", `\#`, 1)
}

// write adds to the part of the line that can't be broken.
func (p *formula) write(s string) {
	p.part = append(p.part, s...)
	p.columns += columns(s)
}

// columns is about how wide LaTeX sets s: a command is as wide as a letter, braces and scripts are nothing.
func columns(s string) int {
	n := 0
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch c {
		case '{', '}', '^', '_', ' ':
		case '\\':
			for i < len(s) && (s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z') {
				i++
			}
			n++
		default:
			n++
		}
	}
	return n
}

// breakLine puts the part on the line, or on a new one if it doesn't fit.
func (p *formula) breakLine() {
	if p.width > 0 && p.width+p.columns > formulaWidth {
		p.endLine()
	}
	if p.width == 0 {
		if quads := min(p.indent, maxQuads); quads > 0 {
			p.width = 2 * quads
			p.line = append(p.line, strings.Repeat("\\quad", quads)+" "...)
		}
	}
	p.line = append(p.line, p.part...)
	p.width += p.columns
	p.part, p.columns, p.indent = p.part[:0], 0, p.depth
}

func (p *formula) endLine() {
	if p.lines > 0 {
		p.w.WriteString(" \\\\\n")
	}
	p.w.WriteString("& ")
	p.w.Write(p.line)
	p.line, p.width = p.line[:0], 0
	p.lines++
}

// expand returns the parts of node r and the level at which it stands: those of the notation of the paper, but for
// numerals and function symbols.
func (p *formula) expand(r term.Ref) ([]item, int) {
	n := &p.t.Nodes[r]
	items, level := p.t.Notation(r)
	switch {
	case n.Op == term.NumOp:
		return []item{text(`\underline{` + LaTeXNumber(n.Val) + "}")}, term.LevelAtom
	case n.Op == term.DataOp:
		items[0].Text = LaTeXName(p.t.Data[n.A].Name, 0)
	case n.Op == term.LamOp && p.t.Info(n.X).Linear:
		items[3] = text(`^{\mathsf R}.`)
	case n.Op == term.FixOp && n.N > 1:
		items[len(items)-1-int(n.N)] = text("_{" + strconv.Itoa(int(n.Count)+1) + "}")
	case n.Op == term.FunOp && n.Sym != term.Mul:
		k := p.t.Children(n)
		switch n.Sym {
		case term.Div:
			return []item{node(k[0], term.LevelProduct), text(" / "), node(k[1], term.LevelApply)}, term.LevelProduct
		case term.Sub:
			return []item{node(k[0], term.LevelSum), text(" - "), {Kind: term.BreakItem},
				node(k[1], term.LevelProduct)}, term.LevelSum
		case term.Neg:
			return []item{text("-"), node(k[0], term.LevelApply)}, term.LevelProduct
		}
		items[0].Text = SymbolLaTeX(n.Sym) + "("
	}
	return items, level
}

// base is the name that x has in the term.
func (p *formula) base(x term.Var) string {
	if name := p.t.Info(x).Name; name != "" && name != "_" {
		return name
	}
	return "x"
}

// name returns a name like that of x that nothing in scope has.
func (p *formula) name(x term.Var) string {
	base := p.base(x)
	return p.scope.numbered(base, func(n int) string { return LaTeXName(base, n) })
}

// dualName is the name of the dual of x with the numbers of that, if it is free, and
// otherwise, or if y is no dual of x, the name given.
func (p *formula) dualName(x, y term.Var, name string) string {
	if p.base(y) != p.base(x)+"*" {
		return name
	}
	letters, subscripts, _ := strings.Cut(p.names[x], "_{")
	dual := letters + `^{\ast}`
	if subscripts != "" {
		dual += "_{" + subscripts
	}
	if strings.Contains(letters, "^") || p.scope.taken(dual) {
		return name
	}
	return dual
}

func (p *formula) enter(x term.Var, name string) {
	p.names[x] = name
	p.scope.enter(name, p.base(x))
}

// LaTeXName is a name in LaTeX: its letters, then primes and stars, and the numbers
// in it as subscripts, after them n if that isn't 0.
func LaTeXName(name string, n int) string {
	body := strings.TrimRight(name, "*'")
	stars := strings.NewReplacer("*", `\ast`, "'", `\prime`).Replace(name[len(body):])
	end := strings.IndexAny(body, ".:")
	if end < 0 {
		end = len(body)
	}
	letters := strings.TrimRight(body[:end], "0123456789")
	if letters == "" {
		letters = "x"
	}
	subscripts := strings.FieldsFunc(body[min(len(letters), len(body)):], func(c rune) bool { return c < '0' || c > '9' })
	if n > 0 {
		subscripts = append(subscripts, strconv.Itoa(n))
	}
	out := formulaLetters(strings.TrimRight(letters, "_"))
	if stars != "" {
		out += "^{" + stars + "}"
	}
	if len(subscripts) > 0 {
		out += "_{" + strings.Join(subscripts, ",") + "}"
	}
	return out
}

// formulaLetters is a letter as it is, a Greek one as a command, and a longer name upright.
func formulaLetters(s string) string {
	if command, ok := greek[s]; ok {
		return command
	}
	if utf8.RuneCountInString(s) == 1 && s[0] < utf8.RuneSelf && s != "_" {
		return s
	}
	s = strings.ReplaceAll(s, "_", `\_`)
	for _, c := range s {
		if command, ok := greek[string(c)]; ok {
			s = strings.ReplaceAll(s, string(c), `\(`+command+`\)`)
		}
	}
	if strings.ContainsFunc(s, func(c rune) bool { return c >= utf8.RuneSelf || c == '(' }) {
		return `\text{` + s + "}"
	}
	return `\mathrm{` + s + "}"
}

var greek = map[string]string{
	"α": `\alpha`, "β": `\beta`, "γ": `\gamma`, "δ": `\delta`, "ε": `\varepsilon`, "ζ": `\zeta`, "η": `\eta`,
	"θ": `\theta`, "ι": `\iota`, "κ": `\kappa`, "λ": `\lambda`, "μ": `\mu`, "ν": `\nu`, "ξ": `\xi`, "π": `\pi`,
	"ρ": `\rho`, "ς": `\varsigma`, "σ": `\sigma`, "τ": `\tau`, "υ": `\upsilon`, "φ": `\varphi`, "χ": `\chi`,
	"ψ": `\psi`, "ω": `\omega`, "Γ": `\Gamma`, "Δ": `\Delta`, "Θ": `\Theta`, "Λ": `\Lambda`, "Ξ": `\Xi`, "Π": `\Pi`,
	"Σ": `\Sigma`, "Φ": `\Phi`, "Ψ": `\Psi`, "Ω": `\Omega`,
}

// LaTeXNumber is a numeral; an exponent is a power of ten.
func LaTeXNumber(x float64) string {
	switch {
	case math.IsNaN(x):
		return `\mathrm{NaN}`
	case math.IsInf(x, 1):
		return `\infty`
	case math.IsInf(x, -1):
		return `-\infty`
	}
	text := strconv.FormatFloat(x, 'g', -1, 64)
	mantissa, exponent, ok := strings.Cut(text, "e")
	if !ok {
		return text
	}
	n, _ := strconv.Atoi(exponent) // without its + and leading zeros
	return mantissa + `\cdot 10^{` + strconv.Itoa(n) + "}"
}
