package syntax

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParseNumber accepts nothing that is not finite.
func FuzzParseNumber(f *testing.F) {
	f.Add("1e3")
	f.Add("-.5")
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := ParseNumber(text); err == nil {
			require.False(t, v != v || v-v != 0, text)
			require.False(t, strings.ContainsAny(text, "xXpP_iInN"), text)
		}
	})
}
