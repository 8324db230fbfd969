package graph

import (
	"fmt"
	"io"
	"strings"

	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// WriteCode prints the program's globals, templates and duals. place turns a
// position into text such as "5:22". Slots are g (global), c (captured), p
// (parameter) and % (result), numbered from 0; a value that an application of the
// same body may delay is marked with a question mark behind its instruction.
func (p *Program) WriteCode(w io.Writer, place func(term.Pos) string) error {
	l := listing{p: p, w: w, place: place}
	for i := uint32(1); int(i) < p.NumGlobals(); i++ {
		g := p.Global(i)
		l.printf("g%d = %s\n", i, l.global(&g))
	}
	for i := range p.Templates {
		l.template(i)
	}
	for i, d := range p.Duals {
		l.printf("\ndual %d (%s): body %d\n", i, place(d.Pos), d.Body)
	}
	for i := range p.Bodies {
		l.body(i)
	}
	return l.err
}

type listing struct {
	p     *Program
	w     io.Writer
	place func(term.Pos) string
	err   error
}

func (l *listing) printf(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format, args...)
	}
}

func (l *listing) global(g *Global) string {
	switch g.Kind {
	case Num:
		return fmt.Sprint(g.Val)
	case Nat:
		return fmt.Sprintf("#%d", g.Count)
	case Closure, List:
		return fmt.Sprintf("%s %d", g.Kind, g.Index)
	case DataList:
		d := &l.p.Data[g.Index]
		return fmt.Sprintf("data %s, %d × %d", d.Name, d.Rows, d.Width)
	case Pair:
		return fmt.Sprintf("⟨g%d, g%d⟩", g.Comps[0], g.Comps[1])
	}
	return fmt.Sprintf("%s %d", g.Kind, g.Index)
}

// slot names a slot of template t.
func (l *listing) slot(t *Template, s uint32) string {
	switch {
	case s < t.Cap0:
		return fmt.Sprintf("g%d", s)
	case s < t.Param0:
		return fmt.Sprintf("c%d", s-t.Cap0)
	case s < t.Param0+t.Params:
		return fmt.Sprintf("p%d", s-t.Param0)
	case s < t.Param0+t.Params+t.Extra:
		return fmt.Sprintf("e%d", s-t.Param0-t.Params)
	}
	return fmt.Sprintf("%%%d", s-t.Param0-t.Params-t.Extra)
}

func (l *listing) slots(t *Template, args []uint32) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = l.slot(t, a)
	}
	return strings.Join(out, " ")
}

func (l *listing) template(i int) {
	t := &l.p.Templates[i]
	main := ""
	if uint32(i) == l.p.Main {
		main = ", the program"
	}
	l.printf("\ntemplate %d %s (%s): %d parameters, %d captured, %d steps a run%s\n", i, t.Name, l.place(t.Pos), t.Params, t.Caps, t.Steps, main)
	for _, text := range l.p.RunsAs(uint32(i)) {
		l.printf("  %s\n", text)
	}
	for r, n := range t.Counts {
		if n > 0 {
			l.printf("  (%s) %s: %d\n", rule.Table[r].Number, rule.Table[r].Name, n)
		}
	}
	for pc := t.Start; pc < t.End && l.err == nil; pc++ {
		in := &l.p.Code[pc]
		late := ""
		if in.Flags&Ready == 0 {
			late = "?"
		}
		l.printf("  %s%s\n", l.instr(t, in), late)
	}
	l.printf("  result %s\n", l.slot(t, t.Result))
}

// RunsAs tells how the λ of a template runs as a block, alone or as the function of an iteration; nothing if it doesn't.
func (p *Program) RunsAs(id uint32) []string {
	t := &p.Templates[id]
	if t.Block != 0 {
		return []string{"block: " + p.Blocks[t.Block].size()}
	}
	var out []string
	for args := 1; args <= 2; args++ {
		chain := int(t.Params) == args+1
		if !chain && int(t.Params) != args {
			continue
		}
		b := p.LoopBlock(id, args, nil, MaxPaths)
		switch {
		case b == nil:
		case chain:
			out = append(out, fmt.Sprintf("chain, of %d arguments and one more: %s", args, b.size()))
		default:
			out = append(out, "block, in an iteration: "+b.size())
		}
	}
	return out
}

// size tells how much code the block has.
func (b *Block) size() string {
	switch {
	case b.Arrays != nil:
		return fmt.Sprintf("%d instructions on arrays", len(b.Arrays.Code))
	case len(b.Paths) > 0:
		n := 0
		for _, node := range b.Tree {
			n += len(node.Code)
		}
		return fmt.Sprintf("%d paths, %d instructions", len(b.Paths), n)
	}
	return fmt.Sprintf("%d instructions", len(b.Code))
}

