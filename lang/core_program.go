package lang

import (
	"reflect"

	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// elaborated is a program as core, with what its nodes refer to.
type elaborated struct {
	file    *syntax.File
	guard   *syntax.Guard
	tt      *infer.Types
	core    *core
	static  statics
	inputs  []load.Variable
	scalars int // of the inputs
	data    []load.Variable
	// dataOf has the variable of each data that is no list, 0 for a number; dataVars has vectors of numbers, and dataLets data that is a let, by that variable.
	dataOf   []variable
	dataVars map[variable]int
	dataLets map[variable]int
	defs     []outer           // what stands around the body: defs that are lets, in order
	lets     map[variable]node // the defs that are lets
	ticks    uint32
}

// outer is a let around the whole body.
type outer struct {
	x    variable
	u    node // 0: the opening of a data vector
	data int
}

// roots returns what the program consists of: the body and the defs that are lets.
func (p *elaborated) roots(body node) []node {
	roots := []node{body}
	for _, d := range p.defs {
		if d.u != 0 {
			roots = append(roots, d.u)
		}
	}
	return roots
}

// tick counts a step, and looks at the limits from time to time.
func (p *elaborated) tick() {
	if p.ticks++; p.ticks%tickEvery == 0 {
		p.guard.Look()
		if nodes := p.core.nodes; cap(nodes)-len(nodes) < tickEvery {
			announce(p, len(nodes)+len(nodes)/4, nodes) // they will be copied to a larger slice
		}
	}
}

// tickEvery is how many ticks pass between two looks at the limits.
const tickEvery = 1 << 14

// announce reserves memory for n more elements of a slice.
func announce[T any](p *elaborated, n int, _ []T) {
	p.guard.Announce(int64(n) * int64(reflect.TypeFor[T]().Size()))
}
