package engine

import (
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// blockRecord is what a recorder keeps of blocks.
type blockRecord struct {
	sites   map[blockCall]uint32
	calls   []blockSite
	now     uint32               // the call of the block that runs
	ran     bool                 // in this redex
	made    []graph.Ref          // the block's objects, since its redex began
	arrived map[graph.Ref]uint64 // arrivals at duals of blocks' results, in this job
	fired   map[*graph.Backward]*firedCells
}

// blockCall is a call of a block, and blockSite the contexts of it: of each of its templates,
// and of the caller, which makes the elements of data.
type blockCall struct {
	caller uint32
	pos    term.Pos
	block  *graph.Block
}

type blockSite struct {
	contexts []uint32
	caller   uint32
}

// ran books runs of the block for the redex that fires: what stands for it in the literal
// form is a run of each of its templates, called from one place.
func (p *recorder) ran(b *graph.Block, times uint64) {
	m := p.m
	site := p.site(b)
	args := uint64(0)
	for i, id := range b.Templates {
		c := &p.contexts[site.contexts[i]]
		n := times * uint64(m.prog.Templates[id].Params)
		c.runs += times
		c.args += n
		args += n
	}
	p.applied += args
	p.steps += 2 * args
	p.bookCounts()
	p.steps = m.steps + times*b.Steps
	p.ticks -= int(min(times, clockEvery))
}

// site returns the contexts of a call of the block from the present place.
func (p *recorder) site(b *graph.Block) *blockSite {
	k := &p.blocks
	at := blockCall{p.context, p.pos, b}
	i, ok := k.sites[at]
	if !ok {
		s := blockSite{caller: p.context}
		for _, id := range b.Templates {
			s.contexts = append(s.contexts, p.callee(p.context, p.pos, id))
		}
		i = uint32(len(k.calls))
		k.calls = append(k.calls, s)
		k.sites[at] = i
	}
	k.now, k.ran = i, true
	return &k.calls[i]
}

// settle remembers of the block's objects which call made them, and gives them to the
// context of the block.
func (k *blockRecord) settle(p *recorder) {
	for _, base := range k.made {
		p.made.set(base+1, k.now)
	}
	k.made, k.ran = k.made[:0], false
}

// firedCells says what firing the cells of a block comes to, in one run: arrivals from
// inside the block, at its cells and at the external duals.
type firedCells struct {
	live []bool
	due  []uint64
	exts []uint64
}

// cellsOf finds what the block's backward code stands for, where the job has reached these
// of the duals of its result.
func (k *blockRecord) cellsOf(w *graph.Backward, b *graph.Block, reached []bool) *firedCells {
	f := k.fired[w]
	if f != nil {
		return f
	}
	f = &firedCells{live: make([]bool, len(b.Cells)), due: make([]uint64, len(b.Cells)), exts: make([]uint64, b.Exts)}
	for j, d := range b.OutDuals {
		if reached[j] && d >= 0 {
			f.live[d] = true
		}
	}
	for i := len(b.Cells) - 1; i >= 0; i-- { // a cell's heads were made before it
		if !f.live[i] {
			continue
		}
		for _, h := range b.Cells[i].Heads {
			if h >= 0 {
				f.live[h] = true
				f.due[h]++
			} else {
				f.exts[^h]++
			}
		}
	}
	k.fired[w] = f
	return f
}

// fireBlock books the firings of the cells of all runs of a block, the last run first, and
// the arrivals at them and at the external duals.
func (p *recorder) fireBlock(base graph.Ref, parts *blockParts) {
	m, b := p.m, parts.b
	site := &p.blocks.calls[p.made.of(base+1)]
	in := make([]uint64, len(b.OutDuals))
	for j := range in {
		h := parts.outs + graph.Ref(j)
		in[j] = p.blocks.arrived[h]
		delete(p.blocks.arrived, h)
	}
	exts, before := make([]uint64, b.Exts), make([]uint64, len(b.OutDuals))
	for t := m.patterns(parts); t.left > 0; {
		reached, wiring := slices.Clone(t.reached), t.wiring()
		w, times := t.next(m.prog, false)
		if w == nil {
			break
		}
		f := p.blocks.cellsOf(w, b, reached)
		for times > 0 {
			copy(exts, f.exts)
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
			if parts.kind != graph.OneRun && slices.Equal(before, in) {
				n = times // the runs before do the same
			}
			times -= n
			p.bookCells(site, b, f, in, n)
			p.bookExternals(site, parts, wiring, exts, n)
			in, before = before, in
		}
	}
	if p.timing {
		p.context, p.pos = site.contexts[0], m.prog.Templates[b.Templates[0]].Pos
		p.ticks -= int(min(parts.n, clockEvery))
		p.tick()
	}
}

// bookCells books n runs' firings of the cells of a block, at the duals of whose result so
// much has arrived.
func (p *recorder) bookCells(site *blockSite, b *graph.Block, f *firedCells, in []uint64, n uint64) {
	for i := range b.Cells {
		if f.live[i] {
			c := p.dualAt(site.contexts[b.Cells[i].Template], b.Cells[i].Dual)
			c.fired += n
			c.arrived += n * f.due[i]
		}
	}
	for j, d := range b.OutDuals {
		if d >= 0 {
			p.dualAt(site.contexts[b.Cells[d].Template], b.Cells[d].Dual).arrived += n * in[j]
		}
	}
}

// bookExternals books the arrivals of n runs at the external duals of the first run, and
// at those of the elements of data, λa.0⃗, which fire.
func (p *recorder) bookExternals(site *blockSite, parts *blockParts, w *graph.Wiring, arrivals []uint64, n uint64) {
	for k, d := range w.Exts {
		switch {
		case arrivals[k] == 0 || d < 0:
		case d == graph.Ignored:
			c := p.dualAt(site.caller, p.m.prog.ZeroDual)
			c.fired += n
			c.arrived += n * arrivals[k]
		default:
			p.arrive(parts.exts[d], n*arrivals[k])
		}
	}
}
