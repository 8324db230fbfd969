package reference

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/gram-machine/gram/term"
)

// String prints the term in the notation of the calculus, with a number behind each
// variable that shares its name with another.
func (t *Term) String() string {
	p := &printer{names: map[*Var]string{}, used: map[string]int{}}
	p.term(t, 0)
	return p.b.String()
}

type printer struct {
	b     strings.Builder
	names map[*Var]string
	used  map[string]int
}

func (p *printer) name(x *Var) string {
	if _, ok := p.names[x]; !ok {
		p.names[x] = x.Name
		if n := p.used[x.Name]; n > 0 {
			p.names[x] = fmt.Sprintf("%s%d", x.Name, n+1)
		}
		p.used[x.Name]++
	}
	return p.names[x]
}

func (p *printer) pattern(q *Pattern) string {
	if q.X != nil {
		return p.name(q.X)
	}
	return "⟨" + p.pattern(q.Left) + "," + p.pattern(q.Right) + "⟩"
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
	case Lambda, If, Plus:
		return levelSum
	case Function:
		if t.Sym == term.Mul {
			return levelProduct
		}
	case Apply:
		return levelApply
	}
	return levelAtom
}

func (p *printer) list(open string, ts []*Term, end string) {
	p.b.WriteString(open)
	for i, t := range ts {
		if i > 0 {
			p.b.WriteString(", ")
		}
		p.term(t, levelSum)
	}
	p.b.WriteString(end)
}

func (p *printer) infix(t *Term, left int, op string, right int) {
	p.term(t.Kids[0], left)
	p.b.WriteString(op)
	p.term(t.Kids[1], right)
}

func (p *printer) term(t *Term, level int) {
	if t.level() < level {
		p.b.WriteString("(")
		defer p.b.WriteString(")")
	}
	switch t.Op {
	case Variable:
		p.b.WriteString(p.name(t.X))
	case Numeral:
		if q, ok := t.Num.(*big.Rat); ok {
			p.b.WriteString(q.RatString())
			return
		}
		fmt.Fprint(&p.b, t.Num)
	case Zero:
		p.b.WriteString("0⃗")
	case Lambda:
		p.b.WriteString("λ" + p.name(t.X) + ".")
		p.term(t.Kids[0], levelSum)
	case Apply:
		p.infix(t, levelApply, " ", levelAtom)
	case MakePair:
		p.list("⟨", t.Kids, "⟩")
	case Let:
		p.term(t.Kids[0], levelAtom)
		p.b.WriteString("[" + p.pattern(t.P) + ":=")
		p.term(t.Kids[1], levelSum)
		p.b.WriteString("]")
	case Plus:
		p.infix(t, levelSum, " + ", levelProduct)
	case Function:
		if t.Sym == term.Mul {
			p.infix(t, levelProduct, "·", levelApply)
			return
		}
		p.list(t.Sym.String()+"(", t.Kids, ")")
	case If:
		p.b.WriteString("if ")
		p.infix(t, levelSum, " "+t.Cmp.String()+" ", levelSum)
		p.b.WriteString(" then ")
		p.term(t.Kids[2], levelSum)
		p.b.WriteString(" else ")
		p.term(t.Kids[3], levelSum)
	}
}
