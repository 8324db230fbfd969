package reference

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/term"
)

// String prints the term in the notation of the calculus, with a number behind each
// variable that shares its name with another.
func (t *Term) String() string { return Text(NewNames().Tokens(t, nil)) }

// Text joins the texts of tokens.
func Text(tokens []Token) string {
	var b strings.Builder
	for _, k := range tokens {
		b.WriteString(k.Text)
	}
	return b.String()
}

// TokenKind says what a [Token] is.
type TokenKind uint8

// The kinds of tokens.
const (
	Punctuation     TokenKind = iota // Text: one of a fixed set
	NameToken                        // a variable
	NumeralToken                     // a numeral
	SymbolToken                      // a function symbol
	Break                            // a line may end here
	RedexBegin                       // what the rule rewrites
	RedexEnd                         //
	OccurrenceBegin                  // of (3): the occurrence
	OccurrenceEnd                    //
)

// Token is a part of a printed term.
type Token struct {
	Kind TokenKind
	Text string // as [Term.String] prints it
	// Of a variable: its own name, and a number where it shares that with another.
	Name   string
	Number int
	Num    denote.Number // of a numeral
	Sym    term.Symbol
}

// Names are what variables are called, from one printing to the next.
type Names struct {
	// Annotated: a linear variable has its type where it is bound, as in λa^R.t.
	Annotated bool

	names map[*Var]Token
	used  map[string]int
	taken map[string]bool
}

// NewNames returns no names.
func NewNames() *Names {
	return &Names{names: map[*Var]Token{}, used: map[string]int{}, taken: map[string]bool{}}
}

// Reserve gives the variables their names before any other has one of them.
func (ns *Names) Reserve(xs []*Var) {
	for _, x := range xs {
		ns.name(x)
	}
}

// name returns the token of x. The first variable of a name has it, the next one the
// name with the least number from 2 on that no other has, before its stars.
func (ns *Names) name(x *Var) Token {
	if t, ok := ns.names[x]; ok {
		return t
	}
	t := Token{Kind: NameToken, Text: x.Name, Name: x.Name}
	for n := ns.used[x.Name] + 1; ns.taken[t.Text]; n++ {
		letters := strings.TrimRight(x.Name, "*")
		t.Text, t.Number = fmt.Sprintf("%s%d%s", letters, n, x.Name[len(letters):]), n
	}
	ns.used[x.Name] = max(1, t.Number)
	ns.taken[t.Text], ns.names[x] = true, t
	return t
}

// Tokens prints a term, with the marks of a redex of the state s, whose term it is, if that isn't nil.
func (ns *Names) Tokens(t *Term, marks *Marks) []Token {
	p := &printer{Names: ns, marks: marks}
	if marks == nil {
		p.marks = &Marks{redex: -1, occurrence: -1}
	}
	p.term(t, levelSum)
	return p.out
}

// Marks are the places of a term that are marked: a redex and, of a (3), an occurrence.
type Marks struct{ redex, occurrence int }

// Marks returns those of a redex of the state.
func (s *State) Marks(r *Redex) *Marks {
	m := &Marks{redex: r.at, occurrence: -1}
	if r.occ != 0 {
		m.occurrence = r.occ
	}
	return m
}

// printer prints a term. It comes to the nodes in the order of [State]'s places.
type printer struct {
	*Names
	marks *Marks
	next  int // the place of the next node
	out   []Token
}

// part is a term that is printed at a level.
type part struct {
	t     *Term
	level int
}

// print prints texts and tokens, variables and patterns where they are bound, and terms.
func (p *printer) print(parts ...any) {
	for _, x := range parts {
		switch x := x.(type) {
		case string:
			p.out = append(p.out, Token{Text: x})
		case Token:
			p.out = append(p.out, x)
		case *Var:
			p.print(p.name(x))
			if p.Annotated && x.Linear {
				p.print("^R")
			}
		case *Pattern:
			if x.X != nil {
				p.print(x.X)
			} else {
				p.print("⟨", x.Left, ",", x.Right, "⟩")
			}
		case part:
			p.term(x.t, x.level)
		}
	}
}

// Levels: what may stand where without parentheses.
const (
	levelSum = iota
	levelProduct
	levelApply
	levelAtom
)

