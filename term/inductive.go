package term

import (
	"cmp"
	"fmt"
)

// Inductive names a declaration of inductive types of a [Types]: T α1 … αp = C1 of A1 | … | Ck of Ak. Its instances are
// the types μT.Σ Ci Ai{B1/α1,…,Bp/αp}.
type Inductive uint32

// Constructor is a constructor of an inductive type. Arg is the type of its argument, 0 if it has none.
type Constructor struct {
	Name string
	Arg  Type
}

type inductive struct {
	name   string
	params int
	cons   []Constructor
	dual   bool // its constructors hold linear negations
}

// Declare adds a declaration with the given number of parameters, or finds the one of that name: then isNew is false.
// Until [Types.Define] gives its constructors, it has none; the types of these mention it as an [Types.Instance], and
// its parameters as [Types.Param]. Names are unique in a universe: two declarations of one name are one.
func (tt *Types) Declare(name string, params int) (d Inductive, isNew bool) {
	for i := range tt.inductives {
		if tt.inductives[i].name == name {
			return Inductive(i), false
		}
	}
	tt.inductives = append(tt.inductives, inductive{name: name, params: params})
	return Inductive(len(tt.inductives) - 1), true
}

// HoldDuals says of a declaration without constructors, before anything mentions it, that they will hold linear
// negations.
func (tt *Types) HoldDuals(d Inductive) { tt.inductives[d].dual = true }

// Define gives the constructors of a declaration, which it may mention in their arguments, together with declarations
// that are defined already. The error says that a constructor holds a linear negation, which [Types.HoldDuals] has not
// said.
func (tt *Types) Define(d Inductive, cons []Constructor) error {
	decl := &tt.inductives[d]
	for _, c := range cons {
		if c.Arg == 0 {
			continue
		}
		if tt.HasDual(c.Arg) && !decl.dual {
			return fmt.Errorf("%s: the argument of a constructor holds a linear negation", c.Name)
		}
	}
	decl.cons = cons
	return nil
}

// holds reports whether a type of the kind occurs in the constructors of a declaration, or in those of declarations
// that they mention.
func (tt *Types) holds(d Inductive, kind Kind) (holds bool) {
	seen := map[Type]bool{0: true}
	met := map[Inductive]bool{d: true}
	for todo := []Inductive{d}; len(todo) > 0 && !holds; {
		d, todo = todo[len(todo)-1], todo[:len(todo)-1]
		for _, c := range tt.inductives[d].cons {
			tt.bottomUp(c.Arg, func(t Type) bool { return seen[t] }, func(t Type, n typeNode) {
				seen[t] = true
				holds = holds || n.kind == kind
				if other := Inductive(n.n); n.kind == MuKind && !met[other] {
					met[other] = true
					todo = append(todo, other)
				}
			})
		}
	}
	return holds
}

// Param returns the i-th parameter of a declaration, from 0 on. It stands in the arguments of constructors only.
func (tt *Types) Param(i int) Type { return tt.intern(typeNode{kind: ParamKind, n: uint32(i)}) }

// Instance returns the type d args, for as many arguments as d has parameters.
func (tt *Types) Instance(d Inductive, args ...Type) Type {
	if len(args) != tt.inductives[d].params {
		panic(fmt.Sprintf("term: %s takes %d types, not %d", tt.inductives[d].name, tt.inductives[d].params, len(args)))
	}
	return tt.instance(d, tt.Prods(args))
}

// instance is Instance for the product of the arguments, or 0.
func (tt *Types) instance(d Inductive, args Type) Type {
	return tt.intern(typeNode{kind: MuKind, n: uint32(d), a: args})
}

// InductiveOf returns the declaration of an inductive type.
func (tt *Types) InductiveOf(t Type) Inductive { return Inductive(tt.nodes[t].n) }

// InductiveName returns the name of a declaration. That of D(T) is D(T).
func (tt *Types) InductiveName(d Inductive) string { return tt.inductives[d].name }

// TypeArgs returns B1, …, Bp of the type T B1 … Bp.
func (tt *Types) TypeArgs(t Type) []Type {
	var args []Type
	rest := tt.nodes[t].a
	for i := tt.inductives[tt.nodes[t].n].params; i > 0; i-- {
		if i > 1 {
			args = append(args, tt.nodes[rest].a)
			rest = tt.nodes[rest].b
		} else {
			args = append(args, rest)
		}
	}
	return args
}

