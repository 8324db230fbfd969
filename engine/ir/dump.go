package ir

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Dump writes the functions of the program for people: their instructions with registers, places by line and the steps
// of each block by rule. place gives the line and column of a position.
func (p *Program) Dump(w io.Writer, place func(in *Instr) string) error {
	out := bufio.NewWriter(w)
	for i, f := range p.Funcs {
		fmt.Fprintf(out, "function %d %s: parameters %v, results %d, registers %d\n", i, f.Name, f.Args, f.Results, f.Regs)
		for k := range f.Code {
			in := &f.Code[k]
			text := p.text(in)
			if in.Op != Label {
				text = "\t" + text
			}
			if at := place(in); at != "" {
				text += "\t; " + at
			}
			if in.Op == VectorLoop {
				text += p.Vectors[in.M].text(in)
			}
			fmt.Fprintln(out, text)
		}
	}
	return out.Flush()
}

// text is an instruction for people.
func (p *Program) text(in *Instr) string {
	var b strings.Builder
	switch in.Op {
	case Label:
		return fmt.Sprintf("L%d:", in.N)
	case Count:
		return "count " + Steps(&p.Blocks[in.N].Steps)
	}
	if n := in.Sets(); n > 0 {
		fmt.Fprintf(&b, "r%d", in.D)
		if n > 1 {
			fmt.Fprintf(&b, "…r%d", int(in.D)+n-1)
		}
		b.WriteString(" ← ")
	}
	b.WriteString(in.Op.String())
	if in.Taped {
		b.WriteString(" taped")
	}
	switch in.Op {
	case Fun1, Fun2, FunK, SumAdd:
		if in.Sym != 0 {
			b.WriteString(" " + in.Sym.String())
		}
	case Const:
		fmt.Fprintf(&b, " %v", in.Val)
	case Branch:
		fmt.Fprintf(&b, " unless %v, to L%d:", in.Cmp, in.N)
	}
	in.Uses(func(r *Reg) { fmt.Fprintf(&b, " r%d", *r) })
	if in.Op == Enter && in.Val > 0 {
		fmt.Fprintf(&b, " for %.0f iterations", math.Ceil(in.Val))
	}
	if in.Op == Hot {
		fmt.Fprintf(&b, " for loop L%d of %.0f iterations", in.M, math.Ceil(in.Val))
	}
	if in.Number != 0 {
		fmt.Fprintf(&b, " %v", in.Val)
	}
	switch in.Op {
	case Jump, Empty, Next, Prev, VectorLoop, Hot:
		fmt.Fprintf(&b, " to L%d", in.N)
	case Call, TailCall, MakeClosure, Member, Sibling:
		fmt.Fprintf(&b, " function %d", in.N)
	case Switch:
		fmt.Fprintf(&b, " to %v", in.Labels)
	case Load, View, Static, Object, Store, Copy, Capture, Alloc, Own, MakeCon:
		fmt.Fprintf(&b, " [%d]", in.N)
	case LoadX, ViewX, StaticX, ObjectX, StoreX, CopyX:
		fmt.Fprintf(&b, " [· %d + %d]", in.M, in.N)
	}
	return b.String()
}

