package lang

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/syntax"
)

// TestContextualWordsAreNames binds each word that is not reserved as every kind of name: programs that used it before
// it had a meaning still run.
func TestContextualWordsAreNames(t *testing.T) {
	words := append(syntax.Contextual(), "import")
	for k := syntax.ParamTok; k.IsKeyword(); k++ {
		if k.IsContextual() {
			words = append(words, k.String())
		}
	}
	for _, word := range words {
		for _, program := range []string{
			"def W = 2\nW + 1", "def W x = x * 2\nW 3 + (W 4)", "def f W = W + 1\nf 2", "let W = 2 in W * W", "let W x = x in W 1", "let f W = W in f 1",
			"(fun W -> W + 1) 2", "(fun (x, W) -> x + W) (1, 2)", "sum W < 3 -> W", "let v = vec W < 3 -> 2 * W in v.(1)", "fold (+) 0 (list W < 3 -> W)",
			"param W = 3\nsum i < W -> i", "input W = 3\nW * 2", "input W : R^2 = [| 1, 2 |]\nW.(0) + W.(1)", "data W = [1; 2]\nfold (+) 0 W + size W",
			"data W : R = 3\nW", "input x = 1\nif x < 2 then let W = x in W else x",
		} {
			if word == "rec" && (strings.HasPrefix(program, "def W x") || strings.HasPrefix(program, "let W x")) {
				continue // def rec f is a recursive function
			}
			program = strings.ReplaceAll(program, "W", word)
			_, err := Load("t.gram", []byte(program), Options{})
			require.NoError(t, err, program)
		}
	}
}