// Constructors returns the constructors of an inductive type, with the types of their arguments in it.
func (tt *Types) Constructors(t Type) []Constructor {
	if cons, ok := tt.cons[t]; ok {
		return cons
	}
	args := tt.TypeArgs(t)
	cons := make([]Constructor, len(tt.inductives[tt.nodes[t].n].cons))
	into := map[Type]Type{}
	for i, c := range tt.inductives[tt.nodes[t].n].cons {
		cons[i] = c
		if c.Arg != 0 {
			cons[i].Arg = tt.rebuild(c.Arg, into, func(t Type, n typeNode) Type {
				if n.kind == ParamKind {
					return args[n.n]
				}
				return tt.intern(n)
			})
		}
	}
	tt.cons[t] = cons
	return cons
}

// rebuild returns the image of t: make gives that of a type whose parts have been replaced by theirs. into remembers.
func (tt *Types) rebuild(t Type, into map[Type]Type, make func(Type, typeNode) Type) Type {
	tt.bottomUp(t, func(t Type) bool { return into[t] != 0 }, func(t Type, n typeNode) {
		n.a, n.b = into[n.a], into[n.b]
		into[t] = make(t, n)
	})
	return into[t]
}

// derive returns the declaration whose constructors are those of d with the image by f of their arguments: μα.Σ Ci
// f(Ai). f may come back to d. A term may have values of both types, so constructors of Fwd have names of their own; a
// term and D of it are two.
func (tt *Types) derive(by string, d Inductive, f func(Type) Type) Inductive {
	old := tt.inductives[d]
	e, isNew := tt.Declare(by+"("+old.name+")", old.params)
	if isNew {
		tt.inductives[e].dual = by == "D" && tt.holds(d, RKind) || old.dual
		cons := make([]Constructor, len(old.cons))
		for i, c := range old.cons {
			if cons[i] = c; c.Arg != 0 {
				cons[i].Arg = f(c.Arg)
			}
			if by == "Fwd" {
				cons[i].Name += "'"
			}
		}
		_ = tt.Define(e, cons)
	}
	return e
}

// VectorsOfParams reports whether vectors of a parameter stand in the constructors of a type.
func (tt *Types) VectorsOfParams(t Type) (found bool) {
	seen := map[Type]bool{}
	for _, c := range tt.inductives[tt.nodes[t].n].cons {
		tt.bottomUp(c.Arg, func(t Type) bool { return seen[t] || t == 0 }, func(t Type, n typeNode) {
			seen[t] = true
			found = found || n.kind == VecKind && tt.Kind(n.a) == ParamKind
		})
	}
	return found
}

// Declared returns the constructors of a declaration, with its parameters in them.
func (tt *Types) Declared(d Inductive) []Constructor { return tt.inductives[d].cons }

// Parameters returns the parameters of a declaration, as types.
func (tt *Types) Parameters(d Inductive) []Type {
	out := make([]Type, tt.inductives[d].params)
	for i := range out {
		out[i] = tt.Param(i)
	}
	return out
}

// Mentioned calls f with the declarations of the inductive types in t, but not for types that seen has, and adds those
// that it meets.
func (tt *Types) Mentioned(t Type, seen map[Type]bool, f func(Inductive)) {
	tt.bottomUp(t, func(t Type) bool { return seen[t] }, func(t Type, n typeNode) {
		seen[t] = true
		if n.kind == MuKind {
			f(Inductive(n.n))
		}
	})
}

// Con adds C arg, for the i-th constructor C of the inductive type ty. arg is 0 if C has no argument.
func (t *Term) Con(p Pos, ty Type, i int, arg Ref) Ref {
	return t.add(Node{Op: ConOp, Pos: p, A: arg, Count: uint64(i), Res: ty})
}

// Branch is what a match does with one constructor: C ⟨x1,…,xk⟩ → body. A constructor without argument has no
// variables, any other has at least one: C x1 binds its argument, and C ⟨x1,…,xk⟩ opens it, a right-nested tuple, by
// k−1 instances of (2).
type Branch struct {
	Pos  Pos
	Vars []Var
	Body Ref
}

