package reduction

import (
	"bytes"
	"fmt"
	"io"
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

// ReduceOptions say how a term is reduced.
type ReduceOptions struct {
	Derivation
	Rules   Rules
	Choices []uint64 // redexes that are chosen first, each by its number in the list of its term, from 1
	Order   Order
	Seed    uint64
}

// Reduce prints the steps that are chosen, and lists the redexes of the term that they lead to: the term first if it
// has not been printed yet, and a redex a line; or an object. The error is that of [derive], or a [*ChoiceError].
func Reduce(w io.Writer, s *Source, start *reference.Start, names *reference.Names, opt ReduceOptions) error {
	var wrong error
	next := opt.Order.strategy(&opt.Rules, opt.Seed)
	opt.Next = chosen(&opt.Rules, opt.Choices, next, &wrong)
	opt.Eta, opt.Names, opt.File = opt.Rules.Eta(), names, s.File
	var found redexes
	opt.End = func(end *reference.State) { found = opt.redexes(end) }
	counts, err := derive(w, start, opt.Derivation)
	switch {
	case err != nil:
		return Undefined(err)
	case wrong != nil:
		return wrong
	case opt.Format == JSON:
		return encode(w, found)
	}
	var b bytes.Buffer
	if counts.Total() == 0 {
		fmt.Fprintf(&b, "    %s\n", found.Term)
	}
	b.WriteByte('\n')
	if len(found.Redexes) == 0 {
		b.WriteString("normal form\n")
	}
	width := len(fmt.Sprint(len(found.Redexes)))
	for _, r := range found.Redexes {
		fmt.Fprintf(&b, "%*d  (%s) %s  %s  %s\n", width, r.Redex, r.Number, r.Rule, r.place, r.Text)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// redexes are those of a term.
type redexes struct {
	Term    string     `json:"term"`
	Size    int        `json:"size"`
	Redexes []oneRedex `json:"redexes"`
}

type oneRedex struct {
	Redex  int    `json:"redex"`
	Rule   string `json:"rule"`
	Number string `json:"number"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Text   string `json:"text"`
	place  string // with the name of an imported file
}

func (o *ReduceOptions) redexes(s *reference.State) redexes {
	out := redexes{Term: reference.Text(o.Names.Tokens(s.Term, nil)), Size: s.Size(), Redexes: []oneRedex{}}
	for i, r := range o.Rules.only(s).Redex {
		pos := s.Place(&r)
		line, column := o.position(pos)
		out.Redexes = append(out.Redexes,
			oneRedex{i + 1, rule.Table[r.Rule].Name, number(&r), line, column, redexText(o.Names, s, &r), o.place(pos)})
	}
	return out
}
