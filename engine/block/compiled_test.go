package block_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/engine/wasm"
	"github.com/gram-machine/gram/internal/testprogram"
)

// TestCompiledOnce: the loops of a program become machine code once, whatever machines run it, also at the same time.
func TestCompiledOnce(t *testing.T) {
	if !wasm.Supported() {
		t.Skip("wazero has no compiler for this platform")
	}
	s := testprogram.FromSource(t, "input e = 0.7\ninput r = 0.9\ndata xs : List R = list i < 100000 -> sin i\n"+
		"fold (fun x h -> sigmoid (e * x + r * h)) 0 xs")
	prog := s.Compiled(t, compile.Options{Reversed: true})
	gradient := func() error {
		m, err := engine.New(prog, engine.Options{})
		if err != nil {
			return err
		}
		defer m.Close()
		return m.Gradient(s.Point, make([]float64, 1), make([]float64, 2))
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { require.NoError(t, gradient()) })
	}
	wg.Wait()
	codes := block.Codes(prog)
	require.Len(t, codes, 2, "a loop forward and one backward")
	for _, code := range codes {
		require.NotNil(t, code)
	}
	require.NoError(t, gradient())
	again := block.Codes(prog)
	require.Len(t, again, len(codes))
	for key, code := range codes {
		require.Same(t, code, again[key])
	}
}
