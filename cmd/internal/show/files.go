package show

import (
	"bytes"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"github.com/gram-machine/gram/engine/ir"
)

//go:embed *.tmpl
var templates embed.FS

// pages are the files of source. Go and C have braces enough.
var pages = template.Must(template.New("").Delims("{%", "%}").Funcs(template.FuncMap{
	"names":    func(xs []string) string { return list(xs, 4, strconv.QuoteToASCII) },
	"numbers":  func(xs []float64) string { return list(xs, 8, number) },
	"integers": integers,
}).ParseFS(templates, "*.tmpl"))

// page is what the templates know.
type page struct {
	*Export
	Upper           string // the package
	Outputs         int
	Arities, Params []int // of the functions: their arguments, and the registers that these take
	Entries         []*entry
	Symbols, Code   string // the functions of declared symbols, and those of the program
}

// files are the files of a program.
func (w *writer) files(p *Export, entries []*entry) (out []File, err error) {
	data := page{Export: p, Upper: strings.ToUpper(p.Package), Outputs: entries[0].outputs, Entries: entries,
		Arities: w.arities, Params: w.params,
		Symbols: strings.TrimRight(w.head.String(), "\n"), Code: strings.TrimRight(w.out.String(), "\n")}
	kinds := []string{"go"}
	if w.isC {
		kinds = []string{"h", "c"}
	}
	for _, kind := range kinds {
		var text bytes.Buffer
		if err := pages.ExecuteTemplate(&text, kind+".tmpl", data); err != nil {
			return nil, err
		}
		out = append(out, File{p.Package + "." + kind, text.Bytes()})
	}
	return out, nil
}

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

// integers joins whole numbers.
func integers(xs []int) string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = strconv.Itoa(x)
	}
	return strings.Join(out, ", ")
}
