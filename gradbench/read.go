package gradbench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// role is what a field of an input is to the program.
type role uint8

const (
	param    role = iota // the value of a param
	input                // numbers of an input
	list                 // a data list
	constant             // data for which the program is compiled
	other                // nothing: the module makes something of it
	roles
)

// field is a value in the JSON of an input.
type field struct {
	role role
	// path has the names on the way to the value, with dots between them. The last is its name in the program. The path
	// of an input that is a value itself is empty, and the name is x.
	path string
	// shape has the lengths of nested arrays, from the outermost on. A length is a product of numbers and params, like
	// "2*l". A param that has no value yet takes the one with which the length is right.
	shape string
}

// read reads the fields of an input, in order.
func (p *problem) read(text json.RawMessage) error {
	for _, f := range p.fields {
		value, err := inside(text, f.path)
		if err != nil {
			return err
		}
		name := f.path[strings.LastIndexByte(f.path, '.')+1:]
		switch f.role {
		case param:
			n := 0
			err = json.Unmarshal(value, &n)
			p.params[name] = n
		default:
			if name == "" {
				name = "x"
			}
			p.values[f.role][name], err = p.numbers(name, value, strings.Fields(f.shape))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inside returns the value to which the path leads.
func inside(text json.RawMessage, path string) (json.RawMessage, error) {
	for name := range strings.SplitSeq(path, ".") {
		if len(text) == 0 || string(text) == "null" {
			return nil, errors.New("there is none")
		}
		if name == "" {
			break
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(text, &object); err != nil {
			return nil, err
		}
		if text = object[name]; len(text) == 0 {
			return nil, fmt.Errorf("there is no %s", name)
		}
	}
	return text, nil
}

// numbers returns the numbers in nested arrays, one after the other. They have to have the shape.
func (p *problem) numbers(name string, text json.RawMessage, shape []string) (all []float64, err error) {
	if bytes.Contains(text, []byte("null")) {
		return nil, fmt.Errorf("%s has a null where a number has to be", name)
	}
	if len(shape) == 0 {
		all = make([]float64, 1)
		return all, json.Unmarshal(text, &all[0])
	}
	if len(shape) == 1 {
		if err := json.Unmarshal(text, &all); err != nil {
			return nil, err
		}
		return all, p.length(name, shape[0], len(all))
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, err
	}
	if err := p.length(name, shape[0], len(rows)); err != nil {
		return nil, err
	}
	for i, row := range rows {
		numbers, err := p.numbers(fmt.Sprintf("%s[%d]", name, i), row, shape[1:])
		if err != nil {
			return nil, err
		}
		all = append(all, numbers...)
	}
	return all, nil
}

// length is an error unless an array has the length.
func (p *problem) length(name, length string, n int) error {
	want, unknown := 1, ""
	for factor := range strings.SplitSeq(length, "*") {
		if number, err := strconv.Atoi(factor); err == nil {
			want *= number
		} else if value, ok := p.params[factor]; ok {
			want *= value
		} else {
			unknown = factor
		}
	}
	switch {
	case n == 0:
		return fmt.Errorf("%s is empty", name)
	case unknown != "" && n%want == 0:
		p.params[unknown] = n / want
	case unknown != "":
		return fmt.Errorf("%s has %d elements, not %s", name, n, length)
	case n != want:
		return fmt.Errorf("%s has %d elements, not %d", name, n, want)
	}
	return nil
}
