package term

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// String prints the term in the notation of the paper: λx.t, ⟨t, u⟩, t[x:=u], f(t1, …, tk), with vectors as ⟦…⟧.
// Variables are printed by name, with their number behind a name that several variables have.
func (t *Term) String() string {
	dup := map[string]int{} // how many variables have each name
	for x := range t.NumVars() {
		dup[t.Info(Var(x)).Name]++
	}
	return Print(uint32(t.Root), math.MaxInt, func(r uint32) ([]Item, int) {
		items, level := t.Notation(Ref(r))
		for i := range items {
			if it := &items[i]; it.Kind == NameItem {
				if it.Text = cmp.Or(t.Info(Var(it.Ref)).Name, "_"); it.Text == "_" || dup[it.Text] > 1 {
					it.Text += "#" + strconv.Itoa(int(it.Ref))
				}
			}
		}
		return items, level
	})
}

// Levels of the grammar, loosest first: what a printed part may stand in without parentheses.
const (
	LevelSum = iota
	LevelProduct
	LevelApply
	LevelAtom
)

// Item is a part of a printed term or type: a text, or the node Ref, in parentheses if its level is below Level.
type Item struct {
	Kind  ItemKind
	Text  string
	Ref   uint32
	Level int
}

// ItemKind says what an [Item] is. Items without a text are for printers that break lines or know the scopes of names.
type ItemKind uint8

const (
	PlainItem       ItemKind = iota
	NameItem                 // the name of variable Ref
	ConstructorItem          // Text, the name of a constructor
	BreakItem                // a line may end here
	EnterItem                // the scope of variable Ref begins
	LeaveItem                // it ends
)

// Print prints a node, up to some maxLen bytes. expand returns the parts of a node, and its level.
func Print(root uint32, maxLen int, expand func(r uint32) ([]Item, int)) string {
	var b strings.Builder
	Walk(Item{Ref: root}, func(it Item) ([]Item, int) { return expand(it.Ref) }, func(it Item) bool {
		if b.Len() > maxLen {
			it.Text = "…"
		}
		b.WriteString(it.Text)
		return it.Text != "…"
	})
	return b.String()
}

// Walk goes through what is printed of an item, without Go's stack, until leaf returns false. expand returns the parts
// of a node, and its level.
func Walk(root Item, expand func(it Item) ([]Item, int), leaf func(it Item) bool) {
	for stack := []Item{root}; len(stack) > 0; {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if it.Ref == 0 || it.Kind != PlainItem {
			if !leaf(it) {
				return
			}
			continue
		}
		items, level := expand(it)
		if level < it.Level {
			items = append(append([]Item{lit("(")}, items...), lit(")"))
		}
		slices.Reverse(items)
		stack = append(stack, items...)
	}
}

func lit(s string) Item            { return Item{Text: s} }
func sub(r Ref, level int) Item    { return Item{Ref: uint32(r), Level: level} }
func number(r float64) string      { return strconv.FormatFloat(r, 'g', -1, 64) }
func of(kind ItemKind, x Var) Item { return Item{Kind: kind, Ref: uint32(x)} }

func list(open string, kids []Ref, sep, end string) []Item {
	items := make([]Item, 0, 3*len(kids)+2)
	for _, k := range kids {
		items = append(items, lit(sep), Item{Kind: BreakItem}, sub(k, LevelSum))
	}
	return append(append([]Item{lit(open)}, items[min(2, len(items)):]...), lit(end))
}

// scoped puts items into the scope of variables.
func scoped(xs []Var, items ...Item) []Item {
	var enter, leave []Item
	for _, x := range xs {
		enter, leave = append(enter, of(EnterItem, x)), append(leave, of(LeaveItem, x))
	}
	return slices.Concat(enter, items, leave)
}

// tuple is x, or ⟨x, y, …⟩ between the brackets.
func tuple(open string, xs []Var, end string) (items []Item) {
	for _, x := range xs {
		items = append(items, lit(", "), of(NameItem, x))
	}
	if len(xs) == 1 {
		return items[1:]
	}
	items[0] = lit(open)
	return append(items, lit(end))
}

