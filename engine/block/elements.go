package block

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/engine/array"
	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// A list over an index whose elements a block makes has a table: a row for each element, with its numbers and, in a reversed program, with
// what arrives at its duals. It is made when the list is applied. In a reversed program it stands in the object of the runs that have
// made the elements, in place of rows: they are run again when their cells fire.

// nothing is in the table where nothing has arrived: a NaN that no operation gives.
var nothing = math.Float64frombits(0x7ff8_0000_6772_616d)

func isNothing(v float64) bool { return math.Float64bits(v) == math.Float64bits(nothing) }

// NewElements makes the table of the n elements that a block makes of a list, and in a reversed program their object, which is source, where
// room takes nodes. Otherwise the table is there until the next one is made. The error is that of the host or of room, or
// [graph.ErrFamilies] if the duals of an element are not all its own.
func (r *Runner) NewElements(b *graph.Block, list graph.Ref, n uint64, room func(units uint64) (graph.Ref, error)) (source graph.Ref, d *term.Data, err error) {
	width := len(b.Out.Regs) + b.Out.Duals
	if !r.prog.Reversed {
		d, err = r.newTable(n, width)
		return 0, d, err
	}
	plan, err := r.PlanOf(b, graph.ElementRuns)
	if err != nil {
		return 0, nil, err
	}
	base, err := room(DualsAt + uint64(len(b.OutDuals)) + uint64(graph.Units(0, len(r.Exts))) + (n*uint64(width)+1)/2)
	if err != nil {
		return 0, nil, err
	}
	p := r.NewObject(base, b, plan, graph.ElementRuns, n, nil)
	r.words[4*uint64(base)+blockData] = list
	for j := range b.OutDuals {
		if !p.Wiring.Own(j) {
			return 0, nil, graph.ErrFamilies
		}
	}
	d = r.table(&p)
	for at := len(b.Out.Regs); at < len(d.Values); at += d.Width {
		for j := range b.Out.Duals {
			d.Values[at+j] = nothing
		}
	}
	return base, d, nil
}

// table returns the table of an object of elements.
func (r *Runner) table(p *Object) *term.Data {
	width := len(p.Block.Out.Regs) + p.Block.Out.Duals
	return &term.Data{List: true, Rows: int(p.N), Width: width, Values: r.Floats(p)[:p.N*uint64(width)]}
}

// newTable returns a table without an object.
func (r *Runner) newTable(n uint64, width int) (*term.Data, error) {
	if numbers := n * uint64(width); uint64(len(r.elements)) < numbers {
		r.elements = nil
		if err := r.host.Reserve(8 * int64(numbers)); err != nil {
			return nil, err
		}
		r.elements = make([]float64, numbers)
	}
	return &term.Data{List: true, Rows: int(n), Width: width, Values: r.elements}, nil
}

// index returns the register of the index of the elements that a block makes.
func index(b *graph.Block) uint32 { return b.Params[0].Regs[0] }

// counting returns code that ends with one step of the index, and what moves it: the numbers from the register next on are its own.
func counting(b *graph.Block, code []graph.BlockInstr, op graph.BlockOp, next uint32) (node native.Node, one graph.Const) {
	one = graph.Const{Reg: next + 1, Val: 1}
	code = append(code, graph.BlockInstr{Op: op, Sym: term.Sub, D: next, A: index(b), B: one.Reg})
	return native.Node{Code: code, End: []native.Move{{D: index(b), A: next}}}, one
}

// MakeElements makes the elements from i up to end of the n that the block makes. The error is that of the host.
func (r *Runner) MakeElements(b *graph.Block, d *term.Data, i, end int) error {
	r.Regs[index(b)] = float64(i)
	if b.Arrays == nil {
		code, err := r.loopCode(&b.Compiled[0], len(b.Code), uint64(end-i), uint64(d.Rows-i), func() *native.Loop {
			node, one := counting(b, slices.Clone(b.Code), graph.BlockAdd, b.Regs)
			return &native.Loop{Consts: append(b.Consts[:len(b.Consts):len(b.Consts)], one), Nodes: []native.Node{node},
				Streams: []native.Stream{{Width: d.Width, Store: cells(b.Out.Regs, 0)}}}
		})
		if err != nil {
			return err
		}
		for code != nil && i < end {
			n := min(end-i, code.Chunk())
			r.native.Run(code, r.Regs, n, d.Values[i*d.Width:])
			i += n
		}
	}
	for ; i < end; i++ {
		r.Regs[index(b)] = float64(i)
		if err := r.Run(b); err != nil {
			return err
		}
		for c, reg := range b.Out.Regs {
			d.Values[i*d.Width+c] = r.Regs[reg]
		}
	}
	return nil
}

// readsElements reports whether the runs read elements, or keep what arrives there.
func (f *firing) readsElements() bool { return f.Plan.Elements || f.Kind == graph.ListLoop }

// keepElement keeps what has arrived at the duals of the element that a run has read.
func (f *firing) keepElement(w *graph.Backward, regs []float64) {
	if len(w.Elements) == 0 {
		return
	}
	at := (f.element(f.run)-f.from+1)*f.data.Width - len(w.Elements)
	for j, reg := range w.Elements {
		if reg != 0 {
			f.values[at+j] = regs[reg]
		}
	}
}

// elementStores are where machine code keeps it.
func elementStores(codes []*graph.Backward, width int) (stores []native.Cell) {
	for _, w := range codes {
		for j, reg := range w.Elements {
			if c := (native.Cell{Reg: reg, At: width - len(w.Elements) + j}); reg != 0 && !slices.Contains(stores, c) {
				stores = append(stores, c)
			}
		}
	}
	return stores
}

