package block

import (
	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/graph"
)

// Codes returns the machine code of each loop of the program.
func Codes(p *graph.Program) map[any]*native.Code {
	all := map[any]*native.Code{}
	for key, c := range p.Loops.Range {
		all[key] = c.(*compiled).code
	}
	return all
}