// text is a vector for people: its loops, and its instructions with the loop that each runs in.
func (v *Vector) text(in *Instr) string {
	var b strings.Builder
	for i, l := range v.Loops {
		fmt.Fprintf(&b, "\n\t\tloop i%d of %d", i, l.Size)
		if l.Parent >= 0 {
			fmt.Fprintf(&b, " in i%d", l.Parent)
		}
		if l.Where >= 0 {
			fmt.Fprintf(&b, " where v%d", l.Where)
		}
	}
	for i := range v.Lanes {
		l := &v.Lanes[i]
		if l.Op == LaneNone {
			continue
		}
		fmt.Fprintf(&b, "\n\t\tv%d ← %v", i, l.Op)
		if l.Indices {
			b.WriteString(" of indices")
		}
		if l.Sym != term.NoSymbol {
			b.WriteString(" " + l.Sym.String())
		}
		switch l.Op {
		case LaneTest:
			fmt.Fprintf(&b, " %v", l.Cmp)
		case LaneConst:
			fmt.Fprintf(&b, " %v", l.Val)
		case LaneScalar:
			fmt.Fprintf(&b, " r%d", in.Args[l.Arg])
		case LaneLoad:
			if l.Arg >= 0 {
				fmt.Fprintf(&b, " r%d", in.Args[l.Arg])
			}
		}
		if l.Op == LaneStore && v.Into < 0 {
			fmt.Fprintf(&b, " result %d", l.Arg)
		}
		l.Operands(func(k int) { fmt.Fprintf(&b, " v%d", k) })
		switch l.Op {
		case LaneOneHot:
			fmt.Fprintf(&b, " [%d] i%d", l.At.N, l.B)
		case LaneWhere:
			fmt.Fprintf(&b, " i%d", l.B)
		}
		if l.Op == LaneIndex || l.Op == LaneLoad || l.Op == LaneStore || l.Op == LaneTake {
			fmt.Fprintf(&b, " [%s]", l.At.text(in))
		}
		if l.Loop >= 0 {
			fmt.Fprintf(&b, " for i%d", l.Loop)
		}
	}
	for i, r := range v.Results {
		if r.Lane >= 0 {
			fmt.Fprintf(&b, "\n\t\tresult %d is v%d", i, r.Lane)
		}
	}
	return b.String()
}

// text is a whole number for people.
func (a *Affine) text(in *Instr) string {
	s := fmt.Sprint(a.N)
	for l, k := range a.By {
		if k != 0 {
			s += fmt.Sprintf(" + %d·i%d", k, l)
		}
	}
	for _, o := range a.Outer {
		s += fmt.Sprintf(" + %d·r%d", o.By, in.Args[o.Arg])
	}
	return s
}

// Steps prints steps by the numbers of their rules: (3n) 2 (4) 1.
func Steps(c *rule.Counts) string {
	var b strings.Builder
	for r, n := range c {
		if n > 0 {
			fmt.Fprintf(&b, "(%s) %d ", rule.Table[r].Number, n)
		}
	}
	if b.Len() == 0 {
		return "nothing"
	}
	return strings.TrimSpace(b.String())
}

// Loops writes for people how each loop of the program runs, behind all passes: as a vector statement, as machine code,
// or in the interpreter, with what keeps machine code from it.
func (p *Program) Loops(w io.Writer, place func(in *Instr) string) error {
	out := bufio.NewWriter(w)
	for _, f := range p.Funcs {
		at, ends := Labels(f.Code), loopEnds(f.Code)
		numbers := map[uint32]bool{} // the labels of loops of numbers that stand beside others
		hot, statement := -1, -1     // the last of these instructions, and where the statement ends
		for i := range f.Code {
			if in := &f.Code[i]; in.Op == Hot {
				numbers[in.M] = true
			}
		}
		for i := range f.Code {
			in := &f.Code[i]
			end, loop := ends[i]
			switch {
			case in.Op == Hot:
				hot = i
			case in.Op == VectorLoop && i > statement:
				statement = at[in.N]
				fmt.Fprintf(out, "\t%s\ta vector statement\n", place(in))
			case loop && i > statement && !numbers[in.N]:
				fmt.Fprintf(out, "\t%s\t%s\n", place(&f.Code[end]), howRuns(f.Code[i+1:end], hot >= 0))
				if hot >= 0 { // the loops inside are unrolled there
					hot, statement = -1, end
				}
			}
		}
	}
	return out.Flush()
}

// howRuns says how a loop runs, whose body is given. hot says that a loop of numbers stands beside it.
func howRuns(body []Instr, hot bool) string {
	if body[0].Op == Enter {
		return "machine code, where it has much to do"
	}
	if hot {
		return "machine code of numbers, where it has much to do"
	}
	var why []string
	add := func(reason string) {
		if !slices.Contains(why, reason) {
			why = append(why, reason)
		}
	}
	for i := range body {
		switch body[i].Op {
		case Call, TailCall, Apply, TailApply:
			add("calls functions")
		case MakeClosure, MakeCon, Switch:
			add("has closures or constructors")
		}
	}
	if len(why) == 0 {
		return "the interpreter, with the statements in it: machine code is estimated to take longer"
	}
	return "the interpreter: it " + strings.Join(why, " and ")
}
