// Command gen writes the assembly of package kernel, for AVX2 and AVX-512.
//
// Run it with go generate in the folder above.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
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
	define("matVec", "func(y, w []float64, ld int, x []float64)", set.matVec)
	define("addRows", "func(dst, w []float64, wAt, ld int, s []float64, sAt, inc, rows int)", set.addRows)
	define("addTiles", "func(rows int, c []float64, cAt, ldc int, a []float64, aAt, aStep int, b []float64, bAt, "+
		"bStep, bPanel, panels, steps int, fresh bool)", set.addTiles)
	define("sumLanes", "func(lanes *[8]float64, x []float64)", func(s set) { s.lanesOf(false) })
	define("dotLanes", "func(lanes *[8]float64, x, y []float64)", func(s set) { s.lanesOf(true) })
	define("joinLanes", "func(dst, lanes []float64, at, stride int)", set.joinLanes)
	elementwise()
	elementary()
	Generate()
	writeDispatch()
}

// define makes a function of the code that body makes for each instruction set: that of the form in use runs.
func define(name, signature string, body func(s set)) {
	functions = append(functions, function{name, signature})
	TEXT(name+"AVX", NOSPLIT, signature)
	Pragma("noescape")
	CMPQ(NewDataAddr(Symbol{Name: "·form"}, 0), Imm(formAVX2))
	JNE(LabelRef(sets[1].name))
	for i, s := range sets {
		if i > 0 {
			Label(s.name)
		}
		body(s)
		VZEROUPPER()
		RET()
	}
}

// formAVX2 is the number of the form in package kernel.
const formAVX2 = 1

// mark puts a label here, to which to refers: it is one of the code for the set.
func (s set) mark(name string) { Label(s.name + "_" + name) }

func (s set) to(name string) LabelRef { return LabelRef(s.name + "_" + name) }

// label returns a label that is unique in the code for a set.
func label(name string, n int) string { return name + string(rune('0'+n)) }
