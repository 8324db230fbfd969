package elaborate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/elaborate"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// lowered returns the term of a program before its expansion, and how many comprehensions of it are elaborated for
// each index.
func lowered(t *testing.T, src string) (text string, written int) {
	file, diags, err := syntax.Parse("t.gram", []byte(src), syntax.Options{})
	require.NoError(t, err)
	require.Empty(t, diags)
	given, err := load.NewSettings(file, nil, nil)
	require.NoError(t, err)
	e := elaborate.New(file, given, &load.Source{Guard: &syntax.Guard{}}, elaborate.Options{MaxNodes: 1_000_000})
	_, _, err = e.Elaborate()
	require.NoError(t, err)
	p, err := lang.Load("t.gram", []byte(src), lang.Options{})
	require.NoError(t, err)
	names := p.ScalarNames()
	for _, in := range p.Inputs {
		for _, x := range in.Vars {
			p.Written().ToChange(x).Name, names = names[0], names[1:]
		}
	}
	return p.Written().String(), e.Written()
}

// TestFamilies holds which comprehensions become families, and what they are.
func TestFamilies(t *testing.T) {
	const before = `param n = 3
input W : R^n^2 = vec i < 2 -> vec j < n -> i + j
input x : R^n = vec i < n -> i
data d : R^2 = [| 1, 2 |]
`
	for _, test := range []struct {
		src, want string
		written   int
	}{
		{"sum i < n -> x.(i)", "Σ(i < 3) x.(0)[(i * 1)]", 0},
		{"vec i < 2 -> sum j < n -> W.(i).(n - 1 - j)", "⟦Σ(j < 3) W.(0).(0)[((i * 3) + ((2 - j) * 1))] | i < 2⟧", 0},
		{"sum i < 2 -> 0.5 * i + 1", "Σ(i < 2) ((0.5 * i) + 1)", 0},
		{"sum i < n -> sum j < i -> x.(j)", "Σ(i < 3) (Σ(j < i) x.(0)[(j * 1)])", 0},
		{"sum i < 2 -> i^2 * x.(0)", "Σ(i < 2) (i * i)·x.(0)", 0},
		{"matvec W x", "⟦Σ(j < 3) W.(0).(0)[((i * 3) + j)]·x.(0)[j] | i < 2⟧", 0},
		{"vec i < 2 -> dot W.(i) x", "⟦Σ(j < 3) W.(0).(0)[((i * 3) + j)]·x.(0)[j] | i < 2⟧", 0},
		{"vec i < 2 -> W.(i)", "⟦⟦W.(0).(0)[((i * 3) + (j * 1))] | j < 3⟧ | i < 2⟧", 0},
		{"sum i < 2 -> d.(i)", "(Σ(i < 2) d.(0)[i])[⟦d.(0), d.(1)⟧:=d]", 0},
		{"let y = x in sum i < 2 -> y.(i)", "(Σ(i < 2) y.(0)[i])[⟦y.(0), y.(1), _#13⟧:=y][y:=⟦x.(0), x.(1), x.(2)⟧]", 0},
		{"(list i < 2 -> x.(i)) (+) 0", "[x.(0)[(i * 1)] | i < 2] (λx.λy.x + y) 0", 0},
		{"sum i < 1 -> x.(i)", "x.(0)", 0},
		{"(concat d x).(2)", "", 1}, // its if has no steps
		{"def y = vec i < 2 -> x.(i + 1)\ny.(0)", "y.(0)[⟦y.(0), _#12⟧:=y][y:=⟦x.(0)[((i + 1) * 1)] | i < 2⟧]", 0},
		{"sum i < n -> if i > 0 then x.(i - 1) else 0",
			"Σ(i < 3) (if i > 0 then x.(0)[(((i - 1) below 9.007199254740992e+15) * 1)] else 0)", 0},
		{"sum i < 2 -> 1 / i", "1/0 + 1", 1},
		{"sum i < 2 -> x.(i)^(i + 1)", "", 1},
		{"sum i < 2 -> #i sin x.(i)", "", 1},
		{"sum i < 2 -> (vec j < i + 1 -> x.(j)).(i)", "", 0},
	} {
		got, written := lowered(t, before+test.src)
		assert.Equal(t, test.written, written, test.src)
		if test.want != "" && test.written == 0 {
			assert.Equal(t, test.want, got, test.src)
		}
	}
}
