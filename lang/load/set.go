package load

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/syntax"
)

// UsageError is the value of an option that is malformed, or names nothing in the program.
type UsageError struct {
	Option  string // "param", "set", "rule" or "step": on the command line a flag
	Text    string // the option's value as given
	Msg     string
	Instead string // the option that is meant, or ""
}

// Error returns the message with the option before it.
func (e *UsageError) Error() string { return e.Message("") }

// Message is Error with a prefix for the names of options, such as "--".
func (e *UsageError) Message(prefix string) string {
	text := prefix + e.Option + " " + short(e.Text) + ": " + e.Msg
	if e.Instead != "" {
		text += ": use " + prefix + e.Instead
	}
	return text
}

func usage(option, text, format string, args ...any) *UsageError {
	return &UsageError{Option: option, Text: text, Msg: fmt.Sprintf(format, args...)}
}

// short cuts a text that a message quotes.
func short(text string) string {
	if utf8.RuneCountInString(text) <= 60 {
		return text
	}
	return syntax.Clip(text, 59)
}

// ParamSetting is the value of a param.
type ParamSetting struct {
	Name  string
	Value uint64
	Text  string // as given
}

// ParseParam reads a param and its value: n=1000, n=1e6. An error is a *[UsageError].
func ParseParam(text string) (ParamSetting, error) {
	name, value, err := nameAndValue("param", text)
	if err != nil {
		return ParamSetting{}, err
	}
	n, why := parseNatural(value)
	if why != "" {
		return ParamSetting{}, usage("param", text, "%s %s", quoted(value), why)
	}
	return ParamSetting{Name: name, Value: n, Text: text}, nil
}

// Setting is the value of an input or data: numbers in brackets, or in row-major order, or a file.
type Setting struct {
	Name string
	Text string // as given

	layout *layout // of numbers in brackets, which are in flat
	file   *File   // nil if there are numbers
	value  string  // the text of that
	flat   []float64
	isFlat bool // flat is in row-major order
}

// SetFile sets an input or data to the numbers of a file; text is how that is written.
func SetFile(name, text string, f *File) Setting { return Setting{Name: name, Text: text, file: f} }

// SetValues sets an input or data to numbers in row-major order; how many a list
// has follows from them. The slice is used as it is, and not modified.
func SetValues(name string, values []float64) Setting {
	return Setting{Name: name, Text: name + "=" + counted(len(values), "number"), flat: values, isFlat: true}
}

// ParseSet reads an input or data and its value: eps=-0.3, q=[1,-2], E=@e.csv,
// xs=@f.csv:a,b. No file is opened. An error is a *[UsageError].
func ParseSet(text string) (Setting, error) {
	name, value, err := nameAndValue("set", text)
	if err != nil {
		return Setting{}, err
	}
	s := Setting{Name: name, Text: text}
	value = strings.TrimSpace(value)
	problem := ""
	file, atFile := strings.CutPrefix(value, "@")
	word, rest, _ := strings.Cut(value, " ")
	switch {
	case atFile:
		problem = s.atFile(file)
	case formats[word] != nil && strings.HasPrefix(strings.TrimSpace(rest), `"`):
		problem = s.form(value)
	default:
		problem = s.numbers(value)
	}
	if problem != "" {
		return Setting{}, usage("set", text, "%s", problem)
	}
	return s, nil
}

func (s *Setting) numbers(text string) (problem string) {
	r := newTextReader([]byte(text), nil, &syntax.Guard{})
	s.layout = r.value()
	if err := r.end(); err != nil {
		if extension(text) != nil {
			return err.msg + "; a file is written @" + short(text)
		}
		return err.msg
	}
	s.flat, s.value = r.data, text
	return ""
}

// ParseNumbers reads a value of shape s from numbers in brackets, as [ParseSet] does. An error is a *[UsageError].
func ParseNumbers(name, text string, s *Shape) ([]float64, error) {
	set, err := ParseSet(name + "=" + text)
	if err != nil {
		return nil, err
	}
	v, d := (&Source{Guard: &syntax.Guard{}}).Set(&set, s, &syntax.Decl{})
	if d != nil {
		return nil, usage("set", name, "%s", d.Label)
	}
	return v.Data, nil
}

