package profile

import (
	"slices"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// blockRecord is what a Recorder keeps of blocks.
type blockRecord struct {
	sites   map[blockCall]uint32
	calls   []blockSite
	now     uint32               // the call of the block that runs
	ran     bool                 // in this redex
	made    []madeBlock          // the block's objects, since its redex began
	arrived map[graph.Ref]uint64 // arrivals at duals of blocks' results, in this job
	fired   map[*graph.Backward]*firedCells
}

// madeBlock is the object of a block. If its block runs in the code of a template, the call is known when it is made.
type madeBlock struct {
	base   graph.Ref
	call   uint32
	inCode bool
}

// blockCall is a call of a block, and blockSite the contexts of it, of each of its templates.
type blockCall struct {
	caller uint32
	pos    term.Pos
	block  *graph.Block
}

type blockSite struct{ contexts []uint32 }

// Ran books runs of the block for the redex that fires: what stands for it in the literal
// form is a run of each of its templates, called from one place.
func (p *Recorder) Ran(b *graph.Block, times uint64) {
	m := p.m
	if b.Templates[0] == p.prog.Main {
		p.bookNodes()
		p.Sync() // what start has counted is of the inputs
	}
	site := p.site(b)
	args := uint64(0)
	for i, id := range b.Templates {
		c := &p.contexts[site.contexts[i]]
		n := times * uint64(p.prog.Templates[id].Params)
		c.runs += times
		c.args += n
		args += n
	}
	p.applied += args
	p.steps += 2 * args
	p.bookCounts()
	p.steps = m.Steps() + times*b.Steps
	p.ticks -= int(min(times, clockEvery))
}

// Took books the runs of branches of the block that has just run: code of its templates.
func (p *Recorder) Took(b *graph.Block, taken []uint64) {
	for i, n := range taken {
		if n == 0 {
			continue
		}
		mask := &b.Arrays.Masks[i]
		t := &p.prog.Templates[mask.Template]
		c := p.callee(p.blocks.calls[p.blocks.now].contexts[mask.In], t.Pos, mask.Template)
		p.contexts[c].runs += n
		p.steps += n * t.Steps
	}
}

// site returns the contexts of a call of the block from the present place.
func (p *Recorder) site(b *graph.Block) *blockSite {
	k := &p.blocks
	at := blockCall{p.context, p.pos, b}
	i, ok := k.sites[at]
	if !ok {
		var s blockSite
		for _, id := range b.Templates {
			callee := uint32(0)
			if id != p.prog.Main {
				callee = p.callee(p.context, p.pos, id)
			}
			s.contexts = append(s.contexts, callee)
		}
		i = uint32(len(k.calls))
		k.calls = append(k.calls, s)
		k.sites[at] = i
	}
	k.now, k.ran = i, !p.inCode
	return &k.calls[i]
}

// settle remembers of the block's objects which call made them, and gives them to the
// context of the block.
func (k *blockRecord) settle(p *Recorder) {
	for _, m := range k.made {
		if !m.inCode {
			m.call = k.now
		}
		p.made.set(m.base+1, m.call)
	}
	k.made, k.ran = k.made[:0], false
}

// firedCells says what firing the cells of a block comes to, in one run: how many of each dual λ fire, and the arrivals from
// inside the block, at its cells and at the external duals.
type firedCells struct {
	b      *graph.Block
	wiring *graph.Wiring
	cells  []firedDual
	of     func(cell int) int // the number in cells
	exts   []uint64
	// Of a block with arrays: the families that are live, the last one first, and whether they depend on the run.
	families []liveFamily
	either   map[int]*liveFamily // whose cells are one of two duals
	exact    bool
}

// firedDual are the cells that one dual λ of a block makes in a run: with arrays a family, otherwise one.
type firedDual struct {
	template   int // in graph.Block.Templates
	dual       uint32
	live       bool
	either     bool // each of the cells is one of two duals, and no dual λ
	cells, due uint64
	nulls      uint64 // of their applications, those of λa.0⃗
}

// cellsOf finds what the block's backward code stands for, where the job has reached these
// of the duals of its result. Of a family, it reaches all cells.
func (k *blockRecord) cellsOf(w *graph.Backward, b *graph.Block, wiring *graph.Wiring, reached []bool) *firedCells {
	f := k.fired[w]
	if f != nil {
		return f
	}
	f = &firedCells{b: b, wiring: wiring, either: map[int]*liveFamily{}, exts: make([]uint64, b.Exts), exact: len(w.Masked) > 0 || w.Decided}
	f.of = func(cell int) int { return cell }
	for i := range b.Cells {
		c := &b.Cells[i]
		f.cells = append(f.cells, firedDual{template: c.Template, dual: c.Dual, cells: 1})
	}
	if b.Arrays != nil {
		f.of = b.Arrays.FamilyOf
		for i := range b.Arrays.Cells {
			c := &b.Arrays.Cells[i]
			f.cells = append(f.cells, firedDual{template: c.Template, dual: c.Dual, either: c.Either, cells: uint64(graph.Instances(c.Dims) * max(1, c.Inner.Size-1))})
		}
	}
	for j, d := range b.OutDuals {
		if reached[j] && d >= 0 {
			f.cells[f.of(int(d))].live = true
		}
	}
	for i := len(f.cells) - 1; i >= 0; i-- { // a cell's heads were made before it
		if !f.cells[i].live {
			continue
		}
		if b.Arrays != nil {
			f.arrivals(b.Arrays, i)
			continue
		}
		for _, h := range b.Cells[i].Heads {
			f.arrive(i, h >= 0, int(max(h, ^h)))
		}
	}
	k.fired[w] = f
	return f
}

// arrive books an arrival at a cell, or at an external dual, of cells from.
func (f *firedCells) arrive(from int, inside bool, dual int) {
	switch {
	case f.isNull(inside, dual):
		f.cells[from].nulls++
	case inside:
		at := &f.cells[f.of(dual)]
		at.live = true
		at.due++
	default:
		f.exts[dual]++
	}
}

// isNull reports whether a cell, or an external dual, is λa.0⃗.
func (f *firedCells) isNull(inside bool, dual int) bool {
	switch {
	case !inside:
		return f.wiring.Exts[dual] == graph.Ignored
	case f.b.Arrays != nil:
		return f.b.Arrays.Cells[f.of(dual)].Null
	}
	return f.b.Cells[dual].Null
}

// arrivals books those of a family.
func (f *firedCells) arrivals(a *graph.Arrays, family int) {
	c, fired := &a.Cells[family], &f.cells[family]
	if c.Inner.Size > 0 { // all cells of a sum but the first get an arrival from another one
		fired.due += fired.cells - uint64(graph.Instances(c.Dims))
	}
	c.EachHead(func(h *graph.ArrayHead, dual int) { f.arrive(family, !h.External, dual) })
	f.exact = f.exact || c.Either
	f.families = append(f.families, liveFamily{number: family})
}

// FireBlock books the firings of the cells of all runs of a block, the last run first, and
// the arrivals at them and at the external duals.
func (p *Recorder) FireBlock(f engine.BlockFiring) {
	b := f.Block
	site := &p.blocks.calls[p.made.of(f.Base+1)]
	in := make([]uint64, len(b.OutDuals))
	for j := range in {
		h := f.Outs + graph.Ref(j)
		in[j] = p.blocks.arrived[h]
		delete(p.blocks.arrived, h)
	}
	exts, before := make([]uint64, b.Exts), make([]uint64, len(b.OutDuals))
	left := f.N
	f.Runs(func(wiring *graph.Wiring, w *graph.Backward, reached []bool, times uint64) {
		static := p.blocks.cellsOf(w, b, wiring, reached)
		for times > 0 {
			cells := static
			if static.exact {
				cells = static.inRun(b, f.Row(left-1), in)
			}
			copy(exts, cells.exts)
			for j, d := range b.OutDuals {
				if d < 0 && reached[j] {
					exts[^d] += in[j]
				}
			}
			clear(before)
			for k, d := range wiring.Exts {
				if d < 0 {
					before[^d] += exts[k]
				}
			}
			n := uint64(1)
			if f.Kind != graph.OneRun && slices.Equal(before, in) && !static.exact {
				n = times // the runs before do the same
			}
			times -= n
			left -= n
			p.bookCells(site, b, cells, in, n)
			p.bookExternals(f.Exts, wiring, exts, n)
			in, before = before, in
		}
	})
	if p.timing {
		p.context, p.pos = site.contexts[0], p.prog.Templates[b.Templates[0]].Pos
		p.ticks -= int(min(f.N, clockEvery))
		p.tick()
	}
}

// MadeBlock books that a block's object was made.
func (p *Recorder) MadeBlock(base graph.Ref) {
	p.blocks.made = append(p.blocks.made, madeBlock{base, p.blocks.now, p.inCode})
}

// bookCells books n runs' firings of the cells of a block, at the duals of whose result so
// much has arrived.
func (p *Recorder) bookCells(site *blockSite, b *graph.Block, f *firedCells, in []uint64, n uint64) {
	for i := range f.cells {
		if d := &f.cells[i]; d.live && !d.either {
			c := p.dualAt(site.contexts[d.template], d.dual)
			c.fired += n * d.cells
			c.arrived += n * d.due
			c.nulls += n * d.nulls
		}
	}
	for j, d := range b.OutDuals {
		if d >= 0 && in[j] > 0 && !f.exact { // otherwise they are among those that are due
			c := &f.cells[f.of(int(d))]
			p.dualAt(site.contexts[c.template], c.dual).arrived += n * in[j]
		}
	}
}

// bookExternals books the arrivals of n runs at the external duals of the first run.
func (p *Recorder) bookExternals(duals []graph.Ref, w *graph.Wiring, arrivals []uint64, n uint64) {
	for k, d := range w.Exts {
		if arrivals[k] != 0 && d >= 0 {
			p.Arrive(duals[d], n*arrivals[k])
		}
	}
}
