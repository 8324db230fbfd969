package show

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/lower"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// Export is a program that is written as plain source in Go or C: its value and its gradient, from the code of the
// compiler (package ir). The source needs nothing but the standard library of its language, and counts no steps.
//
// Each function of the code is one of the source, with the same registers and labels. Its statements are written once,
// for both languages; the templates have what is around them, and what they call.
type Export struct {
	Package  string // an identifier
	Source   string // the name of its file
	Term     *term.Term
	Inputs   []term.Var // the scalar inputs
	Names    []string   // of the scalar inputs
	Point    []float64
	Gradient bool // it has one
	Check    func() error
}

// File is a file of source.
type File struct {
	Name string
	Text []byte
}

// mostData bounds the numbers of the data that source has.
const mostData = 1 << 20

// Write returns the files of the program in a language, go or c. The error is a [*stage.Error], a [*term.TypeError] or
// that of Check.
func (p *Export) Write(language string) ([]File, error) {
	w := &writer{language: language, symbols: map[term.Symbol]string{}, depth: 1, pos: p.Term.Nodes[p.Term.Root].Pos}
	size := 0
	for i := range p.Term.Data {
		size += len(p.Term.Data[i].Values)
	}
	if size > mostData {
		w.refuse("its data has %d numbers, and source has %d at most", size, mostData)
		return nil, w.err
	}
	entries := []*entry{w.program(p, false)}
	if p.Gradient {
		entries = append(entries, w.program(p, true))
	}
	if w.err != nil {
		return nil, w.err
	}
	return w.files(p, entries)
}

// writer writes the functions of a program.
type writer struct {
	language string
	err      error
	pos      term.Pos        // of what is written
	out      strings.Builder // the functions
	head     strings.Builder // before them: declared symbols

	symbols         map[term.Symbol]string // the functions of declared symbols
	arities, params []int                  // of the functions that have been written
	data            [][]float64            // of the programs

	p      *ir.Program
	first  int         // the number of its first function in the source
	f      *ir.Func    // the one that is written
	sums   []*ir.Instr // its sums of several registers
	body   strings.Builder
	depth  int    // of the statement that is written
	most   [2]int // the registers that its calls take and give at most
	labels map[uint32]bool
	bytes  int
}

// entry is how a run begins and ends.
type entry struct {
	*ir.Program     // the indices of its data are those of page.Data
	First       int // the number of the function that is the body
	Results     int
	Read        string // puts the results out in the slots to
	outputs     int
}

// program writes the functions of the value or the gradient.
func (w *writer) program(p *Export, gradient bool) *entry {
	e := &entry{First: len(w.arities)}
	opt := lower.Options{Inputs: p.Inputs, Gradient: gradient, Check: p.Check}
	opt.After = func(code *ir.Program, pass string) error {
		if pass != "lower" { // before the passes each register has one use, and loops are loops
			return nil
		}
		w.p, w.first = code, e.First
		for _, f := range code.Funcs {
			w.arities, w.params = append(w.arities, len(f.Args)), append(w.params, f.Params())
			w.function(f)
		}
		e.Program, e.Results = code, code.Funcs[0].Results
		for i := range e.Data {
			d := &e.Data[i]
			d.Index = slices.IndexFunc(w.data, func(xs []float64) bool { return slices.Equal(xs, d.Data.Values) })
			if d.Index < 0 {
				d.Index, w.data = len(w.data), append(w.data, d.Data.Values)
			}
		}
		w.body.Reset()
		e.outputs = w.read(ir.NewLayout(p.Term.Types), code.Type, 0, 0)
		e.Read = w.body.String()
		return nil
	}
	var none *lower.UnsupportedError
	switch _, err := lower.Program(p.Term, opt); {
	case errors.As(err, &none):
		w.pos = none.Pos
		w.refuse("%v", none)
	case err != nil && w.err == nil:
		w.err = err
	}
	return e
}

// read writes what puts the result of type t in the registers from r on in the slots from at on, and returns the slot
// behind them.
func (w *writer) read(l *ir.Layout, t term.Type, r, at int) int {
	types := w.p.Term.Types
	switch types.Kind(t) {
	case term.RKind:
		w.line("to[%d] = out[%d];", at, r)
		return at + 1
	case term.ProdKind:
		left := types.Left(t)
		at = w.read(l, left, r, at)
		return w.read(l, types.Right(t), r+l.Registers(left), at)
	case term.VecKind:
		if types.Euclidean(t) {
			w.line("take(to, %d, %d, out[%d]);", at, l.Slots(t), r)
			return at + l.Slots(t)
		}
	}
	w.refuse("its value has a list, a constructor or a function in it")
	return at
}

func (w *writer) refuse(format string, args ...any) {
	if w.err == nil {
		w.err = &stage.Error{Pos: w.pos, Headline: "no source", Label: fmt.Sprintf(format, args...)}
	}
}

// line writes a statement, which is one of C, but for the [:] behind an array. That of Go is the same but for arrows,
// parentheses and its end.
func (w *writer) line(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if w.language == "c" {
		s = strings.ReplaceAll(s, "[:]", "")
	} else {
		s = strings.ReplaceAll(strings.TrimSuffix(s, ";"), "->", ".")
		for _, word := range []string{"if ", "switch "} {
			if rest, ok := strings.CutPrefix(s, word+"("); ok {
				s = word + strings.TrimSuffix(rest, ") {") + " {"
			}
		}
	}
	if strings.HasPrefix(s, "}") {
		w.depth--
	}
	in := w.depth
	if strings.HasSuffix(s, ":") { // a label, or a case
		in--
	}
	w.body.WriteString(strings.Repeat("\t", in) + s + "\n")
	if strings.HasSuffix(s, "{") {
		w.depth++
	}
}

