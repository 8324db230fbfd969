package lang

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/elaborate"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// DefaultMaxNodes is the limit on expansion where [Options] gives none.
const DefaultMaxNodes = 20_000_000

// Options directs [Load]. The zero value loads a program with its defaults, its files from the current directory.
type Options struct {
	// Params are values of params and Sets those of inputs and data, in order; the last
	// one of a name counts. See [load.ParseParam] and [load.ParseSet].
	Params []load.ParamSetting
	Sets   []load.Setting
	// Inputs names a file with values of inputs and data by name, which Sets override; see [load.Source.Inputs].
	Inputs string
	// Dir is the folder of the program: paths of csv and import are relative to it.
	Dir string
	// Open opens a file with data, or an imported one; nil means os.Open.
	Open func(path string) (fs.File, error)
	// Check, if not nil, is called at least every 2^16 tokens, expressions, elements
	// and nodes. Load returns its error as it is.
	Check func() error
	// Reserve, if not nil, is called before a large slice of data is allocated. Load returns its error as it is.
	Reserve func(bytes int64) error
	// Stream lets lists of data be computed when they are read: those that would take more than half of what Reserve
	// allows.
	Stream bool
	// Body, if not empty, is an expression that stands in place of the program's body.
	Body string
	// Seed is what the random numbers of default values start from.
	Seed uint64
	// Types, if not nil, is filled in with the types of the program's parts.
	Types *elaborate.Types
	// MaxNodes limits the expansion of definitions and comprehensions, in nodes of the term; 0 means [DefaultMaxNodes].
	MaxNodes int
}

// Program is a program that has been read, elaborated and typed.
type Program struct {
	Name     string
	File     *syntax.File // the source, for positions and diagnostics
	families *term.Term   // the term with its families
	large    error        // that the expansion is too large
	mu       sync.Mutex
	expanded *term.Term // nil before somebody needs it
	// Type is the type of the term, and TypeText the same in the words of the source.
	Type     term.Type
	TypeText string
	// Shape is the shape of the program's value, nil if there is a function in it.
	Shape  *load.Shape
	Params []elaborate.Param
	Inputs []Input
	// Scalars are the variables of all inputs, in order, and Point their values.
	Scalars []term.Var
	Point   []float64
	Data    []load.Variable // in the order of Term.Data
	// Random says that default values which the program takes have random numbers.
	Random bool
	// Symbols are the function symbols that the program declares, see CheckSymbols.
	Symbols []elaborate.Symbol
	limits  map[int]core.Limits
}

// CheckData returns an error if a number among values, which replace those of data i, is an index that is out of range.
func (p *Program) CheckData(i int, values []float64) error {
	if p.limits[i] == nil {
		return nil
	}
	return p.limits[i].Numbers(p.Data[i].Name, p.Data[i].Shape.Kind == load.List, 0, values)
}

// Input is an input: free variables of the term with their values.
type Input struct {
	Name  string
	Names []string // of its numbers, if the program says them
	Shape *load.Shape
	// Vars are its scalars in row-major order, and Values their values. Scalars
	// that the term does not mention are there too.
	Vars   []term.Var
	Values []float64
}

// Records returns the rows of the table that a data list was read from, cell by cell, without those that were left out,
// and the names of all its columns. open opens the file; nil means os.Open.
func (p *Program) Records(name string, open func(path string) (fs.File, error)) (header []string, rows [][]string,
	err error) {
	i := slices.IndexFunc(p.Data, func(d load.Variable) bool { return d.Name == name })
	if i < 0 || p.Data[i].Value.File == nil || !p.Data[i].Value.File.IsCSV() {
		return nil, nil, fmt.Errorf("the program has no data %s that is read from a CSV file", name)
	}
	source := &load.Source{Open: Options{Open: open}.open, Guard: &syntax.Guard{}}
	header, rows, wrong := source.Records(p.Data[i].Value.File)
	if wrong != nil {
		return nil, nil, syntax.NewErrors(p.File, []syntax.Diagnostic{*wrong})
	}
	return header, rows, nil
}

// Notes are what is to be said of the data: rows that are left out because a value is missing, and columns of one file
// that leave out different rows.
func (p *Program) Notes() (notes []string) {
	for i, d := range p.Data {
		v := &d.Value
		if v.Skipped > 0 {
			notes = append(notes, fmt.Sprintf("%s: rows left out, since a value is missing: %d", d.Name, v.Skipped))
		}
		for _, before := range p.Data[:i] {
			if w := &before.Value; v.File != nil && w.File != nil && v.File.Path() == w.File.Path() && v.Skips != w.Skips {
				notes = append(notes, fmt.Sprintf("%s and %s leave out different rows of %s: elements with the same "+
					"number are not of the same row; "+
					"one data with all columns leaves out the same", before.Name, d.Name, v.File.Path()))
			}
		}
	}
	return notes
}

