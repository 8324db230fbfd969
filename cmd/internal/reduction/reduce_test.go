package reduction

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/rule"
)

func parsed(t *testing.T, text string) *Source {
	s, err := Parse("t", []byte(text), denote.Rationals{}, 1000)
	require.NoError(t, err, text)
	return s
}

func started(t *testing.T, s *Source, of Of) *reference.Start {
	start, _, err := s.Start(of)
	require.NoError(t, err)
	return start
}

func explored(t *testing.T, text, rules string) *Graph {
	rs := AllRules()
	if rules != "" {
		var err error
		rs, err = ParseRules(strings.Split(rules, ","))
		require.NoError(t, err)
	}
	g, err := Explore(started(t, parsed(t, text), Term), rs, bounds)
	require.NoError(t, err, text)
	return g
}

var bounds = Bounds{MaxStates: 2000, MaxSize: 200, Check: func() error { return nil }}

// TestNotation: what the grammar has, as it is printed.
func TestNotation(t *testing.T) {
	for text, want := range map[string]string{
		`\x.x`:                             "λx.x",
		"λx^!R.λy^!(R→R).y x":              "λx.λy.y x",
		"λa^R.x* (2·a) + 0⃗":               "λa^R.x* (2·a) + 0⃗",
		"λa^R.x* (2 * a)":                  "λa^R.x* (2·a)",
		"x*y":                              "x* y",
		"((1, 2), 3)":                      "⟨⟨1, 2⟩, 3⟩",
		"⟨1,2,3⟩":                          "⟨1, ⟨2, 3⟩⟩",
		"x[⟨x,⟨y,z⟩⟩:=(1,2,3)]":            "x[⟨x,⟨y,z⟩⟩:=⟨1, ⟨2, 3⟩⟩]",
		"b[b^R:=3]":                        "b[b^R:=3]",
		"-1e1 - 2 / x - -3":                "-10 - 2 / x - -3",
		"x+y·z w+1":                        "x + y·z w + 1",
		"sin'(x) + ∂1 sin(x) + pow'2(x,2)": "∂1 sin(x) + ∂1 sin(x) + ∂2 pow(x, 2)",
		"if x < y then λz.z else λw.w + 1": "if x < y then λz.z else λw.w + 1",
		"f : R → R × R, x : R |- f x":      "f x",
		"x* : R⊥2, y* : R -o R^2 ⊢ x* 1 + y* 2": "x* 1 + y* 2",
		"x* : R⊥2 ⊢ x* 1 + zero":                "x* 1 + ⟨0, 0⟩",
		"1 -- one\n -- and\n + 2":               "1 + 2",
	} {
		s := parsed(t, text)
		require.Equal(t, want, shown(s), text)
		// What is printed reads back, but for the types of free variables.
		if !strings.ContainsAny(text, "⊢|") {
			require.Equal(t, want, shown(parsed(t, want)), text)
		}
	}
}

func shown(s *Source) string { return reference.Text(annotated(s.free).Tokens(s.program.Term, nil)) }

// TestErrors: errors have their places.
func TestNotationErrors(t *testing.T) {
	for source, want := range map[string]string{
		"x +":                  "t:1:4: syntax error",
		"x ]":                  "t:1:3: syntax error",
		"(x":                   "t:1:3: syntax error",
		"⟨x⟩":                  "t:1:4: syntax error",
		"sin(1,\n 2)":          "t:2:3: syntax error",
		"sin":                  "t:1:4: syntax error",
		"x - -y":               "t:1:6: syntax error",
		"if 1 then 2 else 3":   "t:1:6: syntax error",
		"λsin.1":               "t:1:2: syntax error",
		"x\xff":                "t:1:2: the source is not UTF-8",
		"x : Q ⊢ x":            "t:1:5: syntax error",
		"x : R → R -o R^0 ⊢ 1": "t:1:16: no such type",
		"x : R*R -o R ⊢ 1":     "t:1:5: no such type",
		"x : R, x : R ⊢ x":     "t:1:8: a free variable is declared twice",
		"x[⟨y,y⟩:=(1,2)]":      "t:1:6: a variable is bound twice in one pattern",
		"1 2":                  "t:1:1: type mismatch",
		"λx.x x":               "t:1:4: type mismatch",
		"x[⟨y,z⟩:=1]":          "t:1:10: type mismatch",
		"(λx.x) + 1":           "t:1:10: type mismatch",
		"λx.x + (λy.y)":        "t:1:4: type mismatch",
		"x* 1 + 1 + (x* 1, 2)": "t:1:12: type mismatch",
		"λa^R.1":               "t:1:6: this term has no type",
		"λa^R.a·a":             "t:1:8: this term has no type",
		"λa^R.λx.a":            "t:1:6: type mismatch",
	} {
		_, err := Parse("t", []byte(source), denote.Rationals{}, 1000)
		require.Error(t, err, source)
		require.True(t, strings.HasPrefix(err.Error(), want+"\n"), "%s: %s", source, err)
	}
}

