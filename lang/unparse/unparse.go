package unparse

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/elaborate"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// Options say how a term is printed.
type Options struct {
	// Dim is d of the duals R⊥d and of 0⃗ where the term leaves it abstract; 0 if the term has none of them.
	Dim int
	// Reversed tells that the term is one of D: data are lists and vectors of pairs ⟨r, λa.0⃗⟩.
	Reversed     bool
	syntax.Guard // its first error ends the work and is returned
}

// Program collects the declarations of a program, and then prints it.
type Program struct {
	t     *term.Term
	opt   Options
	scope *scope
	names []string // of the term's variables, where they are in scope
	head  []byte   // the declarations
	lets  []around // the term
	data  []string // how the data are used
	out   []byte
	// Of inputs with products: see InputOf.
	products map[term.Var]product
	tuples   map[term.Ref]string
	printed  []bool // the variables that stand in the text
	guard    *syntax.Guard

	symbols map[term.Symbol]string // the names of declared symbols and of their partial derivatives
	// parameters are the names that parameters of declared symbols have: x and y, and x1, x2, … where there are more
	// than two.
	parameters []string
	typeNames  map[string]string // of declared types whose names are none of the language
}

// New starts a program whose body is the term. What is declared is declared first:
// names of inputs and data are those that they have. An error of Check or Reserve ends a declaration
// by a panic, which [syntax.Catch] makes an error again.
func New(t *term.Term, opt Options) *Program {
	p := &Program{t: t, opt: opt, guard: &opt.Guard, scope: newScope(),
		names: make([]string, t.NumVars()), data: make([]string, len(t.Data)),
		products: map[term.Var]product{}, tuples: map[term.Ref]string{}, printed: make([]bool, t.NumVars())}
	for i := range t.NumVars() - 1 {
		p.guard.Step()
		p.scope.given[legal(t.Info(term.Var(i+1)).Name)] = true
	}
	return p
}

// Reserve makes names that will be declared unavailable to anything else.
func (p *Program) Reserve(names ...string) {
	for _, n := range names {
		p.scope.enter(n, stem(n))
	}
}

// Data declares the term's data i, whose name must be reserved.
func (p *Program) Data(i int, name string, v load.Value) {
	p.head = p.add(p.head, "data "+name+" : "+v.Shape.String()+" = ")
	p.head = p.add(p.value(p.head, v), "\n")
	p.data[i] = name
	if p.opt.Reversed {
		p.data[i] = p.reversed(name, v.Shape)
	}
}

// reversed is D of data: each number r is ⟨r, λa.0⃗⟩. A list is the function that it is, with its elements replaced.
func (p *Program) reversed(name string, s *load.Shape) string {
	if s.Kind != load.List {
		return "(" + p.lifted(s, name) + ")"
	}
	f, x, r := p.scope.free("f"), p.scope.free("x"), p.scope.free("r")
	return fmt.Sprintf("(fun %s %s -> %s (fun (%s : %s) -> %s (%s)) %s)", f, x, name, r, s.A, f, p.lifted(s.A, r), x)
}

// lifted is the expression for D of a number or a vector of numbers.
func (p *Program) lifted(s *load.Shape, x string) string {
	if s.Kind == load.Vector {
		i := p.scope.free("i")
		return fmt.Sprintf("vec %s < %d -> (%s.(%s), %s)", i, s.Size, x, i, p.ZeroDual())
	}
	return x + ", " + p.ZeroDual()
}

// Fresh returns a new name like the one given, which is from now on in scope.
func (p *Program) Fresh(name string) string {
	text := p.scope.free(name)
	p.scope.enter(text, stem(text))
	return text
}

// Bind makes text the expression for a free variable of the term.
func (p *Program) Bind(x term.Var, text string) { p.names[x] = text }

// Let binds a free variable of the term, by a let around it, to an expression.
func (p *Program) Let(x term.Var, like, text string) {
	p.names[x] = p.Fresh(like)
	p.lets = append(p.lets, around{text: "let " + p.names[x] + " = " + text + " in\n"})
}

