package plot

import (
	"fmt"
	"math"
	"strings"

	"github.com/gram-machine/gram/bench"
)

// group is what findings have in common that one line of the title is of.
type group struct {
	role       bench.Role
	law        bench.Law
	If, absent string
}

func groupOf(f *bench.Finding) group { return group{f.Role, f.Law, f.If, f.Without} }

// titles returns a line for each law in the picture, with its verdict. Evidence comes first.
func (p *Picture) titles() []string {
	var order []group
	worst, count := map[group]*bench.Finding{}, map[group]int{}
	for _, f := range p.Findings {
		g := groupOf(f)
		if count[g] == 0 {
			order = append(order, g)
		}
		if count[g]++; worst[g] == nil || f.Compare(worst[g]) > 0 {
			worst[g] = f
		}
	}
	var first, rest []string
	for _, g := range order {
		f := worst[g]
		line := p.Y + " = " + f.Law.Of(p.X)
		if f.Law.Kind == bench.Below {
			line = p.Y + " ≤ " + p.X
		}
		if g.If != "" {
			line += ", if " + g.If
		}
		line += ": " + string(f.Verdict)
		if n := count[g]; n > 1 {
			line += fmt.Sprintf(" for %d series", n)
		}
		switch {
		case g.absent != "":
			line = "Without " + g.absent + ", " + line
		case g.role == bench.Stronger:
			line = "A stronger statement: " + line
		case g.role == bench.Printed:
			line = "As printed, " + line
		case g.role == bench.Contrast:
			line = "Contrast: " + line
		}
		if g.role == bench.Evidence {
			first = append(first, line)
		} else {
			rest = append(rest, line)
		}
	}
	return append(first, rest...)
}

// fitted is what was fitted to a series, x being the quantity of the horizontal axis; "" if nothing was.
func fitted(f *bench.Finding) string {
	exponent := strings.Replace(fmt.Sprintf("%.2f", f.Exponent), "-", "−", 1)
	if math.Abs(f.Exponent) < 0.005 {
		exponent = "0.00"
	}
	switch law := f.Law; {
	case law.Kind == bench.Equal:
		return "equal"
	case law.Kind == bench.Below:
		return fmt.Sprintf("at most %.2f of it", f.Constant)
	case !f.Fitted:
		return ""
	case law.Kind == bench.Exponential:
		return fmt.Sprintf("~ 2^(%s·x)", exponent)
	default:
		return "~ x^" + exponent + strings.Repeat("·log x", law.Logs)
	}
}