// TestLarge: terms that are too large or too deep are errors, and types may be exponentially larger than terms.
func TestLarge(t *testing.T) {
	for source, want := range map[string]string{
		strings.Repeat("1 + ", 11000) + "1": "t:1:40001: the term is too large\n",
		strings.Repeat("(", 6000) + "1":     "t:1:5001: the term is nested too deeply\n",
	} {
		_, err := Parse("t", []byte(source), denote.Floats{}, 1000)
		require.Error(t, err)
		require.True(t, strings.HasPrefix(err.Error(), want), err.Error()[:100])
	}
	text := "x0"
	for i := range 60 {
		text = fmt.Sprintf("(%s)[x%d:=⟨x%d,x%d⟩]", text, i, i+1, i+1)
	}
	s := parsed(t, text+"[x60:=1]")
	require.NotNil(t, s)
	_, err := Parse("t", []byte("1 + "+text), denote.Floats{}, 1000)
	require.ErrorContains(t, err, "…")
}

// TestRoundTrip: each term that a reduction comes to is read back as it is printed.
func TestRoundTrip(t *testing.T) {
	states := 0
	for _, text := range []string{
		"λa^R.(x* (2·a) + (x* b)[b^R:=a])",
		"(λf.λx.f (f x)) (λy.y·y) 3",
		"⟨v·v, λa^R.v* (v·a) + v* (v·a)⟩[⟨v,v*⟩:=⟨x, λb^R.x* b⟩]",
		"(if 1 < 2 then λx.x[y:=x] else λx.0)[p:=(1,2)] 3",
	} {
		g := explored(t, text, "")
		for _, s := range g.States {
			require.Equal(t, s.Term, shown(parsed(t, s.Term)))
			states++
		}
	}
	require.Greater(t, states, 300)
}

// TestExplore: graphs with their normal forms. (5') drops a stack that (5) keeps, so that normal forms differ by it.
func TestExplore(t *testing.T) {
	g := explored(t, "x[x:=1][y:=2]", "")
	require.True(t, g.Confluent)
	require.Equal(t, "6 states, 1 normal form, confluent", g.summary())
	require.Equal(t, 3, *g.Shortest)
	require.Equal(t, 3, *g.Longest)

	g = explored(t, "z : R → R ⊢ 3[b^R:=1[p:=z 1]]", "")
	require.Len(t, g.Classes, 2)
	require.False(t, g.Confluent || g.ConfluentModulo)
	g = explored(t, "z : R → R ⊢ 3[b^R:=1[p:=z 1]]", "1-8")
	require.True(t, g.Confluent)
	g = explored(t, "3[b^R:=2·1]", "5',8")
	require.Equal(t, 1, *g.Shortest)
	require.Equal(t, 2, *g.Longest)
	require.True(t, g.Confluent)

	// Lemma main for x·x, from the start that the paper prints: D(x·x) as Table 3 has it comes to one normal form. A
	// shorter term, with one opening for both operands, comes to two: (x* b)[b:=v·a] is stuck under λa, so it matters
	// whether (11) or (3) comes first.
	const table3, square = "⟨v·w, λa^R.v* (w·a) + w* (v·a)⟩[⟨w,w*⟩:=z][⟨v,v*⟩:=z][z:=⟨x, second⟩]", "⟨v·v, λa^R.v* (v·a) + v* (v·a)⟩[⟨v,v*⟩:=⟨x, second⟩]"
	g = explored(t, strings.Replace(table3, "second", "λb^R.x* b", 1), "")
	require.Equal(t, "1 531 states, 1 normal form, confluent", g.summary())
	require.True(t, explored(t, strings.Replace(table3, "second", "x*", 1), "").Confluent)
	g = explored(t, strings.Replace(square, "second", "λb^R.x* b", 1), "")
	require.Len(t, g.Classes, 2)
	require.False(t, g.Confluent || g.ConfluentModulo)
	require.True(t, explored(t, strings.Replace(square, "second", "x*", 1), "").Confluent)

	// Floating-point sums depend on their order, rational ones do not.
	const sum = "x* 0.1 + x* 0.2 + x* 0.3"
	require.True(t, explored(t, sum, "").Confluent)
	s, err := Parse("t", []byte(sum), denote.Floats{}, 1000)
	require.NoError(t, err)
	g, err = Explore(started(t, s, Term), AllRules(), bounds)
	require.NoError(t, err)
	require.Len(t, g.Classes, 2)
}

