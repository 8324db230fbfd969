package machine

import (
	"math"

	"github.com/gram-machine/gram/compile"
)

// The nodes of the arena, as the compiler lays them out.
type (
	node  = compile.Node
	Ref   = compile.Ref
	Place = compile.Place
	Tag   = compile.Tag
)

// NodeBytes is how many bytes a node has.
const NodeBytes = compile.NodeBytes

// nodeOf returns the place of the first operand of the same node.
func nodeOf(p Place) Place { return p &^ 3 }

func lo(v uint64) uint32       { return uint32(v) }
func hi(v uint64) uint32       { return uint32(v >> 32) }
func both(a, b uint32) uint64  { return uint64(a) | uint64(b)<<32 }
func number(v uint64) float64  { return math.Float64frombits(v) }
func numeral(x float64) uint64 { return math.Float64bits(x) }
