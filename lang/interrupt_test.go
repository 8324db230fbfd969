package lang_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang"
)

// TestLoopsCheck: every loop over the parts of a large program calls Check, so that an
// interrupt ends it. Check tells by its stack which loops call it.
func TestLoopsCheck(t *testing.T) {
	for source, loops := range map[string][]string{
		"input x = 0.5\nsum i < 100000 -> x": {
			"term.(*Term).Expand",
		},
		"input x = 0.5\nsum i < 100000 -> (#i (fun y -> y) x)": {
			"elaborate.(*Elaborator).tail", "elaborate.(*Elaborator).sum", "elaborate.(*Elaborator).addends", "lang.(*lowering).run",
			"term.(*Term).traverse", "term.(*Term).Typing",
		},
		"input x = 0.5\nlet v = vec i < 100000 -> (#i (fun y -> y) x) in v.(0)": {"elaborate.(*Elaborator).store", "elaborate.(*Elaborator).same"},
	} {
		seen := map[string]bool{}
		look := func() error {
			pcs := make([]uintptr, 64)
			frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
			for more := true; more; {
				var f runtime.Frame
				f, more = frames.Next()
				seen[f.Function[strings.LastIndex(f.Function, "/")+1:]] = true
			}
			return nil
		}
		p, err := lang.Load("f.gram", []byte(source), lang.Options{Check: look})
		require.NoError(t, err)
		_, err = p.Expand(nil, look)
		require.NoError(t, err)
		for _, loop := range loops {
			assert.True(t, seen[loop], "%s does not call Check: %s", loop, source)
		}
	}
}