// Case adds match u with C1 p1 → u1 | …, u of the inductive type ty: a branch for each constructor, in the order of its
// declaration.
func (t *Term) Case(p Pos, ty Type, u Ref, branches []Branch) Ref {
	kids := []Ref{u}
	for _, b := range branches {
		n := Node{Op: BranchOp, Pos: b.Pos, A: b.Body, Off: uint32(len(t.Args)), N: uint32(len(b.Vars))}
		for _, x := range b.Vars {
			t.Args = append(t.Args, Ref(x))
		}
		kids = append(kids, t.add(n))
	}
	return t.many(Node{Op: CaseOp, Pos: p, Res: ty}, kids)
}

// Fix adds a recursive function: the member of the functions f1, …, fk that fix ⟨f1,…,fk⟩.⟨λ1,…,λk⟩ defines together,
// counted from 0. Naming it is no step. lams are λs, which may mention all of fs; mostly there is one.
func (t *Term) Fix(p Pos, fs []Var, lams []Ref, member int) Ref {
	r := t.many(Node{Op: FixOp, Pos: p, Count: uint64(member)}, lams)
	for _, x := range fs {
		t.Args = append(t.Args, Ref(x))
	}
	return r
}

// construct types C t.
func (c *checker) construct(r Ref, n *Node) (Type, error) {
	tt := c.t.Types
	if tt.Kind(n.Res) != MuKind {
		return 0, c.errorf(r, "%s has no constructors", c.str(n.Res))
	}
	cons := tt.Constructors(n.Res)
	if n.Count >= uint64(len(cons)) {
		return 0, c.errorf(r, "%s has %d constructors", c.str(n.Res), len(cons))
	}
	con := cons[n.Count]
	switch {
	case (con.Arg == 0) != (n.A == 0):
		return 0, c.errorf(r, "%s has an argument too many or too few", con.Name)
	case n.A == 0:
		return n.Res, nil
	}
	if err := c.want(r, n.A, con.Arg, "the argument of "+con.Name); err != nil {
		return 0, err
	}
	return n.Res, c.ordinary(n.A, "the argument of a constructor")
}

// match types match u with …. As a conditional it has ⊢_Z if all branches have.
func (c *checker) match(r Ref, n *Node) (Type, error) {
	t, tt := c.t, c.t.Types
	kids := t.Children(n)
	u := n.Res
	if err := cmp.Or(c.want(r, kids[0], u, "what match takes apart"), c.ordinary(kids[0], "match")); err != nil {
		return 0, err
	}
	if tt.Kind(u) != MuKind {
		return 0, c.errorf(r, "%s has no constructors", c.str(u))
	}
	cons := tt.Constructors(u)
	if len(kids) != len(cons)+1 || len(cons) == 0 {
		return 0, c.errorf(r, "%s has %d constructors, not %d", c.str(u), len(cons), len(kids)-1)
	}
	c.lin[r] = true
	for i, con := range cons {
		b := kids[i+1]
		xs := t.BoundVars(&t.Nodes[b])
		if (con.Arg == 0) != (len(xs) == 0) {
			return 0, c.errorf(b, "the pattern of %s has an argument too many or too few", con.Name)
		}
		if con.Arg != 0 {
			if err := c.bindTuple(b, xs, con.Arg); err != nil {
				return 0, err
			}
		}
		if err := c.want(b, b, c.types[kids[1]], "a branch"); err != nil {
			return 0, err
		}
		c.outer[r], c.lin[r] = c.outermost(c.outer[r], c.outer[b]), c.lin[r] && c.lin[b]
	}
	if x := c.outer[r]; x != 0 && !c.lin[r] {
		return 0, c.errorf(r, "the linear variable %s is dropped in one case", t.Info(x).Name)
	}
	return c.types[kids[1]], nil
}

// fix types fix ⟨f1,…,fk⟩.⟨λ1,…,λk⟩.
func (c *checker) fix(r Ref, n *Node) (Type, error) {
	t := c.t
	lams := t.Children(n)
	for i, x := range t.BoundVars(n) {
		l := lams[i]
		if k := &t.Nodes[l]; k.Op != LamOp || t.Info(k.X).Linear {
			return 0, c.errorf(r, "a recursive definition is of a function")
		}
		if err := c.want(r, l, t.TypeOf(x), t.Info(x).Name); err != nil {
			return 0, err
		}
	}
	if n.Count >= uint64(len(lams)) {
		return 0, c.errorf(r, "%d functions have no member %d", len(lams), n.Count)
	}
	return c.types[lams[n.Count]], nil
}
