package engine

import (
	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
)

// runsPerPath is how many runs of an iteration make the code of one more path worth making.
var runsPerPath uint64 = 16

// loopBlock returns the block with paths of the iteration that begins at r, if there is one. chain says that its function takes one
// argument more.
func (m *Machine) loopBlock(r graph.Ref) (b *graph.Block, chain bool) {
	kind := m.nodes[r].Kind()
	if m.literal || m.record != nil || kind == graph.IterList || m.left(r) < runsPerPath {
		return nil, false
	}
	f := m.words[4*uint64(r)+graph.IterFunction]
	args := block.IterArgs(kind == graph.IterNat)
	if m.nodes[f].Kind() != graph.Closure || m.fusedBlock(f, args) != nil {
		return nil, false
	}
	return m.block.PathsBlock(f, args, m.left(r), runsPerPath), m.prog.Templates[m.nodes[f].Head>>graph.KindShift].Params > uint32(args)
}

// makeChain is startIteration where the function f takes one argument more than an element and what has come of those behind it:
// f a1 (… (f an x)) is a function. Its steps are counted at once, and no closure is made.
func (m *Machine) makeChain(r graph.Ref, b *graph.Block, source, f, x graph.Ref, n uint64) {
	m.addSteps(rule.Subst, n)
	args := uint64(1)
	if m.nodes[source].Kind() == graph.DataList {
		args = 2
	}
	m.applied += args * n
	m.steps += 2 * args * n
	v := m.top
	m.top++
	m.nodes[v] = graph.Node{Head: uint32(graph.Chain), A: f, V: uint64(source) | uint64(x)<<32}
	m.settle(r, v)
}

// applyChain applies a chain: each of its functions to the result of that before, and the innermost function to what comes of it.
func (m *Machine) applyChain(r graph.Ref) error {
	w := 4*uint64(r) + graph.WaitWords
	chain := m.nodes[m.words[w]]
	f, source, inner := chain.A, graph.Ref(chain.V), graph.Ref(chain.V>>32)
	d := m.nodes[source]
	nat := d.Kind() == graph.Nat
	n := d.V
	if !nat {
		n = uint64(m.prog.Data[d.A].Rows)
	}
	if err := m.ensure(2); err != nil {
		return err
	}
	end := m.placeholder()
	if err := m.iterateBlock(end, m.block.PathsBlock(f, block.IterArgs(nat), n, runsPerPath), f, source, m.words[w+1], n, true); err != nil {
		return err
	}
	m.words[w], m.words[w+1] = inner, m.Resolve(end)
	m.push(r)
	return nil
}
