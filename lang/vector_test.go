package lang

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVectorOperations: an operation on vectors is the comprehension that it stands for.
func TestVectorOperations(t *testing.T) {
	const inputs = "input c = 2\ninput v : R^3 = vec i < 3 -> i\ninput w : R^3 = vec i < 3 -> 2 * i\n" +
		"input M : R^2^3 = vec i < 3 -> vec j < 2 -> i - j\ndata d : R^3 = [| 1, 2, 3 |]\ndata ds : List R^3 = list t < 4 -> vec i < 3 -> t + i\n"
	for _, c := range [][2]string{
		{"v + w", "vec i < 3 -> v.(i) + w.(i)"},
		{"v - d", "vec i < 3 -> v.(i) - d.(i)"},
		{"c * v", "vec i < 3 -> c * v.(i)"},
		{"v / 2", "vec i < 3 -> v.(i) / 2"},
		{"1 - M", "vec i < 3 -> vec j < 2 -> 1 - M.(i).(j)"},
		{"M * M", "vec i < 3 -> vec j < 2 -> M.(i).(j) * M.(i).(j)"},
		{"-v", "vec i < 3 -> -v.(i)"},
		{"tanh v", "vec i < 3 -> tanh v.(i)"},
		{"max v w", "vec i < 3 -> max v.(i) w.(i)"},
		{"pow v 0.5", "vec i < 3 -> pow v.(i) 0.5"},
		{"M.(0) + M.(1)", "vec i < 2 -> M.(0).(i) + M.(1).(i)"},
		{"sum v", "sum i < 3 -> v.(i)"},
		{"let s = sum v in s", "let s = sum i < 3 -> v.(i) in s"},
		{"if sum v < 3 then 1 else 2", "if (sum i < 3 -> v.(i)) < 3 then 1 else 2"},
		{"transpose M", "vec i < 2 -> vec j < 3 -> M.(j).(i)"},
		{"maximum v", "max v.(0) (max v.(1) v.(2))"},
		{"zip v w", "vec i < 3 -> (v.(i), w.(i))"},
		{"map (fun x -> if x < 1 then x else 1) v", "let f = fun x -> if x < 1 then x else 1 in vec i < 3 -> f v.(i)"},
		{"map (fun r -> sum r) M", "let f = fun (r : R^2) -> sum j < 2 -> r.(j) in vec i < 3 -> f M.(i)"},
		{"size v + size d", "6"},
		{"fun x -> x + (v : R^3)", "fun (x : R) -> vec i < 3 -> x + v.(i)"}, // types left open are R
		{"fun x -> if x < 1 then 0 else (fun y -> x * y) 2", "fun (x : R) -> if x < 1 then 0 else (fun (y : R) -> x * y) 2"},
		{"let f = fun x -> x * c in f v", "let f = fun (x : R^3) -> vec i < 3 -> x.(i) * c in f v"},
		{"M.(2, 1)", "M.(2).(1)"},
		{"vec i < 2 -> M.(i + 1, i)", "vec i < 2 -> M.(i + 1).(i)"},
		{"fun (x : R^(3, 2)) -> x.(2, 1)", "fun (x : R^2^3) -> x.(2).(1)"},
		{"fun (x : R^2^(1 + 2, 4)) -> x.(2, 3, 1)", "fun (x : ((R^2)^4)^3) -> x.(2).(3).(1)"},
		{"if c = 2 then 1 else 3", "if same c 2 > 0 then 1 else 3"},
		{"if not c < 2 then 1 else 3", "if c < 2 then 3 else 1"},
		{"if c < 2 and c > 1 then 1 else 3", "if (if c < 2 then if c > 1 then 1 else 0 else 0) > 0 then 1 else 3"},
		{"if c < 2 or not c > 1 then 1 else 3", "if (if c < 2 then 1 else if c > 1 then 0 else 1) > 0 then 1 else 3"},
		{"if not (c < 2 or c > 1) and c = 3 then 1 else 3",
			"if (if (if c < 2 then 1 else if c > 1 then 1 else 0) > 0 then 0 else if same c 3 > 0 then 1 else 0) > 0 then 1 else 3"},
		{"v^2", "let y = v in vec i < 3 -> y.(i) * y.(i)"},
	} {
		p := mustLoad(t, inputs+c[0])
		wellFormed(t, p)
		require.Equal(t, mustLoad(t, inputs+c[1]).Term().String(), p.Term().String(), c[0])
	}
}

// TestWordsAreNames: a program may bind a word that is not reserved, and the word then means that.
func TestWordsAreNames(t *testing.T) {
	for _, w := range []string{"and", "or", "not", "range", "uniform", "normal", "scan", "with", "same", "pick", "onehot"} {
		for _, program := range []string{
			"input W = 1\nif W < W then W + 1 else W * W",
			"def W x = x + 1\nif W 2 < W 3 then W (W 1) else (fun W -> W) 2",
			"let W x y = x + y in let z = W 1 2 in W z (-z)",
		} {
			mustLoad(t, strings.ReplaceAll(program, "W", w))
		}
	}
}
