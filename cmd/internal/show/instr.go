package show

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/term"
)

// number is a number in the source.
func number(x float64) string {
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// operand is a number that an instruction reads: its value, and the address of its adjoint.
type operand struct{ v, a string }

func (w *writer) operand(r ir.Reg) operand { return operand{w.reg(r) + ".v", w.reg(r) + ".a"} }

// left and right are the operands of an operation.
func (w *writer) left(in *ir.Instr) operand {
	if in.Number == ir.NumberA {
		return operand{number(in.Val), "0"}
	}
	return w.operand(in.A)
}

func (w *writer) right(in *ir.Instr) operand {
	if in.Number == ir.NumberB {
		return operand{number(in.Val), "0"}
	}
	return w.operand(in.B)
}

// call is a symbol applied to operands.
func (w *writer) call(f term.Symbol, x ...string) string {
	switch f {
	case term.NoSymbol:
		return x[0] + " + " + x[1]
	case term.Mul:
		return x[0] + " * " + x[1]
	case term.Sub:
		return x[0] + " - " + x[1]
	case term.Div:
		return x[0] + " / " + x[1]
	}
	return w.symbol(f) + "(" + strings.Join(x, ", ") + ")"
}

// symbol is the function of a symbol.
func (w *writer) symbol(f term.Symbol) string {
	if name := w.symbols[f]; name != "" {
		return name
	}
	if f == term.NoSymbol {
		return "f_add"
	}
	name := strings.ReplaceAll(f.SourceName(), "'", "_")
	if strings.HasSuffix(name, "_") {
		name += "1"
	}
	name = "f_" + name
	if f.Declared() {
		name = fmt.Sprintf("d%d_%s", len(w.symbols), name[2:])
		w.declare(f, name)
	} else if f == term.Polygamma {
		w.refuse("there is no source for polygamma")
	}
	w.symbols[f] = name
	return name
}

// declare writes the function of a symbol that the program declares.
func (w *writer) declare(f term.Symbol, name string) {
	info := f.Info()
	params := make([]string, info.Arity)
	for i := range params {
		params[i] = fmt.Sprintf("x%d", i)
	}
	body := w.partial(info.Body, params)
	if w.isC {
		fmt.Fprintf(&w.head, "static inline double %s(double %s) { return %s; }\n\n", name,
			strings.Join(params, ", double "), body)
	} else {
		fmt.Fprintf(&w.head, "func %s(%s float64) float64 {\n\treturn %s\n}\n\n", name, strings.Join(params, ", "), body)
	}
}

// partial is an expression over operands. Each operation is a call, which is rounded by itself.
func (w *writer) partial(p *term.Partial, x []string) string {
	return term.Interpret(p, len(x), number, func(i int) string { return x[i] },
		func(f term.Symbol, args ...string) string { return w.symbol(f) + "(" + strings.Join(args, ", ") + ")" })
}

// push writes the result of an operation, and its statement of the tape where an operand has an adjoint.
func (w *writer) push(in *ir.Instr, d string, f term.Symbol, value string, x ...operand) {
	if !in.Taped {
		w.line("%s = num(%s);", d, value)
		return
	}
	vs, as := make([]string, len(x)), make([]string, 0, len(x))
	for i := range x {
		vs[i] = x[i].v
		if c := x[i].a + " != 0"; x[i].a != "0" && !slices.Contains(as, c) {
			as = append(as, c)
		}
	}
	slope := func(i int) string {
		switch {
		case i >= len(x) || x[i].a == "0":
			return "0, 0"
		case f == term.NoSymbol:
			return x[i].a + ", 1"
		}
		return x[i].a + ", " + w.partial(&f.Info().Partials[i], vs)
	}
	w.line("t = num(%s);", value)
	if len(as) > 0 {
		w.line("if (%s) {", strings.Join(as, " || "))
		w.line("t = push(m, t.v, %s, %s);", slope(0), slope(1))
		for i := 2; i < len(x); i++ { // a statement has two operands
			w.line("t = push(m, t.v, t.a, 1, %s);", slope(i))
		}
		w.line("}")
	}
	w.line("%s = t;", d)
}

// values writes the arguments of a call.
func (w *writer) values(regs []ir.Reg) {
	w.most[0] = max(w.most[0], len(regs))
	for i, r := range regs {
		w.line("x[%d] = %s;", i, w.reg(r))
	}
}

// slice is the first n of an array.
func (w *writer) slice(name string, n int) string {
	if w.isC {
		return name
	}
	return fmt.Sprintf("%s[:%d]", name, n)
}

// results writes what takes the results of a call.
func (w *writer) results(in *ir.Instr) {
	for i := range in.M {
		w.line("%s = y[%d];", w.reg(in.D+ir.Reg(i)), i)
	}
}

// invoke writes a call that puts its results in to.
func (w *writer) invoke(in *ir.Instr, to string) {
	w.values(in.Args)
	args := w.slice("x", len(in.Args))
	if in.Op == ir.Call || in.Op == ir.TailCall {
		w.line("f%d(m, %s.o, %s, %s);", w.first+int(in.N), w.reg(in.A), args, to)
		return
	}
	widths := w.p.Widths[in.K]
	if w.isC {
		w.line("apply(m, %s, widths%d_%d, %d, x, %s);", w.reg(in.A), w.first, in.K, len(widths), to)
		return
	}
	w.line("apply(m, %s, widths%d_%d, %s, %s);", w.reg(in.A), w.first, in.K, args, to)
}

// address is the slot of an object that an instruction reads or writes, behind what its register refers to.
func (w *writer) address(in *ir.Instr, indexed bool) string {
	s := strconv.Itoa(int(in.N))
	if indexed {
		s = fmt.Sprintf("position(%s)*%d+%d", w.reg(in.B), in.M, in.N)
	}
	return s
}

// instr writes an instruction.
func (w *writer) instr(in *ir.Instr) {
	a, d := "", ""
	if int(in.A) < w.f.Regs {
		a = w.reg(in.A)
	}
	if int(in.D) < w.f.Regs {
		d = w.reg(in.D)
	}
	indexed := in.Op == ir.LoadX || in.Op == ir.ViewX || in.Op == ir.StaticX || in.Op == ir.ObjectX ||
		in.Op == ir.StoreX ||
		in.Op == ir.CopyX
	switch in.Op {
	case ir.Nop, ir.Count, ir.VectorLoop: // the loops behind a vector statement do what it does
	case ir.Const:
		w.line("%s = num(%s);", d, number(in.Val))
	case ir.Move:
		w.line("%s = %s;", d, a)
	case ir.IndexAdd:
		w.line("%s = num(%s + %s);", d, w.left(in).v, w.right(in).v)
	case ir.IndexSub:
		w.line("%s = num(%s - %s);", d, w.left(in).v, w.right(in).v)
	case ir.IndexMul:
		w.line("%s = num(%s * %s);", d, w.left(in).v, w.right(in).v)
	case ir.IndexDiv:
		w.line("%s = num(%s / %s);", d, w.left(in).v, w.right(in).v)
	case ir.IndexNeg:
		w.line("%s = num(-%s.v);", d, a)
	case ir.Add, ir.Mul, ir.Fun2:
		x, y := w.left(in), w.right(in)
		f := in.Sym
		if in.Op == ir.Mul {
			f = term.Mul
		}
		w.push(in, d, f, w.call(f, x.v, y.v), x, y)
	case ir.Fun1:
		x := w.operand(in.A)
		w.push(in, d, in.Sym, w.call(in.Sym, x.v), x)
	case ir.FunK:
		var x []operand
		var vs []string
		for _, r := range in.Args {
			x = append(x, w.operand(r))
			vs = append(vs, x[len(x)-1].v)
		}
		w.push(in, d, in.Sym, w.call(in.Sym, vs...), x...)
	case ir.SumAdd:
		w.sum(in)
	case ir.Load, ir.LoadX:
		w.line("%s = %s.o->s[%s.a+%s];", d, a, a, w.address(in, indexed))
	case ir.Static, ir.StaticX:
		w.line("%s = m->fixed->s[%s];", d, w.address(in, indexed))
	case ir.View, ir.ViewX:
		w.line("%s = ref(%s.o, %s.a+%s);", d, a, a, w.address(in, indexed))
	case ir.Object, ir.ObjectX:
		w.line("%s = ref(m->fixed, %s);", d, w.address(in, indexed))
	case ir.Alloc:
		w.line("%s = vector(m, %d);", d, in.N)
	case ir.Store, ir.StoreX:
		w.line("%s.o->s[%s.a+%s] = %s;", d, d, w.address(in, indexed), a)
	case ir.Copy, ir.CopyX:
		w.line("take(%s.o->s, %s.a+%s, %d, %s);", d, d, w.address(in, indexed), in.K, a)
	case ir.MakeCon, ir.MakeClosure:
		n := int(in.N)
		if in.Op == ir.MakeClosure {
			n += w.first
		}
		w.values(in.Args)
		if w.isC {
			w.line("%s = made(m, %d, %s, %d);", d, n, map[bool]string{true: "x", false: "0"}[len(in.Args) > 0], len(in.Args))
		} else if len(in.Args) == 0 {
			w.line("%s = made(m, %d, nil);", d, n)
		} else {
			w.line("%s = made(m, %d, x[:%d]);", d, n, len(in.Args))
		}
	case ir.Member:
		w.line("%s = ref(self, %d-self->n);", d, w.first+int(in.N))
	case ir.Sibling:
		w.line("%s = ref(%s.o, %d-%s.o->n);", d, a, w.first+int(in.N), a)
	case ir.Capture:
		w.line("%s = self->s[%d];", d, in.N)
	case ir.Call, ir.Apply:
		w.most[1] = max(w.most[1], int(in.M))
		w.invoke(in, w.slice("y", int(in.M)))
		w.results(in)
	case ir.TailCall, ir.TailApply:
		if in.Op == ir.TailCall && w.first+int(in.N) == len(w.arities)-1 {
			w.callAgain(in, a)
			return
		}
		w.invoke(in, "out")
		w.line("leave(m, %d);", w.bytes)
		w.line("return;")
	case ir.Return:
		for i, r := range in.Args {
			w.line("out[%d] = %s;", i, w.reg(r))
		}
		w.line("leave(m, %d);", w.bytes)
		w.line("return;")
	case ir.Label:
		w.line("L%d:", in.N)
	case ir.Jump:
		w.labels[in.N] = true
		w.line("goto L%d;", in.N)
	case ir.Branch:
		w.jump(fmt.Sprintf("!(%s %v %s)", w.left(in).v, in.Cmp, w.right(in).v), in.N)
	case ir.Empty:
		w.jump(fmt.Sprintf("%s >= %s", w.left(in).v, w.right(in).v), in.N)
	case ir.Next:
		w.line("%s.v = %s.v + 1;", d, d)
		w.jump(fmt.Sprintf("%s.v < %s.v", d, a), in.N)
	case ir.Prev:
		w.labels[in.N] = true
		w.line("if (%s.v > 0) {", d)
		w.line("%s.v = %s.v - 1;", d, d)
		w.line("goto L%d;", in.N)
		w.line("}")
	case ir.Switch:
		w.line("switch (%s.o->n) {", a)
		for i, l := range in.Labels {
			w.labels[l] = true
			w.line("case %d:", i)
			w.line("goto L%d;", l)
		}
		w.line("}")
	default:
		w.refuse("there is no source for the instruction %v", in.Op)
	}
}

// callAgain writes a call of the function itself in tail position.
func (w *writer) callAgain(in *ir.Instr, closure string) {
	w.labels[again] = true
	w.values(in.Args)
	w.line("self = %s.o;", closure)
	for i := range in.Args {
		w.line("%s = x[%d];", w.reg(ir.Reg(i)), i)
	}
	w.line("goto L%d;", again)
}

// sum writes an addition of a sum.
func (w *writer) sum(in *ir.Instr) {
	i, d := fmt.Sprintf("position(%s)", w.reg(in.B)), w.reg(in.D)
	if in.M > 1 {
		d = fmt.Sprintf("%s[%s%%%d]", strings.Split(d, "[")[0], i, in.M)
	}
	x := w.operand(in.A)
	w.line("if (%s < %d) {", i, in.M)
	w.line("%s = %s;", d, w.reg(in.A))
	w.line("} else {")
	w.line("u = %s;", d)
	u := operand{"u.v", "u.a"}
	if in.M == 1 {
		u, x = x, u
	}
	w.push(in, d, in.Sym, w.call(in.Sym, u.v, x.v), u, x)
	w.line("}")
}
