package unparse

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/elaborate"
	"github.com/gram-machine/gram/lang/syntax"
)

// scope tells which names mean something where the printer is.
type scope struct {
	active map[string]bool
	nested map[string]int  // of a name without number: how many variables in scope have it
	bump   map[string]int  // what else to add to that number
	given  map[string]bool // names that variables have before they are numbered
}

func emptyScope() *scope {
	return &scope{active: map[string]bool{}, nested: map[string]int{}, bump: map[string]int{}, given: map[string]bool{}}
}

// newScope is that of a program: all keywords and names of the language mean something in it.
func newScope() *scope {
	s := emptyScope()
	for k := syntax.ParamTok; k.IsKeyword(); k++ {
		s.active[k.String()] = true
	}
	// A declared name would shadow what a program sees without declaring it, which would confuse a reader.
	for _, name := range elaborate.PreludeNames() {
		s.active[name] = true
	}
	for _, p := range core.Primitives() {
		s.active[p.Name()] = true
	}
	return s
}

// legal makes a name of the language from the name of a variable.
func legal(name string) string {
	name = strings.ReplaceAll(name, "*", "'")
	var b strings.Builder
	for _, c := range name {
		switch {
		case unicode.IsLetter(c), c == '_', c == '\'' && b.Len() > 0, c >= '0' && c <= '9' && b.Len() > 0:
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	if out := strings.TrimRight(b.String(), "_"); out != "" {
		return out
	}
	return "x"
}

// free returns a name like that of a variable that nothing in scope has.
func (s *scope) free(name string) string {
	base := legal(name)
	if c := base[len(base)-1]; c >= '0' && c <= '9' {
		return s.numbered(base, base+"_")
	}
	return s.numbered(base, base)
}

// taken reports whether a name with a number can't be had: it is in scope, or would be
// taken for a variable that is called so by itself.
func (s *scope) taken(name string) bool { return s.active[name] || s.given[name] }

// numbered returns base, or stem with the first number behind it that makes it free.
func (s *scope) numbered(base, stem string) string {
	if !s.active[base] {
		return base
	}
	for {
		n := max(1, s.nested[stem]+s.bump[stem])
		if text := stem + strconv.Itoa(n); !s.taken(text) {
			return text
		}
		s.bump[stem]++
	}
}

// enter opens the scope of a name; stem is the name without its number.
func (s *scope) enter(name, stem string) {
	s.active[name] = true
	s.nested[stem]++
}

// leave ends the scope of a name.
func (s *scope) leave(name, stem string) {
	delete(s.active, name)
	s.nested[stem]--
}

// stem is a name of the language without the number that free put behind it.
func stem(name string) string { return strings.TrimRight(name, "0123456789") }