// TestBounds: (9) loops, and a bound on states, on sizes or the caller ends that.
func TestBounds(t *testing.T) {
	rs, err := ParseRules([]string{"9"})
	require.NoError(t, err)
	start := started(t, parsed(t, "λx.x + 1"), Term)
	stop := errors.New("stop")
	var size *SizeError
	for _, b := range []Bounds{{5, 1000, bounds.Check}, {1000, 20, bounds.Check}, {1000, 1000, func() error { return stop }}} {
		_, err := Explore(start, rs, b)
		require.True(t, err != nil && strings.Contains(err.Error(), "more than 5 states") || errors.As(err, &size) || errors.Is(err, stop), "%v", err)
	}
}

// TestEquivalent: ≡ moves lets, and keeps each; sums are bags.
func TestEquivalent(t *testing.T) {
	for _, c := range []struct {
		left, right string
		same        bool
	}{
		{"(x + y)[x:=z 1][y:=z 2]", "(x + y)[y:=z 2][x:=z 1]", true},
		{"(x + 1)[x:=z 1]", "x[x:=z 1] + 1", true},
		{"x[x:=y[y:=z 1]]", "x[x:=y][y:=z 1]", true},
		{"(1 + 2) + z 1", "z 1 + (2 + 1)", true},
		{"x[x:=z 1]", "z 1", false},
		{"(x + x)[x:=1]", "1 + 1", false},
		{"(x + x)[x:=1]", "(x + y)[x:=1][y:=1]", false},
		{"0.1 + z 1", "0.2 + z 1", false},
		{"0 + z 1", "z 1", true},
		{"0 + z 1", "0⃗ + z 1", true},
		{"0 · z 1", "z 1", false},
	} {
		const context = "z : R → R ⊢ "
		s := parsed(t, context+"("+c.left+", "+c.right+")")
		pair := s.program.Term
		require.Equal(t, c.same, unitless(pair.Kids[0]).Class() == unitless(pair.Kids[1]).Class(), "%s and %s", c.left, c.right)
	}
}

// TestKeys: terms have one key just if they are equal up to α.
func TestKeys(t *testing.T) {
	s := parsed(t, "(λx.λy.x, (λy.λx.y, (λx.λy.y, (λx^R.f* x, λx.f* x))))")
	var texts []string
	for u := s.program.Term; u.Op == reference.MakePair; u = u.Kids[1] {
		texts = append(texts, u.Kids[0].Key())
		if u.Kids[1].Op != reference.MakePair {
			texts = append(texts, u.Kids[1].Key())
		}
	}
	require.Equal(t, texts[0], texts[1])
	require.NotEqual(t, texts[0], texts[2])
	require.NotEqual(t, texts[3], texts[4])
}

// TestRules: numbers, ranges and names.
func TestRules(t *testing.T) {
	rs, err := ParseRules([]string{"1-4", "factor", "5'"})
	require.NoError(t, err)
	var names []string
	for r, has := range rs.table {
		if has {
			names = append(names, rule.Rule(r).String())
		}
	}
	require.Equal(t, []string{"lambda", "pair", "subst", "substNumeral", "gc", "factor"}, names)
	require.True(t, rs.garbage)
	require.False(t, rs.Eta())
	for _, wrong := range []string{"16", "4-2", "x", "", "1-"} {
		_, err := ParseRules([]string{wrong})
		require.Error(t, err, wrong)
	}
}

