package lang_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/lang/unparse"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func latex(t require.TestingT, q *term.Term) string {
	var out bytes.Buffer
	require.NoError(t, unparse.LaTeX(&out, q, nil))
	return out.String()
}

// checkFragment reports what LaTeX would: an environment that isn't closed, braces or
// brackets that don't match within it, a command or character that isn't known.
func checkFragment(t require.TestingT, text string) {
	body, ok := strings.CutPrefix(text, "\\begin{align*}\n")
	require.True(t, ok, "%s", text)
	body, ok = strings.CutSuffix(body, "\n\\end{align*}\n")
	require.True(t, ok, "%s", text)
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		require.Equal(t, i < len(lines)-1, strings.HasSuffix(line, ` \\`), "%s", text)
		line = strings.TrimSuffix(line, ` \\`)
		require.True(t, strings.HasPrefix(line, "& "), "%s", text)
		require.NotContains(t, line[1:], "&")
		require.Equal(t, strings.Count(line, "{"), strings.Count(line, "}"), "braces are closed on their line: %s", line)
	}
	var open []string
	closing := map[string]string{`\rangle`: `\langle`, "]": "[", ")": "(", "}": "{"}
	for _, tok := range regexp.MustCompile(`\\[a-zA-Z]+|\\.|.`).FindAllString(body, -1) {
		switch {
		case tok == `\langle` || tok == "[" || tok == "(" || tok == "{":
			open = append(open, tok)
		case closing[tok] != "":
			require.NotEmpty(t, open, "%s", text)
			require.Equal(t, closing[tok], open[len(open)-1], "%s", text)
			open = open[:len(open)-1]
		case len(tok) > 1 && tok[0] == '\\':
			require.Contains(t, commands, tok)
		default:
			require.Regexp(t, `[-a-zA-Z0-9 &^_<>.,:;=+/]`, tok)
		}
	}
	require.Empty(t, open)
}

// commands are those of LaTeX and amsmath that a formula is written in.
var commands = append(strings.Fields(`\lambda \mathsf \mathrm \underline \cdot \partial \vec \ast \prime \quad \# \, \\
	\le \ge \sin \cos \tan \exp \log \tanh \min \max \infty \text \_ \( \) \varepsilon \rho`), `\ `)

// TestPropertyFormulas: random terms, and D of them, are fragments of LaTeX that are whole.
func TestPropertyFormulas(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		q := property.Draw(t, property.Options{}).Term
		d, err := revgrad.Reverse(q, nil)
		require.NoError(t, err)
		for _, u := range []*term.Term{q, d} {
			text := latex(t, u)
			checkFragment(t, text)
			for _, line := range strings.Split(text, "\n") {
				require.Less(t, len(line), 1000)
			}
		}
	})
}

// TestFormulaForms: names, numerals and parentheses.
func TestFormulaForms(t *testing.T) {
	named := func(name string) func(b *builder) term.Ref {
		return func(b *builder) term.Ref { return b.v(b.real(name)) }
	}
	for want, build := range map[string]func(b *builder) term.Ref{
		`x`:                            named("x"),
		`x_{12}`:                       named("x12"),
		`x^{\ast}_{3}`:                 named("x3*"),
		`y^{\prime\prime}`:             named("y''"),
		`E_{0,11}`:                     named("E.(0).(11)"),
		`p_{0,1}`:                      named("p:0:1"),
		`\varepsilon_{1}`:              named("ε1"),
		`\mathrm{eps}`:                 named("eps"),
		`\mathrm{h\_new}`:              named("h_new"),
		`\text{\(\rho\)max}`:           named("ρmax"),
		`\underline{-2}`:               func(b *builder) term.Ref { return b.num(-2) },
		`\underline{1\cdot 10^{-9}}`:   func(b *builder) term.Ref { return b.num(1e-9) },
		`\underline{2.5\cdot 10^{30}}`: func(b *builder) term.Ref { return b.num(2.5e30) },
		`x \cdot (y + x)`: func(b *builder) term.Ref {
			return b.fun(term.Mul, b.v(b.x), b.Add(0, b.v(b.y), b.v(b.x)))
		},
		`x - (y - x)`: func(b *builder) term.Ref {
			return b.fun(term.Sub, b.v(b.x), b.fun(term.Sub, b.v(b.y), b.v(b.x)))
		},
		`(x + y)[x_{1}:=\mathrm{pow}(x, y)]`: func(b *builder) term.Ref {
			z := b.real("x")
			return b.Let(0, z, b.fun(term.Pow, b.v(b.x), b.v(b.y)), b.Add(0, b.v(b.x), b.v(b.y)))
		},
		`(\lambda x_{1}.\partial_{2}\mathrm{pow}(x_{1}, x))\,(-y)`: func(b *builder) term.Ref {
			z := b.real("x")
			return b.App(0, b.Lam(0, z, b.fun(term.DPow2, b.v(z), b.v(b.x))), b.fun(term.Neg, b.v(b.y)))
		},
		`\mathsf{if}\ x \le y\ \mathsf{then}\ x\ \mathsf{else}\ \langle y, x\rangle`: func(b *builder) term.Ref {
			return b.If(0, term.LessEqual, b.v(b.x), b.v(b.y), b.v(b.x), b.Pair(0, b.v(b.y), b.v(b.x)))
		},
		`\mathsf{fix}\,\langle f, g\rangle.\langle \lambda x.g\,x, \lambda x.f\,x\rangle_{2}`: func(b *builder) term.Ref {
			var fs []term.Var
			var lams []term.Ref
			for _, name := range []string{"f", "g"} {
				fs = append(fs, b.NewVar(term.VarInfo{Name: name, Type: b.Types.Arrow(term.R, term.R)}))
			}
			for i := range fs {
				z := b.real("x")
				lams = append(lams, b.Lam(0, z, b.App(0, b.v(fs[1-i]), b.v(z))))
			}
			return b.Fix(0, fs, lams, 1)
		},
		`x_{1}[\langle x_{1}, x^{\ast}_{1}\rangle:=x]`: func(b *builder) term.Ref {
			z, zs := b.real("x"), b.real("x*")
			return b.Pair(0, b.v(b.x), b.Unpair(0, z, zs, b.v(b.x), b.v(z)))
		},
	} {
		b := newBuilder()
		b.Root = build(b)
		text := latex(t, b.Term)
		checkFragment(t, text)
		require.Contains(t, strings.ReplaceAll(text, "\n", ""), want)
	}
}

// TestFormulaCompiles: with plain amsmath, where there is a LaTeX.
func TestFormulaCompiles(t *testing.T) {
	command, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex")
	}
	b := newBuilder()
	r := b.v(b.x)
	for i := range 200 {
		z := b.real([]string{"z*", "eps", "ε", "h_new"}[i%4])
		r = b.Let(0, z, b.fun(term.DPow1, r, b.num(float64(i)*1e20)), b.Add(0, b.v(z), b.v(b.y)))
	}
	b.Root = r
	dir := t.TempDir()
	document := "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n" + latex(t, b.Term) + "\\end{document}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.tex"), []byte(document), 0o600))
	cmd := exec.Command(command, "-interaction=nonstopmode", "-halt-on-error", "a.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