// again is the label of the place where a function begins that calls itself in tail position.
const again uint32 = 1 << 31

// function writes a function.
func (w *writer) function(f *ir.Func) {
	w.f, w.most, w.labels, w.sums = f, [2]int{}, map[uint32]bool{}, nil
	w.bytes = 64 + 24*f.Regs
	w.body.Reset()
	read, set := make([]bool, f.Regs), make([]bool, f.Regs)
	for r := range f.Params() {
		set[r] = true
	}
	for i := range f.Code {
		in := &f.Code[i]
		if in.Op == ir.SumAdd && in.M > 1 {
			w.sums = append(w.sums, in)
		}
		in.Uses(func(r *ir.Reg) { read[*r] = true })
		for r := range in.Sets() {
			set[int(in.D)+r] = true
		}
	}
	id := len(w.arities) - 1
	for i := range f.Params() {
		w.line("%s = args[%d];", w.reg(ir.Reg(i)), i)
	}
	w.line("L%d:", again)
	for i := range f.Code {
		w.instr(&f.Code[i])
	}
	code := w.body.String()
	w.begin(id, read, set)
	for line := range strings.Lines(code) {
		var label uint32
		if n, _ := fmt.Sscanf(line, "L%d:", &label); n == 1 && !w.labels[label] {
			continue // Go refuses labels that nothing uses
		}
		w.out.WriteString(line)
	}
	w.out.WriteString("}\n\n")
}

// mostVariables is how many registers of a function are variables; more are an array, for which compilers take less
// time.
const mostVariables = 128

// reg is a register in the source.
func (w *writer) reg(r ir.Reg) string {
	for i, s := range w.sums {
		if r >= s.D && r < s.D+ir.Reg(s.M) {
			return fmt.Sprintf("s%d[%d]", i, r-s.D)
		}
	}
	if w.f.Regs > mostVariables {
		return fmt.Sprintf("r[%d]", r)
	}
	return fmt.Sprintf("r%d", r)
}

//go:embed *.tmpl
var templateFiles embed.FS

// templates are the files of source, and pictures in DOT. They have braces enough.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Delims("{%", "%}").Funcs(template.FuncMap{
		"names":    func(xs []string) string { return list(xs, 4, strconv.QuoteToASCII) },
		"numbers":  func(xs []float64) string { return list(xs, 8, number) },
		"integers": func(xs []int) string { return strings.ReplaceAll(strings.Trim(fmt.Sprint(xs), "[]"), " ", ", ") },
		"join":     strings.Join, "quote": quote, "next": func(k int) int { return k + 1 },
	}).ParseFS(templateFiles, "*.tmpl"))
})

// page is what the templates know.
type page struct {
	*Export
	Upper           string // the package
	Outputs         int
	Arities, Params []int // of the functions: their arguments, and the registers that these take
	Entries         []*entry
	Data            [][]float64
	Symbols, Code   string // the functions of declared symbols, and those of the program
}

// files are the files of a program.
func (w *writer) files(p *Export, entries []*entry) (out []File, err error) {
	data := page{Export: p, Upper: strings.ToUpper(p.Package), Outputs: entries[0].outputs, Entries: entries,
		Arities: w.arities, Params: w.params, Data: w.data,
		Symbols: strings.TrimRight(w.head.String(), "\n"), Code: strings.TrimRight(w.out.String(), "\n")}
	for _, kind := range map[string][]string{"go": {"go"}, "c": {"h", "c"}}[w.language] {
		var text bytes.Buffer
		if err := templates().ExecuteTemplate(&text, kind+".tmpl", data); err != nil {
			return nil, err
		}
		out = append(out, File{p.Package + "." + kind, text.Bytes()})
	}
	return out, nil
}

// array is an array of slots of a function.
type array struct {
	Name string
	Len  int
}

// begin writes the beginning of a function: its registers that are read or set, and its arrays.
func (w *writer) begin(id int, read, set []bool) {
	data := struct {
		ID, Bytes    int
		Name         string
		Regs, Unread []string
		Arrays       []array
	}{ID: id, Bytes: w.bytes, Name: cmp.Or(w.f.Name, "the body, a function or a list")}
	for r := range w.f.Regs {
		name := w.reg(ir.Reg(r))
		if (read[r] || set[r]) && !strings.HasSuffix(name, "]") { // it is in no array
			data.Regs = append(data.Regs, name)
			if !read[r] {
				data.Unread = append(data.Unread, name)
			}
		}
	}
	if w.f.Regs > mostVariables {
		data.Arrays = append(data.Arrays, array{"r", w.f.Regs})
	}
	for i, s := range w.sums {
		data.Arrays = append(data.Arrays, array{fmt.Sprintf("s%d", i), int(s.M)})
	}
	for i, n := range w.most {
		if n > 0 {
			data.Arrays = append(data.Arrays, array{[]string{"x", "y"}[i], n})
		}
	}
	if err := templates().ExecuteTemplate(&w.out, "function."+w.language+".tmpl", data); err != nil && w.err == nil {
		w.err = err
	}
}

// list joins the elements of a list, a line for so many of them.
func list[T any](xs []T, line int, of func(x T) string) string {
	var b strings.Builder
	for part := range slices.Chunk(xs, line) {
		texts := syntax.Each(len(part), func(i int) string { return of(part[i]) })
		b.WriteString("\n\t" + strings.Join(texts, ", ") + ",")
	}
	if len(xs) > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}
