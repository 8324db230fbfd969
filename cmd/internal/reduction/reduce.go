// Package reduction prints reductions, step by step.
//
// Of a run of the literal machine, gram trace: [Rewrites] prints its rewrites, a line each, [Calculus] the terms of the
// calculus that its states are, and [Draw] draws its memory at a step.
//
// Of a term of the calculus with linear negation, gram reduce: [Parse] reads one in the notation of the paper and
// [Load] takes that of a program; [Reduce] makes the steps that are chosen, by the rewriter of package reference, and
// lists the redexes of the term that they lead to; [Explore] makes the graph of all reductions, and says whether it is
// confluent.
//
// Terms are printed one after the other, in text, in LaTeX or as objects of JSON. The redex of the next step is marked,
// and so is the occurrence that a (3) replaces; in LaTeX the redex is coloured and the occurrence framed:
//
//	«sin(‹z2›)[z2:=9]»
//	4  (3n) substNumeral  5:5   4 → 4 symbols
//	«sin(9)[z2:=9]»
//
// A term is printed as soon as the rewriter comes to it.
package reduction

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
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

// only is the state with the redexes of the rules.
func (rs *Rules) only(s *reference.State) *reference.State {
	out := *s
	out.Redex = slices.DeleteFunc(slices.Clone(s.Redex), func(r reference.Redex) bool {
		return r.Garbage && !rs.garbage || !r.Garbage && !rs.table[r.Rule]
	})
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
	none := func(*reference.State) *reference.Redex { return nil }
	next := map[Order]reference.Strategy{NoOrder: none, ByValue: reference.ByValue, ByNeed: reference.ByNeed,
		ByName: reference.ByName, ByRandom: reference.Random(rand.New(rand.NewPCG(seed, 0)))}[o]
	return func(s *reference.State) *reference.Redex { return next(rs.only(s)) }
}

