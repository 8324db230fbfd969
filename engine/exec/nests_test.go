package exec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/limits"
)

// nestWriter writes random programs of comprehensions.
type nestWriter struct {
	r       *rand.Rand
	n, m    int
	vectors []string // of n numbers
	others  []string // of m numbers
	squares []string // n rows of m
	left    int
}

// index is an index in scope, and its bound: n or m.
type index struct {
	name string
	most int
}

func (w *nestWriter) program() string {
	var b strings.Builder
	fmt.Fprintf(&b, "param n = %d\nparam m = %d\n", w.n, w.m)
	b.WriteString(`input x : R^n = vec i < n -> 0.3 * sin (i + 1)
input y : R^m = vec i < m -> 0.4 * cos i
input A : R^m^n = vec i < n -> vec j < m -> 0.3 * sin (1 + i*m + j)
input s = 0.7
data  q : R^n = vec i < n -> 0.5 - 0.02 * i
data  p : R^n = vec i < n -> n - 1 - i
data  B : R^m^n = vec i < n -> vec j < m -> 0.2 * cos (i - j)
data  l : List R^m = list i < 3 -> vec j < m -> 0.2 * cos (i + j)
`)
	w.vectors, w.others, w.squares = []string{"x", "q"}, []string{"y"}, []string{"A", "B"}
	lets := 2 + w.r.IntN(4)
	if w.r.IntN(4) == 0 { // one number
		w.left = 4 + w.r.IntN(20)
		fmt.Fprintf(&b, "(sum i < n -> if %s > 0.1 then (sum j < m -> %s) else %s)", w.number(index{"i", w.n}),
			w.number(index{"i", w.n}, index{"j", w.m}), w.pick([]string{"0", "s", w.number(index{"i", w.n})}))
		return b.String() + w.pick([]string{"", " * s", " + sin (y.(0))"}) + "\n"
	}
	for k := range lets {
		name := fmt.Sprintf("v%d", k)
		w.left = 4 + w.r.IntN(12)
		switch w.r.IntN(6) {
		case 0, 1, 2:
			fmt.Fprintf(&b, "let %s = vec i%d < n -> %s in\n", name, k, w.number(index{fmt.Sprint("i", k), w.n}))
			w.vectors = append(w.vectors, name)
		case 3:
			fmt.Fprintf(&b, "let %s = vec j%d < m -> %s in\n", name, k, w.number(index{fmt.Sprint("j", k), w.m}))
			w.others = append(w.others, name)
		case 4:
			fmt.Fprintf(&b, "let %s = vec i%d < n -> vec j%d < m -> %s in\n", name, k, k,
				w.number(index{fmt.Sprint("i", k), w.n}, index{fmt.Sprint("j", k), w.m}))
			w.squares = append(w.squares, name)
		case 5:
			w.others = append(w.others, "z", "h")
			body := w.number(index{fmt.Sprint("j", k), w.m})
			w.others = w.others[:len(w.others)-2]
			fmt.Fprintf(&b, "let %s = fold (fun (z : R^m) (h : R^m) -> vec j%d < m -> %s) %s l in\n", name, k, body, w.pick(w.others))
			w.others = append(w.others, name)
		}
	}
	w.left = 6
	v, o, a := w.vectors[len(w.vectors)-1], w.others[len(w.others)-1], w.squares[len(w.squares)-1]
	switch w.r.IntN(5) {
	case 0:
		fmt.Fprintf(&b, "(sum i < n -> %s) + (sum j < m -> %s.(j)) + sum i < n -> sum j < m -> %s.(i).(j)", w.number(index{"i", w.n}), o, a)
	case 1:
		fmt.Fprintf(&b, "%s.(1) + %s.(0) * %s.(2).(1) + sum i < n -> %s", v, o, a, w.number(index{"i", w.n}))
	case 2:
		fmt.Fprintf(&b, "vec i < n -> %s.(i) + %s.(i).(0)", v, a)
	case 3:
		fmt.Fprintf(&b, "[| %s.(0) * %s.(1), (sum i < n -> %s.(i) * %s.(i).(1)), %s.(2) |]", v, o, v, a, o)
	case 4:
		fmt.Fprintf(&b, "(sum i < n -> %s.(i) * %s.(i)) * (sum j < m -> %s.(j) * %s.(2).(j))", v, v, o, a)
	}
	return b.String() + "\n"
}

func (w *nestWriter) pick(names []string) string { return names[w.r.IntN(len(names))] }

