package plot

import (
	"fmt"

	"github.com/gram-machine/gram/bench"
)

// crowd is the number of series of one role and one law from which on they are drawn alike, as
// one entry of the legend; their names are in the claim's table.
const crowd = 13

// item is what one entry of the legend stands for: a series, or a crowd.
type item struct{ findings []*bench.Finding }

// items returns the picture's items, in the order of the series.
func (p *Picture) items() []item {
	type kind struct {
		role bench.Role
		law  bench.Law
	}
	of := func(f *bench.Finding) kind { return kind{f.Series.Role, f.Series.Law} }
	members := map[kind][]*bench.Finding{}
	for _, f := range p.Findings {
		members[of(f)] = append(members[of(f)], f)
	}
	var out []item
	for _, f := range p.Findings {
		switch all := members[of(f)]; {
		case len(all) < crowd:
			out = append(out, item{[]*bench.Finding{f}})
		case all[0] == f:
			out = append(out, item{all})
		}
	}
	return out
}

// role is that of the item's series.
func (it item) role() bench.Role { return it.findings[0].Series.Role }

// label is the item's text in the legend, without and with what was fitted to it.
func (it item) label() (name, fitted string) {
	first := it.findings[0]
	if len(it.findings) == 1 {
		return first.Series.Name, label(first)
	}
	least, most := first, first
	for _, f := range it.findings {
		if f.Fitted && (!least.Fitted || f.Exponent < least.Exponent) {
			least = f
		}
		if f.Fitted && (!most.Fitted || f.Exponent > most.Exponent) {
			most = f
		}
	}
	name, fitted = fmt.Sprintf("%d series", len(it.findings)), label(least)
	if label(most) != fitted {
		fitted += " to" + label(most)[len(" ~"):]
	}
	return name, fitted
}
