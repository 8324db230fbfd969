package bench

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
)

// claimUnicity is claim 13.
func claimUnicity() Claim {
	equal := Law{Kind: Equal}
	sizes := family.Sizes(10, 2000)
	series := []Series{{Name: "exact values, strategies of the calculus", Role: Evidence, Law: equal, X: "values", Y: "values that agree",
		Quick: []int{1, 2, 4, 8}, Full: []int{1, 2, 4, 8, 16}, Measure: exactValues}}
	for _, f := range []family.Family{family.RandomProgram, family.Network, family.Continuations, family.Perceptron, family.RandomGraph} {
		series = append(series,
			Series{Name: f.Name + ": steps under a random schedule", Role: Evidence, Law: equal, X: "steps, the redex found last", Y: "steps, any redex",
				Quick: sizes, Full: family.Sizes(10, 20_000), Measure: on(f, schedules(true))},
			Series{Name: f.Name + ": gradients of the strategies", Role: Evidence, Law: equal, X: "numbers", Y: "numbers that agree to a relative 1e-9",
				Quick: []int{10, 100}, Full: []int{10, 100, 1000}, Measure: on(f, strategiesAgree)})
	}
	for _, c := range []struct {
		name    string
		role    Role
		measure func(context.Context, int) (Point, error)
		law     Law
		without string
	}{
		{"exact gradients over the rationals", Contrast, exactGradients, Law{Kind: AtMost}, ""},
		{"gradients in floating point", Contrast, floatGradients, linear, "exact numbers"},
	} {
		series = append(series, Series{Name: c.name, Role: c.role, Law: c.law, Without: c.without, X: "schedules", Y: "different gradients",
			Quick: []int{1, 2, 4, 8, 16}, Full: []int{1, 2, 4, 8, 16, 32}, Measure: c.measure})
	}
	return Claim{
		Number: 13,
		Title:  "The result does not depend on the strategy",
		Source: "Corollary unicity_value, section 5.2",
		Family: "Random programs over exact rationals, by six strategies of the rewriter; gradients by direct, unfold and modular; random schedules.",
		Series: series,
		Meaning: "Over the rationals all strategies give one value. The machine's schedules take equal numbers of steps too. " +
			"With floating-point numbers the order of a sum shows in the last digits, so gradients are compared to nine: of 200 calls with 20 inputs, " +
			"the contrast, each random schedule has a gradient of its own, where exact ones have one.",
	}
}

// exactGradients is a number of random schedules, and of the different gradients over the rationals that the
// rewriter comes to by them.
func exactGradients(ctx context.Context, schedules int) (Point, error) {
	p, err := loadText(ctx, "calls", family.Calls.Source(3))
	if err != nil {
		return Point{}, err
	}
	d, err := revgrad.Reverse(p.Term(), ctx.Err)
	if err != nil {
		return Point{}, err
	}
	s := reference.Convert(d, denote.Rationals{}).GradientStart(p.ScalarInputs(), p.Point(), 0).Named()
	seen := map[string]bool{}
	for seed := range schedules {
		res, err := run(ctx, s, reference.Machine(generator(seed)), rewriteLimit)
		if err != nil {
			return Point{}, err
		}
		gradient, ok := s.Gradient(res.Term)
		if !ok {
			return Point{}, fmt.Errorf("bench: %s is no gradient", res.Term)
		}
		text := ""
		for _, x := range s.Duals {
			text += fmt.Sprint(gradient[x], " ")
		}
		seen[text] = true
	}
	return Point{X: float64(schedules), Y: float64(len(seen))}, nil
}

// floatGradients is a number of random schedules, and of the gradients by them that differ in some digit: of a
// sum of calls, which are free to come in any order, and with them what they add to the gradient.
func floatGradients(ctx context.Context, schedules int) (Point, error) {
	p, err := load(ctx, family.Calls, 200)
	if err != nil {
		return Point{}, err
	}
	seen := map[string]bool{}
	for seed := range schedules {
		res, err := p.Gradient(ctx, gram.EvalOptions{NoFuse: true, Schedule: gram.Random, Seed: uint64(seed)})
		if err != nil {
			return Point{}, err
		}
		seen[fmt.Sprintf("%x", res.Jacobian)] = true
	}
	return Point{X: float64(schedules), Y: float64(len(seen))}, nil
}

// strategyLimit is how many steps a strategy may take; some copy work without bound.
const strategyLimit = 2000

// exactValues runs random programs over the rationals by six strategies, and counts the
// values that were reached, and those equal to what the machine's strategy gives.
func exactValues(ctx context.Context, n int) (Point, error) {
	var pt Point
	for seed := range uint64(n) {
		p, err := loadText(ctx, "random program", family.Rational(2, seed))
		if err != nil {
			return Point{}, err
		}
		var want []denote.Number
		rng := generator(int(seed))
		for i, by := range []reference.Strategy{reference.Machine(nil), reference.Machine(rng), reference.Leftmost, reference.Random(rng),
			reference.ByValue, reference.ByName, reference.ByNeed} {
			res, err := run(ctx, valueStart(p, denote.Rationals{}), by, strategyLimit)
			var limit *reference.LimitError
			var undefined *denote.UndefinedError
			if errors.As(err, &limit) || errors.As(err, &undefined) { // or a number grows too long
				continue
			}
			if err != nil {
				return Point{}, err
			}
			got, ok := reference.Numbers(res.Term)
			if i == 0 {
				want = got
				continue
			}
			pt.X++
			if ok && sameNumbers(want, got) {
				pt.Y++
			}
		}
	}
	return pt, nil
}

// sameNumbers reports whether two values are equal, exactly.
func sameNumbers(a, b []denote.Number) bool {
	if len(a) != len(b) {
		return false
	}
	m := denote.Model{Ground: denote.Rationals{}}
	for i := range a {
		if !m.Same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// strategiesAgree is how many numbers the gradients by unfold and modular have, and how
// many of them agree with that by direct.
func strategiesAgree(ctx context.Context, p *gram.Program) (Point, error) {
	want, err := p.Gradient(ctx, literal)
	if err != nil {
		return Point{}, err
	}
	var pt Point
	for _, opt := range []gram.EvalOptions{{Strategy: gram.Unfold}, {Strategy: gram.Modular}, {Schedule: gram.Random, Seed: 1}} {
		got, err := p.Gradient(ctx, opt)
		if err != nil {
			return Point{}, err
		}
		for i, w := range want.Jacobian {
			pt.X++
			if math.Abs(got.Jacobian[i]-w) <= 1e-9*max(1, math.Abs(w)) {
				pt.Y++
			}
		}
	}
	return pt, nil
}
