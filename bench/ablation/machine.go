package ablation

import (
	"math"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
)

// NoFactoring leaves out rule (11): x*(t) + x*(u) stays as it is, and each application of a
// dual fires by itself. It takes exponentially many steps where values are shared (section
// 5.2, Lemma main).
func NoFactoring() *engine.Hooks {
	type application struct {
		dual graph.Ref
		at   float64
	}
	return &engine.Hooks{Backward: func(m *engine.Machine, seed graph.Ref, grad []float64) error {
		for pending := []application{{seed, 1}}; len(pending) > 0; {
			d := pending[len(pending)-1]
			pending = pending[:len(pending)-1]
			input, err := m.Fire(d.dual, d.at, func(dual graph.Ref, at float64) { pending = append(pending, application{dual, at}) })
			if err != nil {
				return err
			}
			if input >= 0 {
				grad[input] += d.at
			}
		}
		return nil
	}}
}

// SubstituteFirst lets (3) put the λ of a dual in place of each occurrence of its variable
// before (11) has made them one, so that (11) meets at the inputs alone. It is exponential in
// time and in memory where values are shared (Theorem 1 is of the other order).
func SubstituteFirst() *engine.Hooks {
	return &engine.Hooks{Backward: func(m *engine.Machine, seed graph.Ref, grad []float64) error {
		d, err := unshare(m, seed)
		if err != nil {
			return err
		}
		return m.Backward(d, grad)
	}}
}

// unshare copies the duals that the seed reaches, one copy for each occurrence: the tree
// that (3) on dual variables makes. It returns the copy of the seed.
func unshare(m *engine.Machine, seed graph.Ref) (graph.Ref, error) {
	type occurrence struct {
		of graph.Ref // a dual
		in uint64    // the word that is to refer to its copy
	}
	const result = math.MaxUint64
	v := m.View()
	var root graph.Ref
	for pending := []occurrence{{seed, result}}; len(pending) > 0; {
		o := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		to := o.of
		if n := &v.Nodes[o.of]; n.Kind() == graph.DualCell {
			body := &v.Program.Bodies[v.Program.Duals[n.Head>>graph.KindShift].Body]
			units := graph.Units(graph.DualWords, int(body.Heads+body.Nums))
			var err error
			if to, err = m.Alloc(units); err != nil {
				return 0, err
			}
			if err := m.Charge(1, 1); err != nil {
				return 0, err
			}
			copy(v.Nodes[to:to+units], v.Nodes[o.of:o.of+units])
			first := 4*uint64(to) + graph.DualWords
			for w := first; w < first+uint64(body.Heads); w++ {
				pending = append(pending, occurrence{v.Words[w], w})
			}
		}
		if o.in == result {
			root = to
		} else {
			v.Words[o.in] = to
		}
	}
	return root, nil
}

// Rescan searches for each redex from the result on, through the nodes that wait, in place
// of taking it from the worklist. Each node that it visits is search (section 7).
func Rescan() *engine.Hooks {
	var seen []uint32 // by node, the number of the search that visited it last
	turn := uint32(0)
	at := map[graph.Ref]int{}
	return &engine.Hooks{Pick: func(m *engine.Machine, work []graph.Ref) (int, error) {
		v := m.View()
		if n := int(v.Top) - len(seen); n > 0 {
			seen = append(seen, make([]uint32, n)...)
		}
		clear(at)
		for i, r := range work {
			at[r] = i
		}
		turn++
		for stack := []graph.Ref{v.Root}; len(stack) > 0; {
			r := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if v.Nodes[r].Kind() < graph.Wait || seen[r] == turn {
				continue
			}
			seen[r] = turn
			if i, ok := at[r]; ok {
				return i, nil
			}
			if err := m.Charge(0, 1); err != nil {
				return 0, err
			}
			m.References(r, func(w uint64) { stack = append(stack, v.Words[w]) })
		}
		return len(work) - 1, nil
	}}
}

// CopyBodies copies the whole body of a λ when it is applied, its branches and inner λs
// with it, as (3) does on terms. Each instruction is overhead, and a node.
func CopyBodies() *engine.Hooks {
	return &engine.Hooks{Pick: func(m *engine.Machine, work []graph.Ref) (int, error) {
		last := len(work) - 1
		v := m.View()
		r := work[last]
		if v.Nodes[r].Kind() != graph.Apply {
			return last, nil
		}
		f := &v.Nodes[v.Words[4*uint64(r)+graph.WaitWords]]
		if f.Kind() != graph.Closure {
			return last, nil
		}
		for pending := []uint32{f.Head >> graph.KindShift}; len(pending) > 0; {
			t := &v.Program.Templates[pending[len(pending)-1]]
			pending = pending[:len(pending)-1]
			code := v.Program.Code[t.Start:t.End]
			to, err := m.Alloc(uint32(len(code)))
			if err != nil {
				return 0, err
			}
			if err := m.Charge(uint64(len(code)), 0); err != nil {
				return 0, err
			}
			for i := range code {
				in := &code[i]
				v.Nodes[to+uint32(i)] = graph.Node{A: in.D, V: uint64(in.A) | uint64(in.B)<<32}
				switch in.Op {
				case graph.OpClosure, graph.OpList:
					pending = append(pending, in.Tmpl)
				case graph.OpIf:
					pending = append(pending, in.Tmpl, in.Else)
				}
			}
		}
		return last, nil
	}}
}
