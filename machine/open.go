package machine

import (
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Where inputs are symbolic, an operation on one of them can't fire. It stays as an operation of the graph G, with its
// number at the point, which decides branches. A variable that is bound to it is its name, and stays: no (3) and no (4)
// fires. The operand Inert is a variable that stands for a number: a symbol, or such a name. It is a value: (3) and (4)
// fire of a variable that is bound to it. The strategy is that of a point.

// isInert reports whether an operand is a number that is not known.
func isInert(t Tag) bool { return t == compile.Inert || t == compile.Operation }

// isOpen reports whether an operand is inert, or a pair with an inert part.
func (m run[M]) isOpen(t Tag, v uint64) bool {
	return isInert(t) || t == compile.Value && m.at(lo(v)).Kind == compile.Pair && m.at(lo(v)).Bits&compile.IsOpen != 0
}

// isUnnamed reports whether an operand is a pair with an inert part whose components (10) has not named.
func (m run[M]) isUnnamed(t Tag, v uint64) bool {
	if t != compile.Value {
		return false
	}
	n := m.at(lo(v))
	return n.Kind == compile.Pair && n.Bits&(compile.IsOpen|compile.IsNamed) == compile.IsOpen
}

// isOperation reports whether a node that has its operands is an operation on something inert.
func (m run[M]) isOperation(n *node) bool {
	switch n.Kind {
	case compile.Fun1, compile.Mul, compile.Add:
		return isInert(n.Tag[0]) || isInert(n.Tag[1])
	case compile.Fun2:
		return isInert(n.Tag[0]) || m.isOpen(n.Tag[1], n.Val[1])
	}
	return false
}

// operate is the unit in which an operation becomes one of G.
func (m run[M]) operate(r Place, n *node) redex {
	var x []float64
	m.operands(n, func(t Tag, v uint64) { x = append(x, m.numberOf(t, v)) })
	sym, up := m.symbol(n), n.Up
	y := sym.Eval(x...)
	m.check(n, y, sym.String())
	n.Bits |= compile.IsGraph
	n.Up, n.C = lo(numeral(y)), hi(numeral(y))
	m.made = append(m.made, r)
	return m.deliver(up, compile.Operation, uint64(r))
}

// symbol is that of an operation; [term.NoSymbol] of a sum.
func (m *Machine) symbol(n *node) term.Symbol {
	if n.Kind == compile.Add {
		return term.NoSymbol
	}
	return m.prog.Code[n.Code].Sym
}

// operands calls f on the operands of an operation, from left to right. Those behind the first of three or more are a
// tuple.
func (m run[M]) operands(n *node, f func(Tag, uint64)) {
	f(n.Tag[0], n.Val[0])
	t, v := n.Tag[1], n.Val[1]
	for t == compile.Value {
		u := m.at(lo(v))
		f(u.Tag[0], u.Val[0])
		t, v = u.Tag[1], u.Val[1]
	}
	if t != compile.Empty {
		f(t, v)
	}
}

// numberOf is the number at the point of an operand.
func (m run[M]) numberOf(t Tag, v uint64) float64 {
	if !isInert(t) {
		return number(v)
	}
	n := m.at(lo(v))
	switch n.Kind {
	case compile.Symbol:
		return number(n.Val[0])
	case compile.Linear: // the name of an operation
		return m.numberOf(n.Tag[0], n.Val[0])
	}
	return numberAt(n)
}

// numberAt is the number at the point of an operation of G.
func numberAt(n *node) float64 { return number(both(n.Up, n.C)) }

// pointValue is the number at the point of operand i of a node.
func (m run[M]) pointValue(n *node, i int) float64 {
	if m.opens() {
		return m.numberOf(n.Tag[i], n.Val[i])
	}
	return number(n.Val[i])
}

// dropArgument drops the argument of a dual that does not mention it: (5) or, of an operation, (5').
func (m run[M]) dropArgument(t Tag, v uint64) redex {
	if t == compile.Operation {
		n := m.at(lo(v))
		n.Bits &^= compile.IsGraph
		n.Up = 0
		return moveAt(rule.FreeUnit, lo(v))
	}
	return m.dropValue(t, v)
}

// dropOperands drops the operands of an operation on something linear, which (5') has dropped.
func (m run[M]) dropOperands(n *node) {
	m.operands(n, func(t Tag, v uint64) { m.push(m.dropArgument(t, v)) })
}

// fireEtaPair is (10): t[x:=⟨u,u'⟩] → t[x:=⟨y,y'⟩][⟨y,y'⟩:=⟨u,u'⟩]. The tail of a vector gets no name: its components
// do, by (10) again.
func (m run[M]) fireEtaPair(p Place) redex {
	n := m.at(p)
	up, v := p, n.Val[0]
	if n.Kind == compile.Names {
		up = n.Up
		m.arena.Release(p, n)
	} else {
		n.Tag[0] = compile.Empty
	}
	code := m.at(lo(v)).Code
	named, pair := m.make(compile.Pair, code, up, 2|compile.IsNamed)
	left := m.name(code, named, pair)
	var right Place
	if m.prog.Code[code].N == 1 {
		right, _ = m.make(compile.Names, code, named|1, 1)
	} else {
		right = m.name(code, named|1, pair)
	}
	open, opened := m.make(compile.Open, code, 0, 0)
	opened.Tag[0], opened.Val = compile.Value, [2]uint64{v, both(left, right)}
	return ruleAt(rule.Pair, open)
}

// bindOpen is called when (1) has bound the variable of s. It returns s, or 0 if the body that is copied next has
// nothing to do with it.
func (m run[M]) bindOpen(s Place, n *node) Place {
	unmentioned := lo(n.Val[1]) == 0
	switch {
	case m.isUnnamed(n.Tag[0], n.Val[0]):
		n.Bits = 1
		m.push(ruleAt(rule.EtaPair, s))
	case unmentioned && n.Tag[0] == compile.Operation:
		m.arena.Release(s, n)
	default:
		return s
	}
	if unmentioned {
		return 0
	}
	return s
}

// name makes the substitution of a variable that occurs at p alone, an operand of the node n.
func (m run[M]) name(code uint32, p Place, n *node) Place {
	s, x := m.make(compile.Sub, code, 0, 1)
	x.Val[1] = both(1, p)
	n.Tag[p&1], n.Val[p&1] = compile.Variable, uint64(s)
	return s
}

// Graph reduces a program with symbolic inputs. Of a program t, what is left is its graph G, and the steps are m. Of
// D(t) it is ⟨G0, x1* G1 + … + xn* Gn⟩, the normal form of Theorem 1 with its λ opened. The point decides branches.
func (m *Machine) Graph(point []float64) error { return m.runner().graph(point) }

func (m run[M]) graph(point []float64) error {
	if err := m.primal(point); err != nil || m.prog.Outputs == 0 {
		return err
	}
	return m.backward(m.seeds[0])
}

// GraphSize is |G| by its parts.
type GraphSize struct{ Operations, Edges, Inputs, Numerals uint64 }

// Total is |G|.
func (g GraphSize) Total() uint64 { return g.Operations + g.Edges + g.Inputs + g.Numerals }

// GraphSize measures what [Machine.Graph] has left of a program t: operations, their operands, and the inputs and
// numerals that these and the outputs are.
func (m *Machine) GraphSize() GraphSize {
	size := GraphSize{Operations: uint64(len(m.made))}
	seen := map[[2]uint64]bool{}
	leaf := func(t Tag, v uint64) {
		input := t == compile.Inert && m.arena.Node(lo(v)).Kind == compile.Symbol
		if key := [2]uint64{uint64(t), v}; (input || t == compile.Number) && !seen[key] {
			seen[key] = true
			if input {
				size.Inputs++
			} else {
				size.Numerals++
			}
		}
	}
	for _, r := range m.made {
		run[plain]{m}.operands(m.arena.Node(r), func(t Tag, v uint64) {
			size.Edges++
			leaf(t, v)
		})
	}
	m.outputs(leaf)
	return size
}

// Operand is an operand of an operation of G, or an output of it: an operation, an input or a numeral.
type Operand struct {
	Op    int // the number of the operation, in the order of [Machine.Operations]; -1 for others
	Input int // the number of the scalar input; -1 for others
	Value float64
}

// Operation is an operation of G: a symbol, or + where that is [term.NoSymbol].
type Operation struct {
	Symbol term.Symbol
	Args   []Operand
	Value  float64 // at the point
	Pos    term.Pos
}

// Operations calls f on the operations of the graph G that [Machine.Graph] has left of a program t, each after its
// operands, until f returns false. It returns the outputs: the numbers of the value, from left to right.
func (m *Machine) Operations(f func(Operation) bool) []Operand {
	g := run[plain]{m}
	number := make([]int32, len(m.arena.Nodes())) // of operations, by Ref
	operand := func(t Tag, v uint64) Operand {
		o := Operand{Op: -1, Input: -1, Value: g.numberOf(t, v)}
		if isInert(t) {
			if n := m.arena.Node(lo(v)); n.Kind == compile.Symbol {
				o.Input = int(n.C)
			} else {
				o.Op = int(number[lo(v)>>2])
			}
		}
		return o
	}
	for i, r := range m.made {
		n := m.arena.Node(r)
		op := Operation{Symbol: m.symbol(n), Value: numberAt(n), Pos: m.posOf(n.Code)}
		g.operands(n, func(t Tag, v uint64) { op.Args = append(op.Args, operand(t, v)) })
		number[r>>2] = int32(i)
		if !f(op) {
			return nil
		}
	}
	var outputs []Operand
	m.outputs(func(t Tag, v uint64) { outputs = append(outputs, operand(t, v)) })
	return outputs
}

// Ties returns the places of the conditionals that the last [Machine.Graph] decided at equality, of numbers that depend
// on inputs.
func (m *Machine) Ties() []term.Pos { return m.ties }

// Made returns how many operations a run with symbolic inputs has made. Of D(t), (5') may have dropped some.
func (m *Machine) Made() int { return len(m.made) }

// outputs calls f on the numbers of the result, from left to right.
func (m *Machine) outputs(f func(Tag, uint64)) {
	type operand struct {
		t Tag
		v uint64
	}
	n := m.arena.Node(m.result)
	for stack := []operand{{n.Tag[0], n.Val[0]}}; len(stack) > 0; {
		o := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if o.t != compile.Value {
			f(o.t, o.v)
			continue
		}
		p := m.arena.Node(lo(o.v))
		stack = append(stack, operand{p.Tag[1], p.Val[1]}, operand{p.Tag[0], p.Val[0]})
	}
}
