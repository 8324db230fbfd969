package lang

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
)

// writer writes random well-typed programs.
type writer struct {
	r     *rand.Rand
	vars  []typedName
	defs  []typedDef
	count int
	duals bool
}

// kind is a type: R, P (R * R), V (R^2), M (R^2^2), F (R -> R), D (R -o R) or L (R -o R^2).
type kind byte

type typedName struct {
	name   string
	kind   kind
	static bool // an index
}

type typedDef struct {
	name   string
	params []kind
	kind   kind
}

const kinds = "RRRPVMF"

func (w *writer) kind() kind {
	if w.duals && w.r.Intn(3) == 0 {
		return kind("DL"[w.r.Intn(2)])
	}
	return kind(kinds[w.r.Intn(len(kinds))])
}

// fresh makes a name; some are used again, so that they shadow.
func (w *writer) fresh() string {
	if w.r.Intn(4) == 0 {
		return "s"
	}
	w.count++
	return fmt.Sprintf("x%d", w.count)
}

func (k kind) String() string {
	return map[kind]string{'R': "R", 'P': "R * R", 'V': "R^2", 'M': "R^2^2", 'F': "R -> R", 'D': "R -o R", 'L': "R -o R^2"}[k]
}

// with writes an expression in which a name is in scope.
func (w *writer) with(names []typedName, k kind, depth int) string {
	n := len(w.vars)
	w.vars = append(w.vars, names...)
	s := w.expr(k, depth)
	w.vars = w.vars[:n]
	return s
}

// atom writes an argument.
func (w *writer) atom(k kind, depth int) string { return "(" + w.expr(k, depth) + ")" }

// leaf writes a variable of the type, if there is one that is not shadowed.
func (w *writer) leaf(k kind) string {
	seen := map[string]bool{}
	var found []string
	for i := len(w.vars) - 1; i >= 0; i-- {
		v := w.vars[i]
		if v.kind == k && !seen[v.name] {
			found = append(found, v.name)
		}
		seen[v.name] = true
	}
	if len(found) > 0 && w.r.Intn(4) > 0 {
		return found[w.r.Intn(len(found))]
	}
	num := func() string { return []string{"1", "2", "0.5", "(-3)", "n"}[w.r.Intn(5)] }
	switch k {
	case 'P':
		return "(" + num() + ", " + num() + ")"
	case 'V':
		return "[| " + num() + ", " + num() + " |]"
	case 'M':
		return "(vec i < 2 -> vec j < 2 -> " + num() + " + i * j)"
	case 'D':
		return "(lin z -> " + num() + " * z)"
	case 'L':
		return "(lin z -> [| z, 0 |])"
	case 'F':
		return []string{"sin", "neg", "(max 1)", "(fun z -> z * " + num() + ")", "(compose cos sin)"}[w.r.Intn(5)]
	}
	return num()
}

// pattern writes a pattern of the type and the names that it binds.
func (w *writer) pattern(k kind) (string, []typedName) {
	a, b := w.fresh(), w.fresh()
	if a != b && w.r.Intn(2) == 0 {
		switch k {
		case 'P':
			return "(" + a + ", " + b + ")", []typedName{{a, 'R', false}, {b, 'R', false}}
		case 'V':
			return "[| " + a + ", _ |]", []typedName{{a, 'R', false}}
		case 'M':
			return "[| [| _, " + a + " |], " + b + " |]", []typedName{{a, 'R', false}, {b, 'V', false}}
		}
	}
	if w.r.Intn(3) == 0 {
		return "(" + a + " : " + k.String() + ")", []typedName{{a, k, false}}
	}
	return a, []typedName{{a, k, false}}
}

