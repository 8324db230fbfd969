// Package testprogram makes programs for tests of several packages.
package testprogram

import (
	"bytes"
	"io/fs"
	"os"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/unparse"
	"github.com/gram-machine/gram/term"
)

// Source is a program that was read from its text.
type Source struct {
	*term.Term
	Inputs []term.Var
	Point  []float64
}

// FromSource reads a program.
func FromSource(t require.TestingT, src string) Source {
	p, err := lang.Load("t.gram", []byte(src), lang.Options{})
	require.NoError(t, err, "%s", src)
	s := Source{Term: p.Term()}
	for _, in := range p.Inputs {
		s.Inputs = append(s.Inputs, in.Vars...)
		s.Point = append(s.Point, in.Values...)
	}
	return s
}

// Text prints a random term as a program.
func Text(t require.TestingT, q *property.Program) string {
	out := unparse.New(q.Term, unparse.Options{})
	for i, x := range q.Inputs {
		name := q.Term.Info(x).Name
		out.Reserve(name)
		out.Bind(x, out.Input(name, load.RealShape(), q.Point[i:])[0])
	}
	for _, d := range q.Term.Data {
		out.Reserve(d.Name)
	}
	for i, d := range q.Term.Data {
		s := load.RealShape()
		if d.Width > 1 {
			s = load.VectorShape(s, d.Width)
		}
		if d.List {
			s = load.ListShape(s)
		}
		out.Data(i, d.Name, load.Value{Shape: s, Rows: d.Rows, Data: d.Values})
	}
	var text bytes.Buffer
	require.NoError(t, out.Write(&text))
	return text.String()
}

// Small has parameters that make the large examples small enough for every test.
var Small = map[string][]string{"w1": {"n=20"}, "w2": {"n=3", "k=4"}, "w3": {"n=20"}, "w4": {"n=20"},
	"w5": {"n=3", "k=2"}}

// FirstRows opens a file of the examples, of which a CSV file has its head and at most 20 rows.
func FirstRows(path string) (fs.File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfterN(text, []byte("\n"), 22)
	return fstest.MapFS{"data": {Data: bytes.Join(lines[:min(21, len(lines))], nil)}}.Open("data")
}
