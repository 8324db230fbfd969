package reduction

import (
	"errors"
	"fmt"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// Source is a term that has been read.
type Source struct {
	File    *syntax.File
	program *reference.Program
	free    []*reference.Var // the free variables of the term
	// Of a program:
	lang   *lang.Program
	ground denote.Ground
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
	s := &Source{File: p.File, lang: p, ground: ground, program: reference.Convert(p.Term(), ground)}
	for _, in := range p.Inputs {
		for _, x := range in.Vars {
			if v := s.program.Var(x); v != nil {
				s.program.Typing.Free(v)
				s.free = append(s.free, v)
			}
		}
	}
	return s, nil
}

// errorAt is an error that shows a place of the source.
func (s *Source) errorAt(span syntax.Span, headline, label string) error {
	return syntax.NewErrors(s.File, []syntax.Diagnostic{{Span: span, Headline: headline, Label: label}})
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
	names := reference.NewNames()
	names.Annotated = true
	names.Reserve(start.Inputs)
	return start, names, nil
}

func (s *Source) start(of Of) (*reference.Start, error) {
	switch {
	case of == Term:
		return &reference.Start{Program: s.program, Inputs: s.free}, nil
	case of == Reverse:
		return s.reverse()
	case s.lang == nil:
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
		s.program.Typing.HasDual(t.X.Type) ||
		t.Op == reference.Plus && !s.program.Typing.IsReal(t)
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
