package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/lower"
	"github.com/gram-machine/gram/lang"
)

// TestUnread: slots of vectors that nothing reads are left out, and values, gradients and steps stay.
func TestUnread(t *testing.T) {
	const inputs = "param n = 20\ninput x : R^n = vec i < n -> sin (i + 1)\ninput s = 0.3\n"
	for _, c := range []struct {
		name, src     string
		before, after int // slots that vectors have
	}{
		{"parts", `let v = vec i < n -> (sin x.(i), vec j < 5 -> x.(i) * j + s, cos (x.(i) * s), exp x.(i)) in
sum i < n -> let (a, w, c, d) = v.(n - 1 - i) in a * w.(1) + w.(2)
`, 20*8 + 5, 20*6 + 5},
		{"one", `let v = vec i < n -> (x.(i), vec j < 5 -> x.(i) * j, cos x.(i)) in sum i < n -> let (a, _, _) = v.(n - 1 - i) in a * fst v.(i)
`, 20*7 + 5, 20},
		{"along", `let f = fun (y : R^n) -> vec i < n -> (y.(i) * s, y.(n - 1 - i) * y.(i)) in
sum k < 6 -> let d = jvp f (vec i < n -> x.(i) * k) x in sum i < n -> let (a, b) = d.(n - 1 - i) in a * b * x.(i)
`, 140, 60},
		{"all", `let v = vec i < n -> (x.(i), s * x.(i)) in sum i < n -> let (a, b) = v.(n - 1 - i) in a * b
`, 40, 40},
		{"fused", `let a = s * x + 1 in let b = a * a - x in let c = b / 2 + a in sum (c * c)
`, 20 * 7, 0},
		{"fused but for those that are read", `let a = s * x + 1 in let b = a * a - x in a.(3) * b.(n - 1)
`, 20 * 4, 40},
		{"vectors in it", `let v = vec i < n -> (x.(i), vec j < 6 -> (s * j, x.(i))) in
sum i < n -> let (_, w) = v.(n - 1 - i) in sum j < 6 -> let (a, _) = w.(5 - j) in a * x.(j)
`, 20*13 + 12, 20*13 + 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			compare(t, c.name, []byte(inputs+c.src), gram.Options{})
			p, err := lang.Load(c.name, []byte(inputs+c.src), lang.Options{})
			require.NoError(t, err)
			slots := map[string]int{}
			_, err = lower.Program(p.Written(), lower.Options{Inputs: p.Scalars, After: func(p *ir.Program, pass string) error {
				for _, f := range p.Funcs {
					for i := range f.Code {
						if in := &f.Code[i]; in.Op == ir.Alloc {
							slots[pass] += int(in.N)
						}
					}
				}
				return verified(p, pass)
			}})
			require.NoError(t, err)
			require.Equal(t, [2]int{c.before, c.after}, [2]int{slots["lower"], slots["unread"]})
		})
	}
}
