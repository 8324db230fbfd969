package graph

import "slices"

// LoopKind is how a block runs: once on its arguments, or as the step of an iteration,
// whose last parameter is the result of the run before.
type LoopKind uint8

// The kinds: one application, #n, and a data list, whose elements are the first
// parameter; a list whose elements a block has made, and the runs that have made them, each on its index.
const (
	OneRun LoopKind = iota
	NatLoop
	DataLoop
	ListLoop
	ElementRuns
)

// Plan says which of a block's registers a gradient keeps for the backward phase: all
// that the backward code reads when every dual of the result is reached.
type Plan struct {
	Wirings   []*Wiring // of the first run, where no two external duals are one; by its path
	Invariant []Span    // once: captured variables and inputs
	Fixed     int       // how many numbers Invariant has
	Row       []uint32  // of each run
	// Regs is how many registers the backward code has, at most, and DeferredRegs where it defers additions.
	Regs, DeferredRegs uint32
	Spans              []Span // Row, of a block with arrays
	Elements           bool   // the elements are read from the data again
	// Last are results of a run that are kept in the row of the next run only, as its
	// parameters: the register, and the column.
	Last []Kept
}

// Kept is a register that a column of the next row holds.
type Kept struct {
	Reg uint32
	Col int
}

// Span are N registers side by side, whose numbers are side by side elsewhere, too, from At on.
type Span struct {
	At     int
	Reg, N uint32
}

// Spans returns what the registers are made of.
func Spans(regs []uint32) (spans []Span) {
	for i, r := range regs {
		spans = addToSpans(spans, i, r)
	}
	return spans
}

// addToSpans adds register r, at a place behind those of the spans.
func addToSpans(spans []Span, at int, r uint32) []Span {
	if last := len(spans) - 1; last >= 0 && spans[last].Reg+spans[last].N == r {
		spans[last].N++
		return spans
	}
	return append(spans, Span{At: at, Reg: r, N: 1})
}

// Plan returns the block's plan. It is safe for concurrent use. look is as [Wiring.Backward] has it.
func (b *Block) Plan(p *Program, kind LoopKind, look func() error) (*Plan, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.plans[kind] == nil {
		var saved []uint32
		var regs, deferred uint32
		several := false
		var wirings []*Wiring
		if b.Paths == nil {
			wirings = append(wirings, b.wiring(b.distinct(kind)))
		}
		for _, path := range b.Paths {
			path.mu.Lock()
			wirings = append(wirings, path.wiring(b.distinct(kind)))
			path.mu.Unlock()
		}
		for _, w := range wirings {
			all := make([]bool, len(b.OutDuals))
			for j := range all {
				all[j] = w.Own(j)
			}
			back, err := w.Backward(p, all, false, false, look)
			if err != nil {
				return nil, err
			}
			codes := []*Backward{back}
			if back.BeforeReach != 0 {
				if back, err = w.Backward(p, all, false, true, look); err != nil {
					return nil, err
				}
				codes = append(codes, back)
			}
			for _, back := range codes {
				regs = max(regs, back.Regs)
				if back.Deferred != nil {
					deferred = max(deferred, back.Deferred.Regs)
				}
				if saved == nil {
					saved = slices.Clip(back.Saved)
				} else {
					saved, several = append(saved, back.Saved...), true
				}
			}
		}
		if several {
			saved = slices.Clone(saved)
			slices.Sort(saved)
			saved = slices.Compact(saved)
		}
		plan := b.newPlan(saved, kind)
		plan.Wirings, plan.Regs, plan.DeferredRegs = wirings, regs, deferred
		b.plans[kind] = plan
	}
	return b.plans[kind], nil
}

// Where a register comes from.
const (
	fromCode = iota
	fromConst
	fromOutside
	fromElement
	fromState
)

func (b *Block) newPlan(saved []uint32, kind LoopKind) *Plan {
	plan := &Plan{}
	from := b.origins(kind)
	leaf := map[uint32]int{} // of a result that the next run has as a parameter
	var state []uint32
	if kind != OneRun && kind != ElementRuns && b.Paths == nil {
		state = b.Params[len(b.Params)-1].Regs
		for j, r := range b.Out.Regs {
			leaf[r] = j
		}
	}
	column := make([]uint32, b.Regs) // 1 + its column, 0: none
	rows := 0
	for _, r := range saved {
		if from[r] == fromCode || from[r] == fromState {
			rows++
		}
	}
	plan.Row = make([]uint32, 0, rows)
	keep := func(r uint32) int {
		if column[r] == 0 {
			plan.Row = append(plan.Row, r)
			column[r] = uint32(len(plan.Row))
		}
		return int(column[r] - 1)
	}
	for _, r := range saved {
		j, again := leaf[r]
		switch {
		case from[r] == fromConst:
		case from[r] == fromOutside:
			plan.Invariant = addToSpans(plan.Invariant, plan.Fixed, r)
			plan.Fixed++
		case from[r] == fromElement:
			plan.Elements = true
		case again && from[r] == fromCode:
			plan.Last = append(plan.Last, Kept{r, keep(state[j])})
		default:
			keep(r)
		}
	}
	if b.Paths != nil {
		keep(b.State)
	}
	if kind == ElementRuns { // which run again, on what they have captured
		plan.Invariant, plan.Fixed = nil, 0
		return plan
	}
	if b.Arrays != nil {
		plan.Spans = Spans(plan.Row)
	}
	return plan
}

// origins says where each register comes from.
func (b *Block) origins(kind LoopKind) []uint8 {
	from := make([]uint8, b.Regs)
	set := func(regs []uint32, o uint8) {
		for _, r := range regs {
			from[r] = o
		}
	}
	for _, c := range b.Consts {
		from[c.Reg] = fromConst
	}
	for _, l := range b.Caps {
		set(l.Regs, fromOutside)
	}
	for _, g := range b.Globals {
		if g.Reg != 0 {
			for i := range g.N {
				from[g.Reg+i] = fromOutside
			}
		}
	}
	for i, l := range b.Params {
		o := uint8(fromState)
		if (kind == DataLoop || kind == ListLoop) && i == 0 {
			o = fromElement
		}
		set(l.Regs, o)
	}
	return from
}