// number writes a number that may mention indices.
func (w *nestWriter) number(in ...index) string {
	w.left--
	if w.left < 0 {
		return w.leaf(in)
	}
	switch w.r.IntN(14) {
	case 11, 12:
		yes := w.pick([]string{"0", "s", w.number(in...), w.number(in...)})
		return fmt.Sprintf("(if %s %s %s then %s else %s)", w.number(in...), w.pick([]string{"<", ">", "<=", ">="}),
			w.pick([]string{"0", "0.1", "s", w.number(in...)}), yes, w.pick([]string{"0", "1", w.number(in...), w.number(in...)}))
	case 0, 1:
		return fmt.Sprintf("(%s + %s)", w.number(in...), w.number(in...))
	case 2, 3:
		return fmt.Sprintf("(%s * %s)", w.number(in...), w.number(in...))
	case 4:
		return fmt.Sprintf("(%s - %s)", w.number(in...), w.number(in...))
	case 5:
		return fmt.Sprintf("%s %s", w.pick([]string{"sin", "tanh", "sigmoid", "cos", "neg", "atan", "exp"}), w.atom(in))
	case 6:
		return fmt.Sprintf("(%s / (2 + sin %s))", w.number(in...), w.atom(in))
	case 7, 8, 9:
		if len(in) < 3 {
			if in[0].most == w.n && w.r.IntN(5) == 0 {
				return w.window(in[0])
			}
			name, most, bound := fmt.Sprint("k", w.left), w.m, "m"
			if w.r.IntN(2) == 0 {
				most, bound = w.n, "n"
			}
			inner := append(append([]index{}, in...), index{name, most})
			if len(in) < 2 && w.r.IntN(3) == 0 { // a sum over two loops
				second := append(inner, index{name + "b", w.m})
				leaf := func() string { return w.leaf([]index{in[0], inner[1], second[2]}[w.r.IntN(2):]) }
				return fmt.Sprintf("(sum %s < %s -> sum %sb < m -> %s * %s)", name, bound, name, leaf(), leaf())
			}
			if w.r.IntN(2) == 0 {
				return fmt.Sprintf("(sum %s < %s -> %s * %s)", name, bound, w.leaf(inner), w.leaf(inner))
			}
			if w.r.IntN(5) == 0 { // a vector of its own
				t := fmt.Sprint("t", w.left)
				made := w.number(inner...)
				w.others = append(w.others, t)
				if most == w.n {
					w.others, w.vectors = w.others[:len(w.others)-1], append(w.vectors, t)
				}
				others, vectors := len(w.others), len(w.vectors)
				used := w.number(append(append([]index{}, in...), index{name + "b", most})...)
				w.others, w.vectors = w.others[:others], w.vectors[:vectors]
				if most == w.n {
					w.vectors = w.vectors[:vectors-1]
				} else {
					w.others = w.others[:others-1]
				}
				return fmt.Sprintf("(let %s = vec %s < %s -> %s in %s.(1) + sum %sb < %s -> %s)", t, name, bound, made, t, name, bound, used)
			}
			if w.r.IntN(4) == 0 {
				return fmt.Sprintf("(maximum (vec %s < %s -> %s))", name, bound, w.number(inner...))
			}
			return fmt.Sprintf("(sum %s < %s -> %s)", name, bound, w.number(inner...))
		}
	case 10:
		return fmt.Sprintf("max %s %s", w.atom(in), w.atom(in))
	}
	return w.leaf(in)
}

func (w *nestWriter) atom(in []index) string { return "(" + w.number(in...) + ")" }

// leaf writes an element, or a number.
func (w *nestWriter) leaf(in []index) string {
	i := in[len(in)-1-w.r.IntN(min(2, len(in)))]
	at := i.name
	picked := func(names []string) string {
		if name := w.pick(names); i.most != w.n || w.n > 20 || w.r.IntN(4) > 0 {
			return fmt.Sprintf("%s.(%s)", name, at)
		} else {
			return fmt.Sprintf("(pick %s p.(%s))", name, at)
		}
	}
	switch w.r.IntN(8) {
	case 0:
		at = fmt.Sprintf("(%d - %s)", i.most-1, at)
	case 1:
		return w.pick([]string{"s", "0.3", "2", "0.1 * " + at, at + " + 0.5", at + " * 3",
			at + " / 7", "(0 - " + at + " / 3)", "0.5 * (" + at + " + 1)", at + " * " + in[0].name})
	}
	if w.r.IntN(8) == 0 {
		return w.guarded(i, in[0])
	}
	rows := w.r.IntN(3) == 0
	for _, j := range in {
		if rows && i.most == w.n && j.most == w.m {
			return fmt.Sprintf("%s.(%s)", picked(w.squares), j.name)
		}
		if rows && i.most == w.m && j.most == w.n {
			return fmt.Sprintf("%s.(%s).(%s)", w.pick(w.squares), j.name, at)
		}
	}
	if i.most == w.n && (w.n != w.m || w.r.IntN(2) == 0) {
		return picked(w.vectors)
	}
	return fmt.Sprintf("%s.(%s)", w.pick(w.others), at)
}

