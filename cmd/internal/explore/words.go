package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// words describes the nodes of a heap to readers who know the calculus but not the machine.
type words struct {
	x *Exploration
	show.Words
}

// constructor is a constructor of an inductive type at a place of the source, by its number.
type constructor struct {
	at    term.Pos
	index int
}

// constructors returns the names of constructors. One that is of several types at its place has none.
func constructors(t *term.Term) map[constructor]string {
	names := map[constructor]string{}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Op != term.ConOp {
			continue
		}
		at, name := constructor{n.Pos, int(n.Count)}, t.Types.Constructors(n.Res)[n.Count].Name
		if old, ok := names[at]; ok && old != name {
			name = ""
		}
		names[at] = name
	}
	return names
}

// in returns how the nodes of a heap are written in the words of the source.
func (x *Exploration) in(h *graph.Heap) *words {
	w := &words{x: x, Words: show.Words{Heap: h, Inputs: x.inputs}}
	w.Source = w.source
	return w
}

// source is what the source calls a node, as in [show.Words]. A dual λ without a name has that of its primal.
func (w words) source(n *graph.Node) (string, bool) {
	result := w.x.resultAt(n.Pos)
	switch {
	case n.Kind == compile.Con:
		name := w.x.constructors[constructor{n.Pos, n.Index}]
		return name, name != ""
	case n.Kind == compile.Lam && n.Dual && w.generated(n):
		if result != "" {
			result = " of " + starred(result)
		}
		return result, true
	case n.Kind == compile.Lam:
		return n.Name, true
	case n.Kind == compile.Linear && w.generated(n):
		return strings.TrimSpace("∂ " + result), true
	case n.Name != "":
		return w.x.vocabulary(w.Heap.Program()).name(n.Var), true
	}
	return starred(result), n.Kind == compile.Cell && result != ""
}

// generated reports whether D or the start of the run has made the variable that a node binds.
func (w words) generated(n *graph.Node) bool { return w.Heap.Program().Term.Info(n.Var).Generated }

// named is the name of a node that a substitution binds, with what kind of variable it is.
func (w words) named(n *graph.Node) string {
	if name := w.Name(n); name != "_" && name != "d" {
		return name
	}
	return "A variable"
}

// argument is the argument of an application.
func (w words) argument(r compile.Ref) string {
	n := w.Heap.Node(r)
	if len(n.Operands) < 2 {
		return ""
	}
	return w.Operand(n.Operands[1], 0)
}

// text describes a node in full.
func (w words) text(n *graph.Node, label string) string {
	parts := []string{label + ", " + w.what(n)}
	if missing := w.missing(n); missing != "" {
		parts = append(parts, "it waits for "+missing)
	}
	switch n.Kind {
	case compile.Sub, compile.Linear, compile.Cell:
		if spent(n) {
			parts = append(parts, "its last occurrence has taken the value")
		} else {
			parts = append(parts, load.Counted(int(n.Uses), "occurrence")+" left")
		}
	}
	if n.Arrived != 0 {
		parts = append(parts, w.argument(n.Arrived)+" has arrived")
	}
	return strings.Join(parts, "; ")
}

// missing says what a node waits for.
func (w words) missing(n *graph.Node) string {
	if !show.Waits(n) {
		return ""
	}
	var names []string
	empty := 0
	for _, o := range show.Awaited(n) {
		switch o.Tag {
		case compile.Variable:
			names = append(names, "its occurrence of "+w.Bound(o.Ref))
		case compile.Empty:
			empty++
		}
	}
	switch {
	case len(n.Operands) == 0:
		return "the values of the variables that it captures"
	case empty == 1:
		names = append(names, "an operand")
	case empty > 1:
		names = append(names, load.Counted(empty, "operand"))
	}
	return strings.Join(names, " and ")
}

// what says what a node is.
func (w words) what(n *graph.Node) string {
	switch n.Kind {
	case compile.App:
		if n.Operands[0].Tag == compile.Name {
			return "a call of a backpropagator"
		}
	case compile.Cell:
		if name := unstarred(w.Name(n)); name != "" && (n.Name == "" || w.generated(n)) {
			return "the backpropagator of " + name
		}
	case compile.Iter:
		if w.Iterates(n) {
			return "the iteration of a function"
		}
		return "the fold of a list"
	case compile.Lam:
		if n.Dual {
			return "a dual λ"
		}
	case compile.FreeDual:
		return "where the derivative by " + w.x.inputs[n.Index] + " arrives"
	case compile.Job:
		if w.x.gradient {
			return "what waits for the backward phase"
		}
	}
	return kindWords[n.Kind]
}

