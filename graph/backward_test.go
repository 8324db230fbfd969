package graph

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/property"
)

// TestPropertyCells: cells that are pushed in any order, on the stack or, far below its top, on the heap, are taken in the
// reverse of the order in which they were made; and no push moves many.
func TestPropertyCells(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		var stack, all []Ref
		var far Heap
		take := func() {
			last := len(stack) - 1
			c := Ref(0)
			if len(far) > 0 && (last < 0 || far[0] > uint64(stack[last])) {
				c = Ref(far.Pop())
			} else {
				c, stack = stack[last], stack[:last]
			}
			i := slices.Index(all, slices.Max(all))
			require.Equal(t, all[i], c)
			all = slices.Delete(all, i, i+1)
		}
		for _, c := range rapid.SliceOfNDistinct(rapid.Uint32Range(1, 1000), 1, 200, rapid.ID[uint32]).Draw(t, "cells") {
			before, near := slices.Clone(stack), false
			if stack, near = PushCell(stack, c); near {
				stay := max(0, len(before)-nearCells)
				require.True(t, slices.Equal(before[:stay], stack[:stay]))
			} else {
				require.True(t, slices.Equal(before, stack))
				far.Push(uint64(c))
			}
			all = append(all, c)
			if rapid.IntRange(0, 3).Draw(t, "take") == 0 {
				take()
			}
		}
		for len(all) > 0 {
			take()
		}
	})
}