// Position returns the line and the column, in runes, where pos stands, both from 1;
// zeros for a pos of 0. What stands in an imported file is at the import.
func (p *Program) Position(pos term.Pos) (line, col int) {
	if pos == 0 {
		return 0, 0
	}
	return p.File.Position(uint32(pos) - 1)
}

// Load reads the program src: parsing, the static layer, type inference and elaboration. The name is for messages.
//
// A program that is wrong gives a [*syntax.Errors] with all that was found; if its expansion is too large the error
// wraps [elaborate.ErrExpansion] as well. A command line that is wrong gives a [*load.UsageError].
func Load(name string, src []byte, opt Options) (_ *Program, err error) {
	if opt.MaxNodes <= 0 {
		opt.MaxNodes = DefaultMaxNodes
	}
	file, err := parse(name, src, opt)
	if err != nil {
		return nil, err
	}
	defer syntax.Catch(&err)
	source := &load.Source{Open: opt.open, Stream: opt.Stream,
		Guard: &syntax.Guard{Check: opt.Check, Reserve: opt.Reserve}}
	sets := opt.Sets
	if opt.Inputs != "" {
		inputs, wrong := source.Inputs(opt.Inputs, file)
		if wrong != nil {
			return nil, syntax.NewErrors(file, []syntax.Diagnostic{*wrong})
		}
		sets = slices.Concat(inputs, sets)
	}
	given, err := load.NewSettings(file, opt.Params, sets)
	if err != nil {
		return nil, err
	}
	e := elaborate.New(file, given, source,
		elaborate.Options{Dir: opt.Dir, Seed: opt.Seed, MaxNodes: opt.MaxNodes, Types: opt.Types != nil})
	if opt.Types != nil {
		defer func() { e.Fill(opt.Types) }()
	}
	body, t, err := e.Elaborate()
	if err != nil {
		return nil, err
	}
	return finish(name, e, body, t, opt)
}

// open opens a file that the program names.
func (opt Options) open(path string) (fs.File, error) {
	if opt.Open == nil {
		return os.Open(path)
	}
	return opt.Open(path)
}

// parse reads the source, with the body that opt has in place of its own.
func parse(name string, src []byte, opt Options) (*syntax.File, error) {
	limits := syntax.Options{Guard: syntax.Guard{Check: opt.Check, Reserve: opt.Reserve}, Open: opt.open, Dir: opt.Dir}
	file, diags, err := syntax.Parse(name, src, limits)
	if opt.Body != "" && err == nil &&
		(len(diags) == 0 || len(diags) == 1 && file.Body == 0 && diags[0].Headline == syntax.NoBody) {
		file, diags, err = syntax.Parse(name, slices.Concat(src[:file.DeclsEnd()], []byte("\n"+opt.Body+"\n")), limits)
	}
	if err == nil && len(diags) > 0 {
		err = syntax.NewErrors(file, diags)
	}
	return file, err
}

// Term returns the program as a term without families, closed but for the inputs. It has a type. It is nil if that is
// too large: [Program.Expand] has the error.
func (p *Program) Term() *term.Term {
	t, _ := p.Expand(nil, nil)
	return t
}

// Expand is [Program.Term]; the first time, it makes the term. reserve and look may be nil: reserve is called before
// memory is allocated, with its bytes, and look at least every 2¹⁶ nodes. The error is one of theirs, or wraps
// [elaborate.ErrExpansion].
func (p *Program) Expand(reserve func(bytes int64) error, look func() error) (*term.Term, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.large != nil {
		return nil, p.large
	}
	if p.expanded == nil {
		t, err := p.families.Expand(reserve, look)
		if err != nil {
			return nil, err
		}
		if t != p.families { // which has the names already
			p.nameScalars(t)
		}
		p.expanded = t
	}
	return p.expanded, nil
}

// Written returns the term with its families as the source has them. If it has families, the variable of a scalar has
// the name of its input: [Program.ScalarNames] has those of scalars.
func (p *Program) Written() *term.Term { return p.families }

// Derivative returns a program of type R whose term is t, which may have families: the derivative of p along a vector.
// Its inputs are those of p, for which the variables xs stand, and for each of them one with the component of the
// vector, in vs.
func (p *Program) Derivative(t *term.Term, xs, vs []term.Var) *Program {
	d := &Program{Name: p.Name, File: p.File, Type: term.R, TypeText: "R", Shape: load.RealShape(), Params: p.Params,
		Data: p.Data, families: t, large: p.large}
	d.Scalars, d.Point = slices.Concat(xs, vs), slices.Concat(p.Point, make([]float64, len(vs)))
	for i, vars := range [][]term.Var{xs, vs} {
		for _, in := range p.Inputs {
			n := len(in.Vars)
			in.Vars, vars = vars[:n], vars[n:]
			if i > 0 {
				in.Name, in.Values = in.Name+"'", make([]float64, n)
			}
			d.Inputs = append(d.Inputs, in)
		}
	}
	if !t.Families() {
		d.nameScalars(t)
	}
	return d
}

