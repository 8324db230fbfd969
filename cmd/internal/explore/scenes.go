package explore

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/gram-machine/gram/cmd/internal/reduction"
	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
)

// How many objects a window shows in one state: all, if there are no more than wholeObjects,
// and else nearObjects around the redex.
const (
	wholeObjects = 1000
	nearObjects  = 60
)

// scenes makes a window of a run that goes by: a fold over the events of the machine. Nodes are used
// again when they have been freed, so an object is one use of a node, and its ID counts the uses.
type scenes struct {
	x        *Exploration
	heap     func() *graph.Heap
	from, to uint64
	most     int
	out      Window

	uses   []use    // of each node: the object that it is now
	used   int      // objects so far
	at     []*shown // of each node: what is shown of it now
	known  map[int]*shown
	nearby []*shown // of the last state, where only the neighbourhood of the redex is shown

	next  uint64 // the first state that has not been looked at
	done  uint64 // rewrites so far
	live  uint64
	dirty []compile.Ref // what has been touched since the last look
	about []use         // what the last rewrite was about: its redex, where its value went, and what else it has touched
}

// use is a use of a node.
type use struct {
	ref      compile.Ref
	backward bool // it was taken into use in a backward phase
	id       int
	made     uint64 // the step that made it
}

// shown is an object of the window.
type shown struct {
	use
	versions []Version
	arrived  compile.Ref // the application that has arrived, of a dual
	until    uint64      // the first state that it was not near the redex in
	was      before      // as it was looked at last
}

// event takes a rewrite or a unit of work. Units belong to the rewrite before them, but for the reading of
// derivatives, which empties what they have arrived at: it belongs to the next.
func (s *scenes) event(f *machine.Fired) error {
	by, ok := f.Move.Rule()
	if ok && f.N >= s.from { // what it frees may be in use again
		s.about = append(s.about[:0], s.useOf(f.Redex>>2), s.useOf(f.Result>>2))
	}
	for _, r := range f.Made() {
		s.used++
		for int(r) >= len(s.uses) {
			s.uses = append(s.uses, use{})
		}
		s.uses[r] = use{ref: r, backward: f.Backward(), id: s.used, made: f.N}
	}
	s.done, s.live = f.N, f.Live()
	switch {
	case ok && f.N <= s.from:
		s.out.Counts[by]++
	case ok: // what it is about is known when its units have been done
		line, column := s.x.src.Position(f.Pos())
		s.out.Steps = append(s.out.Steps, Step{Rule: int(by), Phase: reduction.Phase(f.Backward()), Line: line,
			Column: column, Node: -1, Says: s.says(f, by)})
	}
	if f.N < s.from {
		return nil
	}
	if ok {
		for _, r := range f.Touched() {
			s.about = append(s.about, s.useOf(r))
		}
	}
	if f.Move == rule.ReadBack && s.x.gradient && s.next <= f.N {
		s.look(f.N)
	}
	s.dirty = append(s.dirty, f.Touched()...)
	return nil
}

// before takes that rewrite n is next: the heap is that of the state before it.
func (s *scenes) before(n uint64) error {
	if s.next < n && n > s.from {
		s.look(n - 1)
	}
	if n > s.to {
		return errWindowEnd
	}
	return nil
}

// finish takes that the run is over.
func (s *scenes) finish() {
	if s.next > s.done || s.done < s.from {
		return
	}
	for r, sh := range s.at {
		if sh != nil {
			s.dirty = append(s.dirty, compile.Ref(r))
		}
	}
	s.look(s.done)
}

// look brings state k into the window.
func (s *scenes) look(k uint64) {
	h := s.heap()
	s.at = append(s.at, make([]*shown, len(s.uses)-len(s.at))...)
	left := 0
	if s.most == wholeObjects {
		s.whole(h, k)
	} else {
		left = s.near(h, k)
	}
	s.dirty = s.dirty[:0]
	s.next = k + 1
	if k == s.from {
		return
	}
	step := &s.out.Steps[k-s.from-1]
	step.Live, step.Left = s.live, left
	for i, u := range s.about {
		switch sh := s.at[u.ref]; {
		case sh == nil || sh.id != u.id || sh.id == step.Node || slices.Contains(step.Operands, sh.id):
		case step.Node < 0 && i < 2:
			step.Node = sh.id
		default:
			step.Operands = append(step.Operands, sh.id)
		}
	}
}

// useOf returns the object that a node is.
func (s *scenes) useOf(r compile.Ref) use {
	if int(r) >= len(s.uses) {
		return use{}
	}
	u := s.uses[r]
	u.ref = r
	return u
}

// whole looks at the nodes that may have changed; in the first state, at all.
func (s *scenes) whole(h *graph.Heap, k uint64) {
	if k == s.from {
		s.dirty = s.dirty[:0]
		for r := range h.Len() {
			s.dirty = append(s.dirty, r)
		}
	}
	for _, r := range s.dirty { // what is told of a dual includes the argument that has arrived
		if n := h.Node(r); n.Kind == compile.App && n.Operands[0].Tag == compile.Name {
			s.dirty = append(s.dirty, n.Operands[0].Ref)
		}
	}
	slices.Sort(s.dirty)
	for _, r := range slices.Compact(s.dirty) {
		s.see(h, r, k)
	}
}

// near looks at the nodes nearest to what the last rewrite was about. It returns −1 if there are others.
func (s *scenes) near(h *graph.Heap, k uint64) (left int) {
	before := syntax.Each(len(s.nearby), func(i int) compile.Ref { return s.nearby[i].ref })
	about := syntax.Each(len(s.about), func(i int) compile.Ref { return s.about[i].ref })
	found := s.around(h, about, before, s.dirty)
	seen := s.nearby
	s.nearby = nil
	for _, r := range found {
		sh := s.see(h, r, k)
		sh.until = k + 1
		s.nearby = append(s.nearby, sh)
	}
	for _, sh := range seen {
		if sh.until <= k {
			s.close(sh, k)
		}
	}
	if uint64(len(found)) < s.live {
		return -1
	}
	return 0
}