// ReachElements notes which duals of the elements of a list a backward code of the object p reaches, and marks them among its external duals.
func (r *Runner) ReachElements(p *Object, w *graph.Backward, used []bool) {
	reached := make([]bool, len(w.Elements))
	for j, reg := range w.Elements {
		if reached[j] = reg != 0; reached[j] {
			used[p.Block.ParamExt(0)+j] = true
		}
	}
	if r.reachedBy == nil {
		r.reachedBy = map[graph.Ref][][]bool{}
	}
	list := r.words[4*uint64(p.Base)+blockData]
	same := func(other []bool) bool { return slices.Equal(other, reached) }
	if slices.Contains(reached, true) && !slices.ContainsFunc(r.reachedBy[list], same) {
		r.reachedBy[list] = append(r.reachedBy[list], reached)
	}
}

// BeginJob forgets what the last job has reached.
func (r *Runner) BeginJob() {
	clear(r.reachedBy)
	r.doubted = r.doubted[:0]
}

// DiscoverElements marks the external duals that the cells of an object of elements reach.
func (r *Runner) DiscoverElements(p *Object, used []bool) error {
	for _, reached := range r.reachedBy[p.Base] {
		w, err := p.Wiring.Backward(r.prog, reached, false, false, r.look)
		if err == nil && w.Decided {
			err = graph.ErrFamilies
		}
		if err != nil {
			return err
		}
		for _, s := range w.Sums {
			for e := range s.N {
				used[s.Ext+e] = true
			}
		}
	}
	return nil
}

// fireElements fires the cells of the elements of a list, the last first.
func (f *firing) fireElements() error {
	d := f.r.table(&f.Object)
	reached := make([]bool, f.Block.Out.Duals)
	arrived := func(i int) []float64 { return d.Values[(i+1)*d.Width-len(reached) : (i+1)*d.Width] }
	same := func(i int) bool {
		for j, v := range arrived(i) {
			if reached[j] == isNothing(v) {
				return false
			}
		}
		return true
	}
	for end := d.Rows; end > 0; {
		for j, v := range arrived(end - 1) {
			reached[j] = !isNothing(v)
		}
		from := end - 1
		for from > 0 && end-from < LookEvery && same(from-1) {
			from--
		}
		if slices.Contains(reached, true) {
			w, err := f.Wiring.Backward(f.r.prog, reached, false, false, f.r.look)
			if err != nil {
				return err
			}
			if err := f.fireEqual(w, d, from, end); err != nil {
				return err
			}
		}
		if f.r.host.Left() == 0 {
			if err := f.r.host.LookBackward(StepsPerLook(f.Block)); err != nil {
				return err
			}
		}
		end = from
	}
	return nil
}

// fireEqual fires the cells of the elements down to from, by the same code: it runs their code again first.
func (f *firing) fireEqual(w *graph.Backward, d *term.Data, from, end int) error {
	r, b, duals := f.r, f.Block, f.Block.Out.Duals
	n := uint64(end - from)
	f.out.Arrivals += n * w.Arrivals
	f.out.Cells += n * w.Cells
	r.host.Fired(w, n)
	r.host.Count(n * w.Steps)
	r.Recomputed += n * b.Steps
	if err := r.Registers(w.Regs + 2); err != nil {
		return err
	}
	if err := r.Enter(b, r.words[4*uint64(f.Base)+blockData]); err != nil {
		return err
	}
	if err := f.enter(w); err != nil {
		return err
	}
	code, err := f.elementLoop(w, d, n)
	if err != nil {
		return err
	}
	regs := r.Regs
	regs[index(b)] = float64(end - 1)
	for i := end; code != nil && i > from; {
		runs := min(i-from, code.Chunk())
		i -= runs
		r.native.Run(code, regs, runs, d.Values[i*d.Width:])
	}
	for i := end - 1; code == nil && i >= from; i-- {
		regs[index(b)] = float64(i)
		if err := r.Run(b); err != nil {
			return err
		}
		for j, reg := range w.Out {
			regs[reg] = d.Values[(i+1)*d.Width-duals+j]
		}
		regs[0] = 0
		if err := array.Run(w.Arrays, regs, r.look); err != nil {
			return err
		}
		run(w.Code, regs)
	}
	for i := from; i < end; i++ {
		for j := range duals {
			d.Values[(i+1)*d.Width-duals+j] = nothing
		}
	}
	for _, s := range w.Sums {
		copy(f.out.Sums[s.Ext:s.Ext+s.N], regs[s.Reg:])
	}
	return nil
}

// elementLoop returns machine code that runs n elements and the backward code w, nil if they are interpreted.
func (f *firing) elementLoop(w *graph.Backward, d *term.Data, n uint64) (*native.Code, error) {
	b := f.Block
	if b.Arrays != nil {
		return nil, nil
	}
	return f.r.loopCode(&w.Compiled[0], len(b.Code)+len(w.Code), n, n, func() *native.Loop {
		node, one := counting(b, append(b.CodeFor(w.Saved), w.Code...), graph.BlockSub, w.Regs)
		adjoints := native.Stream{Width: d.Width, Down: true}
		for j, reg := range w.Out {
			if reg != 0 {
				adjoints.Load = append(adjoints.Load, native.Cell{Reg: reg, At: d.Width - len(w.Out) + j})
			}
		}
		consts := append(append(b.Consts[:len(b.Consts):len(b.Consts)], w.Consts...), one)
		return &native.Loop{Consts: consts, Nodes: []native.Node{node}, Streams: []native.Stream{adjoints}}
	})
}
