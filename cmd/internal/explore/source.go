package explore

import (
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// vocabulary names what D and the start of a run have made in the words of the source.
type vocabulary struct {
	x       *Exploration
	prog    *compile.Program
	binders map[term.Var]*term.Node // the openings of generated variables
	names   map[term.Var]string     // of generated variables, as far as they are known
}

func newVocabulary(x *Exploration, prog *compile.Program) *vocabulary {
	v := &vocabulary{x: x, prog: prog, binders: map[term.Var]*term.Node{}, names: map[term.Var]string{}}
	for i := range prog.Term.Nodes {
		n := &prog.Term.Nodes[i]
		if xs := prog.Term.BoundVars(n); n.Op == term.UntupleOp && len(xs) == 2 && prog.Term.Generated(xs[0]) {
			v.binders[xs[0]], v.binders[xs[1]] = n, n
		}
	}
	return v
}

// name is the name of a variable. A variable that D has made has the name of what it stands for: the x of ⟨x,x*⟩:=z1
// is z1, and x* is z1*.
func (v *vocabulary) name(x term.Var) string {
	info := v.prog.Term.Info(x)
	if x == 0 || !info.Generated {
		return info.Name
	}
	if name, ok := v.names[x]; ok {
		return name
	}
	v.names[x] = info.Name // until it is known
	name := info.Name
	if input, ok := v.prog.Around[x]; ok {
		name = v.around(info.Name, input)
	} else if n := v.binders[x]; n != nil {
		if of := v.result(n.B); of != "" && x == v.prog.Term.BoundVars(n)[0] {
			name = of
		} else if of != "" {
			name = starred(of)
		}
	}
	v.names[x] = name
	return name
}

// around names a variable of the start of a run: that of an input, or of the seeds.
func (v *vocabulary) around(name string, input int) string {
	switch {
	case input >= 0 && name == "x0":
		return v.x.inputs[input]
	case input >= 0 && (name == "d" || name == "x*"):
		return starred(v.x.inputs[input])
	case name == "z":
		return "result"
	case name == "z*":
		return "result*"
	}
	return name
}

// result names the value of a term: a variable's name, that of the let around it, or its text in the source.
func (v *vocabulary) result(r term.Ref) string {
	n := &v.prog.Term.Nodes[r]
	if n.Op == term.VarOp {
		return v.name(n.X)
	}
	return v.x.resultAt(n.Pos)
}

// starred is the name of the dual of a value: in brackets if that is an expression.
func starred(name string) string {
	if strings.Contains(name, " ") {
		return "(" + name + ")*"
	}
	return name + "*"
}

// resultAt names the result of an operation at a place: by the let around it, or its text in the source, or "".
func (x *Exploration) resultAt(pos term.Pos) string {
	if name := x.names[pos]; name != "" && name != "_" {
		return name
	}
	return brief(x.expressions[pos], nameLetters)
}

// expressions returns the texts of the expressions of the source, on one line, by the places that terms have for them:
// of an operation, the place of its symbol.
func expressions(f *syntax.File) map[term.Pos]string {
	texts := map[term.Pos]string{}
	for e := syntax.Expr(1); int(e) < f.NumExprs(); e++ {
		n := f.Expr(e)
		at := n.Span.Start
		switch n.Kind {
		case syntax.BinExpr, syntax.PowExpr, syntax.NegExpr:
			at = n.OpPos
		case syntax.BadExpr, syntax.LetExpr, syntax.FunExpr, syntax.LinExpr, syntax.OpExpr:
			continue
		}
		if n.Span.End-n.Span.Start > longest {
			continue
		}
		// what is around an expression comes after it
		texts[term.Pos(at)+1] = strings.Join(strings.Fields(f.Text(n.Span)), " ")
	}
	return texts
}

const (
	longest     = 400 // bytes of an expression that has a name
	nameLetters = 16  // of an expression as a name
	textLetters = 48  // of an expression in a sentence
)

// brief is a text with at most so many letters.
func brief(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:most-1]), " ") + "…"
}
