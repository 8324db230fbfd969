package term

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// String prints the term in the notation of the paper: λx.t, ⟨t, u⟩, t[x:=u],
// f(t1, …, tk), with vectors as ⟦…⟧. Variables are printed by name, with their
// number behind a name that several variables have.
func (t *Term) String() string {
	p := printer{t: t, dup: map[string]int{}}
	for i := range t.Vars {
		p.dup[t.Vars[i].Name]++
	}
	return printItems(uint32(t.Root), math.MaxInt, p.expand)
}

type printer struct {
	t   *Term
	dup map[string]int // how many variables have each name
}

// Levels of the grammar, loosest first: what a printed part may stand in without
// parentheses.
const (
	levelSum = iota
	levelProduct
	levelApply
	levelAtom
)

// printItem is a part of a printed term or type: a text, or the node r, which stands in
// parentheses if its own level is below this one.
type printItem struct {
	text  string
	r     uint32
	level int
}

// printItems prints a node, up to some maxLen bytes. expand returns the parts of a node,
// and its level.
func printItems(root uint32, maxLen int, expand func(r uint32) ([]printItem, int)) string {
	var b strings.Builder
	for stack := []printItem{{r: root}}; len(stack) > 0; {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b.Len() > maxLen {
			b.WriteString("…")
			break
		}
		if it.r == 0 {
			b.WriteString(it.text)
			continue
		}
		items, level := expand(it.r)
		if level < it.level {
			items = append(append([]printItem{lit("(")}, items...), lit(")"))
		}
		slices.Reverse(items)
		stack = append(stack, items...)
	}
	return b.String()
}

func (p *printer) name(x Var) string {
	n := p.t.Vars[x].Name
	if n == "" {
		n = "_"
	}
	if n == "_" || p.dup[n] > 1 {
		return n + "#" + strconv.Itoa(int(x))
	}
	return n
}

func (p *printer) names(xs []Ref) string {
	s := make([]string, len(xs))
	for i, x := range xs {
		s[i] = p.name(Var(x))
	}
	return strings.Join(s, ", ")
}

func lit(s string) printItem         { return printItem{text: s} }
func sub(r Ref, level int) printItem { return printItem{r: uint32(r), level: level} }
func number(r float64) string        { return strconv.FormatFloat(r, 'g', -1, 64) }

func (p *printer) list(open string, kids []Ref, sep, end string) []printItem {
	items := []printItem{lit(open)}
	for i, k := range kids {
		if i > 0 {
			items = append(items, lit(sep))
		}
		items = append(items, sub(k, levelSum))
	}
	return append(items, lit(end))
}

// expand returns the parts of node r and the level at which it stands.
func (p *printer) expand(r uint32) ([]printItem, int) {
	t := p.t
	n := &t.Nodes[r]
	switch n.Op {
	case VarOp:
		return []printItem{lit(p.name(n.X))}, levelAtom
	case NumOp:
		if n.Val < 0 {
			return []printItem{lit(number(n.Val))}, levelProduct
		}
		return []printItem{lit(number(n.Val))}, levelAtom
	case ZeroOp:
		return []printItem{lit("0⃗")}, levelAtom
	case LamOp:
		return []printItem{lit("λ" + p.name(n.X) + "."), sub(n.A, levelSum)}, levelSum
	case AppOp:
		return []printItem{sub(n.A, levelApply), lit(" "), sub(n.B, levelAtom)}, levelApply
	case PairOp:
		return []printItem{lit("⟨"), sub(n.A, levelSum), lit(", "), sub(n.B, levelSum), lit("⟩")}, levelAtom
	case LetOp:
		return []printItem{sub(n.A, levelAtom), lit("[" + p.name(n.X) + ":="), sub(n.B, levelSum), lit("]")}, levelAtom
	case UnpairOp:
		return []printItem{sub(n.A, levelAtom), lit("[⟨" + p.name(n.X) + ", " + p.name(n.Y) + "⟩:="),
			sub(n.B, levelSum), lit("]")}, levelAtom
	case UntupleOp:
		return []printItem{sub(n.A, levelAtom), lit("[⟨" + p.names(t.Bound(n)) + "⟩:="), sub(n.B, levelSum), lit("]")}, levelAtom
	case UnvecOp:
		return []printItem{sub(n.A, levelAtom), lit("[⟦" + p.names(t.Bound(n)) + "⟧:="), sub(n.B, levelSum), lit("]")}, levelAtom
	case AddOp:
		return []printItem{sub(n.A, levelSum), lit(" + "), sub(n.B, levelProduct)}, levelSum
	case FunOp:
		if n.Sym == Mul {
			k := t.Children(n)
			return []printItem{sub(k[0], levelProduct), lit("·"), sub(k[1], levelApply)}, levelProduct
		}
		return p.list(n.Sym.String()+"(", t.Children(n), ", ", ")"), levelAtom
	case VecOp:
		return p.list("⟦", t.Children(n), ", ", "⟧"), levelAtom
	case ListOp:
		return p.list("[", t.Children(n), "; ", "]"), levelAtom
	case IfOp:
		k := t.Children(n)
		return []printItem{lit("if "), sub(k[0], levelSum), lit(" " + n.Cmp.String() + " "), sub(k[1], levelSum),
			lit(" then "), sub(k[2], levelSum), lit(" else "), sub(k[3], levelSum)}, levelSum
	case NatOp:
		return []printItem{lit("#" + strconv.FormatUint(n.Count, 10))}, levelAtom
	case DataOp:
		return []printItem{lit(t.Data[n.A].Name)}, levelAtom
	}
	return []printItem{lit(fmt.Sprintf("?%d", n.Op))}, levelAtom
}