// kindWords say what the nodes of a kind are.
var kindWords = map[compile.Kind]string{
	compile.Fun1:     "a function symbol and its argument",
	compile.Fun2:     "a function symbol and its arguments",
	compile.Mul:      "a product",
	compile.Add:      "a sum",
	compile.App:      "an application",
	compile.If:       "a conditional",
	compile.Case:     "a match",
	compile.Con:      "a constructor",
	compile.Open:     "an opening: it takes a pair apart",
	compile.Sub:      "an explicit substitution",
	compile.Linear:   "the substitution of a linear variable",
	compile.Cell:     "a dual λ and its name",
	compile.Job:      "a sum of calls of backpropagators",
	compile.Summand:  "a summand of a sum of calls of backpropagators",
	compile.Seed:     "where the backward phase begins",
	compile.Result:   "what waits for the value of the program",
	compile.Lam:      "a function",
	compile.Pair:     "a pair",
	compile.Nat:      "a numeral",
	compile.List:     "a list",
	compile.Data:     "a list of data",
	compile.Fold:     "a list or numeral that has been applied to a function",
	compile.Captures: "more of what the node beside it refers to",
}

// before is a node as it was before a step, with its operands as texts.
type before struct {
	node     graph.Node
	operands []string
	label    string
}

// says describes a step with the numbers of this step, in one sentence or two; "" if its redex has not been looked at.
func (s *scenes) says(f *machine.Fired, by rule.Rule) string {
	was := s.beforeOf(f.Redex >> 2)
	if was == nil {
		return ""
	}
	return cmp.Or(s.sentence(f, by, was), was.label+".")
}

// sentence says what the step does, or "" if the label of its redex says it.
func (s *scenes) sentence(f *machine.Fired, by rule.Rule, was *before) string {
	n := &was.node
	switch by {
	case rule.Times, rule.Plus, rule.Function:
		return s.operation(f, was)
	case rule.Branch:
		if len(was.operands) == 2 && n.Operands[0].Tag == compile.Number && n.Operands[1].Tag == compile.Number {
			verdict := "does not hold: else"
			if n.Compare.Holds(n.Operands[0].Number, n.Operands[1].Number) {
				verdict = "holds: then"
			}
			return fmt.Sprintf("%s %v %s %s.", was.operands[0], n.Compare, was.operands[1], verdict)
		}
	case rule.Subst, rule.SubstNumeral:
		return s.substitution(f, was)
	case rule.GC:
		if n.Kind == compile.Sub || n.Kind == compile.Cell || n.Kind == compile.Linear {
			return fmt.Sprintf("%s has no occurrence left.", s.x.in(s.heap()).named(n))
		}
	case rule.Lambda, rule.Lin:
		return s.application(f, was)
	case rule.Pair:
		if n.Kind == compile.Open && len(was.operands) > 0 {
			return fmt.Sprintf("%s is taken apart.", was.operands[0])
		}
	case rule.Factor:
		return s.factoring(was)
	}
	return ""
}

// beforeOf returns how a node was before the step that is going on, or nil.
func (s *scenes) beforeOf(r compile.Ref) *before {
	if int(r) >= len(s.at) || s.at[r] == nil || s.at[r].was.node.Kind == compile.Free {
		return nil
	}
	return &s.at[r].was
}

// operation describes an operation on numbers: in the backward phase, what its operands are there.
func (s *scenes) operation(f *machine.Fired, was *before) string {
	n, x := &was.node, was.operands
	if slices.ContainsFunc(n.Operands, func(o graph.Operand) bool { return o.Tag != compile.Number }) {
		return ""
	}
	equation := was.label
	if n.Kind == compile.Mul {
		equation = x[0] + " × " + x[1]
	}
	to, i := s.heap().Node(f.Result>>2), int(f.Result&3)
	switch {
	case i < len(to.Operands) && to.Operands[i].Tag == compile.Number:
		equation += " = " + show.Number(to.Operands[i].Number)
	case n.Kind == compile.Mul:
		equation += " = " + show.Number(n.Operands[0].Number*n.Operands[1].Number)
	case n.Kind == compile.Add:
		equation += " = " + show.Number(n.Operands[0].Number+n.Operands[1].Number)
	}
	text, variable, by := brief(s.x.expressions[n.Pos], textLetters), "", ""
	if f.Backward() {
		variable = s.calls(n)
	}
	if variable != "" && !strings.ContainsAny(variable[:1], "0123456789[") { // a constant has a dual too
		by = " by " + variable
	}
	switch {
	case !f.Backward() && text != "":
		return equation + ": " + text + "."
	case !f.Backward():
	case n.Kind == compile.Mul && text != "":
		return fmt.Sprintf("%s: the derivative of %s%s is %s, and %s arrived.", equation, text, by, x[0], x[1])
	case n.Kind == compile.Add && variable != "":
		return fmt.Sprintf("%s: the derivatives that have arrived at %s are added.", equation, variable)
	case n.Kind == compile.Fun1 && text != "":
		return fmt.Sprintf("%s: the derivative of %s at %s.", equation, text, x[0])
	case n.Kind == compile.Fun2 && text != "":
		return fmt.Sprintf("%s: the derivative of %s%s, at %s and %s.", equation, text, by, x[0], x[1])
	}
	return equation + "."
}