func (l *listing) instr(t *Template, in *Instr) string {
	d, a, b := l.slot(t, in.D), l.slot(t, in.A), l.slot(t, in.B)
	args := l.p.Args[in.Off:]
	if len(args) >= int(in.N) {
		args = args[:in.N]
	}
	switch in.Op {
	case OpMul:
		return fmt.Sprintf("%s = %s · %s", d, a, b)
	case OpAdd:
		return fmt.Sprintf("%s = %s + %s", d, a, b)
	case OpSub:
		return fmt.Sprintf("%s = %s - %s", d, a, b)
	case OpFun1:
		return fmt.Sprintf("%s = %s %s", d, in.Sym, a)
	case OpFun2:
		return fmt.Sprintf("%s = %s %s %s", d, in.Sym, a, b)
	case OpFunN:
		return fmt.Sprintf("%s = %s [%s]", d, in.Sym, l.slots(t, args))
	case OpPair:
		return fmt.Sprintf("%s = ⟨%s, %s⟩", d, a, b)
	case OpUnpair, OpUntuple, OpUnvec:
		n := max(in.N, 1)
		return fmt.Sprintf("%s … %s = open %s", d, l.slot(t, in.D+n-1), a)
	case OpCon:
		return fmt.Sprintf("%s = constructor %d %s", d, in.Tmpl, a)
	case OpCase:
		text := fmt.Sprintf("%s = match %s", d, l.slot(t, args[0]))
		for _, b := range l.p.Cases[in.Tmpl] {
			text += fmt.Sprintf(" %d [%s]", b.Template, l.slots(t, args[b.From:b.To]))
		}
		return text
	case OpVec:
		return fmt.Sprintf("%s = ⟦%s⟧", d, l.slots(t, args))
	case OpClosure:
		return fmt.Sprintf("%s = closure %d [%s]", d, in.Tmpl, l.slots(t, args))
	case OpList:
		return fmt.Sprintf("%s = list %d [%s]", d, in.Tmpl, l.slots(t, args))
	case OpDual:
		return fmt.Sprintf("%s = dual %d [%s]", d, in.Tmpl, l.slots(t, args))
	case OpLin:
		return fmt.Sprintf("%s = lin %d [%s]", d, in.Tmpl, l.slots(t, args))
	case OpSelect:
		return fmt.Sprintf("%s = component %s of %d from %s on", d, b, in.N, a)
	case OpRun:
		return fmt.Sprintf("%s = run %s", d, a)
	case OpArrive:
		return fmt.Sprintf("%s = %s arrives at %s", d, b, a)
	case OpSum:
		return fmt.Sprintf("%s = sum %s %s", d, a, b)
	case OpJob:
		return fmt.Sprintf("%s = job %s", d, a)
	case OpApply:
		return fmt.Sprintf("%s = apply %s", d, l.slots(t, args))
	case OpTally:
		return fmt.Sprintf("tally %s", l.slots(t, args))
	case OpIf:
		return fmt.Sprintf("%s = if %s %s %s then %d [%s] else %d [%s]", d, l.slot(t, args[0]), in.Cmp, l.slot(t, args[1]),
			in.Tmpl, l.slots(t, args[2:in.Split]), in.Else, l.slots(t, args[in.Split:]))
	}
	return fmt.Sprintf("operation %d", in.Op)
}

func (l *listing) body(i int) {
	b := &l.p.Bodies[i]
	l.printf("\nbody %d: %d heads, %d numbers, %d steps a firing\n", i, b.Heads, b.Nums, b.Steps)
	for _, in := range b.Code {
		switch in.Op {
		case LinConst:
			l.printf("  r%d = %v\n", in.D, in.Val)
		case LinAdd:
			l.printf("  r%d = r%d + r%d\n", in.D, in.A, in.B)
		case LinMul:
			l.printf("  r%d = r%d · r%d\n", in.D, in.A, in.B)
		case LinFun1:
			l.printf("  r%d = %s r%d\n", in.D, in.Sym, in.A)
		case LinFun2:
			l.printf("  r%d = %s r%d r%d\n", in.D, in.Sym, in.A, in.B)
		case LinFunN:
			l.printf("  r%d = %s of registers %d\n", in.D, in.Sym, in.Args)
		case LinArrive:
			l.printf("  r%d arrives at head %d\n", in.A, in.D)
		case LinScale:
			l.printf("  r%d · r%d arrives at head %d\n", in.A, in.B, in.D)
		}
	}
}
