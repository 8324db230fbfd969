package gram

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gram-machine/gram/internal/property"
)

// updater makes programs whose loops change a vector of 16 numbers, or a matrix, at places that are indices, or data.
type updater struct {
	*rand.Rand
	names   int
	numbers []string // names of numbers that have been read
}

func (u *updater) pick(from ...string) string { return from[u.IntN(len(from))] }

// number is a number that is made of vectors.
func (u *updater) number(vs []string) string {
	v := u.pick(vs...)
	if len(u.numbers) > 0 && u.IntN(3) == 0 {
		return u.pick(u.numbers...) + u.pick("", " * w", " * "+v+".("+u.place()+")")
	}
	return u.pick("x", "w", "0", "2", "sin x * w", v+".("+u.place()+")", v+".("+u.place()+") * "+u.pick(vs...)+".("+u.place()+")",
		"(sum a < n -> "+v+".(a) * "+u.pick(vs...)+".(n - 1 - a))", "(if "+v+".("+u.place()+") > 0.5 then "+v+".(j) else w)")
}

// place is an index that is within the bounds.
func (u *updater) place() string { return u.pick("j", "n - 1 - j", "3", "j + 4", "2 * j") }

// changed is a number with which an index is compared.
func (u *updater) changed() string {
	return u.pick("j", "n - 1 - j", "3", "j + 4", "j + 12", "j - 3", "2 * j", "at.(j)", "at.(j + 1)", "near")
}

// update makes a vector of others.
func (u *updater) update(vs []string) string {
	v, i := u.pick(vs...), u.pick("i", "k")
	old := v + ".(" + i + ")"
	value := func() string { return u.pick(u.number(vs), u.number(vs), old+" * w + "+u.number(vs)) }
	s := fmt.Sprintf("if %s = %s then %s else %s", i, u.changed(), value(), old)
	switch u.IntN(5) {
	case 0:
		s = fmt.Sprintf("if %s = %s then %s else if %s = %s then %s else %s", i, u.changed(), value(), i, u.changed(),
			value(), old)
	case 1:
		s = fmt.Sprintf("if %s > %s then %s else %s", i, u.changed(), old, value())
	}
	s = "vec " + i + " < n -> " + s
	if u.IntN(4) == 0 {
		s = fmt.Sprintf("if %s > 0.3 then (%s) else %s", u.number(vs), s, u.pick(vs...))
	}
	return s
}

// body is what a loop makes of a vector.
func (u *updater) body(v string) string {
	vs, b := []string{v}, strings.Builder{}
	u.numbers = nil
	for range 1 + u.IntN(3) {
		u.names++
		if u.IntN(2) == 0 {
			name := fmt.Sprintf("n%d", u.names)
			fmt.Fprintf(&b, "let %s = %s in\n    ", name, u.number(vs))
			u.numbers = append(u.numbers, name)
		}
		name := fmt.Sprintf("v%d", u.names)
		fmt.Fprintf(&b, "let %s = %s in\n    ", name, u.update(vs))
		if vs = append(vs, name); u.IntN(4) > 0 {
			vs = vs[len(vs)-1:]
		}
	}
	if u.numbers = nil; u.IntN(4) == 0 {
		u.names++
		inner := fmt.Sprintf("u%d", u.names)
		return b.String() + fmt.Sprintf("(scan j < 5 with %s = %s -> %s).(4)", inner, vs[len(vs)-1], u.update([]string{inner}))
	}
	return b.String() + vs[len(vs)-1]
}

// program makes a program.
func (u *updater) program() string {
	first := u.pick("x0", "(vec a < n -> 0)", "(vec a < n -> if a > 7 then x * a else 1)")
	head := "param n = 16\ninput x0 : R^n = vec a < n -> cos a\ninput x = 0.7\ninput w = 0.3\n" +
		"data at : R^12 = [| 3, 3, 1.5, -1, 16, 15, 0, 7, 8, 8, 2, 5 |]\ndata near = 4\n"
	last := u.pick("q", "vec z < 3 -> q.(5 * z) * w", "sum z < n -> q.(z) * q.(n - 1 - z)", "q.(3) + x0.(4)")
	switch u.IntN(5) {
	case 0:
		return head + fmt.Sprintf("let q = foldl (fun q (j, a) -> vec i < n -> if i = a then %s else q.(i)) %s "+
			"(list j < 9 -> (sin j, at.(j))) in\n%s", u.pick("q.(i) + x", "x * w", "q.(3) * q.(i)", "0"), first, last)
	case 1:
		place := u.pick("j", "1", "7 - j", "at.(j)")
		return head + fmt.Sprintf("let t = scan j < 8 with t = (vec a < n -> vec b < 3 -> %s) ->\n  "+
			"let r = (vec b < 3 -> t.(j, b) * x0.(j + b) + t.(%s, 1) + w) in vec a < n -> if a = %s then r else t.(a) in\n"+
			"let q = vec a < n -> t.(7).(a, 1) in\n%s", u.pick("0", "x * a"), u.pick("j", "j + 1", "2 * j"), place, last)
	case 2:
		return head + fmt.Sprintf("let t = scan j < 7 with t = (vec a < n -> vec b < n -> %s) -> (scan k < 6 with t = t ->\n  "+
			"let z = t.(j, k) * x0.(j) + w * %s in vec a < n -> vec b < n -> if a = %s and b = %s then z else t.(a, b)).(5) in\n"+
			"let q = vec a < n -> t.(6).(a, 3) in\n%s", u.pick("0", "x * b"), u.pick("x0.(k)", "t.(k, j)", "(sum c < n -> t.(c, k) * t.(j, c))"),
			u.pick("j", "j + 1", "2 * j"), u.pick("k", "j", "at.(k)"), last)
	case 3:
		two := u.pick("p.(j) * q.(n - 1 - j)", "(sum c < n -> p.(c) * q.(c))")
		return head + fmt.Sprintf("let (q, p) = (scan j < 8 with (q, p) = (%s, %s) ->\n  let q2 = vec a < n -> if a = %s then %s else q.(a) in\n  "+
			"%s).(7) in\n%s", first, u.pick(first, "x0"), u.changed(), two, u.pick("(q2, p)", "(p, q2)", "(q2, q)", "(q2, vec a < n -> if a = j then q2.(j) else p.(a))"),
			last)
	}
	all := u.pick("let q = s.(7)", "let q = s.(7)", "let q = vec a < n -> s.(7).(a) + s.(2).(a)")
	return head + fmt.Sprintf("let s = scan j < 8 with q = %s ->\n    %s in\n%s in\n%s", first, u.body("q"), all, last)
}

// TestUpdates: programs that change components of vectors have the values, gradients and steps of the literal machine.
func TestUpdates(t *testing.T) {
	first := fromEnvironment(t, "RANDOM_SEED", 0)
	for seed := first; seed < first+property.Size(100); seed++ {
		u := &updater{Rand: rand.New(rand.NewPCG(uint64(seed), 1))}
		p := mustLoad(t, u.program()+"\n")
		checkForms(t, p, 1e-12, forms...)
	}
}
