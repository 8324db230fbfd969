package core

// Inductive is the declaration of an inductive type.
type Inductive struct {
	Name   string
	Params []string // with their '
	Cons   []Constructor
}

// Constructor is a constructor of an inductive type. Arg is the type of its argument, in which parameters are
// [Types.Param]; 0 if it has none.
type Constructor struct {
	Name string
	Arg  Type
}

// Param returns the i-th parameter of a declaration.
func (tt *Types) Param(i int) Type { return tt.add(TypeNode{Kind: Param, N: uint32(i)}) }

// Named returns the type with declaration d and the given arguments.
func (tt *Types) Named(d int, args []Type) Type {
	n := TypeNode{Kind: Named, N: uint32(d), closed: true}
	for i := len(args) - 1; i >= 0; i-- {
		if n.A == 0 {
			n.A = tt.Find(args[i])
		} else {
			n.A = tt.Prod(args[i], n.A)
		}
		n.closed = tt.Nodes[n.A].closed
	}
	return tt.add(n)
}

// Fresh returns a type with declaration d whose arguments are open.
func (tt *Types) Fresh(d int) Type {
	args := make([]Type, len(tt.Inductives[d].Params))
	for i := range args {
		args[i] = tt.Open()
	}
	return tt.Named(d, args)
}

// Args returns the arguments of an inductive type.
func (tt *Types) Args(t Type) []Type {
	n := tt.At(t)
	args := make([]Type, len(tt.Inductives[n.N].Params))
	rest := n.A
	for i := range args {
		if args[i] = rest; i < len(args)-1 {
			p := tt.At(rest)
			args[i], rest = p.A, p.B
		}
	}
	return args
}

// Argument returns the type of the argument of constructor con in the inductive type t, 0 if it has none.
func (tt *Types) Argument(t Type, con int) Type {
	arg := tt.Inductives[tt.At(t).N].Cons[con].Arg
	if arg == 0 {
		return 0
	}
	return tt.replace(arg, tt.Args(t))
}

// replace returns the type t of a declaration with arguments for its parameters. Types are not deep in a source.
func (tt *Types) replace(t Type, args []Type) Type {
	n := tt.Nodes[t]
	switch {
	case n.closed:
		return t
	case n.Kind == Param:
		return args[n.N]
	}
	if n.A != 0 {
		n.A = tt.replace(n.A, args)
	}
	if n.B != 0 {
		n.B = tt.replace(n.B, args)
	}
	n.closed = (n.A == 0 || tt.Nodes[tt.Find(n.A)].closed) && (n.B == 0 || tt.Nodes[tt.Find(n.B)].closed)
	switch n.Kind {
	case List, Nat:
		n.N = 0
	}
	return tt.add(n)
}

// HoldsDuals reports whether the constructors of declaration d hold linear negations, also those of types in them.
func (tt *Types) HoldsDuals(d int) bool {
	seen := map[Type]bool{}
	stack := []Type{tt.Fresh(d)}
	declared := map[int]bool{}
	for len(stack) > 0 {
		t := tt.Find(stack[len(stack)-1])
		stack = stack[:len(stack)-1]
		if t == 0 || seen[t] {
			continue
		}
		seen[t] = true
		n := tt.At(t)
		switch n.Kind {
		case Dual:
			return true
		case Named:
			if !declared[int(n.N)] {
				declared[int(n.N)] = true
				for _, c := range tt.Inductives[n.N].Cons {
					stack = append(stack, c.Arg)
				}
			}
		}
		stack = append(stack, n.A, n.B)
	}
	return false
}
