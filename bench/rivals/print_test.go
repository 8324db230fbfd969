package rivals

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/term"
)

// String prints the program. Variables of one name are told apart by their primes alone, as the transformations make them.
func (c *code) String() string {
	kid := func(i int) string { return c.kids[i].String() }
	names := func() string {
		var out []string
		for _, x := range c.vars {
			out = append(out, x.name)
		}
		if len(out) == 1 {
			return out[0]
		}
		return "⟨" + strings.Join(out, ",") + "⟩"
	}
	args := func() string {
		var out []string
		for i := range c.kids {
			out = append(out, kid(i))
		}
		return "(" + strings.Join(out, ", ") + ")"
	}
	switch c.op {
	case opVar:
		return c.vars[0].name
	case opNum:
		return strconv.FormatFloat(c.val, 'g', -1, 64)
	case opLam:
		return "(λ" + names() + ". " + kid(0) + ")"
	case opApp:
		return kid(0) + " (" + kid(1) + ")"
	case opPair:
		return "⟨" + kid(0) + ", " + kid(1) + "⟩"
	case opOpen:
		return "let " + names() + " = " + kid(0) + " in " + kid(1)
	case opFun:
		if c.sym == term.NoSymbol {
			return kid(0) + " + " + kid(1)
		}
		return c.sym.String() + args()
	case opIf:
		return "if " + kid(0) + " " + c.cmp.String() + " " + kid(1) + " then " + kid(2) + " else " + kid(3)
	}
	at := ""
	if len(c.at) > 0 {
		at = fmt.Sprint(c.at)
	}
	return c.prim.name + at + args()
}
