package exec_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/limits"
)

// loopWriter writes random programs of loops of numbers, with loops inside and conditionals.
type loopWriter struct {
	r       *rand.Rand
	numbers []string // in scope
	pairs   bool     // what folds xs carries two numbers
	names   int
	left    int // operations and loops
	deep    int // loops around
}

func (w *loopWriter) name() string {
	w.names++
	return fmt.Sprintf("x%d", w.names)
}

// with writes an expression with more names in scope.
func (w *loopWriter) with(names []string, write func() string) string {
	n := len(w.numbers)
	w.numbers = append(w.numbers, names...)
	s := write()
	w.numbers = w.numbers[:n]
	return s
}

func (w *loopWriter) number() string {
	if w.left--; w.left < 0 || w.r.IntN(5) == 0 {
		if w.r.IntN(6) == 0 {
			return []string{"0", "0.5", "1.25"}[w.r.IntN(3)]
		}
		// The last names are those of the loops around.
		return w.numbers[max(w.r.IntN(len(w.numbers)), w.r.IntN(len(w.numbers)))]
	}
	kinds := 14
	if w.deep == 3 {
		kinds = 7
	}
	switch w.r.IntN(kinds) {
	case 0:
		return fmt.Sprintf("sin (%s)", w.number())
	case 1:
		return fmt.Sprintf("(if %s > %s then %s else %s)", w.number(), w.number(), w.number(), w.number())
	case 2, 3:
		return fmt.Sprintf("(%s + %s)", w.number(), w.number())
	case 4:
		return fmt.Sprintf("(%s - 0.5 * %s)", w.number(), w.number())
	case 5:
		return fmt.Sprintf("tanh (%s * %s)", w.number(), w.number())
	case 6:
		x := w.name()
		return fmt.Sprintf("(let %s = %s in %s)", x, w.number(), w.with([]string{x}, w.number))
	case 7:
		i := w.name()
		return fmt.Sprintf("(sum %s < %d -> %s)", i, 1+w.r.IntN(20), w.with([]string{"v.(" + i + ")", i}, w.body))
	case 8:
		u, i := w.name(), w.name()
		n := 2 + w.r.IntN(20)
		return fmt.Sprintf("(let %s = vec %s < %d -> %s in %[1]s.(0) + %[1]s.(%[5]d) * %[6]s)", u, i, n, w.with([]string{"v.(" + i + ")", i}, w.body), w.r.IntN(n), w.number())
	case 9:
		y := w.name()
		return fmt.Sprintf("(iter #%d (fun %s -> %s) (%s))", 1+w.r.IntN(20), y, w.with([]string{y}, w.body), w.number())
	default:
		list, pairs := "xs", w.pairs
		if w.r.IntN(3) == 0 {
			list = fmt.Sprintf("(list i < %d -> %s)", 3+w.r.IntN(20), []string{"v.(i) * " + w.number(), "v.(39 - i)", "sin i + " + w.number()}[w.r.IntN(3)])
			pairs = w.r.IntN(2) == 0
		}
		x, p, q := w.name(), w.name(), w.name()
		if !pairs {
			return fmt.Sprintf("(fold (fun %s %s -> %s) (%s) %s)", x, p, w.with([]string{x, p}, w.body), w.number(), list)
		}
		pair := func() string { return "(" + w.body() + ", " + w.body() + ")" }
		return fmt.Sprintf("(let (%[2]s, %[3]s) = fold (fun %[1]s (%[2]s, %[3]s) -> %[4]s) (%[5]s, %[6]s) %[7]s in %[8]s)", x, p, q,
			w.with([]string{x, p, q}, pair), w.number(), w.number(), list, w.with([]string{p, q}, w.number))
	}
}

// body is a number that does not grow from iteration to iteration.
func (w *loopWriter) body() string {
	return []string{"sin", "tanh"}[w.r.IntN(2)] + " (" + w.number() + ")"
}

// TestLoops: random loops of numbers with loops inside have as machine code the values and steps that they have in the interpreter,
// and gradients that differ by rounding, also where memory for rows ends in the middle. It draws 50 programs, see draws,
// from the environment's RANDOM_SEED on.
func TestLoops(t *testing.T) {
	nested := 0
	for seed := number("RANDOM_SEED", 0); seed < number("RANDOM_SEED", 0)+draws(50); seed++ {
		w := &loopWriter{r: rand.New(rand.NewPCG(uint64(seed), 9)), numbers: []string{"e", "r", "v.(3)"}, pairs: seed%3 == 0, left: 30}
		src := ragged + "input v : R^40 = vec i < 40 -> sin (i + 1)\nlet (a, b) = fold (fun (w, xs) (a, b) -> (" +
			w.with([]string{"w", "a", "b"}, func() string { return w.body() + ", " + w.body() }) + ")) (e, 0.5) l in a + 2 * b"
		for _, gradient := range []bool{false, true} {
			want := newAttempt(t, src, gradient, false, limits.Bounds{MaxSteps: 1e7})
			var reached *limits.ReachedError
			if err := want.run(); errors.As(err, &reached) {
				continue // it takes long
			} else if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, src)
			}
			for _, bounds := range []limits.Bounds{{}, {RowsMemory: uint64(1000 + seed%11*1000)}} {
				got := newAttempt(t, src, gradient, true, bounds)
				for range 2 {
					require.NoError(t, got.run(), src)
					require.Equal(t, want.m.Stats().Counts, got.m.Stats().Counts, "seed %d, gradient %v, %v\n%s", seed, gradient, bounds.RowsMemory, src)
					require.InDelta(t, want.values[0], got.values[0], 1e-12*math.Abs(want.values[0]), "seed %d\n%s", seed, src)
					scale := 1.0
					for _, x := range want.slope {
						scale = max(scale, math.Abs(x))
					}
					for i, x := range want.slope {
						require.InDelta(t, x, got.slope[i], 1e-10*scale, "seed %d, number %d\n%s", seed, i, src)
					}
				}
				if !gradient && got.m.Native() == 1 {
					nested++
				}
			}
		}
	}
	require.Greater(t, 10*nested, 4*draws(50))
}
