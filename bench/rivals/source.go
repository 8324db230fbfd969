package rivals

import (
	"fmt"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/term"
)

// reader reads a term as a program. Lists, data and numerals are the λ-terms that they stand for, as
// [reference.Convert] has them, so that no transformation has a case for them.
type reader struct {
	types *term.Types
	vars  map[*reference.Var]*variable
	depth int
}

// maxNesting bounds how deep a program nests, and maxSymbols its size: transformations recurse.
const (
	maxNesting = 150_000
	maxSymbols = 1 << 20
)

// read returns the term as a program, with the variables of its inputs. It panics with a [*LimitError].
func read(t *term.Term, inputs []term.Var) (*code, []*variable) {
	if reference.Symbols(t) > maxSymbols {
		panic(&LimitError{What: fmt.Sprintf("the program has more than %d symbols", maxSymbols)})
	}
	p := reference.Convert(t, denote.Floats{})
	r := &reader{types: t.Types, vars: map[*reference.Var]*variable{}}
	var free []*variable
	for _, x := range inputs {
		in := p.Var(x)
		if in == nil { // it does not occur
			in = &reference.Var{Name: t.Info(x).Name, Type: t.Info(x).Type}
		}
		free = append(free, r.variable(in))
	}
	return r.code(p.Term), free
}

func (r *reader) variable(x *reference.Var) *variable {
	if r.vars[x] == nil {
		r.vars[x] = &variable{name: x.Name, zero: zeroOf(r.types, x.Type)}
	}
	return r.vars[x]
}

func (r *reader) code(t *reference.Term) *code {
	if r.depth++; r.depth > maxNesting {
		panic(&LimitError{What: fmt.Sprintf("the program nests deeper than %d", maxNesting)})
	}
	defer func() { r.depth-- }()
	switch t.Op {
	case reference.Variable:
		return use(r.variable(t.X))
	case reference.Numeral:
		return number(t.Num.(float64))
	case reference.Lambda:
		return lam(r.variable(t.X), r.code(t.Kids[0]))
	case reference.Let:
		var xs []*variable
		t.P.Vars(func(x *reference.Var) { xs = append(xs, r.variable(x)) })
		return open(r.code(t.Kids[1]), r.code(t.Kids[0]), xs...)
	}
	kids := make([]*code, len(t.Kids))
	for i, k := range t.Kids {
		kids[i] = r.code(k)
	}
	switch t.Op {
	case reference.Apply:
		return app(kids[0], kids[1])
	case reference.MakePair:
		return tuple(kids[0], kids[1])
	case reference.Plus:
		return add(kids[0], kids[1])
	case reference.Function:
		return fun(t.Sym, kids...)
	case reference.If:
		return &code{op: opIf, cmp: t.Cmp, kids: kids}
	}
	panic(fmt.Sprintf("rivals: no program has the constructor %d", t.Op))
}

// zeroOf is the zero of the cotangents of a type in CHAD as it was published: of a function, no arguments.
func zeroOf(tt *term.Types, a term.Type) value {
	switch tt.Kind(a) {
	case term.ProdKind:
		return &pair{zeroOf(tt, tt.Left(a)), zeroOf(tt, tt.Right(a))}
	case term.ArrowKind:
		return noArguments
	}
	return 0.0
}
