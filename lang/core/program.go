package core

import (
	"reflect"

	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// Program is a program as core, with what its nodes refer to.
type Program struct {
	File    *syntax.File
	Guard   *syntax.Guard
	Types   *infer.Types
	Core    *Core
	Static  Statics
	Inputs  []load.Variable
	Scalars int // of the inputs
	Data    []load.Variable
	// DataOf has, by data, the variable that stands for it, 0 for numbers and most lists. By that variable, DataVars has vectors of
	// numbers, and DataLets data that is a let.
	DataOf   []Var
	DataVars map[Var]int
	DataLets map[Var]int
	Defs     []Let       // what stands around the body: defs that are lets, in order
	Lets     map[Var]Ref // the defs that are lets
	ticks    uint32
}

// Let is a let around the whole body.
type Let struct {
	X    Var
	U    Ref // 0: the opening of a data vector
	Data int
}

// Roots returns what the program consists of: the body and the defs that are lets.
func (p *Program) Roots(body Ref) []Ref {
	roots := []Ref{body}
	for _, d := range p.Defs {
		if d.U != 0 {
			roots = append(roots, d.U)
		}
	}
	return roots
}

// Tick counts a step, and looks at the limits from time to time.
func (p *Program) Tick() {
	if p.ticks++; p.ticks%tickEvery == 0 {
		p.Guard.Look()
		if nodes := p.Core.Nodes; cap(nodes)-len(nodes) < tickEvery {
			Announce(p, len(nodes)+len(nodes)/4, nodes) // they will be copied to a larger slice
		}
	}
}

// tickEvery is how many ticks pass between two looks at the limits.
const tickEvery = 1 << 14

// Announce reserves memory for n more elements of a slice.
func Announce[T any](p *Program, n int, _ []T) {
	p.Guard.Announce(int64(n) * int64(reflect.TypeFor[T]().Size()))
}
