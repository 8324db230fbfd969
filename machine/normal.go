package machine

import (
	"slices"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/term"
)

// normalReader reads operations, of what a run has left of D(t) with symbolic inputs, in the order in which they were
// made, so their operands have been read. They are known by their places.
type normalReader struct {
	run[plain]
	out    *term.Term
	free   []term.Var // of the symbols
	exprs  map[Place]term.Ref
	inline map[Place]bool     // operations that no variable is bound to
	linear map[Place]Place    // the linear name of an operation
	names  map[Place]term.Var // of operations with a name, by the operation or by its linear name
}

// Normal returns the right-hand side of Theorem 1, ⟨G0, λa.Σ xj*(Gj)⟩ under the substitutions of G, which a run of
// [machine.Machine.Graph] of D(t) has left. d is D(t); its inputs, of type D(R), are the free variables. A name that
// nothing mentions stays, for no rule drops it.
func (m *Machine) Normal(d *term.Term, inputs []term.Var) *term.Term {
	t := term.New(d.Types)
	t.CopyVars(d, 0)
	rd := &normalReader{run: run[plain]{m}, out: t, exprs: map[Place]term.Ref{}, inline: map[Place]bool{},
		linear: map[Place]Place{}, names: map[Place]term.Var{}}
	a := t.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true, Generated: true})
	stars := make([]term.Var, len(inputs))
	for i, x := range inputs {
		name := t.Info(x).Name
		rd.free = append(rd.free, t.NewVar(term.VarInfo{Name: name, Type: term.R, Generated: true}))
		stars[i] = t.NewVar(term.VarInfo{Name: name + "*", Type: term.AbstractDual, Generated: true})
	}
	rd.free = append(rd.free, a)
	made := rd.operations()
	value := m.arena.Node(m.seeds[1])
	rd.use(value.Tag[0], value.Val[0])
	for i := range inputs {
		if app := rd.arrived(i); app != nil {
			rd.use(app.Tag[1], app.Val[1])
		}
	}
	for _, r := range made {
		rd.operands(m.arena.Node(r), rd.use)
	}
	outer, inner := rd.lets(made) // names, outermost first
	var sum term.Ref
	for i := range inputs {
		app := rd.arrived(i)
		if app == nil {
			continue
		}
		sum = t.Plus(0, sum, t.App(0, t.Variable(0, stars[i]), rd.operand(app.Tag[1], app.Val[1])))
	}
	if sum == 0 {
		sum = t.Zero(0)
	}
	t.Root = rd.under(inner, sum)
	t.Root = rd.under(outer, t.Pair(0, rd.operand(value.Tag[0], value.Val[0]), t.Lam(0, a, t.Root)))
	for i, x := range slices.Backward(inputs) {
		t.Root = t.Unpair(0, rd.free[i], stars[i], t.Variable(0, x), t.Root)
	}
	return t
}

// operations are those that are left, in the order in which they were made. A node may have been an operation before,
// which (5') has dropped.
func (rd *normalReader) operations() (left []Place) {
	seen := map[Place]bool{}
	for _, r := range slices.Backward(rd.made) {
		n := rd.arena.Node(r)
		operation := n.Kind != compile.Free && n.Kind <= compile.Add
		if operation && n.Bits&compile.IsGraph != 0 && !seen[r] {
			left = append(left, r)
		}
		seen[r] = true
	}
	slices.Reverse(left)
	return left
}

// arrived is the application that has arrived at the dual of an input, or nil.
func (rd *normalReader) arrived(input int) *node {
	if app := rd.arena.Node(Place(1+input) << 2).C; app != 0 { // the first nodes of the arena
		return rd.arena.Node(app)
	}
	return nil
}

// use notes what stands where it is used, and linear names.
func (rd *normalReader) use(t Tag, v uint64) {
	switch t {
	case compile.Operation:
		rd.inline[lo(v)] = true
	case compile.Inert:
		if n := rd.arena.Node(lo(v)); n.Kind == compile.Linear {
			rd.linear[lo(n.Val[0])] = lo(v)
		}
	}
}

// lets makes the expressions of operations and the variables of those that have one. They are outside the λ or, where
// they are linear, inside.
func (rd *normalReader) lets(made []Place) (outer, inner []Place) {
	for _, r := range made {
		n := rd.arena.Node(r)
		var args []term.Ref
		rd.operands(n, func(t Tag, v uint64) { args = append(args, rd.operand(t, v)) })
		x := term.VarInfo{Name: "z", Type: term.R, Pos: rd.posOf(n.Code), Generated: true}
		rd.exprs[r] = rd.out.Operation(x.Pos, rd.symbol(n), args...)
		if name, linear := rd.linear[r]; linear {
			x.Name, x.Linear = "b", true
			rd.names[r] = rd.out.NewVar(x)
			rd.names[name] = rd.names[r]
			inner = append(inner, r)
		} else if !rd.inline[r] {
			rd.names[r] = rd.out.NewVar(x)
			outer = append(outer, r)
		}
	}
	return outer, inner
}

// operand is the term of an operand.
func (rd *normalReader) operand(t Tag, v uint64) term.Ref {
	switch t {
	case compile.Number:
		return rd.out.Num(0, number(v))
	case compile.Operation:
		return rd.exprs[lo(v)]
	}
	if n := rd.arena.Node(lo(v)); n.Kind == compile.Symbol {
		return rd.out.Variable(0, rd.free[n.C])
	}
	return rd.out.Variable(0, rd.names[lo(v)])
}

// under puts the lets of operations around the body.
func (rd *normalReader) under(lets []Place, body term.Ref) term.Ref {
	for _, r := range slices.Backward(lets) {
		x := rd.names[r]
		body = rd.out.Let(rd.out.Info(x).Pos, x, rd.exprs[r], body)
	}
	return body
}
