package exec_test

import (
	"fmt"
	"testing"

	"github.com/gram-machine/gram"
)

// TestChains: folds into functions that get their arguments at once have the steps and numbers of the literal machine.
func TestChains(t *testing.T) {
	const head = `input e = 0.3
input r = 0.1
input z = 0.5
data a : List R = list i < 30 -> sin i
`
	for _, f := range []string{
		"fun x g -> if x > 0 then (fun y -> g (sin y * e)) else (fun y -> g (y + r))",
		"fun x g -> fun y -> g (y * x)",
		"fun x g -> fun y -> let s = sin y in if s < x then g (s * e) else if y < 0.2 then g r else g s",
		"fun x g -> let k = x * e in fun y -> g (sin y * k + y)",
		"fun x g -> fun y -> if y < x then y else g (sin y * e + r)", // it may end early
		"fun x g -> fun y -> g (g (y * e))",                          // it is no chain
		"fun x g -> fun y -> x * g (y * e + r)",
	} {
		for _, list := range []string{"a", "(list i < 4 -> e * i)", "[e; r; 0.2]", "(list i < 0 -> e * i)"} {
			if f == "fun x g -> fun y -> g (g (y * e))" && list == "a" {
				continue
			}
			for _, base := range []string{"(fun y -> y)", "(let h = fun y -> y * z in h)", "sin"} {
				src := fmt.Sprintf("%sfold (%s) %s %s z * z\n", head, f, base, list)
				t.Run("", func(t *testing.T) { compare(t, src, []byte(src), gram.Options{}) })
			}
		}
	}
	for _, src := range []string{
		"fold (fun x g -> fun y -> fun s -> if x > 0 then g (y * e) (s + y) else g s y) (fun y -> fun s -> y * s) a z r",
		"fold (fun x g -> fun (y, s) -> g (y * e + x, s + y)) (fun (y, s) -> y * s) a (z, r)",
		"fold (fun x g -> fun y -> g (vec i < 3 -> y.(i) * x + y.(2 - i))) (fun y -> sum y) a [| z, r, e |]",
		"iter #20 (fun g -> fun y -> g (sin y * e + z)) (fun y -> y) r",
		"fold (fun x g -> fun y -> fun s -> g (y * e) (s + y)) (fun y -> fun s -> y * s) a z r",
		"fold (fun x g -> fun y -> g (y * x)) (fun y -> fun s -> y * s) a z r",
	} {
		t.Run("", func(t *testing.T) { compare(t, src, []byte(head+src+"\n"), gram.Options{}) })
	}
}