// TestOrders: each order ends in the same value, and a choice that is not there is an error.
func TestOrders(t *testing.T) {
	for _, o := range []Order{ByValue, ByNeed, ByName, ByRandom} {
		s := parsed(t, "(λf.λx.f (f x)) (λy.y·y) (1 + 2)")
		out, err := wrote(t, s, ReduceOptions{Rules: AllRules(), Order: o, Seed: 3})
		require.NoError(t, err)
		require.True(t, strings.HasSuffix(out, "    81\n\nnormal form\n"), out)
	}
	s := parsed(t, "1 + (2 + 3)")
	out, err := wrote(t, s, ReduceOptions{Rules: AllRules(), Choices: []uint64{1}})
	require.NoError(t, err)
	require.Equal(t, "    1 + «(2 + 3)»\n1  (6) plus  1:6  5 → 3 symbols\n    1 + 5\n\n1  (6) plus  1:1  1 + 5\n", out)
	_, err = wrote(t, s, ReduceOptions{Rules: AllRules(), Choices: []uint64{1, 2}})
	require.EqualError(t, err, "step 2: there is no redex 2; the term has 1")
}

func wrote(t *testing.T, s *Source, opt ReduceOptions) (string, error) {
	start, names, err := s.Start(Term)
	require.NoError(t, err)
	var out strings.Builder
	err = Reduce(&out, s, start, names, opt)
	return out.String(), err
}

// TestStarts: the terms of a program, and what has none.
func TestStarts(t *testing.T) {
	load := func(text string) *Source {
		p, err := lang.Load("t.gram", []byte(text), lang.Options{})
		require.NoError(t, err)
		s, err := Load(p, denote.Floats{}, 1000)
		require.NoError(t, err)
		return s
	}
	for of, want := range map[Of]string{
		Term:     "sin(x)",
		Value:    "sin(x)[x:=2]",
		Reverse:  "⟨sin(x2), λa^R.x2* (∂1 sin(x2)·a)⟩[⟨x2,x2*⟩:=x3][x3:=⟨x, x*⟩]",
		Gradient: "(z* 1)[⟨z,z*⟩:=⟨sin(x), λa^R.x* (∂1 sin(x)·a)⟩[⟨x,x*⟩:=x2]][x2:=⟨x0, d⟩][d:=λa2^R.x1* a2][x0:=2]",
	} {
		start, names, err := load("input x = 2\nsin x").Start(of)
		require.NoError(t, err)
		require.Equal(t, want, reference.Text(names.Tokens(start.Term, nil)))
	}
	for text, ofs := range map[string][]Of{
		"lin a -> 2 * a":                {Reverse, Gradient},
		"input x = 1\n(x, x)":           {Gradient},
		"(fun f -> f 1) (lin a -> a)\n": {Reverse, Gradient},
	} {
		for _, of := range ofs {
			_, _, err := load(text).Start(of)
			require.Error(t, err, text)
		}
	}
	_, _, err := parsed(t, "f : R → R ⊢ f 1").Start(Reverse)
	require.Error(t, err)
	_, _, err = parsed(t, "x + 1").Start(Value)
	require.Error(t, err)
	large, err := lang.Load("t.gram", []byte("#1000 (fun x -> x) 1"), lang.Options{})
	require.NoError(t, err)
	_, err = Load(large, denote.Floats{}, 1000)
	var size *SizeError
	require.ErrorAs(t, err, &size)
}

// FuzzParse: no text makes the parser fail but by an error with a place, and what is read has a type.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"x* : R⊥ ⊢ λa^R.(x* (2·a) + (x* b)[b^R:=a])", "(λf.λx.f (f x)) (λy.y·y) 3", "x[⟨x,y⟩:=⟨1,0⃗⟩]", "if 1 < 2 then sin(1) else -1e3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("t", []byte(text), denote.Floats{}, 100)
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "t:"), "%s", err)
			return
		}
		_, err = s.program.Check(s.program.Term)
		require.NoError(t, err)
	})
}
