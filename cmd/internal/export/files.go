package export

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/engine/ir"
)

//go:embed runtime.go.txt
var runtimeGo string

//go:embed runtime.c.txt
var runtimeC string

//go:embed header.h.txt
var headerC string

// begin writes the beginning of a function.
func (w *writer) begin(id int, read, set []bool) {
	name := w.f.Name
	if name == "" {
		name = "the body, a function or a list"
	}
	var regs, unread []string
	for r := range w.f.Regs {
		if (read[r] || set[r]) && !w.grouped(ir.Reg(r)) && w.f.Regs <= mostVariables {
			regs = append(regs, fmt.Sprintf("r%d", r))
			if !read[r] {
				unread = append(unread, fmt.Sprintf("r%d", r))
			}
		}
	}
	declare := func(format string, args ...any) { fmt.Fprintf(&w.body, "\t"+format+"\n", args...) }
	array := func(name string, n int) {
		if w.isC {
			declare("slot %s[%d] = {{0}};", name, n)
		} else {
			declare("var %s [%d]slot", name, n)
		}
	}
	fmt.Fprintf(&w.body, "// f%d is %s.\n", id, name)
	if w.isC {
		fmt.Fprintf(&w.body, "static void f%d(machine *m, object *self, const slot *args, slot *out) {\n", id)
		for _, r := range regs {
			declare("slot %s = {0};", r)
		}
		for _, r := range unread {
			declare("(void)%s;", r)
		}
		declare("slot t = {0}, u = {0};")
		declare("(void)self, (void)args, (void)out, (void)t, (void)u;")
	} else {
		fmt.Fprintf(&w.body, "func f%d(m *machine, self *object, args, out []slot) {\n", id)
		if len(regs) > 0 {
			declare("var %s slot", strings.Join(regs, ", "))
		}
		declare("var t, u slot")
		declare("_, _ = t, u")
		for _, r := range unread {
			declare("_ = %s", r)
		}
	}
	if w.f.Regs > mostVariables {
		array("r", w.f.Regs)
	}
	for i, s := range w.sums {
		array(fmt.Sprintf("s%d", i), int(s.M))
	}
	if w.most[0] > 0 {
		array("x", w.most[0])
	}
	if w.most[1] > 0 {
		array("y", w.most[1])
	}
	w.line("enter(m, %d);", w.bytes)
}

// list joins the elements of a list, a line for so many of them.
func list[T any](xs []T, line int, of func(x T) string) string {
	var b strings.Builder
	for i, x := range xs {
		switch {
		case i%line != 0:
			b.WriteString(", ")
		case i > 0:
			b.WriteString(",\n\t")
		default:
			b.WriteString("\n\t")
		}
		b.WriteString(of(x))
	}
	if len(xs) > 0 {
		b.WriteString(",\n")
	}
	return b.String()
}

// numbers8 is a list of numbers.
func numbers8(xs []float64) string { return list(xs, 8, number) }

// integers joins whole numbers.
func integers[T any](xs []T, of func(x T) int) string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = strconv.Itoa(of(x))
	}
	return strings.Join(out, ", ")
}

// fill puts what a program has in a text.
func (p *Program) fill(text string, outputs int, more ...string) string {
	return strings.NewReplacer(append(more, "{{package}}", p.Package, "{{upper}}", strings.ToUpper(p.Package),
		"{{source}}", p.Source, "{{inputs}}", strconv.Itoa(len(p.Inputs)), "{{outputs}}", strconv.Itoa(outputs),
		"{{names}}", list(p.Names, 4, strconv.QuoteToASCII), "{{point}}", numbers8(p.Point))...).Replace(text)
}

// widths are the widths of applications of a program.
func (w *writer) widths(e *entry, format string) (out string) {
	for i, ws := range e.widths {
		out += fmt.Sprintf(format, e.first, i, integers(ws, func(n int) int { return n }))
	}
	return out
}

// tables are the arguments of each function, and the registers that they take.
func (w *writer) tables(format string) string {
	return fmt.Sprintf(format, "arity", integers(w.funcs, func(f function) int { return f.arity })) +
		fmt.Sprintf(format, "params", integers(w.funcs, func(f function) int { return f.params }))
}

// goFiles is the package of a program in Go.
func (w *writer) goFiles(p *Program, entries []*entry) []File {
	var b strings.Builder
	fmt.Fprintf(&b, "// Package %s is %s, written by gram export: its value and its gradient.\npackage %s\n\n", p.Package,
		p.Source, p.Package)
	b.WriteString("import (\n\t\"errors\"\n\t\"math\"\n)\n\n")
	b.WriteString(p.fill(runtimeGo, entries[0].outputs))
	if w.head.Len() > 0 {
		b.WriteString("\n" + strings.TrimSuffix(w.head.String(), "\n"))
	}
	for i := range p.Term.Data {
		fmt.Fprintf(&b, "\nvar data%d = [...]float64{%s}\n", i, numbers8(p.Term.Data[i].Values))
	}
	b.WriteString("\n" + w.tables("var %s = [...]int{%s}\n"))
	for _, e := range entries {
		b.WriteString(w.widths(e, "\nvar widths%d_%d = []int{%s}\n"))
	}
	b.WriteString("\n// call calls a function.\nfunc call(m *machine, fn int, self *object, args, out []slot) {\n\tswitch fn {\n")
	for i := range w.funcs {
		fmt.Fprintf(&b, "\tcase %d:\n\t\tf%d(m, self, args, out)\n", i, i)
	}
	b.WriteString("\t}\n}\n")
	for i, e := range entries {
		fmt.Fprintf(&b, "\n// run%d runs the program, and puts the numbers of its value in to.\nfunc run%d(m *machine, to []slot) {\n", i, i)
		for _, d := range e.data {
			fmt.Fprintf(&b, "\tm.data(%d, data%d[:])\n", d.At, d.Index)
		}
		fmt.Fprintf(&b, "\tvar out [%d]slot\n\tf%d(m, &object{n: %d}, nil, out[:])\n%s}\n", e.results, e.first, e.first, e.read)
	}
	fmt.Fprintf(&b, "\nconst valueSlots = %d\n", entries[0].static)
	if len(entries) > 1 {
		fmt.Fprintf(&b, "%s", fmt.Sprintf(gradientGo, entries[1].static))
	}
	b.WriteString("\n" + strings.TrimSuffix(w.out.String(), "\n"))
	return []File{{p.Package + ".go", []byte(b.String())}}
}