// expr writes an expression of type k.
func (w *writer) expr(k kind, depth int) string {
	if depth == 0 {
		return w.leaf(k)
	}
	d := depth - 1
	switch w.r.Intn(11) {
	case 0:
		return w.leaf(k)
	case 1:
		u := w.kind()
		p, names := w.pattern(u)
		return "let " + p + " = " + w.expr(u, d) + " in " + w.with(names, k, d)
	case 2:
		return "if " + w.atom('R', d) + " < " + w.atom('R', d) + " then " + w.expr(k, d) + " else " + w.expr(k, d)
	case 3:
		u := w.kind()
		p, names := w.pattern(u)
		return "(fun " + p + " -> " + w.with(names, k, d) + ") " + w.atom(u, d)
	case 4, 5:
		for _, i := range w.r.Perm(len(w.defs)) {
			if f := w.defs[i]; f.kind == k {
				s := f.name
				for _, p := range f.params {
					s += " " + w.atom(p, w.r.Intn(depth))
				}
				return s
			}
		}
	case 6:
		a, s := w.fresh(), w.fresh()
		if a == s {
			s = "t"
		}
		names := []typedName{{a, 'R', false}, {s, k, false}}
		return "fold (fun " + a + " " + s + " -> " + w.with(names, k, d) + ") " + w.atom(k, d) +
			" [" + w.expr('R', d) + "; " + w.expr('R', d) + "]"
	case 7:
		s := w.fresh()
		return "iter #2 (fun " + s + " -> " + w.with([]typedName{{s, k, false}}, k, d) + ") " + w.atom(k, d)
	}
	return w.form(k, d)
}

// form writes an expression that only its type has.
func (w *writer) form(k kind, d int) string {
	i := w.fresh()
	index := []typedName{{i, 'R', true}}
	switch k {
	case 'P':
		return "(" + w.expr('R', d) + ", " + w.expr('R', d) + ")"
	case 'D', 'L':
		return w.dual(k, d)
	case 'V':
		if w.duals && w.r.Intn(2) == 0 {
			return w.atom('L', d) + " " + w.atom('R', d)
		}
		return []func() string{
			func() string { return "vec " + i + " < 2 -> " + w.with(index, 'R', d) },
			func() string { return "[| " + w.expr('R', d) + ", " + w.expr('R', d) + " |]" },
			func() string { return w.atom('M', d) + ".(1)" },
			func() string { return "matvec " + w.atom('M', d) + " " + w.atom('V', d) },
		}[w.r.Intn(4)]()
	case 'M':
		return "vec " + i + " < n - 1 -> " + w.with(index, 'V', d)
	case 'F':
		return "fun " + i + " -> " + w.with([]typedName{{i, 'R', false}}, 'R', d)
	}
	if w.duals && w.r.Intn(3) == 0 {
		return w.atom('D', d) + " " + w.atom('R', d)
	}
	return []func() string{
		func() string {
			return w.atom('R', d) + []string{" + ", " - ", " * "}[w.r.Intn(3)] + w.atom('R', d)
		},
		func() string { return "-" + w.atom('R', d) + "^2" },
		func() string { return "sum " + i + " < 2 -> " + w.with(index, 'R', d) },
		func() string { return w.atom('V', d) + ".(0)" },
		func() string { return w.atom('M', d) + ".(1).(0)" },
		func() string { return "dot " + w.atom('V', d) + " " + w.atom('V', d) },
		func() string { return "fst " + w.atom('P', d) },
		func() string { return w.atom('F', d) + " " + w.atom('R', d) },
	}[w.r.Intn(8)]()
}

// program writes definitions, and one expression twice: as the value of data and as
// the body.
func (w *writer) program() string {
	var b strings.Builder
	b.WriteString("param n = 3\n")
	for i := range w.r.Intn(5) {
		f := typedDef{name: fmt.Sprintf("f%d", i), kind: w.kind()}
		s := "def " + f.name
		var names []typedName
		for range w.r.Intn(4) {
			u := w.kind()
			p, bound := w.pattern(u)
			f.params = append(f.params, u)
			names = append(names, bound...)
			s += " " + p
		}
		fmt.Fprintf(&b, "%s = %s\n", s, w.with(names, f.kind, 2))
		w.defs = append(w.defs, f)
	}
	body := w.expr('R', 4)
	fmt.Fprintf(&b, "data result : R = %s\n%s\n", body, body)
	return b.String()
}

// TestRandom compares what the term of a program means with the same expression as a
// default value, which package eval runs without a term.
func TestRandom(t *testing.T) {
	rounds := property.Size(4000)
	for seed := range rounds {
		w := &writer{r: rand.New(rand.NewSource(int64(seed)))}
		src := w.program()
		p, err := Load("random.gram", []byte(src), Options{MaxNodes: 1 << 20})
		require.NoError(t, err, "seed %d\n%s", seed, src)
		wellFormed(t, p)
		require.Equal(t, term.R, p.Type)
		want := p.Data[0].Value.Data[0]
		got := denote.Eval(p.Term(), nil, nil)[0].V
		close := got == want || math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) <= 1e-9*math.Abs(want)
		require.True(t, close, "seed %d: %g, not %g\n%s\n%s", seed, got, want, src, p.Term())
	}
}