// Notation returns the parts of node r in the notation of the paper, and the level at which it stands.
func (t *Term) Notation(r Ref) ([]Item, int) {
	n := &t.Nodes[r]
	switch n.Op {
	case VarOp:
		return []Item{of(NameItem, n.X)}, LevelAtom
	case NumOp:
		if n.Val < 0 {
			return []Item{lit(number(n.Val))}, LevelProduct
		}
		return []Item{lit(number(n.Val))}, LevelAtom
	case ZeroOp:
		return []Item{lit("0⃗")}, LevelAtom
	case LamOp:
		return scoped([]Var{n.X}, lit("λ"), of(NameItem, n.X), lit("."), sub(n.A, LevelSum)), LevelSum
	case AppOp:
		return []Item{sub(n.A, LevelApply), lit(" "), sub(n.B, LevelAtom)}, LevelApply
	case PairOp:
		return list("⟨", []Ref{n.A, n.B}, ", ", "⟩"), LevelAtom
	case LetOp, UntupleOp, UnvecOp:
		open, end := "⟨", "⟩"
		if n.Op == UnvecOp {
			open, end = "⟦", "⟧"
		}
		items := append(scoped(t.BoundVars(n), sub(n.A, LevelAtom)), Item{Kind: BreakItem}, lit("["))
		return append(append(items, tuple(open, t.BoundVars(n), end)...), lit(":="), sub(n.B, LevelSum), lit("]")), LevelAtom
	case AddOp:
		return []Item{sub(n.A, LevelSum), lit(" + "), {Kind: BreakItem}, sub(n.B, LevelProduct)}, LevelSum
	case FunOp:
		if n.Sym == Mul {
			k := t.Children(n)
			return []Item{sub(k[0], LevelProduct), lit("·"), sub(k[1], LevelApply)}, LevelProduct
		}
		return list(n.Sym.String()+"(", t.Children(n), ", ", ")"), LevelAtom
	case VecOp:
		return list("⟦", t.Children(n), ", ", "⟧"), LevelAtom
	case ListOp:
		return list("[", t.Children(n), "; ", "]"), LevelAtom
	case IfOp:
		k := t.Children(n)
		return []Item{lit("if "), sub(k[0], LevelSum), lit(" " + n.Cmp.String() + " "), sub(k[1], LevelSum),
				{Kind: BreakItem}, lit(" then "), sub(k[2], LevelSum), {Kind: BreakItem}, lit(" else "), sub(k[3], LevelSum)},
			LevelSum
	case NatOp:
		return []Item{lit("#" + strconv.FormatUint(n.Count, 10))}, LevelAtom
	case DataOp:
		return []Item{lit(t.Data[n.A].Name)}, LevelAtom
	case ConOp:
		if n.A == 0 {
			return []Item{t.constructor(n.Res, int(n.Count))}, LevelAtom
		}
		return []Item{t.constructor(n.Res, int(n.Count)), lit(" "), sub(n.A, LevelAtom)}, LevelApply
	case CaseOp:
		return t.match(n), LevelSum
	case FixOp:
		return t.fix(n), LevelSum
	case FamilyOp, ListFamilyOp, SumOp:
		over, sign := t.Indices[n.Index()].Name+" < "+t.StaticText(n.Static()), "Σ"
		switch {
		case n.Op == FamilyOp:
			return []Item{lit("⟦"), sub(n.A, LevelSum), lit(" | " + over + "⟧")}, LevelAtom
		case n.Op == ListFamilyOp:
			return []Item{lit("["), sub(n.A, LevelSum), lit(" | " + over + "]")}, LevelAtom
		case n.Sym != NoSymbol:
			sign = n.Sym.Info().Name
		}
		return []Item{lit(sign + "(" + over + ") "), sub(n.A, LevelProduct)}, LevelSum
	case ScanOp:
		return slices.Concat([]Item{lit("⟦"), of(NameItem, n.X), lit(" := "), sub(n.First(), LevelSum), lit("; ")},
			scoped(t.BoundVars(n), sub(n.A, LevelSum)),
			[]Item{lit(" | " + t.Indices[n.Index()].Name + " < " + t.StaticText(n.Static()) + "⟧")}), LevelAtom
	case ComponentOp:
		return []Item{of(NameItem, n.X), lit("[" + t.StaticText(n.Static()) + "]")}, LevelAtom
	case IndexNumOp:
		return []Item{lit(t.StaticText(n.Static()))}, LevelAtom
	}
	return []Item{lit(fmt.Sprintf("?%d", n.Op))}, LevelAtom
}

// constructor is the name of the i-th constructor of an inductive type.
func (t *Term) constructor(ty Type, i int) Item {
	return Item{Kind: ConstructorItem, Text: t.Types.inductives[t.Types.InductiveOf(ty)].cons[i].Name}
}

// match is match t with C x → u | ….
func (t *Term) match(n *Node) []Item {
	kids := t.Children(n)
	items := []Item{lit("match "), sub(kids[0], LevelSum)}
	for i, b := range kids[1:] {
		items = append(items, lit([]string{" with ", " | "}[min(i, 1)]))
		branch := &t.Nodes[b]
		pattern := []Item{{Kind: BreakItem}, t.constructor(n.Res, i)}
		if branch.N > 0 {
			pattern = append(append(pattern, lit(" ")), tuple("⟨", t.BoundVars(branch), "⟩")...)
		}
		pattern = append(pattern, lit(" → "), sub(branch.A, LevelProduct))
		items = append(items, scoped(t.BoundVars(branch), pattern...)...)
	}
	return items
}

// fix is fix f.v, or the member of fix ⟨f, g⟩.⟨v, w⟩.
func (t *Term) fix(n *Node) []Item {
	xs, body := t.BoundVars(n), []Item{sub(t.Children(n)[0], LevelSum)}
	if n.N > 1 {
		body = append(list("⟨", t.Children(n), ", ", "⟩"), lit("."+strconv.Itoa(int(n.Count))))
	}
	return scoped(xs, slices.Concat([]Item{lit("fix ")}, tuple("⟨", xs, "⟩"), []Item{lit(".")}, body)...)
}
