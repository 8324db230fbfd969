package gram

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/picture"
	"github.com/gram-machine/gram/term"
)

// cell is a dual in the backward phase.
type cell struct {
	sum          float64
	arrived, due int
	fired        bool
}

// put writes the cell's state into the dual's version.
func (c *cell) put(v *WindowVersion) {
	v.Value, v.Arrived, v.Due, v.Fired = "", 0, 0, false
	if c != nil {
		v.Value, v.Arrived, v.Due, v.Fired = picture.Number(c.sum), c.arrived, c.due, c.fired
	}
}

// arrive takes an argument that arrives at a dual.
func (s *scenes) arrive(a engine.Arrival) {
	c := s.cells[a.To]
	if c == nil {
		n := s.m.Node(a.To)
		c = &cell{due: int(n.A)}
		s.cells[a.To] = c
	}
	c.arrived++
	c.sum += a.Value
	if a.Step+1 < s.first {
		return
	}
	s.update(a.To, a.Step)
	if a.Step >= s.from && a.Step <= s.to {
		from := -1
		if a.From != 0 {
			from = int(a.From)
		}
		s.out.Arrivals = append(s.out.Arrivals, WindowArrival{Step: a.Step, From: from, To: int(a.To), Value: picture.Number(a.Value)})
	}
}

// fire looks whether a dual fires.
func (s *scenes) fire(r *engine.Rewrite) {
	if c := s.cells[r.At]; c != nil && r.Rule == graph.Lambda && r.Phase == engine.Backward {
		c.fired = true
		s.update(r.At, r.Number)
	}
}

// backward begins a backward phase.
func (s *scenes) backward() {
	for at := range s.cells {
		delete(s.cells, at)
		s.update(at, s.last)
	}
}

// update shows the state of a cell from a step on.
func (s *scenes) update(at graph.Ref, step uint64) {
	for i := range s.event.changes { // the version that is to be put into place
		if c := &s.event.changes[i]; c.at == at {
			s.cells[at].put(&c.version)
		}
	}
	sh := s.nodes[at]
	if sh == nil || len(sh.versions) == 0 {
		return
	}
	v := sh.versions[len(sh.versions)-1]
	if v.Until <= s.to {
		return // it is gone
	}
	s.cells[at].put(&v)
	s.put(sh, step, v)
}

// seen returns an object as it is now.
func (s *scenes) seen(at graph.Ref) engine.Seen {
	return engine.Seen{At: at, Node: s.m.Node(at)}
}

// roleOf tells what part an object has.
func roleOf(k graph.Kind) string {
	switch {
	case picture.IsDual(k):
		return "dual"
	case k >= graph.Wait:
		return "waiting"
	}
	return "primal"
}

// version describes an object as it is now.
func (s *scenes) version(o engine.Seen) WindowVersion {
	k := o.Node.Kind()
	v := WindowVersion{Kind: k.String(), Role: roleOf(k), Root: o.At == s.m.Result()}
	pos := s.m.Place(o.At)
	heads := s.m.Heads(o.At)
	for i, r := range o.Refs {
		v.Edges = append(v.Edges, WindowEdge{To: int(r), As: edgeKind(k, i, heads)})
	}
	switch {
	case k == graph.Num || k == graph.Input:
		if how, ok := s.origin(o.At); ok {
			pos = how.pos
		}
		s.number(&v, o)
	case k == graph.DualCell:
		v.Label, v.Text = backpropagator(s.x.name(pos))
		s.cells[o.At].put(&v)
	default:
		v.Label, v.Text = s.words(o)
	}
	v.Line, v.Column = s.x.p.src.Position(pos)
	return v
}

// edgeKind tells as what an object of a kind refers to its i-th reference.
func edgeKind(k graph.Kind, i, heads int) string {
	switch {
	case k == graph.DualCell && i < heads, k == graph.Arrival && i == 0:
		return "head"
	case k == graph.DualCell:
		return "factor"
	case k >= graph.Wait:
		return "waits"
	}
	return "holds"
}

// origin returns how the number at a node was computed.
func (s *scenes) origin(at graph.Ref) (origin, bool) {
	if int(at) >= len(s.x.made) || s.x.made[at].operands[0] == 0 {
		return origin{}, false
	}
	return s.x.made[at], true
}

// symbol is the operation.
func (o *origin) symbol() string {
	switch o.op {
	case graph.OpAdd:
		return picture.Symbol(term.NoSymbol)
	case graph.OpMul:
		return picture.Symbol(term.Mul)
	case graph.OpSub:
		return picture.Symbol(term.Sub)
	}
	return picture.Symbol(o.sym)
}

// name is what the source calls the number that is computed at a place, or else the
// operation; "" where there is none.
func (x *Exploration) name(pos term.Pos) string {
	if name := x.letNames[pos]; name != "" {
		return name
	}
	return x.symbols[pos]
}

// number describes a number, and the dual of an input.
func (s *scenes) number(v *WindowVersion, o engine.Seen) {
	if i := s.m.InputAt(o.At); i >= 0 {
		v.Label = s.x.p.src.Term.Vars[s.x.inputs[i]].Name
	}
	if o.Node.Kind() == graph.Input {
		v.Label += "*"
		v.Text = fmt.Sprintf("%s, where the derivative by %s arrives", v.Label, strings.TrimSuffix(v.Label, "*"))
		s.cells[o.At].put(v)
		return
	}
	v.Value = picture.Number(o.Node.Number())
	full := strconv.FormatFloat(o.Node.Number(), 'g', -1, 64)
	how, ok := s.origin(o.At)
	if !ok {
		v.Text = full
		if v.Label != "" {
			v.Text = v.Label + " = " + full
		}
		return
	}
	v.Label = s.x.name(how.pos)
	v.Text = fmt.Sprintf("%s = %s, computed by %s", v.Label, full, how.symbol())
	for _, r := range how.operands {
		if r != 0 {
			v.Edges = append(v.Edges, WindowEdge{To: int(r), As: "from"})
		}
	}
}
