package load

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/syntax"
)

// TestDeepJSON: a value in JSON may nest as deep as there is memory, and errors in it say where.
func TestDeepJSON(t *testing.T) {
	const depth = 100_000
	tree := InductiveShape("tree")
	tree.Cons = []Constructor{{"Nil", nil}, {"Cons", ProductShape(realShape, tree)}}
	read := func(text string) (Value, *syntax.Diagnostic) {
		files := fstest.MapFS{"f.json": {Data: []byte(text)}}
		s := &Source{Guard: &syntax.Guard{}, Open: func(path string) (fs.File, error) { return files.Open(path) }}
		set := Setting{Name: "t", Text: "t=@f.json", file: newFile(formats["json"], "f.json")}
		return s.Set(&set, tree, &syntax.Decl{Kind: syntax.DataDecl})
	}
	open, closed := strings.Repeat(`{"Cons": [2, `, depth), strings.Repeat("]}", depth)
	v, wrong := read(open + `"Nil"` + closed)
	require.Nil(t, wrong)
	require.Len(t, v.Data, depth)
	require.Len(t, v.Tags, depth+1)
	require.Zero(t, v.Tags[depth])
	_, wrong = read(open + `"Nul"` + closed)
	require.NotNil(t, wrong)
	require.Equal(t, `$`+strings.Repeat(".Cons[1]", 5)+"…"+strings.Repeat(".Cons[1]", 5)+`: "Nul" is no constructor of tree; did you mean "Nil"?`, wrong.Label)
	for _, text := range []string{"", "[", `{"Cons"`, `{"Cons": [1]}`, `{"Cons": [1, "Nil", 2]}`, `{"Nil": 1}`, `"Cons"`, `3`, `{"Cons": [1, "Nil"]`} {
		_, wrong := read(text)
		require.NotNil(t, wrong, text)
	}
}
