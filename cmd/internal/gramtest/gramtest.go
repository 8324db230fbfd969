// Package gramtest loads programs for tests of the packages beside it.
package gramtest

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/testprogram"
)

// folder has the examples, as seen from a package beside this one.
const folder = "../../../examples"

// Example loads an example of a small size.
func Example(t require.TestingT, name string) *gram.Program {
	p, err := gram.LoadFile(context.Background(), filepath.Join(folder, name+".gram"),
		gram.Options{Params: testprogram.Small[name], Open: testprogram.FirstRows})
	require.NoError(t, err)
	return p
}

// Examples are the names of the examples but for the largest.
func Examples(t require.TestingT) []string {
	files, err := filepath.Glob(folder + "/*.gram")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 10)
	var names []string
	for _, f := range files {
		if name := filepath.Base(f[:len(f)-len(".gram")]); !slices.Contains([]string{"phylogeny", "molecules", "newton",
			"characters", "bigram"}, name) {
			names = append(names, name)
		}
	}
	return names
}

// Load loads a program.
func Load(t require.TestingT, text string) *gram.Program {
	p, err := gram.Load(context.Background(), "test.gram", []byte(text), gram.Options{})
	require.NoError(t, err, "%s", text)
	return p
}
