package rulepicture

import "github.com/gram-machine/gram/rule"

// rules is what there is to draw, by rule. Nodes are named by their index in their
// side.
var rules = [rule.Count]drawing{
	rule.Lambda: {instances: []instance{{
		before: side{
			nodes: []node{operation("@", 0, 0).inHalo(), term("λx.t", -24, 1, "x").inHalo(), term("u", 44, 1)},
			edges: []edge{operand(0, 1).inHalo(), operand(0, 2)},
		},
		after: side{
			nodes: []node{term("t", 0, 0, "x").inHalo(), term("u", 44, 1)},
			edges: []edge{pointer(0, 1).of(0).inHalo()},
		},
	}}},
	rule.Pair: {instances: []instance{{
		before: side{
			nodes: []node{term("s", 0, 0, "x", "y"), binder("⟨x,y⟩", 6, 1).inHalo(), operation("⟨,⟩", 6, 2).inHalo(),
				term("t", -30, 3), term("u", 42, 3)},
			edges: []edge{pointer(0, 1).of(0), pointer(0, 1).of(1), pointer(1, 2).inHalo(), operand(2, 3), operand(2, 4)},
		},
		after: side{
			nodes: []node{term("s", 0, 0, "x", "y"), term("t", -30, 3), term("u", 42, 3)},
			edges: []edge{pointer(0, 1).of(0).inHalo(), pointer(0, 2).of(1).inHalo()},
		},
	}}},
	rule.Subst:        substitution(term("v", 6, 1.25)),
	rule.SubstNumeral: substitution(number("r", 6, 1.25)),
	rule.GC: {instances: []instance{{
		before: collected("v"),
		after:  side{nodes: []node{term("t", -24, 0), term("v", 26, 1).pale()}},
	}}},
	rule.Lin: {dual: true, also: "(5′) linGc: t[x:=u] → t", instances: []instance{
		{
			when: "(5)",
			before: side{
				nodes: []node{term("t", 0, 0, "x"), term("v", 6, 1).inHalo()},
				edges: []edge{pointer(0, 1).of(0).inHalo()},
			},
			after: side{
				nodes: []node{term("t", 0, 0, ""), term("v", 6, 1)},
				edges: []edge{operand(0, 1).of(0).inHalo()},
			},
		},
		{
			when:   "(5′)",
			before: collected("u"),
			after:  side{nodes: []node{term("t", -24, 0), term("u", 26, 1).pale()}},
		},
	}},
	rule.Plus:  arithmetic("+", "r+q"),
	rule.Times: arithmetic("·", "rq"),
	rule.PlusPair: {dual: true, instances: []instance{{
		before: side{
			nodes: append([]node{operation("+", 0, 0).inHalo(), operation("⟨,⟩", -34, 1).inHalo(),
				operation("⟨,⟩", 34, 1).inHalo()}, components...),
			edges: []edge{operand(0, 1).inHalo(), operand(0, 2).inHalo(), operand(1, 3), operand(1, 4), operand(2, 5),
				operand(2, 6)},
		},
		after: side{
			nodes: append([]node{operation("⟨,⟩", 0, 0).inHalo(), operation("+", -20, 1).inHalo(),
				operation("+", 20, 1).inHalo()}, components...),
			edges: []edge{operand(0, 1).inHalo(), operand(0, 2).inHalo(), operand(1, 3).inHalo(), operand(2, 4).inHalo(),
				operand(1, 5).inHalo(), operand(2, 6).inHalo()},
		},
	}}},
	rule.EtaLambda: {instances: []instance{{
		before: side{nodes: []node{term("t", 0, 0).inHalo()}},
		after: side{
			nodes: []node{operation("λy", 0, 0).inHalo(), operation("@", 0, 1).inHalo(), term("t", -28, 2),
				variable("y", 28, 2).inHalo()},
			edges: []edge{operand(0, 1).inHalo(), operand(1, 2).inHalo(), operand(1, 3).inHalo(),
				pointer(3, 0).swing(24).inHalo()},
		},
	}}},
	rule.EtaPair: {instances: []instance{{
		before: side{
			nodes: []node{term("t", 0, 0, "x"), operation("⟨,⟩", 6, 3).inHalo(), term("u", -26, 4), term("u′", 38, 4)},
			edges: []edge{pointer(0, 1).of(0).inHalo(), operand(1, 2), operand(1, 3)},
		},
		after: side{
			nodes: []node{term("t", 0, 0, "x"), operation("⟨,⟩", 6, 3), term("u", -26, 4), term("u′", 38, 4),
				term("⟨,⟩", -5, 1, "y", "y′").inHalo(), binder("⟨y,y′⟩", 6, 2).inHalo()},
			edges: []edge{pointer(0, 4).of(0).inHalo(), pointer(4, 5).of(0).inHalo(), pointer(4, 5).of(1).inHalo(),
				pointer(5, 1).inHalo(), operand(1, 2), operand(1, 3)},
		},
	}}},
	rule.Factor: {dual: true, instances: []instance{{
		before: side{
			nodes: []node{operation("+", 0, 0).inHalo(), operation("@", -34, 1).inHalo(), operation("@", 34, 1).inHalo(),
				term("t", -50, 2), term("x*", 0, 2), term("t′", 50, 2)},
			edges: []edge{operand(0, 1).inHalo(), operand(0, 2).inHalo(), operand(1, 3), pointer(1, 4).inHalo(),
				pointer(2, 4).inHalo(), operand(2, 5)},
		},
		after: side{
			nodes: []node{operation("@", 0, 0).inHalo(), operation("+", 34, 1).inHalo(), term("x*", -34, 2),
				term("t", 12, 2), term("t′", 50, 2)},
			edges: []edge{operand(0, 1).inHalo(), pointer(0, 2).inHalo(), operand(1, 3).inHalo(), operand(1, 4).inHalo()},
		},
	}}},
	rule.Function: {instances: []instance{{
		before: side{
			nodes: []node{operation("f", 0, 0).inHalo(), number("r_1", -38, 1).inHalo(), text("…", 0, 1),
				number("r_k", 38, 1).inHalo()},
			edges: []edge{operand(0, 1).inHalo(), operand(0, 3).inHalo()},
		},
		after: side{nodes: []node{number("⟦f⟧(r_1,…,r_k)", 0, 0).inHalo()}},
	}}},
	rule.Branch: {instances: []instance{branch("r < q", 3), branch("r ≥ q", 4)}},
	rule.Case: {instances: []instance{{
		before: side{
			nodes: []node{operation("match", 0, 0).inHalo(), operation("C", -34, 1).inHalo(), term("v", -34, 2),
				term("p → u", 34, 1).inHalo()},
			edges: []edge{operand(0, 1).inHalo(), operand(1, 2), operand(0, 3).inHalo()},
		},
		after: side{
			nodes: []node{term("u", 0, 0, "p").inHalo(), term("v", -34, 2)},
			edges: []edge{pointer(0, 1).of(0).inHalo()},
		},
	}}},
	rule.Unfold: {instances: []instance{{
		before: side{
			nodes: []node{operation("@", 0, 0).inHalo(), term("fix f.v", -30, 1).inHalo(), term("u", 44, 1)},
			edges: []edge{operand(0, 1).inHalo(), operand(0, 2)},
		},
		after: side{
			nodes: []node{operation("@", 0, 0).inHalo(), term("v", -30, 1, "f").inHalo(), term("u", 44, 1),
				term("fix f.v", -24, 2.3)},
			edges: []edge{operand(0, 1).inHalo(), operand(0, 2), pointer(1, 3).of(0).inHalo()},
		},
	}}},
}

