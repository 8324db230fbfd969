package block

import (
	"github.com/gram-machine/gram/engine/array"
	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
	"github.com/gram-machine/gram/term/elementary"
)

// Loop is the iteration of a block.
type Loop struct {
	Block  *graph.Block
	Chain  bool // it reads the first element first
	Kind   graph.LoopKind
	N      uint64     // runs of one object
	Left   uint64     // runs
	All    uint64     // runs of the whole loop
	Data   *term.Data // or the table of a list; nil of a numeral
	PerRun uint64     // steps
	// Of a block with paths: the wirings of the first run, by its path, and the wiring of the last run, nil if there was none.
	First []*graph.Wiring
	Last  *graph.Wiring

	next []uint32     // by the number of the wiring of the run before, and by the path: that of the run; 0: not known yet
	code *native.Code // nil: the runs are interpreted
}

// State returns the registers of the last parameter, which a run's results become.
func (l *Loop) State() []uint32 { return l.Block.Params[len(l.Block.Params)-1].Regs }

// element returns the number of the element that run i reads.
func (l *Loop) element(i uint64) int {
	if l.Chain {
		return int(l.All - l.Left + i)
	}
	return int(l.Left - 1 - i)
}

// Begin makes ready for runs of the loop, whose rows are those of the plan. The error is that of the host.
func (r *Runner) Begin(l *Loop, plan *graph.Plan) (err error) {
	if n := len(l.State()); len(r.tmp) < n {
		r.tmp = Scratch(n)
	}
	l.code, err = r.forward(l, plan)
	return err
}

// Run runs a block once. The error is that of the host.
func (r *Runner) Run(b *graph.Block) error {
	if b.Arrays != nil {
		if err := array.Run(b.Arrays.Code, r.Regs, r.look); err != nil {
			return err
		}
		r.Take(b.Arrays)
	}
	run(b.Code, r.Regs)
	return nil
}

// MakeRuns makes the runs from i up to end, and their rows. The error is that of the host, or of the data.
func (r *Runner) MakeRuns(l *Loop, plan *graph.Plan, rows []float64, i, end uint64) error {
	regs := r.Regs
	columns := uint64(len(plan.Row))
	var values []float64 // of the data
	var first, width int
	if l.Data != nil {
		var err error
		from, to := l.element(i), l.element(end-1)
		if values, first, err = r.Elements(l.Data, min(from, to), max(from, to)+1); err != nil {
			return err
		}
		width = l.Data.Width
	}
	if paths := l.Block.Paths; paths != nil {
		Resize(&r.Ran, len(paths))
	}
	if l.code != nil {
		r.runNative(l, len(plan.Row), rows, values, first, i, end)
		return nil
	}
	if l.Block.Paths != nil {
		r.runPaths(l, plan, rows, i, end, values, first*width)
		return nil
	}
	if a := l.Block.Arrays; a != nil {
		Resize(&r.Taken, len(a.Masks))
	}
	for ; l.Block.Arrays != nil && i < end; i++ {
		if err := r.runOnArrays(l, plan, values[(l.element(i)-first)*width:], rows[i*columns:]); err != nil {
			return err
		}
	}
	state := l.State()
	for ; i < end; i++ {
		if l.Data != nil {
			at := (l.element(i) - first) * width
			for c, reg := range l.Block.Params[0].Regs {
				regs[reg] = values[at+c]
			}
		}
		run(l.Block.Code, regs)
		if columns > 0 {
			for c, reg := range plan.Row {
				rows[i*columns+uint64(c)] = regs[reg]
			}
		}
		r.moveState(state, l.Block.Out.Regs)
	}
	return nil
}

// KeepLast keeps the results of the last run that the row of a next one would have.
func (r *Runner) KeepLast(l *Loop, plan *graph.Plan, rows []float64) {
	for _, k := range plan.Last {
		rows[l.N*uint64(len(plan.Row))+uint64(k.Col)] = r.Regs[plan.Row[k.Col]]
	}
}

// moveState makes the results the arguments of the next run.
func (r *Runner) moveState(state, results []uint32) {
	regs := r.Regs
	if len(state) == 1 {
		regs[state[0]] = regs[results[0]]
		return
	}
	tmp := r.tmp
	for j, reg := range results {
		tmp[j] = regs[reg]
	}
	for j, reg := range state {
		regs[reg] = tmp[j]
	}
}

// run runs a block's code.
func run(code []graph.BlockInstr, regs []float64) {
	for i := range code {
		in := &code[i]
		a := regs[in.A]
		switch in.Op {
		case graph.BlockMul:
			regs[in.D] = a * regs[in.B]
		case graph.BlockAdd:
			regs[in.D] = a + regs[in.B]
		case graph.BlockAddMul:
			regs[in.D] += float64(a * regs[in.B]) // rounded: no fused multiply-add
		case graph.BlockSub:
			regs[in.D] = a - regs[in.B]
		case graph.BlockSlope:
			regs[in.D] = a * (1 - a)
		case graph.BlockSinCos:
			regs[in.D], regs[in.B] = elementary.SinCos(a)
		case graph.BlockFun1:
			regs[in.D] = in.Sym.Info().Eval1(a)
		case graph.BlockFun2:
			regs[in.D] = in.Sym.Info().Eval2(a, regs[in.B])
		}
	}
}

// IterArgs returns how many arguments the function of an iteration takes, of a numeral or a list.
func IterArgs(nat bool) int {
	if nat {
		return 1
	}
	return 2
}
