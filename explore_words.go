package gram

import (
	"fmt"
	"strings"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/picture"
	"github.com/gram-machine/gram/term"
)

// words are the label of an object that is no number and no dual of D, and what it is, for
// readers who know the calculus and not the machine.
func (s *scenes) words(o engine.Seen) (label, text string) {
	switch k := o.Node.Kind(); k {
	case graph.Closure:
		label = "λ " + s.m.Name(o.At)
		return label, label + ", a function"
	case graph.Vec:
		return "vector", "a vector of " + counted(len(o.Refs), "component")
	case graph.DataList:
		label = s.m.Describe(o.At)
		return label, label + ", a list"
	case graph.Nat:
		_, label, _ = strings.Cut(s.m.Describe(o.At), " ")
		return label, label + ", a Church numeral"
	case graph.Project:
		return component(s.m.Instruction(o.At), o.Node.Head>>graph.KindShift)
	case graph.Suspended:
		label = operation(s.m.Instruction(o.At))
		return label + " waits", label + ", which waits for its operands"
	case graph.IterNat, graph.IterData, graph.IterList:
		return s.iteration(o)
	default:
		if w, ok := kindWords[k]; ok {
			return w[0], w[1]
		}
		return k.String(), k.String()
	}
}

// kindWords are label and text of objects that their kind tells all of.
var kindWords = map[graph.Kind][2]string{
	graph.Pair:    {"⟨ , ⟩", "a pair"},
	graph.Partial: {"partial", "a function that has some of its arguments"},
	graph.List:    {"list", "a list, as the function that folds it"},
	graph.LinDual: {"λa", "a backpropagator that the program has written out"},
	graph.Apply:   {"apply", "a function and its arguments"},
	graph.Copy:    {"→", "a variable, which becomes what it refers to"},
	graph.Job:     {"Σ", "a sum of calls of backpropagators, which becomes a number"},
	graph.Arrival: {"x* a", "a call of a backpropagator, in a sum"},
	graph.Bag:     {"+", "a sum of calls of backpropagators"},
}

// backpropagator returns label and text of a dual of D, whose number has such a name.
func backpropagator(name string) (label, text string) {
	if name == "" {
		return "λa", "a backpropagator"
	}
	return name + "*", fmt.Sprintf("%s*, the backpropagator of %s", name, name)
}

// component returns label and text of the i-th component, from 0, of what an instruction
// opens.
func component(in *graph.Instr, i uint32) (label, text string) {
	if in.Op == graph.OpUnpair {
		label = [...]string{"fst", "snd"}[i]
	} else {
		label = fmt.Sprintf(".(%d)", i)
	}
	return label, label + " of what it waits for"
}

// operation is what an instruction computes or builds.
func operation(in *graph.Instr) string {
	switch in.Op {
	case graph.OpFun1, graph.OpFun2:
		if in.Sym == term.Div {
			return "÷"
		}
		return picture.Symbol(in.Sym)
	case graph.OpDual, graph.OpLin:
		return "λa"
	case graph.OpClosure:
		return "λ"
	case graph.OpPair:
		return "⟨ , ⟩"
	}
	return in.Name()
}

// iteration returns label and text of the iteration of a numeral, or of a list's fold.
func (s *scenes) iteration(o engine.Seen) (label, text string) {
	name, what, unit := "fold", "the fold of a list", "element"
	if o.Node.Kind() == graph.IterNat {
		name, what, unit = "iterate", "the iteration of a function", "call"
	}
	left := s.m.Left(o.At)
	verb := "are"
	if left == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%s, %d left", name, left), fmt.Sprintf("%s: %s %s left", what, counted(int(left), unit), verb)
}

// counted is a number of things.
func counted(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