// Path returns the file that the value stands in, or "".
func (s *Setting) Path() string {
	if s.file == nil {
		return ""
	}
	return s.file.path
}

// Path returns the path of the file.
func (f *File) Path() string { return f.path }

// IsCSV reports whether it is a CSV file.
func (f *File) IsCSV() bool { return f.format == formats["csv"] }

// form reads what a program says of a file: csv "f.csv" "a" skip.
func (s *Setting) form(text string) (problem string) {
	f, wrong, err := syntax.Parse("", []byte("data x = "+text+"\n0"), syntax.Options{})
	if err != nil {
		return err.Error()
	}
	if len(wrong) == 0 {
		var d *syntax.Diagnostic
		if s.file, d = NewFile(f.Expr(f.Decls[0].Value), ""); d == nil {
			s.file.place = syntax.Span{}
			return ""
		}
		wrong = append(wrong, *d)
	}
	return strings.TrimSuffix(wrong[0].Headline+": "+wrong[0].Label, ": ")
}

func nameAndValue(option, text string) (name, value string, err error) {
	if !utf8.ValidString(text) {
		return "", "", usage(option, strings.ToValidUTF8(text, "\ufffd"), "this is not UTF-8")
	}
	name, value, ok := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	switch {
	case !ok:
		return "", "", usage(option, text, "a name and a value are expected: name=value")
	case name == "":
		return "", "", usage(option, text, "there is no name before the =")
	case strings.TrimSpace(value) == "":
		return "", "", usage(option, text, "there is no value after the =")
	}
	return name, value, nil
}

func quoted(text string) string { return `"` + short(strings.TrimSpace(text)) + `"` }

