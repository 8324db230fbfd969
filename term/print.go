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
	for x := range t.NumVars() {
		p.dup[t.Info(Var(x)).Name]++
	}
	return Print(uint32(t.Root), math.MaxInt, p.expand)
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

// Item is a part of a printed term or type: a text, or the node Ref, which stands in
// parentheses if its own level is below this one.
type Item struct {
	Text  string
	Ref   uint32
	Level int
}

// Print prints a node, up to some maxLen bytes. expand returns the parts of a node, and
// its level. It uses no stack of Go's.
func Print(root uint32, maxLen int, expand func(r uint32) ([]Item, int)) string {
	var b strings.Builder
	for stack := []Item{{Ref: root}}; len(stack) > 0; {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b.Len() > maxLen {
			b.WriteString("…")
			break
		}
		if it.Ref == 0 {
			b.WriteString(it.Text)
			continue
		}
		items, level := expand(it.Ref)
		if level < it.Level {
			items = append(append([]Item{lit("(")}, items...), lit(")"))
		}
		slices.Reverse(items)
		stack = append(stack, items...)
	}
	return b.String()
}

func (p *printer) name(x Var) string {
	n := p.t.Info(x).Name
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

// indexRange is the index of a comprehension with its bound.
func (p *printer) indexRange(n *Node) string {
	return p.t.Indices[n.Index()].Name + " < " + p.t.StaticText(n.Static())
}

func lit(s string) Item         { return Item{Text: s} }
func sub(r Ref, level int) Item { return Item{Ref: uint32(r), Level: level} }
func number(r float64) string   { return strconv.FormatFloat(r, 'g', -1, 64) }

func (p *printer) list(open string, kids []Ref, sep, end string) []Item {
	items := []Item{lit(open)}
	for i, k := range kids {
		if i > 0 {
			items = append(items, lit(sep))
		}
		items = append(items, sub(k, levelSum))
	}
	return append(items, lit(end))
}

// expand returns the parts of node r and the level at which it stands.
func (p *printer) expand(r uint32) ([]Item, int) {
	t := p.t
	n := &t.Nodes[r]
	switch n.Op {
	case VarOp:
		return []Item{lit(p.name(n.X))}, levelAtom
	case NumOp:
		if n.Val < 0 {
			return []Item{lit(number(n.Val))}, levelProduct
		}
		return []Item{lit(number(n.Val))}, levelAtom
	case ZeroOp:
		return []Item{lit("0⃗")}, levelAtom
	case LamOp:
		return []Item{lit("λ" + p.name(n.X) + "."), sub(n.A, levelSum)}, levelSum
	case AppOp:
		return []Item{sub(n.A, levelApply), lit(" "), sub(n.B, levelAtom)}, levelApply
	case PairOp:
		return []Item{lit("⟨"), sub(n.A, levelSum), lit(", "), sub(n.B, levelSum), lit("⟩")}, levelAtom
	case LetOp:
		return []Item{sub(n.A, levelAtom), lit("[" + p.name(n.X) + ":="), sub(n.B, levelSum), lit("]")}, levelAtom
	case UnpairOp:
		return []Item{sub(n.A, levelAtom), lit("[⟨" + p.name(n.X) + ", " + p.name(n.Y) + "⟩:="),
			sub(n.B, levelSum), lit("]")}, levelAtom
	case UntupleOp:
		return []Item{sub(n.A, levelAtom), lit("[⟨" + p.names(t.Bound(n)) + "⟩:="), sub(n.B, levelSum), lit("]")}, levelAtom
	case UnvecOp:
		return []Item{sub(n.A, levelAtom), lit("[⟦" + p.names(t.Bound(n)) + "⟧:="), sub(n.B, levelSum), lit("]")}, levelAtom
	case AddOp:
		return []Item{sub(n.A, levelSum), lit(" + "), sub(n.B, levelProduct)}, levelSum
	case FunOp:
		if n.Sym == Mul {
			k := t.Children(n)
			return []Item{sub(k[0], levelProduct), lit("·"), sub(k[1], levelApply)}, levelProduct
		}
		return p.list(n.Sym.String()+"(", t.Children(n), ", ", ")"), levelAtom
	case VecOp:
		return p.list("⟦", t.Children(n), ", ", "⟧"), levelAtom
	case ListOp:
		return p.list("[", t.Children(n), "; ", "]"), levelAtom
	case IfOp:
		k := t.Children(n)
		return []Item{lit("if "), sub(k[0], levelSum), lit(" " + n.Cmp.String() + " "), sub(k[1], levelSum),
			lit(" then "), sub(k[2], levelSum), lit(" else "), sub(k[3], levelSum)}, levelSum
	case NatOp:
		return []Item{lit("#" + strconv.FormatUint(n.Count, 10))}, levelAtom
	case DataOp:
		return []Item{lit(t.Data[n.A].Name)}, levelAtom
	case ConOp:
		name := lit(p.constructor(n.Res, int(n.Count)))
		if n.A == 0 {
			return []Item{name}, levelAtom
		}
		return []Item{name, lit(" "), sub(n.A, levelAtom)}, levelApply
	case CaseOp:
		return p.match(n), levelSum
	case FixOp:
		return p.fix(n), levelSum
	case FamilyOp:
		return []Item{lit("⟦"), sub(n.A, levelSum), lit(" | " + p.indexRange(n) + "⟧")}, levelAtom
	case ListFamilyOp:
		return []Item{lit("["), sub(n.A, levelSum), lit(" | " + p.indexRange(n) + "]")}, levelAtom
	case SumOp, ReverseSumOp:
		sign := "Σ"
		if n.Sym != NoSymbol {
			sign = n.Sym.Info().Name
		}
		if n.Op == ReverseSumOp {
			sign = "D" + sign
		}
		return []Item{lit(sign + "(" + p.indexRange(n) + ") "), sub(n.A, levelProduct)}, levelSum
	case ComponentOp:
		return []Item{lit(p.name(n.X) + "[" + t.StaticText(n.Static()) + "]")}, levelAtom
	case IndexNumOp:
		return []Item{lit(t.StaticText(n.Static()))}, levelAtom
	}
	return []Item{lit(fmt.Sprintf("?%d", n.Op))}, levelAtom
}

// tuple is x, or ⟨x, y, …⟩.
func (p *printer) tuple(xs []Ref) string {
	if len(xs) == 1 {
		return p.name(Var(xs[0]))
	}
	return "⟨" + p.names(xs) + "⟩"
}

// constructor is the name of the i-th constructor of an inductive type.
func (p *printer) constructor(t Type, i int) string {
	return p.t.Types.inductives[p.t.Types.InductiveOf(t)].cons[i].Name
}

// match is match t with C x → u | ….
func (p *printer) match(n *Node) []Item {
	kids := p.t.Children(n)
	items := []Item{lit("match "), sub(kids[0], levelSum), lit(" with ")}
	for i, b := range kids[1:] {
		if i > 0 {
			items = append(items, lit(" | "))
		}
		branch := &p.t.Nodes[b]
		pattern := p.constructor(n.Res, i)
		if branch.N > 0 {
			pattern += " " + p.tuple(p.t.Bound(branch))
		}
		items = append(items, lit(pattern+" → "), sub(branch.A, levelProduct))
	}
	return items
}

// fix is fix f.v, or the member of fix ⟨f, g⟩.⟨v, w⟩.
func (p *printer) fix(n *Node) []Item {
	items := []Item{lit("fix " + p.tuple(p.t.Bound(n)) + ".")}
	if n.N == 1 {
		return append(items, sub(p.t.Children(n)[0], levelSum))
	}
	return append(items, p.list("⟨", p.t.Children(n), ", ", "⟩."+strconv.Itoa(int(n.Count)))...)
}
