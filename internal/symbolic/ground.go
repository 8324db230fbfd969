package symbolic

import (
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// Operand is an operand of an operation of G, or an output of it: an operation, an
// input or a numeral.
type Operand struct {
	Op    int // the number of the operation, in the order of [Ground]; -1 for others
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

// Ground calls f on the operations of the computational graph that the machine's last
// [engine.Machine.Graph] left, each after its operands, until f returns false.
func Ground(m *engine.Machine, f func(Operation) bool) {
	v := m.View()
	for _, r := range m.Made() {
		n := &v.Nodes[r]
		sym, from, to := graph.InertParts(v.Nodes, r)
		op := Operation{Symbol: sym, Value: n.Number(), Pos: v.Program.Code[v.Words[4*uint64(r)+graph.InertAt]].Pos}
		for _, a := range v.Words[from:to] {
			op.Args = append(op.Args, operandOf(&v, a))
		}
		if !f(op) {
			return
		}
	}
}

// GroundOutputs returns the outputs of the graph: the numbers of the value, from
// left to right.
func GroundOutputs(m *engine.Machine) []Operand {
	v := m.View()
	var out []Operand
	for _, r := range m.Outputs() {
		out = append(out, operandOf(&v, r))
	}
	return out
}

func operandOf(v *engine.View, r graph.Ref) Operand {
	n := &v.Nodes[r]
	o := Operand{Op: -1, Input: -1, Value: n.Number()}
	switch n.Kind() {
	case graph.Inert:
		o.Op = int(v.Words[4*uint64(r)+graph.InertNumber])
	case graph.SymInput:
		o.Input = int(n.Head >> graph.KindShift)
	}
	return o
}
