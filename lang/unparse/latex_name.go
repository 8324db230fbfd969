package unparse

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/term"
)

// base is the name that x has in the term.
func (p *formula) base(x term.Var) string {
	if name := p.t.Info(x).Name; name != "" && name != "_" {
		return name
	}
	return "x"
}

// name returns a name like that of x that nothing in scope has.
func (p *formula) name(x term.Var) string {
	base := p.base(x)
	if s := LaTeXName(base, 0); !p.scope.active[s] {
		return s
	}
	for {
		n := p.scope.nested[base] + p.scope.bump[base]
		if s := LaTeXName(base, n); n > 0 && !p.scope.taken(s) {
			return s
		}
		p.scope.bump[base]++
	}
}

// dualName is the name of the dual of x with the numbers of that, if it is free, and
// otherwise, or if y is no dual of x, the name given.
func (p *formula) dualName(x, y term.Var, name string) string {
	if p.base(y) != p.base(x)+"*" {
		return name
	}
	letters, subscripts, _ := strings.Cut(p.names[x], "_{")
	dual := letters + `^{\ast}`
	if subscripts != "" {
		dual += "_{" + subscripts
	}
	if strings.Contains(letters, "^") || p.scope.taken(dual) {
		return name
	}
	return dual
}

func (p *formula) enter(x term.Var, name string) {
	p.names[x] = name
	p.scope.enter(name, p.base(x))
}

// LaTeXName is a name in LaTeX: its letters, then primes and stars, and the numbers
// in it as subscripts, after them n if that isn't 0.
func LaTeXName(name string, n int) string {
	body, stars := name, ""
	for strings.HasSuffix(body, "*") || strings.HasSuffix(body, "'") {
		if strings.HasSuffix(body, "*") {
			stars = `\ast` + stars
		} else {
			stars = `\prime` + stars
		}
		body = body[:len(body)-1]
	}
	end := strings.IndexAny(body, ".:")
	if end < 0 {
		end = len(body)
	}
	letters := strings.TrimRight(body[:end], "0123456789")
	if letters == "" {
		letters = "x"
	}
	subscripts := strings.FieldsFunc(body[min(len(letters), len(body)):], func(c rune) bool { return c < '0' || c > '9' })
	if n > 0 {
		subscripts = append(subscripts, strconv.Itoa(n))
	}
	out := formulaLetters(strings.TrimRight(letters, "_"))
	if stars != "" {
		out += "^{" + stars + "}"
	}
	if len(subscripts) > 0 {
		out += "_{" + strings.Join(subscripts, ",") + "}"
	}
	return out
}

// formulaLetters is a letter as it is, a Greek one as a command, and a longer name
// upright.
func formulaLetters(s string) string {
	if command, ok := greek[s]; ok {
		return command
	}
	if utf8.RuneCountInString(s) == 1 && s[0] < utf8.RuneSelf && s != "_" {
		return s
	}
	s = strings.ReplaceAll(s, "_", `\_`)
	for _, c := range s {
		if command, ok := greek[string(c)]; ok {
			s = strings.ReplaceAll(s, string(c), `\(`+command+`\)`)
		}
	}
	for _, c := range s {
		if c >= utf8.RuneSelf || c == '(' {
			return `\text{` + s + "}"
		}
	}
	return `\mathrm{` + s + "}"
}

var greek = map[string]string{
	"α": `\alpha`, "β": `\beta`, "γ": `\gamma`, "δ": `\delta`, "ε": `\varepsilon`, "ζ": `\zeta`, "η": `\eta`,
	"θ": `\theta`,
	"ι": `\iota`, "κ": `\kappa`, "λ": `\lambda`, "μ": `\mu`, "ν": `\nu`, "ξ": `\xi`, "π": `\pi`, "ρ": `\rho`,
	"ς": `\varsigma`,
	"σ": `\sigma`, "τ": `\tau`, "υ": `\upsilon`, "φ": `\varphi`, "χ": `\chi`, "ψ": `\psi`, "ω": `\omega`, "Γ": `\Gamma`,
	"Δ": `\Delta`, "Θ": `\Theta`, "Λ": `\Lambda`, "Ξ": `\Xi`, "Π": `\Pi`, "Σ": `\Sigma`, "Φ": `\Phi`, "Ψ": `\Psi`,
	"Ω": `\Omega`,
}

// LaTeXNumber is a numeral; an exponent is a power of ten.
func LaTeXNumber(x float64) string {
	switch {
	case math.IsNaN(x):
		return `\mathrm{NaN}`
	case math.IsInf(x, 1):
		return `\infty`
	case math.IsInf(x, -1):
		return `-\infty`
	}
	text := strconv.FormatFloat(x, 'g', -1, 64)
	mantissa, exponent, ok := strings.Cut(text, "e")
	if !ok {
		return text
	}
	exponent = strings.TrimPrefix(exponent, "+")
	sign := ""
	if strings.HasPrefix(exponent, "-") {
		sign, exponent = "-", exponent[1:]
	}
	return mantissa + `\cdot 10^{` + sign + strings.TrimLeft(exponent, "0") + "}"
}
