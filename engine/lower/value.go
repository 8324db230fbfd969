package lower

import (
	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/term"
)

// kind says what is known of a value when the program is compiled.
type kind uint8

const (
	register  kind = iota // nothing: it is in a register
	number                // a numeral
	pair                  // a pair of values
	vector                // a vector of known components
	component             // slots of an object: it is loaded where it is used
	lambda                // λx.t with the values of its free variables
	member                // a function of a fix
	list                  // a list or a numeral #n: a literal, data, or one over an index
	folder                // a list applied to its first argument
	tabled                // static slots, with lists in them
	opened                // what each variable of an opening is bound to: its component
)

// value is what the compiler knows of the value of a term.
type value struct {
	kind kind
	typ  term.Type
	at   operand // register; component: the object; member: its closure
	num  float64 // number
	// register: the number of the input that is there, 0: none
	input uint32
	// pair, vector: the components; folder: the list and the function
	parts []*value
	// component: the slots from slot on. inline says that vectors in it are its slots and not references.
	slot   uint32
	inline bool
	first  term.Var // opened: the variable of the component in the slots from slot on
	// lambda, list: the node, and what its free variables are
	node term.Ref
	free scope
	fn   *function // lambda: its code, once it has some; member: its code
	// lambda: there are several applications, so it is called if it is not small
	shared bool
	copies uint32 // how many applications, if that is known
	nodes  uint32 // lambda: those of its code, if they are more than those of its node
	row    *row   // tabled; list: where it is in a table, nil if it is in none
}

// operand is a register of a function.
type operand struct {
	in  *function
	reg ir.Reg
}

// scope is what variables and indices are bound to.
type scope struct {
	vars    []term.Var
	values  []*value
	indices []term.Index
	at      []index
}

// index is what an index is bound to: a register, or, in what is unrolled, a number.
type index struct {
	at    operand
	size  int // its values, if that is known
	known bool
	num   float64
}
