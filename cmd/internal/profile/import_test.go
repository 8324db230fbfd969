package profile_test

import (
	"bytes"
	"io/fs"
	"testing"
	"testing/fstest"

	pprof "github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// TestProfileOfImports: steps in an imported file are those of its lines in a profile, and of its import among the lines of the program.
func TestProfileOfImports(t *testing.T) {
	files := fstest.MapFS{"lib.gram": {Data: []byte("\ndef f x = x * x\n")}}
	p, err := gram.Load(t.Context(), "main.gram", []byte("-- a\nimport \"lib.gram\"\ninput x = 3\nf x * x\n"), gram.Options{
		Open: func(path string) (fs.File, error) { return files.Open(path) },
	})
	require.NoError(t, err)
	prof, err := run(t.Context(), p, profileOptions{})
	require.NoError(t, err)
	checkLines(t, prof)
	lines := prof.Lines()
	require.Len(t, lines, 6)
	require.NotZero(t, lines[2].Source)
	var text bytes.Buffer
	require.NoError(t, prof.Write(&text))
	parsed, err := pprof.Parse(&text)
	require.NoError(t, err)
	places := map[string]int64{}
	for _, s := range parsed.Sample {
		at := s.Location[0].Line[0]
		places[at.Function.Filename] = max(places[at.Function.Filename], at.Line)
	}
	require.Equal(t, map[string]int64{"lib.gram": 2, "main.gram": 4}, places)
}