// finish lowers the core of a program without errors, whose body and its type are given.
func finish(name string, e *elaborate.Elaborator, body core.Ref, bodyType core.Type, opt Options) (*Program, error) {
	shape := e.Types.ValueShape(bodyType)
	text := e.Types.Text()
	text.Limit, text.Lists = 4000, shape != nil
	p := &Program{Name: name, File: e.File, TypeText: text.Of(bodyType), Shape: shape, Params: e.Params, Data: e.Data,
		Symbols: e.Symbols, Random: e.Random, limits: e.Limits}
	e.Types.Close()
	t, wrong := lower(e.Program, body, opt.MaxNodes, e.TooManyNodes)
	if err := e.Errors(); err != nil {
		return nil, err
	}
	if wrong != nil {
		return nil, fmt.Errorf("%s: %w", name, wrong)
	}
	p.families = t
	p.large = e.TooLarge(t)
	if list := (*syntax.Errors)(nil); errors.As(p.large, &list) {
		d := &list.List[0]
		d.Notes = append(d.Notes[:len(d.Notes):len(d.Notes)],
			syntax.Note{Text: "only check, eval, grad, fit, export and profile do without the expansion"})
	}
	p.Scalars = consecutive(1, e.Scalars)
	if len(e.Inputs) == 1 {
		p.Point = e.Inputs[0].Value.Data
	} else {
		p.Point = make([]float64, 0, e.Scalars)
	}
	at := 0
	for i := range e.Inputs {
		x := &e.Inputs[i]
		if len(e.Inputs) > 1 {
			p.Point = append(p.Point, x.Value.Data...)
			x.Value.Data = nil
		}
		end := at + x.Shape.Width()
		p.Inputs = append(p.Inputs, Input{Name: x.Name, Names: x.Names, Shape: x.Shape, Values: p.Point[at:end:end],
			Vars: p.Scalars[at:end:end]})
		at = end
	}
	if !t.Families() {
		p.nameScalars(t)
	}
	types, err := t.Typing(opt.Check)
	if err != nil {
		if _, wrong := err.(*term.TypeError); wrong {
			err = fmt.Errorf("internal error: the elaborated program has no type: %w", err)
		}
		return nil, err
	}
	p.Type = types[t.Root]
	return p, nil
}

// nameScalars gives the variables of t that stand for scalars their names.
func (p *Program) nameScalars(t *term.Term) {
	for i := range p.Inputs {
		if in := &p.Inputs[i]; len(in.Vars) > 0 {
			t.NameVars(in.Vars[0], len(in.Vars), in.scalarName)
		}
	}
}

// ScalarNames returns the names of the program's scalar inputs.
func (p *Program) ScalarNames() []string {
	var names []string
	for i := range p.Inputs {
		names = append(names, syntax.Each(len(p.Inputs[i].Vars), p.Inputs[i].scalarName)...)
	}
	return names
}

// scalarName returns the name of number k of the scalars of an input, as the program would write it: E.(0).(1); the
// components of a pair by their number after a colon: p:0, p:1. The components of what has a long name have that name.
func (in *Input) scalarName(k int) string {
	name := []byte(in.Name)
	for s := in.Shape; len(name) <= MaxName; {
		switch s.Kind {
		case load.Product:
			if first := s.A.Width(); k < first {
				name, s = append(name, ":0"...), s.A
			} else {
				name, s, k = append(name, ":1"...), s.B, k-first
			}
		case load.Vector:
			each := s.A.Width()
			name = append(strconv.AppendInt(append(name, ".("...), int64(k/each), 10), ')')
			s, k = s.A, k%each
		default:
			return string(name)
		}
	}
	return string(name)
}

// Place returns the line and column of pos as text, such as "5:22", in an imported file "file.gram:5:22".
func (p *Program) Place(pos term.Pos) string {
	if pos == 0 {
		return "-"
	}
	return p.File.LineCol(uint32(pos) - 1)
}

// Render shows an error at pos as the language's own errors are shown.
func (p *Program) Render(pos term.Pos, headline, label string) string {
	if pos == 0 {
		return p.Name + ": " + headline + ": " + label
	}
	return p.File.Render(p.Diagnostic(pos, headline, label))
}

// Diagnostic returns what Render shows at pos, which isn't 0.
func (p *Program) Diagnostic(pos term.Pos, headline, label string) syntax.Diagnostic {
	return syntax.Diagnostic{Span: core.WordAt(p.File, pos), Headline: headline, Label: label}
}

// BodyPos is where the program's body begins.
func (p *Program) BodyPos() term.Pos { return term.Pos(p.File.Expr(p.File.Body).Span.Start + 1) }
