package collect

import "github.com/gram-machine/gram/graph"

// Objects are the objects of a program in an arena.
type Objects struct {
	prog  *graph.Program
	nodes []graph.Node
	words []uint32 // the same memory
}

// New returns a Collector of the program's objects.
func New(p *graph.Program, arena *graph.Arena) Collector {
	return Collector{Objects: Objects{p, arena.Nodes(), arena.Words()}}
}

// resolve returns the value that r stands for: r itself, or what it forwards to.
func (o *Objects) resolve(r graph.Ref) graph.Ref {
	if n := &o.nodes[r]; n.Kind() == graph.Forward {
		return graph.Ref(n.V)
	}
	return r
}

// Copy copies a value of another arena, which lies above, and what it refers to there, to the nodes from top on. It returns the place of the
// copy, and the first node that is free then. A copied object forwards to its copy. There is room for it.
func (o *Objects) Copy(v, top graph.Ref) (to, next graph.Ref) {
	next = top
	object := func(r graph.Ref) graph.Ref {
		r = o.resolve(r)
		if r < next {
			return r
		}
		to, n := next, o.Extent(r)
		next += n
		copy(o.nodes[to:next], o.nodes[r:r+n])
		o.nodes[r] = graph.Node{Head: uint32(graph.Forward), V: uint64(to)}
		return to
	}
	to = object(v)
	for r := top; r < next; r += o.Extent(r) {
		o.All(r, func(w uint64) { o.words[w] = object(o.words[w]) })
	}
	return to, next
}

// Extent returns how many nodes the object at r takes.
func (o *Objects) Extent(r graph.Ref) uint32 {
	n := &o.nodes[r]
	index := n.Head >> graph.KindShift
	switch n.Kind() {
	case graph.Vec, graph.Partial:
		return graph.Units(graph.ValueWords, int(index))
	case graph.Closure, graph.List:
		return graph.Units(graph.ValueWords, int(o.prog.Templates[index].Caps))
	case graph.Suspended:
		return max(2, graph.Units(graph.WaitWords, int(o.instruction(r).NumOperands())))
	case graph.Apply, graph.Project, graph.Copy, graph.IterNat, graph.IterData, graph.IterList:
		return 2
	}
	return 1
}

// instruction returns the instruction of a waiting node.
func (o *Objects) instruction(r graph.Ref) *graph.Instr {
	return &o.prog.Code[o.words[4*uint64(r)+3]]
}

// All calls f on each word of the object at r that refers to another.
func (o *Objects) All(r graph.Ref, f func(word uint64)) {
	if o.nodes[r].Kind() >= graph.Wait {
		w := 4 * uint64(r)
		f(w + 1) // the nodes that wait for it
		f(w + 2) // the next that waits for the same
	}
	o.References(r, f)
}

// References calls f on the words of the object r that refer to others, but for the lists of
// what waits.
func (o *Objects) References(r graph.Ref, f func(word uint64)) {
	n := &o.nodes[r]
	w := 4 * uint64(r)
	from, count := w+graph.ValueWords, uint32(0)
	index := n.Head >> graph.KindShift
	switch n.Kind() {
	case graph.Forward, graph.Con:
		count = 1
	case graph.Pair, graph.Arrival, graph.Bag:
		count = 2
	case graph.Vec:
		count = index
	case graph.Closure, graph.List, graph.LinDual:
		count = o.prog.Templates[index].Caps
	case graph.Partial:
		f(w + 1)
		count = index
	case graph.Chain:
		f(w + 1)
		count = 2
	case graph.DualCell:
		body := &o.prog.Bodies[o.prog.Duals[index].Body]
		from, count = w+graph.DualWords, body.Heads+body.Nums
	case graph.Inert:
		_, first, end := graph.InertParts(o.nodes, r)
		from, count = first, uint32(end-first)
	case graph.Neutral:
		from, count = w+graph.WaitWords, o.words[w+graph.NeutralOperands]
	case graph.Suspended:
		from, count = w+graph.WaitWords, o.instruction(r).NumOperands()
	case graph.Apply:
		from, count = w+graph.WaitWords, index&0xff+1
	case graph.Project, graph.Copy:
		from, count = w+graph.WaitWords, 1
	case graph.IterNat:
		from, count = w+graph.WaitWords, 2
	case graph.IterData, graph.IterList:
		from, count = w+graph.WaitWords, 3
	case graph.Job:
		from, count = w+graph.JobOperand, 3
	}
	for i := range uint64(count) {
		f(from + i)
	}
}
