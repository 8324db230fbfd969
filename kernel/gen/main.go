// Command gen writes the assembly of package kernel, for AVX2 and AVX-512.
//
// Run it with go generate in the folder above.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is the number of lanes of a sum.
const lanes = 8

// tileVectors is how many registers a row of a tile has.
const tileVectors = 2

// set is an instruction set.
type set struct {
	name    string
	width   int // float64s in a register
	wide    func() reg.VecVirtual
	rows    []int // how many rows matVec takes at once, in descending order
	heights []int // of a tile, in rows
}

var sets = []set{
	{name: "AVX2", width: 4, wide: YMM, rows: []int{4, 1}, heights: []int{6, 4}},
	{name: "AVX512", width: 8, wide: ZMM, rows: []int{8, 4, 1}, heights: []int{8, 4}},
}

func main() {
	ConstraintExpr("amd64")
	for _, s := range sets {
		s.matVec()
		s.addRows()
		s.addTiles()
		s.lanesOf("sumLanes", "func(lanes *[8]float64, x []float64)", false)
		s.lanesOf("dotLanes", "func(lanes *[8]float64, x, y []float64)", true)
		s.joinLanes()
		s.elementwise()
		s.elementary()
	}
	Generate()
	writeDispatch()
}

// text starts a function; its name is followed by that of the instruction set.
func (s set) text(name, signature string) {
	TEXT(name+s.name, NOSPLIT, signature)
	if s.name == sets[0].name {
		functions = append(functions, function{name, signature})
	}
	Pragma("noescape")
}

// label returns a label that is unique in a function.
func label(name string, n int) string { return name + string(rune('0'+n)) }
