package gram

import (
	"cmp"
	"errors"
	"slices"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
)

// How many objects a window shows in one state: all, if there are no more than
// wholeObjects, and else nearObjects around the redex.
const (
	wholeObjects = 3000
	nearObjects  = 60
)

// fewInputs is how many inputs are shown though nothing may refer to them.
const fewInputs = 100

var errTooMany = errors.New("gram: too many objects to be shown")

// scenes makes a window of a run that goes by. What the machine does at once it may do in
// several steps, an event: the arena is looked at once for each, and what has come, gone
// or changed is put at the step that did it.
type scenes struct {
	x        *Exploration
	m        *engine.Machine
	view     *engine.View
	from, to uint64
	first    uint64 // of the event that the window begins in
	most     int
	out      Window
	nodes    map[graph.Ref]*shown
	here     []*shown            // those that were seen last
	cells    map[graph.Ref]*cell // duals at which something has arrived
	event    event
	events   int
	last     uint64    // the last step
	top      graph.Ref // the first free node when the arena was looked at last
}

// shown is an object of the window, and how it was seen last.
type shown struct {
	versions []WindowVersion
	seen     engine.Seen
	root     bool
	event    int // the last that it was seen in
	here     bool
}

// event is what the machine does at once.
type event struct {
	number  uint64    // of its first step
	top     graph.Ref // what it makes lies from here on
	changes []change
	gone    []*shown
	made    []change // what computes numbers, in order
	left    int
}

// change is an object that an event has made or changed.
type change struct {
	at      graph.Ref
	step    uint64 // 0: not known
	version WindowVersion
	fresh   bool // it was not seen before
}

func newScenes(x *Exploration, from, to, first uint64, most int) *scenes {
	return &scenes{x: x, from: from, to: to, first: first, most: most, nodes: map[graph.Ref]*shown{}, cells: map[graph.Ref]*cell{},
		out: Window{From: from, To: to, Counts: make([]uint64, graph.NumRules), Steps: []WindowStep{}, Nodes: []WindowNode{},
			Arrivals: []WindowArrival{}}}
}

// rewrite takes a step.
func (s *scenes) rewrite(r *engine.Rewrite) error {
	if r.Number > s.to && r.Event != s.event.number {
		return errWindowEnd
	}
	if r.Number <= s.from {
		s.out.Counts[r.Rule]++
	}
	if r.Event >= s.first && r.Event != s.event.number {
		if err := s.startEvent(r); err != nil {
			return err
		}
	}
	s.last = r.Number
	s.fire(r)
	switch {
	case r.Event >= s.first:
		if computes(r) {
			s.event.made = append(s.event.made, change{at: r.At, step: r.Number, version: s.version(s.seen(r.At))})
		}
		if r.Number > s.from && r.Number <= s.to {
			s.step(r)
		}
	case r.Number+1 == s.first:
		return s.look(r)
	}
	return nil
}

// step adds a step to the window.
func (s *scenes) step(r *engine.Rewrite) {
	line, column := s.x.p.src.Position(r.Pos)
	step := WindowStep{Rule: int(r.Rule), Phase: r.Phase.String(), Line: line, Column: column, Node: -1, Event: r.Event,
		Live: r.After, Left: s.event.left}
	if r.At != 0 {
		step.Node = int(r.At)
	}
	for _, v := range r.Operands {
		step.Operands = append(step.Operands, int(v))
	}
	s.out.Steps = append(s.out.Steps, step)
}

// startEvent looks at the arena: it is as it is after the event that begins with r.
func (s *scenes) startEvent(r *engine.Rewrite) error {
	s.endEvent()
	s.event.number = r.Event
	return s.look(r)
}

// look finds out what has changed since the arena was looked at last. What the last event
// before the window has left is there from the window's first state on.
func (s *scenes) look(r *engine.Rewrite) error {
	var focus []graph.Ref
	if r.At != 0 {
		focus = append(focus, r.At)
	}
	if s.most == wholeObjects && len(s.x.inputs) <= fewInputs {
		focus = s.m.Inputs(focus)
	}
	seen, whole := s.view.Around(focus, s.most)
	if !whole {
		if s.most == wholeObjects {
			return errTooMany
		}
		s.event.left = -1
	}
	s.events++
	before := s.here
	s.here = make([]*shown, len(seen))
	for i := range seen {
		s.here[i] = s.see(&seen[i])
	}
	for _, sh := range before {
		if sh.event != s.events {
			sh.here = false
			s.event.gone = append(s.event.gone, sh)
		}
	}
	s.top = s.m.Top()
	return nil
}

// see finds out whether an object is new or another than before.
func (s *scenes) see(o *engine.Seen) *shown {
	sh := s.nodes[o.At]
	if sh == nil {
		sh = &shown{}
		s.nodes[o.At] = sh
	}
	sh.event = s.events
	root := o.At == s.m.Result()
	if !sh.here || sh.root != root || changed(&sh.seen, o) {
		s.event.changes = append(s.event.changes, change{at: o.At, version: s.version(*o), fresh: !sh.here})
		o.Refs = slices.Clone(o.Refs)
		sh.seen, sh.root, sh.here = *o, root, true
	}
	return sh
}

