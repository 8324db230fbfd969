package graph

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/term"
)

// TestInstructions: every operation has a name, and operands and results where its comment
// says.
func TestInstructions(t *testing.T) {
	p := &Program{Args: []uint32{9, 7, 5, 3}, Globals: []Global{{Kind: Num, Val: 2.5}, {Kind: Closure, Index: 4}}}
	in := Instr{A: 1, B: 2, D: 10, Off: 1, N: 3, Sym: term.DSin, Cmp: term.Less}
	for op := OpMul; op <= OpIf; op++ {
		in.Op = op
		require.NotEmpty(t, in.Name(), "operation %d", op)
		switch op {
		case OpFun1, OpUnpair, OpUntuple, OpUnvec, OpJob:
			require.Equal(t, []uint32{1}, p.Operands(&in), in.Name())
		case OpMul, OpAdd, OpSub, OpFun2, OpPair, OpArrive, OpSum:
			require.Equal(t, []uint32{1, 2}, p.Operands(&in), in.Name())
		default:
			require.Equal(t, []uint32{7, 5, 3}, p.Operands(&in), in.Name())
		}
		switch op {
		case OpUnpair, OpUntuple, OpUnvec:
			require.EqualValues(t, 3, in.Results())
		case OpTally:
			require.Zero(t, in.Results())
		default:
			require.EqualValues(t, 1, in.Results())
		}
	}
	require.Equal(t, "2.5", p.GlobalText(1))
	require.Equal(t, "closure 4", p.GlobalText(2))
}
