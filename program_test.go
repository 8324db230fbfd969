package gram

import (
	"bytes"
	"context"

	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/unparse"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func loadText(t require.TestingT, text string) *Program {
	p, err := Load(context.Background(), "test.gram", []byte(text), Options{})
	require.NoError(t, err, "%s", text)
	return p
}

// small makes the large examples small.
var small = map[string][]string{"w1": {"n=20"}, "w2": {"n=3", "k=4"}, "w3": {"n=20"}, "w4": {"n=20"}}

// randomProgram prints a random term and loads it.
func randomProgram(t *rapid.T, q *generate.Program) *Program { return loadText(t, programText(t, q)) }

// programText prints a random term as a program.
func programText(t *rapid.T, q *generate.Program) string {
	out := unparse.New(q.Term, unparse.Options{})
	for i, x := range q.Inputs {
		name := q.Term.Vars[x].Name
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