func (t *Term) level() int {
	switch t.Op {
	case Lambda, If, Plus, Match, Fix:
		return levelSum
	case Construct:
		if len(t.Kids) > 0 {
			return levelApply
		}
	case Function:
		if in, ok := infix[t.Sym]; ok {
			return in.left
		}
	case Apply:
		return levelApply
	}
	return levelAtom
}

func (p *printer) list(open string, ts []*Term, end string) {
	p.print(open)
	for i, t := range ts {
		if i > 0 {
			p.print(", ", Token{Kind: Break})
		}
		p.print(part{t, levelSum})
	}
	p.print(end)
}

func (p *printer) infix(t *Term, left int, op string, right int) {
	p.print(part{t.Kids[0], left}, op, part{t.Kids[1], right})
}

// term prints t with its marks and, where it needs them, parentheses.
func (p *printer) term(t *Term, level int) {
	place := p.next
	p.next++
	mark := func(at int, kind TokenKind) {
		if place == at {
			p.print(Token{Kind: kind})
		}
	}
	mark(p.marks.redex, RedexBegin)
	mark(p.marks.occurrence, OccurrenceBegin)
	if t.level() < level {
		p.print("(")
	}
	p.bare(t)
	if t.level() < level {
		p.print(")")
	}
	mark(p.marks.occurrence, OccurrenceEnd)
	mark(p.marks.redex, RedexEnd)
}

func (p *printer) bare(t *Term) {
	switch t.Op {
	case Variable:
		p.print(p.name(t.X))
	case Numeral:
		text := fmt.Sprint(t.Num)
		if q, ok := t.Num.(*big.Rat); ok {
			text = q.RatString()
		}
		p.print(Token{Kind: NumeralToken, Text: text, Num: t.Num})
	case Zero:
		p.print("0⃗")
	case Lambda:
		p.print("λ", t.X, ".", part{t.Kids[0], levelSum})
	case Apply:
		p.infix(t, levelApply, " ", levelAtom)
	case MakePair:
		p.list("⟨", t.Kids, "⟩")
	case Let:
		p.print(part{t.Kids[0], levelAtom}, Token{Kind: Break}, "[", t.P, ":=", part{t.Kids[1], levelSum}, "]")
	case Plus:
		p.infix(t, levelSum, " + ", levelProduct)
	case Function:
		if in, ok := infix[t.Sym]; ok {
			p.infix(t, in.left, in.op, in.right)
			return
		}
		p.print(Token{Kind: SymbolToken, Text: t.Sym.String(), Sym: t.Sym})
		p.list("(", t.Kids, ")")
	case Construct:
		p.print(t.Name)
		for _, k := range t.Kids {
			p.print(" ", part{k, levelAtom})
		}
	case Match:
		p.match(t)
	case Fix:
		p.fix(t)
	case If:
		p.print("if ")
		p.infix(t, levelSum, " "+t.Cmp.String()+" ", levelSum)
		p.print(" then ", part{t.Kids[2], levelSum}, " else ", part{t.Kids[3], levelSum})
	}
}

// match prints match t with C p → u | ….
func (p *printer) match(t *Term) {
	p.print("match ", part{t.Kids[0], levelSum}, " with ")
	for i, b := range t.Kids[1:] {
		if i > 0 {
			p.print(" | ", Token{Kind: Break})
		}
		p.print(b.Name)
		p.next++
		if b.P != nil {
			p.print(" ", b.P)
		}
		p.print(" → ", part{b.Kids[0], levelProduct})
	}
}

// fix prints fix f.v, or a member of fix ⟨f,g⟩.⟨v,w⟩.
func (p *printer) fix(t *Term) {
	p.print("fix ")
	for i, x := range t.Xs {
		if i > 0 {
			p.print(",")
		}
		p.print(x)
	}
	p.print(".")
	if len(t.Kids) == 1 {
		p.print(part{t.Kids[0], levelSum})
		return
	}
	p.list("⟨", t.Kids, "⟩."+strconv.Itoa(t.At))
}

// infix are the symbols with operators, and the levels of their two sides. Their own level is the left one.
var infix = map[term.Symbol]struct {
	left  int
	op    string
	right int
}{term.Mul: {levelProduct, "·", levelApply}, term.Div: {levelProduct, " / ", levelApply},
	term.Sub: {levelSum, " - ", levelProduct}}
