package explore

import (
	"fmt"
	"strings"

	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
)

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
	return was.label + "."
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
	n := &was.node
	for _, o := range n.Operands {
		if o.Tag != compile.Number {
			return was.label + "."
		}
	}
	left := was.label
	if n.Kind == compile.Mul {
		left = was.operands[0] + " × " + was.operands[1]
	}
	equation := left
	if to := s.heap().Node(f.Result >> 2); int(f.Result&3) < len(to.Operands) &&
		to.Operands[f.Result&3].Tag == compile.Number {
		equation += " = " + show.Number(to.Operands[f.Result&3].Number)
	} else if n.Kind == compile.Mul {
		equation += " = " + show.Number(n.Operands[0].Number*n.Operands[1].Number)
	} else if n.Kind == compile.Add {
		equation += " = " + show.Number(n.Operands[0].Number+n.Operands[1].Number)
	}
	text := brief(s.x.expressions[n.Pos], textLetters)
	if !f.Backward() {
		if text == "" {
			return equation + "."
		}
		return equation + ": " + text + "."
	}
	variable := s.calls(n)
	by := ""
	if variable != "" && !strings.ContainsAny(variable[:1], "0123456789[") { // a constant has a dual too
		by = " by " + variable
	}
	switch {
	case n.Kind == compile.Mul && text != "":
		return fmt.Sprintf("%s: the derivative of %s%s is %s, and %s arrived.", equation, text, by, was.operands[0],
			was.operands[1])
	case n.Kind == compile.Add && variable != "":
		return fmt.Sprintf("%s: the derivatives that have arrived at %s are added.", equation, variable)
	case n.Kind == compile.Fun1 && text != "":
		return fmt.Sprintf("%s: the derivative of %s at %s.", equation, text, was.operands[0])
	case n.Kind == compile.Fun2 && text != "":
		return fmt.Sprintf("%s: the derivative of %s%s, at %s and %s.", equation, text, by, was.operands[0], was.operands[1])
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
	if slot >= len(was.operands) || was.node.Operands[slot].Tag != compile.Variable &&
		was.node.Operands[slot].Tag != compile.Name {
		return was.label + "."
	}
	value := ""
	if sub := s.beforeOf(was.node.Operands[slot].Ref); sub != nil && len(sub.operands) > 0 {
		value = sub.operands[0]
	}
	if was.node.Operands[slot].Tag == compile.Name && slot == 0 && len(was.operands) == 2 {
		if name := unstarred(was.operands[0]); name != "" {
			return fmt.Sprintf("The backpropagator of %s is called with %s.", name, was.operands[1])
		}
	}
	if value == was.operands[slot] {
		return fmt.Sprintf("The backpropagator is known, in %s.", was.label)
	}
	if value == "" || value == show.Hole {
		return fmt.Sprintf("%s is known, in %s.", was.operands[slot], was.label)
	}
	return fmt.Sprintf("%s is %s, in %s.", was.operands[slot], value, was.label)
}

// application describes that a function or a dual takes its argument.
func (s *scenes) application(f *machine.Fired, was *before) string {
	n := &was.node
	switch {
	case n.Kind == compile.Linear:
		if name := s.x.resultAt(n.Pos); name != "" && f.Backward() {
			return fmt.Sprintf("%s has arrived at %s, and goes on to what %s was made of.", was.operands[0], name, name)
		}
		return fmt.Sprintf("%s arrives.", was.operands[0])
	case n.Kind == compile.App && len(was.operands) == 2 && s.isDualHead(n):
		if name := unstarred(strings.TrimPrefix(was.operands[0], "λ of ")); name != "" {
			return fmt.Sprintf("%s arrives at %s.", was.operands[1], name)
		}
		return fmt.Sprintf("%s arrives.", was.operands[1])
	case n.Kind == compile.App && len(was.operands) == 2:
		if text := brief(s.x.expressions[n.Pos], textLetters); text != "" {
			return fmt.Sprintf("%s: %s takes %s.", text, was.operands[0], was.operands[1])
		}
	}
	return was.label + "."
}

// isDualHead reports whether what an application applies belongs to backpropagation.
func (s *scenes) isDualHead(n *graph.Node) bool {
	if n.Operands[0].Tag == compile.Name {
		return true
	}
	f := s.beforeOf(n.Operands[0].Ref)
	return f != nil && f.node.Dual
}

// factoring describes that two calls of one backpropagator become one.
func (s *scenes) factoring(was *before) string {
	n := &was.node
	if n.Kind != compile.App || n.Operands[0].Tag != compile.Name {
		return was.label + "."
	}
	name, first := unstarred(was.operands[0]), ""
	if cell := s.beforeOf(n.Operands[0].Ref); cell != nil && cell.node.Arrived != 0 {
		if other := s.beforeOf(cell.node.Arrived); other != nil && len(other.operands) == 2 {
			first = other.operands[1]
		}
	}
	if name == "" || first == "" {
		return was.label + "."
	}
	return fmt.Sprintf("%s has arrived at %s, and now %s: one call, of the sum, takes the place of two.", first, name,
		was.operands[1])
}
