package compile

// Kind is the constructor of a node.
type Kind uint8

// The kinds of nodes. Those before Lam wait for their operands.
const (
	Free     Kind = iota // on the free list
	Fun1                 // f(t)
	Fun2                 // f(t,u), or f(t,⟨u,…⟩) of more than two
	Mul                  // t·u
	Add                  // t + u
	App                  // t u
	If                   // if s c s' then … else …
	Case                 // match t with …
	Open                 // [⟨x,y⟩:=u]: operand 0 is u
	Sub                  // [x:=u], x exponential: operand 0 is u
	Linear               // [x:=u], x linear
	Cell                 // [d:=λa.u]: the name of a dual λ
	Iter                 // f t1 (… (f ti ∎)): what is left of a list or numeral that was applied
	Job                  // a maximal sum, whose duals fire
	Seed                 // z* 1, the start of a backward phase
	Summand              // a variable that is a summand of a Job
	Result               // the value of the program
	Lam                  // λx.t: its code, and the substitutions of its free variables
	Pair                 // ⟨t,u⟩
	Con                  // C t
	Nat                  // #n
	List                 // [t1;…;tn]
	Data                 // a list of data
	Fold                 // a list or numeral that has been applied to f: λx.f t1 (…)
	Captures             // more free variables of a Lam, a List or an If; the state of an Iter
	FreeDual             // x*, a free dual variable
	Symbol               // a free variable that stands for a number: an input that is symbolic
	Names                // [⟨y,y'⟩:=u] of (10), for the tail u of a vector
)

var kindNames = [...]string{"free", "fun1", "fun2", "mul", "add", "app", "if", "case", "open", "sub", "linear", "cell",
	"iter",
	"job", "seed", "summand", "result", "lam", "pair", "con", "nat", "list", "data", "fold", "captures", "freeDual",
	"symbol",
	"names"}

// String returns the kind's name.
func (k Kind) String() string { return kindNames[k] }