// window writes a sum over elements around an index.
func (w *nestWriter) window(i index) string {
	k := index{fmt.Sprint("k", w.left), 1 + w.r.IntN(4)}
	x := fmt.Sprintf("(if %[1]s + %[2]s >= 1 and %[1]s + %[2]s <= n then %[3]s.(%[1]s + %[2]s - 1) else %[4]s)", i.name, k.name,
		w.pick(w.vectors), w.pick([]string{"0", "s", w.pick(w.vectors) + ".(" + i.name + ")"}))
	return fmt.Sprintf("(sum %s < %d -> %s %s)", k.name, k.most, w.pick([]string{"sin", "s *", "y.(1) +", k.name + " *"}), x)
}

// guarded writes a component that is there for some indices only.
func (w *nestWriter) guarded(i, j index) string {
	v, bound := w.pick(w.others), "m"
	if w.r.IntN(2) == 0 {
		v, bound = w.pick(w.vectors), "n"
	}
	k := 1 + w.r.IntN(3)
	return fmt.Sprintf(w.pick([]string{
		"(if %[2]s >= %[5]d and %[2]s - %[5]d < %[4]s then %[1]s.(%[2]s - %[5]d) else s)",
		"(if %[2]s + %[5]d < %[4]s then 0.5 * %[1]s.(%[2]s + %[5]d) else 0)",
		"(if %[2]s + %[3]s < %[5]d or %[2]s + %[3]s >= %[5]d + %[4]s then %[2]s else %[1]s.(%[2]s + %[3]s - %[5]d))",
		"(if %[2]s < %[3]s and %[3]s < %[4]s and y.(0) < 0.7 then %[1]s.(%[3]s - %[2]s) else y.(1))",
	}), v, i.name, j.name, bound, k)
}

// TestVectors: with vectors, random comprehensions have the values and the steps that their loops have, and gradients
// that differ by rounding. It draws 50 programs, see draws, from the environment's RANDOM_SEED on.
func TestVectors(t *testing.T) {
	first := number("RANDOM_SEED", 0)
	ran, again := 0, 0
	for seed := first; seed < first+draws(50); seed++ {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		w := &nestWriter{r: r, n: 3 + r.IntN(18), m: 3 + r.IntN(18)}
		switch seed % 32 {
		case 7:
			w.n, w.m = 300, 3
		case 3, 11, 19, 27:
			w.n = 60 + r.IntN(100)
		}
		src := w.program()
		l, err := lang.Load("t.gram", []byte(src), lang.Options{})
		require.NoError(t, err, src)
		k := 1
		if l.Shape.String() != "R" {
			k = l.Shape.Size
		}
		chaotic := false // it makes much of what rounding leaves
		for _, gradient := range []bool{false, true} {
			if gradient && k > 100 {
				continue
			}
			p := compiled(t, l, gradient)
			var machines [6]*exec.Machine // one makes iterations again, and three have machine code at once
			var values, jacobians [6][]float64
			for i := range machines {
				m := p.NewMachine(limits.Bounds{})
				if i == 2 {
					m = p.NewMachine(limits.Bounds{RowsMemory: 1})
					m.SetLeastAgain(uint64(1 + seed%7*300))
				}
				if i == 5 {
					m = p.NewMachine(limits.Bounds{RowsMemory: uint64(1 + seed%7*3000)})
				}
				if m.Plain = i == 0 || i >= 4; i >= 3 {
					m.NativeWork = 1e-9
				}
				machines[i] = m
				if gradient {
					values[i], jacobians[i] = make([]float64, k), make([]float64, k*len(l.Point))
					for range 2 {
						require.NoError(t, m.Gradient(l.Point, values[i], jacobians[i]), src)
					}
					continue
				}
				require.NoError(t, m.Value(l.Point), src)
				values[i], _, err = m.Read(nil, nil)
				require.NoError(t, err)
			}
			for k := 1; k < len(machines); k++ {
				require.Equal(t, machines[0].Stats().Counts, machines[k].Stats().Counts, "seed %d, gradient %v\n%s", seed, gradient, src)
				for i, x := range values[0] {
					y := values[k][i]
					if math.Abs(x-y) <= 1e-11*max(1, math.Abs(x)) || fmt.Sprint(x) == fmt.Sprint(y) {
						continue
					}
					if chaotic = math.Abs(x-y) <= 1e3*math.Abs(x-nearby(t, l, i)); !chaotic {
						t.Fatalf("seed %d: value %d is %v, and %v without vectors, gradient %v\n%s", seed, i, y, x, gradient, src)
					}
				}
			}
			scale := 1.0
			for _, x := range jacobians[0] {
				if !math.IsInf(x, 0) && !math.IsNaN(x) {
					scale = max(scale, math.Abs(x))
				}
			}
			for i, x := range jacobians[0] {
				if chaotic {
					break
				}
				for k := 1; k < len(machines); k++ {
					if y := jacobians[k][i]; !(math.Abs(x-y) <= 1e-10*scale) && !math.IsNaN(x) && !math.IsInf(x, 0) {
						t.Fatalf("seed %d: derivative %d is %v, and %v without vectors\n%s", seed, i, y, x, src)
					}
				}
			}
			if machines[1].Vectors() > 0 {
				ran++
			}
			again += machines[2].Checkpoints()
		}
	}
	require.Greater(t, 10*ran, 6*draws(50))
	require.Positive(t, again)
}

