package show

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/lang/syntax"
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

// operands are those of an operation.
func (w *writer) operands(in *ir.Instr) []operand {
	switch in.Op {
	case ir.Fun1:
		return []operand{w.operand(in.A)}
	case ir.FunK:
		return syntax.Each(len(in.Args), func(i int) operand { return w.operand(in.Args[i]) })
	}
	left, right := w.operand(in.A), w.operand(in.B)
	switch in.Number {
	case ir.NumberA:
		left = operand{number(in.Val), "0"}
	case ir.NumberB:
		right = operand{number(in.Val), "0"}
	}
	return []operand{left, right}
}

// call is a symbol applied to operands.
func (w *writer) call(f term.Symbol, x ...string) string {
	signs := map[term.Symbol]string{term.NoSymbol: " + ", term.Mul: " * ", term.Sub: " - ", term.Div: " / "}
	if sign, ok := signs[f]; ok {
		return x[0] + sign + x[1]
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
	params := syntax.Each(info.Arity, func(i int) string { return fmt.Sprintf("x%d", i) })
	body := w.partial(info.Body, params)
	if w.language == "c" {
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
func (w *writer) push(in *ir.Instr, d string, f term.Symbol, x ...operand) {
	vs, as := make([]string, len(x)), make([]string, 0, len(x))
	for i := range x {
		vs[i] = x[i].v
		if c := x[i].a + " != 0"; x[i].a != "0" && !slices.Contains(as, c) {
			as = append(as, c)
		}
	}
	value := w.call(f, vs...)
	if !in.Taped {
		w.line("%s = num(%s);", d, value)
		return
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
	w.most[0] = max(w.most[0], len(regs), 1)
	for i, r := range regs {
		w.line("x[%d] = %s;", i, w.reg(r))
	}
}

// statements are what most instructions are, a line each. What stands behind a $ is a register, a number, a slot or a
// label of the instruction: see [writer.part].
var statements = map[ir.Op]string{
	ir.Const:       "$d = num($value);",
	ir.Move:        "$d = $a;",
	ir.IndexAdd:    "$d = num($left + $right);",
	ir.IndexSub:    "$d = num($left - $right);",
	ir.IndexMul:    "$d = num($left * $right);",
	ir.IndexDiv:    "$d = num($left / $right);",
	ir.IndexNeg:    "$d = num(-$a.v);",
	ir.Load:        "$d = $a.o->s[$a.a+$n];",
	ir.LoadX:       "$d = $a.o->s[$a.a+$indexed];",
	ir.Static:      "$d = m->fixed->s[$n];",
	ir.StaticX:     "$d = m->fixed->s[$indexed];",
	ir.View:        "$d = ref($a.o, $a.a+$n);",
	ir.ViewX:       "$d = ref($a.o, $a.a+$indexed);",
	ir.Object:      "$d = ref(m->fixed, $n);",
	ir.ObjectX:     "$d = ref(m->fixed, $indexed);",
	ir.Alloc:       "$d = vector(m, $n);",
	ir.Own:         "$d = $a;",
	ir.Store:       "$d.o->s[$d.a+$n] = $a;",
	ir.StoreX:      "$d.o->s[$d.a+$indexed] = $a;",
	ir.Copy:        "take($d.o->s, $d.a+$n, $k, $a);",
	ir.CopyX:       "take($d.o->s, $d.a+$indexed, $k, $a);",
	ir.Member:      "$d = ref(self, $function-self->n);",
	ir.Sibling:     "$d = ref($a.o, $function-$a.o->n);",
	ir.Capture:     "$d = self->s[$n];",
	ir.MakeCon:     "$d = made(m, $n, x[:], $count);",
	ir.MakeClosure: "$d = made(m, $function, x[:], $count);",
	ir.Call:        "f$function(m, $a.o, x[:], y[:]);",
	ir.Apply:       "apply(m, $a, $widths, x[:], y[:]);",
	ir.TailCall:    "f$function(m, $a.o, x[:], out);\nleave(m, $bytes);\nreturn;",
	ir.TailApply:   "apply(m, $a, $widths, x[:], out);\nleave(m, $bytes);\nreturn;",
	ir.Return:      "leave(m, $bytes);\nreturn;",
	ir.Label:       "L$n:",
	ir.Jump:        "goto $label;",
	ir.Branch:      "if (!($left $compare $right)) {\ngoto $label;\n}",
	ir.Empty:       "if ($left >= $right) {\ngoto $label;\n}",
	ir.Next:        "$d.v = $d.v + 1;\nif ($d.v < $a.v) {\ngoto $label;\n}",
	ir.Prev:        "if ($d.v > 0) {\n$d.v = $d.v - 1;\ngoto $label;\n}",
}

// part is a part of an instruction that a statement names.
func (w *writer) part(in *ir.Instr, name string) string {
	switch name {
	case "a":
		return w.reg(in.A)
	case "d":
		return w.reg(in.D)
	case "left":
		return w.operands(in)[0].v
	case "right":
		return w.operands(in)[1].v
	case "label":
		w.labels[in.N] = true
		return fmt.Sprintf("L%d", in.N)
	case "compare":
		return in.Cmp.String()
	case "value":
		return number(in.Val)
	case "indexed": // the slot, behind what a register refers to
		return fmt.Sprintf("position(%s)*%d+%d", w.reg(in.B), in.M, in.N)
	case "function":
		return fmt.Sprint(w.first + int(in.N))
	case "widths": // of the arguments that it is applied to, and how many they are
		return fmt.Sprintf("widths%d_%d, %d", w.first, in.K, len(w.p.Widths[in.K]))
	case "count":
		return fmt.Sprint(len(in.Args))
	case "bytes":
		return fmt.Sprint(w.bytes)
	case "k":
		return fmt.Sprint(in.K)
	}
	return fmt.Sprint(in.N)
}

// instr writes an instruction.
func (w *writer) instr(in *ir.Instr) {
	switch in.Op {
	case ir.Nop, ir.Count, ir.VectorLoop: // the loops behind a vector statement do what it does
		return
	case ir.Add, ir.Fun1, ir.Fun2, ir.FunK:
		w.push(in, w.reg(in.D), in.Sym, w.operands(in)...)
		return
	case ir.Mul:
		w.push(in, w.reg(in.D), term.Mul, w.operands(in)...)
		return
	case ir.SumAdd:
		w.sum(in)
		return
	case ir.Switch:
		w.line("switch (%s.o->n) {", w.reg(in.A))
		for i, l := range in.Labels {
			w.labels[l] = true
			w.line("case %d:", i)
			w.line("goto L%d;", l)
		}
		w.line("}")
		return
	case ir.TailCall:
		if w.first+int(in.N) == len(w.arities)-1 {
			w.callAgain(in)
			return
		}
		w.values(in.Args)
	case ir.MakeCon, ir.MakeClosure, ir.Call, ir.Apply, ir.TailApply:
		w.values(in.Args)
	case ir.Return:
		for i, r := range in.Args {
			w.line("out[%d] = %s;", i, w.reg(r))
		}
	}
	statement, ok := statements[in.Op]
	if !ok {
		w.refuse("there is no source for the instruction %v", in.Op)
	}
	for line := range strings.SplitSeq(statement, "\n") {
		w.line("%s", os.Expand(line, func(name string) string { return w.part(in, name) }))
	}
	if in.Op == ir.Call || in.Op == ir.Apply {
		w.most[1] = max(w.most[1], int(in.M))
		for i := range in.M {
			w.line("%s = y[%d];", w.reg(in.D+ir.Reg(i)), i)
		}
	}
}

// callAgain writes a call of the function itself in tail position.
func (w *writer) callAgain(in *ir.Instr) {
	w.labels[again] = true
	w.values(in.Args)
	w.line("self = %s.o;", w.reg(in.A))
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
	w.push(in, d, in.Sym, u, x)
	w.line("}")
}
