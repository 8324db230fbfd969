package explore_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/gramtest"
)

// TestExploreWords: objects are called as the calculus calls them, in all states.
func TestExploreWords(t *testing.T) {
	texts := map[string]string{}
	for _, source := range []string{
		"input x = 2\nlet p = (fun k -> k (x, x * x)) (fun (a, b) -> (b, a)) in\nfst p / snd p\n",
		"input x = 2\niter #3 (fun z -> sin z * x) x\n",
		"input x = 2\ndata xs : List R^2 = list i < 3 -> [| i, i + 1 |]\nfold (fun v s -> v.(0) * s + v.(1) * x) x xs\n",
		"input v : R^2 = [| 1, 2 |]\nlet f = fun w -> if w.(0) < w.(1) then w else v in\n(f v).(0) / (f v).(1)\n",
		"input x = 2\nlet y = lin a -> 3 * a in\n(y x + y 1, [x; x])\n",
		"type tree = Leaf of R | Node of tree * tree | Empty\ninput x = 2\ndef rec total t = match t with Leaf y -> y * y | Node (l, r) -> total l + total r | Empty -> 1\ntotal (Node (Leaf x, Empty))\n",
	} {
		p := gramtest.Load(t, source)
		for _, gradient := range []bool{true, false} {
			if gradient && p.Differentiable() != nil {
				continue
			}
			x := explored(t, p, gradient, gram.EvalOptions{})
			for _, n := range windowAt(t, x, 0).Nodes {
				for _, v := range n.Versions {
					texts[v.Label] = v.Text
				}
			}
		}
	}
	for label, text := range map[string]string{
		"⟨a,_⟩:=p":        "⟨a,_⟩:=p, an opening: it takes a pair apart; it waits for its occurrence of p",
		"4 / 2":           "4 / 2, a function symbol and its arguments",
		"[x:=2]":          "",
		"iterate, 1 left": "iterate, 1 left, the iteration of a function; it waits for an operand",
		"fold, 1 left":    "fold, 1 left, the fold of a list; it waits for an operand",
		"#3":              "#3, a numeral",
		"xs":              "xs, a list of data",
		"x*":              "",
		"λz":              "λz, a function",
		"λa":              "λa, a dual λ",
		"Node ⟨…⟩":        "Node ⟨…⟩, a constructor",
		"Empty":           "Empty, a constructor",
	} {
		require.Contains(t, texts, label)
		if text != "" {
			require.Equal(t, text, texts[label])
		}
	}
	machine := regexp.MustCompile(`suspended|project|iter[A-Z]|closure|dual \d|linDual|dataList|template|constructor \d`)
	generated := regexp.MustCompile(`[·+]\*|sin\*|x0|\bd\b`)
	for label, text := range texts {
		require.NotRegexp(t, generated, label)
		require.NotRegexp(t, machine, label+" "+text)
		require.NotEmpty(t, text, label)
	}
}
