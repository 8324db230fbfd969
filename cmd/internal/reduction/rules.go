package reduction

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/rule"
)

// Rules is a set of rules: those of the table, and (5').
type Rules struct {
	table   [rule.Count]bool
	garbage bool // (5')
}

// AllRules are all but (9) and (10), which loop.
func AllRules() Rules {
	rs := Rules{garbage: true}
	for r := range rs.table {
		rs.table[r] = rule.Rule(r) != rule.EtaLambda && rule.Rule(r) != rule.EtaPair
	}
	return rs
}

// garbageNumber is the number of t[x:=u] → t for a linear x ∉ fv(t) and any u.
const garbageNumber = "5'"

// ParseRules reads numbers, ranges of numbers and names: 1-8, 11, factor. A 3 is also 3n; 5' has to be named.
func ParseRules(parts []string) (Rules, error) {
	var rs Rules
	for _, part := range parts {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		a, first := rule.Find(from)
		b, last := rule.Find(to)
		switch {
		case !isRange && (part == garbageNumber || part == "5′"):
			rs.garbage = true
			continue
		case !first || !last:
			return rs, fmt.Errorf("%q names no rule; rules have numbers, 1 to %s, 3n and 5', and names",
				part, rule.Table[rule.Count-1].Number)
		case a > b:
			return rs, fmt.Errorf("the range %s ends before it begins", part)
		}
		for r := a; r <= b; r++ {
			rs.table[r] = true
		}
		rs.table[rule.SubstNumeral] = rs.table[rule.SubstNumeral] || rs.table[rule.Subst]
	}
	return rs, nil
}

// Eta reports whether (9) or (10) is among the rules.
func (rs *Rules) Eta() bool { return rs.table[rule.EtaLambda] || rs.table[rule.EtaPair] }

func (rs *Rules) has(r *reference.Redex) bool {
	if r.Garbage {
		return rs.garbage
	}
	return rs.table[r.Rule]
}

// only is the state with the redexes of the rules.
func (rs *Rules) only(s *reference.State) *reference.State {
	out := *s
	out.Redex = slices.DeleteFunc(slices.Clone(s.Redex), func(r reference.Redex) bool { return !rs.has(&r) })
	return &out
}

// number is the number of the rule of a redex.
func number(r *reference.Redex) string {
	if r.Garbage {
		return garbageNumber
	}
	return rule.Table[r.Rule].Number
}

// Order is a strategy.
type Order uint8

// The orders. All but random are weak: they reduce neither under λs nor in branches.
const (
	NoOrder Order = iota
	ByValue
	ByNeed
	ByName
	ByRandom
)

// strategy is an order over the rules.
func (o Order) strategy(rs *Rules, seed uint64) reference.Strategy {
	next := map[Order]reference.Strategy{ByValue: reference.ByValue, ByNeed: reference.ByNeed, ByName: reference.ByName,
		ByRandom: reference.Random(rand.New(rand.NewPCG(seed, 0)))}[o]
	if next == nil {
		return nil
	}
	return func(s *reference.State) *reference.Redex { return next(rs.only(s)) }
}

// ChoiceError says that a redex that was chosen, by its number from 1 on, is not there.
type ChoiceError struct {
	Step, Redex, Redexes int
}

func (e *ChoiceError) Error() string {
	return fmt.Sprintf("step %d: there is no redex %d; the term has %d", e.Step, e.Redex, e.Redexes)
}

// chosen takes the redexes that are chosen, one after the other, and then those of next, if it isn't nil. What is
// not there is told to wrong.
func chosen(rs *Rules, choices []uint64, next reference.Strategy, wrong *error) reference.Strategy {
	step := 0
	return func(s *reference.State) *reference.Redex {
		if step == len(choices) {
			if next == nil {
				return nil
			}
			return next(s)
		}
		n := choices[step]
		step++
		redexes := rs.only(s).Redex
		if n > uint64(len(redexes)) {
			*wrong = &ChoiceError{step, int(n), len(redexes)}
			return nil
		}
		return &redexes[n-1]
	}
}