// chosen takes the redexes that are chosen, one after the other, and then those of next. What is not there is told to
// wrong.
func chosen(rs *Rules, choices []uint64, next reference.Strategy, wrong *error) reference.Strategy {
	step := 0
	return func(s *reference.State) *reference.Redex {
		if step == len(choices) {
			return next(s)
		}
		n := choices[step]
		step++
		redexes := rs.only(s).Redex
		if n > uint64(len(redexes)) {
			*wrong = fmt.Errorf("step %d: there is no redex %d; the term has %d", step, n, len(redexes))
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
// has not been printed yet, and a redex a line; or an object. The error is that of [derive], or says that a redex
// that was chosen is not there.
func Reduce(w io.Writer, s *Source, start *reference.Start, names *reference.Names, opt ReduceOptions) error {
	var wrong error
	next := opt.Order.strategy(&opt.Rules, opt.Seed)
	opt.Next = chosen(&opt.Rules, opt.Choices, next, &wrong)
	opt.Eta, opt.Names, opt.Source = opt.Rules.Eta(), names, s.lang
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
		line, column := o.Source.Position(pos)
		marked := redex(o.Names.Tokens(s.Term, s.Marks(&r)))[1:] // with the mark of the occurrence that a (3) replaces
		out.Redexes = append(out.Redexes,
			oneRedex{i + 1, rule.Table[r.Rule].Name, number(&r), line, column, text(marked), o.Source.Place(pos)})
	}
	return out
}

// Source is a term that has been read.
type Source struct {
	lang    *lang.Program // of a term in the notation of the paper, only its file
	term    bool          // it is such a term
	program *reference.Program
	free    []*reference.Var // the free variables of the term
	ground  denote.Ground    // of a program
}

// Of says which term of a source is reduced.
type Of uint8

// The terms. Value and gradient are of programs, whose inputs have numbers.
const (
	Term     Of = iota // t itself, with its free variables
	Reverse            // D(t)[x:=⟨x,x*⟩] for each free x, the term of Theorem 1
	Value              // t[x:=r]…
	Gradient           // (z* 1)[⟨z,z*⟩:=D(t)]…, that of Cor. gradient
)

// Load makes a source of a program. Its literals become the λ-terms that they stand for; the error is a
// [*SizeError] if it then has more than maxSize symbols.
func Load(p *lang.Program, ground denote.Ground, maxSize int) (*Source, error) {
	if n := reference.Symbols(p.Term()); n > uint64(maxSize) {
		return nil, &SizeError{Size: int(min(n, 1<<40)), Max: maxSize}
	}
	s := &Source{lang: p, ground: ground, program: reference.Convert(p.Term(), ground)}
	for _, in := range p.Inputs {
		for _, x := range in.Vars {
			if v := s.program.Var(x); v != nil {
				s.program.Free(v)
				s.free = append(s.free, v)
			}
		}
	}
	return s, nil
}

// errorAt is an error that shows a place of the source.
func (s *Source) errorAt(span syntax.Span, headline, label string) error {
	return syntax.NewErrors(s.lang.File, []syntax.Diagnostic{{Span: span, Headline: headline, Label: label}})
}

func spanOf(pos term.Pos) syntax.Span {
	start := max(1, uint32(pos)) - 1
	return syntax.Span{Start: start, End: start + 1}
}

// Start returns the term to be reduced, and what its free variables are called. The error is a [*syntax.Errors].
func (s *Source) Start(of Of) (*reference.Start, *reference.Names, error) {
	start, err := s.start(of)
	if err != nil {
		return nil, nil, err
	}
	return start, annotated(start.Inputs), nil
}

// annotated returns names for a term with these free variables: a linear variable has its type where it is bound.
func annotated(free []*reference.Var) *reference.Names {
	names := reference.NewNames()
	names.Annotated = true
	names.Reserve(free)
	return names
}

func (s *Source) start(of Of) (*reference.Start, error) {
	switch {
	case of == Term:
		return &reference.Start{Program: s.program, Inputs: s.free}, nil
	case of == Reverse:
		return s.reverse()
	case s.term:
		return nil, s.errorAt(spanOf(0), "the term has no point",
			"value and gradient are of programs, whose inputs have numbers")
	}
	var inputs []term.Var
	var point []float64
	for _, in := range s.lang.Inputs {
		inputs, point = append(inputs, in.Vars...), append(point, in.Values...)
	}
	if of == Value {
		return s.program.ValueStart(inputs, point), nil
	}
	outputs := 0
	switch shape := s.lang.Shape; {
	case shape == nil || shape.Kind != load.Real && (shape.Kind != load.Vector || shape.A.Kind != load.Real):
		return nil, s.errorAt(spanOf(s.lang.BodyPos()), "no gradient",
			"this is "+s.lang.TypeText+", and a gradient is of R or R^k")
	case shape.Kind == load.Vector:
		outputs = shape.Size
	}
	d, err := revgrad.Reverse(s.lang.Term(), nil)
	var undefined *revgrad.UndefinedError
	if errors.As(err, &undefined) {
		return nil, s.errorAt(spanOf(undefined.Pos), "no reverse transformation", undefined.Error())
	}
	if err != nil {
		return nil, err
	}
	start := reference.Convert(d, s.ground).GradientStart(inputs, point, outputs)
	start.Inputs = start.Duals
	return start, nil
}

// reverse is the start of Theorem 1. It is defined for terms without linear negation.
func (s *Source) reverse() (*reference.Start, error) {
	for _, x := range s.free {
		if x.Type != term.R {
			return nil, s.errorAt(spanOf(0), "no reverse transformation", x.Name+" is free and is no number")
		}
	}
	if t := s.linear(s.program.Term); t != nil {
		return nil, s.errorAt(spanOf(t.Pos), "no reverse transformation", "D is for terms without linear negation")
	}
	d := s.program.Reverser()
	t := d.Term(s.program.Term)
	start := &reference.Start{}
	node := func(op reference.Op, x *reference.Var, kids ...*reference.Term) *reference.Term {
		return &reference.Term{Op: op, X: x, Kids: kids}
	}
	for _, x := range s.free {
		point := &reference.Var{Name: x.Name, Type: term.R}
		star := &reference.Var{Name: x.Name + "*", Type: term.AbstractDual}
		pair := node(reference.MakePair, nil, node(reference.Variable, point), node(reference.Variable, star))
		t = node(reference.Let, nil, t, pair)
		t.P = &reference.Pattern{X: d.Var(x)}
		start.Inputs = append(start.Inputs, point, star)
	}
	start.Program = s.program.With(t, start.Inputs...)
	return start, nil
}

// linear returns a part of the term that D is not defined for, nil if there is none.
func (s *Source) linear(t *reference.Term) *reference.Term {
	bad := t.Op == reference.Lambda && t.X.Linear || t.Op == reference.Zero ||
		t.Op == reference.Let && t.P.X != nil && t.P.X.Linear || t.Op == reference.Variable &&
		s.program.HasDual(t.X.Type) || t.Op == reference.Plus && !s.program.IsReal(t)
	if bad {
		return t
	}
	for _, k := range t.Kids {
		if bad := s.linear(k); bad != nil {
			return bad
		}
	}
	return nil
}

// Undefined says that a step has no result, such as sin of a rational number.
func Undefined(err error) error {
	var undefined *denote.UndefinedError
	if errors.As(err, &undefined) {
		return fmt.Errorf("no step: %w", undefined)
	}
	return err
}
