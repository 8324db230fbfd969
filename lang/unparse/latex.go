package unparse

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// LaTeX prints a term in the notation of the paper, as an align* environment of
// amsmath:
//
//	λx.t, λa^R.t (a linear)   \lambda x.t, \lambda a^{\mathsf R}.t
//	⟨t,u⟩, also for vectors   \langle t, u\rangle
//	t[x:=u], t[⟨x,y⟩:=u]      t[x:=u], t[\langle x, y\rangle:=u]
//	r, f(t,u), ∂1 f(t,u)      \underline{r}, \mathrm{f}(t, u), \partial_{1}\mathrm{f}(t, u)
//	0⃗, x*                    \vec 0, x^{\ast}
//
// Numbers in names are subscripts, x1 is x_{1} and E.(0).(1) is E_{0,1}; Greek letters
// are commands. Long terms are broken between substitutions, summands and components,
// at about 80 columns. check may be nil; it is called at least every 2¹⁶ nodes, and its
// error ends the work.
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
	stack []item

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

// Items of a formula that are not of a program.
const (
	breakItem itemKind = leaveItem + 1 + iota // the line may end here
	openItem                                  // a bracket
	closeItem
)

func (p *formula) print() {
	p.w.WriteString("\\begin{align*}\n")
	p.stack = append(p.stack, node(p.t.Root, levelSum))
	for len(p.stack) > 0 {
		it := p.stack[len(p.stack)-1]
		p.stack = p.stack[:len(p.stack)-1]
		p.guard.Step()
		p.item(it)
	}
	p.breakLine()
	p.endLine()
	p.w.WriteString("\n\\end{align*}\n")
}

func (p *formula) item(it item) {
	switch it.kind {
	case textItem:
		p.write(it.text)
	case breakItem:
		p.breakLine()
	case openItem:
		p.write(it.text)
		p.depth++
	case closeItem:
		p.depth--
		p.write(it.text)
	case enterItem:
		p.enter(it.x, it.text)
	case leaveItem:
		p.scope.leave(p.names[it.x], p.base(it.x))
	default:
		items, level := p.expand(it.r)
		if level < it.level {
			items = append(append([]item{open("(")}, items...), closing(")"))
		}
		for i := len(items) - 1; i >= 0; i-- {
			p.stack = append(p.stack, items[i])
		}
	}
}

func open(s string) item    { return item{kind: openItem, text: s} }
func closing(s string) item { return item{kind: closeItem, text: s} }

// write adds to the part of the line that can't be broken.
func (p *formula) write(s string) {
	p.part = append(p.part, s...)
	p.columns += columns(s)
}

