package reduction

import (
	"bytes"
	"fmt"
	"io"

	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/rule"
)

// ReduceOptions say how a term is reduced.
type ReduceOptions struct {
	Derivation
	Rules   Rules
	Choices []uint64 // redexes that are chosen first, each by its number in the list of its term, from 1
	Order   Order
	Seed    uint64
}

// Reduce prints the steps that are chosen, and lists the redexes of the term that they lead to. The error is that of
// [derive], or a [*ChoiceError].
func Reduce(w io.Writer, s *Source, start *reference.Start, names *reference.Names, opt ReduceOptions) error {
	var wrong error
	next := opt.Order.strategy(&opt.Rules, opt.Seed)
	opt.Next = chosen(&opt.Rules, opt.Choices, next, &wrong)
	opt.Eta, opt.Names, opt.File = opt.Rules.Eta(), names, s.File
	l := &list{ReduceOptions: &opt, w: w}
	opt.End = func(end *reference.State) { l.state = end }
	counts, err := derive(w, start, opt.Derivation)
	switch {
	case err != nil:
		return Undefined(err)
	case wrong != nil:
		return wrong
	case opt.Format == JSON:
		return l.json()
	}
	return l.text(counts.Total() == 0)
}

// list prints the redexes of a state.
type list struct {
	*ReduceOptions
	w     io.Writer
	state *reference.State
}

// text prints a redex a line, and the term first if it has not been printed yet.
func (l *list) text(whole bool) error {
	var b bytes.Buffer
	if whole {
		fmt.Fprintf(&b, "    %s\n", reference.Text(l.Names.Tokens(l.state.Term, nil)))
	}
	b.WriteByte('\n')
	redexes := l.Rules.only(l.state).Redex
	if len(redexes) == 0 {
		b.WriteString("normal form\n")
	}
	width := len(fmt.Sprint(len(redexes)))
	for i := range redexes {
		r := &redexes[i]
		fmt.Fprintf(&b, "%*d  (%s) %s  %s  %s\n", width, i+1, number(r), rule.Table[r.Rule].Name, l.place(l.state.Place(r)),
			redexText(l.Names, l.state, r))
	}
	_, err := l.w.Write(b.Bytes())
	return err
}

type jsonList struct {
	Term    string      `json:"term"`
	Size    int         `json:"size"`
	Redexes []jsonRedex `json:"redexes"`
}

type jsonRedex struct {
	Redex  int    `json:"redex"`
	Rule   string `json:"rule"`
	Number string `json:"number"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Text   string `json:"text"`
}

// json prints an object on a line.
func (l *list) json() error {
	out := jsonList{Term: reference.Text(l.Names.Tokens(l.state.Term, nil)), Size: l.state.Size(), Redexes: []jsonRedex{}}
	redexes := l.Rules.only(l.state).Redex
	for i := range redexes {
		r := &redexes[i]
		o := jsonRedex{Redex: i + 1, Rule: rule.Table[r.Rule].Name, Number: number(r),
			Text: redexText(l.Names, l.state, r)}
		o.Line, o.Column = l.position(l.state.Place(r))
		out.Redexes = append(out.Redexes, o)
	}
	return encode(l.w, out)
}