// atFile reads path or path:part,part, as in f.csv:a,b. The first colon in the last part of the
// path starts the names; one with a comma stands in quotes, as in a CSV file.
func (s *Setting) atFile(text string) (problem string) {
	last := strings.LastIndexAny(text, `/\`) + 1
	path, names, found := strings.Cut(text[last:], ":")
	if path = text[:last] + path; path == "" {
		return "a path is expected after @"
	}
	f := extension(path)
	if f == nil {
		f = formats["csv"]
	}
	s.file = newFile(f, path)
	if found {
		parts, err := separated(names)
		if err != nil {
			return "the names of columns are expected after the colon: @file.csv:a,b"
		}
		for _, name := range parts {
			if strings.TrimSpace(name) == "" {
				return "a name of a column is empty"
			}
			s.file.parts = append(s.file.parts, part{name: name, index: -1})
		}
	}
	if f == formats["csv"] {
		return "" // one without a header may have no names
	}
	return s.file.misuse()
}

// separated returns what stands between the commas of a text; with a comma in it, it stands in quotes.
func separated(text string) ([]string, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.TrimLeadingSpace = true
	return r.Read()
}

// Settings are values of params, inputs and data by name; the last one of a name counts.
type Settings struct {
	Params map[string]*ParamSetting
	Sets   map[string]*Setting
}

// NewSettings checks that each option names a declaration of f that it can set. An error is a *[UsageError].
func NewSettings(f *syntax.File, params []ParamSetting, sets []Setting) (*Settings, error) {
	s := &Settings{map[string]*ParamSetting{}, map[string]*Setting{}}
	for i := range params {
		p := &params[i]
		if err := settable(f, "param", p.Name, p.Text); err != nil {
			return nil, err
		}
		s.Params[p.Name] = p
	}
	for i := range sets {
		p := &sets[i]
		if err := settable(f, "set", p.Name, p.Text); err != nil {
			return nil, err
		}
		s.Sets[p.Name] = p
	}
	return s, nil
}

// setBy are the options that set declarations, and what messages call these.
var setBy = map[syntax.DeclKind]struct{ option, what string }{
	syntax.ParamDecl: {"param", "a param"}, syntax.InputDecl: {"set", "an input"}, syntax.DataDecl: {"set", "data"},
}

// settable checks that an option names a declaration that it can set.
func settable(f *syntax.File, option, name, text string) error {
	var names []string
	for _, d := range f.Decls {
		switch by := setBy[d.Kind]; {
		case d.Kind == syntax.TypeDecl:
		case d.Name == name && by.option == "":
			return usage(option, text, "%s is a %s; only params, inputs and data can be set", name, d.Kind)
		case d.Name == name && by.option != option:
			err := usage(option, text, "%s is %s", name, by.what)
			err.Instead = by.option
			return err
		case d.Name == name:
			return nil
		case by.option == option:
			names = append(names, d.Name)
		}
	}
	missing := "the program has no input or data " + name
	if option == "param" {
		missing = "the program has no param " + name
	}
	if near := syntax.Suggest(name, names); near != "" {
		missing += "; did you mean " + near + "?"
	}
	return usage(option, text, "%s", missing)
}

// Inputs reads values of inputs and data of f by their names, from a .npz file or from a file that holds a JSON object:
// {"eps": 0.7, "q": [1, -2]}.
func (s *Source) Inputs(path string, f *syntax.File) (sets []Setting, d *syntax.Diagnostic) {
	format, read := formats["json"], func(o *opened) error { return o.members(f, &sets) }
	if extension(path) == formats["npz"] {
		format, read = formats["npz"], func(o *opened) error { return o.inputs(f, &sets) }
	}
	if err := s.with(newFile(format, path), read); err != nil {
		return nil, &syntax.Diagnostic{Headline: err.headline(), Label: err.msg, File: path, Line: err.line,
			Col: err.col, Cause: err.cause}
	}
	return sets, nil
}

// inputs reads the arrays of a .npz file.
func (o *opened) inputs(f *syntax.File, sets *[]Setting) error {
	return o.arrays(func(name string, read func(finite bool) (*content, error)) error {
		if wrong, ok := settable(f, "set", name, name).(*UsageError); ok {
			return errors.New(wrong.Msg)
		}
		c, err := read(false)
		if err == nil {
			*sets = append(*sets, Setting{Name: name, Text: o.path, layout: c.layout, flat: c.Data})
		}
		return err
	})
}

// members reads the members of a JSON object.
func (o *opened) members(f *syntax.File, sets *[]Setting) error {
	r := o.jsonReader()
	if r.skip() != '{' {
		r.fail("an object with the values by name is expected: {\"x\": 1}")
		return r.err
	}
	r.object(func(name string, line, col int) {
		if wrong, ok := settable(f, "set", name, name).(*UsageError); ok {
			r.fail("%s", wrong.Msg)
			r.err.line, r.err.col = line, col
			return
		}
		r.data = nil
		l := r.value()
		*sets = append(*sets, Setting{Name: name, Text: o.path, layout: l, flat: r.data})
	})
	if err := r.end(); err != nil {
		return err // a nil *fileError would be an error
	}
	return nil
}

// parseNumber is [syntax.ParseNumber] with spaces around the number allowed. If
// the text is no number, why completes a sentence that starts with the text.
func parseNumber(text string) (x float64, why string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, "is empty"
	}
	x, err := syntax.ParseNumber(text)
	switch {
	case err == nil:
		return x, ""
	case errors.Is(err, syntax.ErrNotFinite):
		return 0, "is too large for a number"
	}
	return 0, "is not a number"
}

// parseNatural reads a numeral with a natural value, 1e6 too.
func parseNatural(text string) (n uint64, why string) {
	x, why := parseNumber(text)
	switch {
	case why != "":
		return 0, why
	case x < 0 || x != math.Trunc(x):
		return 0, "is not a natural number"
	case x > MaxNat:
		return 0, "is larger than 2^53"
	}
	return uint64(x), ""
}