// columns is about how wide LaTeX sets s: a command is as wide as a letter, braces
// and scripts are nothing.
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
		p.width = 2 * min(p.indent, maxQuads)
		for range min(p.indent, maxQuads) {
			p.line = append(p.line, "\\quad"...)
		}
		if p.width > 0 {
			p.line = append(p.line, ' ')
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

var breakHere = item{kind: breakItem}

// expand returns the parts of node r and the level at which it stands.
func (p *formula) expand(r term.Ref) ([]item, uint8) {
	t := p.t
	n := &t.Nodes[r]
	switch n.Op {
	case term.VarOp:
		return []item{text(p.names[n.X])}, levelAtom
	case term.NumOp:
		return []item{text(`\underline{` + LaTeXNumber(n.Val) + "}")}, levelAtom
	case term.ZeroOp:
		return []item{text(`\vec 0`)}, levelAtom
	case term.NatOp:
		return []item{text(`\#` + strconv.FormatUint(n.Count, 10))}, levelAtom
	case term.DataOp:
		return []item{text(LaTeXName(t.Data[n.A].Name, 0))}, levelAtom
	case term.LamOp:
		x := p.name(n.X)
		kind := ""
		if t.Info(n.X).Linear {
			kind = `^{\mathsf R}`
		}
		return []item{enter(n.X, x), text(`\lambda ` + x + kind + "."), node(n.A, levelSum), leave(n.X)}, levelSum
	case term.LetOp, term.UnpairOp, term.UntupleOp, term.UnvecOp:
		return p.let(n), levelAtom
	case term.AppOp:
		return []item{node(n.A, levelApply), text(`\,`), node(n.B, levelAtom)}, levelApply
	case term.PairOp:
		return p.list(`\langle `, []term.Ref{n.A, n.B}, ", ", `\rangle`), levelAtom
	case term.VecOp:
		return p.list(`\langle `, t.Children(n), ", ", `\rangle`), levelAtom
	case term.ListOp:
		return p.list("[", t.Children(n), "; ", "]"), levelAtom
	case term.AddOp:
		return []item{node(n.A, levelSum), text(" + "), breakHere, node(n.B, levelProduct)}, levelSum
	case term.FunOp:
		return p.function(n)
	case term.ConOp:
		c := t.Types.Constructors(n.Res)[n.Count].Name
		if n.A == 0 {
			return []item{text(`\mathsf{` + c + "}")}, levelAtom
		}
		return []item{text(`\mathsf{` + c + `}\,`), node(n.A, levelAtom)}, levelApply
	case term.CaseOp:
		return p.match(n), levelSum
	case term.FixOp:
		return p.fix(n), levelSum
	default: // IfOp
		k := t.Children(n)
		return []item{text(`\mathsf{if}\ `), node(k[0], levelSum), text(comparisons[n.Cmp]), node(k[1], levelSum),
			breakHere, text(`\ \mathsf{then}\ `), node(k[2], levelSum), breakHere, text(`\ \mathsf{else}\ `), node(k[3], levelSum)}, levelSum
	}
}

var comparisons = map[term.Compare]string{term.Less: " < ", term.LessEqual: ` \le `, term.Greater: " > ", term.GreaterEqual: ` \ge `}

// let is t[x:=u], or the opening of a tuple. The scope of the variables is t alone.
func (p *formula) let(n *term.Node) []item {
	xs := p.t.BoundVars(n)
	names := make([]string, len(xs))
	for i, x := range xs {
		names[i] = p.name(x)
		if i > 0 {
			names[i] = p.dualName(xs[i-1], x, names[i])
		}
		p.enter(x, names[i])
	}
	pattern := names[0]
	if n.Op != term.LetOp {
		pattern = `\langle ` + strings.Join(names, ", ") + `\rangle`
	}
	items := []item{node(n.A, levelAtom)}
	for _, x := range xs {
		items = append(items, leave(x))
	}
	return append(items, breakHere, open("["+pattern+":="), node(n.B, levelSum), closing("]"))
}

// match is match t with C x → u | ….
func (p *formula) match(n *term.Node) []item {
	kids := p.t.Children(n)
	items := []item{text(`\mathsf{match}\ `), node(kids[0], levelSum), text(`\ \mathsf{with}\ `)}
	for i, c := range p.t.Types.Constructors(n.Res) {
		branch := &p.t.Nodes[kids[i+1]]
		if i > 0 {
			items = append(items, text(` \mid `))
		}
		xs := p.t.BoundVars(branch)
		items = append(items, breakHere, text(`\mathsf{`+c.Name+"}"+p.tuple(xs, `\,`)+` \to `))
		for _, x := range xs {
			items = append(items, enter(x, p.name(x)))
		}
		items = append(items, node(branch.A, levelProduct))
		for _, x := range xs {
			items = append(items, leave(x))
		}
	}
	return items
}

// tuple is x, or ⟨x, y, …⟩, after before; nothing for no variables.
func (p *formula) tuple(xs []term.Var, before string) string {
	names := make([]string, len(xs))
	for i, x := range xs {
		names[i] = p.name(x)
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return before + names[0]
	}
	return before + `\langle ` + strings.Join(names, ", ") + `\rangle`
}

// fix is fix f.v, or the member of fix ⟨f, g⟩.⟨v, w⟩.
func (p *formula) fix(n *term.Node) []item {
	xs, kids := p.t.BoundVars(n), p.t.Children(n)
	items := []item{text(`\mathsf{fix}` + p.tuple(xs, `\,`) + ".")}
	for _, x := range xs {
		items = append(items, enter(x, p.name(x)))
	}
	if len(kids) == 1 {
		items = append(items, node(kids[0], levelSum))
	} else {
		items = append(append(items, p.list(`\langle `, kids, ", ", `\rangle`)...), text("_{"+strconv.Itoa(int(n.Count)+1)+"}"))
	}
	for _, x := range xs {
		items = append(items, leave(x))
	}
	return items
}

func (p *formula) list(opening string, kids []term.Ref, sep, end string) []item {
	items := append(make([]item, 0, 3*len(kids)+2), open(opening))
	for i, k := range kids {
		if i > 0 {
			items = append(items, text(sep), breakHere)
		}
		items = append(items, node(k, levelSum))
	}
	return append(items, closing(end))
}

func (p *formula) function(n *term.Node) ([]item, uint8) {
	k := p.t.Children(n)
	switch n.Sym {
	case term.Mul:
		return []item{node(k[0], levelProduct), text(` \cdot `), node(k[1], levelNegation)}, levelProduct
	case term.Div:
		return []item{node(k[0], levelProduct), text(" / "), node(k[1], levelNegation)}, levelProduct
	case term.Sub:
		return []item{node(k[0], levelSum), text(" - "), breakHere, node(k[1], levelProduct)}, levelSum
	case term.Neg:
		return []item{text("-"), node(k[0], levelNegation)}, levelProduct
	}
	return p.list(SymbolLaTeX(n.Sym)+"(", k, ", ", ")"), levelAtom
}
