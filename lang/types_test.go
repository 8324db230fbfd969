package lang

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/elaborate"
	"github.com/gram-machine/gram/lang/syntax"
)

// typesOf returns the types of a program, and the error of loading it.
func typesOf(src string) (*elaborate.Types, error) {
	types := new(elaborate.Types)
	_, err := Load("p.gram", []byte(src), Options{Types: types})
	return types, err
}

// typeAt returns the type at the first place of text in src, or where | stands in text.
func typeAt(t *elaborate.Types, src, text string) string {
	before, word, _ := strings.Cut(text, "|")
	if word == "" {
		before, word = "", text
	}
	from := strings.Index(src, before+word) + len(before)
	return t.Parts[syntax.Span{Start: uint32(from), End: uint32(from + len(word))}]
}

func TestTypes(t *testing.T) {
	const src = `param n = 3
input W : R^2^n = vec i < n -> vec j < 2 -> i + j
data xs : List R = [1; 2]
def twice f x = f (f x)
def first v = v.(0)
def row = W.(1)
def unused g (p : R * R) = g (fst p)
let (a, b) = (dot row (first W), fun z -> z * z) in
let total = foldl (fun x acc -> acc + x) 0 xs in
twice b a + total
`
	types, err := typesOf(src)
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"n": "3", "W": "R^(3, 2)", "xs": "List R", "twice": "('a -> 'a) -> 'a -> 'a", "first": "'a^n -> 'a", "row": "R^2",
		"unused": "(R -> 'a) -> R * R -> 'a",
	}, types.Names)
	for part, want := range map[string]string{
		"(|a": "R", "(a, |b": "R -> R", "let |total": "R", "z * z": "R", "fun z -> z * z": "R -> R", "fun x |acc": "R", "dot row (first W)": "R",
		"unused |g": "R -> R", "def twice |f": "R -> R", "W.(1)": "R^2", "i + j": "R", "first W": "R^2", "total = |foldl": "",
		" 0 |xs": "List R", "twice b a": "R", "v.(0)": "R^2",
	} {
		require.Equal(t, want, typeAt(types, src, part), part)
	}
}

// TestTypesOfWrongPrograms: what is right in a wrong program has types.
func TestTypesOfWrongPrograms(t *testing.T) {
	const src = "input a = 1\ndef f x = if x > 0 then a else 0\nlet y = f 2 in\nlet z = sin (y, y) in y * z"
	types, err := typesOf(src)
	require.ErrorContains(t, err, "type mismatch")
	require.Equal(t, "R -> R", types.Names["f"])
	require.Equal(t, "R", typeAt(types, src, "let |y"))
	require.Equal(t, "R * R", typeAt(types, src, "sin |(y, y)"))

	types, err = typesOf("input a = (\na")
	require.Error(t, err)
	require.Empty(t, types.Parts)

	types = new(elaborate.Types)
	_, err = Load("p.gram", []byte("def f x = vec i < 1000 -> x^i\nf 1"), Options{Types: types, MaxNodes: 100})
	require.ErrorIs(t, err, elaborate.ErrExpansion)
	require.Empty(t, types.Names)
}

// TestTypesDoNotChangeTerms: a program has the same term whether types are asked for or not.
func TestTypesDoNotChangeTerms(t *testing.T) {
	const src = "input a = 2\ndef sq x = x * x\ndef id x = x\nsq (id a) + dot (vec i < 3 -> a) [| 1, 2, 3 |]"
	plain, err := Load("p.gram", []byte(src), Options{})
	require.NoError(t, err)
	typed, err := Load("p.gram", []byte(src), Options{Types: new(elaborate.Types)})
	require.NoError(t, err)
	require.Equal(t, plain.Term().String(), typed.Term().String())
}
