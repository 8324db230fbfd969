package term

import (
	"bytes"
	"slices"
)

// AlphaEqual reports whether t and u are equal up to the names of bound variables
// (section 4). Free variables are compared by name, data by their position, numerals by
// their bits. Types are not compared. It takes time linear in the terms.
func AlphaEqual(t, u *Term) bool {
	a, _ := t.Subterm(t.Root, nil)
	b, _ := u.Subterm(u.Root, nil)
	if len(a.Nodes) != len(b.Nodes) || len(a.Free) != len(b.Free) || !slices.Equal(a.Data, b.Data) {
		return false
	}
	for i, x := range a.Free {
		if t.Info(x).Name != u.Info(b.Free[i]).Name {
			return false
		}
	}
	x, _ := a.encode(&encoder{s: a})
	y, _ := b.encode(&encoder{s: b})
	return bytes.Equal(x, y)
}
