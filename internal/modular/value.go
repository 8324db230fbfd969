package modular

import "github.com/gram-machine/gram/term"

// kind is what a value is.
type kind uint8

const (
	number    kind = iota
	pair           // ⟨args⟩, or a vector of args
	closure        // λx.t, in env
	dual           // λa.u in env: a name of it. The λa.0⃗ of a numeral has no node
	null           // λa.0⃗, which has no name
	construct      // C args
	fix            // a recursive function
	literal        // a list, data or a numeral #n
	iteration      // args[0], a literal, applied to args[1]

	// What has no value:
	variable    // of the program or of a λ
	component   // of the tuple args[0]
	operation   // f(args), or a sum
	application // args[0] args[1]
	conditional // of two args
	match       // of one argument
)

// value is what a term has come to.
type value struct {
	kind  kind
	typ   term.Type
	seq   int    // values are numbered as they are made
	scope *scope // in which it was made
	pos   term.Pos
	node  term.Ref // of the source, if there is one
	env   *frame
	args  []*value
	sym   term.Symbol
	index int     // of a component; of a member of functions that are defined together
	num   float64 // a number, and that of what has no value at the point, if it is known
	known bool

	// named: a variable stands for it. The components of a pair have names.
	named bool
	// open: a pair has a component without a value.
	open   bool
	linear bool // it depends on the argument of a dual
	// A tuple of components stands for of, which has these parts.
	of    *value
	parts []*value

	// Of reading back:
	visited bool
	uses    int
	inner   bool     // it is used in a scope inside its own
	under   []*scope // of the λ, or of each branch or member
	x       term.Var
	expr    term.Ref
}

// inert reports whether v has no value.
func (v *value) inert() bool { return v.kind >= variable }

// bare is the tuple that a vector of one component is in the calculus.
func (v *value) bare() *value {
	for v.kind == pair && len(v.args) == 1 {
		v = v.args[0]
	}
	return v
}

// binding is what a variable is bound to. name: it is no other name of the value, and its occurrences are the value
// itself.
type binding struct {
	v    *value
	name bool
}

// frame has the variables that one instance of the body of a λ binds.
type frame struct {
	up   *frame
	pos  term.Pos // of the λ
	vars map[term.Var]binding
}

func (f *frame) inside(pos term.Pos) *frame {
	return &frame{up: f, pos: pos, vars: map[term.Var]binding{}}
}

func (f *frame) at(x term.Var) binding {
	for ; f != nil; f = f.up {
		if b, ok := f.vars[x]; ok {
			return b
		}
	}
	return binding{}
}

// scope is the body of a λ, a branch or a member of recursive functions that is left in the normal form.
type scope struct {
	params   []*value
	root     *value
	summands []summand // of a dual: its body
	made     []*value  // without a value
	found    []*value  // that the normal form has
}

// summand is head arg.
type summand struct{ head, arg *value }
