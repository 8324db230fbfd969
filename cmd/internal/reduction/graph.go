package reduction

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/rule"
)

// Graph is the graph of all reductions of a term. A state is a term up to α.
type Graph struct {
	States []State `json:"states"` // the first is the start
	Edges  []Edge  `json:"edges"`
	// NormalForms are the states without a redex. Classes has them again, those that are ≡ together: ≡ without (dup)
	// and also through function symbols, and sums up to order, association and zeros.
	NormalForms []int   `json:"normalForms"`
	Classes     [][]int `json:"classes"`
	// Confluent reports whether any two states that the start comes to have one that both come to, and ConfluentModulo
	// the same where normal forms of one class are one.
	Confluent       bool `json:"confluent"`
	ConfluentModulo bool `json:"confluentModulo"`
	// Shortest and Longest are the steps of reductions to a normal form; Longest is nil if there is a cycle.
	Shortest *int `json:"shortest,omitempty"`
	Longest  *int `json:"longest,omitempty"`
}

// State is a term of a graph.
type State struct {
	ID     int    `json:"id"`
	Term   string `json:"term"`
	Size   int    `json:"size"`
	Normal bool   `json:"normal"`
}

// Edge is a step, or several by one rule between the same states.
type Edge struct {
	From   int    `json:"from"`
	To     int    `json:"to"`
	Rule   string `json:"rule"`
	Number string `json:"number"`
}

// Bounds bound a graph.
type Bounds struct {
	MaxStates, MaxSize int
	Check              func() error // called for each state and each step; its error ends the work
}

// Explore makes the graph of all reductions of the start by the rules. The error is that of a bound, a [*SizeError],
// that of Check, or one of a step.
func Explore(start *reference.Start, rs Rules, bounds Bounds) (*Graph, error) {
	g := &Graph{Edges: []Edge{}, NormalForms: []int{}, Classes: [][]int{}}
	ids := map[string]int{start.Term.Key(): 0}
	terms := []*reference.Term{start.Term}
	var next [][]int
	for i := 0; i < len(terms); i++ {
		if err := bounds.Check(); err != nil {
			return nil, err
		}
		s := start.State(terms[i], rs.Eta())
		if s.Size() > bounds.MaxSize {
			return nil, &SizeError{Size: s.Size(), Max: bounds.MaxSize, Steps: uint64(len(g.Edges))}
		}
		s = rs.only(s)
		seen := map[Edge]bool{}
		var to []int
		for k := range s.Redex {
			if err := bounds.Check(); err != nil {
				return nil, err
			}
			r := &s.Redex[k]
			t, err := s.Fire(r)
			if err != nil {
				return nil, Undefined(err)
			}
			key := t.Key()
			id, ok := ids[key]
			if !ok {
				if len(terms) == bounds.MaxStates {
					return nil, fmt.Errorf("the graph of reductions has more than %d states: nothing is known of the rest",
						bounds.MaxStates)
				}
				id = len(terms)
				ids[key] = id
				terms = append(terms, t)
			}
			if e := (Edge{i, id, rule.Table[r.Rule].Name, number(r)}); !seen[e] {
				seen[e] = true
				g.Edges = append(g.Edges, e)
				to = append(to, id)
			}
		}
		if len(to) == 0 {
			g.NormalForms = append(g.NormalForms, i)
		}
		g.States = append(g.States, State{ID: i, Size: s.Size(), Normal: len(to) == 0})
		next = append(next, to)
	}
	for i := range g.States {
		if err := bounds.Check(); err != nil {
			return nil, err
		}
		g.States[i].Term = reference.Text(annotated(start.Inputs).Tokens(terms[i], nil))
	}
	if err := g.classify(terms, bounds.Check); err != nil {
		return nil, err
	}
	g.summarize(next)
	return g, nil
}

// classify puts the normal forms that are ≡ together. The error is that of check.
func (g *Graph) classify(terms []*reference.Term, check func() error) error {
	classes := map[uint64]int{}
	for _, id := range g.NormalForms {
		if err := check(); err != nil {
			return err
		}
		class := unitless(terms[id]).Class()
		i, known := classes[class]
		if !known {
			i = len(g.Classes)
			classes[class] = i
			g.Classes = append(g.Classes, nil)
		}
		g.Classes[i] = append(g.Classes[i], id)
	}
	return nil
}