// changed tells whether an object looks another way. What has arrived at a dual, and who
// waits for a node, is no look of it.
func changed(a, b *engine.Seen) bool {
	switch k := b.Node.Kind(); {
	case k != a.Node.Kind() || !slices.Equal(a.Refs, b.Refs):
		return true
	case k == graph.Num:
		return a.Node.V != b.Node.V
	case k == graph.IterNat || k == graph.IterData || k == graph.IterList:
		return true // fewer elements are left
	}
	return false
}

// endEvent puts what the event has changed at its steps.
func (s *scenes) endEvent() {
	e := &s.event
	steps := make(map[graph.Ref]uint64, len(e.made))
	inOrder := e.made[:0:0] // of nodes, as they are made; without the redex itself
	for _, c := range e.made {
		steps[c.at] = c.step
		if c.at >= e.top {
			inOrder = append(inOrder, c)
		}
	}
	for i := range e.changes {
		c := &e.changes[i]
		s.put(s.nodes[c.at], s.stepOf(c, steps[c.at], inOrder), c.version)
		delete(steps, c.at)
	}
	for _, sh := range e.gone {
		s.close(sh, s.last)
	}
	for _, c := range e.made { // what is made and gone at once
		if steps[c.at] != c.step {
			continue
		}
		sh := s.nodes[c.at]
		if sh == nil {
			sh = &shown{}
			s.nodes[c.at] = sh
		}
		s.put(sh, c.step, c.version)
		s.close(sh, s.last)
	}
	s.event = event{top: s.top}
}

// stepOf returns the step that has made or changed an object: made, if that is not 0; an
// object that is no number is made on the way to the next number.
func (s *scenes) stepOf(c *change, made uint64, inOrder []change) uint64 {
	e := &s.event
	switch {
	case e.number < s.first:
		return s.from
	case made != 0:
		return made
	case s.holdsNewer(c):
		return s.last
	case s.m.IsGlobal(c.at) && s.most == wholeObjects:
		return s.from
	case c.fresh && c.at < e.top:
		return e.number
	case c.fresh:
		i, _ := slices.BinarySearchFunc(inOrder, c.at, func(m change, at graph.Ref) int { return cmp.Compare(m.at, at) })
		if i < len(inOrder) {
			return inOrder[i].step
		}
	}
	return s.last
}

// holdsNewer tells whether an object refers to what the event has made after it: it is
// the redex, which has become the event's result.
func (s *scenes) holdsNewer(c *change) bool {
	return slices.ContainsFunc(c.version.Edges, func(e WindowEdge) bool {
		to := graph.Ref(e.To)
		return e.As != "from" && to > c.at && to >= s.event.top
	})
}

// put says how an object is from a state on.
func (s *scenes) put(sh *shown, step uint64, v WindowVersion) {
	step = max(step, s.from)
	if step > s.to {
		return
	}
	v.From, v.Until = step, s.to+1
	n := len(sh.versions)
	if n > 0 && sh.versions[n-1].From == step {
		sh.versions[n-1] = v
		return
	}
	if n > 0 {
		sh.versions[n-1].Until = min(sh.versions[n-1].Until, step)
	}
	sh.versions = append(sh.versions, v)
}

// close says that an object is gone from a state on.
func (s *scenes) close(sh *shown, step uint64) {
	n := len(sh.versions)
	if n == 0 || step > s.to {
		return
	}
	last := &sh.versions[n-1]
	if last.Until = max(step, s.from); last.Until <= last.From {
		sh.versions = sh.versions[:n-1]
	}
}

// edgesTo returns those of the edges, which versions may share, that lead to what is known.
func edgesTo(edges []WindowEdge, known func(id int) bool) (out []WindowEdge) {
	for _, e := range edges {
		if known(e.To) {
			out = append(out, e)
		}
	}
	return out
}

// window returns the window, when the run is over or has come to its end.
func (s *scenes) window() *Window {
	s.endEvent()
	for at, sh := range s.nodes {
		if len(sh.versions) > 0 {
			s.out.Nodes = append(s.out.Nodes, WindowNode{ID: int(at), Versions: sh.versions})
		}
	}
	slices.SortFunc(s.out.Nodes, func(a, b WindowNode) int { return cmp.Compare(a.ID, b.ID) })
	known := func(id int) bool { sh := s.nodes[graph.Ref(id)]; return sh != nil && len(sh.versions) > 0 }
	for i := range s.out.Nodes {
		for k := range s.out.Nodes[i].Versions {
			v := &s.out.Nodes[i].Versions[k]
			v.Edges = edgesTo(v.Edges, known)
		}
	}
	for i := range s.out.Steps {
		step := &s.out.Steps[i]
		if step.Node >= 0 && !known(step.Node) {
			step.Node = -1
		}
		step.Operands = slices.DeleteFunc(step.Operands, func(id int) bool { return !known(id) })
	}
	return &s.out
}