// around returns the nodes nearest to some, the most there may be: to the first of these lists, and when no more
// is found from there, to the next.
func (s *scenes) around(h *graph.Heap, lists ...[]compile.Ref) []compile.Ref {
	var found []compile.Ref
	known := map[compile.Ref]bool{0: true}
	for _, queue := range lists {
		for i := 0; i < len(queue) && len(found) < s.most; i++ {
			r := queue[i]
			if known[r] || r >= h.Len() {
				continue
			}
			known[r] = true
			if n := h.Node(r); n.Kind != compile.Free {
				found = append(found, r)
				links(&n, func(to compile.Ref, _ string) { queue = append(queue, to) })
			}
		}
	}
	return found
}

// see brings a node as it is in state k into the window, if it is an object then.
func (s *scenes) see(h *graph.Heap, r compile.Ref, k uint64) *shown {
	if r == 0 || int(r) >= len(s.at) {
		return nil
	}
	n := h.Node(r)
	sh := s.at[r]
	if sh != nil && (n.Kind == compile.Free || sh.id != s.uses[r].id) {
		s.close(sh, k)
		sh = nil
	}
	if n.Kind == compile.Free {
		return nil
	}
	if sh == nil {
		sh = &shown{use: s.useOf(r)}
		if old := s.known[sh.id]; old != nil { // it was near once before
			sh = old
		} else {
			s.known[sh.id] = sh
		}
		s.at[r] = sh
	}
	if n.Arrived != 0 && n.Arrived != sh.arrived && k != s.from {
		s.out.Arrivals = append(s.out.Arrivals,
			Arrival{Step: k, From: s.useOf(n.Arrived).id, To: sh.id, Value: s.x.in(h).argument(n.Arrived)})
	}
	sh.arrived = n.Arrived
	v := s.version(h, &n, sh.backward)
	operand := func(i int) string { return s.x.in(h).Operand(n.Operands[i], 1) }
	sh.was = before{node: n, label: v.Label, operands: syntax.Each(len(n.Operands), operand)}
	s.put(sh, k, v)
	return sh
}

// put says how an object is from a state on.
func (s *scenes) put(sh *shown, k uint64, v Version) {
	if n := len(sh.versions); n > 0 {
		last := &sh.versions[n-1]
		v.From, v.Until = last.From, last.Until
		if last.Until > k && reflect.DeepEqual(*last, v) {
			return
		}
		last.Until = min(last.Until, k)
	}
	v.From, v.Until = k, s.to+1
	sh.versions = append(sh.versions, v)
}

// close says that an object is gone from a state on.
func (s *scenes) close(sh *shown, k uint64) {
	s.at[sh.ref] = nil
	if n := len(sh.versions); n > 0 {
		sh.versions[n-1].Until = min(sh.versions[n-1].Until, k)
	}
}

// window returns the window, when the run has gone by.
func (s *scenes) window() *Window {
	for id, sh := range s.known {
		s.out.Nodes = append(s.out.Nodes, Node{ID: id, Made: sh.made, Versions: sh.versions})
	}
	slices.SortFunc(s.out.Nodes, func(a, b Node) int { return cmp.Compare(a.ID, b.ID) })
	for i := range s.out.Nodes {
		for k := range s.out.Nodes[i].Versions {
			v := &s.out.Nodes[i].Versions[k]
			v.Edges = slices.DeleteFunc(v.Edges, func(e Edge) bool { return s.known[e.To] == nil })
		}
	}
	return &s.out
}

// links calls each with what a node refers to, and as what, as in [Edge]; with 0 for what it does not refer to.
func links(n *graph.Node, each func(to compile.Ref, as string)) {
	for i, o := range n.Operands {
		switch {
		case o.Tag == compile.Name && n.Kind == compile.App && i == 0:
			each(o.Ref, "head")
		case o.Tag == compile.Value || o.Tag == compile.Name || o.Tag == compile.Late:
			each(o.Ref, "holds")
		case o.Tag == compile.Variable:
			each(o.Ref, "occurs")
		}
	}
	for _, r := range n.Captures {
		each(r, "captures")
	}
	each(n.More, "captures")
	each(n.Up>>2, "waits")
	each(n.Binds[0], "binds")
	each(n.Binds[1], "binds")
	each(n.Arrived, "arrived")
}

// version describes a node in the current state; backward says that it was made in a backward phase.
func (s *scenes) version(h *graph.Heap, n *graph.Node, backward bool) Version {
	w := s.x.in(h)
	v := Version{Kind: n.Kind.String(), Role: "primal", Waits: show.Waits(n), Spent: spent(n), Root: n.Ref == h.Root(),
		Label: w.Label(n)}
	if backward || n.Backward() {
		v.Role = "dual"
	}
	v.Text = w.text(n, v.Label)
	switch {
	case n.Arrived != 0:
		v.Value = w.argument(n.Arrived)
	case n.Kind == compile.Result:
		v.Value = w.Operand(n.Operands[0], 1)
	}
	links(n, func(to compile.Ref, as string) {
		if id := s.useOf(to).id; to != 0 && id != 0 {
			v.Edges = append(v.Edges, Edge{To: id, As: as})
		}
	})
	v.Line, v.Column = s.x.src.Position(n.Pos)
	return v
}

// spent reports whether a node is a substitution whose value its last occurrence has taken.
func spent(n *graph.Node) bool { return len(n.Operands) > 0 && n.Operands[0].Tag == compile.Taken }
