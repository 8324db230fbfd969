package load

import (
	"encoding/csv"
	"fmt"
	"strings"
	"unicode/utf8"
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

// Setting is the value of an input or data: a name and numbers in brackets, or a CSV file.
type Setting struct {
	Name string
	Text string // as given

	tree    *tree
	path    string   // of @path, if tree is nil
	columns []string // nil: the file has no header
	flat    []float64
	isFlat  bool
}

// SetValues sets an input or data to numbers in row-major order; how many a list
// has follows from them. The slice is used as it is, and not modified.
func SetValues(name string, values []float64) Setting {
	return Setting{Name: name, Text: fmt.Sprintf("%s=%d %s", name, len(values), plural(len(values), "number")), flat: values, isFlat: true}
}

// tree is a number, or trees in brackets.
type tree struct {
	num  float64
	kids []tree // nil for a number
}

// maxBrackets bounds the nesting of brackets.
const maxBrackets = 100

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
	p := treeParser{text: value}
	t := p.parse(0)
	if p.skip(); p.err == "" && p.at < len(value) {
		p.err = quoted(value[p.at:]) + " is left over after the value"
	}
	if p.err != "" {
		return Setting{}, usage("set", text, "%s", p.err)
	}
	s.tree = &t
	return s, nil
}

// ParseNumbers reads the numbers of a value of shape s, as [ParseSet] does: numbers in brackets.
func ParseNumbers(name, text string, s *Shape) ([]float64, *UsageError) {
	p := treeParser{text: text}
	t := p.parse(0)
	if p.skip(); p.err == "" && p.at < len(text) {
		p.err = quoted(text[p.at:]) + " is left over after the value"
	}
	out := make([]float64, s.width)
	if p.err == "" && !t.put(out, s) {
		p.err = fmt.Sprintf("%s is %v, but this is %s", name, s, t.describe())
	}
	if p.err != "" {
		return nil, usage("set", name+"="+text, "%s", p.err)
	}
	return out, nil
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

// treeParser reads numbers in brackets.
type treeParser struct {
	text string
	at   int
	err  string
}

func (p *treeParser) skip() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *treeParser) parse(nest int) tree {
	p.skip()
	if nest > maxBrackets {
		p.err = "too many brackets in one another"
		return tree{}
	}
	if p.at >= len(p.text) || p.text[p.at] != '[' {
		return p.number()
	}
	p.at++
	t := tree{kids: []tree{}}
	p.skip()
	if p.take(']') {
		return t
	}
	for p.err == "" {
		t.kids = append(t.kids, p.parse(nest+1))
		p.skip()
		switch {
		case p.err != "" || p.take(']'):
			return t
		case p.at >= len(p.text):
			p.err = "a closing bracket is missing"
		case !p.take(','):
			p.err = quoted(p.text[p.at:]) + " stands where a comma or a closing bracket is expected"
		}
	}
	return t
}

func (p *treeParser) take(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *treeParser) number() tree {
	end := strings.IndexAny(p.text[p.at:], "[],")
	if end < 0 {
		end = len(p.text) - p.at
	}
	word := p.text[p.at : p.at+end]
	x, why := parseNumber(word)
	switch {
	case why == "is empty" && end == len(p.text)-p.at:
		p.err = "the value ends where a number is expected"
	case why == "is empty":
		p.err = quoted(p.text[p.at:]) + " stands where a number is expected"
	case why != "":
		p.err = quoted(word) + " " + why
	}
	p.at += end
	return tree{num: x}
}
