package lang

import (
	"errors"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/lang/syntax"
)

// dual writes lin a -> e of type k. No other name is written like a linear variable's.
func (w *writer) dual(k kind, d int) string {
	w.count++
	a := fmt.Sprintf("a%d", w.count)
	return "lin " + a + " -> " + w.linear([]string{a}, map[kind]kind{'D': 'R', 'L': 'V'}[k], d+1)
}

// linear writes an expression of type R or R^2 that is linear in the names z.
func (w *writer) linear(z []string, k kind, depth int) string {
	if depth == 0 {
		return w.linearLeaf(z, k)
	}
	d := depth - 1
	in := func(k kind) string { return "(" + w.linear(z, k, d) + ")" }
	// Only to what depends on a linear variable does a let bind one, or is a function whose
	// type is open a dual; only with such an operand are - and / written out.
	depends := func() string { return "(" + z[w.r.Intn(len(z))] + " + " + in('R') + ")" }
	switch w.r.Intn(7) {
	case 0:
		return w.linearLeaf(z, k)
	case 1:
		w.count++
		b := fmt.Sprintf("a%d", w.count)
		return "let " + b + " = " + depends() + " in " + w.linear(append(z[:len(z):len(z)], b), k, d)
	case 2:
		u := w.kind()
		p, names := w.pattern(u)
		n := len(w.vars)
		value := w.expr(u, d)
		w.vars = append(w.vars, names...)
		body := w.linear(z, k, d)
		w.vars = w.vars[:n]
		return "let " + p + " = " + value + " in " + body
	case 3:
		return "if " + w.atom('R', d) + " < " + w.atom('R', d) + " then " + w.linear(z, k, d) + " else " + w.linear(z, k, d)
	case 4:
		return w.atom(map[kind]kind{'R': 'D', 'V': 'L'}[k], d) + " " + depends()
	}
	if k == 'V' {
		return []func() string{
			func() string { return "addv " + in(k) + " " + in(k) },
			func() string { return "[| " + w.linear(z, 'R', d) + ", " + w.linear(z, 'R', d) + " |]" },
			func() string { return "vec _ < 2 -> " + w.linear(z, 'R', d) },
		}[w.r.Intn(3)]()
	}
	return []func() string{
		func() string { return in(k) + " + " + in(k) },
		func() string { return depends() + " - " + in(k) },
		func() string { return "-" + depends() },
		func() string { return depends() + " / " + w.atom('R', d) },
		func() string { return in(k) + " * " + w.atom('R', d) },
		func() string { return w.atom('R', d) + " * " + in(k) },
		func() string { return "sum _ < 2 -> " + w.linear(z, k, d) },
		func() string { return "twice " + depends() },
	}[w.r.Intn(8)]()
}

func (w *writer) linearLeaf(z []string, k kind) string {
	if k == 'V' {
		return "[| " + w.linearLeaf(z, 'R') + ", " + w.linearLeaf(z, 'R') + " |]"
	}
	if i := w.r.Intn(len(z) + 1); i < len(z) {
		return z[i]
	}
	return "0"
}

// TestRandomLinear compares what programs with duals of their own denote with the plain
// evaluator's value of the same program with fun in place of lin.
func TestRandomLinear(t *testing.T) {
	rounds, used, rejected := property.Size(3000), 0, 0
	for seed := range rounds {
		w := &writer{r: rand.New(rand.NewSource(int64(seed))), duals: true}
		twice := "def twice a = let b = a in a + b\n"
		src := w.program()
		body := src[strings.LastIndex(strings.TrimSpace(src), "\n")+1:]
		decls, _, _ := strings.Cut(src, "data result")
		linear := twice + "def addv u v = u + v\n" + decls + body
		p, err := Load("random.gram", []byte(linear), Options{MaxNodes: 1 << 20})
		require.NoError(t, err, "seed %d\n%s", seed, linear)
		wellFormed(t, p)
		if strings.Contains(p.Term().String(), "λa") {
			used++
		}
		plain := twice + "def addv u v = [| u.(0) + v.(0), u.(1) + v.(1) |]\n" + decls + "data result : R = " + body + "1"
		plain = strings.ReplaceAll(strings.ReplaceAll(plain, "lin ", "fun "), " -o ", " -> ")
		q, err := Load("plain.gram", []byte(plain), Options{MaxNodes: 1 << 20})
		require.NoError(t, err, "seed %d\n%s", seed, plain)
		want := q.Data[0].Value.Data[0]
		v, err := denote.Model{Ground: denote.Floats{}}.Denote(p.Term()).At(nil)
		require.NoError(t, err)
		got := denote.Flatten(v)[0].(float64)
		close := got == want || math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) <= 1e-9*math.Abs(want)
		require.True(t, close, "seed %d: %g, not %g\n%s\n%s", seed, got, want, linear, p.Term())
		for range 5 {
			if changed := w.changed(linear); changed != linear && !judged(t, changed) {
				rejected++
			}
		}
	}
	require.Greater(t, rejected, rounds/10)
	require.Greater(t, used, rounds/3)
}

// changed makes a few changes to the words of a program: other linear variables, numbers in
// their place, and other operators.
func (w *writer) changed(src string) string {
	words := strings.Split(src, " ")
	for range 1 + w.r.Intn(2) {
		i := 1 + w.r.Intn(len(words)-1)
		name := strings.Trim(words[i], "()")
		switch {
		case len(name) > 1 && name[0] == 'a' && '0' < name[1] && name[1] <= '9' && words[i-1] != "lin":
			other := []string{"1", fmt.Sprintf("a%d", 1+w.r.Intn(w.count))}[w.r.Intn(2)]
			words[i] = strings.Replace(words[i], name, other, 1)
		case words[i] == "+" || words[i] == "*":
			words[i] = []string{"+", "*", "-", "/"}[w.r.Intn(4)]
		}
	}
	return strings.Join(words, " ")
}

// judged loads a program that may be wrong: what this package accepts has a type in the
// calculus, and what it doesn't is an error of the program.
func judged(t *testing.T, src string) bool {
	_, err := Load("changed.gram", []byte(src), Options{MaxNodes: 1 << 20})
	var list *syntax.Errors
	require.True(t, err == nil || errors.As(err, &list), "%v\n%s", err, src)
	return err == nil
}
