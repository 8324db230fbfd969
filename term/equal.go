package term

import (
	"bytes"
	"slices"
)

// AlphaEqual reports whether t and u are equal up to the names of bound variables
// (section 4). Free variables are compared by name, data by their position, numerals by
// their bits. Types are not compared. It takes time linear in the terms.
func AlphaEqual(t, u *Term) bool {
	a, b := t.Subterm(t.Root), u.Subterm(u.Root)
	if len(a.Nodes) != len(b.Nodes) || len(a.Free) != len(b.Free) || !slices.Equal(a.Data, b.Data) {
		return false
	}
	for i, x := range a.Free {
		if t.Vars[x].Name != u.Vars[b.Free[i]].Name {
			return false
		}
	}
	return bytes.Equal(a.encode(&encoder{s: a}), b.encode(&encoder{s: b}))
}
