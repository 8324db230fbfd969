package load

import (
	"encoding/csv"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/syntax"
)

// ParamSetting is the value of a param.
type ParamSetting struct {
	Name  string
	Value uint64
	Text  string // as given
}

// ParseParam reads a param and its value: n=1000, n=1e6. An error is a
// *[UsageError].
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

	layout  *layout  // of numbers in brackets, which are in flat
	path    string   // of @path, if there are no numbers
	columns []string // nil: the file has no header
	flat    []float64
	isFlat  bool // flat is in row-major order
}

// SetValues sets an input or data to numbers in row-major order; how many a list
// has follows from them. The slice is used as it is, and not modified.
func SetValues(name string, values []float64) Setting {
	return Setting{Name: name, Text: fmt.Sprintf("%s=%d %s", name, len(values), plural(len(values), "number")), flat: values, isFlat: true}
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
	if file, ok := strings.CutPrefix(value, "@"); ok {
		if err := s.file(file); err != "" {
			return Setting{}, usage("set", text, "%s", err)
		}
		return s, nil
	}
	r := newTextReader([]byte(value), nil, &syntax.Guard{})
	s.layout = r.value()
	if r.skip(); !r.ended() {
		r.fail("%s is left over after the value", r.rest())
	}
	if r.err != nil {
		return Setting{}, usage("set", text, "%s", r.err.msg)
	}
	s.flat = r.data
	return s, nil
}

// ParseNumbers reads a value of shape s from numbers in brackets, as [ParseSet] does. An error is a *[UsageError].
func ParseNumbers(name, text string, s *Shape) ([]float64, error) {
	set, err := ParseSet(name + "=" + text)
	if err != nil {
		return nil, err
	}
	v, d := (&Source{Guard: &syntax.Guard{}}).Set(&set, s, syntax.Span{})
	if d != nil {
		return nil, usage("set", name, "%s", d.Label)
	}
	return v.Data, nil
}

// Path returns the CSV file that the value stands in, or "".
func (s *Setting) Path() string { return s.path }

// nameAndValue splits name=value.
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

// file reads path or path:column,column. The first colon in the last part of the
// path starts the columns; a name with a comma stands in quotes, as in a CSV file.
func (s *Setting) file(text string) (problem string) {
	last := strings.LastIndexAny(text, `/\`) + 1
	colon := strings.IndexByte(text[last:], ':')
	if colon < 0 {
		s.path = text
	} else {
		s.path = text[:last+colon]
		r := csv.NewReader(strings.NewReader(text[last+colon+1:]))
		r.TrimLeadingSpace = true
		columns, err := r.Read()
		if err != nil {
			return "the names of columns are expected after the colon: @file.csv:a,b"
		}
		for _, name := range columns {
			if strings.TrimSpace(name) == "" {
				return "a name of a column is empty"
			}
		}
		s.columns = columns
	}
	if s.path == "" {
		return "a path is expected after @"
	}
	return ""
}
