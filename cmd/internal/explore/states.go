package explore

import "slices"

// Window is a part of an [Exploration]: the states From to To, and what is seen in them.
type Window struct {
	From     uint64    `json:"from"`
	To       uint64    `json:"to"`
	Counts   []uint64  `json:"counts"` // steps by rule before state From, in the order of [Info.Rules]
	Steps    []Step    `json:"steps"`  // the steps From+1 to To
	Nodes    []Node    `json:"nodes"`
	Open     []string  `json:"open,omitempty"` // the keys of the open groups
	Arrivals []Arrival `json:"arrivals"`
}

// Step is a step.
type Step struct {
	Rule   int    `json:"rule"`   // its number in [Info.Rules]
	Phase  string `json:"phase"`  // primal or backward
	Line   int    `json:"line"`   // 0: it has no place in the source
	Column int    `json:"column"` // in runes, from 1 on
	// Node is the redex, or, if that is gone, the object to which its value went; −1: neither
	// is shown. Operands are the other objects that the rewrite has touched, as far as they
	// are shown.
	Node     int    `json:"node"`
	Operands []int  `json:"operands,omitempty"`
	Live     uint64 `json:"live"` // nodes in memory after it
	// Says describes this step with its numbers, or is "" if its redex is not shown.
	Says string `json:"says,omitempty"`
	// Left are the objects that are not shown behind it; −1: it isn't known how many, for
	// only the neighbourhood of the redex is.
	Left int `json:"left"`
}

// Arrival is an argument that arrives at a dual in the backward phase.
type Arrival struct {
	Step  uint64 `json:"step"` // the state from which on it has arrived
	From  int    `json:"from"` // the application
	To    int    `json:"to"`   // the dual
	Value string `json:"value"`
}

// Node is an object: a node of the arena from when it is taken into use until it is
// free. Its ID counts the uses of nodes: it is the same in all windows of a run.
type Node struct {
	ID       int       `json:"id"`
	Made     uint64    `json:"made,omitempty"`  // the step that made it
	Group    string    `json:"group,omitempty"` // the key of the group that it stands for, see [Exploration.Group]
	Versions []Version `json:"versions"`        // in order; no two at once
}

// Version is how an object is in the states From to Until−1.
type Version struct {
	From   uint64 `json:"from"`
	Until  uint64 `json:"until"`
	Kind   string `json:"kind"`            // as [compile.Kind] names it, or group
	Role   string `json:"role"`            // primal, or dual: of backpropagation
	Waits  bool   `json:"waits,omitempty"` // for an operand
	Spent  bool   `json:"spent,omitempty"` // a substitution whose value has been taken
	Label  string `json:"label"`           // the constructor with its operands
	Value  string `json:"value,omitempty"` // of the result; of a dual, what has arrived
	Text   string `json:"text"`            // all that is known
	Line   int    `json:"line,omitempty"`  // the place in the source that it is from
	Column int    `json:"column,omitempty"`
	Root   bool   `json:"root,omitempty"` // it is the result
	Edges  []Edge `json:"edges,omitempty"`
}

// same reports whether two versions are the same but for their states.
func (v *Version) same(u *Version) bool {
	return v.Kind == u.Kind && v.Role == u.Role && v.Waits == u.Waits && v.Spent == u.Spent && v.Label == u.Label &&
		v.Value == u.Value && v.Text == u.Text &&
		v.Line == u.Line && v.Column == u.Column && v.Root == u.Root && slices.Equal(v.Edges, u.Edges)
}

// Edge is a reference of an object to another.
type Edge struct {
	To int `json:"to"`
	// As is "holds" for an operand, the λ of a dual, or what has been applied; "occurs" for
	// the substitution that an occurrence of a variable refers to; "captures" for a
	// substitution that a λ captures; "head" for the dual that an application calls. Of
	// the others the value goes the other way: "waits" for what waits for the object,
	// "binds" for the substitutions that an opening makes, and "arrived" for the
	// application that has arrived at a dual.
	As string `json:"as"`
}
