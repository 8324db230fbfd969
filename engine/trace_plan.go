package engine

import (
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// planned are rewrites that instantiating a template makes, in the order in which a trace
// has them.
type planned struct {
	rule  graph.Rule
	n     uint64
	pos   term.Pos
	instr int  // the instruction that they are of, or that they lead to; −1: none
	own   bool // they are its own
}

// plan orders the steps of a template: those of an instruction stand at it, others, like
// the (3) of its operands, before the first instruction that is compiled after them, and
// (4) at the end. Where they are not known by place, all others come first.
func (t *tracer) plan(tm *graph.Template) []planned {
	left := newStock(tm)
	places := left.places
	code := t.m.prog.Code
	own := make([]int, tm.End-tm.Start) // of each instruction: which place has its steps
	for pc := tm.Start; pc < tm.End; pc++ {
		var taken uint64
		own[pc-tm.Start], taken = left.take(&code[pc])
		t.steps[pc] = uint32(taken)
	}
	var out []planned
	done := 0
	until := func(end, instr int) {
		for ; done < end; done++ {
			if c := &places[done]; c.Rule != graph.GC && c.N > 0 {
				out = append(out, planned{c.Rule, c.N, c.Pos, instr, false})
			}
		}
	}
	for pc := tm.Start; pc < tm.End; pc++ {
		if t.steps[pc] == 0 {
			continue
		}
		until(own[pc-tm.Start], int(pc))
		rule, _ := code[pc].Steps()
		out = append(out, planned{rule, uint64(t.steps[pc]), code[pc].Pos, int(pc), true})
	}
	until(len(places), -1)
	for i := range places {
		if c := &places[i]; c.Rule == graph.GC && c.N > 0 {
			out = append(out, planned{c.Rule, c.N, c.Pos, -1, false})
		}
	}
	return out
}

// placesOf returns the counts of a template by place.
func placesOf(tm *graph.Template) []graph.PlaceCount {
	if len(tm.Places) > 0 {
		return slices.Clone(tm.Places)
	}
	var all []graph.PlaceCount
	for r, n := range tm.Counts {
		all = append(all, graph.PlaceCount{Pos: tm.Pos, Rule: graph.Rule(r), N: n})
	}
	return all
}

// stock is what is left of the counts of a template by place.
type stock struct {
	places []graph.PlaceCount
	at     map[graph.PlaceCount]int // by place, rule and origin
	first  [graph.NumRules]int      // no place before has a step by the rule
}

func newStock(tm *graph.Template) *stock {
	s := &stock{places: placesOf(tm), at: map[graph.PlaceCount]int{}}
	for i, c := range s.places {
		c.N = 0
		s.at[c] = i
	}
	return s
}

// take takes the steps of an instruction: from its place, or else from the first that has
// some. It returns the last that it took from, and how many there were.
func (s *stock) take(in *graph.Instr) (at int, taken uint64) {
	rule, n := in.Steps()
	from := func(i int) {
		k := min(n-taken, s.places[i].N)
		s.places[i].N -= k
		if taken += k; k > 0 {
			at = max(at, i)
		}
	}
	for _, generated := range []bool{false, true} {
		if i, ok := s.at[graph.PlaceCount{Pos: in.Pos, Rule: rule, Generated: generated}]; ok {
			from(i)
		}
	}
	for i := &s.first[rule]; taken < n && *i < len(s.places); *i++ {
		if s.places[*i].Rule == rule {
			from(*i)
		}
		if taken == n {
			break
		}
	}
	return at, taken
}