// shownDim is the largest d for which 0⃗ and the basis are written component by component.
const shownDim = 8

// zero is 0⃗ : R^d, and the level of that.
func (p *Program) zero() (string, int) {
	switch d := p.opt.Dim; {
	case d <= 1:
		return "0", syntax.PrecAtom
	case d <= shownDim:
		return "[| " + strings.Repeat("0, ", d-1) + "0 |]", syntax.PrecAtom
	default:
		return fmt.Sprintf("vec i < %d -> 0", d), syntax.PrecPrefix
	}
}

// ZeroDual is the dual λa.0⃗.
func (p *Program) ZeroDual() string {
	text, _ := p.zero()
	return "lin a -> " + text
}

// BasisDual is the dual λa.ei·a, where ei has 1 at position i, from 0, and 0 elsewhere.
func (p *Program) BasisDual(i int) string {
	switch d := p.opt.Dim; {
	case d <= 1:
		return "lin a -> a"
	case d > shownDim:
		return fmt.Sprintf("lin a -> vec k < %d -> if k < %d then 0 else if k > %d then 0 else a", d, i, i)
	}
	return "lin a -> [| " + strings.Repeat("0, ", i) + "a" + strings.Repeat(", 0", p.opt.Dim-1-i) + " |]"
}

// Write prints the program. Every free variable of the term and all data that it mentions must have been declared.
func (p *Program) Write(w io.Writer) (err error) {
	defer syntax.Catch(&err)
	free, err := p.t.Free(p.opt.Check)
	if err != nil {
		return err
	}
	for _, x := range free {
		if p.names[x] == "" {
			return fmt.Errorf("unparse: the variable %s is not declared", p.t.Info(x).Name)
		}
	}
	p.findTuples()
	live, err := p.t.Inside(p.opt.Check, p.t.Root)
	if err != nil {
		return err
	}
	text, err := p.declareTypes(live)
	if err != nil {
		return err
	}
	text = p.declareSymbols(text, live)
	p.print()
	text = p.add(text, string(p.head))
	for _, l := range p.lets {
		if l.of == nil || slices.ContainsFunc(l.of, func(x term.Var) bool { return p.printed[x] }) {
			text = p.add(text, l.text)
		}
	}
	p.out = append(append(syntax.Room(p.guard, text, len(p.out)+1), p.out...), '\n')
	opt := syntax.Options{Guard: p.opt.Guard}
	f, diags, err := syntax.Parse("printed", p.out, opt)
	if err != nil {
		return err
	}
	if len(diags) > 0 && diags[0].Headline != syntax.TooDeep {
		return syntax.NewErrors(f, diags)
	}
	text, err = syntax.Format(f, opt) // a program that nests too deep is not formatted
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

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
	stem := base
	if c := base[len(base)-1]; c >= '0' && c <= '9' {
		stem += "_"
	}
	return s.numbered(stem, func(n int) string {
		if n == 0 {
			return base
		}
		return stem + strconv.Itoa(n)
	})
}

// taken reports whether a name with a number can't be had: it is in scope, or would be
// taken for a variable that is called so by itself.
func (s *scope) taken(name string) bool { return s.active[name] || s.given[name] }

// numbered returns a name, which spell writes with a number behind it: without one, which is 0, or with the first that
// makes it free.
func (s *scope) numbered(stem string, spell func(n int) string) string {
	if text := spell(0); !s.active[text] {
		return text
	}
	for ; ; s.bump[stem]++ {
		if text := spell(max(1, s.nested[stem]+s.bump[stem])); !s.taken(text) {
			return text
		}
	}
}

// enter opens the scope of a name; stem is the name without its number.
func (s *scope) enter(name, stem string) {
	s.active[name] = true
	s.nested[stem]++
}

func (s *scope) leave(name, stem string) {
	delete(s.active, name)
	s.nested[stem]--
}

// stem is a name of the language without the number that free put behind it.
func stem(name string) string { return strings.TrimRight(name, "0123456789") }
