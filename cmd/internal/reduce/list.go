package reduce

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/gram-machine/gram/cmd/internal/derivation"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/rule"
)

// Options say how a term is reduced.
type Options struct {
	derivation.Options
	Rules   Rules
	Choices []uint64 // redexes that are chosen first, each by its number in the list of its term, from 1
	Order   Order
	Seed    uint64
}

// Write prints the steps that are chosen, and lists the redexes of the term that they lead to. The error is that of
// [derivation.Write], or a [*ChoiceError].
func Write(w io.Writer, s *Source, start *reference.Start, names *reference.Names, opt Options) error {
	var wrong error
	next := opt.Order.strategy(&opt.Rules, opt.Seed)
	opt.Next = chosen(&opt.Rules, opt.Choices, next, &wrong)
	opt.Eta, opt.Names, opt.Position = opt.Rules.Eta(), names, s.Position
	l := &list{w: w, source: s, names: names, rules: &opt.Rules}
	opt.End = func(end *reference.State) { l.state = end }
	counts, err := derivation.Write(w, start, opt.Options)
	switch {
	case err != nil:
		return Undefined(err)
	case wrong != nil:
		return wrong
	case opt.Format == derivation.JSON:
		return l.json()
	}
	return l.text(counts.Total() == 0)
}

// list prints the redexes of a state.
type list struct {
	w      io.Writer
	source *Source
	names  *reference.Names
	rules  *Rules
	state  *reference.State
}

// text prints a redex a line, and the term first if it has not been printed yet.
func (l *list) text(whole bool) error {
	var b bytes.Buffer
	if whole {
		fmt.Fprintf(&b, "    %s\n", reference.Text(l.names.Tokens(l.state.Term, nil)))
	}
	b.WriteByte('\n')
	redexes := l.rules.only(l.state).Redex
	if len(redexes) == 0 {
		b.WriteString("normal form\n")
	}
	width := len(fmt.Sprint(len(redexes)))
	for i := range redexes {
		r := &redexes[i]
		fmt.Fprintf(&b, "%*d  (%s) %s  %s  %s\n", width, i+1, number(r), rule.Table[r.Rule].Name, l.place(r),
			derivation.Redex(l.names, l.state, r))
	}
	_, err := l.w.Write(b.Bytes())
	return err
}

// place is where a redex comes from, as 5:22.
func (l *list) place(r *reference.Redex) string {
	pos := l.state.Place(r)
	if pos == 0 {
		return "-"
	}
	line, column := l.source.Position(pos)
	return fmt.Sprintf("%d:%d", line, column)
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
	out := jsonList{Term: reference.Text(l.names.Tokens(l.state.Term, nil)), Size: l.state.Size(), Redexes: []jsonRedex{}}
	redexes := l.rules.only(l.state).Redex
	for i := range redexes {
		r := &redexes[i]
		o := jsonRedex{Redex: i + 1, Rule: rule.Table[r.Rule].Name, Number: number(r),
			Text: derivation.Redex(l.names, l.state, r)}
		if pos := l.state.Place(r); pos != 0 {
			o.Line, o.Column = l.source.Position(pos)
		}
		out.Redexes = append(out.Redexes, o)
	}
	enc := json.NewEncoder(l.w)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
