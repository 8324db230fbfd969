package load

import (
	"io/fs"
	"os"

	"github.com/gram-machine/gram/lang/syntax"
)

// Options say where a program's values come from. The zero value takes every
// default, reads files from the current directory, and sets no limit.
type Options struct {
	// Params are the values of params, in order; the last one of a name counts.
	Params []ParamSetting
	// Sets are the values of inputs and data, in order; the last one of a name counts.
	Sets []Setting
	// Dir is the folder of the .gram file: paths in csv expressions are relative
	// to it. Paths in Sets are relative to the current directory.
	Dir string
	// Open opens a CSV file; nil means os.Open.
	Open func(path string) (fs.File, error)
	// Prelude holds the definitions that every program sees; only its def
	// declarations are used. It may be nil. The names foldl, rev, length, map, dot
	// and matvec are known without it.
	Prelude *syntax.File
	// Check, if not nil, is called at least every 2^16 elements, calls and bytes
	// read. Load returns its error as it is.
	Check func() error
	// Reserve, if not nil, is called before a slice of that many bytes is
	// allocated, if it is a large one. Load returns its error as it is.
	Reserve func(bytes int64) error
}

// Program is the static layer of a file, evaluated.
type Program struct {
	File   *syntax.File
	Params []Param    // in source order
	Inputs []Variable // in source order: x1, …, xn
	Data   []Variable // in source order

	names map[string]int // the first declaration of each name, an index into File.Decls
	index []int          // for each declaration, its index in Params, Inputs or Data
}

// Param is a param with its number.
type Param struct {
	Name  string
	Decl  int // index into File.Decls
	Value uint64
	Bad   bool // an error about it has been reported; Value is 0
}

// Variable is an input or a data declaration with its value.
type Variable struct {
	Name  string
	Decl  int    // index into File.Decls
	Shape *Shape // as declared, or that of the value; nil if Bad and not known
	Value Value
	Bad   bool // an error about it has been reported; Value is empty
}

// Load evaluates the static layer of f.
//
// A param or set that is wrong gives a *[UsageError]. A program that is wrong
// gives an *[Error] with all diagnostics, and also a Program in which what failed
// is marked Bad, so that typing can go on and report the rest. An error of Check
// or Reserve is returned as it is. In the first and last case there is no Program.
func Load(f *syntax.File, opt Options) (*Program, error) {
	l := newLoader(f, opt)
	if err := l.settings(); err != nil {
		return nil, err
	}
	l.duplicates()
	for i := range f.Decls {
		if err := l.declaration(i); err != nil {
			return nil, err
		}
	}
	if len(l.errs.Items) > 0 {
		return l.p, &l.errs
	}
	return l.p, nil
}

// Lookup returns what a declared name means for declaration number decl, which
// sees what is above it; len(File.Decls) stands for the body. The result is
// UnknownName for a name that is not declared above; see [Program.Below].
func (p *Program) Lookup(name string, decl int) Name {
	d, ok := p.names[name]
	if !ok || d >= decl {
		return Name{}
	}
	switch p.File.Decls[d].Kind {
	case syntax.ParamDecl:
		x := &p.Params[p.index[d]]
		if x.Bad {
			return Name{Kind: BadName, Decl: d}
		}
		return Name{Kind: ParamName, Nat: x.Value, Decl: d}
	case syntax.InputDecl:
		return Name{Kind: InputName, Decl: d}
	case syntax.DataDecl:
		x := &p.Data[p.index[d]]
		if x.Bad {
			return Name{Kind: BadName, Decl: d}
		}
		return Name{Kind: DataName, Nat: uint64(x.Value.Rows), List: x.Shape.Kind == List, Decl: d}
	}
	return Name{Kind: DefName, Decl: d}
}

// Below returns where name is declared, if that is at decl or after it.
func (p *Program) Below(name string, decl int) (syntax.Span, bool) {
	d, ok := p.names[name]
	if !ok || d < decl {
		return syntax.Span{}, false
	}
	return p.File.Decls[d].NameSpan, true
}

// Input returns the input that is declaration number decl, or nil.
func (p *Program) Input(decl int) *Variable {
	if p.File.Decls[decl].Kind != syntax.InputDecl {
		return nil
	}
	return &p.Inputs[p.index[decl]]
}

// DataOf returns the data that is declaration number decl, or nil.
func (p *Program) DataOf(decl int) *Variable {
	if p.File.Decls[decl].Kind != syntax.DataDecl {
		return nil
	}
	return &p.Data[p.index[decl]]
}

// loader is the state of Load.
type loader struct {
	file    *syntax.File
	opt     Options
	p       *Program
	errs    Error
	m       *machine
	defs    map[defKey]*definition
	prelude map[string]int // the defs of the prelude
	params  map[string]*ParamSetting
	sets    map[string]*Setting
}

func newLoader(f *syntax.File, opt Options) *loader {
	l := &loader{
		file: f, opt: opt,
		p:       &Program{File: f, names: map[string]int{}, index: make([]int, len(f.Decls))},
		m:       &machine{check: opt.Check, reserve: opt.Reserve},
		defs:    map[defKey]*definition{},
		prelude: map[string]int{},
		params:  map[string]*ParamSetting{},
		sets:    map[string]*Setting{},
	}
	if l.opt.Open == nil {
		l.opt.Open = func(path string) (fs.File, error) { return os.Open(path) }
	}
	if opt.Prelude != nil {
		for i, d := range opt.Prelude.Decls {
			if d.Kind == syntax.DefDecl {
				l.prelude[d.Name] = i
			}
		}
	}
	for i, d := range f.Decls {
		if _, ok := l.p.names[d.Name]; !ok {
			l.p.names[d.Name] = i
		}
	}
	return l
}

// globals lists the names that are known without a declaration.
func (l *loader) globals() []string {
	var all []string
	for name := range natives {
		all = append(all, name)
	}
	for name := range l.prelude {
		all = append(all, name)
	}
	return all
}

// duplicates reports names that are declared twice.
func (l *loader) duplicates() {
	for i, d := range l.file.Decls {
		if first := l.p.names[d.Name]; first != i && d.Name != "" {
			l.report(&Problem{File: l.file, Diagnostic: syntax.Diagnostic{
				Span: d.NameSpan, Headline: "name declared twice", Label: d.Name + " is declared already",
				Notes: []syntax.Note{{Span: l.file.Decls[first].NameSpan, Text: "the first declaration is here"}},
			}})
		}
	}
}

// report adds a problem, unless it has been reported.
func (l *loader) report(p *Problem) {
	if p.reported() {
		return
	}
	for i := range l.errs.Items {
		old := &l.errs.Items[i]
		if old.File == p.File && old.Span == p.Span && old.Headline == p.Headline && old.Label == p.Label &&
			old.Diagnostic.File == p.Diagnostic.File && old.Line == p.Line && old.Col == p.Col {
			return
		}
	}
	l.errs.Items = append(l.errs.Items, *p)
}
