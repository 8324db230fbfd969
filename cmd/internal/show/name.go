package show

import (
	"html"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/term"
)

// spelling is a variable's name as it is drawn: its numbers as subscripts, primes
// behind. x1 is x₁, z2' is z₂′, E.(0).(1) is E with 0,1 below.
type spelling struct {
	letters    string
	subscripts string
	ticks      string
}

// spell takes a name apart; one that doesn't begin with letters is letters.
func spell(name string) spelling {
	body := strings.TrimRight(name, "'*")
	end := strings.IndexAny(body, ".:")
	if end < 0 {
		end = len(body)
	}
	letters := strings.TrimRight(body[:end], "0123456789")
	numbers := strings.FieldsFunc(body[len(letters):], func(c rune) bool { return c < '0' || c > '9' })
	letters = strings.TrimRight(letters, "_")
	if letters == "" {
		return spelling{letters: name}
	}
	ticks := strings.NewReplacer("'", "′", "*", "*").Replace(name[len(body):])
	return spelling{letters, strings.Join(numbers, ","), ticks}
}

// nameMarkup is a variable's name in Graphviz's mark-up.
func nameMarkup(name string) string {
	if name == "" {
		return ""
	}
	s := spell(name)
	out := "<I>" + html.EscapeString(s.letters) + "</I>"
	if s.subscripts != "" {
		out += "<SUB>" + s.subscripts + "</SUB>"
	}
	return out + s.ticks
}

// Number is a number for people, with four digits.
func Number(x float64) string {
	return strings.Replace(strconv.FormatFloat(x, 'g', 4, 64), "-", "−", 1)
}

// Symbol is the text of a hyperedge; + is [term.NoSymbol].
func Symbol(f term.Symbol) string {
	switch f {
	case term.NoSymbol:
		return "+"
	case term.Mul:
		return "·"
	case term.Sub, term.Neg:
		return "−"
	case term.Div:
		return "/"
	}
	return strings.ReplaceAll(f.SourceName(), "'", "′")
}

// ordered tells the symbols whose operands can't be swapped.
func ordered(f term.Symbol) bool {
	switch f {
	case term.NoSymbol, term.Mul, term.Min, term.Max, term.Same:
		return false
	}
	return f.Info().Arity > 1
}
