package machine

import (
	"slices"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// normalReader reads operations, of what a run has left of D(t) with symbolic inputs, in the order in which they were
// made, so their operands have been read.
type normalReader struct {
	h      *graph.Heap
	out    *term.Term
	free   []term.Var // of the symbols
	exprs  map[compile.Ref]term.Ref
	inline map[compile.Ref]bool        // operations that no variable is bound to
	linear map[compile.Ref]compile.Ref // the linear name of an operation
	names  map[compile.Ref]term.Var    // of operations with a name, by the operation or by its linear name
}

// Normal returns the right-hand side of Theorem 1, ⟨G0, λa.Σ xj*(Gj)⟩ under the substitutions of G, which a run of
// [machine.Machine.Graph] of D(t) has left. d is D(t); its inputs, of type D(R), are the free variables. A name that
// nothing mentions stays, for no rule drops it.
func (m *Machine) Normal(d *term.Term, inputs []term.Var) *term.Term {
	h := m.Heap()
	t := term.New(d.Types)
	t.CopyVars(d, 0)
	rd := &normalReader{h: h, out: t, exprs: map[compile.Ref]term.Ref{}, inline: map[compile.Ref]bool{},
		linear: map[compile.Ref]compile.Ref{}, names: map[compile.Ref]term.Var{}}
	a := t.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true, Generated: true})
	stars := make([]term.Var, len(inputs))
	for i, x := range inputs {
		name := t.Info(x).Name
		rd.free = append(rd.free, t.NewVar(term.VarInfo{Name: name, Type: term.R, Generated: true}))
		stars[i] = t.NewVar(term.VarInfo{Name: name + "*", Type: term.AbstractDual, Generated: true})
	}
	rd.free = append(rd.free, a)
	value, arrived := m.Result()
	rd.findNames(m.Made(), value, arrived)

	var outer, inner []compile.Ref // names, outermost first
	last := map[compile.Ref]int{}  // a node may have been an operation before, which (5') has dropped
	for i, r := range m.Made() {
		last[r] = i
	}
	for i, r := range m.Made() {
		n := h.Node(r)
		if last[r] != i || !n.Graph {
			continue
		}
		rd.exprs[r] = rd.operation(&n)
		name, linear := rd.linear[r]
		switch {
		case linear:
			rd.name(name, "b", true, n.Pos)
			inner = append(inner, r)
		case !rd.inline[r]:
			rd.name(r, "z", false, n.Pos)
			outer = append(outer, r)
		}
	}
	var sum term.Ref
	for i, o := range arrived {
		if o.Tag == compile.Empty {
			continue
		}
		u := t.App(0, t.Variable(0, stars[i]), rd.operand(o))
		if sum == 0 {
			sum = u
		} else {
			sum = t.Add(0, sum, u)
		}
	}
	if sum == 0 {
		sum = t.Zero(0)
	}
	t.Root = rd.under(inner, sum)
	t.Root = rd.under(outer, t.Pair(0, rd.operand(value), t.Lam(0, a, t.Root)))
	for i, x := range slices.Backward(inputs) {
		t.Root = t.Unpair(0, rd.free[i], stars[i], t.Variable(0, x), t.Root)
	}
	return t
}

// findNames finds what stands where it is used, and linear names.
func (rd *normalReader) findNames(made []compile.Ref, value graph.Operand, arrived []graph.Operand) {
	use := func(o graph.Operand) {
		switch o.Tag {
		case compile.Operation:
			rd.inline[o.Ref] = true
		case compile.Inert:
			if n := rd.h.Node(o.Ref); n.Kind == compile.Linear {
				rd.linear[n.Operands[0].Ref] = o.Ref
			}
		}
	}
	use(value)
	for _, o := range arrived {
		use(o)
	}
	for _, r := range made {
		if n := rd.h.Node(r); n.Graph {
			for _, o := range rd.operands(&n) {
				use(o)
			}
		}
	}
}

// operands are those of an operation. Those behind the first of three or more are a tuple.
func (rd *normalReader) operands(n *graph.Node) []graph.Operand {
	out := n.Operands
	for {
		last := out[len(out)-1]
		if last.Tag != compile.Value {
			return out
		}
		pair := rd.h.Node(last.Ref)
		out = append(out[:len(out)-1:len(out)-1], pair.Operands...)
	}
}

// operation is the expression of an operation.
func (rd *normalReader) operation(n *graph.Node) term.Ref {
	var args []term.Ref
	for _, o := range rd.operands(n) {
		args = append(args, rd.operand(o))
	}
	if n.Kind == compile.Add {
		return rd.out.Add(n.Pos, args[0], args[1])
	}
	return rd.out.Fun(n.Pos, n.Symbol, args...)
}

// operand is the term of an operand.
func (rd *normalReader) operand(o graph.Operand) term.Ref {
	switch o.Tag {
	case compile.Number:
		return rd.out.Num(0, o.Number)
	case compile.Operation:
		return rd.exprs[o.Ref]
	}
	if n := rd.h.Node(o.Ref); n.Kind == compile.Symbol {
		return rd.out.Variable(0, rd.free[n.Index])
	}
	return rd.out.Variable(0, rd.names[o.Ref])
}

// name makes the variable of an operation.
func (rd *normalReader) name(r compile.Ref, name string, linear bool, pos term.Pos) {
	rd.names[r] = rd.out.NewVar(term.VarInfo{Name: name, Type: term.R, Linear: linear, Pos: pos, Generated: true})
}

// under puts the lets of operations around the body.
func (rd *normalReader) under(lets []compile.Ref, body term.Ref) term.Ref {
	for i := len(lets) - 1; i >= 0; i-- {
		x, ok := rd.names[lets[i]]
		if !ok {
			x = rd.names[rd.linear[lets[i]]]
		}
		body = rd.out.Let(rd.out.Info(x).Pos, x, rd.exprs[lets[i]], body)
	}
	return body
}