// unitless is t with 0⃗ for the zeros, and the tuples of zeros, that are summands: [reference.Term.Class] leaves out
// 0⃗.
func unitless(t *reference.Term) *reference.Term {
	u := *t
	u.Kids = make([]*reference.Term, len(t.Kids))
	for i, k := range t.Kids {
		if u.Kids[i] = unitless(k); t.Op == reference.Plus && isZero(k) {
			u.Kids[i] = &reference.Term{Op: reference.Zero}
		}
	}
	return &u
}

func isZero(t *reference.Term) bool {
	switch t.Op {
	case reference.Numeral:
		r, exact := t.Num.(*big.Rat)
		return exact && r.Sign() == 0 || t.Num == 0.0
	case reference.MakePair:
		return isZero(t.Kids[0]) && isZero(t.Kids[1])
	}
	return t.Op == reference.Zero
}

// summarize decides confluence, and measures reductions.
func (g *Graph) summarize(next [][]int) {
	before := make([][]int, len(next))
	for i := range next {
		for _, j := range next[i] {
			before[j] = append(before[j], i)
		}
	}
	none := slices.Repeat([]int{-1}, len(next))
	come := func(to ...int) bool { return !slices.Contains(distances(slices.Clone(none), before, to), -1) }
	// If there are states that all come to, the last that comes to none before it is one.
	last := 0
	for i, seen := 0, slices.Clone(none); i < len(seen); i++ {
		if seen[i] < 0 {
			last = i
			distances(seen, before, []int{i})
		}
	}
	g.Confluent = come(last)
	g.ConfluentModulo = g.Confluent || len(g.Classes) == 1 && come(g.NormalForms...)
	if len(g.NormalForms) == 0 {
		return
	}
	steps := distances(none, next, []int{0})
	g.Shortest = new(slices.Min(syntax.Each(len(g.NormalForms), func(i int) int { return steps[g.NormalForms[i]] })))
	// The states that lead to no cycle, each after those that it leads to.
	order, longest, left := slices.Clone(g.NormalForms), make([]int, len(next)), make([]int, len(next))
	for k := 0; k < len(order); k++ {
		for _, i := range before[order[k]] {
			longest[i] = max(longest[i], longest[order[k]]+1)
			if left[i]++; left[i] == len(next[i]) {
				order = append(order, i)
			}
		}
	}
	if len(order) == len(next) {
		g.Longest = &longest[0]
	}
}

// distances sets the least numbers of steps from some states, of those that have −1.
func distances(out []int, next [][]int, from []int) []int {
	for _, i := range from {
		out[i] = 0
	}
	for queue := slices.Clone(from); len(queue) > 0; queue = queue[1:] {
		for _, j := range next[queue[0]] {
			if out[j] < 0 {
				out[j] = out[queue[0]] + 1
				queue = append(queue, j)
			}
		}
	}
	return out
}

// DOT draws the graph in the language of Graphviz.
func (g *Graph) DOT() string {
	var b strings.Builder
	quote := func(text string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"` }
	fmt.Fprintf(&b, "digraph {\n  label=%s;\n  node [shape=box];\n", quote(g.summary()))
	for _, s := range g.States {
		style := ""
		if s.Normal {
			style = ", peripheries=2"
		}
		fmt.Fprintf(&b, "  s%d [label=%s%s];\n", s.ID, quote(s.Term), style)
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "  s%d -> s%d [label=%s];\n", e.From, e.To, quote("("+e.Number+")"))
	}
	b.WriteString("}\n")
	return b.String()
}

// summary says what the graph is.
func (g *Graph) summary() string {
	verdict := "not confluent"
	switch {
	case g.Confluent:
		verdict = "confluent"
	case g.ConfluentModulo:
		verdict = "confluent up to ≡"
	}
	return fmt.Sprintf("%s, %s, %s", load.Counted(len(g.States), "state"),
		load.Counted(len(g.NormalForms), "normal form"), verdict)
}