// calls names the variable whose backpropagator the node that waits for n applies, or returns "".
func (s *scenes) calls(n *graph.Node) string {
	for range 3 { // sin′ 9 is an operand of a product
		up := s.beforeOf(n.Up >> 2)
		if up == nil {
			return ""
		}
		if up.node.Kind == compile.App {
			return unstarred(up.operands[0])
		}
		n = &up.node
	}
	return ""
}

// unstarred is the name of the value that a dual is of, or "" if the text is no name of a dual.
func unstarred(name string) string {
	name, ok := strings.CutSuffix(name, "*")
	if !ok {
		return ""
	}
	if inner, ok := strings.CutPrefix(name, "("); ok {
		return strings.TrimSuffix(inner, ")")
	}
	return name
}

// substitution describes that an occurrence of a variable takes its value.
func (s *scenes) substitution(f *machine.Fired, was *before) string {
	slot := int(f.Redex & 3)
	if slot >= len(was.operands) {
		return ""
	}
	o, variable, value := was.node.Operands[slot], was.operands[slot], ""
	if o.Tag != compile.Variable && o.Tag != compile.Name {
		return ""
	}
	if sub := s.beforeOf(o.Ref); sub != nil && len(sub.operands) > 0 {
		value = sub.operands[0]
	}
	if o.Tag == compile.Name && slot == 0 && len(was.operands) == 2 {
		if name := unstarred(variable); name != "" {
			return fmt.Sprintf("The backpropagator of %s is called with %s.", name, was.operands[1])
		}
	}
	switch value {
	case variable:
		return fmt.Sprintf("The backpropagator is known, in %s.", was.label)
	case "", show.Hole:
		return fmt.Sprintf("%s is known, in %s.", variable, was.label)
	}
	return fmt.Sprintf("%s is %s, in %s.", variable, value, was.label)
}

// application describes that a function or a dual takes its argument.
func (s *scenes) application(f *machine.Fired, was *before) string {
	n, x := &was.node, was.operands
	var head *before // what an application applies; it belongs to backpropagation if it is a dual or has its name
	if n.Kind == compile.App && len(x) == 2 {
		head = s.beforeOf(n.Operands[0].Ref)
	}
	switch {
	case n.Kind == compile.Linear:
		if name := s.x.resultAt(n.Pos); name != "" && f.Backward() {
			return fmt.Sprintf("%s has arrived at %s, and goes on to what %s was made of.", x[0], name, name)
		}
		return fmt.Sprintf("%s arrives.", x[0])
	case n.Kind == compile.App && len(x) == 2 && (n.Operands[0].Tag == compile.Name || head != nil && head.node.Dual):
		if name := unstarred(strings.TrimPrefix(x[0], "λ of ")); name != "" {
			return fmt.Sprintf("%s arrives at %s.", x[1], name)
		}
		return fmt.Sprintf("%s arrives.", x[1])
	case n.Kind == compile.App && len(x) == 2:
		if text := brief(s.x.expressions[n.Pos], textLetters); text != "" {
			return fmt.Sprintf("%s: %s takes %s.", text, x[0], x[1])
		}
	}
	return ""
}

// factoring describes that two calls of one backpropagator become one.
func (s *scenes) factoring(was *before) string {
	n := &was.node
	if n.Kind != compile.App || n.Operands[0].Tag != compile.Name {
		return ""
	}
	name, cell := unstarred(was.operands[0]), s.beforeOf(n.Operands[0].Ref)
	if name == "" || cell == nil || cell.node.Arrived == 0 {
		return ""
	}
	first := s.beforeOf(cell.node.Arrived)
	if first == nil || len(first.operands) != 2 || first.operands[1] == "" {
		return ""
	}
	return fmt.Sprintf("%s has arrived at %s, and now %s: one call, of the sum, takes the place of two.",
		first.operands[1], name, was.operands[1])
}

// vocabulary names what D and the start of a run have made in the words of the source.
type vocabulary struct {
	x       *Exploration
	prog    *compile.Program
	binders map[term.Var]*term.Node // the openings of generated variables
	names   map[term.Var]string     // of generated variables, as far as they are known
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

// defLines returns the names of the defs by their lines.
func defLines(f *syntax.File) map[int]string {
	out := map[int]string{}
	for _, d := range f.Decls {
		if d.Kind != syntax.DefDecl {
			continue
		}
		from, _ := f.Position(d.Span.Start)
		to, _ := f.Position(d.Span.End)
		for line := from; line <= to; line++ {
			out[line] = d.Name
		}
	}
	return out
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