// whole is n with FULL_SIZE, and a third of it without.
func whole(n int) int {
	if property.Full() {
		return n
	}
	return n / 3
}

// draws is how many programs a test draws: as many as the environment's RANDOM_PROGRAMS, or [whole] of n.
func draws(n int) int { return number("RANDOM_PROGRAMS", whole(n)) }

// number is that of the environment.
func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// nearby is value i of a program at a point near its own: how far rounding may go.
func nearby(t *testing.T, l *lang.Program, i int) float64 {
	m := compiled(t, l, false).NewMachine(limits.Bounds{})
	m.Plain = true
	point := slices.Clone(l.Point)
	for i := range point {
		point[i] *= 1 + 1e-15
	}
	require.NoError(t, m.Value(point))
	values, _, err := m.Read(nil, nil)
	require.NoError(t, err)
	return values[i]
}

// TestSumAhead: a vector statement with straight code behind it reads a sum that has been made ahead of it by a loop.
func TestSumAhead(t *testing.T) {
	compare(t, "sum", []byte("input s = 0.7\ninput y : R^7 = vec i < 7 -> sin i\n"+
		"(sum i < 7 -> (let a = fold (fun x r -> tanh (r + x * y.(i))) s [0.1; 0.2; 0.3; s] in if a > 0.3 then a * s else a - s)) + "+
		"(let z = vec i < 300 -> cos (s * i) in 0.01 * dot z z)\n"), gram.Options{})
}

// TestPickInfinite: a component that data selects is NaN where another one is infinite.
func TestPickInfinite(t *testing.T) {
	compare(t, "infinite", []byte("input w : R^6 = [| 1, 2, 0, 3, 4, 5 |]\ndata p : R^12 = vec i < 12 -> floor (i / 2)\n"+
		"let W = vec i < 6 -> vec j < 8 -> 1 / (w.(i) * j) in vec i < 12 -> sum j < 8 -> (pick W p.(i)).(j)\n"), gram.Options{})
}

// TestManyLoops: sums and picks in as many loops as nests may have.
func TestManyLoops(t *testing.T) {
	sizes, vec, sum, at, around := strings.Repeat("2, ", 9)+"9", "", "", "", ""
	for i := range 9 {
		vec += fmt.Sprintf("vec a%d < 2 -> ", i)
		sum += fmt.Sprintf("sum j%d < 2 -> ", i)
		at += fmt.Sprintf("j%d, ", 8-i)
		around += fmt.Sprintf("%d * a%d + ", i+1, i)
	}
	src := fmt.Sprintf("input T : R^(%s) = %svec k < 9 -> sin (%sk)\ndata p : R^2 = [| 3, 7 |]\n", sizes, vec, around)
	compare(t, "picks", []byte(src+sum+"pick T.("+strings.TrimSuffix(at, ", ")+") p.(j0)\n"), gram.Options{})
	compare(t, "products", []byte(src+"vec i < 4 -> i * ("+sum+"sum k < 9 -> T.("+at+"k) * T.("+strings.Replace(at, "j8", "j0", 1)+
		"k))\n"), gram.Options{})
}
