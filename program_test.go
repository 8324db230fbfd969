package gram

import (
	"context"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/testprogram"
)

func loadText(t require.TestingT, text string) *Program {
	p, err := Load(context.Background(), "test.gram", []byte(text), Options{})
	require.NoError(t, err, "%s", text)
	return p
}

// randomProgram prints a random term and loads it.
func randomProgram(t *rapid.T, q *generate.Program) *Program {
	return loadText(t, testprogram.Text(t, q))
}