// components are those of the two pairs of (7).
var components = []node{term("t_1", -50, 2.3), term("t_2", -17, 2.3), term("u_1", 17, 2.3), term("u_2", 50, 2.3)}

// substitution is rule (3) for a value: an occurrence becomes what it points at.
func substitution(value node) drawing {
	return drawing{instances: []instance{{
		before: side{
			nodes: []node{term("C", 0, 0, "x", "x"), value.inHalo()},
			edges: []edge{pointer(0, 1).of(0).inHalo(), pointer(0, 1).of(1)},
		},
		after: side{
			nodes: []node{term("C", 0, 0, "", "x"), value},
			edges: []edge{operand(0, 1).of(0).inHalo(), pointer(0, 1).of(1)},
		},
	}}}
}

// collected is a term beside what no occurrence in it points at.
func collected(value string) side {
	return side{
		nodes: []node{term("t", -24, 0), variable("x", 26, 0).pale(), term(value, 26, 1).inHalo()},
		edges: []edge{pointer(1, 2)},
	}
}

// arithmetic is an operation on two numbers.
func arithmetic(symbol, result string) drawing {
	return drawing{instances: []instance{{
		before: side{
			nodes: []node{operation(symbol, 0, 0).inHalo(), number("r", -30, 1).inHalo(), number("q", 30, 1).inHalo()},
			edges: []edge{operand(0, 1).inHalo(), operand(0, 2).inHalo()},
		},
		after: side{nodes: []node{number(result, 0, 0).inHalo()}},
	}}}
}

// branch is rule (13) where it takes the given node.
func branch(when string, taken int) instance {
	before := []node{operation("if <", 0, 0), number("r", -51, 1), number("q", -17, 1), term("t", 17, 1), term("u", 51, 1)}
	after := make([]node, len(before))
	for i, n := range before {
		before[i].hot = i < 3
		if after[i] = n.pale(); i == taken {
			after[i] = n.inHalo()
		}
	}
	return instance{
		when: when,
		before: side{
			nodes: before,
			edges: []edge{operand(0, 1).inHalo(), operand(0, 2).inHalo(), operand(0, 3), operand(0, 4)},
		},
		after: side{nodes: after, root: taken},
	}
}
