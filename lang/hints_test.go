package lang

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHints: what other languages write has a hint.
func TestHints(t *testing.T) {
	for program, want := range map[string]string{
		"input x = 1\nmax(x, 2)":             "arguments follow a function one by one, without commas: max x 2",
		"data v : R^2 = [| 1, 2 |]\nmean v":  "the mean of a vector v is `sum v / size v`",
		"input A : R^(2, 2) = 1\nmatmul A A": "the product of matrices is `map (matvec (transpose B)) A`",
		"input A : R^(2, 2) = 1\nA @ A":      "the product of matrices is `map (matvec (transpose B)) A`",
		"log10 3":                            "`log x / log 10`",
		"input x = 1\nx % 2":                 "the remainder is `x - y * floor (x / y)`",
		"map (lambda z: z) [1]":              "a function is written `fun x -> …`",
		"let y = 3\ny + 1":                   "a declaration for the whole program is `def x = e`",
		"let y = 3\nlet z = 4\ny + z":        "a declaration for the whole program is `def x = e`",
	} {
		_, err := Load("p.gram", []byte(program), Options{})
		require.ErrorContains(t, err, want, program)
	}
	_, err := Load("p.gram", []byte("def f x y = sin (x * y, y)\nf 1 2"), Options{}) // not a tuple for f
	require.ErrorContains(t, err, "this is R * R, but sin takes R")
	require.NotContains(t, err.Error(), "one by one")
}

// TestStaticBranch: a branch that a static condition does not take may have indices out of range.
func TestStaticBranch(t *testing.T) {
	for _, program := range []string{
		"input x = 1\nlet h = [| 1, 2, 3 |] in\nvec i < 3 -> if i < 1 then x else h.(i - 1)",
		"input x = 1\nif 2 < 1 then [| x |].(1) else x",
		"input x = 1\nif not 1 < 2 then [| x |].(1) else x",
		"input x = 1\nlet h = [| 1, 2, 3 |] in\nsum i < 3 -> if i >= 1 and h.(i - 1) > x then h.(i - 1) else x",
		"input x = 1\nlet h = [| 1, 2, 3 |] in\nsum i < 3 -> sum j < 3 -> if i + j < 1 or i + j > 3 then x else h.(i + j - 1)",
		"input x = 1\nlet h = [| 1, 2, 3 |] in\nsum i < 3 -> if i < 2 and x > 2 then h.(i + 1) else h.(i)",
	} {
		_, err := Load("p.gram", []byte(program), Options{})
		require.NoError(t, err, program)
	}
	for program, want := range map[string]string{
		"input x = 1\nif 1 < 2 then [| x |].(1) else x":                                               "index out of range",
		"input x = 1\nif 1 < 2 then x else x + (x, x)":                                                "type mismatch",
		"input x = 1\nif x < 2 then x else [| x |].(1)":                                               "index out of range",
		"input x = 1\nlet h = [| 1, 2, 3 |] in\nsum i < 3 -> if i < 1 then x else h.(i + 1)":          "3 is not an index of R^3",
		"input x = 1\nlet h = [| 1, 2, 3 |] in\nsum i < 3 -> if i > 1 or x > 2 then x else h.(i - 1)": "0 - 1 is negative",
	} {
		_, err := Load("p.gram", []byte(program), Options{})
		require.ErrorContains(t, err, want, program)
	}
}

// TestFoldedStates: the parameters of a function that is folded have the type of the first state, so that sizes and
// conditions on indices need no annotation, unless that is a number.
func TestFoldedStates(t *testing.T) {
	shift := "input x : R^3 = vec i < 3 -> i\ndef next u = vec i < 3 -> if i < 2 then u.(i + 1) else u.(0)\n" +
		"def left u k = next u\ndef right k u = next u\n"
	for _, program := range []string{
		shift + "foldl (fun u k -> next u) x [1; 2]",
		shift + "foldl left x [1; 2]",
		shift + "fold (fun k u -> next u) x [1; 2]",
		shift + "fold right x [1; 2]",
		shift + "foldl (fun (u, n) k -> (next u, n + k)) (x, 0) [1; 2]",
		"input x : R^3 = vec i < 3 -> i\nfold (fun k u -> vec i < size u -> k * u.(i)) x [1; 2]",
	} {
		_, err := Load("p.gram", []byte(program), Options{})
		require.NoError(t, err, program)
	}
	_, err := Load("p.gram", []byte("input x = 1\nfold (fun k u -> vec i < size u -> k * u.(i)) x [1; 2]"), Options{})
	require.ErrorContains(t, err, "the type of u is not known here")

	// Errors are said as without that.
	for body, want := range map[string]string{
		"sum (foldl (fun k s -> vec i < 3 -> s.(i) * k) x [1; 2])": "this one takes the element first",
		"foldl (fun (a, b, c) k -> (a * k, b, c)) (x, 0) [1; 2]":   "the first state is R^3 * R, but the function takes",
		"sum (foldl (fun (s : R^2) k -> s * k) x [1; 2])":          "t.gram:2:39: type mismatch",
	} {
		_, err := Load("t.gram", []byte("input x : R^3 = vec i < 3 -> i\n"+body), Options{})
		require.ErrorContains(t, err, want, body)
		require.Equal(t, 1, strings.Count(err.Error(), "mismatch"), body)
	}
}