const gradientGo = `
// Gradient returns the numbers of the value at x, and, in Outputs rows of Inputs numbers, their partial derivatives.
func Gradient(x []float64) (values, jacobian []float64, err error) {
	m, err := start(x, %d, true)
	if err != nil {
		return nil, nil, err
	}
	defer recovered(&err)
	var to [Outputs]slot
	run1(m, to[:])
	values, jacobian = make([]float64, Outputs), make([]float64, Outputs*Inputs)
	for i, s := range to {
		values[i] = s.v
		m.backward(s.a, jacobian[i*Inputs:(i+1)*Inputs])
	}
	return values, jacobian, nil
}
`

// cFiles is a program in C: its header and its source.
func (w *writer) cFiles(p *Program, entries []*entry) []File {
	outputs := entries[0].outputs
	var b strings.Builder
	gradient := ""
	if len(entries) > 1 {
		gradient = p.fill(`
/* They, and their partial derivatives by the inputs: a row of {{inputs}} numbers for each. */
int {{package}}_gradient(const double *x, double *values, double *jacobian);
`, outputs)
	}
	fmt.Fprintf(&b, "/* %s, written by gram export. */\n", p.Source)
	b.WriteString(p.fill(runtimeC, outputs, "{{tables}}", w.tables("static const long %s[] = {%s};\n")))
	b.WriteString("\n" + w.head.String())
	for i := range p.Term.Data {
		fmt.Fprintf(&b, "\nstatic const double data%d[] = {%s\t0};\n", i, numbers8(p.Term.Data[i].Values))
	}
	b.WriteString("\n")
	for _, e := range entries {
		b.WriteString(w.widths(e, "static const int widths%d_%d[] = {%s};\n"))
	}
	for i := range w.funcs {
		fmt.Fprintf(&b, "static void f%d(machine *m, object *self, const slot *args, slot *out);\n", i)
	}
	b.WriteString("\nstatic void call(machine *m, long fn, object *self, const slot *args, slot *out) {\n\tswitch (fn) {\n")
	for i := range w.funcs {
		fmt.Fprintf(&b, "\tcase %d:\n\t\tf%d(m, self, args, out);\n\t\tbreak;\n", i, i)
	}
	b.WriteString("\t}\n}\n\n" + w.out.String())
	for i, e := range entries {
		fmt.Fprintf(&b, "static void run%d(machine *m, slot *to) {\n", i)
		for _, d := range e.data {
			fmt.Fprintf(&b, "\tfill(m, %d, data%d, %d);\n", d.At, d.Index, len(p.Term.Data[d.Index].Values))
		}
		fmt.Fprintf(&b, "\tslot out[%d];\n\tobject *self = new_object(m, 0);\n\tself->n = %d;\n\tf%d(m, self, 0, out);\n%s}\n\n",
			e.results, e.first, e.first, e.read)
	}
	b.WriteString(p.fill(valueC, outputs, "{{slots}}", strconv.Itoa(entries[0].static)))
	if len(entries) > 1 {
		b.WriteString(p.fill(gradientC, outputs, "{{slots}}", strconv.Itoa(entries[1].static)))
	}
	return []File{{p.Package + ".h", []byte(p.fill(headerC, outputs, "{{gradient}}", gradient))},
		{p.Package + ".c", []byte(b.String())}}
}

const valueC = `int {{package}}_value(const double *x, double *values) {
	machine *m = new_machine();
	slot to[OUTPUTS + 1];
	int failed;
	if (!m)
		return {{upper}}_MEMORY;
	if (!(failed = setjmp(m->fail))) {
		prepare(m, x, {{slots}}, 0);
		run0(m, to);
		for (long i = 0; i < OUTPUTS; i++)
			values[i] = to[i].v;
	}
	end(m);
	return failed;
}
`

const gradientC = `
int {{package}}_gradient(const double *x, double *values, double *jacobian) {
	machine *m = new_machine();
	slot to[OUTPUTS + 1];
	int failed;
	if (!m)
		return {{upper}}_MEMORY;
	if (!(failed = setjmp(m->fail))) {
		prepare(m, x, {{slots}}, 1);
		run1(m, to);
		for (long i = 0; i < OUTPUTS * INPUTS; i++)
			jacobian[i] = 0;
		for (long i = 0; i < OUTPUTS; i++) {
			values[i] = to[i].v;
			backward(m, to[i].a, jacobian + i * INPUTS);
		}
	}
	end(m);
	return failed;
}
`
